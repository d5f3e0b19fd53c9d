//! A card classifier: multinomial logistic regression over terms, trained at build on the cards' own lines: which terms tell a line of this
//! card from those of all others.
//!
//! A few epochs of gradient descent, one line at a time in a fixed pseudo-random order, so that the same cards give the same weights. It
//! never sees an evaluation question.
//!
//! Most terms are in one line only. Those of the same line get the same gradients but for their own values, so they are trained as one
//! feature with one row of weights, which gives exactly what a row each would. A row tells few cards from all others: it is kept as
//! one weight for all cards, and the weights of the cards that differ from it.

use refdesk_core::codec::packed;
use serde::{Deserialize, Serialize};

use crate::cards::index::{CardIndex, QuestionVector, TrainingLine};
use crate::cards::postings::Postings;
use crate::hyperparameters::DENOMINATOR_MIN;

/// The trained weights.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct CardClassifier {
    cards: usize,
    features: Features,
    /// By feature, the weight of the cards that `differing` does not list.
    #[serde(with = "packed")]
    common: Vec<f32>,
    /// By feature, the cards with another weight, and by how much it is larger.
    differing: Postings,
}

/// The features that terms are trained as.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Features {
    /// By term, its feature, and its value in it: 1 where it is a feature of its own, 0 where no line speaks for a card with it.
    #[serde(with = "packed")]
    by_term: Vec<(u32, f32)>,
}

/// A line with its features.
struct Example {
    card: u32,
    importance: f32,
    features: Vec<(u32, f32)>,
}

impl Features {
    /// Makes features of all terms; gives with them the lines as examples, and the number of features.
    fn new(lines: &[TrainingLine], terms: usize) -> (Self, Vec<Example>, usize) {
        let mut lines_with = vec![0_u32; terms];
        lines.iter().flat_map(|line| &line.terms).for_each(|(term, _)| lines_with[*term as usize] += 1);
        let mut by_term = vec![(0, 0.0); terms];
        let mut count = 0;
        for (term, _) in lines_with.iter().enumerate().filter(|(_, lines)| **lines > 1) {
            by_term[term] = (count, 1.0);
            count += 1;
        }
        let example = |line: &TrainingLine| {
            let (shared, own): (Vec<_>, Vec<_>) =
                line.terms.iter().partition(|(term, _)| lines_with[*term as usize] > 1);
            let mut features: Vec<(u32, f32)> =
                shared.into_iter().map(|(term, value)| (by_term[term as usize].0, value)).collect();
            let length = own.iter().map(|(_, value)| value * value).sum::<f32>().sqrt();
            if length > 0.0 {
                own.iter().for_each(|(term, value)| by_term[*term as usize] = (count, value / length));
                features.push((count, length));
                count += 1;
            }
            Example { card: line.card, importance: line.importance, features }
        };
        let examples = lines.iter().map(example).collect();
        (Self { by_term }, examples, count as usize)
    }

    /// The feature of a term, if it has one, and its value there.
    fn of_term(&self, term: u32) -> Option<(u32, f32)> {
        Some(self.by_term[term as usize]).filter(|(_, value)| *value > 0.0)
    }
}

impl CardClassifier {
    pub(crate) fn train(index: &CardIndex) -> Self {
        let cards = index.cards;
        let (features, examples, count) = Features::new(&index.training_lines(), index.vocabulary.len());
        let mut weights = vec![0.0; cards * count];
        let mut gradient = vec![0.0_f32; cards];
        let hyperparameters = index.hyperparameters;
        for epoch in 0..hyperparameters.epochs {
            let step = hyperparameters.step / (1.0 + epoch as f32 * 0.5);
            for at in 0..examples.len() {
                // A stride that shares no factor with the length visits each line once and mixes the cards.
                let example = &examples[(at * STRIDE) % examples.len()];
                logits(&weights, &example.features, &mut gradient);
                let top = gradient.iter().copied().fold(f32::MIN, f32::max);
                let mut sum = 0.0;
                for value in &mut gradient {
                    *value = (*value - top).exp();
                    sum += *value;
                }
                for value in &mut gradient {
                    *value = -*value / sum;
                }
                gradient[example.card as usize] += 1.0;
                for (feature, value) in &example.features {
                    let scale = step * example.importance * value;
                    let row = &mut weights[*feature as usize * cards..][..cards];
                    for (weight, value) in row.iter_mut().zip(&gradient) {
                        *weight += scale * value;
                    }
                }
            }
        }
        let mut classifier = Self { cards, features, ..Self::default() };
        weights.chunks_exact_mut(cards.max(1)).for_each(|row| classifier.keep_row(row));
        classifier
    }

    /// Keeps what a row of weights says: the median of all cards, and the cards that are far from it.
    fn keep_row(&mut self, row: &[f32]) {
        let mut sorted = row.to_vec();
        let (_, median, _) = sorted.select_nth_unstable_by(row.len() / 2, f32::total_cmp);
        let median = *median;
        let furthest = row.iter().map(|weight| (weight - median).abs()).fold(0.0, f32::max);
        let differing = (0..).zip(row).map(|(card, weight)| (card, weight - median));
        self.common.push(median);
        self.differing.push(differing.filter(|(_, difference)| difference.abs() > furthest * DIFFERING_MIN));
    }

    /// The logit of each card for a question, scaled to about -1 to 1.
    pub(crate) fn logits_of(&self, vector: &QuestionVector) -> Vec<f32> {
        let mut out = vec![0.0; self.cards];
        let scale = SCALE / vector.norm.max(DENOMINATOR_MIN);
        let mut common = 0.0;
        for (term, value) in &vector.terms {
            let Some((feature, share)) = self.features.of_term(*term) else { continue };
            let value = value * share * scale;
            common += value * self.common[feature as usize];
            for (card, difference) in self.differing.list(feature) {
                out[*card as usize] += value * difference;
            }
        }
        out.iter_mut().for_each(|logit| *logit += common);
        out
    }

    /// Whether it is one of so many terms and cards.
    pub(crate) fn is_sound(&self, terms: usize, cards: usize) -> bool {
        let features = self.common.len();
        self.cards == cards
            && self.features.by_term.len() == terms
            && (0..terms as u32).all(|term| self.features.of_term(term).is_none_or(|(at, _)| (at as usize) < features))
            && self.differing.is_sound(features, cards)
    }
}

fn logits(weights: &[f32], features: &[(u32, f32)], out: &mut [f32]) {
    let cards = out.len();
    out.fill(0.0);
    for (feature, value) in features {
        let row = &weights[*feature as usize * cards..][..cards];
        for (slot, weight) in out.iter_mut().zip(row) {
            *slot += value * weight;
        }
    }
}

/// A prime larger than any number of lines, so that a stride visits every line once.
const STRIDE: usize = 7_919;
/// Scales the logits to the size of the other features.
const SCALE: f32 = 0.1;
/// A weight differs from those of the other cards from this share of the furthest difference in its row.
const DIFFERING_MIN: f32 = 0.01;
