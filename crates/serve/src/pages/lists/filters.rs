//! The filters of a kind as a form that GETs the page, made of the table of fields; and the choice of columns.

use maud::{Markup, html};
use refdesk_core::Kind;
use refdesk_core::field::{self, FieldDef, Shape};

use super::{Asked, COLUMNS, columns};
use crate::pages::layout::notices::PROBLEM;
use crate::pages::layout::target::Target;
use crate::pages::layout::values;

/// The fields that a kind's form shows at once; the others are below "More filters".
const fn first(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Model => {
            &["vendor", "seller", "capability", "context_tokens", "price_input", "released_on", "open_weights"]
        }
        Kind::Tool => &["category", "vendor", "platform"],
        Kind::Skill => &["vendor", "license"],
        Kind::Tutorial => &["topic", "tutorial_format", "language", "published_on"],
        Kind::McpServer => &["category", "transport", "registry_type", "auth", "official"],
        Kind::Document => &["vendor", "section", "version", "language"],
        Kind::Framework => &["domain", "status"],
    }
}

/// The form: what it GETs, the parameters that were sent, and the one of them that could not be read.
pub(in crate::pages) struct FilterForm<'a> {
    pub(in crate::pages) kind: Kind,
    pub(in crate::pages) target: &'a Target,
    pub(in crate::pages) wrong: Option<&'a str>,
    /// The same page without filters.
    pub(in crate::pages) clear: &'a Target,
}

/// The form.
pub(in crate::pages) fn form(asked: &FilterForm<'_>) -> Markup {
    let FilterForm { kind, target, wrong, clear } = *asked;
    let (shown, more): (Vec<&FieldDef>, Vec<&FieldDef>) =
        field::of_kind(kind).filter(|field| field.is_filter()).partition(|field| first(kind).contains(&field.name));
    let is_of =
        |field: &&FieldDef| parameters(field).iter().any(|(name, _)| target.get(name).is_some() || wrong == Some(name));
    let more_is_open = more.iter().any(is_of);
    // Every parameter that is no field of the form goes on with it.
    let known: Vec<String> =
        field::of_kind(kind).flat_map(|field| parameters(field).into_iter().map(|(name, _)| name)).collect();
    let kept = |name: &str| {
        name != "q" && name != "offset" && name != "fresh_only" && !known.iter().any(|known| known == name)
    };
    html! {
        form action=(target.path()) {
            div.filters {
                (text("q", "Words", asked))
                @for field in &shown { (control(field, asked)) }
                div {
                    label { input type="checkbox" name="fresh_only" value="true" checked[target.get("fresh_only") == Some("true")]; " Only what is fresh" }
                }
                div { button { "Filter" } @if target != clear { " " a href=(clear.href()) { "Clear" } } }
            }
            details open[more_is_open] {
                summary { "More filters" }
                div.filters { @for field in &more { (control(field, asked)) } }
            }
            @for (name, value) in target.pairs().filter(|(name, _)| kept(name)) { input type="hidden" name=(name) value=(value); }
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

fn control(field: &FieldDef, asked: &FilterForm<'_>) -> Markup {
    let label = match field.unit {
        Some(unit) => format!("{} ({unit})", field.label),
        None => field.label.to_owned(),
    };
    match (parameters(field).as_slice(), field.shape) {
        ([(name, _)], Shape::Flag) => html! {
            div {
                label for={ "f-" (name) } { (label) }
                select id={ "f-" (name) } name=(name) aria-invalid=[(asked.wrong == Some(name)).then_some("true")] aria-describedby=[(asked.wrong == Some(name)).then_some(PROBLEM)] {
                    @for (value, word) in [("", "any"), ("true", "yes"), ("false", "no")] {
                        option value=(value) selected[asked.target.get(name).unwrap_or_default() == value] { (word) }
                    }
                }
            }
        },
        ([(name, _)], _) => text(name, &label, asked),
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

fn text(name: &str, label: &str, asked: &FilterForm<'_>) -> Markup {
    let is_wrong = asked.wrong == Some(name);
    html! {
        div {
            label for={ "f-" (name) } { (label) }
            input id={ "f-" (name) } name=(name) value=(asked.target.get(name).unwrap_or_default())
                aria-invalid=[is_wrong.then_some("true")] aria-describedby=[is_wrong.then_some(PROBLEM)];
        }
    }
}

/// The choice of columns. It keeps every other parameter of the page.
pub(super) fn columns(kind: Kind, asked: &Asked) -> Markup {
    html! {
        details {
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
