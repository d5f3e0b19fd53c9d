//! Match, ambiguous or no match, and how sure: two logistic models over a few numbers about the question and the first cards.
//!
//! The constants are fitted by `cargo run --release -p refdesk-lab --bin score_router -- fit` on the development half.

use super::concepts::CONCEPTS;
use super::signals::Signals;
use super::{Decision, Router, View};

/// Number of numbers that a decision is made from.
pub const DECISION_FEATURES: usize = 12;

/// Their names, in order.
pub const DECISION_NAMES: [&str; DECISION_FEATURES] = [
    "one",
    "top_score",
    "held",
    "unknown_share",
    "concepts",
    "length",
    "form",
    "best_line",
    "name",
    "setting_share",
    "margin",
    "top_probability",
];

/// What a decision is made from.
pub type DecisionRow = [f32; DECISION_FEATURES];

/// Weights by which a question is one that a card answers.
const FITS: DecisionRow = [-3.28, 0.00, 0.00, -0.62, 0.87, -0.98, 1.94, 0.00, 0.49, -0.71, 0.22, 0.00];
/// Below this a question has no match.
const FITS_MIN: f32 = 0.5;
/// Weights by which the first card is right.
const RIGHT: DecisionRow = [-3.36, 0.02, 0.00, -1.19, 0.27, -0.31, 0.55, 0.00, 0.10, -0.13, 0.38, 1.48];
/// Temperature of the distribution over cards.
const TEMPERATURE: f32 = 1.0;
/// Raw confidences and what they are worth, in order: a monotone map.
const CALIBRATION: [(f32, f32); 12] = [
    (0.000, 0.000),
    (0.275, 0.361),
    (0.480, 0.537),
    (0.703, 0.702),
    (0.834, 0.715),
    (0.896, 0.902),
    (0.927, 0.944),
    (0.953, 0.950),
    (0.973, 0.958),
    (0.987, 0.959),
    (0.995, 0.971),
    (1.000, 0.980),
];
/// Two first cards whose probabilities differ by a smaller factor than this and are small are told apart by a question.
const AMBIGUOUS_RATIO: f32 = 0.97;
/// And the first is below this.
const AMBIGUOUS_PROBABILITY: f32 = 0.3;

/// What was decided.
#[derive(Debug, Clone)]
pub(super) struct Outcome {
    /// The decision.
    pub decision: Decision,
    /// Confidence of each card in the order.
    pub confidence: Vec<f32>,
}

/// The numbers for a question.
pub(super) fn row(_router: &Router, view: &View<'_>, rows: &[Signals], order: &[(usize, f32)]) -> DecisionRow {
    let content = view.text.tokens.iter().filter(|token| !token.stop).count() as f32;
    let Some((first, top)) = order.first().copied() else { return DecisionRow::default() };
    let next = order.get(1).map_or(0.0, |(_, score)| *score);
    let probability = probabilities(order);
    let known: f32 =
        view.terms.iter().filter(|term| term.id.is_some() && term.to == term.from + 1).map(|term| term.weight).sum();
    let mut concepts: Vec<u16> = Vec::new();
    let (mut setting, mut hits) = (0.0_f32, 0.0_f32);
    for hit in CONCEPTS.hits(&view.text) {
        hits += 1.0;
        if CONCEPTS.setting[usize::from(hit.concept)] {
            setting += 1.0;
        } else {
            concepts.push(hit.concept);
        }
    }
    concepts.sort_unstable();
    concepts.dedup();
    let lines = &rows[first];
    [
        1.0,
        top,
        lines[1],
        view.vector.unknown / (view.vector.unknown + known + 1.0),
        (1.0 + concepts.len() as f32).ln(),
        (1.0 + content).ln(),
        view.form,
        lines[2].max(lines[4]),
        lines[12],
        setting / (hits + 1.0),
        top - next,
        probability.first().copied().unwrap_or(0.0),
    ]
}

/// Decides.
pub(super) fn decide(router: &Router, view: &View<'_>, rows: &[Signals], order: &[(usize, f32)]) -> Outcome {
    let row = row(router, view, rows, order);
    let fits = logistic(&row, &FITS);
    let right = logistic(&row, &RIGHT);
    let probabilities = probabilities(order);
    let top = probabilities.first().copied().unwrap_or(0.0);
    let empty = view.vector.terms.is_empty() && view.named.is_empty();
    let decision = if empty || order.is_empty() || fits < FITS_MIN {
        Decision::NoMatch
    } else if order.len() > 1 && top < AMBIGUOUS_PROBABILITY && probabilities[1] > AMBIGUOUS_RATIO * top {
        Decision::Ambiguous
    } else {
        Decision::Match
    };
    // When nothing fits, the nearest cards are no better than the doubt about that.
    let right = if decision == Decision::NoMatch { right * fits } else { right };
    let confidence = probabilities.iter().map(|one| calibrated(right * (one / top.max(1e-6)))).collect();
    Outcome { decision, confidence }
}

/// The distribution over the cards in order.
fn probabilities(order: &[(usize, f32)]) -> Vec<f32> {
    let top = order.first().map_or(0.0, |(_, score)| *score);
    let weights: Vec<f32> = order.iter().map(|(_, score)| ((score - top) / TEMPERATURE).exp()).collect();
    let sum: f32 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum.max(1e-6)).collect()
}

fn logistic(row: &DecisionRow, weights: &DecisionRow) -> f32 {
    let sum: f32 = row.iter().zip(weights).map(|(value, weight)| value * weight).sum();
    1.0 / (1.0 + (-sum).exp())
}

/// The monotone map, straight between its points.
fn calibrated(raw: f32) -> f32 {
    let raw = raw.clamp(0.0, 1.0);
    CALIBRATION.windows(2).find(|pair| raw <= pair[1].0).map_or(CALIBRATION[CALIBRATION.len() - 1].1, |pair| {
        let share = (raw - pair[0].0) / (pair[1].0 - pair[0].0).max(1e-6);
        pair[0].1 + share * (pair[1].1 - pair[0].1)
    })
}
