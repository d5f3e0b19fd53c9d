//! Finding: by words, among the rows of a selection, or by what was understood of the question.

use std::borrow::Cow;

use super::listed::listed;
use super::titled::titled;
use super::words::by_words;
use super::{LISTED_SCORE, editions, hints, placed, searched_kinds, searched_segments};
use crate::listing::{self, Facet, Listing};
use crate::snapshot::Snapshot;
use crate::understand::{
    Understood, UnknownVersion, expansions, is_kind, is_name, packaged, translated, understand, unknown_version,
    with_letter, without_quantisation,
};
use refdesk_core::Kind;
use refdesk_core::query::{Advice, ListQuery, SearchQuery, Selection, Warning};
use refdesk_search::{Bitmap, CosineSimilarities, SearchHit, SearchOutcome, SearchRequest};

/// What a search found.
#[derive(Debug, Default)]
pub struct Searched {
    /// The hits.
    pub outcome: SearchOutcome,
    /// The question in the words of the catalog, where it was put in others.
    pub restated: Option<String>,
    /// What was understood of the question.
    pub understood: Understood,
    /// What is counted.
    pub(super) facets: Vec<Facet>,
    /// Ids of the request that name nothing.
    pub(super) unresolved: Vec<String>,
    /// Only the filters of the request leave nothing: its words find something without them.
    pub(super) is_left_out: bool,
    /// The name of a version that no model of its line has.
    pub(super) unknown_version: Option<String>,
    /// What is odd about the question, and where to look.
    pub warnings: Vec<Warning>,
}

impl Searched {
    /// The question in the words of the catalog.
    pub(super) fn text<'a>(&'a self, query: &'a SearchQuery) -> &'a str {
        self.restated.as_deref().unwrap_or(&query.text)
    }

    /// How the rows of the hits are shown: as the request asks for, or with the prices of the seller that the question names.
    pub fn selection<'a>(&self, query: &'a SearchQuery) -> Cow<'a, Selection> {
        let is_own = query.selection.price_of.is_some() || self.understood.param("price_of").is_none();
        match self.understood.list().filter(|_| !is_own) {
            Some(list) => Cow::Owned(Selection { price_of: list.selection.price_of, ..query.selection.clone() }),
            None => Cow::Borrowed(&query.selection),
        }
    }

    /// Whether stale values are shown as unknown.
    pub fn fresh_only(&self, query: &SearchQuery) -> bool {
        query.fresh_only || self.understood.param("fresh_only").is_some()
    }

    /// The words that were looked for.
    pub(super) fn wanted<'a>(&'a self, query: &'a SearchQuery) -> &'a str {
        self.understood.wanted.as_deref().unwrap_or_else(|| self.text(query))
    }
}

/// The question in the words of the catalog, where it was put in another language or names a file of weights: what is searched for, and
/// compared by meaning.
pub fn restated(snapshot: &Snapshot, query: &SearchQuery) -> Option<String> {
    // The words of a command are of no language.
    if !query.understand || packaged(snapshot, &query.text).is_some() {
        return None;
    }
    let restated = translated(&query.text).or_else(|| without_quantisation(&query.text));
    let restated = restated.or_else(|| with_letter(snapshot, &query.text));
    restated.filter(|_| !is_name(snapshot, &query.text, searched_segments(query.kind)) && !is_spelling(snapshot, query))
}

/// Whether a source spells something so: no word of that is one of another language.
fn is_spelling(snapshot: &Snapshot, query: &SearchQuery) -> bool {
    searched_kinds(query.kind).any(|kind| snapshot.find(kind, &query.text).item().is_some())
}

/// Runs a search. Separate from [`super::search`], so that a caller can read the bodies of the hits in between.
pub fn find(snapshot: &Snapshot, query: &SearchQuery, semantic: Option<&CosineSimilarities>) -> Searched {
    let Some(text) = restated(snapshot, query) else { return find_as_stated(snapshot, query, semantic) };
    let query = SearchQuery { text, ..query.clone() };
    let mut searched = find_as_stated(snapshot, &query, semantic);
    let advice = Advice::AsTyped(": `understand=false` takes the words as they are");
    searched.warnings.push(Warning::new(format!("searched for `{}`", query.text), advice));
    searched.restated = Some(query.text);
    searched
}

fn find_as_stated(snapshot: &Snapshot, query: &SearchQuery, semantic: Option<&CosineSimilarities>) -> Searched {
    let mut understood =
        if query.understand { understand(snapshot, &query.text, query.kind) } else { Understood::default() };
    // What asks for things of a kind and names none may be what one is called: `mcp servers`. A title may name a thing, or two: `Git over SSH`.
    let is_named = |text: &str| is_name(snapshot, text, searched_segments(query.kind)) && !is_kind(text);
    let is_of_named = !understood.compared.is_empty() || understood.about.is_some();
    let were_read = !understood.params.is_empty() || is_of_named;
    let titled = titled(snapshot, query, were_read);
    if titled.is_some() || were_read && is_named(&query.text) {
        understood = Understood::default();
    }
    let wanted = understood.wanted.clone().map(|text| SearchQuery { text, ..query.clone() });
    let query = wanted.as_ref().unwrap_or(query);
    let mut searched = match understood.list() {
        Some(list) => listed(snapshot, query, &mut understood, list, semantic),
        None if query.selection.is_every_row() => {
            // Filters among rows say this of themselves.
            let unknown = query.kind.map(|kind| listing::unknown_values(snapshot, kind, &query.selection));
            let outcome = by_words(snapshot, query, &understood, semantic);
            Searched { outcome, warnings: unknown.unwrap_or_default(), ..Searched::default() }
        }
        None => selected(snapshot, query, &understood, ListQuery::default(), semantic),
    };
    if let Some(titled) = titled {
        placed::put_titled(snapshot, titled, query.limit, &mut searched.outcome);
    }
    searched.warnings.extend(understood.warnings.iter().cloned());
    let framework = hints::framework_named(snapshot, query);
    let outcome = &searched.outcome;
    let framework = framework.or_else(|| hints::framework_asked_for(snapshot, query, &understood, outcome));
    searched.warnings.extend(framework);
    if understood.is_empty() {
        let is_about = understood.about.is_some();
        searched.warnings.extend(hints::sellers_asked_for(snapshot, query, is_about, &searched.outcome));
        let standing = is_about.then(|| hints::standing_asked_for(snapshot, query, &searched.outcome));
        searched.warnings.extend(standing.flatten());
    }
    if query.understand && query.kind.is_none_or(|kind| kind == Kind::Model) {
        let unknown = unknown_version(snapshot, &query.text, &searched.outcome.hits);
        if let Some(UnknownVersion { name, warning }) = unknown {
            searched.warnings.push(warning);
            searched.unknown_version = Some(name);
        }
    }
    searched.warnings.extend(hints::free_of_few(snapshot, query, &understood, &searched.outcome));
    searched.warnings.extend(hints::billed_otherwise(snapshot, &understood, &searched.outcome));
    let left_out = hints::left_out_by_filters(snapshot, query, &understood, &searched.outcome);
    searched.is_left_out = left_out.is_some();
    // A value that nothing has is reason enough, and told already.
    if searched.warnings.is_empty() {
        searched.warnings.extend(left_out);
    }
    searched.understood = understood;
    searched
}

/// A search among the rows of a selection, or the rows themselves in its order.
pub(super) fn selected(
    snapshot: &Snapshot,
    query: &SearchQuery,
    understood: &Understood,
    list: ListQuery,
    semantic: Option<&CosineSimilarities>,
) -> Searched {
    let Some(kind) = query.kind.or(understood.kind) else { return Searched::default() };
    let is_understood = !understood.params.is_empty();
    let text = if is_understood { understood.rest.as_str() } else { query.text.as_str() };
    let mut list = among(query, list);
    let is_list = text.is_empty() || !list.selection.sort.is_empty();
    if is_list && !text.is_empty() {
        list.selection.text = Some(text.to_owned());
    }
    let beside = row_beside(snapshot, understood);
    let mut listing = listing::select_beside(snapshot, kind, &list, beside);
    if !is_list && !list.selection.facets.is_empty() {
        // Counted among what matches, too.
        list.selection.text = Some(text.to_owned());
        listing.facets = listing::select_beside(snapshot, kind, &list, beside).facets;
    }
    if is_list {
        let outcome = in_rows(snapshot, kind, &listing.rows, listing.excluded_stale, query.limit);
        return told(snapshot, kind, query, Searched { outcome, ..Searched::default() }, listing);
    }
    let mut rows = std::mem::take(&mut listing.rows);
    let met = rows.len();
    let fresh_only = list.fresh_only;
    if fresh_only {
        // The search leaves them out, and counts those that match.
        rows.extend(stale_rows(snapshot, kind, list, beside));
    }
    let mut only = vec![Bitmap::default(); Kind::ALL.len()];
    only[kind.index()] = rows.into_iter().collect();
    let expanded = if is_understood { expansions(text) } else { String::new() };
    let analysed = snapshot.analyse(text);
    let request = SearchRequest {
        segments: kind.into(),
        fresh_only,
        only: &only,
        semantic,
        expansions: &expanded,
        ..SearchRequest::new(&analysed, query.limit)
    };
    let outcome = editions::search(snapshot, &request);
    let few = is_understood.then(|| hints::few_mention(text, met, &outcome)).flatten();
    listing.warnings.extend(few);
    told(snapshot, kind, query, Searched { outcome, ..Searched::default() }, listing)
}

/// The stale rows that a list would have if it did not leave out what is stale.
fn stale_rows(snapshot: &Snapshot, kind: Kind, list: ListQuery, beside: Option<u32>) -> Vec<u32> {
    if list.selection.stale == Some(false) {
        return Vec::new();
    }
    let mut stale = ListQuery { fresh_only: false, ..list };
    stale.selection.stale = Some(true);
    (stale.selection.text, stale.selection.facets, stale.selection.sort) = (None, Vec::new(), Vec::new());
    listing::select_beside(snapshot, kind, &stale, beside).rows
}

/// A list among the rows that the request itself selects, without words.
pub(super) fn among(query: &SearchQuery, mut list: ListQuery) -> ListQuery {
    list.selection = together(&query.selection, list.selection);
    list.selection.text = None;
    list.fresh_only |= query.fresh_only;
    (list.limit, list.offset) = (query.limit, 0);
    list
}

/// The row of what things are asked for beside.
pub(super) fn row_beside(snapshot: &Snapshot, understood: &Understood) -> Option<u32> {
    understood.beside.map(|ordinal| snapshot.locate(ordinal).1)
}

/// The first of some rows as hits, all of them counted.
pub(super) fn in_rows(
    snapshot: &Snapshot,
    kind: Kind,
    rows: &[u32],
    excluded_stale: usize,
    limit: usize,
) -> SearchOutcome {
    let hit = |row: &u32| SearchHit { ordinal: snapshot.ordinal(kind, *row), score: LISTED_SCORE, matched: Vec::new() };
    SearchOutcome {
        hits: rows.iter().take(limit).map(hit).collect(),
        total: rows.len(),
        by_segment: Kind::ALL.map(|other| if other == kind { rows.len() } else { 0 }).to_vec(),
        total_is_exact: true,
        matched: Vec::new(),
        excluded_stale,
        corrected: Vec::new(),
    }
}

/// What was found, with what a listing tells beside its rows, and what nothing has of what the request itself asks for.
pub(super) fn told(
    snapshot: &Snapshot,
    kind: Kind,
    query: &SearchQuery,
    searched: Searched,
    listing: Listing,
) -> Searched {
    let unknown = listing::unknown_values(snapshot, kind, &query.selection);
    let warnings = listing.warnings.into_iter().chain(unknown).chain(searched.warnings).collect();
    Searched { facets: listing.facets, unresolved: listing.unresolved, warnings, ..searched }
}

/// The selection of the request with what was understood; the request's own filters win.
fn together(own: &Selection, understood: Selection) -> Selection {
    let mut both = own.clone();
    let is_own = |field| own.conditions.iter().any(|condition| condition.field == field);
    both.conditions.extend(understood.conditions.into_iter().filter(|condition| !is_own(condition.field)));
    if both.sort.is_empty() {
        both.sort = understood.sort;
    }
    both.price_of = both.price_of.or(understood.price_of);
    both.include_removed = both.include_removed.or(understood.include_removed);
    both
}
