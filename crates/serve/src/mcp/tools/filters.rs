//! The argument `filters`: which names it takes, and what hints of REST, where filters are parameters, become.

use refdesk_core::Kind;
use refdesk_core::field::{FieldDef, Shape};
use refdesk_core::query::{Condition, QueryError, Selection, Test, filters};
use serde_json::Value;

use crate::http::problem::Problem;

/// The member of a row in its short form that counts its offers, where the question bounds or sorts by their number.
pub(super) const OFFER_COUNT: &str = "offer_count";
/// Names that `filters` takes beside the filters of a kind …
const FILTERS_OF_ALL: [&str; 4] = ["ids", "include_removed", "stale", "collection"];
/// … and of models.
const FILTERS_OF_MODELS: [&str; 1] = ["price_of"];

/// The names that `filters` takes for a kind.
pub(super) fn filter_names(kind: Kind) -> impl Iterator<Item = &'static str> {
    let of_models = FILTERS_OF_MODELS.into_iter().filter(move |_| kind == Kind::Model);
    filters(kind).iter().map(|filter| &*filter.name).chain(FILTERS_OF_ALL).chain(of_models)
}

/// Parameters of REST as arguments of a tool: filters are members of `filters`.
pub(super) fn as_arguments(params: &[(&str, &str)]) -> Vec<String> {
    let (filters, others): (Vec<_>, Vec<_>) = params.iter().partition(|(name, _)| is_filter(name));
    let mut arguments: Vec<String> = others.iter().map(|(name, value)| format!("`{name}={value}`")).collect();
    if !filters.is_empty() {
        let members = filters.into_iter().map(|(name, value)| ((*name).to_owned(), Value::from(value)));
        arguments.push(format!("`filters={}`", Value::Object(members.collect())));
    }
    arguments
}

/// Whether `filters` takes a name for some kind.
pub(super) fn is_filter(name: &str) -> bool {
    Kind::ALL.into_iter().any(|kind| filter_names(kind).any(|filter| filter == name))
}

/// The problem of a query: what its hint says to send for a filter belongs into `filters`.
pub(super) fn problem(mut error: QueryError, sent: &[(String, String)]) -> Problem {
    if let Some(what) = error.hint.strip_prefix("Send ")
        && sent.iter().any(|(name, _)| *name == *error.param)
    {
        error.hint = format!("Send in filters: {what}").into();
    }
    error.into()
}

/// Where rows have the figures and days that a selection bounds or sorts by.
pub(super) fn asked_paths(selection: &Selection) -> Vec<&'static str> {
    let is_bound = |condition: &&Condition| matches!(condition.test, Test::Within(..) | Test::IsNull(_));
    let bounded = selection.conditions.iter().filter(is_bound).map(|condition| condition.field);
    let asked = bounded.chain(selection.sort.iter().map(|key| key.field));
    asked.filter_map(figure_path).collect()
}

/// Where a row in its short form has a figure, a day or a moment; none where that is no member, or the field is none of these.
pub(super) fn figure_path(field: &'static FieldDef) -> Option<&'static str> {
    let is_figure = matches!(field.shape, Shape::Count | Shape::Price | Shape::Date | Shape::Time);
    let path = if field.is_offer_count() { OFFER_COUNT } else { field.path };
    (is_figure && !path.is_empty()).then_some(path)
}
