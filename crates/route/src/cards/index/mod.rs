//! The cards in the vector space model (Salton et al. 1975): every line is a tf-idf vector of stems, concepts and word pairs, every card a
//! BM25F bag of its lines. Built once per set of cards ([`build`]) and immutable; a question is put into the same space ([`question`]).
//! Not here: how similarities become a ranking ([`crate::model::features`]).

mod build;
mod keys;
mod question;

use refdesk_core::codec::{TextList, packed};
use serde::{Deserialize, Serialize};

use super::fields::CardLine;
use super::postings::Postings;
use super::ridge_similarity::RidgeSimilarity;
use crate::hyperparameters::{DENOMINATOR_MIN, Hyperparameters};
use crate::text::concepts::CONCEPTS;
use crate::text::spelling::SpellingCorrector;

pub(crate) use build::TrainingLine;
pub(crate) use question::{QuestionTerm, QuestionVector};

/// The BM25F score of each card by share of the question's weight, and the share of that weight that the card has at all.
#[derive(Debug)]
pub(crate) struct CardScores {
    pub bm25: Vec<f32>,
    pub coverage: Vec<f32>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct CardIndex {
    /// Only a router with the tuned ones is kept on disk.
    #[serde(skip)]
    pub hyperparameters: Hyperparameters,
    /// All terms, sorted: the position of one is its number.
    pub vocabulary: TextList,
    /// Inverse document frequency, damped for words of one line only.
    #[serde(with = "packed")]
    idf: Vec<f32>,
    pub lines: Vec<CardLine>,
    /// By term: lines and weights.
    line_postings: Postings,
    /// By term: cards and saturated frequencies.
    card_postings: Postings,
    ridge: RidgeSimilarity,
    spelling: SpellingCorrector,
    pub cards: usize,
}

/// A word that this many cards use is an ordinary word.
const ORDINARY_CARDS_MIN: usize = 3;

impl CardIndex {
    /// Ridge similarity of each card to a question.
    pub(crate) fn ridge_similarities(&self, vector: &QuestionVector) -> Vec<f32> {
        self.ridge.similarities(&self.card_postings, &self.idf, &vector.terms, vector.norm)
    }

    /// Whether it is one of so many cards, and every term and line that it names is there.
    pub(crate) fn is_sound(&self, cards: usize) -> bool {
        let (terms, lines) = (self.vocabulary.len(), self.lines.len());
        let is_card = |card: u32| (card as usize) < cards;
        self.cards == cards
            && self.vocabulary.is_sound()
            && self.idf.len() == terms
            && self.lines.iter().all(|line| is_card(line.card) && line.related_card.is_none_or(is_card))
            && self.line_postings.is_sound(terms, lines)
            && self.card_postings.is_sound(terms, cards)
            && self.ridge.is_sound(cards)
            && self.spelling.is_sound(terms)
    }

    /// A word of the cards that has a stem.
    pub(crate) fn written(&self, stem: u32) -> &str {
        self.spelling.written(stem).unwrap_or_else(|| self.vocabulary.get(stem as usize))
    }

    /// Inverse document frequency of a term.
    pub(crate) fn idf(&self, term: u32) -> f32 {
        self.idf[term as usize]
    }

    /// Cosine similarity of each line to a question (with softened length normalisation), 0 to about 1.
    pub(crate) fn line_similarities(&self, vector: &QuestionVector) -> Vec<f32> {
        let mut out = vec![0.0; self.lines.len()];
        if vector.norm <= 0.0 {
            return out;
        }
        for (term, value) in &vector.terms {
            let value = value / vector.norm;
            for (line, weight) in self.line_postings.list(*term) {
                out[*line as usize] += value * weight;
            }
        }
        out
    }

    /// How each card as a whole answers to a question.
    pub(crate) fn card_scores(&self, vector: &QuestionVector) -> CardScores {
        let (mut bm25, mut coverage) = (vec![0.0; self.cards], vec![0.0; self.cards]);
        let mass = vector.mass.max(DENOMINATOR_MIN);
        for (term, value) in &vector.terms {
            for (card, weight) in self.card_postings.list(*term) {
                bm25[*card as usize] += value * weight / mass;
                coverage[*card as usize] += value / mass;
            }
        }
        CardScores { bm25, coverage }
    }

    pub(crate) fn line_weight(&self, line: u32, term: u32) -> Option<f32> {
        let list = self.line_postings.list(term);
        list.binary_search_by_key(&line, |(at, _)| *at).ok().map(|at| list[at].1)
    }

    /// The saturated frequency of a term in a card; zero where the card does not have it.
    pub(crate) fn card_weight(&self, card: usize, term: u32) -> f32 {
        let list = self.card_postings.list(term);
        list.binary_search_by_key(&(card as u32), |(at, _)| *at).map_or(0.0, |at| list[at].1)
    }

    /// Whether a stem is an ordinary word rather than part of a name: a concept, or used by several cards.
    pub(crate) fn is_ordinary(&self, stem: &str) -> bool {
        CONCEPTS.contains(stem)
            || self.vocabulary.find(stem).is_some_and(|id| {
                let mut cards: Vec<u32> = self.card_postings.list(id).iter().map(|(card, _)| *card).collect();
                cards.dedup();
                cards.len() >= ORDINARY_CARDS_MIN
            })
    }
}
