//! Whether a question is of the kind that ways of working answer: its words and its form weighed against everyday requests.
//!
//! A naive Bayes comparison of the cards' own example questions, and short requests of their kind (`asking.txt`), with the
//! background requests of `elsewhere.txt`: over words and pairs of words with the function words, since the form of asking
//! says most. Not a list of subjects.

use std::collections::HashMap;

use super::Card;
use super::words::{Text, tokens};

/// Everyday requests that no card answers.
const ELSEWHERE: &str = include_str!("elsewhere.txt");
/// Short requests of the kind that cards answer.
const ASKING: &str = include_str!("asking.txt");
/// Added to each count.
const SMOOTHING: f32 = 0.5;
/// One feature moves the balance by so much at most.
const STEP_MAX: f32 = 2.0;

/// The two sides.
#[derive(Debug, Default)]
pub(super) struct Forms {
    /// Log-odds of each feature: positive for a question that a way of working answers.
    balance: HashMap<String, f32>,
}

impl Forms {
    /// The background requests, and those of the cards' kind: each with whether it is of the cards' kind.
    pub(super) fn background() -> impl Iterator<Item = (&'static str, bool)> {
        let lines = |text: &'static str| text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        lines(ELSEWHERE).map(|line| (line, false)).chain(lines(ASKING).map(|line| (line, true)))
    }

    /// Weighs the cards' examples and situations against the background, of which `keep` tells the lines to take.
    pub(super) fn build(cards: &[Card], keep: &dyn Fn(usize) -> bool) -> Self {
        let mut counts: HashMap<String, [f32; 2]> = HashMap::new();
        let mut texts = [0.0_f32; 2];
        let mut add = |text: &str, side: usize| {
            texts[side] += 1.0;
            for feature in features(&tokens(text)) {
                counts.entry(feature).or_default()[side] += 1.0;
            }
        };
        for card in cards {
            let anti = card.framework.anti_examples.iter().map(|anti| &anti.question);
            for text in card.framework.example_questions.iter().chain(anti) {
                add(text, 0);
            }
        }
        for (_, (line, asking)) in Self::background().enumerate().filter(|(at, _)| keep(*at)) {
            add(line, usize::from(!asking));
        }
        // A feature counts by the share of texts that have it; rare ones are drawn to no opinion by the smoothing.
        let ratio = (texts[0].max(1.0) / texts[1].max(1.0)).max(1e-3);
        let balance = counts
            .into_iter()
            .map(|(feature, [here, there])| {
                let odds = ((here + SMOOTHING * ratio) / (ratio * (there + SMOOTHING))).ln();
                (feature, odds.clamp(-STEP_MAX, STEP_MAX))
            })
            .filter(|(_, odds)| odds.abs() > 0.1)
            .collect();
        Self { balance }
    }

    /// The balance of a text by the square root of its length: above zero for questions of the cards' kind.
    pub(super) fn balance(&self, text: &Text) -> f32 {
        let features = features(text);
        let count = features.len().max(1) as f32;
        let sum: f32 = features.iter().filter_map(|feature| self.balance.get(feature)).sum();
        sum / count.sqrt()
    }
}

/// Words, pairs, and how a text opens; digits are one word.
fn features(text: &Text) -> Vec<String> {
    let word = |at: usize| -> &str {
        let folded = text.tokens[at].folded.as_str();
        if folded.bytes().any(|byte| byte.is_ascii_digit()) { "0" } else { text.tokens[at].stem.as_str() }
    };
    let mut out = Vec::with_capacity(text.tokens.len() * 2 + 2);
    for at in 0..text.tokens.len() {
        out.push(word(at).to_owned());
        if at > 0 && text.tokens[at].sentence == text.tokens[at - 1].sentence {
            out.push(format!("{} {}", word(at - 1), word(at)));
        }
    }
    if !text.tokens.is_empty() {
        out.push(format!("^ {}", word(0)));
    }
    out.sort_unstable();
    out.dedup();
    out
}
