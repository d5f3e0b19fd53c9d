//! Packages and remotes as they may be shown: names of secrets, never values, and the key names of today's API.
//!
//! A value is dropped where the entry marks it as a secret, where its name looks like one (publishers forget the mark), and in
//! every header. The record keeps what was sent: it is evidence and is not rendered.

use serde_json::{Map, Value};

/// Keys that hold or suggest a value.
const VALUE_KEYS: [&str; 6] = ["value", "default", "placeholder", "choices", "example", "examples"];
/// Parts of names that stand for secrets.
const SECRET_WORDS: [&str; 8] =
    ["token", "secret", "password", "passwd", "api_key", "apikey", "credential", "private_key"];
/// Key names of the v0 API and what they are called today.
const RENAMED: [(&str, &str); 15] = [
    ("registry_name", "registryType"),
    ("registry_type", "registryType"),
    ("registry_base_url", "registryBaseUrl"),
    ("file_sha256", "fileSha256"),
    ("runtime_hint", "runtimeHint"),
    ("package_arguments", "packageArguments"),
    ("runtime_arguments", "runtimeArguments"),
    ("environment_variables", "environmentVariables"),
    ("transport_type", "type"),
    ("is_required", "isRequired"),
    ("is_secret", "isSecret"),
    ("is_repeated", "isRepeated"),
    ("value_hint", "valueHint"),
    ("mime_type", "mimeType"),
    ("website_url", "websiteUrl"),
];

/// A package or a remote without secret values, in today's key names.
pub fn shown(value: &Value) -> Value {
    let mut shown = without_values(value, false);
    if let Value::Object(package) = &mut shown
        && package.contains_key("registryType")
        && !package.contains_key("identifier")
        && let Some(name) = package.remove("name")
    {
        // The first v0 called the package's identifier its name.
        package.insert("identifier".into(), name);
    }
    shown
}

fn without_values(value: &Value, in_headers: bool) -> Value {
    match value {
        Value::Array(items) => items.iter().map(|item| without_values(item, in_headers)).collect(),
        Value::Object(object) => Value::Object(without_own_values(object, in_headers)),
        other => other.clone(),
    }
}

fn without_own_values(object: &Map<String, Value>, in_headers: bool) -> Map<String, Value> {
    let hide = in_headers || is_secret(object);
    let kept = object.iter().filter(|(key, _)| !(hide && VALUE_KEYS.contains(&key.as_str())));
    kept.map(|(key, value)| {
        let shown = match (key.as_str(), value) {
            // The keys of `variables` are names that the publisher chose.
            ("variables", Value::Object(variables)) => Value::Object(
                variables.iter().map(|(name, variable)| (name.clone(), variable_shown(name, variable, hide))).collect(),
            ),
            ("headers", headers) => without_values(headers, true),
            (_, value) => without_values(value, in_headers),
        };
        (renamed(key).to_owned(), shown)
    })
    .collect()
}

fn variable_shown(name: &str, variable: &Value, hide: bool) -> Value {
    without_values(variable, hide || looks_secret(name))
}

/// True when the entry marks the object as a secret, or its name or the name in `NAME=value` looks like one.
fn is_secret(object: &Map<String, Value>) -> bool {
    let marked = ["isSecret", "is_secret"].iter().any(|key| object.get(*key).and_then(Value::as_bool) == Some(true));
    let named = object.get("name").and_then(Value::as_str).is_some_and(looks_secret);
    let assigned = object
        .get("value")
        .and_then(Value::as_str)
        .and_then(|value| value.split_once('='))
        .is_some_and(|(name, _)| looks_secret(name));
    marked || named || assigned
}

/// True for names such as `GITHUB_TOKEN` and `--api-key`.
pub fn looks_secret(name: &str) -> bool {
    let folded = name.to_ascii_lowercase().replace('-', "_");
    SECRET_WORDS.iter().any(|word| folded.contains(word))
}

fn renamed(key: &str) -> &str {
    RENAMED.iter().find(|(old, _)| *old == key).map_or(key, |(_, new)| new)
}
