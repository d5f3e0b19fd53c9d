//! Match, ambiguous or no match, with a calibrated confidence: two logistic models over features of the question and the first cards, a
//! softmax over the cards, and a piecewise-linear monotone calibration (as isotonic regression gives).
//!
//! The constants are fitted by `cargo run --release -p refdesk-lab --bin score_router -- decision` on the development half and left-out lines.

use std::collections::BTreeSet;

use super::features::{COVERAGE, EXAMPLE_BEST, NAME, RankingFeatures, ScoredCard, WHEN_BEST};
use super::independence::effective_words;
use crate::cards::index::QuestionTerm;
use crate::cards::names::is_all_of;
use crate::hyperparameters::DENOMINATOR_MIN;
use crate::text::concepts::CONCEPTS;
use crate::{AnalysedQuestion, Decision, Router};

/// Number of features of a decision.
pub const DECISION_FEATURE_COUNT: usize = 16;

/// Their names, in order.
pub const DECISION_FEATURE_NAMES: [&str; DECISION_FEATURE_COUNT] = [
    "intercept",
    "top_score",
    "coverage",
    "unknown_share",
    "concepts",
    "length",
    "in_domain",
    "best_line",
    "name",
    "setting_share",
    "margin",
    "top_probability",
    "words",
    "foreign",
    "naming",
    "function_words",
];
/// The feature of the effective words of the first card: the logarithm of one more.
const WORDS: usize = 12;
/// The feature of whether the question names a card, which has a model of its own for whether some card answers.
pub const NAMING: usize = 14;

/// The features of a decision.
pub type DecisionFeatures = [f32; DECISION_FEATURE_COUNT];

/// Weights of the model for whether some card answers the question.
const FITS: DecisionFeatures =
    [-3.21, 0.00, 0.00, -0.85, 0.00, -0.69, 1.60, 0.00, 0.00, -0.22, 0.23, 0.19, 0.16, 0.65, 0.00, -1.59];
/// The same for questions that name a card: they say less of a problem, and more by the words beside the name.
const FITS_NAMING: DecisionFeatures =
    [-0.86, 0.00, 0.00, -0.18, 0.00, 0.00, 1.36, 0.01, 0.00, 2.91, 0.03, 0.06, 0.00, 0.20, -0.86, -2.01];
/// Probability below which a question has no match.
const FITS_MIN: f32 = 0.5;
/// Weights of the model for whether the first card is right. The share of function words is left out: with it every fifteenth question is answered
/// with a question, without it every twentieth.
const RIGHT: DecisionFeatures =
    [-3.50, 0.00, 0.00, -1.30, 0.00, -0.70, 0.47, 0.21, 0.42, 0.01, 0.40, 1.29, 1.18, 0.55, 0.00, 0.00];
/// Temperature of the softmax over cards.
const TEMPERATURE: f32 = 1.0;
/// Raw confidences and the observed share of right answers, rising.
const CALIBRATION: [(f32, f32); 11] = [
    (0.000, 0.000),
    (0.281, 0.429),
    (0.495, 0.515),
    (0.712, 0.698),
    (0.857, 0.741),
    (0.910, 0.932),
    (0.942, 0.950),
    (0.964, 0.953),
    (0.979, 0.960),
    (0.993, 0.983),
    (1.000, 0.980),
];
/// The first two cards are ambiguous when the second has more than this share of the first's confidence …
const AMBIGUOUS_RATIO: f32 = 0.7;
/// … and the first less confidence than this: of the answers below it about every third is wrong, or more.
const AMBIGUOUS_CONFIDENCE: f32 = 0.6;
/// Below this the first is more likely wrong than right, and no answer, however far behind the second is.
const UNSURE_CONFIDENCE: f32 = 0.4;
/// With fewer effective words than this, one word speaks for the first card all but alone, and decides nothing …
const EFFECTIVE_WORDS_MIN: f32 = 1.3;
/// … with less confidence than this: `help me plan` fits whatever has plans in it.
const ONE_WORD_CONFIDENCE: f32 = 0.72;

/// What every card is, as the stemmer leaves it: `which framework should I use` tells nothing of the problem.
const ANY_CARD: [&str; 7] = ["framework", "method", "model", "techniqu", "technique", "approach", "templat"];

/// What was decided.
#[derive(Debug, Clone)]
pub(crate) struct DecisionOutcome {
    /// The decision.
    pub decision: Decision,
    /// Confidence of each card in the order.
    pub confidence: Vec<f32>,
}

pub(crate) fn decision_features(
    router: &Router,
    question: &AnalysedQuestion<'_>,
    features: &[RankingFeatures],
    order: &[ScoredCard],
) -> DecisionFeatures {
    let Some(ScoredCard { card: first, score: top }) = order.first().copied() else {
        return DecisionFeatures::default();
    };
    let next = order.get(1).map_or(0.0, |next| next.score);
    let tokens = question.text.tokens.len() as f32;
    let content = question.text.tokens.iter().filter(|token| !token.stop).count() as f32;
    let (concepts, setting_share) = concepts_of(question);
    let best = &features[first];
    [
        1.0,
        top,
        best[COVERAGE],
        unknown_share(question),
        (1.0 + concepts as f32).ln(),
        (1.0 + content).ln(),
        question.in_domain,
        best[EXAMPLE_BEST].max(best[WHEN_BEST]),
        best[NAME],
        setting_share,
        top - next,
        probabilities(order).first().copied().unwrap_or(0.0),
        (1.0 + effective_words(router, question, first)).ln(),
        f32::from(u8::from(question.text.foreign)),
        f32::from(u8::from(question.is_naming())),
        (tokens - content) / tokens.max(1.0),
    ]
}

/// The share of words that no card has, by weight.
fn unknown_share(question: &AnalysedQuestion<'_>) -> f32 {
    let weight_of = |is_counted: &dyn Fn(&&QuestionTerm) -> bool| -> f32 {
        question.terms.iter().filter(is_counted).map(|term| term.weight).sum()
    };
    let known = weight_of(&|term| term.id.is_some() && term.to == term.from + 1);
    // The cards do not use their own names.
    let unknown = weight_of(&|term| term.id.is_none() && !question.is_in_name(term.from));
    unknown / (unknown + known + 1.0)
}

/// How many concepts a question has, and which share of what stands for concepts tells only where it plays.
fn concepts_of(question: &AnalysedQuestion<'_>) -> (usize, f32) {
    let found = CONCEPTS.find(&question.text);
    let is_setting = |concept: u16| CONCEPTS.setting[usize::from(concept)];
    let settings = found.iter().filter(|found| is_setting(found.concept)).count();
    let concepts: BTreeSet<u16> = found.iter().map(|found| found.concept).filter(|at| !is_setting(*at)).collect();
    (concepts.len(), settings as f32 / (found.len() as f32 + 1.0))
}

pub(crate) fn decide(
    router: &Router,
    question: &AnalysedQuestion<'_>,
    features: &[RankingFeatures],
    order: &[ScoredCard],
) -> DecisionOutcome {
    let features = decision_features(router, question, features, order);
    let fits = logistic(&features, if question.is_naming() { &FITS_NAMING } else { &FITS });
    let right = logistic(&features, &RIGHT);
    let probabilities = probabilities(order);
    let top = probabilities.first().copied().unwrap_or(0.0);
    let is_named = is_first_all(question, order);
    let is_match = !is_empty(question) && !order.is_empty() && (is_named || fits >= FITS_MIN);
    // When nothing fits, the nearest cards are at most as likely as that being wrong.
    let right = if is_match { right } else { right * fits };
    let confidence: Vec<f32> =
        probabilities.iter().map(|one| calibrated(right * (one / top.max(DENOMINATOR_MIN)))).collect();
    let names_several = order.iter().take(2).filter(|scored| question.names(scored.card)).count() == 2;
    let decision = if !is_match {
        Decision::NoMatch
    } else if !is_named && names_several || is_unsure(question, &features, order, &confidence) {
        Decision::Ambiguous
    } else {
        Decision::Match
    };
    DecisionOutcome { decision, confidence }
}

/// Whether a question has nothing that could be compared, says only that it wants a way of working, or is a single word: that is a topic and no
/// situation, unless it is a name.
fn is_empty(question: &AnalysedQuestion<'_>) -> bool {
    let tokens = &question.text.tokens;
    let is_of_any = tokens.iter().all(|token| token.stop || ANY_CARD.contains(&token.stem.as_str()));
    question.compared.vector.terms.is_empty() && question.mentions.is_empty()
        || (is_of_any || tokens.len() == 1) && question.mentions.iter().all(|mention| mention.strength < 1.0)
}

/// Whether the name of the first card is all that the question says.
fn is_first_all(question: &AnalysedQuestion<'_>, order: &[ScoredCard]) -> bool {
    let first = order.first().and_then(|first| question.mentions_of(first.card).next());
    first.is_some_and(|mention| is_all_of(mention, &question.text))
}

/// Whether the first card is too doubtful, or the second too close, to be the answer without a further question.
fn is_unsure(
    question: &AnalysedQuestion<'_>,
    features: &DecisionFeatures,
    order: &[ScoredCard],
    confidence: &[f32],
) -> bool {
    let ([first, second, ..], [sure, next, ..]) = (order, confidence) else { return false };
    let is_mentioned = question.mentions_of(first.card).any(|mention| mention.strength > 0.0);
    let rests_on_one_word = !is_mentioned && second.score > 0.0 && features[WORDS] < (1.0 + EFFECTIVE_WORDS_MIN).ln();
    !question.is_mostly_name_of(first.card)
        && (*sure < UNSURE_CONFIDENCE
            || *sure < ONE_WORD_CONFIDENCE && rests_on_one_word
            || *sure < AMBIGUOUS_CONFIDENCE && *next > AMBIGUOUS_RATIO * sure)
}

/// Softmax over the cards in order.
fn probabilities(order: &[ScoredCard]) -> Vec<f32> {
    let top = order.first().map_or(0.0, |first| first.score);
    let weights: Vec<f32> = order.iter().map(|ranked| ((ranked.score - top) / TEMPERATURE).exp()).collect();
    let sum: f32 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum.max(DENOMINATOR_MIN)).collect()
}

fn logistic(features: &DecisionFeatures, weights: &DecisionFeatures) -> f32 {
    let sum: f32 = features.iter().zip(weights).map(|(value, weight)| value * weight).sum();
    1.0 / (1.0 + (-sum).exp())
}

/// The calibration, linear between its points.
fn calibrated(raw: f32) -> f32 {
    let raw = raw.clamp(0.0, 1.0);
    CALIBRATION.windows(2).find(|pair| raw <= pair[1].0).map_or(CALIBRATION[CALIBRATION.len() - 1].1, |pair| {
        let share = (raw - pair[0].0) / (pair[1].0 - pair[0].0).max(DENOMINATOR_MIN);
        pair[0].1 + share * (pair[1].1 - pair[0].1)
    })
}

#[cfg(test)]
mod tests {
    use super::{DECISION_FEATURE_NAMES, WORDS};

    #[test]
    fn the_place_of_the_words_is_that_of_their_name() {
        assert_eq!(DECISION_FEATURE_NAMES[WORDS], "words");
    }
}
