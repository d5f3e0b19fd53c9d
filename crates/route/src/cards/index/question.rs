//! A question in the vector space of the cards: its terms, misspelt ones corrected, and their tf-idf vector.

use std::collections::BTreeMap;

use super::CardIndex;
use super::keys::{TextKey, concept_key};
use crate::text::concepts::CONCEPTS;
use crate::text::{TokenizedText, tokenize};

/// Words of a question that are corrected.
const CORRECTED_MAX: usize = 24;

/// A term of a question: its number in the vocabulary and its place in the text.
#[derive(Debug, Clone)]
pub(crate) struct QuestionTerm {
    /// Number in the vocabulary, if a card has it.
    pub id: Option<u32>,
    /// Weight by kind of term, before inverse document frequency.
    pub weight: f32,
    /// First token.
    pub from: usize,
    /// Token after the last.
    pub to: usize,
    /// Of a corrected word, the number of the stem that it was taken for.
    pub read_as: Option<u32>,
}

/// The tf-idf vector of a question.
#[derive(Debug, Clone, Default)]
pub(crate) struct QuestionVector {
    /// Each term once, with its weight times its inverse document frequency.
    pub terms: Vec<(u32, f32)>,
    /// Euclidean length.
    pub norm: f32,
    /// Sum of the weights (L1 norm).
    pub mass: f32,
}

impl CardIndex {
    /// Terms of a question. Words that nobody has (`is_known`) are corrected where one stem of the cards is similar enough.
    pub(crate) fn terms_of(&self, text: &TokenizedText, is_known: &dyn Fn(&str) -> bool) -> Vec<QuestionTerm> {
        let mut corrected = 0;
        let keys = self.keys(text);
        let mut out: Vec<QuestionTerm> = Vec::with_capacity(keys.len());
        for TextKey { key, weight, from, to } in keys {
            let id = self.vocabulary.find(&key);
            let single = !key.contains([' ', '~']);
            let may_be_misspelt = id.is_none() && single && !text.foreign && weight >= 1.0 && !is_known(&key);
            if may_be_misspelt && corrected < CORRECTED_MAX {
                corrected += 1;
                if let Some(id) = self.spelling.correct(&text.tokens[from], &self.vocabulary) {
                    self.push_corrected(id, (from, to), &mut out);
                    continue;
                }
            }
            if id.is_some() || single {
                out.push(QuestionTerm { id, weight, from, to, read_as: None });
            }
        }
        out
    }

    /// A corrected word counts with its stem and with the concepts of that stem.
    fn push_corrected(&self, id: u32, (from, to): (usize, usize), out: &mut Vec<QuestionTerm>) {
        let weight = self.hyperparameters.corrected;
        let read_as = Some(id);
        out.push(QuestionTerm { id: Some(id), weight, from, to, read_as });
        let text = tokenize(self.vocabulary.get(id as usize));
        for hit in CONCEPTS.find(&text) {
            if let Some(id) = self.vocabulary.find(&concept_key(hit.concept)) {
                let weight = weight * self.hyperparameters.concept;
                out.push(QuestionTerm { id: Some(id), weight, from, to, read_as });
            }
        }
    }

    /// The vector of some terms.
    pub(crate) fn vector(&self, terms: &[QuestionTerm]) -> QuestionVector {
        let mut sums: BTreeMap<u32, f32> = BTreeMap::new();
        let mut vector = QuestionVector::default();
        for term in terms {
            if let Some(id) = term.id {
                let slot = sums.entry(id).or_default();
                *slot = slot.max(term.weight);
            }
        }
        for (id, weight) in sums {
            let value = weight * self.idf[id as usize];
            vector.norm += value * value;
            vector.mass += value;
            vector.terms.push((id, value));
        }
        vector.norm = vector.norm.sqrt();
        vector
    }
}
