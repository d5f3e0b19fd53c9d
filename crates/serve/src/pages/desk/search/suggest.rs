//! What is suggested while somebody types: the best hits of all kinds, frameworks among them, as the script shows them. They have the rights
//! of a page and count as one search.

use axum::response::Response;
use bytes::Bytes;
use refdesk_core::Kind;
use refdesk_core::item::Status;
use serde_json::{Value, json};

use super::Scope;
use crate::http::problem::Problem;
use crate::http::request::ApiRequest;
use crate::negotiation::JSON;
use crate::pages::answer::kind_of;
use crate::pages::layout::target::Target;
use crate::pages::layout::values;
use crate::state::metrics::SearchKind;

/// Suggestions in all, and frameworks among them.
const SUGGESTED: usize = 8;
const FRAMEWORKS: usize = 2;

/// # Errors
/// On a search that cannot be read.
pub(super) fn suggestions(request: &ApiRequest) -> Result<Response, Problem> {
    request.state.metrics.search(SearchKind::Catalog);
    let scope = Scope::of(request)?;
    let typed = scope.target.get("q").unwrap_or_default().trim().to_lowercase();
    let asked = |limit: usize| scope.target.with("limit", limit.to_string());
    let hits = scope.catalog(&asked(SUGGESTED))?.answer;
    let hits = values::list(&hits, "results").iter();
    let hits: Vec<Value> = hits.filter_map(|hit| Some(suggestion(kind_of(hit)?, hit))).collect();
    let cards = scope.frameworks(&asked(FRAMEWORKS))?.answer;
    let cards = values::list(&cards, "frameworks").iter();
    let cards = cards.map(|card| suggestion(Kind::Framework, card));
    // The two searches rank apart: a card is first where its name is being typed, and last otherwise.
    let is_typed = |card: &Value| {
        ["name", "id"].iter().any(|name| card[*name].as_str().unwrap_or_default().to_lowercase().starts_with(&typed))
    };
    let (first, last): (Vec<Value>, Vec<Value>) = cards.partition(is_typed);
    let places = SUGGESTED.saturating_sub(first.len() + last.len());
    let all: Vec<Value> = first.into_iter().chain(hits.into_iter().take(places)).chain(last).collect();
    request.respond().computed(JSON, "", vec![Bytes::from(json!({"results": all}).to_string())])
}

fn suggestion(kind: Kind, hit: &Value) -> Value {
    let id = hit["id"].as_str().unwrap_or_default();
    let name = values::shown(values::text(hit, kind.name_key()).unwrap_or(id));
    let mut told = json!({"kind": kind.label(), "id": id, "name": name, "path": Target::item(kind, id).path()});
    if let Some(status) = Status::outgoing(hit) {
        told["status"] = status.as_str().into();
    }
    told
}
