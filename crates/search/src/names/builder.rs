//! Inverts names in memory (Zobel and Moffat 2006): normalises them, drops those of one item that normalise alike, and makes posting lists of
//! their terms.

use super::entry::{NameOffsets, StoredName};
use super::index::{NameIndex, TRIGRAM_MARK};
use super::spelling::NormalisedName;
use super::trigrams::{Trigram, dice_coefficient, trigrams};
use crate::NameKind;
use crate::postings::doc_terms::DocTerms;
use crate::postings::interner::Interner;
use crate::postings::inverted_index::InvertedIndex;
use refdesk_core::cooperative;

/// A name at least this similar to another name of its item gets no trigrams of its own: they would only cost memory.
const REDUNDANT_SIMILARITY_MIN: f32 = 0.6;
/// The impact of a name falls by this per token, down to 15: short names rank first where all else is equal.
const IMPACT_STEP: u32 = 6;
const IMPACT_TOKENS_MAX: u32 = 15;

/// A name before documents are reordered.
#[derive(Debug)]
struct AddedName {
    stored: StoredName,
    ordinal: u32,
    offsets: NameOffsets,
}

#[derive(Debug, Default)]
pub(crate) struct NameIndexBuilder {
    interner: Interner,
    /// Number of each trigram's word: a number is hashed and compared faster than a text.
    trigram_terms: foldhash::HashMap<Trigram, u32>,
    doc_terms: DocTerms,
    names: Vec<AddedName>,
    /// All keys, one after the other.
    keys: String,
    /// Terms of all names: tokens in order, then versions.
    terms: Vec<u32>,
}

impl NameIndexBuilder {
    pub(crate) fn add(&mut self, ordinal: u32, names: &[(NameKind, &str)]) {
        let mut names = names.to_vec();
        names.sort_by_key(|(kind, _)| *kind);
        let mut distinct: Vec<(NameKind, NormalisedName)> = Vec::with_capacity(names.len());
        for (kind, name) in names {
            let name = NormalisedName::new(name);
            match distinct.iter_mut().find(|(_, known)| known.key == name.key) {
                // Of several spellings of one name keep the one with the most tokens: an id may have glued some together.
                Some((_, known)) if name.tokens.len() > known.tokens.len() => *known = name,
                Some(_) => {}
                None if name.key.is_empty() => {}
                None => distinct.push((kind, name)),
            }
        }
        for (kind, name) in distinct {
            self.add_name(ordinal, kind, &name);
        }
    }

    fn add_name(&mut self, ordinal: u32, kind: NameKind, name: &NormalisedName) {
        let offsets = NameOffsets { key: self.keys.len() as u32, term: self.terms.len() as u32 };
        self.keys.push_str(&name.key);
        let mut terms = Vec::with_capacity(32);
        // Words of a path are kept to compare it as a whole, and are not looked up.
        let is_path = kind == NameKind::Path;
        for token in &name.tokens {
            terms.push(self.interner.intern(name.text(token)).0);
        }
        for version in name.versions() {
            terms.push(self.interner.intern(&version).0);
        }
        self.terms.extend_from_slice(&terms);
        let versions = terms.len() - name.tokens.len();
        if is_path {
            terms.clear();
        }
        self.add_trigrams(ordinal, &name.key, &mut terms);
        terms.sort_unstable();
        terms.dedup();
        for term in terms {
            self.doc_terms.terms.push(term);
            self.doc_terms.counts.push(1);
            self.doc_terms.surface_forms.push(0);
        }
        self.doc_terms.finish_doc(ordinal, name.tokens.len() as u32);
        self.names.push(AddedName { stored: StoredName::new(name, versions, kind), ordinal, offsets });
    }

    /// Adds the trigrams of a name, unless they would add little to those of another name of the item.
    fn add_trigrams(&mut self, ordinal: u32, key: &str, terms: &mut Vec<u32>) {
        let own = trigrams(key);
        let is_similar = |other: &AddedName| {
            let start = other.offsets.key as usize;
            let key = &self.keys[start..start + usize::from(other.stored.key_bytes)];
            dice_coefficient(&own, &trigrams(key)) >= REDUNDANT_SIMILARITY_MIN
        };
        if self.names.iter().rev().take_while(|other| other.ordinal == ordinal).any(is_similar) {
            return;
        }
        let Self { trigram_terms, interner, .. } = self;
        for trigram in own {
            let intern =
                || interner.intern(&std::iter::once(TRIGRAM_MARK).chain(trigram.chars()).collect::<String>()).0;
            terms.push(*trigram_terms.entry(trigram).or_insert_with(intern));
        }
    }

    /// The finished index; `demotions` are those of its items.
    pub(crate) fn finish(self, demotions: Box<[u8]>) -> NameIndex {
        let Self { interner, doc_terms, names, keys, terms, .. } = self;
        let (words, ranks) = interner.finish();
        let (index, docs) = InvertedIndex::build(&doc_terms, &ranks, &demotions, |_, tokens, _| {
            255 - (IMPACT_STEP * tokens.min(IMPACT_TOKENS_MAX)) as u8
        });
        // Names are numbered in doc-id order; keys and terms are stored in the same order.
        let mut stored_names = Vec::with_capacity(names.len());
        let mut sorted_keys = String::with_capacity(keys.len());
        let mut sorted_terms = Vec::with_capacity(terms.len());
        for name in cooperative::yielding(&docs).filter_map(|doc| names.get(*doc as usize)) {
            let (start, end) = (name.offsets, name.offsets.after(&name.stored));
            stored_names.push(name.stored);
            sorted_keys.push_str(&keys[start.key as usize..end.key as usize]);
            let own = &terms[start.term as usize..end.term as usize];
            sorted_terms.extend(own.iter().map(|term| ranks[*term as usize]));
        }
        NameIndex::new(words, index, demotions, stored_names.into(), sorted_keys.into(), sorted_terms.into())
    }
}
