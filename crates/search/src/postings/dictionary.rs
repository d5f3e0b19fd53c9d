//! The term dictionary: sorted, immutable, with look-up by word, by prefix and by edit distance. A term's number is its rank in byte order.
//!
//! Fuzzy look-up scans only words of the same first letter and nearly the same length, filtered by a 32-bit letter signature (the bag
//! distance filter of Bartolini et al. 2002, on sets); edits of the first letter are enumerated. That costs 8 bytes per word, where a
//! deletion neighbourhood (`SymSpell`) costs about 300.

use super::edit_distance::{TYPO_CHARS_MAX, TYPO_CHARS_MIN, max_edits, within_distance};
use super::sparse_index::{SparseIndex, galloping_search};
use refdesk_core::codec::packed;
use refdesk_core::cooperative;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Sorted words. A segment needs no more of its own words: queries look words up in the merged [`Dictionary`] of all segments.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct WordList {
    arena: Box<str>,
    #[serde(with = "packed")]
    starts: Box<[u32]>,
}

impl WordList {
    /// Words one after the other, and where each starts; one more at the end.
    pub(super) const fn new(arena: Box<str>, starts: Box<[u32]>) -> Self {
        Self { arena, starts }
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.arena.len() + self.starts.len() * 4
    }

    pub(crate) fn word(&self, number: u32) -> &str {
        let n = number as usize;
        &self.arena[self.starts[n] as usize..self.starts[n + 1] as usize]
    }
}

/// The words of one first letter and one length within [`Dictionary::fuzzy_terms`].
#[derive(Debug, Clone, Copy)]
struct FuzzyBucket {
    first: char,
    chars: u8,
    start: u32,
}

/// Sorted words and the structures to find them.
#[derive(Debug, Default)]
pub(crate) struct Dictionary {
    words: WordList,
    sparse_index: SparseIndex<SPARSE_STEP>,
    buckets: Box<[FuzzyBucket]>,
    /// Words that fuzzy look-up may find, by bucket.
    fuzzy_terms: Box<[u32]>,
    /// Letter signatures, parallel to `fuzzy_terms`.
    signatures: Box<[u32]>,
}

/// Words per entry of the sparse index: that many lie side by side in about two cache lines.
const SPARSE_STEP: usize = 16;

impl Dictionary {
    /// A dictionary of some words that finds misspelt ones too.
    pub(crate) fn new(words: WordList) -> Self {
        let mut dictionary = Self::without_fuzzy(words);
        let mut fuzzy = FuzzyTermsBuilder::default();
        for number in cooperative::yielding(0..dictionary.len() as u32) {
            fuzzy.add(dictionary.word(number), number);
        }
        fuzzy.end_letter();
        dictionary.fuzzy_terms = fuzzy.terms.into_boxed_slice();
        dictionary.signatures = fuzzy.signatures.into_boxed_slice();
        dictionary.buckets = fuzzy.buckets.into_boxed_slice();
        dictionary
    }

    /// A dictionary in which [`Dictionary::fuzzy`] finds nothing.
    pub(crate) fn without_fuzzy(words: WordList) -> Self {
        let sparse_index = SparseIndex::new((0..words.len() as u32).map(|number| words.word(number)));
        Self { words, sparse_index, ..Self::default() }
    }

    pub(crate) fn len(&self) -> usize {
        self.words.len()
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.words.heap_bytes()
            + self.sparse_index.heap_bytes()
            + self.fuzzy_terms.len() * 8
            + self.buckets.len() * size_of::<FuzzyBucket>()
    }

    pub(crate) fn word(&self, number: u32) -> &str {
        self.words.word(number)
    }

    /// Rank of the first word that is not less than `word`.
    fn lower_bound(&self, word: &str) -> u32 {
        self.sparse_index.lower_bound(word, self.len(), |at| self.word(at as u32)) as u32
    }

    pub(crate) fn find(&self, word: &str) -> Option<u32> {
        let at = self.lower_bound(word);
        ((at as usize) < self.len() && self.word(at) == word).then_some(at)
    }

    /// All words that start with `prefix`, itself included.
    pub(crate) fn with_prefix(&self, prefix: &str) -> Range<u32> {
        let start = self.lower_bound(prefix);
        let has_prefix = |at: usize| self.word(at as u32).starts_with(prefix);
        start..start + galloping_search(&(start as usize..self.len()), has_prefix) as u32
    }

    /// Fuzzy look-up: the words at the smallest edit distance from `word`, at most [`max_edits`], and that distance. Empty when the word
    /// is too short, has a digit, or no word is close enough. A transposition counts as one edit.
    pub(crate) fn fuzzy(&self, word: &str) -> (u8, Vec<u32>) {
        let edits = max_edits(word);
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
        let from = self.buckets.partition_point(|bucket| (bucket.first, bucket.chars) < (first, chars - edits));
        for (i, bucket) in self.buckets.iter().enumerate().skip(from) {
            if bucket.first != first || bucket.chars > chars + edits {
                break;
            }
            let end = self.buckets.get(i + 1).map_or(self.fuzzy_terms.len(), |next| next.start as usize);
            for at in bucket.start as usize..end {
                let similar = (self.signatures[at] ^ letters).count_ones() <= 2 * u32::from(edits);
                if similar && within_distance(word, self.word(self.fuzzy_terms[at]), edits) {
                    found.push(self.fuzzy_terms[at]);
                }
            }
        }
    }

    /// One edit at the first letter: deleted, inserted, substituted or transposed with the second.
    fn other_first_letter(&self, word: &str, found: &mut Vec<u32>) {
        let mut chars = word.chars();
        let (Some(first), rest) = (chars.next(), chars.as_str()) else { return };
        found.extend(self.find(rest));
        let mut candidate = String::with_capacity(word.len() + 4);
        if let Some(second) = rest.chars().next() {
            candidate.extend([second, first]);
            candidate.push_str(&rest[second.len_utf8()..]);
            found.extend(self.find(&candidate));
        }
        let mut last = None;
        for letter in self.buckets.iter().map(|bucket| bucket.first) {
            if last == Some(letter) || letter.is_ascii() != first.is_ascii() {
                continue;
            }
            last = Some(letter);
            for tail in [rest, word] {
                candidate.clear();
                candidate.push(letter);
                candidate.push_str(tail);
                found.extend(self.find(&candidate));
            }
        }
    }
}

/// Puts the words that fuzzy look-up may find into buckets. They come in order, so those of one first letter come together.
#[derive(Default)]
struct FuzzyTermsBuilder {
    buckets: Vec<FuzzyBucket>,
    terms: Vec<u32>,
    signatures: Vec<u32>,
    /// The first letter that words come with.
    first: char,
    /// Its words so far by their length: number and signature.
    by_length: [Vec<(u32, u32)>; TYPO_CHARS_MAX + 1],
}

impl FuzzyTermsBuilder {
    fn add(&mut self, word: &str, number: u32) {
        // Nearly all words are ASCII, of which all this is known byte by byte.
        let (chars, is_alphabetic) = if word.is_ascii() {
            (word.len(), word.bytes().all(|byte| byte.is_ascii_alphabetic()))
        } else {
            (word.chars().count(), word.chars().all(char::is_alphabetic))
        };
        let Some(first) = word.chars().next() else { return };
        if !is_alphabetic || !(TYPO_CHARS_MIN..=TYPO_CHARS_MAX).contains(&chars) {
            return;
        }
        if first != self.first {
            self.end_letter();
            self.first = first;
        }
        self.by_length[chars].push((number, signature(word)));
    }

    /// Makes buckets of the words of a first letter.
    fn end_letter(&mut self) {
        for (chars, words) in self.by_length.iter_mut().enumerate().filter(|(_, words)| !words.is_empty()) {
            let start = self.terms.len() as u32;
            self.buckets.push(FuzzyBucket { first: self.first, chars: chars as u8, start });
            for (number, signature) in words.drain(..) {
                self.terms.push(number);
                self.signatures.push(signature);
            }
        }
    }
}

/// The set of letters of a word, hashed to 32 bits.
fn signature(word: &str) -> u32 {
    word.chars().fold(0, |bits, c| bits | 1 << (c as u32 % 32))
}
