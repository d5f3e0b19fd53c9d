//! Fields as leaves with dotted paths: nested objects taken apart, compared and put together again.

use serde_json::{Map, Value};

use crate::json::is_set;
use refdesk_core::Kind;

/// Fields in prose.
const PROSE: [&str; 2] = ["description", "summary"];
/// Fields by which each source sorts what it lists, in words of its own.
const SORTED_BY: [&str; 3] = ["category", "tags", "topics"];
/// What a catalog says of its own entry of an MCP server: what it calls the server, and when it listed it.
const OF_ENTRY: [&str; 3] = ["name", "published_at", "updated_at"];

/// True for a field in prose.
pub fn is_prose(path: &str) -> bool {
    PROSE.contains(&path)
}

/// True for a field that every source puts in its own words or tells of its own entry: another value is no disagreement about the item.
pub fn is_in_own_words(kind: Kind, path: &str) -> bool {
    is_prose(path) || SORTED_BY.contains(&path) || kind == Kind::McpServer && OF_ENTRY.contains(&path)
}

/// The leaves of nested objects as dotted paths; arrays, scalars and empty objects are leaves.
pub fn walk<'a>(object: &'a Map<String, Value>, prefix: &str, out: &mut Vec<(String, &'a Value)>) {
    for (key, value) in object {
        let path = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
        match value {
            Value::Object(inner) if !inner.is_empty() && !is_opaque(&path) => walk(inner, &path, out),
            _ => out.push((path, value)),
        }
    }
}

/// Objects whose keys are the upstream's own are one value, not fields of ours.
fn is_opaque(path: &str) -> bool {
    matches!(path, "metadata" | "input_schema" | "output_schema" | "config_schema" | "prompt" | "origin" | "output")
}

/// The value at a dotted path in nested objects.
pub fn leaf<'a>(fields: &'a Map<String, Value>, path: &str) -> Option<&'a Value> {
    let mut names = path.split('.');
    let first = fields.get(names.next()?)?;
    names.try_fold(first, |value, name| value.get(name))
}

/// The place of a dotted path in nested objects, made where it is missing.
pub fn slot<'a>(fields: &'a mut Map<String, Value>, path: &str) -> &'a mut Value {
    match path.split_once('.') {
        None => fields.entry(path).or_insert(Value::Null),
        Some((head, rest)) => {
            let inner = fields.entry(head).or_insert(Value::Null);
            if !inner.is_object() {
                *inner = Value::Object(Map::new());
            }
            match inner {
                Value::Object(inner) => slot(inner, rest),
                _ => inner,
            }
        }
    }
}

/// Null and what is empty, a text too, state nothing.
pub fn is_stated(value: &Value) -> bool {
    is_set(value) && value.as_str() != Some("")
}

/// Equal values; numbers by value, texts without regard to surrounding blanks, lists without regard to order.
pub fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::String(a), Value::String(b)) => a.trim() == b.trim(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().all(|x| b.iter().any(|y| same(x, y))),
        _ => a == b,
    }
}
