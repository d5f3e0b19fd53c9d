//! Fields as leaves with dotted paths: nested objects taken apart, compared and put together again.

use serde_json::{Map, Value};

use crate::json::is_set;

/// Fields in prose: sources always word them differently, which is no disagreement about a fact.
const PROSE: [&str; 2] = ["description", "summary"];

/// True for a field in prose.
pub fn is_prose(path: &str) -> bool {
    PROSE.contains(&path)
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

/// Whether two values of a field say the same: [`same`] values, licences and repositories that differ only in case or in how an address
/// ends (`MIT` and `mit`, `…/Lamp.git` and `…/lamp/`), and a month or year with a day in it.
pub fn agree(path: &str, a: &Value, b: &Value) -> bool {
    const IN_ANY_CASE: [&str; 3] = ["license", "repository.url", "repository_url"];
    let folded = |value: &Value| {
        let text = value.as_str()?.trim().trim_end_matches('/').trim_end_matches(".git");
        Some(text.to_lowercase())
    };
    same(a, b)
        || IN_ANY_CASE.contains(&path) && folded(a).is_some_and(|a| folded(b) == Some(a))
        || DATES.contains(&path) && (is_within(a, b) || is_within(b, a))
}

/// Fields for a day, a month or a year.
const DATES: [&str; 5] = ["released_on", "knowledge_cutoff", "deprecated_on", "retires_on", "published_on"];

/// Whether a date lies within another, which is less exact: `2026-01-27` within `2026-01`.
pub fn is_within(date: &Value, whole: &Value) -> bool {
    let rest = date.as_str().zip(whole.as_str()).and_then(|(date, whole)| date.strip_prefix(whole).zip(Some(whole)));
    rest.is_some_and(|(rest, whole)| {
        let is_part = |text: &str, len: usize| text.len() == len && text.bytes().all(|b| b.is_ascii_digit());
        let mut parts = whole.split('-');
        let is_date = parts.next().is_some_and(|year| is_part(year, 4)) && parts.all(|part| is_part(part, 2));
        is_date && rest.starts_with('-')
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::agree;

    #[test]
    fn a_month_agrees_with_its_days_and_with_nothing_else() {
        for (path, a, b, is_so) in [
            ("released_on", "2026-01", "2026-01-27", true),
            ("knowledge_cutoff", "2025-06-30", "2025", true),
            ("released_on", "2026-01", "2026-02-01", false),
            ("released_on", "2026-01-02", "2026-01-03", false),
            ("released_on", "2026-0", "2026-01", false),
            ("released_on", "", "2026-01", false),
            ("version", "2026", "2026-01", false),
            ("license", "MIT", "mit", true),
        ] {
            assert_eq!(agree(path, &json!(a), &json!(b)), is_so, "{path}: {a} {b}");
        }
    }
}
