//! What meets the list that a question was read as, and what is shown where nothing does: the same without one of its conditions, without the
//! words that were left over, or what these words name. [`super::find`] decides that a question is a list.

use super::find::{Searched, among, in_rows, row_beside, selected, told};
use super::words::by_words;
use super::{editions, searched_segments};
use crate::listing::{self, LIST_MATCHES_MAX};
use crate::snapshot::Snapshot;
use crate::understand::{Understood, content_words};
use refdesk_core::Kind;
use refdesk_core::clean;
use refdesk_core::item::Status;
use refdesk_core::query::{Advice, ListQuery, SearchQuery, Warning};
use refdesk_search::{Bitmap, CosineSimilarities, MatchField, MatchKind, SearchHit, SearchOutcome, SearchRequest};

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
        in_order(snapshot, query, understood, list.clone())
    } else {
        selected(snapshot, query, understood, list, semantic)
    };
    // What was deprecated is retired by now.
    if searched.outcome.hits.is_empty() && understood.param("status") == Some(Status::Deprecated.as_str()) {
        let retired = understood.clone().with_status(Status::Retired);
        let found = retired.list().map(|list| selected(snapshot, query, &retired, list, semantic));
        if let Some(found) = found.filter(|found| !found.outcome.hits.is_empty()) {
            searched = found;
            searched.warnings.push("nothing is deprecated and still there; showing what is retired".into());
            *understood = retired;
        }
    }
    if searched.outcome.hits.is_empty()
        && let Some((of_unknown_day, told)) = understood.of_unknown_day(snapshot.built_at())
    {
        let found = of_unknown_day.list().map(|list| selected(snapshot, query, &of_unknown_day, list, semantic));
        if let Some(found) = found.filter(|found| !found.outcome.hits.is_empty()) {
            searched = found;
            searched.warnings.push(told);
        }
    }
    if searched.outcome.hits.is_empty()
        && let Some((outcome, told)) = called_so(snapshot, query, understood, semantic)
    {
        searched.outcome = outcome;
        searched.warnings.push(told);
        understood.params.clear();
        return searched;
    }
    if searched.outcome.hits.is_empty()
        && let Some((outcome, told)) = named_otherwise(snapshot, query, understood, semantic)
    {
        *understood = Understood::default();
        return Searched { outcome, warnings: vec![told], ..Searched::default() };
    }
    if searched.outcome.hits.is_empty() && !understood.rest.is_empty() {
        let without_words = understood.clone().without_words();
        let all_of_it = without_words.list().map(|list| selected(snapshot, query, &without_words, list, semantic));
        if let Some(all_of_it) = all_of_it.filter(|all_of_it| !all_of_it.outcome.hits.is_empty()) {
            searched = all_of_it;
            let shown = clean::quoted(&understood.rest);
            let told = format!("nothing that meets the filters mentions `{shown}`; showing everything that meets them");
            searched.warnings.push(told.into());
            *understood = without_words;
        }
    }
    if !searched.outcome.hits.is_empty() || !query.selection.is_every_row() {
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
        left = found.iter().filter(|hit| is_literal(hit)).map(|hit| snapshot.locate(hit.ordinal).1).collect();
        if left.is_empty() {
            break;
        }
    }
    left
}
