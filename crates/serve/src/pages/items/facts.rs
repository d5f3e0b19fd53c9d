//! Tables of what is known: a field, its value, and whose word it is.

use maud::{Markup, html};
use refdesk_catalog::answer::at;
use refdesk_core::Kind;
use serde_json::Value;

use super::provenance;
use crate::pages::layout::table::scrolled;
use crate::pages::layout::{freshness, values};

/// Where the prices of a model are.
const PRICES: &str = "pricing.";

/// A row for each path, with the source and the rule by which it won. What no source states is shown as unknown.
pub(super) fn table(kind: Kind, name: &str, item: &Value, rows: &[(&str, &str)]) -> Markup {
    // Amounts alone are compared by their digits, so they end below each other.
    let alignment = rows.iter().all(|(path, _)| path.starts_with(PRICES)).then_some("n");
    html! {
        (scrolled(name, html! {
            table.facts {
                thead { tr { th scope="col" { (name) } th scope="col" class=[alignment] { "Value" } th scope="col" { "Source" } } }
                tbody { @for (path, label) in rows { (row(kind, item, path, label, alignment)) } }
            }
        }))
    }
}

fn row(kind: Kind, item: &Value, path: &str, label: &str, alignment: Option<&str>) -> Markup {
    let value = at(item, path).unwrap_or(&Value::Null);
    html! {
        tr {
            th scope="row" { (label) }
            td class=[alignment] {
                (values::at_path(path, value)) (freshness::stale_field(item, path))
                @if value.is_null() && provenance::is_withheld(item, path) { " " b.stale { "withheld" } }
            }
            td { @if !value.is_null() && let Some(stated) = provenance::stated(item, path) { (provenance::source(kind, item, stated)) } }
        }
    }
}
