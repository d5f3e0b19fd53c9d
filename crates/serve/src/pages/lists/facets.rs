//! Facets: the values of some fields with how many rows a link to them leads to. It adds the value to the filters of the field, takes it
//! away, or puts it in the place of another where a field takes one alone.

use super::ListAddress;
use super::kind_page::page_of;
use crate::api::schema::{FacetCount, FacetCounts};
use crate::pages::answer::{Facets, read_list};
use crate::pages::layout::target::Target;
use crate::pages::layout::values;
use maud::{Markup, html};
use refdesk_catalog::answer;
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::Kind;
use refdesk_core::field::{self, FieldDef, Shape};
use refdesk_core::query::ListQuery;

/// Values that a facet shows, besides those that are chosen.
const FACET_VALUES: usize = 10;

/// A value of a facet.
struct FacetLine {
    word: String,
    /// Rows that have it; `None` where it is too rare to be counted with the others.
    count: Option<usize>,
    is_chosen: bool,
}

/// The counts of those facets whose filters bound other values of the field too: `capability=!reasoning` leaves no row with `reasoning` to
/// lead to. The form, which replaces a value, offers what there is without them.
pub(super) fn bounded(snapshot: &Snapshot, kind: Kind, query: &ListQuery) -> Facets {
    let bounding = query.selection.conditions.iter().filter(|condition| condition.test.bounds_other_values());
    let bounded: Vec<&FieldDef> = bounding.map(|condition| condition.field).collect();
    let fields = page_of(kind).facets.iter().filter_map(|name| field::named(kind, name));
    let fields = fields.filter(|field| bounded.contains(field));
    let mut counted = ListQuery { limit: 1, offset: 0, ..query.clone() };
    counted.selection.facets = fields.collect();
    if counted.selection.facets.is_empty() {
        return Facets::new();
    }
    counted.selection.counts_as_added = true;
    read_list(&answer::list(snapshot, kind, &counted, &[]).pieces.concat(), kind, &[]).facets
}

/// All facets of a page: of each field its own counts in `bounded`, else those in `facets`.
pub(super) fn links(kind: Kind, asked: &ListAddress, facets: &Facets, bounded: &Facets) -> Markup {
    // A facet changes which rows there are, so the page begins with the first.
    let page = asked.link().without("offset");
    let shown = page_of(kind).facets.iter().filter_map(|name| {
        let field = field::named(kind, name)?;
        let counted = bounded.get(*name).or_else(|| facets.get(*name));
        let lines = lines(field, counted, page.get(name).unwrap_or_default());
        (!lines.is_empty()).then_some((field, lines))
    });
    html! {
        @for (field, lines) in shown {
            h2 { (field.label) }
            ul.facet {
                @for FacetLine { word, count, is_chosen } in &lines {
                    li {
                        a href=(toggled(&page, field, word, *is_chosen).href()) aria-current=[is_chosen.then_some("true")] {
                            span {
                                @if *is_chosen { "✓ " }
                                @if let Some(word) = negated(field, word) { "not " (in_words(field, word)) } @else { (value(field, word)) }
                            }
                            @if let Some(count) = count { span.soft { (values::count(*count)) } }
                        }
                    }
                }
            }
        }
    }
}

/// The most frequent values, and those that are chosen however rare they are: what is chosen can be taken away.
fn lines(field: &FieldDef, counted: Option<&FacetCounts>, chosen: &str) -> Vec<FacetLine> {
    let results = counted.map_or(&[][..], |facet| &facet.results);
    let mut lines: Vec<FacetLine> = Vec::new();
    for (at, FacetCount { value, count, selected, .. }) in results.iter().enumerate() {
        if at < FACET_VALUES || *selected {
            lines.push(FacetLine { word: value.clone(), count: Some(*count), is_chosen: *selected });
        }
    }
    if field.shape != Shape::Flag {
        // Where all values are counted, no row has one that is not among them. What a row must not have is not counted.
        let count = counted.is_some_and(|facet| !facet.truncated).then_some(0);
        for word in words_of(field, chosen) {
            let count = count.filter(|_| negated(field, &word).is_none());
            if !lines.iter().any(|line| is_same(&line.word, &word)) {
                lines.push(FacetLine { word, count, is_chosen: true });
            }
        }
    }
    lines
}

/// A value, or what stands for none: nobody says of an item that its status is unknown.
fn value(field: &FieldDef, word: &str) -> Markup {
    if values::is_unstated(field.path, &word.into()) {
        return html! { span.soft { (values::UNKNOWN) } };
    }
    html! { (in_words(field, word)) }
}

/// A value as tables show it.
fn in_words(field: &FieldDef, word: &str) -> String {
    match (field.shape, word) {
        (Shape::Flag, "true") => "yes".to_owned(),
        (Shape::Flag, "false") => "no".to_owned(),
        // Our own words, as titles and questions have them; the values of upstreams stay as they are.
        _ if !field.allowed.is_empty() => values::words(&values::shown(word)),
        _ => values::shown(word),
    }
}

/// What a word says that a row must not have.
fn negated<'w>(field: &FieldDef, word: &'w str) -> Option<&'w str> {
    word.strip_prefix('!').filter(|_| field.has_negation())
}

fn is_same(a: &str, b: &str) -> bool {
    a.to_lowercase() == b.to_lowercase()
}

/// The page with a value added to a filter, or taken away from it.
fn toggled(target: &Target, field: &FieldDef, word: &str, is_chosen: bool) -> Target {
    if is_chosen { replaced(target, field, word, None) } else { replaced(target, field, word, Some(word)) }
}

/// The values that a filter is sent, as the field has them.
fn words_of(field: &FieldDef, sent: &str) -> Vec<String> {
    field::split(sent).into_iter().map(|word| field.value_meant(&word).unwrap_or(word)).collect()
}

/// The page with another value of a filter in place of one, or with none. A flag has one value alone.
pub(super) fn replaced(target: &Target, field: &FieldDef, word: &str, by: Option<&str>) -> Target {
    let name = field.name;
    let mut words = words_of(field, target.get(name).unwrap_or_default());
    words.retain(|sent| field.shape != Shape::Flag && !is_same(sent, word));
    words.extend(by.map(str::to_owned));
    let words: Vec<String> = words.iter().map(|word| field::escaped(word)).collect();
    if words.is_empty() { target.without(name) } else { target.with(name, words.join(",")) }
}
