//! String interning while an index is built: an arena and an open-addressing hash table of numbers into it.

use super::dictionary::WordList;
use refdesk_core::cooperative;

/// Interns words; numbers are in order of first appearance.
#[derive(Debug, Default)]
pub(crate) struct Interner {
    arena: String,
    ends: Vec<u32>,
    /// Slots with number + 1 in the lower half (0 is a free slot) and the upper half of the hash in the upper; the length is a power of two.
    table: Vec<u64>,
}

impl Interner {
    fn word(&self, number: u32) -> &str {
        let n = number as usize;
        let start = if n == 0 { 0 } else { self.ends[n - 1] as usize };
        &self.arena[start..self.ends[n] as usize]
    }

    /// The number of a word, and whether it is new.
    pub(crate) fn intern(&mut self, word: &str) -> (u32, bool) {
        if (self.ends.len() + 1) * 2 > self.table.len() {
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
        let number = self.ends.len() as u32;
        self.arena.push_str(word);
        self.ends.push(self.arena.len() as u32);
        self.table[slot] = tag | u64::from(number + 1);
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

    /// The words, sorted, and the rank among them of every interned number.
    pub(crate) fn finish(self) -> (WordList, Vec<u32>) {
        let mut sorted: Vec<u32> = (0..self.ends.len() as u32).collect();
        cooperative::sort_by(&mut sorted, |a, b| self.word(*a).cmp(self.word(*b)));
        let mut ranks = vec![0; sorted.len()];
        let mut arena = String::with_capacity(self.arena.len());
        let mut starts = Vec::with_capacity(sorted.len() + 1);
        for (rank, number) in cooperative::yielding(&sorted).enumerate() {
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
    let mut state = word.len() as u64;
    for chunk in word.as_bytes().chunks(8) {
        let mut block = [0; 8];
        block[..chunk.len()].copy_from_slice(chunk);
        state = (state ^ u64::from_le_bytes(block)).wrapping_mul(FACTOR).rotate_left(29);
    }
    state ^ (state >> 32)
}
