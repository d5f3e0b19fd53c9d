//! The global term dictionary of the entity-name index (Lucene's `OrdinalMap`): tokens, versions and trigrams of all segments' names,
//! merged with their document frequencies. Queries are parsed against these, so that every segment weighs a term alike.

use super::NameIndex;
use super::index::TRIGRAM_MARK;
use super::spelling::NormalisedName;
use super::trigrams::{Trigram, TrigramSet};
use crate::postings::dictionary::{Dictionary, WordList};
use crate::postings::term_map::{TermMap, merge};
use crate::postings::top_k::QueryTerm;
use crate::term_weight::{idf, term_weight};

/// Trigrams that are looked up; the rarest are kept.
const TRIGRAMS_MAX: usize = 12;

/// Tokens, versions and trigrams of all names, with their statistics.
#[derive(Debug, Default)]
pub(crate) struct NameTerms {
    pub(super) dictionary: Dictionary,
    /// Document frequency of each term, counted in items.
    doc_freqs: Box<[u32]>,
    /// Number of items.
    pub(super) items: u32,
}

/// A query whose trigrams are looked up: for names that look like it.
#[derive(Debug)]
pub(crate) struct TrigramQuery {
    /// Its normalised key.
    pub(super) key: String,
    pub(super) trigrams: TrigramSet,
    /// The rarest of them, weighted.
    terms: Vec<QueryTerm>,
}

impl TrigramQuery {
    pub(crate) fn terms_in(&self, map: &TermMap) -> Vec<QueryTerm> {
        let local = |term: &QueryTerm| Some(QueryTerm { term: map.local(term.term)?, ..*term });
        self.terms.iter().filter_map(local).collect()
    }
}

impl NameTerms {
    /// Merges the terms of segments; returns with it the terms of each segment as merged ones.
    pub(crate) fn merge(segments: &[&NameIndex]) -> (Self, Vec<TermMap>) {
        let lists: Vec<&WordList> = segments.iter().map(|segment| &segment.words).collect();
        let (words, maps) = merge(&lists);
        let dictionary = Dictionary::new(words);
        let mut doc_freqs = vec![0; dictionary.len()].into_boxed_slice();
        for (segment, map) in segments.iter().zip(&maps) {
            for (term, merged) in map.iter() {
                doc_freqs[merged as usize] += segment.index.doc_freq(term);
            }
        }
        let items = segments.iter().map(|segment| segment.items() as u32).sum();
        (Self { dictionary, doc_freqs, items }, maps)
    }

    pub(crate) fn has_token(&self, word: &str) -> bool {
        self.dictionary.find(word).is_some()
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.dictionary.heap_bytes() + self.doc_freqs.len() * 4
    }

    /// Document frequency of a term: the items with a name that has it.
    pub(super) fn doc_freq(&self, term: u32) -> u32 {
        self.doc_freqs[term as usize]
    }

    /// Inverse document frequency among the items.
    pub(super) fn idf(&self, doc_freq: u32) -> f32 {
        idf(self.items, doc_freq)
    }

    /// Inverse document frequency of a term.
    pub(super) fn term_idf(&self, term: u32) -> f32 {
        self.idf(self.doc_freq(term))
    }

    /// Looks up the trigrams of a query.
    pub(crate) fn trigram_query(&self, name: &NormalisedName) -> TrigramQuery {
        let trigrams = TrigramSet::new(&name.key);
        TrigramQuery { terms: self.trigram_terms(trigrams.sorted()), key: name.key.clone(), trigrams }
    }

    /// The rarest of some trigrams, weighted.
    fn trigram_terms(&self, trigrams: &[Trigram]) -> Vec<QueryTerm> {
        let mut rated: Vec<(u32, u32)> = Vec::new();
        let mut word = String::new();
        for trigram in trigrams {
            word.clear();
            word.push(TRIGRAM_MARK);
            word.extend(trigram.chars());
            if let Some(term) = self.dictionary.find(&word) {
                rated.push((self.doc_freq(term), term));
            }
        }
        rated.sort_unstable();
        rated.truncate(TRIGRAMS_MAX);
        rated.iter().map(|(doc_freq, term)| QueryTerm::any_form(*term, term_weight(self.idf(*doc_freq), 1.0))).collect()
    }
}
