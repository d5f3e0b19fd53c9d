//! What is wrong with a card, said so that its author knows which key to mend and how.

use refdesk_core::Kind;
use refdesk_core::nearest::{did_you_mean, meant};
use refdesk_core::text::word_array;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// The keys that every card may have, whatever its kind.
pub(super) const HEAD_KEYS: [&str; 11] =
    word_array("kind id display_name title vendor status trust_tier source_url aliases language checked_on");

/// Reads the kind's own fields out of what is left of a card, with errors that name the key.
pub(super) fn fields<T: DeserializeOwned>(kind: Kind, map: Map<String, Value>) -> Result<T, String> {
    serde_path_to_error::deserialize(Value::Object(map)).map_err(|error| {
        let path = error.path().to_string();
        say(kind, if path == "." { "" } else { &path }, &error.inner().to_string())
    })
}

/// Puts serde's words about a key into ours.
fn say(kind: Kind, path: &str, inner: &str) -> String {
    let quoted = quoted(inner);
    let Some((named, expected)) = quoted.split_first() else { return about(path, inner) };
    if inner.starts_with("unknown field") {
        let parent = path.strip_suffix(named.as_str()).unwrap_or(path).trim_end_matches('.');
        let key = if parent.is_empty() { named.clone() } else { format!("{parent}.{named}") };
        if parent.is_empty() && matches!(named.as_str(), "display_name" | "title") {
            return format!("unknown key `{named}`: a {} has `{}`", kind.label(), kind.name_key());
        }
        let mut known: Vec<&str> = expected.iter().map(String::as_str).collect();
        if parent.is_empty() {
            known.extend(HEAD_KEYS);
            // A field that sources state and no card does.
            known.retain(|key| !(kind == Kind::Model && *key == "offers"));
        }
        return match meant(named, known.iter().copied()) {
            Some(near) => format!("unknown key `{key}` (did you mean `{near}`?)"),
            None => format!("unknown key `{key}`; a {} knows {}", kind.label(), known.join(", ")),
        };
    }
    if inner.starts_with("missing field") {
        let key = if path.is_empty() { named.clone() } else { format!("{path}.{named}") };
        return format!("missing key `{key}`; add it");
    }
    if inner.starts_with("unknown variant") {
        let known: Vec<&str> = expected.iter().map(String::as_str).collect();
        let hint = did_you_mean(named, known.iter().copied());
        return format!("`{path}` is `{named}`, which is not one of {}{hint}", known.join(", "));
    }
    about(path, inner)
}

/// How the error of a price ends ([`refdesk_core::Usd`]).
const NO_PRICE: &str = " is not a price";

fn about(path: &str, inner: &str) -> String {
    let told = match inner.split_once(", expected ") {
        Some((found, expected)) => {
            let found = found.strip_prefix("invalid type: ").or_else(|| found.strip_prefix("invalid value: "));
            found.zip(advice(expected)).map(|(found, advice)| format!("{}; {advice}", in_words(found)))
        }
        None => None,
    };
    if let (Some(found), false) = (inner.strip_suffix(NO_PRICE), path.is_empty()) {
        return format!("`{path}` is {found}, which is not a price; write the number of USD alone, such as 0.15");
    }
    match (path, told) {
        ("", told) => told.unwrap_or_else(|| inner.to_owned()),
        (path, Some(told)) => format!("`{path}` is {told}"),
        (path, None) => format!("`{path}`: {inner}"),
    }
}

/// A value that serde found, as its author would call it: `string "200k"` is `the text "200k"`.
fn in_words(found: &str) -> String {
    let found = found.replace('`', "");
    match found.split_once(' ') {
        Some(("string", text)) => format!("the text {text}"),
        Some(("integer" | "boolean", value)) => value.to_owned(),
        Some(("floating", value)) => value.trim_start_matches("point ").to_owned(),
        _ if found == "sequence" => "a list".to_owned(),
        _ if found == "map" => "a mapping".to_owned(),
        _ => found,
    }
}

/// What to write where serde expects one of its types.
fn advice(expected: &str) -> Option<&'static str> {
    match expected.split(' ').collect::<Vec<&str>>()[..] {
        ["u8" | "u16" | "u32" | "u64" | "usize", ..] => Some("write a whole number from 0 on, such as 128000"),
        ["a", "boolean", ..] => Some("write true or false"),
        ["a", "sequence", ..] => Some("write a list, such as [text, image]"),
        ["a", "string", ..] => Some("put it in quotes"),
        ["a", "map", ..] | ["struct", ..] => Some("write its keys below it, each indented"),
        _ => None,
    }
}

/// The words between backticks.
fn quoted(text: &str) -> Vec<String> {
    text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}
