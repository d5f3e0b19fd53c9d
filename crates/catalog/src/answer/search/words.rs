//! Finding by words alone: what is searched for, how its hits are ranked, and what is put before them.

use super::titled::published;
use super::{authors, editions, placed, searched_segments};
use crate::snapshot::Snapshot;
use crate::understand::{Asked, GAINS, Understood, deed, expansions, language_asked, made};
use refdesk_core::Kind;
use refdesk_core::query::SearchQuery;
use refdesk_search::{
    Bitmap, CosineSimilarities, MatchField, MatchKind, QueryText, SearchHit, SearchOutcome, SearchRequest, Telling,
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
    let is_plain = query.understand && understood.is_empty() && !understood.names_one();
    let asked = if is_plain { Asked::of(&query.text) } else { Asked::Other };
    let sought = Sought::new(query, understood, &asked);
    // Searched twice, where there are several editions of a document.
    let text = snapshot.analyse(&query.text);
    let only = without_named(snapshot, &understood.unwanted);
    let subject = sought.subject.as_deref().map(|subject| snapshot.analyse(subject));
    let begun = |text, limit| SearchRequest {
        fresh_only: query.fresh_only,
        only: &only,
        expansions: &sought.expansions,
        semantic,
        ..SearchRequest::new(text, limit)
    };
    let request = SearchRequest {
        segments: searched_segments(query.kind),
        preferred: understood.kind.into_iter().chain(understood.also).collect(),
        gains: &sought.gains,
        telling: sought.telling,
        subject: subject.as_ref().map(QueryText::from),
        ..begun(&text, query.limit)
    };
    let mut outcome = editions::search(snapshot, &request);
    if let (Some(kind), None, Some(subject)) = (understood.kind, query.kind, &subject) {
        let of_any_kind =
            SearchRequest { segments: request.segments, telling: sought.telling, ..begun(&text, query.limit) };
        put_of_kind(snapshot, (kind, understood.also), &begun(subject, query.limit), &of_any_kind, &mut outcome);
    }
    if query.kind.is_none() {
        placed::put_meant(snapshot, &asked, &mut outcome);
    }
    placed::put(snapshot, query, understood, &mut outcome);
    authors::put(snapshot, query, understood, &mut outcome);
    published::put(snapshot, query, understood, &mut outcome);
    if query.understand
        && editions::are_among(snapshot, &outcome.hits)
        && let Some(language) = language_asked(&query.text)
    {
        editions::show_in(snapshot, language, &mut outcome.hits);
    }
    outcome
}

/// What a question looks for in words, and which hits meet it best.
struct Sought {
    /// By kind, percent that its texts count more; empty for none.
    gains: Vec<u32>,
    /// How much it counts where the words stand.
    telling: Telling,
    /// What is looked for, without the words that only say what is meant.
    subject: Option<String>,
    /// What the field calls it.
    expansions: String,
}

impl Sought {
    fn new(query: &SearchQuery, understood: &Understood, asked: &Asked) -> Self {
        let of_kind = of_kind(query, understood);
        // Who asks how to do something may have no word of the field for it either.
        let expanded = asked.need().or(of_kind.as_deref()).or(asked.way());
        // Where one kind alone is searched, no other is to be put behind it.
        let need = asked.need().filter(|_| query.kind.is_none());
        // Who types `dns records` rather looks for what handles them than for a text that mentions both words.
        let is_met_by_what_acts = query.kind.is_none() && matches!(asked, Asked::Need(_) | Asked::Topic);
        Self {
            gains: if is_met_by_what_acts { gains() } else { Vec::new() },
            telling: if need.is_some() { Telling::Need } else { telling(query) },
            expansions: expanded.map(expansions).unwrap_or_default(),
            subject: of_kind.or_else(|| need.map(str::to_owned)),
        }
    }
}

/// What is looked for beside the word for a kind: what a text makes, or what shall be done, if the rest of the question says that.
fn of_kind(query: &SearchQuery, understood: &Understood) -> Option<String> {
    let names_kind = understood.kind.is_some() || understood.also.is_some();
    let rest = Some(understood.rest.as_str()).filter(|rest| names_kind && !rest.is_empty())?;
    let in_text = if understood.kind == Some(Kind::Tutorial) { made(&query.text, rest) } else { None };
    Some(in_text.or_else(|| deed(rest)).unwrap_or_else(|| rest.to_owned()))
}

/// By kind, percent that its texts count more where what acts is meant.
fn gains() -> Vec<u32> {
    let mut gains = vec![0; Kind::ALL.len()];
    GAINS.iter().for_each(|(kind, percent)| gains[kind.index()] = *percent);
    gains
}

/// Puts what a search among the items of the kind that a question names finds before others, and in turn with what that word may mean as well.
/// Where none of it has most of the words, the question is searched without regard to the kind.
fn put_of_kind(
    snapshot: &Snapshot,
    (kind, also): (Kind, Option<Kind>),
    request: &SearchRequest<'_>,
    of_any_kind: &SearchRequest<'_>,
    outcome: &mut SearchOutcome,
) {
    let found = |kind: Kind, semantic| {
        let telling = telling_of(kind);
        editions::search(snapshot, &SearchRequest { segments: kind.into(), semantic, telling, ..*request }).hits
    };
    if kind == Kind::McpServer {
        // `MCP server` is said of what other kinds are about, too (`docs of the MCP server`): of 282 questions two would be lost. Servers that
        // are called `postgres` are meant by `MCP server for postgres`, too.
        return placed::put_called(snapshot, found(kind, None), request.limit, outcome);
    }
    let others = also.map(|also| found(also, request.semantic)).unwrap_or_default();
    let hits = alternately(found(kind, request.semantic), others);
    // A model says little of itself in words, and what is near in meaning need not have any.
    if hits.is_empty() || kind == Kind::Model || request.semantic.is_some() {
        return placed::put_kind(snapshot, hits, request.limit, outcome);
    }
    let (hits, of_all) = with_most_words(snapshot, request, of_any_kind, hits);
    if let Some(of_all) = of_all.filter(|_| hits.is_empty()) {
        *outcome = of_all;
    }
    placed::put_kind(snapshot, hits, request.limit, outcome);
}

/// Those of some hits of a kind that have most of the words, by their weight, of those that the best hit of any kind has: in `locust tests
/// documentation`, pages about other tests are not meant. With it, what is found among all kinds, where that had to be searched.
fn with_most_words(
    snapshot: &Snapshot,
    request: &SearchRequest<'_>,
    of_any_kind: &SearchRequest<'_>,
    hits: Vec<SearchHit>,
) -> (Vec<SearchHit>, Option<SearchOutcome>) {
    let coverage = |hits: &[SearchHit]| snapshot.coverage(request, hits.iter().map(|hit| hit.ordinal));
    let of_kind = coverage(&hits);
    // What has most of all words has most of those that any other hit has.
    let is_most = of_kind.best() * 2 > of_kind.whole;
    let of_all = (!is_most).then(|| editions::search(snapshot, of_any_kind));
    let best = of_all.as_ref().map_or(0, |of_all| coverage(&of_all.hits).best()).max(of_kind.best());
    let pairs = hits.into_iter().zip(of_kind.of_items);
    let has_most = pairs.filter(|(hit, covered)| hit.is_named() || covered * 2 > best).map(|(hit, _)| hit);
    (has_most.collect(), of_all)
}

/// How much it counts where the words stand among items of one kind: a skill says in a line what it is for, and a tutorial what it makes.
pub(super) const fn telling_of(kind: Kind) -> Telling {
    if matches!(kind, Kind::Skill | Kind::Tutorial) { Telling::Described } else { Telling::None }
}

/// How much it counts where the words of what is no need stand: a sentence has words that any long text has.
fn telling(query: &SearchQuery) -> Telling {
    if !query.understand {
        return Telling::None;
    }
    let is_sentence = query.text.split_whitespace().nth(QUESTION_FROM_WORDS - 1).is_some();
    match query.kind.map_or(Telling::None, telling_of) {
        Telling::None if is_sentence => Telling::Question,
        of_kind => of_kind,
    }
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
