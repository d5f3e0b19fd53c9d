//! Explanations of a ranking: why a card fits, what speaks against it, and the question that would disambiguate two cards.
//!
//! They quote the cards' own lines and the person's own words in fixed templates; nothing is generated.

use super::cards::fields::CardField;
use super::model::decision::DecisionOutcome;
use super::model::features::ScoredCard;
use super::text::fold;
use super::{AnalysedQuestion, Decision, NEAREST_MAX, RANKED_MAX, Ranked, Reason, Router, Routing};

/// Fields that are given as reasons, most telling first. An anti-example is none: it says when another card does not fit.
const REASON_FIELDS: [CardField; 5] =
    [CardField::Example, CardField::When, CardField::Summary, CardField::Step, CardField::Output];
/// Words in a reason.
const TERMS_MAX: usize = 6;
/// Reasons for a card.
const REASONS_MAX: usize = 4;
/// Similarity from which a line against a card counts.
const AGAINST_MIN: f32 = 0.22;

/// What explanations are made from: the cards, and how the question compares with them.
#[derive(Clone, Copy)]
struct Explainer<'a> {
    router: &'a Router,
    question: &'a AnalysedQuestion<'a>,
}

pub(super) fn routing(
    router: &Router,
    question: &AnalysedQuestion<'_>,
    order: &[ScoredCard],
    outcome: &DecisionOutcome,
) -> Routing {
    let explainer = Explainer { router, question };
    let decision = outcome.decision;
    let limit = if decision == Decision::NoMatch { NEAREST_MAX } else { RANKED_MAX };
    let first = order.first().map(|first| first.card);
    let ranked: Vec<Ranked> = order
        .iter()
        .zip(&outcome.confidence)
        .filter(|(scored, _)| scored.score > 0.0)
        .take(limit)
        .enumerate()
        .map(|(position, (scored, confidence))| {
            let alternative = position > 0 || decision == Decision::NoMatch;
            Ranked {
                card: scored.card,
                score: scored.score,
                confidence: *confidence,
                reasons: explainer.reasons(scored.card),
                why_not: alternative.then(|| explainer.why_not(scored.card, first, decision)),
            }
        })
        .collect();
    let clarifying_question =
        (decision == Decision::Ambiguous).then(|| explainer.clarifying_question(&ranked)).flatten();
    Routing { decision, ranked, clarifying_question }
}

/// Runs of tokens, each with the first and the one after the last.
type Spans = Vec<(usize, usize)>;

impl<'a> Explainer<'a> {
    /// The fields of a card that answer to words of the question.
    fn reasons(self, card: usize) -> Vec<Reason> {
        let quote = |(from, to): &(usize, usize)| self.quoted(*from, *to);
        self.answers(card)
            .into_iter()
            .map(|(field, spans)| Reason { field, terms: spans.iter().map(quote).collect() })
            .collect()
    }

    /// The fields of a card that answer to the question, each with what it answers to.
    fn answers(self, card: usize) -> Vec<(&'static str, Spans)> {
        let mut out: Vec<(&'static str, Spans)> = Vec::new();
        if let Some(mention) = self.question.mentions_of(card).find(|mention| mention.strength > 0.0) {
            out.push(("name", vec![(mention.from, mention.to)]));
        }
        let lines = &self.question.compared.best_lines[card];
        for field in REASON_FIELDS {
            let best = lines.first[field as usize];
            if best.similarity <= 0.0 || out.len() >= REASONS_MAX {
                continue;
            }
            let spans = self.answered_by(best.line);
            if !spans.is_empty() {
                out.push((field.name(), spans));
            }
        }
        out
    }

    /// What a line answers to, the most telling first: each word once, and no word that is only a way of asking.
    fn answered_by(self, line: u32) -> Spans {
        let tokens = &self.question.text.tokens;
        let mut terms: Vec<(f32, usize, usize)> = self
            .question
            .terms
            .iter()
            .filter(|term| term.to > term.from + 1 || !tokens[term.from].stop)
            .filter_map(|term| {
                let id = term.id?;
                let weight = self.router.index.line_weight(line, id)?;
                Some((weight * term.weight * self.router.index.idf(id), term.from, term.to))
            })
            .collect();
        terms.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let place = |from: usize, to: usize| (tokens[from].start, tokens[to - 1].end);
        let written = |from: usize, to: usize| {
            let (start, end) = place(from, to);
            self.question.written.get(start..end).map(fold)
        };
        let mut chosen: Spans = Vec::new();
        for (_, from, to) in terms {
            // A pair or phrase that overlaps words already chosen adds nothing, and neither does a word said again.
            let (start, end) = place(from, to);
            let adds_nothing = |(a, b): &(usize, usize)| {
                let (chosen_start, chosen_end) = place(*a, *b);
                start < chosen_end && chosen_start < end || written(from, to) == written(*a, *b)
            };
            if chosen.len() < TERMS_MAX && !chosen.iter().any(adds_nothing) {
                chosen.push((from, to));
            }
        }
        chosen
    }

    /// Words of the question as written.
    fn quoted(self, from: usize, to: usize) -> String {
        let tokens = &self.question.text.tokens;
        let text = self.question.written.get(tokens[from].start..tokens[to - 1].end).unwrap_or("");
        // A quotation mark that a word begins or ends with belongs to more than the words here.
        text.trim_matches(['\'', '‘', '’', '`']).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The line of the card that speaks against it, or what the first card has that it lacks.
    fn why_not(self, card: usize, first: Option<usize>, decision: Decision) -> String {
        let framework = &self.router.cards()[card].framework;
        if let Some(mention) = self.question.mentions_of(card).find(|mention| mention.strength < 0.0) {
            let words = self.quoted(mention.from.saturating_sub(2), mention.to);
            return format!("The question rules it out: \"{words}\".");
        }
        if let Some(first) = first.filter(|first| *first != card && self.router.are_namesakes(*first, card)) {
            return format!("It has the same name as {}, which is nearer.", self.router.cards()[first].id);
        }
        let lines = &self.question.compared.best_lines[card];
        let similar = |field: CardField| {
            let best = lines.first[field as usize];
            (best.similarity > AGAINST_MIN).then(|| (best.similarity, &self.router.index.lines[best.line as usize]))
        };
        let anti = similar(CardField::Anti);
        let not = similar(CardField::Not);
        match (anti, not) {
            (Some((anti_similarity, anti)), not) if not.is_none_or(|(similarity, _)| similarity <= anti_similarity) => {
                if let Some(example) = framework.anti_examples.get(usize::from(anti.position)) {
                    let better = anti
                        .related_card
                        .map_or(example.better.as_str(), |at| self.router.cards()[at as usize].name.as_str());
                    return format!("anti_examples: \"{}\" is better served by {better}.", example.question);
                }
            }
            (_, Some((_, not))) => {
                if let Some(line) = framework.when_not_to_use.get(usize::from(not.position)) {
                    return format!("when_not_to_use: {line}");
                }
            }
            _ => {}
        }
        if decision == Decision::NoMatch {
            return self.unmet(card);
        }
        self.compared_with_first(card, first)
    }

    /// Why even a near card does not fit.
    fn unmet(self, card: usize) -> String {
        let terms = distinct(self.reasons(card).into_iter().flat_map(|reason| reason.terms), 3);
        let situation = self.first_situation(card);
        if terms.is_empty() {
            format!("No situation of this card is in the question; it is for: {situation}")
        } else {
            format!(
                "Only \"{}\" in the question is close to this card, which is for: {situation}",
                terms.join("\", \"")
            )
        }
    }

    /// What the first card answers to and this one does not.
    fn compared_with_first(self, card: usize, first: Option<usize>) -> String {
        let Some(first) = first else { return self.unmet(card) };
        let name = &self.router.cards()[first].name;
        if self.question.names(first) {
            return if self.question.names(card) {
                let situation = self.first_situation(card);
                format!("The question names it beside {name}; it is for: {situation}")
            } else {
                format!("The question names {name}, and not this card.")
            };
        }
        let of_first = self.answers(first).into_iter().flat_map(|(_, spans)| spans);
        let only_first = of_first.filter(|(from, to)| !self.has_all(card, *from, *to));
        let ahead = distinct(only_first.map(|(from, to)| self.quoted(from, to)), 4);
        match (ahead.is_empty(), self.nearest_situation(first, 1)) {
            (false, _) => format!("{name} also answers to \"{}\".", ahead.join("\", \"")),
            (true, Some(situation)) => format!("{name} is nearer: {situation}"),
            (true, None) => format!("{name} answers to the same words more closely."),
        }
    }

    /// What a card is for: its first situation, else its summary.
    fn first_situation(self, card: usize) -> &'a str {
        let framework = &self.router.cards()[card].framework;
        framework.when_to_use.first().map_or(framework.summary.as_str(), String::as_str)
    }

    /// Whether a card has, in whatever field, every word of a run that is no stop word: by itself, by its meaning or in a phrase.
    fn has_all(self, card: usize, from: usize, to: usize) -> bool {
        let is_had = |at: usize| {
            let of_word = self.question.terms.iter().filter(|term| (term.from..term.to).contains(&at));
            of_word.filter_map(|term| term.id).any(|id| self.router.index.card_weight(card, id) > 0.0)
        };
        (from..to).all(|at| self.question.text.tokens[at].stop || is_had(at))
    }

    /// The situation of a card that is nearest to the question, if it answers to so many of its words.
    fn nearest_situation(self, card: usize, words_min: usize) -> Option<&'a String> {
        let best = self.question.compared.best_lines[card].first[CardField::When as usize];
        let is_near = best.similarity > 0.0 && (words_min <= 1 || self.answered_by(best.line).len() >= words_min);
        let line = self.router.index.lines.get(best.line as usize).filter(|_| is_near)?;
        self.router.cards()[card].framework.when_to_use.get(usize::from(line.position))
    }

    /// A question made from the situations or results that tell the first cards apart.
    fn clarifying_question(self, ranked: &[Ranked]) -> Option<String> {
        let (first, others) = ranked.split_first()?;
        let second = others.iter().find(|other| !self.router.are_namesakes(first.card, other.card))?;
        let (a, b) = (&self.router.cards()[first.card], &self.router.cards()[second.card]);
        let result = |card: &super::Card| card.framework.output.as_ref().map(|output| lower_first(&output.artifact));
        // One word may be in a line by chance; the first line is the most general.
        let situation = |at: &Ranked| {
            let first = || self.router.cards()[at.card].framework.when_to_use.first();
            self.nearest_situation(at.card, 2).or_else(first).map(|line| line.trim_end_matches('.'))
        };
        Some(match (situation(first), situation(second), result(a), result(b)) {
            (Some(left), Some(right), ..) => {
                format!("Which is nearer to your situation: \"{left}\" ({}), or \"{right}\" ({})?", a.name, b.name)
            }
            (_, _, Some(left), Some(right)) => {
                format!("What should come out of it: {left} ({}), or {right} ({})?", a.name, b.name)
            }
            _ => format!("Do you mean {} or {}?", a.name, b.name),
        })
    }
}

/// The first few distinct terms, in order, without those whose words an earlier term has.
fn distinct(terms: impl Iterator<Item = String>, limit: usize) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for term in terms {
        // With blanks around both, so that `art` is no part of `start`.
        let is_part = |longer: &String| format!(" {longer} ").contains(&format!(" {term} "));
        if out.len() < limit && !out.iter().any(is_part) {
            out.push(term);
        }
    }
    out
}

/// Why a card does not fit, without the name of the field that says so before it.
pub fn without_field(why: &str) -> &str {
    let is_field = |name: &str| name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    why.split_once(": ").filter(|(name, _)| is_field(name)).map_or(why, |(_, why)| why)
}

/// Lower case at the beginning unless the word is written in capitals or is "I".
fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    match (chars.next(), chars.clone().next()) {
        (Some(first), Some(second)) if second.is_lowercase() => first.to_lowercase().chain(chars).collect(),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::distinct;

    /// Letters alone made `art` a part of `start`, so that a reason lacked a word of the question.
    #[test]
    fn a_term_is_left_out_only_if_its_words_stand_in_one_before() {
        let terms = ["start a plan", "art", "a plan", "art", "plane", "plan"];
        assert_eq!(distinct(terms.map(str::to_owned).into_iter(), 5), ["start a plan", "art", "plane"]);
    }
}
