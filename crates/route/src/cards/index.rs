//! The cards in the vector space model (Salton et al. 1975): every line is a tf-idf vector of stems, concepts and word pairs, every card a
//! BM25F bag of its lines.
//!
//! Not here: how similarities become a ranking ([`crate::model::features`]). Built once per set of cards and immutable.

use std::collections::BTreeMap;

use refdesk_core::codec::packed;
use serde::{Deserialize, Serialize};

use super::fields::{CardField, field_lines};
use super::postings::Postings;
use super::ridge_similarity::RidgeSimilarity;
use crate::Card;
use crate::hyperparameters::Hyperparameters;
use crate::text::concepts::{CONCEPTS, ConceptMatch};
use crate::text::spelling::SpellingCorrector;
use crate::text::vocabulary::Vocabulary;
use crate::text::{TokenizedText, tokenize};

/// A line of a card.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct CardLine {
    /// Position of the card.
    pub card: u32,
    /// Its field.
    pub field: CardField,
    /// Position in the list of that field; for [`CardField::Redirect`] in the list of the card that says it.
    pub position: u16,
    /// For [`CardField::Anti`] the better card; for [`CardField::Redirect`] the card that says it.
    pub related_card: Option<u32>,
    /// Euclidean length of its vector.
    norm: f32,
}

/// A term of a question: its number in the vocabulary and its place in the text.
#[derive(Debug, Clone)]
pub(crate) struct QuestionTerm {
    /// Number in the vocabulary, if a card has it.
    pub id: Option<u32>,
    /// Weight by kind of term, before inverse document frequency.
    pub weight: f32,
    /// First token.
    pub from: usize,
    /// Token after the last.
    pub to: usize,
}

/// The tf-idf vector of a question.
#[derive(Debug, Clone, Default)]
pub(crate) struct QuestionVector {
    /// Each term once, with its weight times its inverse document frequency.
    pub terms: Vec<(u32, f32)>,
    /// Euclidean length.
    pub norm: f32,
    /// Sum of the weights (L1 norm).
    pub mass: f32,
    /// Weight of content words that no card has.
    pub unknown_weight: f32,
}

/// The BM25F score of each card by share of the question's weight, and the share of that weight that the card has at all.
#[derive(Debug)]
pub(crate) struct CardScores {
    pub bm25: Vec<f32>,
    pub coverage: Vec<f32>,
}

/// What the thesaurus knows of a token.
#[derive(Debug, Clone, Copy, Default)]
struct TokenMeaning {
    /// It is part of a setting.
    setting: bool,
    /// It is part of another concept.
    concept: bool,
}

/// The index.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct CardIndex {
    /// Only a router with the tuned ones is kept on disk.
    #[serde(skip)]
    hyperparameters: Hyperparameters,
    vocabulary: Vocabulary,
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

/// A line that speaks for its card, as a training example.
#[derive(Debug)]
pub(crate) struct TrainingLine {
    pub card: u32,
    /// Its weight in training.
    pub importance: f32,
    /// Terms with their values, of length one.
    pub terms: Vec<(u32, f32)>,
}

/// Key of a concept in the vocabulary: no stem holds a tilde.
fn concept_key(concept: u16) -> String {
    format!("~{concept}")
}

impl CardIndex {
    /// Builds the index over the cards.
    pub(crate) fn new(cards: &[Card], hyperparameters: Hyperparameters) -> Self {
        let mut index = Self { hyperparameters, cards: cards.len(), ..Self::default() };
        let mut weights: Vec<BTreeMap<String, f32>> = Vec::new();
        for line in field_lines(cards) {
            let text = tokenize(&line.text);
            let mut of_line: BTreeMap<String, f32> = BTreeMap::new();
            for (key, weight, ..) in index.keys(&text) {
                let slot = of_line.entry(key).or_default();
                *slot = slot.max(weight);
            }
            weights.push(of_line);
            index.lines.push(CardLine {
                card: line.card,
                field: line.field,
                position: line.position,
                related_card: line.related_card,
                norm: 1.0,
            });
        }
        index.vocabulary = Vocabulary::new(&weights.iter().flat_map(BTreeMap::keys).cloned().collect());
        let vector_of = |weights: BTreeMap<String, f32>| -> Vec<(u32, f32)> {
            weights.into_iter().filter_map(|(key, weight)| Some((index.vocabulary.find(&key)?, weight))).collect()
        };
        let vectors: Vec<Vec<(u32, f32)>> = weights.into_iter().map(vector_of).collect();
        index.set_idf(&vectors);
        index.set_line_postings(&vectors);
        index.set_card_postings(&vectors);
        index.ridge = RidgeSimilarity::new(&index.card_postings, &index.idf, index.cards, hyperparameters.ridge);
        index.spelling = SpellingCorrector::new(index.vocabulary.iter().filter(|(key, _)| !key.contains([' ', '~'])));
        index
    }

    pub(crate) fn hyperparameters(&self) -> Hyperparameters {
        self.hyperparameters
    }

    /// Keys of a text: stems, concepts and pairs, with weight, token range.
    fn keys(&self, text: &TokenizedText) -> Vec<(String, f32, usize, usize)> {
        let hyperparameters = self.hyperparameters();
        let concepts = &*CONCEPTS;
        let mut out = Vec::new();
        let found: Vec<ConceptMatch> = concepts.find(text);
        let mut known = vec![TokenMeaning::default(); text.tokens.len()];
        for hit in &found {
            let setting = concepts.setting[usize::from(hit.concept)];
            for token in &mut known[hit.from..hit.to] {
                if setting { token.setting = true } else { token.concept = true }
            }
            let weight =
                if setting { hyperparameters.concept * hyperparameters.setting * 0.5 } else { hyperparameters.concept };
            out.push((concept_key(hit.concept), weight, hit.from, hit.to));
        }
        let mut before: Option<usize> = None;
        for (at, token) in text.tokens.iter().enumerate() {
            if token.stop {
                continue;
            }
            let weight = match (known[at].setting, known[at].concept) {
                (true, false) => hyperparameters.setting,
                (_, true) => hyperparameters.known_stem,
                (false, false) => 1.0,
            };
            out.push((token.stem.clone(), weight, at, at + 1));
            if let Some(previous) = before
                && at - previous <= 3
            {
                out.push((
                    format!("{} {}", text.tokens[previous].stem, token.stem),
                    hyperparameters.pair,
                    previous,
                    at + 1,
                ));
            }
            before = Some(at);
        }
        out
    }

    /// Inverse document frequency over cards, from the parts that speak for a card.
    fn set_idf(&mut self, vectors: &[Vec<(u32, f32)>]) {
        let hyperparameters = self.hyperparameters();
        let terms = self.vocabulary.len();
        let mut cards_with: Vec<u32> = vec![0; terms];
        let mut lines_with: Vec<u32> = vec![0; terms];
        let mut last: Vec<u32> = vec![u32::MAX; terms];
        for (line, vector) in self.lines.iter().zip(vectors) {
            if matches!(line.field, CardField::Not | CardField::Anti | CardField::Redirect) {
                continue;
            }
            for (term, _) in vector {
                let term = *term as usize;
                lines_with[term] += 1;
                if last[term] != line.card {
                    last[term] = line.card;
                    cards_with[term] += 1;
                }
            }
        }
        let total = self.cards as f32;
        self.idf = (0..terms)
            .map(|term| {
                let idf = ((total + 1.0) / (cards_with[term] as f32 + 0.5)).ln().max(0.05);
                let lone = if lines_with[term] <= 1 { hyperparameters.lone } else { 1.0 };
                idf.powf(hyperparameters.idf_exponent) * lone
            })
            .collect();
    }

    fn set_line_postings(&mut self, vectors: &[Vec<(u32, f32)>]) {
        let mut postings = vec![Vec::new(); self.vocabulary.len()];
        let exponent = self.hyperparameters().length_exponent;
        for (at, vector) in vectors.iter().enumerate() {
            let norm =
                vector.iter().map(|(term, weight)| (weight * self.idf[*term as usize]).powi(2)).sum::<f32>().sqrt();
            self.lines[at].norm = norm.max(1.0);
            for (term, weight) in vector {
                let value = weight * self.idf[*term as usize] / norm.max(1.0).powf(exponent);
                postings[*term as usize].push((at as u32, value));
            }
        }
        self.line_postings = postings.into_iter().collect();
    }

    fn set_card_postings(&mut self, vectors: &[Vec<(u32, f32)>]) {
        let hyperparameters = self.hyperparameters();
        let mut per_card: Vec<BTreeMap<u32, f32>> = vec![BTreeMap::new(); self.cards];
        for (line, vector) in self.lines.iter().zip(vectors) {
            let boost = line.field.boost();
            if boost > 0.0 {
                for (term, weight) in vector {
                    *per_card[line.card as usize].entry(*term).or_default() += boost * weight;
                }
            }
        }
        let lengths: Vec<f32> = per_card.iter().map(|terms| terms.values().sum::<f32>()).collect();
        let mean = (lengths.iter().sum::<f32>() / self.cards.max(1) as f32).max(1.0);
        let mut postings = vec![Vec::new(); self.vocabulary.len()];
        for (card, terms) in per_card.iter().enumerate() {
            let long = 1.0 - hyperparameters.length_share + hyperparameters.length_share * lengths[card] / mean;
            for (term, frequency) in terms {
                let value = frequency / (frequency + hyperparameters.saturation * long);
                postings[*term as usize].push((card as u32, value));
            }
        }
        self.card_postings = postings.into_iter().collect();
    }

    /// Ridge similarity of each card to a question.
    pub(crate) fn ridge_similarities(&self, vector: &QuestionVector) -> Vec<f32> {
        self.ridge.similarities(&self.card_postings, &self.idf, &vector.terms, vector.norm)
    }

    /// All terms.
    pub(crate) const fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Lines that speak for a card.
    pub(crate) fn training_lines(&self) -> Vec<TrainingLine> {
        let training = |line: &CardLine| TrainingLine {
            card: line.card,
            importance: line.field.boost().min(1.0),
            terms: Vec::new(),
        };
        let mut out: Vec<TrainingLine> = self.lines.iter().map(training).collect();
        for (term, list) in self.line_postings.iter().enumerate() {
            for (line, weight) in list {
                let norm = self.lines[*line as usize].norm;
                let exponent = self.hyperparameters().length_exponent;
                out[*line as usize].terms.push((term as u32, weight * norm.powf(exponent - 1.0)));
            }
        }
        out.retain(|line| line.importance > 0.0 && !line.terms.is_empty());
        out
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

    /// Inverse document frequency of a term.
    pub(crate) fn idf(&self, term: u32) -> f32 {
        self.idf[term as usize]
    }

    /// Terms of a question. Words that no card has are corrected where one stem is similar enough.
    pub(crate) fn terms_of(&self, text: &TokenizedText) -> Vec<QuestionTerm> {
        let mut corrected = 0;
        let keys = self.keys(text);
        let mut out: Vec<QuestionTerm> = Vec::with_capacity(keys.len());
        for (key, weight, from, to) in keys {
            let id = self.vocabulary.find(&key);
            let single = !key.contains([' ', '~']);
            if id.is_none() && single && !text.foreign && weight >= 1.0 && corrected < CORRECTED_MAX {
                corrected += 1;
                if let Some(id) = self.spelling.correct(&key, &self.vocabulary) {
                    self.push_corrected(id, (from, to), &mut out);
                    continue;
                }
            }
            if id.is_some() || single {
                out.push(QuestionTerm { id, weight, from, to });
            }
        }
        out
    }

    /// A corrected word counts with its stem and with the concepts of that stem.
    fn push_corrected(&self, id: u32, (from, to): (usize, usize), out: &mut Vec<QuestionTerm>) {
        let weight = self.hyperparameters().corrected;
        out.push(QuestionTerm { id: Some(id), weight, from, to });
        let text = tokenize(self.vocabulary.term(id));
        for hit in CONCEPTS.find(&text) {
            if let Some(id) = self.vocabulary.find(&concept_key(hit.concept)) {
                out.push(QuestionTerm { id: Some(id), weight: weight * self.hyperparameters().concept, from, to });
            }
        }
    }

    /// The vector of some terms.
    pub(crate) fn vector(&self, terms: &[QuestionTerm]) -> QuestionVector {
        let mut sums: BTreeMap<u32, f32> = BTreeMap::new();
        let mut vector = QuestionVector::default();
        for term in terms {
            match term.id {
                Some(id) => {
                    let slot = sums.entry(id).or_default();
                    *slot = slot.max(term.weight);
                }
                None => vector.unknown_weight += term.weight,
            }
        }
        for (id, weight) in sums {
            let value = weight * self.idf[id as usize];
            vector.norm += value * value;
            vector.mass += value;
            vector.terms.push((id, value));
        }
        vector.norm = vector.norm.sqrt();
        vector
    }

    /// Cosine similarity of each line to a question (with softened length normalisation), 0 to about 1.
    pub(crate) fn line_similarities(&self, vector: &QuestionVector, out: &mut Vec<f32>) {
        out.clear();
        out.resize(self.lines.len(), 0.0);
        if vector.norm <= 0.0 {
            return;
        }
        for (term, value) in &vector.terms {
            let value = value / vector.norm;
            for (line, weight) in self.line_postings.list(*term) {
                out[*line as usize] += value * weight;
            }
        }
    }

    /// How each card as a whole answers to a question.
    pub(crate) fn card_scores(&self, vector: &QuestionVector) -> CardScores {
        let (mut bm25, mut coverage) = (vec![0.0; self.cards], vec![0.0; self.cards]);
        let mass = vector.mass.max(1e-6);
        for (term, value) in &vector.terms {
            for (card, weight) in self.card_postings.list(*term) {
                bm25[*card as usize] += value * weight / mass;
                coverage[*card as usize] += value / mass;
            }
        }
        CardScores { bm25, coverage }
    }

    /// The weight of a term in a line, if the line has it.
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

/// Words of a question that are corrected.
const CORRECTED_MAX: usize = 24;
/// A word that this many cards use is an ordinary word.
const ORDINARY_CARDS_MIN: usize = 3;
