//! Builds the index: every line of a card as a tf-idf vector, every card as a BM25F bag of its lines (Robertson et al. 2004).

use std::collections::{BTreeMap, BTreeSet};

use super::CardIndex;
use super::keys::TextKey;
use crate::Card;
use crate::cards::fields::{CardField, CardLine, field_lines};
use crate::cards::ridge_similarity::RidgeSimilarity;
use crate::hyperparameters::Hyperparameters;
use crate::text::spelling::SpellingCorrector;
use crate::text::{TokenizedText, tokenize};

/// Added to the number of cards that have a term, as in BM25, so that it is never divided by none.
const IDF_SMOOTHING: f32 = 0.5;
/// A term that all cards have still tells a little, by how often it occurs.
const IDF_MIN: f32 = 0.05;

/// A line that speaks for its card, as a training example.
#[derive(Debug)]
pub(crate) struct TrainingLine {
    pub card: u32,
    /// Its weight in training.
    pub importance: f32,
    /// Terms with their values, of length one.
    pub terms: Vec<(u32, f32)>,
}

impl CardIndex {
    /// Builds the index over the cards.
    pub(crate) fn new(cards: &[Card], hyperparameters: Hyperparameters) -> Self {
        let mut index = Self { hyperparameters, cards: cards.len(), ..Self::default() };
        let mut weights: Vec<BTreeMap<String, f32>> = Vec::new();
        let mut written: BTreeMap<String, String> = BTreeMap::new();
        for (line, text) in field_lines(cards) {
            let text = tokenize(&text);
            note_words(&text, &mut written);
            let mut of_line: BTreeMap<String, f32> = BTreeMap::new();
            for TextKey { key, weight, .. } in index.keys(&text) {
                let slot = of_line.entry(key).or_default();
                *slot = slot.max(weight);
            }
            weights.push(of_line);
            index.lines.push(line);
        }
        let keys: BTreeSet<&str> = weights.iter().flat_map(BTreeMap::keys).map(String::as_str).collect();
        index.vocabulary = keys.into_iter().collect();
        let vector_of = |weights: BTreeMap<String, f32>| -> Vec<(u32, f32)> {
            weights.into_iter().filter_map(|(key, weight)| Some((index.vocabulary.find(&key)?, weight))).collect()
        };
        let vectors: Vec<Vec<(u32, f32)>> = weights.into_iter().map(vector_of).collect();
        index.set_idf(&vectors);
        index.set_line_postings(&vectors);
        index.set_card_postings(&vectors);
        index.ridge = RidgeSimilarity::new(&index.card_postings, &index.idf, index.cards, hyperparameters.ridge);
        let stems = index.vocabulary.iter().zip(0..);
        let stems = stems.filter_map(|(key, number)| written.get(key).map(|word| (key, number, word.as_str())));
        index.spelling = SpellingCorrector::new(stems);
        index
    }

    /// Inverse document frequency over cards, from the parts that speak for a card.
    fn set_idf(&mut self, vectors: &[Vec<(u32, f32)>]) {
        let hyperparameters = self.hyperparameters;
        let terms = self.vocabulary.len();
        let mut cards_with: Vec<u32> = vec![0; terms];
        let mut lines_with: Vec<u32> = vec![0; terms];
        let mut last: Vec<u32> = vec![u32::MAX; terms];
        for (line, vector) in self.lines.iter().zip(vectors) {
            if matches!(line.field, CardField::Not | CardField::Anti | CardField::Redirect) {
                continue;
            }
            for (term, _) in vector {
                let term = *term as usize;
                lines_with[term] += 1;
                if last[term] != line.card {
                    last[term] = line.card;
                    cards_with[term] += 1;
                }
            }
        }
        let total = self.cards as f32;
        self.idf = (0..terms)
            .map(|term| {
                let idf = ((total + 1.0) / (cards_with[term] as f32 + IDF_SMOOTHING)).ln().max(IDF_MIN);
                let lone = if lines_with[term] <= 1 { hyperparameters.lone } else { 1.0 };
                idf.powf(hyperparameters.idf_exponent) * lone
            })
            .collect();
    }

    fn set_line_postings(&mut self, vectors: &[Vec<(u32, f32)>]) {
        let mut postings = vec![Vec::new(); self.vocabulary.len()];
        let exponent = self.hyperparameters.length_exponent;
        for (at, vector) in vectors.iter().enumerate() {
            let norm =
                vector.iter().map(|(term, weight)| (weight * self.idf[*term as usize]).powi(2)).sum::<f32>().sqrt();
            self.lines[at].norm = norm.max(1.0);
            for (term, weight) in vector {
                let value = weight * self.idf[*term as usize] / norm.max(1.0).powf(exponent);
                postings[*term as usize].push((at as u32, value));
            }
        }
        self.line_postings = postings.into_iter().collect();
    }

    fn set_card_postings(&mut self, vectors: &[Vec<(u32, f32)>]) {
        let hyperparameters = self.hyperparameters;
        let mut per_card: Vec<BTreeMap<u32, f32>> = vec![BTreeMap::new(); self.cards];
        for (line, vector) in self.lines.iter().zip(vectors) {
            let boost = line.field.boost();
            if boost > 0.0 {
                for (term, weight) in vector {
                    *per_card[line.card as usize].entry(*term).or_default() += boost * weight;
                }
            }
        }
        let lengths: Vec<f32> = per_card.iter().map(|terms| terms.values().sum::<f32>()).collect();
        let mean = (lengths.iter().sum::<f32>() / self.cards.max(1) as f32).max(1.0);
        let mut postings = vec![Vec::new(); self.vocabulary.len()];
        for (card, terms) in per_card.iter().enumerate() {
            let long = 1.0 - hyperparameters.length_share + hyperparameters.length_share * lengths[card] / mean;
            for (term, frequency) in terms {
                let value = frequency / (frequency + hyperparameters.saturation * long);
                postings[*term as usize].push((card as u32, value));
            }
        }
        self.card_postings = postings.into_iter().collect();
    }

    /// Lines that speak for a card.
    pub(crate) fn training_lines(&self) -> Vec<TrainingLine> {
        let training = |line: &CardLine| TrainingLine {
            card: line.card,
            importance: line.field.boost().min(1.0),
            terms: Vec::new(),
        };
        let mut out: Vec<TrainingLine> = self.lines.iter().map(training).collect();
        for (term, list) in self.line_postings.iter().enumerate() {
            for (line, weight) in list {
                let norm = self.lines[*line as usize].norm;
                let exponent = self.hyperparameters.length_exponent;
                out[*line as usize].terms.push((term as u32, weight * norm.powf(exponent - 1.0)));
            }
        }
        out.retain(|line| line.importance > 0.0 && !line.terms.is_empty());
        out
    }
}

/// Keeps the shortest word of each stem.
fn note_words(text: &TokenizedText, written: &mut BTreeMap<String, String>) {
    for token in text.tokens.iter().filter(|token| !token.stop) {
        let word = written.entry(token.stem.clone()).or_insert_with(|| token.folded.clone());
        if (token.folded.len(), &token.folded) < (word.len(), word) {
            word.clone_from(&token.folded);
        }
    }
}
