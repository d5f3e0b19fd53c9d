//! Why nothing matches: values of filters that no row has, each with the nearest values that rows have, as links.

use super::facets::replaced;
use crate::pages::answer::read_list;
use crate::pages::layout::target::Target;
use crate::pages::layout::values;
use maud::{Markup, html};
use refdesk_catalog::answer;
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::Kind;
use refdesk_core::field::FieldDef;
use refdesk_core::query::{FACET_SIZE, ListQuery, Test};

/// Near values that are named.
const NAMED: usize = 3;
/// How alike a value has to be, from 0 to 1.
const LIKENESS_LEAST: f64 = 0.6;

/// A value of a filter that no row has.
struct Missed<'a> {
    field: &'static FieldDef,
    word: &'a str,
    near: Vec<String>,
}

/// What is said of a page without rows.
pub(super) fn told(snapshot: &Snapshot, kind: Kind, query: &ListQuery, page: &Target) -> Markup {
    let missed = missed(snapshot, kind, query);
    html! {
        @for Missed { field, word, near } in &missed {
            p.notice {
                "No row here has “" (values::excerpt(word, 60)) "” as its " (field.label.to_lowercase()) "."
                @if !near.is_empty() {
                    " Did you mean "
                    @for (at, value) in near.iter().enumerate() {
                        @if at > 0 { ", " }
                        a href=(replaced(page, field.name, word, Some(value)).href()) { (values::shown(value)) }
                    }
                    "?"
                }
            }
        }
    }
}

/// The values of filters that no row has which meets all the other filters.
fn missed<'a>(snapshot: &Snapshot, kind: Kind, query: &'a ListQuery) -> Vec<Missed<'a>> {
    let mut counted = ListQuery { limit: 1, offset: 0, ..query.clone() };
    let fields = query.selection.conditions.iter().map(|condition| condition.field);
    counted.selection.facets = fields.filter(|field| field.is_facet()).collect();
    counted.selection.facet_size = FACET_SIZE.max;
    let facets = read_list(&answer::list(snapshot, kind, &counted, &[]).pieces.concat(), kind, &[]).facets;
    let mut missed = Vec::new();
    for condition in &query.selection.conditions {
        let (Test::AnyOf(words) | Test::AllOf(words)) = &condition.test else { continue };
        let Some(facet) = facets.get(condition.field.name) else { continue };
        let known: Vec<&str> = facet.results.iter().map(|result| &*result.value).collect();
        for word in words.iter().filter(|word| !word.starts_with('!')) {
            if !known.iter().any(|known| known.to_lowercase() == word.to_lowercase()) {
                missed.push(Missed { field: condition.field, word, near: near(word, &known) });
            }
        }
    }
    missed
}

/// The values that are most like a word, best first.
fn near(word: &str, known: &[&str]) -> Vec<String> {
    let word = word.to_lowercase();
    let likeness = |known: &str| {
        let known = known.to_lowercase();
        let is_part = !word.is_empty() && (known.contains(&word) || word.contains(&known));
        let likeness = strsim::normalized_damerau_levenshtein(&word, &known);
        if is_part { likeness.max(LIKENESS_LEAST) } else { likeness }
    };
    let mut near: Vec<(f64, &str)> = known.iter().map(|known| (likeness(known), *known)).collect();
    near.retain(|(likeness, _)| *likeness >= LIKENESS_LEAST);
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    near.into_iter().take(NAMED).map(|(_, known)| known.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::near;

    #[test]
    fn the_most_like_come_first_and_what_is_unlike_is_left_out() {
        let known = ["Anthropic", "Open Assistant", "OpenAI", "Mistral AI"];
        assert_eq!(near("opnai", &known), ["OpenAI"]);
        assert_eq!(near("MISTRAL", &known), ["Mistral AI"]);
        assert!(near("zzz", &known).is_empty());
    }
}
