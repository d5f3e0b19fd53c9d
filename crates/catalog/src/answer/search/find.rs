//! Finding: by words, among the rows of a selection, or by what was understood of the question.

use super::listed::{Searched, listed, selected};
use super::titled::titled;
use super::words::by_words;
use super::{hints, placed, searched_kinds, searched_segments};
use crate::listing;
use crate::snapshot::Snapshot;
use crate::understand::{
    Understood, UnknownVersion, is_kind, is_name, packaged, translated, understand, unknown_version, with_letter,
    without_quantisation,
};
use refdesk_core::Kind;
use refdesk_core::query::{Advice, ListQuery, SearchQuery, Warning};
use refdesk_search::CosineSimilarities;

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
