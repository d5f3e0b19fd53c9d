//! What speaks for and against each card: one row of numbers a card, each comparable between questions, and their weighted sum.
//!
//! Not here: the decision ([`super::decide`]) and the words about it ([`super::explain`]). The weights are fitted by
//! `cargo run --release -p refdesk-lab --bin score_router -- fit`, on the cards' own example questions left out in
//! turn and on the development half of the evaluation questions.

use super::index::{Index, Vector};
use super::lines::Role;
use super::names::Named;

/// Number of signals.
pub const SIGNALS: usize = 16;

/// Names of the signals, in order.
pub const SIGNAL_NAMES: [&str; SIGNALS] = [
    "body",
    "held",
    "example_best",
    "example_next",
    "when_best",
    "when_next",
    "summary",
    "step_best",
    "result",
    "lift_best",
    "anti_nearer",
    "not_nearer",
    "name",
    "sentence",
    "apart",
    "learned",
];

/// The signals of one card for one question.
pub type Signals = [f32; SIGNALS];

/// Weights of the signals.
pub const WEIGHTS: Signals = [5.9, 4.5, 1.0, 0.3, 1.2, 1.4, 4.3, 0.3, 1.7, 2.5, -1.0, -0.5, 8.4, 0.7, 3.5, 7.3];

/// The best and second-best line of each role for one card.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Best {
    /// Similarity and segment of the best line, by role.
    pub first: [(f32, u32); Role::COUNT],
    /// Similarity of the next line, by role.
    pub second: [f32; Role::COUNT],
}

/// Best lines of every card.
pub(super) fn best_lines(index: &Index, similarities: &[f32]) -> Vec<Best> {
    let mut out = vec![Best::default(); index.cards];
    for (at, (segment, similarity)) in index.segments.iter().zip(similarities).enumerate() {
        if *similarity <= 0.0 {
            continue;
        }
        let best = &mut out[segment.card as usize];
        let role = segment.role as usize;
        if *similarity > best.first[role].0 {
            best.second[role] = best.first[role].0;
            best.first[role] = (*similarity, at as u32);
        } else if *similarity > best.second[role] {
            best.second[role] = *similarity;
        }
    }
    out
}

/// All signals of all cards.
pub(super) fn rows(
    index: &Index,
    vector: &Vector,
    best: &[Best],
    sentences: &[f32],
    named: &[Named],
    learned: &[f32],
) -> Vec<Signals> {
    let apart = index.apart(vector);
    let (saturated, held) = index.body_shares(vector);
    let mut rows: Vec<Signals> = (0..index.cards)
        .map(|card| {
            let lines = &best[card];
            let first = |role: Role| lines.first[role as usize].0;
            let second = |role: Role| lines.second[role as usize];
            // A line against the card counts by how much nearer it is than any line for it: both speak of the same matters.
            let own = first(Role::Example).max(first(Role::When));
            [
                saturated[card],
                held[card],
                first(Role::Example),
                second(Role::Example),
                first(Role::When),
                second(Role::When),
                first(Role::Summary),
                first(Role::Step),
                first(Role::Output).max(first(Role::Check)),
                first(Role::Lift),
                (first(Role::Anti) - own).max(0.0),
                (first(Role::Not) - own).max(0.0),
                0.0,
                sentences[card],
                apart[card],
                learned[card],
            ]
        })
        .collect();
    for name in named {
        rows[name.card as usize][12] = name.strength;
    }
    rows
}

/// The weighted sum of a row.
pub fn weighted(row: &Signals, weights: &Signals) -> f32 {
    row.iter().zip(weights).map(|(value, weight)| value * weight).sum()
}
