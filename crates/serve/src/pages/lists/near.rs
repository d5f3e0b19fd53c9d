//! Why nothing matches: values of filters that no row has, each with the nearest values that rows have, the filters without which there are
//! rows, as links, and what is called as the words say and left out all the same.

use super::facets::replaced;
use crate::pages::answer::{Row, read_list};
use crate::pages::layout::target::Target;
use crate::pages::layout::{described, notices, values};
use maud::{Markup, html};
use refdesk_catalog::answer;
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::Kind;
use refdesk_core::field::FieldDef;
use refdesk_core::query::{Advice, FACET_SIZE, ListQuery, Params, Test, Warning, filters};

/// Near values that are named.
const NAMED: usize = 3;
/// Filters that are left out in turn, to see what there is without each.
const TRIED: usize = 10;
/// Words that may be a misspelt name.
const WORDS: usize = 3;
/// How alike a value has to be, from 0 to 1.
const LIKENESS_LEAST: f64 = 0.6;

/// A value of a filter that no row has.
pub(super) struct Missed<'a> {
    field: &'static FieldDef,
    word: &'a str,
    near: Vec<String>,
}

/// What is said of a page without rows. Where something else is asked for, rows that do not meet it may have the value.
pub(super) fn told(missed: &[Missed<'_>], query: &ListQuery, page: &Target) -> Markup {
    let asked = &query.selection;
    let has_others = asked.conditions.len() > 1
        || asked.text.is_some()
        || !asked.ids.is_empty()
        || asked.stale.is_some()
        || asked.is_without_removed()
        || query.fresh_only;
    let which = if has_others { "No row that meets the other filters" } else { "No row here" };
    html! {
        @for Missed { field, word, near } in missed {
            p.notice {
                (which) " has “" (values::excerpt(word, 60)) "” as its " (field.label.to_lowercase()) "."
                @if !near.is_empty() {
                    " Did you mean "
                    (values::joined(", ", near.iter().map(|value| html! { a href=(replaced(page, field, word, Some(value)).href()) { (values::shown(value)) } })))
                    "?"
                }
            }
        }
    }
}

/// The filters of a list without any one of which there are rows, as links to these. `link` is what the links are made from.
pub(in crate::pages) fn without_one_filter(snapshot: &Snapshot, kind: Kind, list: &Target, link: &Target) -> Markup {
    let is_filter = |name: &str| filters(kind).iter().any(|filter| filter.name == name);
    let sent: Vec<(&str, &str)> = list.pairs().filter(|(name, _)| *name == "q" || is_filter(name)).collect();
    let less = sent.iter().filter(|(name, _)| is_filter(name)).take(TRIED).filter_map(|(name, value)| {
        let page = list.without(name);
        let query = ListQuery::parse(kind, &Params::new(page.pairs(), ListQuery::names(kind))).ok()?;
        let query = ListQuery { limit: 1, offset: 0, ..query };
        let answer = read_list(&answer::list(snapshot, kind, &query, &[]).pieces.concat(), kind, &[]).rest;
        let total = answer["total"].as_u64().filter(|total| *total > 0)?;
        let filter = described::all(Some(kind), std::iter::once((*name, *value))).pop()?;
        Some((filter, total, link.without("offset").without(name)))
    });
    let less: Vec<(String, u64, Target)> = if sent.len() > 1 { less.collect() } else { Vec::new() };
    html! {
        @if !less.is_empty() {
            p { "Leave one of the filters out:" }
            ul {
                @for (filter, total, page) in &less {
                    li { a href=(page.href()) { "without “" (filter) "”" } ", " (values::counted(total, kind.label())) }
                }
            }
        }
    }
}

/// What is called as the words say, where the filters leave it out; of a candidate the list itself tells.
pub(super) fn left_out(snapshot: &Snapshot, ordinal: u32, query: &ListQuery, page: &Target) -> Markup {
    let why = answer::why_left_out(snapshot, ordinal, query);
    let why = why.filter(|why| !matches!(why.advice, Some(Advice::Framework(_))));
    html! {
        @if let Some(why) = why {
            (notices::warnings(&[why], page))
            p { a href=(Target::item(snapshot.kind_of(ordinal), snapshot.id(ordinal)).href()) { (values::shown(&snapshot.name(ordinal))) } }
        }
    }
}

/// What may be meant by a few words that are no name, and of which no name on the page has one: words that are spelt alike match, too.
pub(super) fn spelling(snapshot: &Snapshot, kind: Kind, text: &str, rows: &[Row]) -> Markup {
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let words: Vec<String> = text.split_whitespace().map(bare).collect();
    let has_word =
        |name: Option<&str>| name.is_some_and(|name| words.iter().any(|word| name.to_lowercase().contains(word)));
    let is_named = rows.iter().any(|row| has_word(row.text("id")) || has_word(row.text(kind.name_key())));
    let near = if is_named || words.len() > WORDS { Vec::new() } else { snapshot.suggest(kind, text, NAMED) };
    html! {
        @if !near.is_empty() {
            p.notice {
                "Nothing here is called “" (values::excerpt(text, 60)) "”. Did you mean "
                (values::joined(", ", near.into_iter().map(|id| html! { a href=(Target::item(kind, id).href()) { (id) } })))
                "?"
            }
        }
    }
}

/// Takes what [`told`] says out of the warnings of the answer.
pub(super) fn take_told(warnings: &mut Vec<Warning>, missed: &[Missed<'_>]) {
    let is_missed = |name: &str| missed.iter().any(|missed| missed.field.name == name);
    warnings.retain(|warning| !matches!(warning.advice, Some(Advice::OtherValue(field)) if is_missed(field)));
}

/// The values of filters that no row has which meets all the other filters.
pub(super) fn missed<'a>(snapshot: &Snapshot, kind: Kind, query: &'a ListQuery) -> Vec<Missed<'a>> {
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
