//! Answers about frameworks: searches among the cards, and routes to one.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::search::{Typed, hit_head, matched, nothing_meets_filters, rounded, suggestions};
use super::{SNIPPET_CHARS_MAX, standing, url};
use crate::json::Object;
use crate::listing;
use crate::segment::render::id_of;
use crate::snapshot::Snapshot;
use refdesk_core::query::{FrameworkSearchQuery, RouteQuery, Warning};
use refdesk_core::{Kind, Stamp};
use refdesk_route::{Decision, Filter, NEAREST_MAX, RANKED_MAX, Ranked, Router};
use refdesk_search::{SearchRequest, SnippetGenerator};

/// The figures of the last evaluation of exactly this set of cards.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct RouterEval {
    /// Questions asked.
    pub n: usize,
    /// Share of questions with an acceptable card first.
    pub top1: f64,
    /// Share of questions with an acceptable card among the first three.
    pub top3: f64,
    /// When it was run.
    pub evaluated_at: Stamp,
}

/// The members of a card summary that do not depend on the question, into an open object.
fn card_summary(snapshot: &Snapshot, ordinal: u32, base: &str, object: &mut Object<'_>) {
    let row = snapshot.row(ordinal);
    hit_head(&snapshot.item(ordinal), row, object);
    url(object, base, Kind::Framework, id_of(row));
    standing(object, &snapshot.evidence_of(ordinal));
}

/// The cards that pass a filter.
fn passing(snapshot: &Snapshot, filter: Filter) -> HashSet<u32> {
    let cards = snapshot.router().cards().iter().enumerate();
    cards.filter(|(_, card)| filter.passes(card)).map(|(at, _)| snapshot.card_ordinal(at)).collect()
}

/// An answer about frameworks.
pub struct FrameworkAnswer {
    /// Its JSON.
    pub json: Vec<u8>,
    /// The cards that it shows, or the one that it selects.
    pub items: Vec<u32>,
    /// What the JSON tells as `warnings`.
    pub warnings: Vec<Warning>,
}

/// A framework search answer.
pub fn framework_search(
    snapshot: &Snapshot,
    query: &FrameworkSearchQuery,
    base: &str,
    warnings: &[Warning],
) -> FrameworkAnswer {
    let filter = Filter { domain: query.domain, include_candidates: query.include_candidates };
    let segments = Kind::Framework.into();
    let all = snapshot.router().cards().len();
    let request = SearchRequest { segments, ..SearchRequest::new(&query.text, all) };
    let mut outcome = snapshot.search(&request);
    let allowed = passing(snapshot, filter);
    let found_among = |cards: &HashSet<u32>| outcome.hits.iter().filter(|hit| cards.contains(&hit.ordinal)).count();
    let total = found_among(&allowed);
    let left_out = named_left_out(snapshot, &query.text, filter);
    let unmet = if total == 0 {
        let candidates = || found_among(&passing(snapshot, Filter { include_candidates: true, ..filter }));
        nothing_meets_filters(found_among(&passing(snapshot, Filter { domain: None, ..filter })), true)
            .or_else(|| left_out.is_none().then(|| only_candidates(candidates())).flatten())
    } else {
        None
    };
    outcome.hits.retain(|hit| allowed.contains(&hit.ordinal));
    outcome.hits.truncate(query.limit);
    let snippets = SnippetGenerator::new(&query.text).with_corrected(&outcome.corrected);
    let typed = Typed::new([query.text.as_str()]);
    let mut out = Vec::with_capacity(1024 + outcome.hits.len() * 1000);
    let mut object = Object::open(&mut out);
    object.verbatim("query", Some(&query.text));
    object.value("domain", &query.domain);
    object.flag("include_candidates", query.include_candidates);
    object.flag("include_prompt", query.include_prompt);
    object.count("limit", query.limit);
    object.count("count", outcome.hits.len());
    object.count("total", total);
    object.objects("frameworks", &outcome.hits, |entry, hit| {
        card_summary(snapshot, hit.ordinal, base, entry);
        entry.value("score", &rounded(hit.score));
        matched(entry, snapshot, hit, &typed);
        let item = snapshot.item(hit.ordinal);
        entry.optional("snippet", snippets.snippet(&snapshot.passage(hit.ordinal), SNIPPET_CHARS_MAX).as_deref());
        if query.include_prompt {
            entry.raw("prompt", item.prompt.unwrap_or("null"));
        }
    });
    // What is named is there, and so are the words: nothing else was meant.
    let suggested = if unmet.is_some() || left_out.is_some() {
        Vec::new()
    } else {
        suggestions(snapshot, &query.text, segments, &outcome, &|ordinal| allowed.contains(&ordinal))
    };
    object.value("suggestions", &suggested);
    let nothing = listing::of_nothing(snapshot, &[Kind::Framework]);
    let warnings = warnings.iter().chain(&query.warnings).cloned();
    let warnings: Vec<Warning> = warnings.chain(unmet).chain(left_out).chain(nothing).collect();
    object.value("warnings", &warnings);
    object.text("catalog_revision", snapshot.revision());
    object.close();
    FrameworkAnswer { json: out, items: outcome.hits.iter().map(|hit| hit.ordinal).collect(), warnings }
}

/// Says how many candidates are found where no published card is.
fn only_candidates(found: usize) -> Option<Warning> {
    let are = if found == 1 { "1 candidate was".to_owned() } else { format!("{found} candidates were") };
    (found > 0).then(|| format!("no published card was found; {are}: add `include_candidates=true`").into())
}

/// Says that the card which a text names is left out, and why.
fn named_left_out(snapshot: &Snapshot, text: &str, filter: Filter) -> Option<Warning> {
    let ordinal = listing::called(snapshot, Kind::Framework, text)?;
    let cards = snapshot.router().cards();
    let card = (0..cards.len()).find(|card| snapshot.card_ordinal(*card) == ordinal)?;
    let passes = |filter: Filter| filter.passes(&cards[card]);
    match (passes(filter), passes(Filter { include_candidates: true, ..filter })) {
        (true, _) => None,
        (false, true) => Some(listing::of_candidate(snapshot, ordinal)),
        (false, false) => Some(listing::unmet(snapshot, ordinal)),
    }
}

/// Says why no card fits a question in a script of which the router has no words; whether a framework would help is unknown.
const UNREAD: &str = "no card has a word of this question: the router reads English and, word by word, German, French, Spanish, Portuguese, \
                      Dutch and Italian";

/// Whether a text has letters, and none of them is Latin.
fn is_of_unread_script(text: &str) -> bool {
    let is_latin = |c: char| c.is_ascii_alphabetic() || matches!(c, '\u{c0}'..='\u{24f}');
    text.contains(char::is_alphabetic) && !text.contains(is_latin)
}

/// A route answer. The mode of the question is told as it stands: `hybrid` only with `near`, how near each
/// card is by meaning ([`crate::semantic::card_likenesses`]). `eval` are the figures of the last evaluation of these cards.
pub fn route(
    snapshot: &Snapshot,
    query: &RouteQuery,
    near: Option<&[f32]>,
    eval: Option<&RouterEval>,
    base: &str,
    warnings: &[Warning],
) -> FrameworkAnswer {
    let filter = Filter { domain: query.domain, include_candidates: query.include_candidates };
    let routing = snapshot.router().route_hybrid(&query.text, filter, near);
    let found = routing.decision != Decision::NoMatch;
    let selected = if found { routing.ranked.first() } else { None };
    let others = if found { 1..RANKED_MAX } else { 0..NEAREST_MAX };
    let others = routing.ranked.iter().take(others.end).skip(others.start);
    let mut out = Vec::with_capacity(4096);
    let mut object = Object::open(&mut out);
    object.verbatim("query", Some(&query.text));
    object.value("domain", &query.domain);
    object.flag("include_candidates", query.include_candidates);
    object.text("decision", routing.decision.as_str());
    match selected {
        Some(ranked) => selected_card(snapshot, ranked, base, object.name("selected")),
        None => object.raw("selected", "null"),
    }
    object.objects("alternatives", others, |entry, ranked| {
        let ordinal = snapshot.card_ordinal(ranked.card);
        let card = &snapshot.router().cards()[ranked.card];
        entry.text("id", snapshot.id(ordinal));
        entry.text("display_name", &snapshot.name(ordinal));
        entry.text("domain", card.framework.domain.as_str());
        entry.value("score", &rounded(ranked.score));
        entry.optional("why_not", ranked.why_not.as_deref());
        entry.flag("stale", snapshot.evidence_of(ordinal).stale_reason.is_some());
        url(entry, base, Kind::Framework, snapshot.id(ordinal));
    });
    object.optional("clarifying_question", routing.clarifying_question.as_deref());
    let mut router = Object::open(object.name("router"));
    router.text("algorithm", Router::ALGORITHM);
    router.text("mode", query.mode.as_str());
    router.text("catalog_revision", snapshot.revision());
    router.value("eval", &eval);
    router.close();
    let unread = (routing.ranked.is_empty() && is_of_unread_script(&query.text)).then(|| Warning::from(UNREAD));
    let left_out = named_left_out(snapshot, &query.text, filter);
    let nothing = listing::of_nothing(snapshot, &[Kind::Framework]);
    let warnings: Vec<Warning> = warnings.iter().cloned().chain(unread).chain(left_out).chain(nothing).collect();
    if !warnings.is_empty() {
        object.value("warnings", &warnings);
    }
    object.close();
    FrameworkAnswer {
        json: out,
        items: selected.map(|ranked| snapshot.card_ordinal(ranked.card)).into_iter().collect(),
        warnings,
    }
}

fn selected_card(snapshot: &Snapshot, ranked: &Ranked, base: &str, out: &mut Vec<u8>) {
    let mut entry = Object::open(out);
    card_summary(snapshot, snapshot.card_ordinal(ranked.card), base, &mut entry);
    entry.value("score", &rounded(ranked.score));
    entry.value("confidence", &rounded(ranked.confidence));
    entry.objects("reasons", &ranked.reasons, |object, reason| {
        object.text("field", reason.field);
        object.value("terms", &reason.terms);
    });
    entry.close();
}
