//! The words about a ranking: why a card fits, what speaks against it, and the question that would tell two cards apart.
//!
//! All of it is made from the cards' own lines and the person's own words; nothing is phrased freely but the frame.

use super::decide::Outcome;
use super::lines::Role;
use super::{Decision, NEAREST_MAX, RANKED_MAX, Ranked, Reason, Router, Routing, View};

/// Fields that are named as reasons, most telling first.
const REASON_ROLES: [Role; 6] = [Role::Example, Role::When, Role::Summary, Role::Step, Role::Lift, Role::Output];
/// A reason names so many words at most.
const TERMS_MAX: usize = 6;
/// An answer names so many fields at most for a card.
const REASONS_MAX: usize = 4;
/// A line that speaks against a card counts from this likeness on.
const AGAINST_MIN: f32 = 0.22;

/// Puts the ranking into words.
pub(super) fn routing(router: &Router, view: &View<'_>, order: &[(usize, f32)], outcome: &Outcome) -> Routing {
    let decision = outcome.decision;
    let wanted = if decision == Decision::NoMatch { NEAREST_MAX } else { RANKED_MAX };
    let first = order.first().map(|(card, _)| *card);
    let ranked: Vec<Ranked> = order
        .iter()
        .zip(&outcome.confidence)
        .filter(|((_, score), _)| *score > 0.0)
        .take(wanted)
        .enumerate()
        .map(|(position, ((card, score), confidence))| {
            let alternative = position > 0 || decision == Decision::NoMatch;
            Ranked {
                card: *card,
                score: *score,
                confidence: *confidence,
                reasons: reasons(router, view, *card),
                why_not: alternative.then(|| why_not(router, view, *card, first, decision)),
            }
        })
        .collect();
    let clarifying_question = (decision == Decision::Ambiguous).then(|| clarifying(router, &ranked)).flatten();
    Routing { decision, ranked, clarifying_question }
}

/// The fields of a card that answer to words of the question.
fn reasons(router: &Router, view: &View<'_>, card: usize) -> Vec<Reason> {
    let mut out: Vec<Reason> = Vec::new();
    if let Some(named) = view.named.iter().find(|named| named.card as usize == card && named.strength > 0.0) {
        out.push(Reason { field: "name", terms: vec![quoted(view, named.from, named.to)] });
    }
    let lines = &view.best[card];
    for role in REASON_ROLES {
        let (similarity, segment) = lines.first[role as usize];
        if similarity <= 0.0 || out.len() >= REASONS_MAX {
            continue;
        }
        let mut terms: Vec<(f32, usize, usize)> = view
            .terms
            .iter()
            .filter_map(|term| {
                let id = term.id?;
                let held = router.index.holds(segment, id)?;
                Some((held * term.weight * router.index.idf(id), term.from, term.to))
            })
            .collect();
        terms.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut said: Vec<(usize, usize)> = Vec::new();
        for (_, from, to) in terms {
            // A pair or phrase that overlaps words already named adds nothing.
            if said.len() < TERMS_MAX && !said.iter().any(|(a, b)| from < *b && *a < to) {
                said.push((from, to));
            }
        }
        if !said.is_empty() {
            let terms = said.into_iter().map(|(from, to)| quoted(view, from, to)).collect();
            out.push(Reason { field: role.field(), terms });
        }
    }
    out
}

/// The first few different terms, in order.
fn distinct(terms: impl Iterator<Item = String>, limit: usize) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for term in terms {
        if out.len() < limit && !out.contains(&term) {
            out.push(term);
        }
    }
    out
}

/// Words of the question as written.
fn quoted(view: &View<'_>, from: usize, to: usize) -> String {
    let tokens = &view.text.tokens;
    let text = view.question.get(tokens[from].start..tokens[to - 1].end).unwrap_or("");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The line of the card that speaks against it, or what the first card has that it lacks.
fn why_not(router: &Router, view: &View<'_>, card: usize, first: Option<usize>, decision: Decision) -> String {
    let framework = &router.cards()[card].framework;
    if let Some(named) = view.named.iter().find(|named| named.card as usize == card && named.strength < 0.0) {
        return format!("The question rules it out: \"{}\".", quoted(view, named.from.saturating_sub(2), named.to));
    }
    let lines = &view.best[card];
    let segment = |role: Role| {
        let (similarity, at) = lines.first[role as usize];
        (similarity > AGAINST_MIN).then(|| (similarity, &router.index.segments[at as usize]))
    };
    let anti = segment(Role::Anti);
    let not = segment(Role::Not);
    match (anti, not) {
        (Some((anti_similarity, anti)), not) if not.is_none_or(|(similarity, _)| similarity <= anti_similarity) => {
            if let Some(example) = framework.anti_examples.get(usize::from(anti.line)) {
                let better = anti.other.map_or(example.better.as_str(), |at| router.cards()[at as usize].name.as_str());
                return format!("anti_examples: \"{}\" is better served by {better}.", example.question);
            }
        }
        (_, Some((_, not))) => {
            if let Some(line) = framework.when_not_to_use.get(usize::from(not.line)) {
                return format!("when_not_to_use: {line}");
            }
        }
        _ => {}
    }
    if decision == Decision::NoMatch {
        return nearest_lacks(router, view, card);
    }
    beside_first(router, view, card, first)
}

/// Why even a near card does not fit.
fn nearest_lacks(router: &Router, view: &View<'_>, card: usize) -> String {
    let framework = &router.cards()[card].framework;
    let met = distinct(reasons(router, view, card).into_iter().flat_map(|reason| reason.terms), 3);
    let situation = framework.when_to_use.first().map_or(framework.summary.as_str(), String::as_str);
    if met.is_empty() {
        format!("No situation of this card is in the question; it is for: {situation}")
    } else {
        format!("Only \"{}\" of the question is near this card; it is for: {situation}", met.join("\", \""))
    }
}

/// What the first card answers to and this one does not.
fn beside_first(router: &Router, view: &View<'_>, card: usize, first: Option<usize>) -> String {
    let Some(first) = first else { return nearest_lacks(router, view, card) };
    let own: Vec<String> = reasons(router, view, card).into_iter().flat_map(|reason| reason.terms).collect();
    let name = &router.cards()[first].name;
    let said = reasons(router, view, first).into_iter().flat_map(|reason| reason.terms);
    let ahead = distinct(said.filter(|term| !own.contains(term)), 4);
    let line = view.best[first].first[Role::When as usize];
    let situation = (line.0 > 0.0)
        .then(|| router.index.segments[line.1 as usize].line)
        .and_then(|line| router.cards()[first].framework.when_to_use.get(usize::from(line)));
    match (ahead.is_empty(), situation) {
        (false, _) => format!("{name} also answers to \"{}\".", ahead.join("\", \"")),
        (true, Some(situation)) => format!("{name} is nearer: {situation}"),
        (true, None) => format!("{name} answers to the same words more closely."),
    }
}

/// A question made from the situations or results that tell the first cards apart.
fn clarifying(router: &Router, ranked: &[Ranked]) -> Option<String> {
    let close: Vec<&Ranked> = ranked.iter().take(2).collect();
    let [first, second] = close.as_slice() else { return None };
    let (a, b) = (&router.cards()[first.card], &router.cards()[second.card]);
    let result = |card: &super::Card| card.framework.output.as_ref().map(|output| lower_first(&output.artifact));
    let situation =
        |card: &super::Card| card.framework.when_to_use.first().map(|line| lower_first(line.trim_end_matches('.')));
    Some(match (situation(a), situation(b), result(a), result(b)) {
        (Some(left), Some(right), ..) => {
            format!("Which is nearer to your situation: \"{left}\" ({}), or \"{right}\" ({})?", a.name, b.name)
        }
        (_, _, Some(left), Some(right)) => {
            format!("What should come out of it: {left} ({}), or {right} ({})?", a.name, b.name)
        }
        _ => format!("Do you mean {} or {}?", a.name, b.name),
    })
}

/// Lower case at the beginning unless the word is written in capitals or is "I".
fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    match (chars.next(), chars.clone().next()) {
        (Some(first), Some(second)) if second.is_lowercase() => first.to_lowercase().chain(chars).collect(),
        _ => text.to_owned(),
    }
}
