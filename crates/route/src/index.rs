//! The cards as an index: every line of a card is a segment, a bag of stems, concepts and pairs of words with weights.
//!
//! Not here: how segments become a ranking ([`super::signals`]). Built once per set of cards and immutable.

use std::collections::{BTreeMap, HashMap};

use super::Card;
use super::apart::Apart;
use super::concepts::{CONCEPTS, Hit};
use super::letters::Letters;
use super::lines::{Role, lines};
use super::shape::Shape;
use super::words::{Text, tokens};

/// A line of a card.
#[derive(Debug, Clone)]
pub(super) struct Segment {
    /// Position of the card.
    pub card: u32,
    /// Which part.
    pub role: Role,
    /// Position in the list of that part; for [`Role::Lift`] in the list of the card that says it.
    pub line: u16,
    /// For [`Role::Anti`] and [`Role::Not`] the better card; for [`Role::Lift`] the card that says it.
    pub other: Option<u32>,
    /// Length of its vector.
    norm: f32,
}

/// A term of a text: its key in the vocabulary and where it stands.
#[derive(Debug, Clone)]
pub(super) struct Term {
    /// Number in the vocabulary, or none.
    pub id: Option<u32>,
    /// Weight by kind, before the frequency over cards.
    pub weight: f32,
    /// First token.
    pub from: usize,
    /// Token after the last.
    pub to: usize,
}

/// The vector of a question.
#[derive(Debug, Clone, Default)]
pub(super) struct Vector {
    /// Each term once, with its weight times its inverse document frequency.
    pub terms: Vec<(u32, f32)>,
    /// Euclidean length.
    pub norm: f32,
    /// Sum of the weights.
    pub mass: f32,
    /// Weight of content words that no card knows.
    pub unknown: f32,
}

/// The index.
#[derive(Debug, Default)]
pub(super) struct Index {
    shape: Shape,
    vocabulary: HashMap<String, u32>,
    /// Inverse document frequency, with the weight of a setting or lone word.
    idf: Vec<f32>,
    pub segments: Vec<Segment>,
    /// By term: segments and weights.
    postings: Vec<Vec<(u32, f32)>>,
    /// By term: cards and saturated weights.
    bodies: Vec<Vec<(u32, f32)>>,
    apart: Apart,
    letters: Letters,
    pub cards: usize,
}

/// Card, importance, and terms with their values.
pub(super) type PositiveLine = (u32, f32, Vec<(u32, f32)>);

/// Key of a concept in the vocabulary: no stem holds a tilde.
fn concept_key(concept: u16) -> String {
    format!("~{concept}")
}

impl Index {
    /// Builds the index over the cards.
    pub(super) fn build(cards: &[Card], shape: Shape) -> Self {
        let mut index = Self { shape, cards: cards.len(), ..Self::default() };
        let mut vectors: Vec<Vec<(u32, f32)>> = Vec::new();
        for line in lines(cards) {
            let text = tokens(&line.text);
            let mut counts: BTreeMap<u32, f32> = BTreeMap::new();
            for (key, weight, ..) in index.keys(&text) {
                let next = index.vocabulary.len() as u32;
                let id = *index.vocabulary.entry(key).or_insert(next);
                let slot = counts.entry(id).or_default();
                *slot = slot.max(weight);
            }
            vectors.push(counts.into_iter().collect());
            index.segments.push(Segment {
                card: line.card,
                role: line.role,
                line: line.number,
                other: line.other,
                norm: 1.0,
            });
        }
        index.weigh(&vectors);
        index.post(&vectors);
        index.bodies(&vectors);
        index.apart = Apart::build(&index.bodies, &index.idf, index.cards, shape.ridge);
        index.letters = Letters::build(index.vocabulary.iter().filter(|(key, _)| !key.contains([' ', '~'])));
        index
    }

    pub(super) fn shape(&self) -> Shape {
        self.shape
    }

    /// Keys of a text: stems, concepts and pairs, with weight, token range.
    fn keys(&self, text: &Text) -> Vec<(String, f32, usize, usize)> {
        let shape = self.shape();
        let concepts = &*CONCEPTS;
        let mut out = Vec::new();
        let hits: Vec<Hit> = concepts.hits(text);
        let mut meaning = vec![(false, false); text.tokens.len()];
        for hit in &hits {
            let setting = concepts.setting[usize::from(hit.concept)];
            for slot in &mut meaning[hit.from..hit.to] {
                if setting { slot.0 = true } else { slot.1 = true }
            }
            let weight = if setting { shape.concept * shape.setting * 0.5 } else { shape.concept };
            out.push((concept_key(hit.concept), weight, hit.from, hit.to));
        }
        let mut before: Option<usize> = None;
        for (at, token) in text.tokens.iter().enumerate() {
            if token.stop {
                continue;
            }
            let (setting, known) = meaning[at];
            let weight = match (setting, known) {
                (true, false) => shape.setting,
                (_, true) => shape.known_stem,
                (false, false) => 1.0,
            };
            out.push((token.stem.clone(), weight, at, at + 1));
            if let Some(previous) = before
                && at - previous <= 3
            {
                out.push((format!("{} {}", text.tokens[previous].stem, token.stem), shape.pair, previous, at + 1));
            }
            before = Some(at);
        }
        out
    }

    /// Inverse document frequency over cards, from the parts that speak for a card.
    fn weigh(&mut self, vectors: &[Vec<(u32, f32)>]) {
        let shape = self.shape();
        let terms = self.vocabulary.len();
        let mut cards_with: Vec<u32> = vec![0; terms];
        let mut lines_with: Vec<u32> = vec![0; terms];
        let mut last: Vec<u32> = vec![u32::MAX; terms];
        for (segment, vector) in self.segments.iter().zip(vectors) {
            if matches!(segment.role, Role::Not | Role::Anti | Role::Lift) {
                continue;
            }
            for (term, _) in vector {
                let term = *term as usize;
                lines_with[term] += 1;
                if last[term] != segment.card {
                    last[term] = segment.card;
                    cards_with[term] += 1;
                }
            }
        }
        let total = self.cards as f32;
        self.idf = (0..terms)
            .map(|term| {
                let idf = ((total + 1.0) / (cards_with[term] as f32 + 0.5)).ln().max(0.05);
                let lone = if lines_with[term] <= 1 { shape.lone } else { 1.0 };
                idf.powf(shape.idf_exponent) * lone
            })
            .collect();
    }

    fn post(&mut self, vectors: &[Vec<(u32, f32)>]) {
        self.postings = vec![Vec::new(); self.vocabulary.len()];
        let exponent = self.shape().length_exponent;
        for (at, vector) in vectors.iter().enumerate() {
            let norm =
                vector.iter().map(|(term, weight)| (weight * self.idf[*term as usize]).powi(2)).sum::<f32>().sqrt();
            self.segments[at].norm = norm.max(1.0);
            for (term, weight) in vector {
                let value = weight * self.idf[*term as usize] / norm.max(1.0).powf(exponent);
                self.postings[*term as usize].push((at as u32, value));
            }
        }
    }

    fn bodies(&mut self, vectors: &[Vec<(u32, f32)>]) {
        let shape = self.shape();
        let mut per_card: Vec<BTreeMap<u32, f32>> = vec![BTreeMap::new(); self.cards];
        for (segment, vector) in self.segments.iter().zip(vectors) {
            let role = segment.role.body_weight();
            if role > 0.0 {
                for (term, weight) in vector {
                    *per_card[segment.card as usize].entry(*term).or_default() += role * weight;
                }
            }
        }
        let lengths: Vec<f32> = per_card.iter().map(|terms| terms.values().sum::<f32>()).collect();
        let mean = (lengths.iter().sum::<f32>() / self.cards.max(1) as f32).max(1.0);
        self.bodies = vec![Vec::new(); self.vocabulary.len()];
        for (card, terms) in per_card.iter().enumerate() {
            let long = 1.0 - shape.length_share + shape.length_share * lengths[card] / mean;
            for (term, frequency) in terms {
                let value = frequency / (frequency + shape.saturation * long);
                self.bodies[*term as usize].push((card as u32, value));
            }
        }
    }

    /// Likeness of each card to a vector after what cards have in common is taken out.
    pub(super) fn apart(&self, vector: &Vector) -> Vec<f32> {
        self.apart.read(&self.bodies, &self.idf, vector)
    }

    /// Number of terms.
    pub(super) fn terms(&self) -> usize {
        self.vocabulary.len()
    }

    /// Lines that speak for a card: card, importance, terms with values of length one.
    pub(super) fn positive_lines(&self) -> Vec<PositiveLine> {
        let mut out: Vec<PositiveLine> = self
            .segments
            .iter()
            .map(|segment| (segment.card, segment.role.body_weight().min(1.0), Vec::new()))
            .collect();
        for (term, list) in self.postings.iter().enumerate() {
            for (segment, weight) in list {
                let norm = self.segments[*segment as usize].norm;
                let exponent = self.shape().length_exponent;
                out[*segment as usize].2.push((term as u32, weight * norm.powf(exponent - 1.0)));
            }
        }
        out.retain(|(_, importance, terms)| *importance > 0.0 && !terms.is_empty());
        out
    }

    /// The weight of a term over all cards.
    pub(super) fn idf(&self, term: u32) -> f32 {
        self.idf[term as usize]
    }

    /// Terms of a question. Words that no card knows are corrected by their letters where that is clear.
    pub(super) fn terms_of(&self, text: &Text) -> Vec<Term> {
        let mut corrected = 0;
        let keys = self.keys(text);
        let mut out: Vec<Term> = Vec::with_capacity(keys.len());
        for (key, weight, from, to) in keys {
            let id = self.vocabulary.get(&key).copied();
            let single = !key.contains([' ', '~']);
            if id.is_none() && single && !text.foreign && weight >= 1.0 && corrected < CORRECTED_MAX {
                corrected += 1;
                if let Some((stem, id)) = self.letters.nearest(&key) {
                    self.push_corrected(stem, id, (from, to), &mut out);
                    continue;
                }
            }
            if id.is_some() || single {
                out.push(Term { id, weight, from, to });
            }
        }
        out
    }

    /// A corrected word counts with its stem and with the concepts of that stem.
    fn push_corrected(&self, stem: &str, id: u32, (from, to): (usize, usize), out: &mut Vec<Term>) {
        let weight = self.shape().corrected;
        out.push(Term { id: Some(id), weight, from, to });
        let text = tokens(stem);
        for hit in CONCEPTS.hits(&text) {
            if let Some(id) = self.vocabulary.get(&concept_key(hit.concept)) {
                out.push(Term { id: Some(*id), weight: weight * self.shape().concept, from, to });
            }
        }
    }

    /// The vector of some terms.
    pub(super) fn vector(&self, terms: &[Term]) -> Vector {
        let mut sums: BTreeMap<u32, f32> = BTreeMap::new();
        let mut vector = Vector::default();
        for term in terms {
            match term.id {
                Some(id) => {
                    let slot = sums.entry(id).or_default();
                    *slot = slot.max(term.weight);
                }
                None => vector.unknown += term.weight,
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

    /// Similarity of each segment to a vector, 0 to about 1.
    pub(super) fn similarities(&self, vector: &Vector, out: &mut Vec<f32>) {
        out.clear();
        out.resize(self.segments.len(), 0.0);
        if vector.norm <= 0.0 {
            return;
        }
        for (term, value) in &vector.terms {
            let value = value / vector.norm;
            for (segment, weight) in &self.postings[*term as usize] {
                out[*segment as usize] += value * weight;
            }
        }
    }

    /// For each card the share of the vector's mass that the card as a whole answers to, and the share of terms' mass it holds at all.
    pub(super) fn body_shares(&self, vector: &Vector) -> (Vec<f32>, Vec<f32>) {
        let (mut saturated, mut held) = (vec![0.0; self.cards], vec![0.0; self.cards]);
        let mass = vector.mass.max(1e-6);
        for (term, value) in &vector.terms {
            for (card, weight) in &self.bodies[*term as usize] {
                saturated[*card as usize] += value * weight / mass;
                held[*card as usize] += value / mass;
            }
        }
        (saturated, held)
    }

    /// Terms of a segment among the given ones.
    pub(super) fn holds(&self, segment: u32, term: u32) -> Option<f32> {
        let list = &self.postings[term as usize];
        list.binary_search_by_key(&segment, |(at, _)| *at).ok().map(|at| list[at].1)
    }

    /// Whether cards other than by name use the stem: then it is an ordinary word.
    pub(super) fn is_ordinary(&self, stem: &str) -> bool {
        CONCEPTS.knows(stem)
            || self.vocabulary.get(stem).is_some_and(|id| {
                let mut cards: Vec<u32> = self.bodies[*id as usize].iter().map(|(card, _)| *card).collect();
                cards.dedup();
                cards.len() >= ORDINARY_CARDS_MIN
            })
    }
}

/// Words of a question that are corrected at most.
const CORRECTED_MAX: usize = 24;
/// A word that so many cards use is an ordinary word.
const ORDINARY_CARDS_MIN: usize = 3;
