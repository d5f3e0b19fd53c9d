//! How far a question speaks for a card by one word alone. "Launch" or "handover" can lift a card far above all others by itself, whereas
//! a situation that fits has other words that agree: so the ranking features are a mix of those of the whole question and of those without
//! the word that speaks most for the card.

use std::collections::BTreeMap;

use super::features::RankingFeatures;
use crate::cards::index::QuestionTerm;
use crate::cards::names::NameMention;
use crate::{AnalysedQuestion, RANKING_WEIGHTS, Router, linear_score};

/// Share of the features without the best word. Left-out examples are ranked better up to 0.35, the development half is worse from 0.25.
const WITHOUT_BEST_SHARE: f32 = 0.2;
/// Cards whose best word is left out. The others are too far behind to come first, and rank as if it were all that they have.
const WITHOUT_BEST_CARDS: usize = 25;

/// The ranking features of all cards, given those by the whole question.
pub(crate) fn blended(
    router: &Router,
    question: &AnalysedQuestion<'_>,
    whole: &[RankingFeatures],
) -> Vec<RankingFeatures> {
    let mut order: Vec<(usize, f32)> =
        whole.iter().map(|row| linear_score(row, &RANKING_WEIGHTS)).enumerate().collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut out: Vec<RankingFeatures> =
        whole.iter().map(|row| row.map(|value| value * (1.0 - WITHOUT_BEST_SHARE))).collect();
    // Most cards have the same best word: what the question says without it is compared once.
    let mut without: BTreeMap<usize, Vec<RankingFeatures>> = BTreeMap::new();
    for (card, _) in order.into_iter().take(WITHOUT_BEST_CARDS) {
        let Some(word) = best_word(&gains(router, question, card)) else { continue };
        let rows = without.entry(word).or_insert_with(|| features_without(router, question, word));
        out[card].iter_mut().zip(&rows[card]).for_each(|(value, other)| *value += WITHOUT_BEST_SHARE * other);
    }
    out
}

/// The effective number of words that speak for a card: the inverse of the sum of squared shares (inverse Simpson index).
pub(crate) fn effective_words(router: &Router, question: &AnalysedQuestion<'_>, card: usize) -> f32 {
    let gains = gains(router, question, card);
    let total: f32 = gains.iter().sum();
    let squares: f32 = gains.iter().map(|gain| gain * gain).sum();
    if squares > 0.0 { total * total / squares } else { 0.0 }
}

/// How much each token of a question speaks for a card.
fn gains(router: &Router, question: &AnalysedQuestion<'_>, card: usize) -> Vec<f32> {
    let mut gains = vec![0.0; question.text.tokens.len()];
    let mut add = |from: usize, to: usize, gain: f32| {
        gains[from..to].iter_mut().for_each(|slot| *slot += gain / (to - from) as f32);
    };
    for term in &question.terms {
        if let Some(id) = term.id {
            add(term.from, term.to, term.weight * router.index.idf(id) * router.index.card_weight(card, id));
        }
    }
    for mention in question.mentions_of(card).filter(|mention| mention.strength > 0.0) {
        add(mention.from, mention.to, mention.strength);
    }
    gains
}

/// The token that speaks most; the first of several.
fn best_word(gains: &[f32]) -> Option<usize> {
    let best = gains.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(&a.0)))?;
    (*best.1 > 0.0).then_some(best.0)
}

/// The ranking features without a token and the terms that it is part of, wherever they occur.
fn features_without(router: &Router, question: &AnalysedQuestion<'_>, token: usize) -> Vec<RankingFeatures> {
    let holds = |from: usize, to: usize| (from..to).contains(&token);
    let mut left_out: Vec<u32> =
        question.terms.iter().filter(|term| holds(term.from, term.to)).filter_map(|term| term.id).collect();
    left_out.sort_unstable();
    let is_kept = |term: &&QuestionTerm| {
        !holds(term.from, term.to) && term.id.is_none_or(|id| left_out.binary_search(&id).is_err())
    };
    let terms: Vec<QuestionTerm> = question.terms.iter().filter(is_kept).cloned().collect();
    let mentions: Vec<NameMention> =
        question.mentions.iter().filter(|mention| !holds(mention.from, mention.to)).copied().collect();
    router.features_of(&router.compared(&question.text, &terms), &mentions)
}
