//! A value on one line: what names it comes first and what describes it last, so that a line that is cut loses no name.

use refdesk_core::clean::excerpt;
use serde_json::{Map, Value};

use super::clean;
use super::questions::{amount, moment};

/// Members that name an entry, in the order in which they are told.
const NAMING: [&str; 5] = ["name", "id", "identifier", "type", "url"];
/// Those of them that tell an entry from the others of its list.
const NAMES: [&str; 3] = ["name", "id", "identifier"];
/// Members that describe an entry.
const DESCRIBING: [&str; 2] = ["description", "summary"];

/// Characters of a text, a name or a list of plain values.
const LINE_CHARS_MAX: usize = 160;
/// Characters of a text among others.
const TEXT_CHARS_MAX: usize = 80;
/// Characters of an object or a list within an object, beside the names in it.
const NESTED_CHARS_MAX: usize = 100;

/// A value on one line: an object by what it states, a list with commas, and one of named entries with semicolons.
pub(super) fn one_line(value: &Value) -> String {
    match value {
        Value::String(text) => moment(text).unwrap_or_else(|| excerpt(text, LINE_CHARS_MAX)),
        // Each entry is cut by itself: no name is lost.
        Value::Array(items) if has_names(value) => {
            let entry = |item: &Value| match item {
                Value::Object(fields) => members(fields, NESTED_CHARS_MAX),
                other => one_line(other),
            };
            items.iter().map(entry).filter(|entry| !entry.is_empty()).collect::<Vec<_>>().join("; ")
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(one_line).filter(|item| !item.is_empty()).collect();
            excerpt(&items.join(", "), LINE_CHARS_MAX)
        }
        Value::Object(fields) => members(fields, usize::MAX),
        other => amount(other),
    }
}

/// Whether there is a list of named entries in a value.
fn has_names(value: &Value) -> bool {
    let is_named = |entry: &Value| NAMES.iter().any(|name| entry[*name].is_string());
    match value {
        Value::Array(items) => items.iter().any(|item| is_named(item) || has_names(item)),
        Value::Object(fields) => fields.values().any(has_names),
        _ => false,
    }
}

/// What an object states, in at most so many characters beside the names in it.
fn members(fields: &Map<String, Value>, chars_max: usize) -> String {
    let rank = |name: &str, value: &Value| match NAMING.iter().position(|naming| *naming == name) {
        Some(at) => at,
        None if DESCRIBING.contains(&name) => NAMING.len() + 2,
        None => NAMING.len() + usize::from(has_names(value)),
    };
    let stated = fields.iter().filter(|(_, value)| !value.is_null() && **value != Value::Array(Vec::new()));
    let mut stated: Vec<_> = stated.map(|(name, value)| (rank(name, value), name, value)).collect();
    stated.sort_by_key(|(rank, ..)| *rank);
    let mut room = Some(chars_max);
    let mut parts = Vec::new();
    for (rank, name, value) in stated {
        let part = clean(&member(name, value));
        if rank < NAMING.len() || has_names(value) {
            parts.push(part);
        } else if let Some(left) = room {
            parts.push(excerpt(&part, left));
            // What follows a part that is cut is left out.
            room = left.checked_sub(part.chars().count());
        }
    }
    parts.join(" · ")
}

/// A member of an object. Texts tell by themselves what they are.
fn member(name: &str, value: &Value) -> String {
    let chars_max = if NAMING.contains(&name) { LINE_CHARS_MAX } else { TEXT_CHARS_MAX };
    match value {
        // Two times beside each other are told apart by their names only.
        Value::String(text) => moment(text).map_or_else(|| excerpt(text, chars_max), |at| format!("{name} {at}")),
        Value::Array(_) if has_names(value) => format!("{name} {}", one_line(value)),
        Value::Array(_) => excerpt(&format!("{name} {}", one_line(value)), NESTED_CHARS_MAX),
        Value::Object(fields) => format!("{name} {}", members(fields, NESTED_CHARS_MAX)),
        scalar => format!("{name} {}", amount(scalar)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::one_line;

    /// The order of upstream is often that of the alphabet, and descriptions are long.
    #[test]
    fn names_come_first_and_are_never_cut() {
        let long = "What it is for, and much more. ".repeat(10);
        let variable = |name: &str| json!({"default": "x", "description": long, "isSecret": true, "name": name});
        let headers: Vec<_> =
            (1..=9).map(|at| json!({"description": long, "name": format!("X-Header-{at}")})).collect();
        let package = json!({
            "description": long,
            "environmentVariables": (1..=9).map(|at| variable(&format!("VARIABLE_{at}"))).collect::<Vec<_>>(),
            "identifier": "lamp-server",
            "transport": {"headers": headers, "type": "sse"},
            "version": "1.0",
        });
        let line = one_line(&package);
        assert!(
            line.starts_with("lamp-server · 1.0 · environmentVariables VARIABLE_1 · x · isSecret true · "),
            "{line}"
        );
        for at in 1..=9 {
            assert!(line.contains(&format!("VARIABLE_{at}")) && line.contains(&format!("X-Header-{at}")), "{line}");
        }
        assert!(line.contains("transport sse · headers X-Header-1 · "), "{line}");
        let described = line.rfind("What it is for").unwrap_or_default();
        assert!(line.rfind("X-Header-9") < Some(described), "descriptions are last: {line}");
        // Each entry has its own bound, so that a description takes no more room than that.
        assert!(line.chars().count() < 18 * 140 + 200, "{}", line.chars().count());
    }

    #[test]
    fn what_has_no_names_is_cut_as_a_whole() {
        let schema =
            json!({"name": "find", "input": {"properties": {"text": "word ".repeat(60), "more": "other ".repeat(60)}}});
        let line = one_line(&schema);
        assert!(line.starts_with("find · input properties word word") && line.ends_with('…'), "{line}");
        assert!(line.chars().count() <= 120, "{line}");
        assert!(one_line(&json!(vec!["entry"; 60])).chars().count() <= 161);
    }
}
