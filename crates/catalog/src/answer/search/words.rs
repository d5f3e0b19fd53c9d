//! Finding by words alone: what is searched for, how its hits are ranked, and what is put before them.

use super::{editions, placed, searched_segments};
use crate::snapshot::Snapshot;
use crate::understand::{Asked, GAINS, Understood, deed, expansions, language_asked, made};
use refdesk_core::Kind;
use refdesk_core::query::SearchQuery;
use refdesk_search::{
    AnalysedQuery, Bitmap, CosineSimilarities, MatchField, MatchKind, QueryText, SearchHit, SearchOutcome,
    SearchRequest, SegmentSet, Telling,
};

/// Fewer words are names and topics.
const QUESTION_FROM_WORDS: usize = 4;
/// Items whose name has a word that is not wanted: more of them are not left out.
const LEFT_OUT_MAX: usize = 500;

/// A search for words alone, with what is put before its hits.
pub fn by_words(
    snapshot: &Snapshot,
    query: &SearchQuery,
    understood: &Understood,
    semantic: Option<&CosineSimilarities>,
) -> SearchOutcome {
    let preferred: SegmentSet = understood.kind.into_iter().chain(understood.also).collect();
    let is_plain = query.understand && understood.is_empty() && understood.about.is_none();
    let asked = if is_plain { Asked::of(&query.text) } else { Asked::Other };
    let need = asked.need().filter(|_| query.kind.is_none());
    // Who types `dns records` rather looks for what handles them than for a text that mentions both words.
    let is_met_by_what_acts = query.kind.is_none() && matches!(asked, Asked::Need(_) | Asked::Topic);
    let mut gains = [0; Kind::ALL.len()];
    if is_met_by_what_acts {
        GAINS.iter().for_each(|(kind, percent)| gains[kind.index()] = *percent);
    }
    let of_kind = (!preferred.is_empty() && !understood.rest.is_empty()).then_some(understood.rest.as_str());
    let in_text = of_kind.filter(|_| understood.kind == Some(Kind::Tutorial)).and_then(|rest| made(&query.text, rest));
    let deed = in_text.or_else(|| of_kind.and_then(deed));
    let of_kind = deed.as_deref().or(of_kind);
    // Who asks how to do something may have no word of the field for it either.
    let expansions = need.or(of_kind).or(asked.way()).map(expansions).unwrap_or_default();
    // Searched twice, where there are several editions of a document.
    let text = snapshot.analyse(&query.text);
    let only = without_named(snapshot, &understood.unwanted);
    let subject = of_kind.or(need).map(|subject| snapshot.analyse(subject));
    let request = SearchRequest {
        segments: searched_segments(query.kind),
        fresh_only: query.fresh_only,
        only: &only,
        preferred,
        gains: if is_met_by_what_acts { &gains } else { &[] },
        telling: if need.is_some() { Telling::Need } else { telling(query) },
        subject: subject.as_ref().map(QueryText::from),
        expansions: &expansions,
        semantic,
        ..SearchRequest::new(&text, query.limit)
    };
    let mut outcome = editions::search(snapshot, &request);
    // `MCP server` is said of what other kinds are about, too (`docs of the MCP server`): of 282 questions two would be lost.
    let named_kind = understood.kind.filter(|kind| query.kind.is_none() && *kind != Kind::McpServer);
    let of_kind = |subject: &AnalysedQuery, kind: Kind, semantic| {
        let request = SearchRequest {
            segments: kind.into(),
            fresh_only: query.fresh_only,
            only: &only,
            expansions: &expansions,
            semantic,
            ..SearchRequest::new(subject, query.limit)
        };
        editions::search(snapshot, &request).hits
    };
    if let (Some(kind), Some(subject)) = (named_kind, &subject) {
        let others = understood.also.map(|also| of_kind(subject, also, semantic)).unwrap_or_default();
        let hits = alternately(of_kind(subject, kind, semantic), others);
        placed::put_kind(snapshot, hits, query.limit, &mut outcome);
    }
    // `MCP server for postgres` names servers that are called `postgres`, too.
    if let (Some(Kind::McpServer), None, Some(subject)) = (understood.kind, query.kind, &subject) {
        let called = of_kind(subject, Kind::McpServer, None);
        placed::put_called(snapshot, called, query.limit, &mut outcome);
    }
    if query.kind.is_none() && asked.is_told() {
        placed::put_told(snapshot, &mut outcome);
    }
    placed::put(snapshot, query, understood, &mut outcome);
    if query.understand
        && editions::are_among(snapshot, &outcome.hits)
        && let Some(language) = language_asked(&query.text)
    {
        editions::show_in(snapshot, language, &mut outcome.hits);
    }
    outcome
}

/// How much it counts where the words of what is no need stand: a sentence has words that any long text has.
fn telling(query: &SearchQuery) -> Telling {
    let is_sentence = query.text.split_whitespace().nth(QUESTION_FROM_WORDS - 1).is_some();
    if query.understand && is_sentence { Telling::Question } else { Telling::None }
}

/// Hits of two kinds in turn: of a `tool` that is asked for as many servers are found as programs, and their scores say nothing of each other.
fn alternately(first: Vec<SearchHit>, second: Vec<SearchHit>) -> Vec<SearchHit> {
    let mut second = second.into_iter();
    let mut hits = Vec::with_capacity(first.len() + second.len());
    for hit in first {
        hits.push(hit);
        hits.extend(second.next());
    }
    hits.extend(second);
    hits
}

/// By kind, what may be found beside items with one of some words in a name; empty where there are none. What does something has it in its
/// description, too (`Automates a browser with Playwright`); a text may tell of anything.
fn without_named(snapshot: &Snapshot, words: &[String]) -> Vec<Bitmap> {
    let is_named = |hit: &SearchHit| {
        let names = [MatchField::Id, MatchField::Name, MatchField::Alias, MatchField::Title];
        let acts = matches!(snapshot.kind_of(hit.ordinal), Kind::McpServer | Kind::Tool | Kind::Skill);
        let tells = |field: &MatchField| names.contains(field) || acts && *field == MatchField::Description;
        hit.matched.iter().any(|(field, how)| tells(field) && *how != MatchKind::Fuzzy)
    };
    let found = words.iter().flat_map(|word| snapshot.search(&SearchRequest::new(word.as_str(), LEFT_OUT_MAX)).hits);
    let named: Bitmap = found.filter(is_named).map(|hit| hit.ordinal).collect();
    if named.is_empty() {
        return Vec::new();
    }
    let others = |kind: Kind| {
        let rows = 0..snapshot.segment(kind).len();
        rows.filter(|row| snapshot.shows(kind, *row) && !named.contains(snapshot.ordinal(kind, *row))).collect()
    };
    Kind::ALL.map(others).to_vec()
}
