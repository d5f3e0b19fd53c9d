//! A card classifier: multinomial logistic regression over terms, trained at build on the cards' own lines: which terms tell a line of this
//! card from those of all others.
//!
//! A few epochs of gradient descent, one line at a time in a fixed pseudo-random order, so that the same cards give the same weights. It
//! never sees an evaluation question.

use crate::cards::index::{CardIndex, QuestionVector};

/// The trained weights.
#[derive(Debug, Default)]
pub(crate) struct CardClassifier {
    cards: usize,
    /// By term, one weight a card.
    weights: Vec<f32>,
}

impl CardClassifier {
    /// Trains on the lines of an index.
    pub(crate) fn train(index: &CardIndex) -> Self {
        let cards = index.cards;
        let mut classifier = Self { cards, weights: vec![0.0; cards * index.terms()] };
        let lines = index.training_lines();
        let mut gradient = vec![0.0_f32; cards];
        let hyperparameters = index.hyperparameters();
        for epoch in 0..hyperparameters.epochs {
            let step = hyperparameters.step / (1.0 + epoch as f32 * 0.5);
            for at in 0..lines.len() {
                // A stride that shares no factor with the length visits each line once and mixes the cards.
                let line = &lines[(at * STRIDE) % lines.len()];
                classifier.logits(&line.terms, &mut gradient);
                let top = gradient.iter().copied().fold(f32::MIN, f32::max);
                let mut sum = 0.0;
                for value in &mut gradient {
                    *value = (*value - top).exp();
                    sum += *value;
                }
                for value in &mut gradient {
                    *value = -*value / sum;
                }
                gradient[line.card as usize] += 1.0;
                for (term, value) in &line.terms {
                    let scale = step * line.importance * value;
                    let row = &mut classifier.weights[*term as usize * cards..][..cards];
                    for (weight, value) in row.iter_mut().zip(&gradient) {
                        *weight += scale * value;
                    }
                }
            }
        }
        classifier
    }

    fn logits(&self, terms: &[(u32, f32)], out: &mut [f32]) {
        out.fill(0.0);
        for (term, value) in terms {
            let row = &self.weights[*term as usize * self.cards..][..self.cards];
            for (slot, weight) in out.iter_mut().zip(row) {
                *slot += value * weight;
            }
        }
    }

    /// The logit of each card for a question, scaled to about -1 to 1.
    pub(crate) fn logits_of(&self, vector: &QuestionVector) -> Vec<f32> {
        let mut out = vec![0.0; self.cards];
        let norm = vector.norm.max(1e-6);
        let terms: Vec<(u32, f32)> = vector.terms.iter().map(|(term, value)| (*term, value / norm)).collect();
        self.logits(&terms, &mut out);
        for value in &mut out {
            *value *= SCALE;
        }
        out
    }
}

/// A prime larger than any number of lines, so that a stride visits every line once.
const STRIDE: usize = 7_919;
/// Scales the logits to the size of the other features.
const SCALE: f32 = 0.1;
