//! Tables of what is known: a field, its value, and whose word it is.

use maud::{Markup, html};
use refdesk_catalog::answer::at;
use refdesk_core::Kind;
use serde_json::Value;

use super::provenance;
use crate::pages::layout::table::scrolled;
use crate::pages::layout::target::Target;
use crate::pages::layout::{freshness, values};

/// A row for each path, with the source and the rule by which it won. What no source states is shown as unknown.
pub(super) fn table(kind: Kind, name: &str, item: &Value, rows: &[(&str, &str)]) -> Markup {
    html! {
        (scrolled(name, html! {
            table.facts {
                thead { tr { th scope="col" { (name) } th scope="col" { "Value" } th scope="col" { "Source" } } }
                tbody { @for (path, label) in rows { (row(kind, item, path, label)) } }
            }
        }))
    }
}

fn row(kind: Kind, item: &Value, path: &str, label: &str) -> Markup {
    let value = at(item, path).unwrap_or(&Value::Null);
    html! {
        tr {
            th scope="row" { (label) }
            td {
                (values::at_path(path, value)) (freshness::stale_field(item, path))
                @if value.is_null() && provenance::is_withheld(item, path) { " " b.stale { "withheld" } }
            }
            td { @if !value.is_null() { (whose(kind, item, path)) } }
        }
    }
}

/// The source of a field as a link to its evidence.
fn whose(kind: Kind, item: &Value, path: &str) -> Markup {
    let id = item["id"].as_str().unwrap_or_default();
    html! {
        @if let Some(stated) = stated(item, path) {
            @if let (Some(source), Some(key)) = (stated["source_id"].as_str(), stated["evidence_key"].as_str()) {
                a href=(Target::evidence(key, kind, id).href()) title=[stated["rule"].as_str().map(rule)] { (source) }
            }
        }
    }
}

/// Where a field was read.
pub(super) fn stated<'i>(item: &'i Value, path: &str) -> Option<&'i Value> {
    // A list or an object may be stated as a whole.
    let mut parents = std::iter::successors(Some(path), |path| path.rsplit_once('.').map(|(parent, _)| parent));
    parents.find_map(|path| Some(&item["field_evidence"][path]).filter(|stated| stated.is_object()))
}

/// Why a source's value is the one that is shown.
fn rule(rule: &str) -> String {
    match rule {
        "maker" => "stated by or of the maker".to_owned(),
        "most_sellers" => "stated by most sellers".to_owned(),
        "best_source" => "stated by the source that ranks highest".to_owned(),
        other => values::words(other),
    }
}
