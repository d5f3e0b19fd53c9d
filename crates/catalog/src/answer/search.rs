//! Searches: what is found, by words or by what was understood of the question, and how hits are shown.

use bytes::Bytes;

use super::{SNIPPET_CHARS_MAX, SUGGESTIONS_MAX, lists, model_line, standing, url};
use crate::json::{self, Object};
use crate::listing::{self, Facet};
use crate::segment::render::{self, id_of};
use crate::segment::{Found, ItemRecord};
use crate::snapshot::Snapshot;
use crate::understand::{Understood, understand};
use refdesk_core::Kind;
use refdesk_core::clean;
use refdesk_core::query::{ListQuery, SearchQuery, Selection};
use refdesk_search::{
    Bitmap, CosineSimilarities, MatchField, MatchKind, SearchHit, SearchOutcome, SearchRequest, SnippetGenerator,
};

/// Names near a query are suggested for queries of at most this many words: longer ones are questions.
const SUGGEST_WORDS_MAX: usize = 2;
/// The score of a hit that meets what was asked for and was not compared with words.
const LISTED_SCORE: f32 = 1.0;

/// Scores of whole names are above this.
const NAMED_SCORE_MIN: f32 = 1.5;
/// The score of an item whose address was typed.
const ADDRESSED_SCORE: f32 = 2.0;

/// What a search found.
#[derive(Debug, Default)]
pub struct Searched {
    /// The hits.
    pub outcome: SearchOutcome,
    /// What was understood of the question.
    pub understood: Understood,
    /// What is counted.
    facets: Vec<Facet>,
    /// Ids of the request that name nothing.
    unresolved: Vec<String>,
    warnings: Vec<String>,
}

/// Runs a search. Separate from [`search`], so that a caller can read the bodies of the hits in between.
pub fn find(snapshot: &Snapshot, query: &SearchQuery, semantic: Option<&CosineSimilarities>) -> Searched {
    let mut understood =
        if query.understand { understand(snapshot, &query.text, query.kind) } else { Understood::default() };
    if !understood.params.is_empty() && is_name(snapshot, query) {
        understood = Understood::default();
    }
    let mut searched = match understood.list() {
        Some(list) => selected(snapshot, query, &understood, list, semantic),
        None if query.selection.is_all() => Searched::default(),
        None => selected(snapshot, query, &understood, ListQuery::default(), semantic),
    };
    if searched.outcome.hits.is_empty() && !understood.params.is_empty() && !understood.rest.is_empty() {
        let rest = std::mem::take(&mut understood.rest);
        if let Some(list) = understood.list() {
            searched = selected(snapshot, query, &understood, list, semantic);
            searched.warnings.push(format!(
                "nothing that meets the filters has words of `{}`; these are all that meet them",
                clean::excerpt(&rest, 60)
            ));
        }
    }
    if searched.outcome.hits.is_empty() && query.selection.is_all() {
        if !understood.params.is_empty() {
            searched
                .warnings
                .push("nothing meets all that was understood; these are the hits for the words".to_owned());
        }
        searched.outcome = by_words(snapshot, query, &understood, semantic);
    }
    searched.warnings.extend(understood.warnings.iter().cloned());
    searched.understood = understood;
    searched
}

/// Whether the question is the whole name of something: `Remote MCP` is one.
fn is_name(snapshot: &Snapshot, query: &SearchQuery) -> bool {
    let request = SearchRequest { groups: groups(query.kind), ..SearchRequest::new(&query.text, 1) };
    let hits = snapshot.index().search(&request).hits;
    let named = hits.first().and_then(|hit| hit.matched.first());
    matches!(named, Some((MatchField::Id | MatchField::Name | MatchField::Alias, MatchKind::Exact | MatchKind::Alias)))
        && hits[0].score > NAMED_SCORE_MIN
}

/// A search for words alone; what is compared comes first.
fn by_words(
    snapshot: &Snapshot,
    query: &SearchQuery,
    understood: &Understood,
    semantic: Option<&CosineSimilarities>,
) -> SearchOutcome {
    let preferred = understood.kind.map_or(0, |kind| 1 << kind.index());
    let subject = (preferred != 0 && !understood.rest.is_empty()).then_some(understood.rest.as_str());
    let request = SearchRequest {
        groups: groups(query.kind),
        fresh_only: query.fresh_only,
        preferred,
        subject,
        semantic,
        ..SearchRequest::new(&query.text, query.limit)
    };
    let mut outcome = snapshot.index().search(&request);
    if let Some(hit) = addressed(snapshot, query) {
        outcome.hits.retain(|other| other.ordinal != hit.ordinal);
        outcome.hits.insert(0, hit);
        outcome.hits.truncate(query.limit);
        outcome.total = outcome.total.max(outcome.hits.len());
        return outcome;
    }
    let mut compared: Vec<SearchHit> = Vec::new();
    for name in &understood.compared {
        let request = SearchRequest { text: name, preferred: 0, subject: None, semantic: None, limit: 1, ..request };
        let first = snapshot.index().search(&request).hits.into_iter().next();
        // A score above 1 is a name.
        if let Some(hit) =
            first.filter(|hit| hit.score > 1.0 && !compared.iter().any(|other| other.ordinal == hit.ordinal))
        {
            compared.push(hit);
        }
    }
    if compared.len() > 1 {
        let best = compared.iter().chain(&outcome.hits).map(|hit| hit.score).fold(0.0, f32::max);
        compared.iter_mut().for_each(|hit| hit.score = best);
        outcome.hits.retain(|hit| !compared.iter().any(|other| other.ordinal == hit.ordinal));
        outcome.hits.splice(0..0, compared);
        outcome.hits.truncate(query.limit);
        outcome.total = outcome.total.max(outcome.hits.len());
    }
    outcome
}

/// The item whose path or address was typed: the index knows names and no paths.
fn addressed(snapshot: &Snapshot, query: &SearchQuery) -> Option<SearchHit> {
    let text = query.text.trim();
    if !text.contains('/') || text.contains(char::is_whitespace) {
        return None;
    }
    let kinds = Kind::SEARCHED.into_iter().filter(|kind| query.kind.is_none_or(|wanted| wanted == *kind));
    kinds.into_iter().find_map(|kind| match snapshot.find(kind, text) {
        Found::Id(ordinal) | Found::Alias(ordinal) => {
            let is_fresh = snapshot.evidence_of(ordinal).stale_reason.is_none();
            let hit =
                SearchHit { ordinal, score: ADDRESSED_SCORE, matched: vec![(MatchField::Alias, MatchKind::Alias)] };
            (is_fresh || !query.fresh_only).then_some(hit)
        }
        Found::Ambiguous(_) | Found::Unknown => None,
    })
}

/// A search among the rows of a selection, or the rows themselves in its order.
fn selected(
    snapshot: &Snapshot,
    query: &SearchQuery,
    understood: &Understood,
    mut list: ListQuery,
    semantic: Option<&CosineSimilarities>,
) -> Searched {
    let Some(kind) = query.kind.or(understood.kind) else { return Searched::default() };
    let is_understood = !understood.params.is_empty();
    let text = if is_understood { understood.rest.as_str() } else { query.text.as_str() };
    list.selection = together(&query.selection, list.selection);
    list.selection.text = None;
    list.fresh_only = query.fresh_only;
    (list.limit, list.offset) = (query.limit, 0);
    let is_list = text.is_empty() || !list.selection.sort.is_empty();
    if is_list && !text.is_empty() {
        list.selection.text = Some(text.to_owned());
    }
    let mut listing = listing::select(snapshot, kind, &list);
    if !is_list && !list.selection.facets.is_empty() {
        // Counted among what matches, too.
        list.selection.text = Some(text.to_owned());
        listing.facets = listing::select(snapshot, kind, &list).facets;
    }
    let mut searched = Searched {
        facets: listing.facets,
        unresolved: listing.unresolved,
        warnings: listing.warnings,
        ..Searched::default()
    };
    if is_list {
        let hit =
            |row: &u32| SearchHit { ordinal: snapshot.ordinal(kind, *row), score: LISTED_SCORE, matched: Vec::new() };
        searched.outcome = SearchOutcome {
            hits: listing.rows.iter().take(query.limit).map(hit).collect(),
            total: listing.rows.len(),
            total_is_exact: true,
            excluded_stale: listing.excluded_stale,
            corrected: Vec::new(),
        };
        return searched;
    }
    let mut only = vec![Bitmap::default(); Kind::ALL.len()];
    only[kind.index()] = listing.rows.into_iter().collect();
    let request = SearchRequest {
        groups: groups(Some(kind)),
        fresh_only: query.fresh_only,
        only: &only,
        semantic,
        ..SearchRequest::new(text, query.limit)
    };
    searched.outcome = snapshot.index().search(&request);
    searched
}

/// The selection of the request with what was understood; the request's own filters win.
fn together(own: &Selection, understood: Selection) -> Selection {
    let mut both = own.clone();
    let is_own = |field| own.conditions.iter().any(|condition| condition.field == field);
    both.conditions.extend(understood.conditions.into_iter().filter(|condition| !is_own(condition.field)));
    if both.sort.is_empty() {
        both.sort = understood.sort;
    }
    both.without_removed |= understood.without_removed;
    both
}

/// The segments that are searched.
fn groups(kind: Option<Kind>) -> u8 {
    match kind {
        Some(kind) => 1 << kind.index(),
        None => Kind::SEARCHED.iter().fold(0, |mask, kind| mask | 1 << kind.index()),
    }
}

/// A search answer. `markdown` gives the body of a document hit, when it was asked for and read.
pub fn search(
    snapshot: &Snapshot,
    query: &SearchQuery,
    searched: &Searched,
    markdown: &dyn Fn(u32) -> Option<Bytes>,
    base: &str,
    warnings: &[String],
) -> Vec<u8> {
    let outcome = &searched.outcome;
    let snippets = SnippetGenerator::new(&query.text).with_corrected(&outcome.corrected);
    let mut out = Vec::with_capacity(1024 + outcome.hits.len() * 1500);
    let mut object = Object::open(&mut out);
    object.verbatim("query", Some(&query.text));
    object.value("type", &query.kind.map(Kind::search_type));
    object.flag("fresh_only", query.fresh_only);
    object.flag("include_markdown", query.include_markdown);
    object.text("mode", query.mode.as_str());
    object.count("limit", query.limit);
    object.count("count", outcome.hits.len());
    object.count("total", outcome.total);
    object.text("total_relation", if outcome.total_is_exact { "eq" } else { "gte" });
    understood(&mut object, query, searched, base);
    json::array(object.name("results"), &outcome.hits, |out, hit| {
        let text = markdown(hit.ordinal);
        let shown = ShownHit { hit, markdown: text.as_deref(), fresh_only: query.fresh_only };
        search_hit(snapshot, &snippets, &shown, base, out);
    });
    let suggestions = suggestions(snapshot, &query.text, groups(query.kind), outcome, &|_| true);
    object.value("suggestions", &suggestions);
    object.count("excluded_stale", outcome.excluded_stale);
    if !query.selection.ids.is_empty() {
        object.value("unresolved", &searched.unresolved);
    }
    if !query.selection.facets.is_empty() {
        lists::facets(&mut object, &searched.facets);
    }
    let unknown = unknown_version(&query.text, outcome).filter(|_| !suggestions.is_empty());
    let warnings: Vec<&String> = warnings.iter().chain(&searched.warnings).chain(&unknown).collect();
    object.value("warnings", &warnings);
    object.text("catalog_revision", snapshot.revision());
    object.close();
    out
}

/// Says that nothing has the name, where a name with a number was typed: `gpt-7` is no text to look for.
fn unknown_version(text: &str, outcome: &SearchOutcome) -> Option<String> {
    let has = |test: fn(&char) -> bool| text.chars().any(|c| test(&c));
    let is_name = !text.contains(char::is_whitespace) && has(char::is_ascii_digit) && has(|c| c.is_alphabetic());
    let is_found = outcome.hits.first().is_some_and(|hit| hit.score > LISTED_SCORE);
    (is_name && !is_found).then(|| format!("nothing is named `{}`; see `suggestions`", clean::excerpt(text, 60)))
}

/// What was understood, with the list that it equals; null when nothing was.
fn understood(object: &mut Object<'_>, query: &SearchQuery, searched: &Searched, base: &str) {
    let understood = &searched.understood;
    if understood.is_empty() {
        return object.raw("understood", "null");
    }
    let mut shown = Object::open(object.name("understood"));
    shown.value("kind", &understood.kind.map(Kind::search_type));
    let mut filters = Object::open(shown.name("filters"));
    let filter_params = understood.params.iter().filter(|(name, _)| name != "sort");
    filter_params.for_each(|(name, value)| filters.text(name, value));
    filters.close();
    shown.value("sort", &understood.param("sort"));
    shown.value("compared", &understood.compared);
    shown.verbatim("rest", Some(&understood.rest));
    let list = understood.kind.filter(|_| !understood.params.is_empty() && query.selection.is_all());
    shown.value("list_url", &list.map(|kind| list_url(base, kind, understood)));
    shown.close();
}

/// The address of a list.
fn list_url(base: &str, kind: Kind, understood: &Understood) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(&understood.params);
    if !understood.rest.is_empty() {
        query.append_pair("q", &understood.rest);
    }
    format!("{base}/v1/{}/list?{}", kind.path_segment(), query.finish())
}

/// "Did you mean": names near what was typed, only of items that may be found, unless the first hit is of this name.
pub(super) fn suggestions(
    snapshot: &Snapshot,
    text: &str,
    groups: u8,
    outcome: &SearchOutcome,
    allowed: &dyn Fn(u32) -> bool,
) -> Vec<String> {
    let named = |hit: &SearchHit| matches!(hit.matched.first(), Some((_, MatchKind::Exact | MatchKind::Alias)));
    let first = outcome.hits.first();
    if first.is_some_and(named) || text.split_whitespace().nth(SUGGEST_WORDS_MAX).is_some() {
        return Vec::new();
    }
    let near = snapshot.index().similar_names(text, groups, SUGGESTIONS_MAX + 1);
    let mut names: Vec<String> = Vec::new();
    for ordinal in near.into_iter().filter(|near| first.is_none_or(|hit| hit.ordinal != *near) && allowed(*near)) {
        let name = snapshot.name(ordinal).into_owned();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.truncate(SUGGESTIONS_MAX);
    names
}

/// The members of a hit that do not depend on the question, from `id` to `summary`.
pub(super) fn hit_head(item: &ItemRecord<'_>, row: &[u8], object: &mut Object<'_>) {
    object.members(&row[1..item.head_end as usize]);
    if item.hit_tail.is_empty() {
        object.raw("summary", item.description.of(row));
    } else {
        object.members(item.hit_tail);
    }
}

/// A hit, and how it is shown.
struct ShownHit<'a> {
    hit: &'a SearchHit,
    markdown: Option<&'a [u8]>,
    fresh_only: bool,
}

fn search_hit(snapshot: &Snapshot, snippets: &SnippetGenerator, shown: &ShownHit<'_>, base: &str, out: &mut Vec<u8>) {
    let ShownHit { hit, markdown, fresh_only } = *shown;
    let (segment, at) = snapshot.locate(hit.ordinal);
    let (kind, item, row, evidence) = (segment.kind(), segment.item(at), segment.row(at), segment.evidence_of(at));
    let mut object = Object::open(out);
    object.text("type", kind.search_type());
    if fresh_only && item.partly_stale && render::is_description_stale(row) {
        object.members(&row[1..item.head_end as usize]);
        object.raw("summary", "null");
        object.raw("snippet", "null");
    } else {
        hit_head(&item, row, &mut object);
        let snippet = snippets.snippet(&segment.passage_of(&item, row), SNIPPET_CHARS_MAX);
        let snippet = snippet.or_else(|| (kind == Kind::Model).then(|| model_line::of(row)).flatten());
        object.optional("snippet", snippet.as_deref());
    }
    object.value("score", &rounded(hit.score));
    matched(&mut object, hit);
    url(&mut object, base, kind, id_of(row));
    standing(&mut object, &evidence);
    evidence.write(object.name("evidence"));
    if let Some(markdown) = markdown {
        object.text("markdown", &String::from_utf8_lossy(markdown));
    }
    object.close();
}

pub(super) fn matched(object: &mut Object<'_>, hit: &SearchHit) {
    json::array(object.name("matched"), &hit.matched, |out, (field, how)| {
        let mut entry = Object::open(out);
        entry.text("field", field_name(*field));
        entry.text("how", how_name(*how));
        entry.close();
    });
}

/// Four decimals: enough to compare within one answer, and the same on every machine.
pub(super) fn rounded(score: f32) -> f64 {
    (f64::from(score) * 1e4).round() / 1e4
}

const fn field_name(field: MatchField) -> &'static str {
    match field {
        MatchField::Id => "id",
        MatchField::Name => "name",
        MatchField::Alias => "alias",
        MatchField::Title => "title",
        MatchField::Description => "description",
        MatchField::Keywords => "keywords",
        MatchField::Headings => "headings",
        MatchField::Body => "body",
        MatchField::Passage => "tools",
    }
}

const fn how_name(how: MatchKind) -> &'static str {
    match how {
        MatchKind::Exact => "exact",
        MatchKind::Alias => "alias",
        MatchKind::Fuzzy => "fuzzy",
        MatchKind::Text => "text",
        MatchKind::Semantic => "semantic",
    }
}
