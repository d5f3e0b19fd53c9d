//! Framework routing: from a problem in a person's own words to the card that fits, and why.
//!
//! Deterministic, offline, no language model, and no table from phrases to cards: it ranks over the cards' own fields.
//! A question becomes words ([`words`]), concepts ([`concepts`]) and names ([`names`]); every line of every card is compared
//! with it ([`index`]); what speaks for and against each card is weighed ([`signals`]), decided ([`decide`]) and put into
//! words ([`explain`]). [`eval`] measures all of it beside three baselines.

mod apart;
mod baseline;
mod concepts;
mod decide;
pub mod eval;
mod explain;
mod form;
mod index;
mod learned;
mod letters;
mod lexicon;
mod lines;
mod meaning;
mod names;
mod shape;
mod signals;
mod words;

use refdesk_core::item::{Domain, Framework};

pub use decide::{DECISION_FEATURES, DECISION_NAMES, DecisionRow};
pub use shape::Shape;
pub use signals::{SIGNAL_NAMES, SIGNALS, Signals, WEIGHTS, weighted};

/// A card as the router takes it.
#[derive(Debug, Clone, PartialEq)]
pub struct Card {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its other names.
    pub aliases: Vec<String>,
    /// Its fields.
    pub framework: Framework,
    /// Whether it passes the publication score.
    pub published: bool,
}

/// Which cards a question may be routed to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Filter {
    /// Only cards of this domain (own or secondary).
    pub domain: Option<Domain>,
    /// Candidates too.
    pub include_candidates: bool,
}

/// What the router says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// One card stands out.
    Match,
    /// Several fit; a question would tell them apart.
    Ambiguous,
    /// Nothing fits.
    NoMatch,
}

impl Decision {
    /// The word in the answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Match => "match",
            Self::Ambiguous => "ambiguous",
            Self::NoMatch => "no_match",
        }
    }
}

/// Terms of the question that a field of the card answers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// Field of the card: `when_to_use`, `example_questions`, …
    pub field: &'static str,
    /// Words of the question, as the person wrote them.
    pub terms: Vec<String>,
}

/// A card in the ranking.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// Position of the card in the router.
    pub card: usize,
    /// Larger is better; comparable within one answer only.
    pub score: f32,
    /// Calibrated: of answers with 0.8 about 8 in 10 are right.
    pub confidence: f32,
    /// Why it fits.
    pub reasons: Vec<Reason>,
    /// The line of the card that speaks against it, or what it lacks beside the better card.
    pub why_not: Option<String>,
}

/// The router's answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Routing {
    /// What the router says.
    pub decision: Decision,
    /// Best first; the first is the selected card unless the decision is [`Decision::NoMatch`].
    pub ranked: Vec<Ranked>,
    /// One question made from what distinguishes the first cards; only when ambiguous.
    pub clarifying_question: Option<String>,
}

/// Most cards in an answer: the selected one and the alternatives.
pub const RANKED_MAX: usize = 5;
/// Most near cards shown when nothing fits.
pub const NEAREST_MAX: usize = 3;

/// The router over one set of cards: immutable, and shareable between snapshots with the same cards.
#[derive(Debug, Default)]
pub struct Router {
    cards: Vec<Card>,
    cards_hash: String,
    index: index::Index,
    learned: learned::Learned,
    names: names::Names,
    forms: form::Forms,
}

impl Router {
    /// Name and version of the ranking, shown as `router.algorithm`.
    pub const ALGORITHM: &'static str = "fielded-concepts/1";

    /// Builds the router.
    pub fn build(cards: Vec<Card>) -> Self {
        Self::build_with(cards, Shape::CHOSEN, &|_| true)
    }

    /// Builds the router with other numbers than the chosen ones and a part of the background requests; for fitting.
    pub fn build_with(cards: Vec<Card>, shape: Shape, keep: &dyn Fn(usize) -> bool) -> Self {
        let index = index::Index::build(&cards, shape);
        let learned = learned::Learned::build(&index);
        let names = names::Names::build(&cards, &|stem| index.is_ordinary(stem));
        let forms = form::Forms::build(&cards, keep);
        let cards_hash = hash_of(&cards);
        Self { cards, cards_hash, index, learned, names, forms }
    }

    /// The background requests in order, each with whether it is of the kind that cards answer; for fitting.
    pub fn background() -> Vec<(&'static str, bool)> {
        form::Forms::background().collect()
    }

    /// The cards, in the order they were given.
    pub fn cards(&self) -> &[Card] {
        &self.cards
    }

    /// Routes a question. Never fails: a question without content has no match.
    pub fn route(&self, question: &str, filter: Filter) -> Routing {
        let view = self.view(question);
        let rows = self.rows(&view);
        let order = self.order(&rows, filter);
        let outcome = decide::decide(self, &view, &rows, &order);
        explain::routing(self, &view, &order, &outcome)
    }

    /// All cards that the filter lets through, best first, whatever the decision; for measuring.
    pub fn ranking(&self, question: &str, filter: Filter) -> Vec<usize> {
        let rows = self.rows(&self.view(question));
        self.order(&rows, filter).into_iter().map(|(card, _)| card).collect()
    }

    /// Hash of exactly this set of cards, by which an evaluation is recognised as its own, and a built router as still good.
    pub fn cards_hash(&self) -> String {
        if self.cards_hash.is_empty() { hash_of(&self.cards) } else { self.cards_hash.clone() }
    }

    /// The signals of every card for a question, in the order of the cards; for fitting.
    pub fn signals(&self, question: &str) -> Vec<Signals> {
        self.rows(&self.view(question))
    }

    /// What the decision is made from, for fitting: the row of the first card.
    pub fn decision_row(&self, question: &str, filter: Filter) -> (DecisionRow, Option<usize>) {
        let view = self.view(question);
        let rows = self.rows(&view);
        let order = self.order(&rows, filter);
        (decide::row(self, &view, &rows, &order), order.first().map(|(card, _)| *card))
    }

    /// Cards that the filter lets through, best first; equal scores by id.
    fn order(&self, rows: &[Signals], filter: Filter) -> Vec<(usize, f32)> {
        let mut order: Vec<(usize, f32)> = self
            .cards
            .iter()
            .enumerate()
            .filter(|(_, card)| filter.passes(card))
            .map(|(at, _)| (at, weighted(&rows[at], &WEIGHTS)))
            .collect();
        order.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| self.cards[a.0].id.cmp(&self.cards[b.0].id)));
        order
    }

    /// Everything about a question that does not depend on the filter.
    fn view<'q>(&self, question: &'q str) -> View<'q> {
        let text = words::tokens(question);
        let terms = self.index.terms_of(&text);
        let vector = self.index.vector(&terms);
        let named = self.names.met(question, &text);
        let mut similarities = Vec::new();
        self.index.similarities(&vector, &mut similarities);
        let best = signals::best_lines(&self.index, &similarities);
        let sentences = self.sentences(&text, &terms, &vector);
        let form = self.forms.balance(&text);
        View { question, text, terms, vector, named, best, sentences, form }
    }

    fn rows(&self, view: &View<'_>) -> Vec<Signals> {
        signals::rows(
            &self.index,
            &view.vector,
            &view.best,
            &view.sentences,
            &view.named,
            &self.learned.read(&view.vector),
        )
    }

    /// For each card the likeness of its best line to the best single sentence of a question with several.
    fn sentences(&self, text: &words::Text, terms: &[index::Term], whole: &index::Vector) -> Vec<f32> {
        let mut out = vec![0.0_f32; self.cards.len()];
        let mut numbers: Vec<u16> = text.tokens.iter().map(|token| token.sentence).collect();
        numbers.dedup();
        let mut similarities = Vec::new();
        for number in numbers.iter().rev().take(SENTENCES_MAX) {
            let part: Vec<index::Term> =
                terms.iter().filter(|term| text.tokens[term.from].sentence == *number).cloned().collect();
            let vector = self.index.vector(&part);
            if vector.terms.is_empty() {
                continue;
            }
            let share = (vector.mass / whole.mass.max(1e-6)).sqrt();
            self.index.similarities(&vector, &mut similarities);
            for (segment, similarity) in self.index.segments.iter().zip(&similarities) {
                if matches!(segment.role, lines::Role::Example | lines::Role::When) {
                    let slot = &mut out[segment.card as usize];
                    *slot = slot.max(similarity * share);
                }
            }
        }
        out
    }
}

/// So many sentences are looked at one by one, from the end, where the asking is.
const SENTENCES_MAX: usize = 6;

/// A question, taken apart and compared.
struct View<'q> {
    question: &'q str,
    text: words::Text,
    terms: Vec<index::Term>,
    vector: index::Vector,
    named: Vec<names::Named>,
    best: Vec<signals::Best>,
    sentences: Vec<f32>,
    form: f32,
}

impl Filter {
    fn passes(self, card: &Card) -> bool {
        let framework = &card.framework;
        (card.published || self.include_candidates)
            && self
                .domain
                .is_none_or(|domain| framework.domain == domain || framework.secondary_domains.contains(&domain))
    }
}

fn hash_of(cards: &[Card]) -> String {
    let mut parts: Vec<String> = cards
        .iter()
        .map(|card| {
            let fields = serde_json::to_string(&card.framework).unwrap_or_default();
            format!(
                "{}\u{0}{}\u{0}{}\u{0}{fields}\u{0}{}",
                card.id,
                card.name,
                card.aliases.join("\u{1}"),
                card.published
            )
        })
        .collect();
    parts.sort();
    refdesk_core::hash::content_hash(parts.join("\u{2}").as_bytes())
}
