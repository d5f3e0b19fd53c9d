//! What is found among rows: those that the request selects, or that meet the list which a question was read as. Where nothing meets it, the
//! same without one of its conditions, without the words that were left over, or what these words name. [`super::find()`] reads the question.

use std::borrow::Cow;

use super::words::{by_words, telling_of};
use super::{LISTED_SCORE, editions, hints, searched_segments};
use crate::listing::{self, Facet, LIST_MATCHES_MAX, Listing};
use crate::snapshot::Snapshot;
use crate::understand::{Understood, content_words, expansions};
use refdesk_core::Kind;
use refdesk_core::clean;
use refdesk_core::item::Status;
use refdesk_core::query::{Advice, ListQuery, SearchQuery, Selection, Warning};
use refdesk_core::text::words;
use refdesk_search::{
    Bitmap, CosineSimilarities, MatchField, MatchKind, SearchHit, SearchOutcome, SearchRequest, Telling,
};

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

/// What meets the list that was understood. Words that were left over are looked for among it where it has no order, and else put first what
/// has them all; where nothing has them, they are given up.
pub(super) fn listed(
    snapshot: &Snapshot,
    query: &SearchQuery,
    understood: &mut Understood,
    list: ListQuery,
    semantic: Option<&CosineSimilarities>,
) -> Searched {
    let has_order = !list.selection.sort.is_empty() && query.selection.text.is_none();
    let mut searched = if has_order && !understood.rest.is_empty() {
        in_order(snapshot, query, understood, list)
    } else {
        selected(snapshot, query, understood, list, semantic)
    };
    if !searched.outcome.hits.is_empty() {
        return searched;
    }
    let any_of = |understood: &Understood, told: Warning| {
        let mut found = selected(snapshot, query, understood, understood.list()?, semantic);
        found.warnings.push(told);
        (!found.outcome.hits.is_empty()).then_some(found)
    };
    // What was deprecated is retired by now.
    if understood.param("status") == Some(Status::Deprecated.as_str()) {
        let retired = understood.clone().with_status(Status::Retired);
        let told = "nothing is deprecated and still there; showing what is retired";
        if let Some(found) = any_of(&retired, told.into()) {
            *understood = retired;
            return found;
        }
    }
    if let Some((of_unknown_day, told)) = understood.of_unknown_day(snapshot.built_at())
        && let Some(found) = any_of(&of_unknown_day, told)
    {
        return found;
    }
    if let Some((outcome, told)) = called_so(snapshot, query, understood, semantic) {
        searched.outcome = outcome;
        searched.warnings.push(told);
        understood.params.clear();
        return searched;
    }
    if let Some((outcome, told)) = named_otherwise(snapshot, query, understood, semantic) {
        *understood = Understood::default();
        return Searched { outcome, warnings: vec![told], ..Searched::default() };
    }
    if !understood.rest.is_empty() {
        let shown = clean::quoted(&understood.rest);
        let told = format!("nothing that meets the filters mentions `{shown}`; showing everything that meets them");
        let without_words = understood.clone().without_words();
        if let Some(found) = any_of(&without_words, told.into()) {
            *understood = without_words;
            return found;
        }
    }
    if !query.selection.is_every_row() {
        return searched;
    }
    // What is asked of models is a matter of figures and days, for which no page is a substitute; and where no word names a thing, the words
    // of the conditions are in texts about something else.
    let names_nothing = understood.rest.is_empty() && understood.beside.is_none();
    if understood.kind == Some(Kind::Model) || names_nothing {
        let advice = Advice::AsTyped("; `understand=false` searches for the words");
        searched.warnings.push(Warning::new("nothing meets everything that was understood", advice));
    } else {
        let unmet = "nothing meets everything that was understood; showing what matches the words alone";
        searched.warnings.push(unmet.into());
        searched.outcome = by_words(snapshot, query, understood, semantic);
    }
    searched
}

/// What is called by the words that nothing has which meets the filters: who asks for `payment servers without login` looks for payment
/// servers, and not for whatever needs no login. Models are asked for by what they are.
fn called_so(
    snapshot: &Snapshot,
    query: &SearchQuery,
    understood: &Understood,
    semantic: Option<&CosineSimilarities>,
) -> Option<(SearchOutcome, Warning)> {
    let is_topic = !understood.rest.is_empty() && understood.param("sort").is_none();
    let kind = understood.kind.filter(|kind| *kind != Kind::Model && is_topic && query.selection.is_every_row())?;
    let unfiltered = Understood { params: Vec::new(), ..understood.clone() };
    let query = SearchQuery { text: understood.rest.clone(), ..query.clone() };
    let outcome = by_words(snapshot, &query, &unfiltered, semantic);
    let first = outcome.hits.first().filter(|hit| snapshot.kind_of(hit.ordinal) == kind)?;
    let is_called_so = first.matched.iter().any(|(field, how)| is_of_name(*field) && *how != MatchKind::Fuzzy);
    let shown = clean::quoted(&understood.rest);
    let told = format!("nothing that meets the filters mentions `{shown}`; showing what is called so without them");
    is_called_so.then(|| (outcome, told.into()))
}

fn is_of_name(field: MatchField) -> bool {
    matches!(field, MatchField::Id | MatchField::Name | MatchField::Title)
}

/// What is found by all words of a question for models, where nothing that meets the filters has those that were left over and these name what
/// is found first: `flair models on hugging face` asks for a page, and filters would show every other model there.
fn named_otherwise(
    snapshot: &Snapshot,
    query: &SearchQuery,
    understood: &Understood,
    semantic: Option<&CosineSimilarities>,
) -> Option<(SearchOutcome, Warning)> {
    // An order or a bound is no word of a name.
    let is_limit = |(name, _): &(String, String)| name == "sort" || name.ends_with("__gte") || name.ends_with("__lte");
    let is_of_models = understood.kind == Some(Kind::Model) && !understood.params.iter().any(is_limit);
    let mut left_over = content_words(&understood.rest).peekable();
    if !is_of_models || !query.selection.is_every_row() || left_over.peek().is_none() {
        return None;
    }
    let request = SearchRequest {
        segments: searched_segments(query.kind),
        fresh_only: query.fresh_only,
        semantic,
        ..SearchRequest::new(&query.text, query.limit)
    };
    let outcome = editions::search(snapshot, &request);
    let first = outcome.hits.first()?;
    let coverage = snapshot.coverage(&request, [first.ordinal]);
    let has_all_words = coverage.best() == coverage.whole;
    let (kind, row) = (snapshot.kind_of(first.ordinal), snapshot.locate(first.ordinal).1);
    let mut only = vec![Bitmap::default(); Kind::ALL.len()];
    only[kind.index()] = [row].into_iter().collect();
    let in_name = |(field, how): &(MatchField, MatchKind)| is_of_name(*field) && *how != MatchKind::Fuzzy;
    let is_called = |word: &str| {
        let named = SearchRequest { segments: kind.into(), only: &only, ..SearchRequest::new(word, 1) };
        snapshot.search(&named).hits.iter().any(|hit| hit.matched.iter().any(in_name))
    };
    let is_called_so = has_all_words && left_over.all(is_called);
    let shown = clean::quoted(&understood.rest);
    let told = format!(
        "no model meets what was understood and mentions `{shown}`; showing what has all words of the question"
    );
    is_called_so.then(|| (outcome, told.into()))
}

/// The rows of a list in its order, those first that have all words that were left over.
fn in_order(snapshot: &Snapshot, query: &SearchQuery, understood: &Understood, list: ListQuery) -> Searched {
    let Some(kind) = query.kind.or(understood.kind) else { return Searched::default() };
    let mut list = among(query, list);
    list.limit = usize::MAX;
    let listing = listing::select_beside(snapshot, kind, &list, row_beside(snapshot, understood));
    let mut searched = Searched::default();
    let with_words = with_all_words(snapshot, kind, &listing.rows, &understood.rest, &mut searched.warnings);
    let (mut rows, others): (Vec<u32>, Vec<u32>) =
        listing.rows.iter().copied().partition(|row| with_words.contains(*row));
    if rows.is_empty() && !others.is_empty() {
        let shown = clean::quoted(&understood.rest);
        let told =
            format!("nothing that meets the filters has all words of `{shown}`; showing everything that meets them");
        searched.warnings.push(told.into());
    }
    rows.extend(others);
    searched.outcome = in_rows(snapshot, kind, &rows, listing.excluded_stale, query.limit);
    told(snapshot, kind, query, searched, listing)
}

/// Those of some rows that have all words of a text.
fn with_all_words(snapshot: &Snapshot, kind: Kind, rows: &[u32], text: &str, warnings: &mut Vec<Warning>) -> Bitmap {
    let mut left: Bitmap = rows.iter().copied().collect();
    for word in content_words(text) {
        let mut only = vec![Bitmap::default(); Kind::ALL.len()];
        only[kind.index()] = left;
        let request = SearchRequest {
            segments: kind.into(),
            only: &only,
            ..SearchRequest::new(word, rows.len().min(LIST_MATCHES_MAX))
        };
        let found = snapshot.search(&request).hits;
        if found.len() == LIST_MATCHES_MAX {
            let shown = clean::quoted(word);
            let told =
                format!("more than {LIST_MATCHES_MAX} items have `{shown}`; the best {LIST_MATCHES_MAX} come first");
            warnings.push(told.into());
        }
        let is_literal = |hit: &SearchHit| hit.matched.iter().any(|(_, how)| *how != MatchKind::Fuzzy);
        let mut literal: Vec<u32> = found.iter().filter(|hit| is_literal(hit)).map(|hit| hit.ordinal).collect();
        // `gpt-4o` is more than `gpt`. What has none of the parts is found by the whole, in another spelling.
        if words(word).nth(1).is_some() {
            let coverage = snapshot.coverage(&request, literal.iter().copied());
            let (best, mut of_items) = (coverage.best(), coverage.of_items.iter());
            literal.retain(|_| of_items.next().is_some_and(|of| *of == 0 || *of == best));
        }
        left = literal.into_iter().map(|ordinal| snapshot.locate(ordinal).1).collect();
        if left.is_empty() {
            break;
        }
    }
    left
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
        telling: if query.understand { telling_of(kind) } else { Telling::None },
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
fn among(query: &SearchQuery, mut list: ListQuery) -> ListQuery {
    list.selection = together(&query.selection, list.selection);
    list.selection.text = None;
    list.fresh_only |= query.fresh_only;
    (list.limit, list.offset) = (query.limit, 0);
    list
}

/// The row of what things are asked for beside.
fn row_beside(snapshot: &Snapshot, understood: &Understood) -> Option<u32> {
    understood.beside.map(|ordinal| snapshot.locate(ordinal).1)
}

/// The first of some rows as hits, all of them counted.
fn in_rows(snapshot: &Snapshot, kind: Kind, rows: &[u32], excluded_stale: usize, limit: usize) -> SearchOutcome {
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
fn told(snapshot: &Snapshot, kind: Kind, query: &SearchQuery, searched: Searched, listing: Listing) -> Searched {
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
