//! An in-domain classifier: naive Bayes log-odds of whether a question is one that a way of working answers, or an everyday request.
//!
//! In-domain are the cards' own example questions and short requests of their kind (`in_domain.txt`), out of domain the background requests
//! of `out_of_domain.txt`. Features are unigrams and bigrams, stop words included: the form of asking says most. Not a list of topics.

use std::collections::BTreeMap;

use refdesk_core::codec::{TextList, packed};
use refdesk_core::text::listed_lines;
use serde::{Deserialize, Serialize};

use crate::Card;
use crate::data::{IN_DOMAIN, OUT_OF_DOMAIN};
use crate::text::{TokenizedText, is_stop_word, tokenize};

/// Additive (Lidstone) smoothing.
const SMOOTHING: f32 = 0.5;
/// Most that one feature adds.
const LOG_ODDS_MAX: f32 = 2.0;
/// Features with smaller log-odds are left out: both sides use them about alike, and they would only take memory.
const LOG_ODDS_MIN: f32 = 0.1;
/// Keeps the ratio of both sides defined where there is next to nothing on one of them.
const RATIO_MIN: f32 = 1e-3;

#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct InDomainClassifier {
    /// Sorted.
    features: TextList,
    /// Log-odds of each feature: positive for in-domain questions.
    #[serde(with = "packed")]
    log_odds: Vec<f32>,
}

impl InDomainClassifier {
    /// The training requests that come with the program, each with whether it is in-domain.
    pub(crate) fn requests() -> impl Iterator<Item = (&'static str, bool)> {
        listed_lines(OUT_OF_DOMAIN).map(|line| (line, false)).chain(listed_lines(IN_DOMAIN).map(|line| (line, true)))
    }

    /// Trains on the cards' examples and on those requests that `keep` selects.
    pub(crate) fn train(cards: &[Card], keep: &dyn Fn(usize) -> bool) -> Self {
        let mut counts: BTreeMap<String, [f32; 2]> = BTreeMap::new();
        let mut texts = [0.0_f32; 2];
        let mut add = |text: &str, side: usize| {
            texts[side] += 1.0;
            for feature in features(&tokenize(text)) {
                counts.entry(feature).or_default()[side] += 1.0;
            }
        };
        for card in cards {
            let anti = card.framework.anti_examples.iter().map(|anti| &anti.question);
            for text in card.framework.example_questions.iter().chain(anti) {
                add(text, 0);
            }
        }
        for (_, (line, in_domain)) in Self::requests().enumerate().filter(|(at, _)| keep(*at)) {
            add(line, usize::from(!in_domain));
        }
        // Features count by the share of texts that have them; smoothing draws rare ones to zero.
        let ratio = (texts[0].max(1.0) / texts[1].max(1.0)).max(RATIO_MIN);
        let log_odds: BTreeMap<String, f32> = counts
            .into_iter()
            .map(|(feature, [inside, outside])| {
                let odds = ((inside + SMOOTHING * ratio) / (ratio * (outside + SMOOTHING))).ln();
                (feature, odds.clamp(-LOG_ODDS_MAX, LOG_ODDS_MAX))
            })
            .filter(|(_, odds)| odds.abs() > LOG_ODDS_MIN)
            .collect();
        let features = log_odds.keys().map(String::as_str).collect();
        Self { features, log_odds: log_odds.into_values().collect() }
    }

    /// Log-odds of a text, normalised by the square root of its length: above zero for in-domain questions.
    pub(crate) fn score(&self, text: &TokenizedText) -> f32 {
        let features = features(text);
        let count = features.len().max(1) as f32;
        let sum: f32 =
            features.iter().filter_map(|feature| Some(self.log_odds[self.features.find(feature)? as usize])).sum();
        sum / count.sqrt()
    }

    /// Whether each feature has its log-odds.
    pub(crate) fn is_sound(&self) -> bool {
        self.features.is_sound() && self.features.len() == self.log_odds.len()
    }
}

/// Unigrams, bigrams and the first word; all numbers are one word.
fn features(text: &TokenizedText) -> Vec<String> {
    let word = |at: usize| -> &str {
        let folded = text.tokens[at].folded.as_str();
        if folded.bytes().any(|byte| byte.is_ascii_digit()) { "0" } else { text.tokens[at].stem.as_str() }
    };
    // Function words of another language that have no translation would weigh languages, not forms.
    let is_read = |at: &usize| {
        let token = &text.tokens[*at];
        !text.foreign || !token.stop || is_stop_word(&token.folded)
    };
    let read: Vec<usize> = (0..text.tokens.len()).filter(is_read).collect();
    let mut out = Vec::with_capacity(read.len() * 2 + 2);
    out.extend(read.iter().map(|at| word(*at).to_owned()));
    for pair in read.windows(2) {
        if text.tokens[pair[0]].sentence == text.tokens[pair[1]].sentence {
            out.push(format!("{} {}", word(pair[0]), word(pair[1])));
        }
    }
    if let Some(first) = read.first() {
        out.push(format!("^ {}", word(*first)));
    }
    out.sort_unstable();
    out.dedup();
    out
}
