//! A linear reading of the cards, learnt from their own lines at build: which terms tell a line of this card from those of all others.
//!
//! Multinomial logistic regression by a few passes of gradient steps over the segments, in a fixed order and without chance, so
//! that the same cards give the same numbers. It never sees an evaluation question.

use super::index::{Index, Vector};

/// Weights of terms for cards.
#[derive(Debug, Default)]
pub(super) struct Learned {
    cards: usize,
    /// By term, one weight a card.
    weights: Vec<f32>,
}

impl Learned {
    /// Learns from the index.
    pub(super) fn build(index: &Index) -> Self {
        let cards = index.cards;
        let mut learned = Self { cards, weights: vec![0.0; cards * index.terms()] };
        let lines = index.positive_lines();
        let mut chances = vec![0.0_f32; cards];
        let shape = index.shape();
        for pass in 0..shape.passes {
            let step = shape.step / (1.0 + pass as f32 * 0.5);
            for at in 0..lines.len() {
                // A stride that shares no factor with the length visits each line once and mixes the cards.
                let (card, importance, terms) = &lines[(at * STRIDE) % lines.len()];
                learned.logits(terms, &mut chances);
                let top = chances.iter().copied().fold(f32::MIN, f32::max);
                let mut sum = 0.0;
                for chance in &mut chances {
                    *chance = (*chance - top).exp();
                    sum += *chance;
                }
                for chance in &mut chances {
                    *chance = -*chance / sum;
                }
                chances[*card as usize] += 1.0;
                for (term, value) in terms {
                    let scale = step * importance * value;
                    let row = &mut learned.weights[*term as usize * cards..][..cards];
                    for (weight, chance) in row.iter_mut().zip(&chances) {
                        *weight += scale * chance;
                    }
                }
            }
        }
        learned
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

    /// For each card how much the question reads like its lines; about -1 to 1.
    pub(super) fn read(&self, vector: &Vector) -> Vec<f32> {
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

/// A prime beyond any number of lines' factors.
const STRIDE: usize = 7_919;
/// Brings the logits to the size of the other signals.
const SCALE: f32 = 0.1;
