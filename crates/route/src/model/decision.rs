//! Match, ambiguous or no match, with a calibrated confidence: two logistic models over features of the question and the first cards, a
//! softmax over the cards, and a piecewise-linear monotone calibration (as isotonic regression gives).
//!
//! The constants are fitted by `cargo run --release -p refdesk-lab --bin score_router -- fit` on the development half.

use super::features::{COVERAGE, EXAMPLE_BEST, NAME, RankingFeatures, ScoredCard, WHEN_BEST};
use super::independence::effective_words;
use crate::cards::index::QuestionTerm;
use crate::cards::names::{NameMention, is_all_names, is_all_of};
use crate::hyperparameters::DENOMINATOR_MIN;
use crate::text::concepts::CONCEPTS;
use crate::{AnalysedQuestion, Decision, Router};

/// Number of features of a decision.
pub const DECISION_FEATURE_COUNT: usize = 15;

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
];
/// The feature of the words of content: the logarithm of one more.
const LENGTH: usize = 5;
/// The feature of the effective words of the first card: the logarithm of one more.
const WORDS: usize = 12;
/// The feature of whether the question names a card, which has a model of its own for whether some card answers.
pub const NAMING: usize = 14;

/// The features of a decision.
pub type DecisionFeatures = [f32; DECISION_FEATURE_COUNT];

/// Weights of the model for whether some card answers the question.
const FITS: DecisionFeatures =
    [-4.23, 0.00, 0.00, -0.76, 0.60, -0.40, 1.81, 0.00, 0.57, -0.67, 0.22, 0.00, 0.00, 1.03, 0.00];
/// The same for questions that name a card: they say less of a problem, and more by the words beside the name.
const FITS_NAMING: DecisionFeatures =
    [-0.60, 0.02, 0.00, -1.86, 0.00, -0.98, 1.54, 0.48, 0.00, 1.75, 0.08, 0.00, 0.30, 1.27, -0.60];
/// Probability below which a question has no match.
const FITS_MIN: f32 = 0.5;
/// Weights of the model for whether the first card is right.
const RIGHT: DecisionFeatures =
    [-3.50, 0.00, 0.00, -1.30, 0.00, -0.70, 0.47, 0.21, 0.42, 0.01, 0.40, 1.29, 1.18, 0.55, 0.00];
/// Temperature of the softmax over cards.
const TEMPERATURE: f32 = 1.0;
/// Raw confidences and the observed share of right answers, rising.
const CALIBRATION: [(f32, f32); 12] = [
    (0.000, 0.000),
    (0.293, 0.344),
    (0.492, 0.585),
    (0.649, 0.599),
    (0.771, 0.664),
    (0.850, 0.792),
    (0.909, 0.937),
    (0.942, 0.949),
    (0.962, 0.958),
    (0.978, 0.959),
    (0.993, 0.980),
    (1.000, 0.980),
];
/// The first two cards are ambiguous when the second has more than this share of the first's confidence …
const AMBIGUOUS_RATIO: f32 = 0.7;
/// … and the first less confidence than this: of the answers below it about every third is wrong, or more.
const AMBIGUOUS_CONFIDENCE: f32 = 0.6;
/// Below this the first is more likely wrong than right, and no answer, however far behind the second is.
const UNSURE_CONFIDENCE: f32 = 0.4;
/// The best card of a domain has no match below this, if one of another domain is better.
const WITHIN_DOMAIN_CONFIDENCE: f32 = 0.05;
/// With fewer effective words than this, one word speaks for the first card all but alone, and decides nothing …
const EFFECTIVE_WORDS_MIN: f32 = 1.3;
/// … with less confidence than this: `help me plan` fits whatever has plans in it.
const ONE_WORD_CONFIDENCE: f32 = 0.7;
/// A question of a single word of content decides nothing with less confidence than this: in `I can't decide` and `we have a conflict`
/// there is no second word that could disagree, so that one card seems far ahead.
const SINGLE_WORD_CONFIDENCE: f32 = 0.9;

/// What every card is, as the stemmer leaves it: `which framework should I use` tells nothing of the problem.
const ANY_CARD: [&str; 5] = ["framework", "method", "techniqu", "technique", "approach"];
/// The same, where a question says nothing else. Beside other words it may be about one: a language model, or the form of a report.
const ANY_CARD_ALONE: [&str; 2] = ["model", "templat"];

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
    let content = question.text.tokens.iter().filter(|token| !token.stop).count() as f32;
    let Some(ScoredCard { card: first, score: top }) = order.first().copied() else {
        return DecisionFeatures::default();
    };
    let is_first_or_other = |scored: &&ScoredCard| scored.card == first || !router.are_namesakes(first, scored.card);
    let rivals: Vec<ScoredCard> = order.iter().filter(is_first_or_other).copied().collect();
    let next = rivals.get(1).map_or(0.0, |next| next.score);
    let probability = probabilities(&rivals);
    let weight_of = |is_counted: &dyn Fn(&&QuestionTerm) -> bool| -> f32 {
        question.terms.iter().filter(is_counted).map(|term| term.weight).sum()
    };
    let known = weight_of(&|term| term.id.is_some() && term.to == term.from + 1);
    // The cards do not use their own names.
    let unknown = weight_of(&|term| term.id.is_none() && !question.is_in_name(term.from));
    let mut concepts: Vec<u16> = Vec::new();
    let (mut setting, mut matches) = (0.0_f32, 0.0_f32);
    for found in CONCEPTS.find(&question.text) {
        matches += 1.0;
        if CONCEPTS.setting[usize::from(found.concept)] {
            setting += 1.0;
        } else {
            concepts.push(found.concept);
        }
    }
    concepts.sort_unstable();
    concepts.dedup();
    let best = &features[first];
    [
        1.0,
        top,
        best[COVERAGE],
        unknown / (unknown + known + 1.0),
        (1.0 + concepts.len() as f32).ln(),
        (1.0 + content).ln(),
        question.in_domain,
        best[EXAMPLE_BEST].max(best[WHEN_BEST]),
        best[NAME],
        setting / (matches + 1.0),
        top - next,
        probability.first().copied().unwrap_or(0.0),
        (1.0 + effective_words(router, question, first)).ln(),
        f32::from(u8::from(question.text.foreign)),
        f32::from(u8::from(question.is_naming())),
    ]
}

/// Decides for the cards that the question may be routed to. What fits, and how surely, is told among all cards: the best card of a domain is
/// often far behind one of another domain, and then the question is none of this domain.
pub(crate) fn decide(
    router: &Router,
    question: &AnalysedQuestion<'_>,
    features: &[RankingFeatures],
    all: &[ScoredCard],
    order: &[ScoredCard],
) -> DecisionOutcome {
    let features = decision_features(router, question, features, all);
    let fits = logistic(&features, if question.is_naming() { &FITS_NAMING } else { &FITS });
    let best = all.first().map_or(0.0, |best| best.score);
    let is_best = all.first().map(|best| best.card) == order.first().map(|first| first.card);
    let is_about_another = !is_best && all.first().is_some_and(|best| question.is_mostly_name_of(best.card));
    let is_first = |mention: &&NameMention| order.first().is_some_and(|first| first.card == mention.card as usize);
    let named = question.mentions.iter().find(is_first).is_some_and(|mention| is_all_of(mention, &question.text));
    let is_one_of_names = order.first().is_some_and(|first| question.names(first.card))
        && is_all_names(&question.mentions, &question.text);
    let is_mentioned = question.mentions.iter().filter(is_first).any(|mention| mention.strength > 0.0);
    let has_fewer = |feature: usize, words: f32| features[feature] < (1.0 + words).ln();
    let one_word_confidence = if has_fewer(LENGTH, 2.0) {
        SINGLE_WORD_CONFIDENCE
    } else if has_fewer(WORDS, EFFECTIVE_WORDS_MIN) {
        ONE_WORD_CONFIDENCE
    } else {
        0.0
    };
    let fits_some =
        !says_nothing(question) && !order.is_empty() && !is_about_another && (is_one_of_names || fits >= FITS_MIN);
    // Who says nothing but the name of a card means that card.
    let right = if named { 1.0 } else { logistic(&features, &RIGHT) };
    let confidence_of = |scored: &ScoredCard, right: f32| calibrated(right * relative(scored.score, best));
    let is_match = fits_some
        && (is_best || order.first().is_some_and(|first| confidence_of(first, right) >= WITHIN_DOMAIN_CONFIDENCE));
    // When nothing fits, the nearest cards are at most as likely as that being wrong.
    let right = if is_match { right } else { right * fits };
    let confidence: Vec<f32> = order.iter().map(|scored| confidence_of(scored, right)).collect();
    let is_mostly_name = order.first().is_some_and(|first| question.is_mostly_name_of(first.card));
    let mut sure = order.iter().zip(&confidence);
    let first = sure.next();
    let rival = first.and_then(|(first, _)| sure.find(|(next, _)| !router.are_namesakes(first.card, next.card)));
    let decision = match (first, rival) {
        _ if !is_match => Decision::NoMatch,
        (Some((first, _)), Some((rival, _))) if !named && question.names(first.card) && question.names(rival.card) => {
            Decision::Ambiguous
        }
        (Some((_, first)), Some((rival, second)))
            if !is_mostly_name
                && rival.score > 0.0
                && (*first < UNSURE_CONFIDENCE
                    || *first < one_word_confidence && !is_mentioned
                    || *first < AMBIGUOUS_CONFIDENCE && *second > AMBIGUOUS_RATIO * first) =>
        {
            Decision::Ambiguous
        }
        _ => Decision::Match,
    };
    DecisionOutcome { decision, confidence }
}

/// Whether a word says what every card is, and so speaks for none.
pub(crate) fn is_any_card(stem: &str) -> bool {
    ANY_CARD.contains(&stem)
}

/// Whether a question tells nothing of a problem: no word of a card, or only that it wants one.
fn says_nothing(question: &AnalysedQuestion<'_>) -> bool {
    let is_any = |stem: &str| is_any_card(stem) || ANY_CARD_ALONE.contains(&stem);
    let is_of_any = question.text.tokens.iter().all(|token| token.stop || is_any(&token.stem));
    question.compared.vector.terms.is_empty() && question.mentions.is_empty()
        || is_of_any && question.mentions.iter().all(|mention| mention.strength < 1.0)
}

/// How likely a card is beside the best one, by the softmax over cards.
fn relative(score: f32, best: f32) -> f32 {
    ((score - best) / TEMPERATURE).exp()
}

/// Softmax over the cards in order.
fn probabilities(order: &[ScoredCard]) -> Vec<f32> {
    let top = order.first().map_or(0.0, |first| first.score);
    let weights: Vec<f32> = order.iter().map(|ranked| relative(ranked.score, top)).collect();
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
