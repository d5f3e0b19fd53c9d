//! Single keys of a card, taken out of its mapping and checked; every error names the key and says what to write.

use refdesk_core::slug::{ID_CHARS_MAX, RESERVED, is_id, slugify};
use refdesk_core::{Stamp, clean};
use serde_json::{Map, Value};
use url::Url;

use crate::connectors::formats::json_fields::{is_date, is_web, kind_of};
use crate::connectors::repository::literal_secret::{Place, is_literal};

pub(super) fn required(map: &mut Map<String, Value>, key: &str) -> Result<String, String> {
    optional(map, key)?.ok_or_else(|| {
        let misspelt = refdesk_core::nearest::meant(key, map.keys().map(String::as_str));
        let misspelt = misspelt.map(|said| format!(", or is `{said}` it, misspelt?")).unwrap_or_default();
        format!("missing key `{key}`; add it{misspelt}")
    })
}

pub(super) fn optional(map: &mut Map<String, Value>, key: &str) -> Result<Option<String>, String> {
    match map.shift_remove(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if clean::line(&text).is_empty() => {
            Err(format!("`{key}` is empty; fill it in or leave it out"))
        }
        Some(Value::String(text)) => Ok(Some(text.trim().to_owned())),
        Some(other) => Err(format!("`{key}` must be text, not {}; put it in quotes", kind_of(&other))),
    }
}

/// The card's own id.
pub(super) fn id(map: &mut Map<String, Value>) -> Result<String, String> {
    let id = required(map, "id")?;
    let chars = id.chars().count();
    if is_id(&id) {
        Ok(id)
    } else if chars > ID_CHARS_MAX {
        Err(format!("`id` has {chars} characters; shorten it to at most {ID_CHARS_MAX}"))
    } else if RESERVED.contains(&id.as_str()) {
        Err(format!("`id: {id}` is reserved for a path of the API; use `{}`", slugify(&id)))
    } else {
        Err(format!(
            "`id: {id}` is not a slug (lower-case letters and digits with single - . _ : inside); use `{}`",
            slugify(&id)
        ))
    }
}

pub(super) fn texts(map: &mut Map<String, Value>, key: &str) -> Result<Vec<String>, String> {
    let wrong = |found: &Value| format!("`{key}` must be a list of texts, found {}; write `[a, b]`", kind_of(found));
    match map.shift_remove(key) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(values)) => {
            let text = |value: &Value| match value.as_str() {
                Some(text) if clean::line(text).is_empty() => Err(format!("`{key}` has an empty text; leave it out")),
                Some(text) => Ok(text.to_owned()),
                None => Err(wrong(value)),
            };
            values.iter().map(text).collect()
        }
        Some(other) => Err(wrong(&other)),
    }
}

pub(super) fn date(map: &mut Map<String, Value>, key: &str) -> Result<Option<Stamp>, String> {
    let Some(text) = optional(map, key)? else { return Ok(None) };
    Stamp::from_date(&text).map(Some).ok_or_else(|| format!("`{key}: {text}` is not a date; write it as 2026-08-19"))
}

/// Dates of the kind's own fields, as answers have them: `YYYY-MM-DD`, `YYYY-MM` or `YYYY`.
pub(super) fn check_date(map: &Map<String, Value>, key: &str) -> Result<(), String> {
    match map.get(key) {
        None | Some(Value::Null) => Ok(()),
        Some(Value::String(text)) if is_date(text) => Ok(()),
        Some(other) => Err(format!(
            "`{key}: {}` is not a date; write it as \"2026-08-19\", \"2026-08\" or \"2026\"",
            other.to_string().trim_matches('"')
        )),
    }
}

/// An address that readers can open: everybody is shown it, so it holds no secret.
pub(super) fn web_url(key: &str, text: String) -> Result<String, String> {
    if !is_web(&text) {
        return Err(format!("`{key}: {text}` is not a web address; write it with https://"));
    }
    if text.contains(char::is_whitespace) {
        return Err(format!("`{key}: {text}` is not a web address; write a blank in it as %20"));
    }
    if Url::parse(&text).is_ok_and(|url| url.password().is_some()) || is_literal(&text, Place::Plain) {
        return Err(format!("`{key}` holds a password or a key, which every reader would see; leave it out"));
    }
    Ok(text)
}
