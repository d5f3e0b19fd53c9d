//! The ranking features of each card, comparable between questions, and their linear combination (pointwise learning to rank).
//!
//! Not here: the decision ([`super::decision`]) and its explanation ([`crate::explain`]). The weights are fitted by
//! `cargo run --release -p refdesk-lab --bin score_router -- fit`, on the cards' own example questions left out in
//! turn and on the development half of the evaluation questions.

use crate::cards::fields::CardField;
use crate::cards::index::{CardIndex, QuestionVector};
use crate::cards::names::NameMention;

/// The ranking features by name, each with its fitted weight.
pub const RANKING_FEATURES: [(&str, f32); 16] = [
    ("bm25", 5.9),
    ("coverage", 4.5),
    ("example_best", 1.0),
    ("example_next", 0.3),
    ("when_best", 1.2),
    ("when_next", 1.4),
    ("summary", 4.3),
    ("step_best", 0.3),
    ("result", 1.7),
    ("redirect_best", 2.5),
    ("anti_nearer", -1.0),
    ("not_nearer", -0.5),
    ("name", 8.4),
    ("sentence", 0.7),
    ("ridge", 3.5),
    ("logistic", 7.3),
];

/// Number of ranking features.
pub const RANKING_FEATURE_COUNT: usize = RANKING_FEATURES.len();

/// The ranking features of one card for one question.
pub type RankingFeatures = [f32; RANKING_FEATURE_COUNT];

/// Positions of the features that the decision uses, too.
pub(crate) const COVERAGE: usize = 1;
pub(crate) const EXAMPLE_BEST: usize = 2;
pub(crate) const WHEN_BEST: usize = 4;
pub(crate) const NAME: usize = 12;

/// Their fitted weights.
pub const RANKING_WEIGHTS: RankingFeatures = {
    let mut weights = [0.0; RANKING_FEATURE_COUNT];
    let mut at = 0;
    while at < weights.len() {
        weights[at] = RANKING_FEATURES[at].1;
        at += 1;
    }
    weights
};

/// The best and second-best line of one card in each field.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct BestLines {
    /// The best line, by field.
    pub first: [SimilarLine; CardField::COUNT],
    /// Similarity of the second-best line, by field.
    pub second: [f32; CardField::COUNT],
}

/// A line and its similarity to the question; similarity 0 is no line.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SimilarLine {
    pub similarity: f32,
    /// Position in [`CardIndex::lines`].
    pub line: u32,
}

/// Terms of a question, compared with every card.
pub(crate) struct Comparison {
    pub vector: QuestionVector,
    /// By card.
    pub best_lines: Vec<BestLines>,
    /// By card the similarity of its best line to the best single sentence of a question with several.
    pub best_sentences: Vec<f32>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct ScoredCard {
    pub card: usize,
    pub score: f32,
}

pub(crate) fn best_lines(index: &CardIndex, similarities: &[f32]) -> Vec<BestLines> {
    let mut out = vec![BestLines::default(); index.cards];
    for (at, (line, similarity)) in index.lines.iter().zip(similarities).enumerate() {
        if *similarity <= 0.0 {
            continue;
        }
        let best = &mut out[line.card as usize];
        let field = line.field as usize;
        if *similarity > best.first[field].similarity {
            best.second[field] = best.first[field].similarity;
            best.first[field] = SimilarLine { similarity: *similarity, line: at as u32 };
        } else if *similarity > best.second[field] {
            best.second[field] = *similarity;
        }
    }
    out
}

pub(crate) fn ranking_features(
    index: &CardIndex,
    compared: &Comparison,
    mentions: &[NameMention],
    logits: &[f32],
) -> Vec<RankingFeatures> {
    let ridge = index.ridge_similarities(&compared.vector);
    let scores = index.card_scores(&compared.vector);
    let mut rows: Vec<RankingFeatures> = (0..index.cards)
        .map(|card| {
            let lines = &compared.best_lines[card];
            let first = |field: CardField| lines.first[field as usize].similarity;
            let second = |field: CardField| lines.second[field as usize];
            // A line against the card counts by how much more similar it is than any line for it: both are about the same topic.
            let own = first(CardField::Example).max(first(CardField::When));
            [
                scores.bm25[card],
                scores.coverage[card],
                first(CardField::Example),
                second(CardField::Example),
                first(CardField::When),
                second(CardField::When),
                first(CardField::Summary),
                first(CardField::Step),
                first(CardField::Output).max(first(CardField::Check)),
                first(CardField::Redirect),
                (first(CardField::Anti) - own).max(0.0),
                (first(CardField::Not) - own).max(0.0),
                0.0,
                compared.best_sentences[card],
                ridge[card],
                logits[card],
            ]
        })
        .collect();
    for mention in mentions {
        rows[mention.card as usize][NAME] = mention.strength;
    }
    rows
}

/// The score of a card: the weighted sum of its features.
pub fn linear_score(features: &RankingFeatures, weights: &RankingFeatures) -> f32 {
    features.iter().zip(weights).map(|(value, weight)| value * weight).sum()
}

#[cfg(test)]
mod tests {
    use super::{COVERAGE, EXAMPLE_BEST, NAME, RANKING_FEATURES, RANKING_WEIGHTS, WHEN_BEST};

    #[test]
    fn features_that_the_decision_uses_stand_where_it_looks() {
        let name_at = |at: usize| RANKING_FEATURES[at].0;
        assert_eq!(
            [COVERAGE, EXAMPLE_BEST, WHEN_BEST, NAME].map(name_at),
            ["coverage", "example_best", "when_best", "name"]
        );
        assert!((RANKING_WEIGHTS[NAME] - 8.4).abs() < f32::EPSILON);
    }
}
