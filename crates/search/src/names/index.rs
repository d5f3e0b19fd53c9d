//! The entity-name index itself: names as documents of an inverted index over tokens, versions (`4.5`) and character trigrams, and all
//! keys in one sorted list for whole and prefix look-up.

use super::entry::{NameEntry, NameOffsets, SortedKey, StoredName};
use crate::postings::dictionary::WordList;
use crate::postings::inverted_index::InvertedIndex;
use crate::postings::sparse_index::{SparseIndex, galloping_search};
use refdesk_core::codec::packed;
use refdesk_core::cooperative;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Marks trigrams in the dictionary of terms.
pub(super) const TRIGRAM_MARK: char = '\u{1}';

/// What one step of demotion takes from the score of a name, 0 to 2.5. It decides between names that match equally well; a better match,
/// if only by one letter less to correct, differs by more.
const DEMOTION_STEP: f32 = 0.002;

/// The offsets of every so many names are stored; between them, lengths are added up.
const NAMES_PER_OFFSETS: usize = 4;

/// Sorted keys per entry of the sparse index. Each key is read from another place, so a small step pays.
const SPARSE_STEP: usize = 8;

#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct NameIndex {
    /// Tokens, versions and trigrams of the names.
    pub(super) words: WordList,
    pub(crate) index: InvertedIndex<u8>,
    /// Names by doc id, which is their number.
    #[serde(with = "packed")]
    names: Box<[StoredName]>,
    /// Offsets of every [`NAMES_PER_OFFSETS`]th name.
    #[serde(with = "packed")]
    offsets: Box<[NameOffsets]>,
    /// All keys, one after the other.
    keys: Box<str>,
    /// Terms of all names: tokens in order, then versions.
    #[serde(with = "packed")]
    terms: Box<[u32]>,
    #[serde(with = "packed")]
    pub(super) sorted: Box<[SortedKey]>,
    sparse_index: SparseIndex<SPARSE_STEP>,
    /// See [`crate::DocInput::demotion`], by item.
    #[serde(with = "packed")]
    demotions: Box<[u8]>,
}

impl NameIndex {
    /// An index over names in doc-id order.
    pub(super) fn new(
        words: WordList,
        index: InvertedIndex<u8>,
        demotions: Box<[u8]>,
        names: Box<[StoredName]>,
        keys: Box<str>,
        terms: Box<[u32]>,
    ) -> Self {
        let mut built = Self { words, index, names, keys, terms, demotions, ..Self::default() };
        built.offsets = built.sampled_offsets();
        built.sorted = built.sorted_keys();
        built.sparse_index = SparseIndex::new(built.sorted.iter().map(|key| built.sorted_key(*key)));
        built
    }

    fn sampled_offsets(&self) -> Box<[NameOffsets]> {
        let mut next = NameOffsets::default();
        let offsets = self.names.chunks(NAMES_PER_OFFSETS).map(|names| {
            let start = next;
            names.iter().for_each(|name| next = next.after(name));
            start
        });
        offsets.collect()
    }

    fn offsets(&self, name: u32) -> NameOffsets {
        let (at, group) = (name as usize, name as usize / NAMES_PER_OFFSETS);
        let before = &self.names[group * NAMES_PER_OFFSETS..at];
        before.iter().fold(self.offsets[group], NameOffsets::after)
    }

    pub(super) fn entry(&self, name: u32) -> NameEntry {
        let ordinal = self.index.layout.parents[name as usize];
        NameEntry { stored: self.names[name as usize], ordinal, first_term: self.offsets(name).term }
    }

    /// The record of a name, without what follows from its position.
    pub(super) fn stored(&self, name: u32) -> &StoredName {
        &self.names[name as usize]
    }

    pub(crate) const fn items(&self) -> usize {
        self.demotions.len()
    }

    fn sorted_keys(&self) -> Box<[SortedKey]> {
        let mut sorted = Vec::with_capacity(self.names.len());
        for (at, name) in self.names.iter().enumerate() {
            sorted.push(SortedKey::whole(at as u32));
            if name.base_bytes != name.key_bytes {
                sorted.push(SortedKey::base(at as u32));
            }
        }
        let demotion = |name: u32| self.demotions[self.index.layout.parents[name as usize] as usize];
        let order = |key: &SortedKey| (self.sorted_key(*key), demotion(key.name()), *key);
        cooperative::sort_by(&mut sorted, |a, b| order(a).cmp(&order(b)));
        sorted.into_boxed_slice()
    }

    pub(super) fn key(&self, name: u32) -> &str {
        let start = self.offsets(name).key as usize;
        &self.keys[start..start + usize::from(self.names[name as usize].key_bytes)]
    }

    pub(super) fn sorted_key(&self, sorted: SortedKey) -> &str {
        let whole = self.key(sorted.name());
        if sorted.is_base() { self.names[sorted.name() as usize].base_of(whole) } else { whole }
    }

    /// Positions in the sorted list of the keys (whole or base) that start with a prefix.
    pub(super) fn with_prefix(&self, prefix: &str) -> Range<usize> {
        let key_at = |at: usize| self.sorted_key(self.sorted[at]);
        let start = self.sparse_index.lower_bound(prefix, self.sorted.len(), key_at);
        start..start + galloping_search(&(start..self.sorted.len()), |at| key_at(at).starts_with(prefix))
    }

    /// Whether a name, or its base name, has a key.
    pub(crate) fn has_key(&self, key: &str) -> bool {
        let key_at = |at: usize| self.sorted_key(self.sorted[at]);
        let at = self.sparse_index.lower_bound(key, self.sorted.len(), key_at);
        at < self.sorted.len() && key_at(at) == key
    }

    /// Terms of a name's tokens, in order.
    pub(super) fn tokens(&self, entry: &NameEntry) -> &[u32] {
        let first = entry.first_term as usize;
        &self.terms[first..first + usize::from(entry.tokens)]
    }

    /// Terms of a name's versions.
    pub(super) fn versions(&self, entry: &NameEntry) -> &[u32] {
        let first = entry.first_term as usize;
        &self.terms[first + usize::from(entry.tokens)..first + entry.terms()]
    }

    /// See [`crate::DocInput::demotion`].
    pub(super) fn demotion(&self, item: u32) -> u8 {
        self.demotions[item as usize]
    }

    /// What the prior of an item takes from the scores of its names.
    pub(super) fn demotion_penalty(&self, ordinal: u32) -> f32 {
        DEMOTION_STEP * f32::from(self.demotion(ordinal))
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.words.heap_bytes()
            + self.index.heap_bytes()
            + self.names.len() * size_of::<StoredName>()
            + self.offsets.len() * size_of::<NameOffsets>()
            + self.keys.len()
            + self.terms.len() * 4
            + self.sorted.len() * size_of::<SortedKey>()
            + self.sparse_index.heap_bytes()
            + self.demotions.len()
    }
}
