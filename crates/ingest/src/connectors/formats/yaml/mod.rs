//! YAML as upstreams and authors write it, read into JSON values with errors that name the line.
//! Duplicate keys are errors: which of the two was meant is not ours to guess. Anchors are read within the parser's budget. Front matter
//! that is not valid as a whole: [`entries`].

mod by_entry;
mod written;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

pub use self::by_entry::{entries, items};
use crate::connectors::formats::json_fields::kind_of;

/// What is wrong with a YAML text, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct YamlError {
    /// 1-based line in the text that was parsed.
    pub line: u64,
    /// What the parser found.
    pub message: String,
}

/// Reads a YAML document. An empty one is null.
///
/// # Errors
/// When it is no YAML, holds several documents, or states a key twice.
pub fn value(text: &str) -> Result<Value, YamlError> {
    read(text, NODES_MAX)
}

/// The same, with fewer values than a text may hold.
fn read<T: DeserializeOwned>(text: &str, nodes_max: usize) -> Result<T, YamlError> {
    if text.len() > TEXT_BYTES_MAX {
        let message = format!("the text has {} bytes; at most {TEXT_BYTES_MAX} are read", text.len());
        return Err(YamlError { line: 1, message });
    }
    let budget = serde_saphyr::budget! {
        max_depth: DEPTH_MAX,
        max_nodes: nodes_max,
        max_events: 4 * nodes_max,
        max_recorded_anchor_events: nodes_max,
        max_recorded_anchor_bytes: TEXT_BYTES_MAX,
        max_total_scalar_bytes: 2 * TEXT_BYTES_MAX,
    };
    let options = serde_saphyr::options! { with_snippet: false, strict_booleans: true, budget: budget };
    serde_saphyr::from_str_with_options::<T>(text, options).map_err(|error| {
        let line = error.location().map_or(1, |location| location.line());
        YamlError { line, message: refdesk_core::clean::excerpt(&plain(&error), MESSAGE_CHARS_MAX) }
    })
}

/// What is wrong, for the author of the text: where the parser advises its caller, what to do instead.
fn plain(error: &serde_saphyr::Error) -> String {
    use serde_saphyr::Error;
    use serde_saphyr::budget::BudgetBreach;
    match error {
        Error::DuplicateMappingKey { key: Some(key), .. } => format!("`{key}` stands twice: leave one out"),
        Error::DuplicateMappingKey { key: None, .. } => "a key stands twice: leave one out".to_owned(),
        Error::MultipleDocuments { .. } => {
            "a second document begins after `---`: give each a file of its own".to_owned()
        }
        Error::NonFiniteFloat { value, .. } => {
            format!("`{value}` is not a finite number: write its digits, put a text in quotes, or leave it out")
        }
        // What goes wrong in what an anchor repeats.
        Error::AliasError { error, .. } => plain(error),
        Error::Budget { breach: BudgetBreach::AliasAnchorRatio { aliases, .. }, .. } => format!(
            "its anchors are repeated {aliases} times, more than ten times each: write some of these values out"
        ),
        Error::Budget { .. } => format!(
            "it is nested deeper than {DEPTH_MAX}, or holds more than {NODES_MAX} values with those that anchors repeat"
        ),
        error => {
            // The parser repeats the place in its own words; the line is told once, by us.
            let shown = error.to_string();
            shown.split(" at line ").next().unwrap_or(&shown).to_owned()
        }
    }
}

/// Reads a YAML document that must be a mapping with text keys.
///
/// # Errors
/// As [`value`], and when it is no mapping.
pub fn mapping(text: &str) -> Result<Map<String, Value>, YamlError> {
    as_mapping(value(text)?)
}

/// The same, with every number as the text that stands there: `1.10` of a version is not 1.1.
///
/// # Errors
/// As [`mapping`].
pub fn written_mapping(text: &str) -> Result<Map<String, Value>, YamlError> {
    as_mapping(written::value(read(text, NODES_MAX)?, text))
}

fn as_mapping(value: Value) -> Result<Map<String, Value>, YamlError> {
    match value {
        Value::Object(map) => Ok(map),
        Value::Null => Ok(Map::new()),
        other => Err(YamlError { line: 1, message: format!("expected `key: value` lines, found {}", kind_of(&other)) }),
    }
}

/// Deepest nesting.
pub const DEPTH_MAX: usize = 64;
/// Most mappings, lists and scalars of a text, those that anchors repeat included.
pub const NODES_MAX: usize = 100_000;
/// Largest text that is read, in bytes.
pub const TEXT_BYTES_MAX: usize = 4 << 20;
/// How much of a parser's message is kept.
const MESSAGE_CHARS_MAX: usize = 300;

/// Members by which an object says what it is called, the most exact first.
const NAMES: [&str; 5] = ["spdx", "spdx_id", "id", "name", "type"];

/// What a key of front matter says as one text: authors also write a list, or an object with a name and an address.
pub fn words(value: &Value) -> Option<String> {
    let text = match value {
        Value::Array(all) => all.iter().filter_map(words).collect::<Vec<_>>().join(", "),
        Value::Object(members) => NAMES.iter().find_map(|name| members.get(*name).and_then(words))?,
        value => scalar(value)?.trim().to_owned(),
    };
    (!text.is_empty()).then_some(text)
}

/// A text, number or flag as it is written: authors write `license: 2` and mean a text.
pub fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{mapping, value, written_mapping};

    #[test]
    fn a_number_may_be_kept_as_it_is_written() {
        let text = "a: 1.10\nb: {c: -2.0, d: [3, 1e2, true], e: ~}\nf: &g 0x1F # a comment\nh: *g\ni: \"2.0\"\nj: 7 \n";
        let read = written_mapping(text).map(Value::Object);
        assert_eq!(
            read,
            Ok(json!({
                "a": "1.10", "b": {"c": "-2.0", "d": ["3", "1e2", true], "e": null}, "f": "0x1F", "h": "0x1F", "i": "2.0",
                "j": "7",
            }))
        );
        assert_eq!(written_mapping(""), mapping(""));
        assert_eq!(written_mapping("a: 1\na: 2\n"), mapping("a: 1\na: 2\n"));
        assert_eq!(written_mapping("- a\n"), mapping("- a\n"));
    }

    #[test]
    fn dates_versions_and_prices_keep_their_spelling() {
        let read = value("on: 2026-11-21\nversion: 1.0.0\nprice: 0.15\nwhole: 3\nnone: null\nyes: yes\n");
        assert_eq!(
            read.map(|value| value.to_string()).as_deref(),
            Ok(r#"{"on":"2026-11-21","version":"1.0.0","price":0.15,"whole":3,"none":null,"yes":"yes"}"#)
        );
    }

    #[test]
    fn an_error_names_its_line() {
        assert_eq!(mapping("a: 1\nb: [1\nc: 2\n").map_err(|error| error.line > 1), Err(true));
        assert_eq!(mapping("a: 1\na: 2\n").map_err(|error| error.line), Err(2));
        assert_eq!(
            mapping("- a\n").map_err(|error| error.to_string()),
            Err("line 1: expected `key: value` lines, found a list".into())
        );
    }
}
