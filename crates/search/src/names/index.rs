//! The entity-name index itself: names as documents of an inverted index over tokens, versions (`4.5`) and character trigrams, and all
//! keys in one sorted list for whole and prefix look-up.

use super::entry::{DocIdRun, NameEntry, NameOffsets, SortedKey, StoredName};
use crate::postings::dictionary::Dictionary;
use crate::postings::doc_layout::{ItemPriors, NO_DOC};
use crate::postings::inverted_index::InvertedIndex;
use crate::postings::sparse_index::{SparseIndex, galloping_search};
use refdesk_core::codec::packed;
use refdesk_core::pace;
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

/// The finished index.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct NameIndex {
    pub(super) dictionary: Dictionary,
    pub(crate) index: InvertedIndex<u8>,
    /// Names in doc-id order.
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
    doc_id_runs: Box<[DocIdRun]>,
    #[serde(with = "packed")]
    pub(super) sorted: Box<[SortedKey]>,
    sparse_index: SparseIndex<SPARSE_STEP>,
    /// Number of items, of other segments too.
    pub(super) items: u32,
    /// See [`crate::DocInput::demotion`], by item.
    #[serde(with = "packed")]
    demotions: Box<[u8]>,
}

impl NameIndex {
    /// An index over names in doc-id order.
    pub(super) fn new(
        dictionary: Dictionary,
        index: InvertedIndex<u8>,
        items: ItemPriors<'_>,
        names: Box<[StoredName]>,
        keys: Box<str>,
        terms: Box<[u32]>,
    ) -> Self {
        let mut built = Self {
            dictionary,
            index,
            names,
            keys,
            terms,
            items: items.classes.len() as u32,
            demotions: items.demotions.into(),
            ..Self::default()
        };
        built.offsets = built.sampled_offsets();
        built.doc_id_runs = built.find_doc_id_runs();
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

    /// A name by its number.
    pub(super) fn entry(&self, name: u32) -> NameEntry {
        let run = self.doc_id_runs[self.doc_id_runs.partition_point(|run| run.first_name <= name) - 1];
        let doc_id = run.first_doc + name - run.first_name;
        let ordinal = self.index.layout.parents[doc_id as usize];
        NameEntry { stored: self.names[name as usize], ordinal, first_term: self.offsets(name).term }
    }

    /// The number of the name with a doc id.
    pub(super) fn name_of_doc(&self, doc_id: u32) -> u32 {
        let run = self.doc_id_runs[self.doc_id_runs.partition_point(|run| run.first_doc <= doc_id) - 1];
        run.first_name + doc_id - run.first_doc
    }

    fn find_doc_id_runs(&self) -> Box<[DocIdRun]> {
        let mut runs = Vec::new();
        let (mut name, mut after_gap) = (0, true);
        for (doc_id, parent) in self.index.layout.parents.iter().enumerate() {
            if *parent == NO_DOC {
                after_gap = true;
                continue;
            }
            if after_gap {
                runs.push(DocIdRun { first_doc: doc_id as u32, first_name: name });
                after_gap = false;
            }
            name += 1;
        }
        runs.into_boxed_slice()
    }

    fn sorted_keys(&self) -> Box<[SortedKey]> {
        let mut sorted = Vec::with_capacity(self.names.len());
        for (at, name) in self.names.iter().enumerate() {
            sorted.push(SortedKey::whole(at as u32));
            if name.base_bytes != name.key_bytes {
                sorted.push(SortedKey::base(at as u32));
            }
        }
        let parents = self.index.layout.parents.iter().filter(|parent| **parent != NO_DOC);
        let demotions: Vec<u8> = parents.map(|parent| self.demotions[*parent as usize]).collect();
        let order = |key: &SortedKey| (self.sorted_key(*key), demotions[key.name() as usize], key.tie_break());
        pace::sort_by(&mut sorted, |a, b| order(a).cmp(&order(b)));
        sorted.into_boxed_slice()
    }

    /// Adds the statistics of another segment, so that terms have the same weights in both.
    pub(crate) fn add_statistics(&mut self, other: &Self) {
        let dictionary = &self.dictionary;
        self.index.add_doc_freqs(|term| {
            other.dictionary.find(dictionary.word(term)).map_or(0, |term| other.index.doc_freq(term))
        });
        self.items += other.items;
    }

    /// The key of a name.
    pub(super) fn key(&self, name: u32) -> &str {
        let start = self.offsets(name).key as usize;
        &self.keys[start..start + usize::from(self.names[name as usize].key_bytes)]
    }

    fn sorted_key(&self, sorted: SortedKey) -> &str {
        let whole = self.key(sorted.name());
        if sorted.is_base() { self.names[sorted.name() as usize].base_of(whole) } else { whole }
    }

    /// Positions in the sorted list of the keys (whole or base) that start with a prefix.
    pub(super) fn with_prefix(&self, prefix: &str) -> Range<usize> {
        let key_at = |at: usize| self.sorted_key(self.sorted[at]);
        let start = self.sparse_index.lower_bound(prefix, self.sorted.len(), key_at);
        start..start + galloping_search(&(start..self.sorted.len()), |at| key_at(at).starts_with(prefix))
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

    /// What the prior of an item takes from the scores of its names.
    pub(super) fn demotion_penalty(&self, ordinal: u32) -> f32 {
        DEMOTION_STEP * f32::from(self.demotions[ordinal as usize])
    }

    /// Inverse document frequency, in the form of Lucene's BM25 (never negative).
    pub(super) fn idf(&self, doc_freq: u32) -> f32 {
        let (all, with) = (self.items as f32, doc_freq.min(self.items) as f32);
        (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
    }

    /// Inverse document frequency of a term.
    pub(super) fn term_idf(&self, term: u32) -> f32 {
        self.idf(self.index.doc_freq(term))
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.dictionary.heap_bytes()
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
