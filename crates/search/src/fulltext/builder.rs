//! Inverts texts in memory (Zobel and Moffat 2006): texts become words, words stems, and stems postings with BM25F impacts that are quantised
//! when they are written (Anh and Moffat 2006).

use super::{FullTextIndex, ID_BIT, NAME_BIT, PASSAGE_BIT, field_bit, surface_form_bit};
use crate::postings::doc_terms::DocTerms;
use crate::postings::interner::Interner;
use crate::postings::inverted_index::InvertedIndex;
use crate::text::{Stemmers, tokenize};
use crate::{DocInput, Field, NameKind};

/// Term frequency saturation of BM25.
const K1: f32 = 1.4;
/// Length normalisation of BM25.
const B: f32 = 0.75;
/// The highest impact: what a document gets for a term it holds without end.
pub(super) const IMPACT_MAX: f32 = 255.0;
/// Part of a score that one step of demotion takes: less than the scores of most texts differ that are not equally good.
const DEMOTION_STEP: f32 = 0.02;
/// Weight of a title (and of a passage's name) in the term frequency.
const TITLE_WEIGHT: u8 = 2;

/// A stem in a document before its occurrences are summed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Occurrence {
    stem: u32,
    count: u8,
    field: u8,
    surface_form: u8,
}

/// Collects the texts of items.
#[derive(Debug, Default)]
pub(crate) struct FullTextBuilder {
    vocabulary: Interner,
    stems: Interner,
    /// Stem of each word of the vocabulary, both in order of first appearance.
    stem_of: Vec<u32>,
    /// Surface-form bit of each word.
    surface_forms: Vec<u8>,
    stemmers: Stemmers,
    doc_terms: DocTerms,
    /// The document being added.
    doc: Vec<Occurrence>,
    /// The title of the item being added.
    title: Vec<Occurrence>,
}

impl FullTextBuilder {
    pub(crate) fn add(&mut self, ordinal: u32, item: &DocInput<'_>) {
        self.doc.clear();
        let mut length = 0;
        for (field, text) in item.fields.iter().filter(|(field, _)| *field == Field::Title) {
            length += self.add_text(text, TITLE_WEIGHT, field_bit(*field));
        }
        self.title.clear();
        self.title.extend(self.doc.iter().map(|occurrence| Occurrence { count: 1, ..*occurrence }));
        let title_length = length / u32::from(TITLE_WEIGHT);
        for (field, text) in item.fields.iter().filter(|(field, _)| *field != Field::Title) {
            length += self.add_text(text, 1, field_bit(*field));
        }
        self.add_names(item);
        self.finish_doc(ordinal, length);
        for (name, text) in &item.passages {
            self.doc.clear();
            self.doc.extend_from_slice(&self.title);
            let name_length = self.add_text(name, TITLE_WEIGHT, PASSAGE_BIT);
            let length = title_length + name_length + self.add_text(text, 1, PASSAGE_BIT);
            self.finish_doc(ordinal, length);
        }
    }

    /// Makes the words of names searchable. They do not lengthen the document, and those that the title or another name has already add
    /// no frequency: an item with many aliases must not score higher for it.
    fn add_names(&mut self, item: &DocInput<'_>) {
        let start = self.doc.len();
        for (kind, name) in item.names.iter().filter(|(kind, _)| *kind != NameKind::Path) {
            let bit = if *kind == NameKind::Id { ID_BIT } else { NAME_BIT };
            self.add_text(name, 1, bit);
        }
        let names = self.doc.split_off(start);
        for mut occurrence in names {
            let in_title = self.title.iter().any(|other| other.stem == occurrence.stem);
            let in_names = self.doc[start..].iter().any(|other| other.stem == occurrence.stem);
            if in_title || in_names {
                occurrence.count = 0;
            }
            self.doc.push(occurrence);
        }
    }

    /// Adds the words of a text to the document; returns their weighted number.
    fn add_text(&mut self, text: &str, weight: u8, field: u8) -> u32 {
        let Self { vocabulary, stems, stem_of, surface_forms, stemmers, doc, .. } = self;
        let mut length = 0;
        tokenize(text, |word, _| {
            let (number, new) = vocabulary.intern(word);
            if new {
                stem_of.push(stems.intern(&stemmers.stem(word)).0);
                surface_forms.push(surface_form_bit(word));
            }
            let (stem, surface_form) = (stem_of[number as usize], surface_forms[number as usize]);
            doc.push(Occurrence { stem, count: weight, field, surface_form });
            length += u32::from(weight);
        });
        length
    }

    fn finish_doc(&mut self, ordinal: u32, length: u32) {
        self.doc.sort_unstable();
        for same in self.doc.chunk_by(|a, b| a.stem == b.stem) {
            self.doc_terms.terms.push(same[0].stem);
            self.doc_terms.counts.push(same.iter().fold(0_u8, |sum, occurrence| sum.saturating_add(occurrence.count)));
            self.doc_terms.fields.push(same.iter().fold(0, |mask, occurrence| mask | occurrence.field));
            self.doc_terms.surface_forms.push(same.iter().fold(0, |mask, occurrence| mask | occurrence.surface_form));
        }
        self.doc_terms.finish_doc(ordinal, length);
    }

    /// The finished index; `demotions` are those of its items.
    pub(crate) fn finish(self, demotions: &[u8]) -> FullTextIndex {
        let Self { vocabulary, stems, stem_of, doc_terms, .. } = self;
        let (vocabulary, word_ranks) = vocabulary.finish();
        let (stems, stem_ranks) = stems.finish();
        let mut ranked_stem_of = vec![0; stem_of.len()].into_boxed_slice();
        for (word, stem) in stem_of.into_iter().enumerate() {
            ranked_stem_of[word_ranks[word] as usize] = stem_ranks[stem as usize];
        }
        let docs = doc_terms.lengths.len().max(1) as f32;
        let total_length = doc_terms.lengths.iter().map(|length| u64::from(*length)).sum::<u64>();
        let mean_length = (total_length as f32 / docs).max(1.0);
        let (index, _) = InvertedIndex::build(&doc_terms, &stem_ranks, demotions, |count, length, demotion| {
            let count = f32::from(count.max(1));
            let saturation = K1 * (1.0 - B + B * length as f32 / mean_length);
            let prior = 1.0 - DEMOTION_STEP * f32::from(demotion);
            (IMPACT_MAX * prior * count / (count + saturation)).round().clamp(1.0, IMPACT_MAX) as u8
        });
        let item_docs = item_docs(&index.layout.parents, demotions.len());
        FullTextIndex { vocabulary, stem_of: ranked_stem_of, stems, index, item_docs }
    }
}

/// Doc id of each item's own document: the first of its documents, which have adjacent ids.
fn item_docs(parents: &[u32], items: usize) -> Box<[u32]> {
    let mut docs = vec![u32::MAX; items].into_boxed_slice();
    for (doc_id, parent) in parents.iter().enumerate() {
        if let Some(slot) = docs.get_mut(*parent as usize) {
            *slot = (*slot).min(doc_id as u32);
        }
    }
    docs
}
