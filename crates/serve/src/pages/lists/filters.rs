//! The filters of a kind as a form that GETs the page, made of the table of fields; and the choice of columns.

use maud::{Markup, html};
use refdesk_core::Kind;
use refdesk_core::field::{self, FieldDef, Shape};

use super::kind_page::page_of;
use super::{COLUMNS, ListAddress, columns};
use crate::pages::answer::Facets;
use crate::pages::layout::form::{Control, Hints};
use crate::pages::layout::notices::PROBLEM;
use crate::pages::layout::target::Target;
use crate::pages::layout::{described, values};

/// The parameter that leaves out what is stale.
const FRESH_ONLY: &str = "fresh_only";
/// The parameter that says whose prices are shown.
const PRICE_OF: &str = "price_of";
/// The field of the status, and the status of frameworks that lists leave out.
const STATUS: &str = "status";
const CANDIDATE: &str = "candidate";
/// What a choice says that is left open.
const ANY: &str = "any";

/// Values that a field offers to choose among.
pub(super) const CHOICES: usize = 30;

/// The fields whose values a form offers though no facet shows them.
pub(super) const fn offered(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Model => &["seller", "model_mode"],
        _ => &[],
    }
}

/// The form: what it GETs, the parameters that were sent, and the one of them that could not be read.
pub(in crate::pages) struct FilterForm<'a> {
    pub(in crate::pages) kind: Kind,
    pub(in crate::pages) target: &'a Target,
    pub(in crate::pages) wrong: Option<&'a str>,
    /// The same page without filters.
    pub(in crate::pages) clear: &'a Target,
    /// The values of fields that rows have, where they were counted.
    pub(in crate::pages) counted: &'a Facets,
    /// Whether the page names the filters that are set by itself, as [`chosen`] does.
    pub(in crate::pages) is_told: bool,
}

impl FilterForm<'_> {
    fn named<'a>(&'a self, name: &'a str) -> Control<'a> {
        Control { name, sent: self.target.get(name).unwrap_or_default(), is_wrong: self.wrong == Some(name) }
    }
}

/// Whether the form of a kind has a field for a parameter.
pub(in crate::pages) fn has_field(kind: Kind, name: &str) -> bool {
    ["q", FRESH_ONLY].contains(&name)
        || is_priced(kind) && name == PRICE_OF
        || field::of_kind(kind)
            .filter(|field| field.is_filter())
            .any(|field| parameters(field).iter().any(|(own, _)| own == name))
}

/// How many of its filters are set.
pub(in crate::pages) fn set(kind: Kind, target: &Target) -> usize {
    let of_fields = field::of_kind(kind).filter(|field| field.is_filter()).flat_map(parameters).map(|(name, _)| name);
    of_fields.chain(["q", FRESH_ONLY].map(str::to_owned)).filter(|name| target.get(name).is_some()).count()
}

/// The filters that are set, each as a link to the page without it.
pub(super) fn chosen(kind: Kind, page: &Target) -> Markup {
    let page = page.without("offset");
    let told = |(name, value): (&str, &str)| {
        let words = described::all(Some(kind), std::iter::once((name, value))).pop()?;
        Some((words, page.without(name)))
    };
    let chosen: Vec<(String, Target)> = described::first_of_each(page.pairs()).filter_map(told).collect();
    html! {
        @if !chosen.is_empty() {
            ul.chosen aria-label="Filters that are set" {
                @for (words, without) in &chosen {
                    li { a href=(without.href()) { span.hidden { "Remove: " } (values::excerpt(words, 100)) span aria-hidden="true" { " ✕" } } }
                }
            }
        }
    }
}

/// The form.
pub(in crate::pages) fn form(asked: &FilterForm<'_>) -> Markup {
    let FilterForm { kind, target, wrong, clear, is_told, .. } = *asked;
    let (shown, more): (Vec<&FieldDef>, Vec<&FieldDef>) = field::of_kind(kind)
        .filter(|field| field.is_filter())
        .partition(|field| page_of(kind).filters.contains(&field.name));
    let is_of = |field: &&FieldDef| {
        parameters(field).iter().any(|(name, _)| !is_told && target.get(name).is_some() || wrong == Some(name))
    };
    // All fields of a kind fill a screen, below which nobody would see the rows that a click on a facet leaves.
    let more_is_open = more.iter().any(is_of);
    // Every parameter that is no field of the form goes on with it, but one that could not be read.
    let kept = |name: &str| name != "offset" && wrong != Some(name) && !has_field(kind, name);
    html! {
        form action=(target.path()) {
            div.filters {
                (asked.named("q").text("Words", &Hints::default()))
                @for field in &shown { (control(field, asked)) }
                @if is_priced(kind) { (whose_prices(asked)) }
                (fresh_only(asked))
                div { button { "Filter" } @if target != clear && target.pairs().next().is_some() { " " a href=(clear.href()) { "Clear" } } }
            }
            details open[more_is_open] {
                summary { "More filters" }
                div.filters {
                    @for field in &more { (control(field, asked)) }
                    div { button { "Filter" } }
                }
            }
            @for (name, value) in target.pairs().filter(|(name, _)| kept(name)) { input type="hidden" name=(name) value=(value); }
        }
    }
}

/// The box that leaves out what is stale.
fn fresh_only(asked: &FilterForm<'_>) -> Markup {
    let is_wrong = asked.wrong == Some(FRESH_ONLY);
    html! {
        div {
            label {
                input type="checkbox" name=(FRESH_ONLY) value="true" checked[asked.target.is_on(FRESH_ONLY)]
                    aria-invalid=[is_wrong.then_some("true")] aria-describedby=[is_wrong.then_some(PROBLEM)];
                " Only fresh items"
            }
        }
    }
}

/// The parameters of a field that the form has, each with what stands before it.
fn parameters(field: &FieldDef) -> Vec<(String, &'static str)> {
    match field.shape {
        Shape::Count | Shape::Price | Shape::Date => {
            vec![(format!("{}__gte", field.name), "at least"), (format!("{}__lte", field.name), "at most")]
        }
        Shape::Time if field.name == "updated_at" => vec![("updated_since".to_owned(), "since")],
        Shape::Time => vec![("verified_since".to_owned(), "since")],
        Shape::Rank => Vec::new(),
        Shape::Word | Shape::Words { .. } | Shape::Flag => vec![(field.name.to_owned(), "")],
    }
}

/// Whether a kind has prices, of its maker and of sellers.
fn is_priced(kind: Kind) -> bool {
    field::of_kind(kind).any(FieldDef::is_price)
}

/// Whose prices are shown, filtered and sorted by: the sellers of most models, in the order of the alphabet.
fn whose_prices(asked: &FilterForm<'_>) -> Markup {
    let sellers = asked.counted.get("seller").into_iter().flat_map(|facet| &facet.results).take(CHOICES);
    let mut sellers: Vec<(&str, String)> =
        sellers.map(|seller| (&*seller.value, values::shown(&seller.value))).collect();
    sellers.sort_by_cached_key(|(_, shown)| shown.to_lowercase());
    let cheapest = ("cheapest", "the cheapest seller's".to_owned());
    let words: Vec<(&str, String)> = std::iter::once(cheapest).chain(sellers).collect();
    asked.named(PRICE_OF).choice("Whose prices", "the maker's", &words)
}

fn control(field: &FieldDef, asked: &FilterForm<'_>) -> Markup {
    let label = match field.unit {
        // As its column is headed: the whole unit would take a second line.
        Some(_) if field.is_price() => format!("{} ($/1M)", field.label),
        Some(unit) => format!("{} ({unit})", field.label),
        None => field.label.to_owned(),
    };
    match (parameters(field).as_slice(), field.shape) {
        ([(name, _)], Shape::Flag) => {
            let words = [("true", "yes"), ("false", "no")].map(|(value, word)| (value, word.to_owned()));
            asked.named(name).choice(&label, ANY, &words)
        }
        // What is known not to be there can only be typed.
        ([(name, _)], _) if !field.allowed.is_empty() && !field.has_negation() => {
            let offered = field.allowed.iter().filter(|value| is_offered(field, value, asked));
            let words: Vec<(&str, String)> =
                offered.map(|value| (*value, values::words(value).replace('-', " "))).collect();
            asked.named(name).choice(&label, ANY, &words)
        }
        ([(name, side)], _) => {
            let choices = &choices(field, asked.counted);
            asked.named(name).text(format!("{label} {side}").trim_end(), &Hints { choices, ..Hints::default() })
        }
        (bounds, _) => html! {
            div {
                label for={ "f-" (bounds[0].0) } { (label) }
                span.range {
                    @for (name, side) in bounds {
                        input id={ "f-" (name) } name=(name) value=(asked.target.get(name).unwrap_or_default()) placeholder=(side)
                            aria-label={ (label) ", " (side) } aria-invalid=[(asked.wrong == Some(name)).then_some("true")]
                            aria-describedby=[(asked.wrong == Some(name)).then_some(PROBLEM)];
                    }
                }
            }
        },
    }
}

/// Whether a form offers a value of a closed set: a framework has few of the statuses. Candidates are counted only where they are asked for.
fn is_offered(field: &FieldDef, value: &str, asked: &FilterForm<'_>) -> bool {
    let counted = asked.counted.get(field.name).filter(|_| asked.kind == Kind::Framework && field.name == STATUS);
    let has = |value: &str| counted.is_none_or(|facet| facet.results.iter().any(|result| result.value == value));
    value == CANDIDATE && counted.is_some() || has(value)
}

/// The values of a field that are allowed, or else the most frequent ones that rows have.
fn choices(field: &FieldDef, counted: &Facets) -> Vec<String> {
    if !field.allowed.is_empty() {
        return field.allowed.iter().map(|value| (*value).to_owned()).collect();
    }
    let results = counted.get(field.name).into_iter().flat_map(|facet| &facet.results);
    results.take(CHOICES).map(|result| field::escaped(&result.value)).collect()
}

/// The choice of columns. It keeps every other parameter of the page.
pub(super) fn columns(kind: Kind, asked: &ListAddress) -> Markup {
    html! {
        details.unprinted {
            summary { "Columns" }
            form action=(format!("/{}", kind.path_segment())) {
                @for (name, value) in asked.target.pairs() { input type="hidden" name=(name) value=(value); }
                fieldset.columns {
                    legend.hidden { "Columns" }
                    @for column in columns::all(kind) {
                        @let is_shown = asked.shown.iter().any(|shown| shown.name == column.name);
                        label { input type="checkbox" name=(COLUMNS) value=(column.name) checked[is_shown]; " " (values::shown(column.label)) }
                    }
                }
                button { "Show these" }
            }
        }
    }
}
