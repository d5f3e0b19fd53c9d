//! Framework routing: from a problem in a person's own words to the framework card that fits, and why.
//!
//! Deterministic, offline, no language model, and no table from phrases to cards: a learning-to-rank model over the cards' own fields.
//! A question is tokenised and mapped to concepts ([`text`]), compared with every line of every card ([`cards`]), and the cards are ranked
//! by a linear model whose decision is calibrated ([`model`]). [`mod@explain`] gives the reasons, [`eval`] measures it all beside three
//! baselines. Training happens once for a set of cards: [`disk`] keeps what it gave.

mod cards;
mod data;
mod disk;
pub mod eval;
mod explain;
mod hybrid;
mod hyperparameters;
mod model;
mod text;

use std::io::Write as _;
use std::sync::Arc;

use cards::fields::CardField;
use cards::index::{CardIndex, QuestionTerm, QuestionVector};
use cards::names::{CardNames, NameMention, is_all_of, is_clear, is_most_of};
use hyperparameters::DENOMINATOR_MIN;
use model::decision::is_any_card;
use model::features::{Comparison, ScoredCard, best_lines, ranking_features};
use model::in_domain::InDomainClassifier;
use model::independence;
use model::logistic_regression::CardClassifier;
use refdesk_core::hash::{HashingWriter, sha256_text};
use refdesk_core::item::{Domain, Framework};
use text::{TokenizedText, tokenize};

pub use explain::without_field;
pub use hyperparameters::Hyperparameters;
pub use model::decision::{DECISION_FEATURE_COUNT, DECISION_FEATURE_NAMES, DecisionFeatures, NAMING};
pub use model::features::{RANKING_FEATURE_COUNT, RANKING_FEATURES, RANKING_WEIGHTS, RankingFeatures, linear_score};

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

refdesk_core::closed_set! {
    /// The router's decision, with its words in the answers.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Decision {
        /// One card stands out.
        Match => "match",
        /// Several fit; a further question would decide.
        Ambiguous => "ambiguous",
        /// Nothing fits.
        NoMatch => "no_match",
    }
}

/// Terms of the question that match a field of a card.
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
    /// The line of the card that speaks against it, or what it lacks compared with the better card.
    pub why_not: Option<String>,
}

/// The router's answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Routing {
    /// The decision.
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
#[derive(Debug)]
pub struct Router {
    cards: Arc<[Card]>,
    cards_hash: String,
    index: CardIndex,
    classifier: CardClassifier,
    names: CardNames,
    in_domain: InDomainClassifier,
}

impl Router {
    /// Name and version of the ranking, shown as `router.algorithm`.
    pub const ALGORITHM: &'static str = "fielded-concepts/2";

    /// Builds the router.
    pub fn build(cards: impl Into<Arc<[Card]>>) -> Self {
        Self::train(cards.into(), Hyperparameters::TUNED, &|_| true)
    }

    fn train(cards: Arc<[Card]>, hyperparameters: Hyperparameters, keep: &dyn Fn(usize) -> bool) -> Self {
        let index = CardIndex::new(&cards, hyperparameters);
        let classifier = CardClassifier::train(&index);
        let everyday = InDomainClassifier::everyday_words();
        let names = CardNames::new(&cards, &|stem| index.is_ordinary(stem), &|stem| {
            index.is_ordinary(stem) || everyday.contains(stem)
        });
        let in_domain = InDomainClassifier::train(&cards, keep);
        let cards_hash = hash_of(&cards);
        Self { cards, cards_hash, index, classifier, names, in_domain }
    }

    /// The cards, in the order they were given.
    pub const fn cards(&self) -> &Arc<[Card]> {
        &self.cards
    }

    /// Routes a question. Never fails: a question without content has no match.
    pub fn route(&self, question: &str, filter: Filter) -> Routing {
        self.route_hybrid(question, filter, None)
    }

    /// Hash of exactly this set of cards: identifies the evaluation that belongs to it, and tells whether a built router is current.
    pub fn cards_hash(&self) -> &str {
        &self.cards_hash
    }

    /// Cards of all domains, with or without candidates, best first.
    fn order(
        &self,
        question: &AnalysedQuestion<'_>,
        features: &[RankingFeatures],
        include_candidates: bool,
    ) -> Vec<ScoredCard> {
        let all = Filter { domain: None, include_candidates };
        let allowed = self.cards.iter().enumerate().filter(|(_, card)| all.passes(card));
        let mut order: Vec<ScoredCard> = allowed
            .map(|(card, _)| ScoredCard { card, score: linear_score(&features[card], &RANKING_WEIGHTS) })
            .collect();
        self.sort(&mut order);
        question.lead_with_named(&mut order);
        order
    }

    /// Those of an order that the filter lets through.
    fn within(&self, order: &[ScoredCard], filter: Filter) -> Vec<ScoredCard> {
        order.iter().filter(|scored| filter.passes(&self.cards[scored.card])).copied().collect()
    }

    /// Whether two cards, or one and itself, have one name, as a card and an operator's own version of it: nobody has to choose between them.
    fn are_namesakes(&self, one: usize, other: usize) -> bool {
        self.cards[one].name == self.cards[other].name
    }

    /// Sorts by score; ties by id.
    fn sort(&self, order: &mut [ScoredCard]) {
        order.sort_by(|a, b| {
            b.score.total_cmp(&a.score).then_with(|| self.cards[a.card].id.cmp(&self.cards[b.card].id))
        });
    }

    /// Everything about a question that does not depend on the filter.
    fn analyse<'q>(&self, question: &'q str) -> AnalysedQuestion<'q> {
        let text = tokenize(question);
        let mut terms = self.index.terms_of(&text);
        let is_known = |stem: &str| self.index.vocabulary.find(stem).is_some() || self.in_domain.knows(stem);
        let mentions = self.names.find(question, &text, &is_known);
        // `which framework helps me decide` is about deciding. In a name or right behind it the word may be part of it: the STAR method.
        let is_of_name = |at: usize| mentions.iter().any(|mention| (mention.from..=mention.to).contains(&at));
        let tells = |term: &QuestionTerm| is_of_name(term.from) || !is_any_card(&text.tokens[term.from].stem);
        terms.retain(|term| term.to > term.from + 1 || tells(term));
        let compared = self.compared(&text, &terms);
        let in_domain = self.in_domain.score(&text, &mentions);
        AnalysedQuestion { written: question, text, terms, mentions, compared, in_domain }
    }

    /// Compares some terms of a question with the cards.
    fn compared(&self, text: &TokenizedText, terms: &[QuestionTerm]) -> Comparison {
        let vector = self.index.vector(terms);
        let best_lines = best_lines(&self.index, &self.index.line_similarities(&vector));
        let best_sentences = self.best_sentences(text, terms, &vector);
        Comparison { vector, best_lines, best_sentences }
    }

    fn features_of(&self, compared: &Comparison, mentions: &[NameMention]) -> Vec<RankingFeatures> {
        ranking_features(&self.index, compared, mentions, &self.classifier.logits_of(&compared.vector))
    }

    fn features(&self, question: &AnalysedQuestion<'_>) -> Vec<RankingFeatures> {
        independence::blended(self, question, &self.features_of(&question.compared, &question.mentions))
    }

    /// See [`Comparison::best_sentences`].
    fn best_sentences(&self, text: &TokenizedText, terms: &[QuestionTerm], whole: &QuestionVector) -> Vec<f32> {
        let mut out = vec![0.0_f32; self.cards.len()];
        let mut sentences: Vec<u16> = text.tokens.iter().map(|token| token.sentence).collect();
        sentences.dedup();
        for sentence in sentences.iter().rev().take(SENTENCES_MAX) {
            let in_sentence: Vec<QuestionTerm> =
                terms.iter().filter(|term| text.tokens[term.from].sentence == *sentence).cloned().collect();
            let vector = self.index.vector(&in_sentence);
            if vector.terms.is_empty() {
                continue;
            }
            let share = (vector.mass / whole.mass.max(DENOMINATOR_MIN)).sqrt();
            for (line, similarity) in self.index.lines.iter().zip(self.index.line_similarities(&vector)) {
                if matches!(line.field, CardField::Example | CardField::When) {
                    let slot = &mut out[line.card as usize];
                    *slot = slot.max(similarity * share);
                }
            }
        }
        out
    }
}

/// Sentences that are compared one by one, from the end of a question, where it usually asks.
const SENTENCES_MAX: usize = 6;

/// A question, analysed and compared with the cards.
struct AnalysedQuestion<'q> {
    /// As the person wrote it.
    written: &'q str,
    text: TokenizedText,
    terms: Vec<QuestionTerm>,
    mentions: Vec<NameMention>,
    compared: Comparison,
    /// Log-odds of being in-domain.
    in_domain: f32,
}

impl AnalysedQuestion<'_> {
    fn mentions_of(&self, card: usize) -> impl Iterator<Item = &NameMention> {
        self.mentions.iter().filter(move |mention| mention.card as usize == card)
    }

    /// Whether the question names a card, and does not reject it.
    fn names(&self, card: usize) -> bool {
        self.mentions_of(card).any(|mention| mention.strength >= 1.0)
    }

    /// Whether it names any card beyond doubt.
    fn is_naming(&self) -> bool {
        self.mentions.iter().any(is_clear)
    }

    /// Whether a word is part of a name of a card.
    fn is_in_name(&self, token: usize) -> bool {
        self.mentions.iter().any(|mention| is_clear(mention) && (mention.from..mention.to).contains(&token))
    }

    /// Whether the name of a card is most of what the question says.
    fn is_mostly_name_of(&self, card: usize) -> bool {
        self.mentions_of(card).any(|mention| is_most_of(mention, &self.text))
    }

    /// Puts first the card whose name is most of what the question says, however often others use its words; or the cards that it names, if
    /// these are several: it is about them.
    fn lead_with_named(&self, order: &mut [ScoredCard]) {
        let alone = self.mentions.iter().find(|mention| is_all_of(mention, &self.text));
        let is_leading = |scored: &ScoredCard| match alone {
            Some(alone) => alone.card as usize == scored.card,
            None => self.names(scored.card),
        };
        let places: Vec<usize> = (0..order.len()).filter(|at| is_leading(&order[*at])).collect();
        if matches!(places[..], [only] if !self.is_mostly_name_of(order[only].card)) {
            return;
        }
        for (front, at) in places.into_iter().enumerate() {
            order[at].score = order[at].score.max(order[0].score);
            order[front..=at].rotate_right(1);
        }
    }
}

impl Filter {
    /// Whether a question may be routed to a card: by its own domain or a secondary one.
    pub fn passes(self, card: &Card) -> bool {
        let framework = &card.framework;
        (card.published || self.include_candidates)
            && self
                .domain
                .is_none_or(|domain| framework.domain == domain || framework.secondary_domains.contains(&domain))
    }
}

/// Stands for the cards, in whatever order they come. They are hashed as they are written, so that no second copy of all is in memory.
fn hash_of(cards: &[Card]) -> String {
    let mut cards: Vec<&Card> = cards.iter().collect();
    cards.sort_by(|a, b| a.id.cmp(&b.id));
    let mut hasher = HashingWriter::new(std::io::sink());
    let written = cards.iter().enumerate().try_for_each(|(at, card)| {
        let before = if at == 0 { "" } else { "\u{2}" };
        let Card { id, name, aliases, framework, published } = card;
        write!(hasher, "{before}{id}\0{name}\0{}\0", aliases.join("\u{1}"))?;
        serde_json::to_writer(&mut hasher, framework)?;
        write!(hasher, "\0{published}")
    });
    // Texts, lists and numbers, which JSON always takes.
    #[expect(clippy::expect_used, reason = "a card without its fields would pass for another's")]
    written.expect("a framework is written as JSON");
    sha256_text(&hasher.finish().0)
}
