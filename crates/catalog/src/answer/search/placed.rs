//! Pinned results: hits that the words of a question do not find, or not where they belong: what it names, what is addressed, a page of the
//! manual.

use super::{LISTED_SCORE, editions, manual, searched_kinds, searched_segments, tools};
use crate::answer::offers;
use crate::answer::resolution::{CANDIDATES_MAX, by_trust, called_for_short, short_named};
use crate::json;
use crate::listing;
use crate::resolve::model::makers::is_family;
use crate::segment::Found;
use crate::snapshot::Snapshot;
use crate::understand::{Asked, Understood, asks_for_status, line};
use refdesk_core::Kind;
use refdesk_core::query::{ListQuery, SearchQuery};
use refdesk_search::text::folded;
use refdesk_search::{MatchField, MatchKind, NAME_SCORE_MIN, SearchHit, SearchOutcome, SearchRequest};

/// What hits of the kind that a question names score at least to go before the others: less is one common word of several.
const OF_KIND_SCORE: f32 = 0.25;
/// What scores so is called as was typed, to the letter or but for the signs between.
const WHOLE_NAME_SCORE: f32 = 1.9;
/// The score of what is surely meant.
const PINNED_SCORE: f32 = 2.0;
/// Dated snapshots that are told beside an undated name.
const SNAPSHOTS_TOLD_MAX: usize = 2;
/// Models of a line that are put first: most of a first page is still of names and texts.
const LINE_SHOWN: usize = 5;
/// How many hits of a compared name are searched for what is no text, in case the first is one with exactly that name.
const COMPARED_LOOKED_AT: usize = 3;
/// Where a page of the manual that answers stands, counted from 0.
const MANUAL_PLACE: usize = 2;

/// Puts such hits among those that words found.
pub fn put(snapshot: &Snapshot, query: &SearchQuery, understood: &Understood, outcome: &mut SearchOutcome) {
    let pinned = pinned(snapshot, query, understood, outcome);
    if !pinned.is_empty() {
        put_first(snapshot, pinned, query.limit, outcome);
        return;
    }
    if query.understand && query.kind.is_none_or(|kind| kind == Kind::Model) {
        // Of `sonnet models` the word for the kind is read; of a single word nothing is left over.
        let is_of_models = understood.kind == Some(Kind::Model) && understood.params.is_empty();
        let is_read = is_of_models && !understood.rest.is_empty();
        put_line(snapshot, query, if is_read { &understood.rest } else { &query.text }, outcome);
    }
    put_named(snapshot, query, understood, outcome);
    put_of_id(snapshot, query, outcome);
    let with_tool = tools::with_tool(snapshot, query, outcome);
    if !with_tool.is_empty() {
        put_first(snapshot, with_tool, query.limit, outcome);
    }
    if let Some(page) = manual::page(snapshot, query) {
        put_manual(snapshot, outcome, page, query.limit);
    }
}

/// Puts hits of the kind that a question names behind what is called so, and before what only has its words in longer texts.
pub fn put_kind(snapshot: &Snapshot, mut of_kind: Vec<SearchHit>, limit: usize, outcome: &mut SearchOutcome) {
    let named = outcome.hits.iter().take_while(|hit| hit.is_named()).count();
    let is_among = |hits: &[SearchHit], hit: &SearchHit| hits.iter().any(|other| other.ordinal == hit.ordinal);
    of_kind.retain(|hit| hit.score >= OF_KIND_SCORE && !is_among(&outcome.hits[..named], hit));
    let others = outcome.hits.split_off(named);
    let best = others.first().map_or(0.0, |hit| hit.score);
    let mut most = outcome.hits.last().map_or(f32::INFINITY, |hit| hit.score);
    // Hits of two kinds alternate; scores must still fall from one to the next.
    for hit in &mut of_kind {
        most = hit.score.max(best).min(most);
        hit.score = most;
    }
    outcome.hits.extend(others.into_iter().filter(|hit| !is_among(&of_kind, hit)));
    put_at(snapshot, outcome, named, of_kind, limit);
}

/// Puts hits that are called as a question says without the word for their kind where their names put them.
pub fn put_called(snapshot: &Snapshot, called: Vec<SearchHit>, limit: usize, outcome: &mut SearchOutcome) {
    for hit in called.into_iter().filter(SearchHit::is_named) {
        let known = outcome.hits.iter().position(|other| other.ordinal == hit.ordinal);
        let score = known.map_or(hit.score, |known| outcome.hits.remove(known).score.max(hit.score));
        let place = outcome.hits.iter().position(|other| other.score < score).unwrap_or(outcome.hits.len());
        put_at(snapshot, outcome, place, vec![SearchHit { score, ..hit }], limit);
    }
}

/// Puts the first hit that is meant before what a word of the question names: a text or skill that tells how something is done before servers and
/// tools (`backup` of `how do i restore a backup`), and what does something before pages that are called by one word of it (`compress` of
/// `compress images`).
pub fn put_meant(snapshot: &Snapshot, asked: &Asked, outcome: &mut SearchOutcome) {
    let (named, meant): (&[Kind], &[Kind]) = match asked {
        Asked::Need(_) => (&[Kind::Document, Kind::Tutorial], &[Kind::McpServer, Kind::Tool, Kind::Skill]),
        _ if asked.is_told() => (&[Kind::McpServer, Kind::Tool], &[Kind::Document, Kind::Tutorial, Kind::Skill]),
        _ => return,
    };
    let is_of = |hit: &SearchHit, kinds: &[Kind]| kinds.contains(&snapshot.kind_of(hit.ordinal));
    let is_a_word = |hit: &SearchHit| {
        let name = folded(&snapshot.name(hit.ordinal));
        asked.need().is_none_or(|need| need.split_whitespace().any(|word| folded(word) == name))
    };
    let is_named = |hit: &&SearchHit| hit.is_named() && is_of(hit, named) && is_a_word(hit);
    let behind = outcome.hits.iter().take_while(is_named).count();
    let Some(first) = outcome.hits.iter().position(|hit| is_of(hit, meant)).filter(|_| behind > 0) else { return };
    let score = outcome.hits[first].score;
    outcome.hits[..first].iter_mut().for_each(|hit| hit.score = score);
    outcome.hits[..=first].rotate_right(1);
}

/// Puts the best known models of the line that is named before what else is called so, but for what is called by the very word.
fn put_line(snapshot: &Snapshot, query: &SearchQuery, named: &str, outcome: &mut SearchOutcome) {
    // Most words name no model, and need no look at the families of all.
    let is_model = |hit: &SearchHit| hit.is_named() && snapshot.kind_of(hit.ordinal) == Kind::Model;
    if !outcome.hits.iter().take(LINE_SHOWN).any(is_model) {
        return;
    }
    let Some(list) = line(snapshot, named) else { return };
    let list = ListQuery { fresh_only: query.fresh_only, ..list };
    let rows = listing::select_beside(snapshot, Kind::Model, &list, None).rows;
    let models = rows.into_iter().take(LINE_SHOWN.min(query.limit)).map(|row| snapshot.ordinal(Kind::Model, row));
    let whole = outcome.hits.iter().take_while(|hit| hit.score >= WHOLE_NAME_SCORE).count();
    let score = outcome.hits.get(whole).map_or(NAME_SCORE_MIN, |next| next.score);
    let is_new = |ordinal: &u32| outcome.hits[..whole].iter().all(|hit| hit.ordinal != *ordinal);
    let new: Vec<u32> = models.filter(is_new).collect();
    outcome.hits.retain(|hit| !new.contains(&hit.ordinal));
    let hit = |ordinal| SearchHit { ordinal, score, matched: vec![(MatchField::Name, MatchKind::Text)] };
    put_at(snapshot, outcome, whole, new.into_iter().map(hit).collect(), query.limit);
}

/// Puts what is compared, or asked about, before the others.
fn put_named(snapshot: &Snapshot, query: &SearchQuery, understood: &Understood, outcome: &mut SearchOutcome) {
    let mut named: Vec<SearchHit> = Vec::new();
    let looked_at = if understood.about.is_none() { COMPARED_LOOKED_AT } else { 1 };
    for name in understood.compared.iter().chain(&understood.about) {
        let request = SearchRequest {
            segments: searched_segments(query.kind),
            fresh_only: query.fresh_only,
            ..SearchRequest::new(name, looked_at)
        };
        let hits = editions::search(snapshot, &request).hits;
        let is_text = |hit: &SearchHit| matches!(snapshot.kind_of(hit.ordinal), Kind::Document | Kind::Tutorial);
        let is_model = |hit: &SearchHit| hit.is_named() && snapshot.kind_of(hit.ordinal) == Kind::Model;
        // A page that is called after a tool is not what the tool is compared with.
        let is_whole = |hit: &SearchHit| {
            let is_called_so = |how: &MatchKind| matches!(how, MatchKind::Exact | MatchKind::Alias);
            !is_text(hit) && hit.matched.iter().any(|(_, how)| is_called_so(how))
        };
        let is_first_text = hits.first().is_some_and(is_text);
        let thing = hits.iter().position(|hit| is_first_text && (is_model(hit) || is_whole(hit)));
        let first = hits.into_iter().nth(thing.unwrap_or_default());
        let first = first.map(|hit| best_of_line(snapshot, query, name, &hit).unwrap_or(hit));
        let is_new = |hit: &SearchHit| named.iter().all(|other| other.ordinal != hit.ordinal);
        named.extend(first.filter(|hit| hit.is_named() && is_new(hit)));
    }
    // One thing alone is no comparison.
    if named.len() <= usize::from(understood.about.is_none()) {
        return;
    }
    if understood.about.is_some() && !query.fresh_only && asks_for_status(&query.text) {
        let undated = named[0].clone();
        named.extend(
            snapshots_of(snapshot, undated.ordinal).into_iter().map(|ordinal| SearchHit { ordinal, ..undated.clone() }),
        );
    }
    put_first(snapshot, named, query.limit, outcome);
}

/// The best known model of a family that is compared by its name, where that finds a text, or what is called so for short alone: `claude vs gemini`
/// asks of no programs.
fn best_of_line(snapshot: &Snapshot, query: &SearchQuery, name: &str, found: &SearchHit) -> Option<SearchHit> {
    let is_own = match snapshot.kind_of(found.ordinal) {
        Kind::Model => true,
        Kind::Document | Kind::Tutorial => false,
        _ => matches!(found.matched.first(), Some((MatchField::Id | MatchField::Name, MatchKind::Exact))),
    };
    if is_own || query.kind.is_some() || !is_family(&folded(name)) {
        return None;
    }
    let list = ListQuery { fresh_only: query.fresh_only, ..line(snapshot, name)? };
    let best = *listing::select_beside(snapshot, Kind::Model, &list, None).rows.first()?;
    let matched = vec![(MatchField::Name, MatchKind::Text)];
    Some(SearchHit { ordinal: snapshot.ordinal(Kind::Model, best), score: found.score, matched })
}

/// Puts what has the very text for its id before what is only spelt like it: `qwen-max` before `qwen_max`. A single word is a name as well,
/// which the best known may have.
fn put_of_id(snapshot: &Snapshot, query: &SearchQuery, outcome: &mut SearchOutcome) {
    let text = query.text.trim();
    let may_be_id = text.contains(['-', '_', '.', ':']) && !text.contains(char::is_whitespace);
    let is_of_id = |hit: &SearchHit| snapshot.id(hit.ordinal) == text;
    if !may_be_id || outcome.hits.first().is_none_or(is_of_id) {
        return;
    }
    let found = searched_kinds(query.kind).filter_map(|kind| match snapshot.find(kind, text) {
        Found::Id(ordinal) => Some(ordinal),
        _ => None,
    });
    let hits = found.filter(|ordinal| is_shown(snapshot, query, *ordinal));
    let hits = hits.map(|ordinal| pinned_by(ordinal, MatchField::Id, MatchKind::Exact)).collect();
    put_first(snapshot, hits, query.limit, outcome);
}

/// Puts first what is the whole question by its name and who made or published it.
pub fn put_titled(snapshot: &Snapshot, ordinal: u32, limit: usize, outcome: &mut SearchOutcome) {
    let is_text = matches!(snapshot.kind_of(ordinal), Kind::Document | Kind::Tutorial);
    let field = if is_text { MatchField::Title } else { MatchField::Name };
    put_first(snapshot, vec![pinned_by(ordinal, field, MatchKind::Exact)], limit, outcome);
}

/// A hit of what is surely meant.
fn pinned_by(ordinal: u32, field: MatchField, how: MatchKind) -> SearchHit {
    SearchHit { ordinal, score: PINNED_SCORE, matched: vec![(field, how)] }
}

/// Whether a request asks for what is stale, too, or an item is not.
fn is_shown(snapshot: &Snapshot, query: &SearchQuery, ordinal: u32) -> bool {
    !query.fresh_only || snapshot.evidence_of(ordinal).stale_reason.is_none()
}

/// Puts hits before all others, whose best score they have, too.
pub fn put_first(snapshot: &Snapshot, mut hits: Vec<SearchHit>, limit: usize, outcome: &mut SearchOutcome) {
    let best = hits.iter().chain(&outcome.hits).map(|hit| hit.score).fold(0.0, f32::max);
    hits.iter_mut().for_each(|hit| hit.score = best);
    outcome.hits.retain(|other| hits.iter().all(|hit| hit.ordinal != other.ordinal));
    put_at(snapshot, outcome, 0, hits, limit);
}

/// The first dated snapshots of a model that is asked for by an undated name: it is they that are retired.
pub fn snapshots_of(snapshot: &Snapshot, undated: u32) -> Vec<u32> {
    let mut snapshots = offers::snapshots_of(snapshot, &json::read_own(snapshot.row(undated)));
    snapshots.truncate(SNAPSHOTS_TOLD_MAX);
    snapshots
}

/// Puts a page of the manual among the first hits.
fn put_manual(snapshot: &Snapshot, outcome: &mut SearchOutcome, ordinal: u32, limit: usize) {
    if outcome.hits.iter().take(MANUAL_PLACE + 1).any(|hit| hit.ordinal == ordinal) {
        return;
    }
    outcome.hits.retain(|hit| hit.ordinal != ordinal);
    let place = MANUAL_PLACE.min(outcome.hits.len());
    let score = outcome.hits[..place].last().map_or(LISTED_SCORE, |before| before.score);
    let hit = SearchHit { ordinal, score, matched: vec![(MatchField::Description, MatchKind::Text)] };
    put_at(snapshot, outcome, place, vec![hit], limit);
}

/// Puts hits that words may not find at a place before others, and counts those that they do not.
fn put_at(snapshot: &Snapshot, outcome: &mut SearchOutcome, place: usize, hits: Vec<SearchHit>, limit: usize) {
    for hit in &hits {
        let kind = snapshot.kind_of(hit.ordinal);
        let row = hit.ordinal - snapshot.ordinal(kind, 0);
        // Where not every match was counted, none of them is kept.
        if let Some(matched) = outcome.matched.get_mut(kind.index()).filter(|matched| !matched.contains(row)) {
            matched.insert(row);
            outcome.by_segment[kind.index()] += 1;
        }
    }
    outcome.hits.splice(place..place, hits);
    outcome.hits.truncate(limit);
    for (kind, count) in Kind::ALL.into_iter().zip(&mut outcome.by_segment) {
        let shown = outcome.hits.iter().filter(|hit| snapshot.kind_of(hit.ordinal) == kind).count();
        *count = shown.max(*count);
    }
    outcome.total = outcome.by_segment.iter().sum();
}

/// What is surely meant, whatever words find: the servers in the package that a command names, and what has the path, the address or the
/// package that was typed, which the index of names knows nothing of.
fn pinned(
    snapshot: &Snapshot,
    query: &SearchQuery,
    understood: &Understood,
    outcome: &SearchOutcome,
) -> Vec<SearchHit> {
    let text = query.text.trim();
    let kinds: Vec<Kind> = searched_kinds(query.kind).collect();
    let meant = match &understood.package {
        Some(package) => in_package(snapshot, package, &kinds),
        None if text.contains(char::is_whitespace) => Vec::new(),
        None => typed(snapshot, text, &kinds, outcome),
    };
    let shown = meant.into_iter().filter(|ordinal| is_shown(snapshot, query, *ordinal));
    shown.map(|ordinal| pinned_by(ordinal, MatchField::Alias, MatchKind::Alias)).collect()
}

/// The servers that come in a package.
fn in_package(snapshot: &Snapshot, package: &str, kinds: &[Kind]) -> Vec<u32> {
    let known = snapshot.find(Kind::McpServer, package).item().filter(|_| kinds.contains(&Kind::McpServer));
    known.map_or_else(|| called_for_short(snapshot, package, kinds), |server| vec![server])
}

/// What has a whole text for its path or its address, or for a package where nothing is called like that.
fn typed(snapshot: &Snapshot, text: &str, kinds: &[Kind], outcome: &SearchOutcome) -> Vec<u32> {
    let known = || kinds.iter().find_map(|kind| snapshot.find(*kind, text).item());
    let is_servers = kinds.contains(&Kind::McpServer);
    let called = || if is_servers { short_named(snapshot, text, &[Kind::McpServer]) } else { Vec::new() };
    if text.contains('/') {
        let mut typed = known().map_or_else(|| by_trust(snapshot, called()), |known| vec![known]);
        typed.truncate(CANDIDATES_MAX);
        return typed;
    }
    // A word may be one of many names; what has signs between is a name as a whole.
    let is_word = text.chars().all(char::is_alphanumeric);
    let is_called_so = |hit: &SearchHit| if is_word { hit.is_named() } else { hit.score >= WHOLE_NAME_SCORE };
    if outcome.hits.first().is_some_and(is_called_so) {
        return Vec::new();
    }
    let called = called();
    // What more servers are called tells none of them.
    let is_meant = (1..=CANDIDATES_MAX).contains(&called.len()) && known().is_none();
    if is_meant { by_trust(snapshot, called) } else { Vec::new() }
}
