//! String interning while an index is built: a list of texts and an open-addressing hash table of numbers into it.

use super::dictionary::WordList;
use super::sparse_index::first_bytes;
use refdesk_core::codec::TextList;
use refdesk_core::cooperative;

/// Interns words; numbers are in order of first appearance.
#[derive(Debug, Default)]
pub(crate) struct Interner {
    words: TextList,
    /// Slots with number + 1 in the lower half (0 is a free slot) and the upper half of the hash in the upper; the length is a power of two.
    table: Vec<u64>,
}

impl Interner {
    fn word(&self, number: u32) -> &str {
        self.words.get(number as usize)
    }

    /// The number of a word, and whether it is new.
    pub(crate) fn intern(&mut self, word: &str) -> (u32, bool) {
        if (self.words.len() + 1) * 2 > self.table.len() {
            self.grow();
        }
        let hash = hash(word);
        let (mask, tag) = (self.table.len() - 1, hash >> 32 << 32);
        let mut slot = hash as usize & mask;
        while self.table[slot] != 0 {
            let number = (self.table[slot] as u32).wrapping_sub(1);
            if self.table[slot] >> 32 << 32 == tag && self.word(number) == word {
                return (number, false);
            }
            slot = (slot + 1) & mask;
        }
        let number = self.words.len() as u32;
        self.words.push(word);
        self.table[slot] = tag | u64::from(number + 1);
        (number, true)
    }

    fn grow(&mut self) {
        let size = (self.table.len() * 2).max(1024);
        let mut table = vec![0_u64; size];
        for number in 0..self.words.len() as u32 {
            let hash = hash(self.word(number));
            let mut slot = hash as usize & (size - 1);
            while table[slot] != 0 {
                slot = (slot + 1) & (size - 1);
            }
            table[slot] = hash >> 32 << 32 | u64::from(number + 1);
        }
        self.table = table;
    }

    /// The words, sorted, and the rank among them of every interned number.
    pub(crate) fn finish(self) -> (WordList, Vec<u32>) {
        // Most words are told apart by their first bytes, which stand beside their numbers.
        let keyed = |number: u32| (first_bytes(self.word(number)), number);
        let mut sorted: Vec<(u64, u32)> = (0..self.words.len() as u32).map(keyed).collect();
        cooperative::sort_by(&mut sorted, |(first_a, a), (first_b, b)| {
            first_a.cmp(first_b).then_with(|| self.word(*a).cmp(self.word(*b)))
        });
        let mut ranks = vec![0; sorted.len()];
        let mut arena = String::with_capacity(self.words.iter().map(str::len).sum());
        let mut starts = Vec::with_capacity(sorted.len() + 1);
        for (rank, (_, number)) in cooperative::yielding(&sorted).enumerate() {
            starts.push(arena.len() as u32);
            arena.push_str(self.word(*number));
            ranks[*number as usize] = rank as u32;
        }
        starts.push(arena.len() as u32);
        (WordList::new(arena.into_boxed_str(), starts.into_boxed_slice()), ranks)
    }
}

/// A fast multiplicative string hash (as `FxHash`), the same on every platform.
pub(crate) fn hash(word: &str) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mixed = |state: u64, block: u64| (state ^ block).wrapping_mul(FACTOR).rotate_left(29);
    let (blocks, tail) = word.as_bytes().as_chunks();
    let mut state = word.len() as u64;
    for block in blocks {
        state = mixed(state, u64::from_le_bytes(*block));
    }
    if !tail.is_empty() {
        state = mixed(state, tail.iter().rev().fold(0, |block, byte| block << 8 | u64::from(*byte)));
    }
    state ^ (state >> 32)
}
