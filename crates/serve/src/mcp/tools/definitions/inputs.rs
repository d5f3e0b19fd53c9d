//! Schemas of tool arguments, with the limits of the core.

use refdesk_core::Kind;
use refdesk_core::item::Domain;
use refdesk_core::query::{LimitRule, Mode, QUERY_CHARS_MAX};
use serde_json::{Value, json};

use crate::mcp::tools::arguments::ID_CHARS_MAX;

pub(super) fn question(description: &str) -> Value {
    json!({"type": "string", "minLength": 1, "maxLength": QUERY_CHARS_MAX, "description": description})
}

/// A boolean; left out, it is false.
pub(super) fn flag(description: &str) -> Value {
    json!({"type": "boolean", "description": description})
}

pub(super) fn limit(rule: LimitRule, what: &str) -> Value {
    json!({"type": "integer", "minimum": 1, "maximum": rule.max, "default": rule.default, "description": what})
}

pub(super) fn at_most(max: usize, what: &str) -> Value {
    json!({"type": "integer", "minimum": 1, "maximum": max, "description": what})
}

pub(super) fn id(description: &str) -> Value {
    json!({"type": "string", "minLength": 1, "maxLength": ID_CHARS_MAX, "description": description})
}

pub(super) fn types(kinds: &[Kind], description: &str) -> Value {
    let names: Vec<&str> = kinds.iter().map(|kind| kind.search_type()).collect();
    json!({"type": "string", "enum": names, "description": description})
}

pub(super) fn domain() -> Value {
    let names: Vec<&str> = Domain::ALL.iter().map(|domain| domain.as_str()).collect();
    json!({"type": "string", "enum": names, "description": "Only frameworks of this domain."})
}

pub(super) fn mode() -> Value {
    json!({"type": "string", "enum": [Mode::Lexical.as_str(), Mode::Hybrid.as_str()], "default": Mode::Lexical.as_str(), "description": "How to rank; leave it out normally."})
}

pub(super) fn full() -> Value {
    flag("All of it, several times as long.")
}

/// Names of list parameters and texts. A wrong name is answered with all names.
pub(super) fn filters(when: &str) -> Value {
    let common = "vendor, capability, input_modalities, context_tokens__gte, price_input__lte, open_weights, released_on__gte, license, install_type, auth";
    let description = format!(
        "{when} Names of filters to texts, such as {{\"context_tokens__gte\": \"200k\"}}. Often used: {common}."
    );
    json!({"type": "object", "additionalProperties": {"type": "string"}, "description": description.trim()})
}
