//! Ridge similarity: ridge regression (Hoerl & Kennard 1970) of the question on the cards, instead of one cosine per card. It discounts what
//! cards have in common: a word that ten sibling cards share speaks for none of them.
//!
//! With C the cards' unit vectors and q the question, the similarities are (C C' + ridge I)^-1 C q.

use refdesk_core::codec::packed;
use serde::{Deserialize, Serialize};

use super::postings::Postings;
use crate::hyperparameters::DENOMINATOR_MIN;

/// The inverse of the regularised Gram matrix, and the lengths of the cards' vectors.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct RidgeSimilarity {
    #[serde(with = "packed")]
    inverse: Vec<f32>,
    #[serde(with = "packed")]
    norms: Vec<f32>,
}

impl RidgeSimilarity {
    /// Solves for `cards` cards; `card_postings` has the cards and weights of each term.
    pub(crate) fn new(card_postings: &Postings, idf: &[f32], cards: usize, ridge: f32) -> Self {
        let mut norms = vec![0.0_f32; cards];
        for (list, idf) in card_postings.iter().zip(idf) {
            for (card, weight) in list {
                norms[*card as usize] += (weight * idf).powi(2);
            }
        }
        for norm in &mut norms {
            *norm = norm.sqrt().max(DENOMINATOR_MIN);
        }
        let mut gram = vec![0.0_f32; cards * cards];
        for (list, idf) in card_postings.iter().zip(idf) {
            for (place, (a, left)) in list.iter().enumerate() {
                let left = left * idf * idf / norms[*a as usize];
                // The matrix is symmetric: one half is enough.
                for (b, right) in &list[place..] {
                    gram[*a as usize * cards + *b as usize] += left * right / norms[*b as usize];
                }
            }
        }
        for row in 0..cards {
            for column in 0..row {
                gram[row * cards + column] = gram[column * cards + row];
            }
            gram[row * cards + row] += ridge;
        }
        Self { inverse: inverse(gram, cards), norms }
    }

    /// Whether it is one of so many cards.
    pub(crate) const fn is_sound(&self, cards: usize) -> bool {
        self.norms.len() == cards && self.inverse.len() == cards * cards
    }

    /// Similarity of each card to a question.
    pub(crate) fn similarities(
        &self,
        card_postings: &Postings,
        idf: &[f32],
        terms: &[(u32, f32)],
        norm: f32,
    ) -> Vec<f32> {
        let cards = self.norms.len();
        let mut raw = vec![0.0_f32; cards];
        for (term, value) in terms {
            let value = value * idf[*term as usize] / norm.max(DENOMINATOR_MIN);
            for (card, weight) in card_postings.list(*term) {
                raw[*card as usize] += value * weight;
            }
        }
        for (slot, norm) in raw.iter_mut().zip(&self.norms) {
            *slot /= norm;
        }
        self.inverse.chunks(cards.max(1)).map(|row| row.iter().zip(&raw).map(|(a, b)| a * b).sum()).collect()
    }
}

/// The inverse of a symmetric positive definite matrix, by Gauss-Jordan elimination; such a matrix needs no pivoting.
fn inverse(mut a: Vec<f32>, n: usize) -> Vec<f32> {
    let mut out = vec![0.0_f32; n * n];
    for at in 0..n {
        out[at * n + at] = 1.0;
    }
    for at in 0..n {
        let scale = 1.0 / a[at * n + at].max(DENOMINATOR_MIN);
        for column in 0..n {
            a[at * n + column] *= scale;
            out[at * n + column] *= scale;
        }
        let (pivot_a, pivot_out) = (a[at * n..(at + 1) * n].to_vec(), out[at * n..(at + 1) * n].to_vec());
        for row in (0..n).filter(|row| *row != at) {
            let factor = a[row * n + at];
            if factor.abs() < 1e-9 {
                continue;
            }
            for column in 0..n {
                a[row * n + column] -= factor * pivot_a[column];
                out[row * n + column] -= factor * pivot_out[column];
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::inverse;

    #[test]
    fn the_inverse_of_two_by_two_is_right() {
        // [[2, 1], [1, 2]] has the inverse [[2/3, -1/3], [-1/3, 2/3]].
        let got = inverse(vec![2.0, 1.0, 1.0, 2.0], 2);
        for (value, wanted) in got.iter().zip([2.0 / 3.0, -1.0 / 3.0, -1.0 / 3.0, 2.0 / 3.0]) {
            assert!((value - wanted).abs() < 1e-5, "{got:?}");
        }
    }
}
