//! Packages and remotes as they may be shown: without literal secrets, and with the key names of today's API.
//!
//! Names, templates (`Bearer {token}`), defaults and choices are shown; a value that is a secret itself is left out, be it marked, in a
//! place named like one, or of a known form ([`crate::connectors::repository::literal_secret`]). The record keeps what was sent, and is withheld then.

use std::cell::Cell;

use refdesk_core::fact::RecordWithheld;
use serde_json::{Map, Value};

use crate::connectors::repository::literal_secret::{self as literal, Place};

/// Keys that hold a value.
const VALUE_KEYS: [&str; 2] = ["value", "default"];
/// Keys that suggest one.
const EXAMPLE_KEYS: [&str; 4] = ["placeholder", "example", "examples", "choices"];
/// Parts of names that stand for secrets, where a source has no mark for them.
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

/// A package or a remote without literal secrets, in today's key names.
pub fn shown(value: &Value) -> Value {
    let mut shown = Sieve::default().value(value, Place::Plain);
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

/// Any other JSON without literal secrets, in its own key names (a JSON Schema of settings).
pub fn sifted(value: &Value) -> Value {
    Sieve { keeps_names: true, ..Sieve::default() }.value(value, Place::Plain)
}

/// Why a record may not be given out: it holds a literal secret.
pub fn withheld(record: &Value) -> Option<RecordWithheld> {
    let sieve = Sieve::default();
    sieve.value(record, Place::Plain);
    sieve.found.get().then_some(RecordWithheld::Secret)
}

/// Copies a value without its literal secrets, and remembers whether there were any.
#[derive(Default)]
struct Sieve {
    found: Cell<bool>,
    keeps_names: bool,
}

impl Sieve {
    fn value(&self, value: &Value, place: Place) -> Value {
        match value {
            Value::Array(items) => items.iter().map(|item| self.value(item, place)).collect(),
            Value::Object(object) => Value::Object(self.object(object, place)),
            other => {
                // A token of a known form in prose is shown nowhere but in the prose; the record as a whole is not given out.
                let is_literal = other.as_str().is_some_and(|text| literal::is_literal(text, Place::Plain));
                self.found.set(self.found.get() || is_literal);
                other.clone()
            }
        }
    }

    fn object(&self, object: &Map<String, Value>, around: Place) -> Map<String, Value> {
        let place = place_of(object, around);
        let mut kept = Map::new();
        for (key, value) in object {
            let name = if self.keeps_names { key } else { renamed(key) };
            let shown = match (key.as_str(), value) {
                (key, value) if is_secret(key, value, object, place) => {
                    self.found.set(true);
                    continue;
                }
                // The keys of these are names that the publisher chose.
                ("variables" | "properties", Value::Object(named)) => Value::Object(self.named(named, place)),
                ("headers", Value::Object(headers)) => Value::Object(self.assigned(headers)),
                ("headers", headers) => self.value(headers, Place::Header),
                ("secrets", secrets) => self.value(secrets, Place::Marked),
                ("env", Value::Object(variables)) => Value::Object(self.assigned(variables)),
                ("url" | "websiteUrl" | "website_url", Value::String(address)) => self.address(address),
                (_, value) => self.value(value, around),
            };
            kept.insert(name.to_owned(), shown);
        }
        kept
    }

    /// Objects by the names of what they describe.
    fn named(&self, named: &Map<String, Value>, place: Place) -> Map<String, Value> {
        let inside = |name: &str| if place == Place::Plain { Place::of_name(name) } else { place };
        named.iter().map(|(name, value)| (name.clone(), self.value(value, inside(name)))).collect()
    }

    /// Values by their names.
    fn assigned(&self, values: &Map<String, Value>) -> Map<String, Value> {
        let is_secret = |name: &str, value: &Value| {
            let place = if literal::names_secret(name) { Place::Named } else { Place::Header };
            value.as_str().is_some_and(|text| literal::is_literal(text, place))
        };
        let (secret, open): (Vec<_>, Vec<_>) = values.iter().partition(|(name, value)| is_secret(name, value));
        self.found.set(self.found.get() || !secret.is_empty());
        open.into_iter().map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    fn address(&self, address: &str) -> Value {
        let Some(shown) = literal::without_secrets(address) else { return Value::from(address) };
        self.found.set(true);
        Value::from(shown)
    }
}

/// An address without its secrets.
pub fn shown_address(address: &str) -> String {
    literal::without_secrets(address).unwrap_or_else(|| address.to_owned())
}

fn is_secret(key: &str, value: &Value, object: &Map<String, Value>, place: Place) -> bool {
    // A key that a publisher chose, as in `_meta`, may itself be the name of a secret.
    if let Value::String(text) = value
        && literal::names_secret(key)
        && literal::is_literal(text, Place::Header)
    {
        return true;
    }
    if VALUE_KEYS.contains(&key) {
        let chosen = object.get("choices").and_then(Value::as_array).is_some_and(|choices| choices.contains(value));
        return match value {
            Value::String(text) if chosen => literal::is_literal_example(text, place),
            Value::String(text) => literal::is_literal(text, place),
            Value::Number(_) => place == Place::Marked,
            _ => false,
        };
    }
    let example = |value: &Value| value.as_str().is_some_and(|text| literal::is_literal_example(text, place));
    EXAMPLE_KEYS.contains(&key)
        && match value {
            Value::Array(items) => items.iter().any(example),
            other => example(other),
        }
}

/// Where the values of an object stand: as it is marked, else as it is named, else where the objects around it do.
fn place_of(object: &Map<String, Value>, around: Place) -> Place {
    let marked = ["isSecret", "is_secret"].iter().any(|key| object.get(*key).is_some_and(is_mark));
    let named =
        ["name", "env"].iter().any(|key| object.get(*key).and_then(Value::as_str).is_some_and(literal::names_secret));
    match around {
        _ if marked => Place::Marked,
        Place::Plain | Place::Header if named => Place::Named,
        around => around,
    }
}

/// Whether a mark is set: anything but what says no, for what might be a secret is treated as one.
fn is_mark(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !matches!(text.trim().to_ascii_lowercase().as_str(), "" | "false" | "no" | "0"),
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::Bool(true) | Value::Array(_) | Value::Object(_) => true,
    }
}

/// True for names such as `GITHUB_TOKEN` and `--api-key`.
pub fn looks_secret(name: &str) -> bool {
    let folded = name.to_ascii_lowercase().replace('-', "_");
    SECRET_WORDS.iter().any(|word| folded.contains(word))
}

fn renamed(key: &str) -> &str {
    RENAMED.iter().find(|(old, _)| *old == key).map_or(key, |(_, new)| new)
}
