//! Words and their numbers: an interner while building, then a sorted, immutable dictionary with look-up by word, by
//! prefix and by edit distance. Numbers of the finished dictionary are ranks in byte order.
//!
//! The typo look-up scans only words of the same first letter and nearly the same length, by a 32-bit letter signature;
//! edits of the first letter itself are tried one by one. That costs 8 bytes a word, where a deletion neighbourhood
//! costs some 300.

use super::heads::{Heads, leading};
use refdesk_core::codec::packed;
use refdesk_core::pace;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Interns words while an index is built; numbers are in order of first sight.
#[derive(Debug, Default)]
pub(super) struct Interner {
    arena: String,
    ends: Vec<u32>,
    /// Open addressing: number + 1 in the lower half, 0 is free, and the upper half of the hash in the upper; a power of two long.
    table: Vec<u64>,
}

impl Interner {
    fn word(&self, number: u32) -> &str {
        let n = number as usize;
        let start = if n == 0 { 0 } else { self.ends[n - 1] as usize };
        &self.arena[start..self.ends[n] as usize]
    }

    /// The number of a word, and whether it is new.
    pub(super) fn intern(&mut self, word: &str) -> (u32, bool) {
        if (self.ends.len() + 1) * 2 > self.table.len() {
            self.grow();
        }
        let hash = hash(word);
        let (mask, mark) = (self.table.len() - 1, hash >> 32 << 32);
        let mut slot = hash as usize & mask;
        while self.table[slot] != 0 {
            let number = (self.table[slot] as u32).wrapping_sub(1);
            if self.table[slot] >> 32 << 32 == mark && self.word(number) == word {
                return (number, false);
            }
            slot = (slot + 1) & mask;
        }
        let number = self.ends.len() as u32;
        self.arena.push_str(word);
        self.ends.push(self.arena.len() as u32);
        self.table[slot] = mark | u64::from(number + 1);
        (number, true)
    }

    fn grow(&mut self) {
        let size = (self.table.len() * 2).max(1024);
        let mut table = vec![0_u64; size];
        for number in 0..self.ends.len() as u32 {
            let hash = hash(self.word(number));
            let mut slot = hash as usize & (size - 1);
            while table[slot] != 0 {
                slot = (slot + 1) & (size - 1);
            }
            table[slot] = hash >> 32 << 32 | u64::from(number + 1);
        }
        self.table = table;
    }

    /// The dictionary, and the new number of every old one.
    pub(super) fn finish(self) -> (Dictionary, Vec<u32>) {
        let mut sorted: Vec<u32> = (0..self.ends.len() as u32).collect();
        pace::sort_by(&mut sorted, |a, b| self.word(*a).cmp(self.word(*b)));
        let mut renumbered = vec![0; sorted.len()];
        let mut arena = String::with_capacity(self.arena.len());
        let mut starts = Vec::with_capacity(sorted.len() + 1);
        for (rank, number) in pace::each(&sorted).enumerate() {
            starts.push(arena.len() as u32);
            arena.push_str(self.word(*number));
            renumbered[*number as usize] = rank as u32;
        }
        starts.push(arena.len() as u32);
        (Dictionary::new(arena.into_boxed_str(), starts.into_boxed_slice()), renumbered)
    }
}

/// A quick string hash, the same on every platform.
pub(super) fn hash(word: &str) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut state = word.len() as u64;
    for chunk in word.as_bytes().chunks(8) {
        let mut block = [0; 8];
        block[..chunk.len()].copy_from_slice(chunk);
        state = (state ^ u64::from_le_bytes(block)).wrapping_mul(FACTOR).rotate_left(29);
    }
    state ^ (state >> 32)
}

/// Words of one first letter and one length within [`Dictionary::by_shape`].
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Shape {
    first: char,
    chars: u8,
    start: u32,
}

/// Sorted words; a word's number is its rank.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Dictionary {
    arena: Box<str>,
    #[serde(with = "packed")]
    starts: Box<[u32]>,
    heads: Heads<WORDS_PER_HEAD>,
    shapes: Box<[Shape]>,
    #[serde(with = "packed")]
    by_shape: Box<[u32]>,
    #[serde(with = "packed")]
    signatures: Box<[u32]>,
}

/// A bisection ends among so many words, which lie side by side.
const WORDS_PER_HEAD: usize = 16;
/// Shorter words are never typo candidates.
const TYPO_CHARS_MIN: usize = 3;
/// Longer words are never typo candidates.
const TYPO_CHARS_MAX: usize = 24;

impl Dictionary {
    fn new(arena: Box<str>, starts: Box<[u32]>) -> Self {
        let mut dictionary = Self { arena, starts, ..Self::default() };
        let mut rows: Vec<(char, u8, u32, u32)> = Vec::new();
        for number in pace::each(0..dictionary.len() as u32) {
            let word = dictionary.word(number);
            let chars = word.chars().count();
            let Some(first) = word.chars().next() else { continue };
            if (TYPO_CHARS_MIN..=TYPO_CHARS_MAX).contains(&chars) && word.chars().all(char::is_alphabetic) {
                rows.push((first, chars as u8, number, signature(word)));
            }
        }
        pace::sort(&mut rows);
        let mut shapes: Vec<Shape> = Vec::new();
        for (at, (first, chars, ..)) in rows.iter().enumerate() {
            if shapes.last().is_none_or(|last| (last.first, last.chars) != (*first, *chars)) {
                shapes.push(Shape { first: *first, chars: *chars, start: at as u32 });
            }
        }
        dictionary.by_shape = rows.iter().map(|row| row.2).collect();
        dictionary.signatures = rows.iter().map(|row| row.3).collect();
        dictionary.shapes = shapes.into_boxed_slice();
        dictionary.heads = Heads::of((0..dictionary.len() as u32).map(|number| dictionary.word(number)));
        dictionary
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.arena.len()
            + self.starts.len() * 4
            + self.heads.heap_bytes()
            + self.by_shape.len() * 8
            + self.shapes.len() * size_of::<Shape>()
    }

    pub(super) fn word(&self, number: u32) -> &str {
        let n = number as usize;
        &self.arena[self.starts[n] as usize..self.starts[n + 1] as usize]
    }

    /// Rank of the first word that does not stand before `word`.
    fn lower_bound(&self, word: &str) -> u32 {
        self.heads.lower_bound(word, self.len(), |at| self.word(at as u32)) as u32
    }

    pub(super) fn find(&self, word: &str) -> Option<u32> {
        let at = self.lower_bound(word);
        ((at as usize) < self.len() && self.word(at) == word).then_some(at)
    }

    /// All words that start with `prefix`, itself included.
    pub(super) fn with_prefix(&self, prefix: &str) -> Range<u32> {
        let start = self.lower_bound(prefix);
        let begins = |at: usize| self.word(at as u32).starts_with(prefix);
        start..start + leading(&(start as usize..self.len()), begins) as u32
    }

    /// Words at the smallest edit distance from `word`, at most `edits_for(word)`, with that distance; empty when the
    /// word is too short, has a digit, or nothing is near. Swapped neighbours count as one edit.
    pub(super) fn near(&self, word: &str) -> (u8, Vec<u32>) {
        let edits = edits_for(word);
        if edits == 0 {
            return (0, Vec::new());
        }
        let mut found = Vec::new();
        self.same_first_letter(word, 1, &mut found);
        self.other_first_letter(word, &mut found);
        if !found.is_empty() {
            found.sort_unstable();
            found.dedup();
            return (1, found);
        }
        if edits >= 2 {
            self.same_first_letter(word, 2, &mut found);
        }
        (2, found)
    }

    fn same_first_letter(&self, word: &str, edits: u8, found: &mut Vec<u32>) {
        let Some(first) = word.chars().next() else { return };
        let chars = word.chars().count() as u8;
        let letters = signature(word);
        let from = self.shapes.partition_point(|shape| (shape.first, shape.chars) < (first, chars - edits));
        for (i, shape) in self.shapes.iter().enumerate().skip(from) {
            if shape.first != first || shape.chars > chars + edits {
                break;
            }
            let end = self.shapes.get(i + 1).map_or(self.by_shape.len(), |next| next.start as usize);
            for at in shape.start as usize..end {
                let near = (self.signatures[at] ^ letters).count_ones() <= 2 * u32::from(edits);
                if near && within(word, self.word(self.by_shape[at]), edits) {
                    found.push(self.by_shape[at]);
                }
            }
        }
    }

    /// One edit at the first letter: missing, doubled, wrong or swapped with the second.
    fn other_first_letter(&self, word: &str, found: &mut Vec<u32>) {
        let mut chars = word.chars();
        let (Some(first), rest) = (chars.next(), chars.as_str()) else { return };
        found.extend(self.find(rest));
        let mut tried = String::with_capacity(word.len() + 4);
        if let Some(second) = rest.chars().next() {
            tried.extend([second, first]);
            tried.push_str(&rest[second.len_utf8()..]);
            found.extend(self.find(&tried));
        }
        let mut last = None;
        for letter in self.shapes.iter().map(|shape| shape.first) {
            if last == Some(letter) || letter.is_ascii() != first.is_ascii() {
                continue;
            }
            last = Some(letter);
            for tail in [rest, word] {
                tried.clear();
                tried.push(letter);
                tried.push_str(tail);
                found.extend(self.find(&tried));
            }
        }
    }
}

/// Which letters a word has, folded to 32 bits.
fn signature(word: &str) -> u32 {
    word.chars().fold(0, |bits, c| bits | 1 << (c as u32 % 32))
}

/// Allowed edits: none below 4 letters or with a digit, one for 4 to 7, two from 8.
pub(super) fn edits_for(word: &str) -> u8 {
    if !word.chars().all(char::is_alphabetic) {
        return 0;
    }
    match word.chars().count() {
        4..=7 => 1,
        8..=TYPO_CHARS_MAX => 2,
        _ => 0,
    }
}

/// True when a word may be another one mistyped: by one letter up to 7 letters, by two from 8; both of letters only and
/// of three at least. Looser than [`Dictionary::near`], for where all the rest is certain.
pub(super) fn mistyped(word: &str, other: &str) -> bool {
    let edits = edits_for(word).max(1);
    let (n, m) = (word.chars().count(), other.chars().count());
    let fit = |count: usize| (TYPO_CHARS_MIN..=TYPO_CHARS_MAX).contains(&count);
    fit(n)
        && fit(m)
        && n.abs_diff(m) <= usize::from(edits)
        && word.chars().chain(other.chars()).all(char::is_alphabetic)
        && within(word, other, edits)
}

/// Optimal string alignment distance of at most `edits`.
fn within(a: &str, b: &str, edits: u8) -> bool {
    const WIDTH: usize = TYPO_CHARS_MAX + 3;
    let mut left = ['\0'; WIDTH];
    let mut right = ['\0'; WIDTH];
    let n = a.chars().zip(left.iter_mut()).map(|(c, slot)| *slot = c).count();
    let m = b.chars().zip(right.iter_mut()).map(|(c, slot)| *slot = c).count();
    let mut rows = [[0_u8; WIDTH + 1]; 3];
    for (j, cell) in rows[0].iter_mut().enumerate() {
        *cell = j as u8;
    }
    for i in 1..=n {
        let (now, before, earlier) = (i % 3, (i + 2) % 3, (i + 1) % 3);
        rows[now][0] = i as u8;
        let mut least = rows[now][0];
        for j in 1..=m {
            let cost = u8::from(left[i - 1] != right[j - 1]);
            let mut cell = (rows[before][j] + 1).min(rows[now][j - 1] + 1).min(rows[before][j - 1] + cost);
            if i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1] {
                cell = cell.min(rows[earlier][j - 2] + 1);
            }
            rows[now][j] = cell;
            least = least.min(cell);
        }
        if least > edits {
            return false;
        }
    }
    rows[n % 3][m] <= edits
}
