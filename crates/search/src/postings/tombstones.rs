//! Tombstones: deleted items of an immutable index, one bit each (Lucene's live docs, inverted). Queries skip them; only a rebuild
//! reclaims their postings.

/// The deleted items of an index; empty when there are none.
#[derive(Debug)]
pub(crate) struct Tombstones(Vec<u64>);

/// No item is deleted.
pub(crate) static NO_TOMBSTONES: Tombstones = Tombstones(Vec::new());

impl Tombstones {
    /// Whether an item is deleted.
    pub(crate) fn contains(&self, ordinal: u32) -> bool {
        self.0.get(ordinal as usize / 64).is_some_and(|word| word >> (ordinal % 64) & 1 == 1)
    }
}

impl FromIterator<u32> for Tombstones {
    fn from_iter<T: IntoIterator<Item = u32>>(ordinals: T) -> Self {
        let mut bits = Vec::new();
        for ordinal in ordinals {
            let word = ordinal as usize / 64;
            bits.resize(bits.len().max(word + 1), 0_u64);
            bits[word] |= 1 << (ordinal % 64);
        }
        Self(bits)
    }
}
