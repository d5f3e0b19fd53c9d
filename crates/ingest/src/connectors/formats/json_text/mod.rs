//! The records of a JSON text, each as it stands: [`members`] of an object and [`elements`] of a list, found without building them.
//!
//! A file of an upstream is only ever cut into its records; each is then read by itself ([`read`]), within [`RECORD_BYTES_MAX`]. So
//! memory does not follow the size of the file, and a record that is no JSON (a number that no float holds, half a surrogate pair, bytes
//! that are no UTF-8, a key that stands twice, nesting beyond the reader's 128 levels) is a reject and spoils no other. Cutting is tolerant
//! inside of records and strict outside of them: a file that ends early or goes on after its end is an error.

mod cut;
mod pages;
mod record;

use std::borrow::Cow;

use refdesk_core::Reject;
use serde_json::Value;

use self::cut::Cut;
pub use self::pages::Pages;
pub use self::record::{RECORD_BYTES_MAX, RECORD_VALUES_MAX, read, value, weight};
use crate::connectors::ParseError;
use crate::connectors::formats::json_fields::Reason;

/// Longest key of an object whose members are records, in bytes as it is written.
pub const KEY_BYTES_MAX: usize = 1 << 10;
/// Most records of one object or list.
pub const RECORDS_MAX: usize = 200_000;
/// Longest cursor of a list that comes in pages, in bytes.
pub const CURSOR_BYTES_MAX: usize = 4 << 10;
/// How much of a record is shown beside the reason of its reject, in bytes.
const SHOWN_BYTES: usize = 1 << 11;

/// A member of an object: its key as it is written, with its quotes, and its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member<'a> {
    written: &'a [u8],
    /// The value as it stands.
    pub value: &'a [u8],
}

impl<'a> Member<'a> {
    /// The key.
    ///
    /// # Errors
    /// When it is too long or no text.
    pub fn key(&self) -> Result<Cow<'a, str>, Reason> {
        if self.written.len() > KEY_BYTES_MAX {
            return Err(format!("its key has {} bytes; at most {KEY_BYTES_MAX} are read", self.written.len()));
        }
        let plain = self.written.get(1..self.written.len().saturating_sub(1)).unwrap_or_default();
        let is_plain = plain.iter().all(|b| *b != b'\\' && *b >= b' ');
        if is_plain && let Ok(text) = std::str::from_utf8(plain) {
            return Ok(Cow::Borrowed(text));
        }
        let read = serde_json::from_slice::<String>(self.written);
        read.map(Cow::Owned).map_err(|error| format!("its key is not a text: {error}"))
    }

    /// The key as far as it can be shown.
    pub fn shown_key(&self) -> String {
        match self.key() {
            Ok(key) => key.into_owned(),
            Err(_) => shown(self.written).trim_matches('"').chars().take(KEY_SHOWN_CHARS).collect(),
        }
    }
}

/// How much of a key that cannot be read is shown.
const KEY_SHOWN_CHARS: usize = 100;

/// A text without the byte order mark that some editors put before it.
pub fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)
}

/// The beginning of a record, for its reject.
pub fn shown(record: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(record.get(..SHOWN_BYTES).unwrap_or(record))
}

/// A text within a record, for what is to be told of one that cannot be read as a whole; `None` where there is none.
pub fn text_at(record: &[u8], path: &[&str]) -> Option<String> {
    let found = read(record, |record| {
        let at = path.iter().try_fold(record, |value, key| value.get(key));
        Ok(at.and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned))
    });
    found.ok().flatten()
}

/// Rejects a record. The reject covers the fact whose key the record has at `path`.
pub fn reject(key: impl Into<String>, reason: Reason, record: &[u8], path: &[&str]) -> Reject {
    Reject::new(key, reason, &shown(record)).of(text_at(record, path))
}

/// The members of an object, in order; `None` when the text is something else.
///
/// # Errors
/// Where the text is no JSON outside of its members' values, or holds more than [`RECORDS_MAX`].
pub fn members(text: &[u8]) -> Result<Option<Vec<Member<'_>>>, Reason> {
    let mut cut = Cut::new(text);
    if cut.peek() != Some(b'{') {
        return Ok(None);
    }
    let mut members = Vec::new();
    cut.list(b'}', |cut| {
        let written = cut.string()?;
        cut.expect(b':')?;
        let value = cut.value()?;
        members.push(Member { written, value });
        within_bound(members.len())
    })?;
    Ok(Some(members))
}

/// The elements of a list, in order; `None` when the text is something else.
///
/// # Errors
/// As [`members`].
pub fn elements(text: &[u8]) -> Result<Option<Vec<&[u8]>>, Reason> {
    let mut cut = Cut::new(text);
    if cut.peek() != Some(b'[') {
        return Ok(None);
    }
    let mut elements = Vec::new();
    cut.list(b']', |cut| {
        elements.push(cut.value()?);
        within_bound(elements.len())
    })?;
    Ok(Some(elements))
}

fn within_bound(records: usize) -> Result<(), Reason> {
    if records > RECORDS_MAX {
        return Err(format!("it holds more than {RECORDS_MAX} records"));
    }
    Ok(())
}

/// The members of a body that must be an object.
///
/// # Errors
/// With what was expected, when it is something else.
pub fn object<'a>(body: &'a [u8], expected: &str) -> Result<Vec<Member<'a>>, ParseError> {
    members(body).map_err(|reason| unlike(expected, &reason))?.ok_or_else(|| unlike(expected, "it is not an object"))
}

/// The elements of a body that must be a list.
///
/// # Errors
/// With what was expected, when it is something else.
pub fn list<'a>(body: &'a [u8], expected: &str) -> Result<Vec<&'a [u8]>, ParseError> {
    elements(body).map_err(|reason| unlike(expected, &reason))?.ok_or_else(|| unlike(expected, "it is not a list"))
}

/// The elements of the list that an object's members have under a key; of all of them where the key stands twice.
///
/// # Errors
/// With what was expected, when there is no such list.
pub fn list_in<'a>(members: &[Member<'a>], key: &str, expected: &str) -> Result<Vec<&'a [u8]>, ParseError> {
    let mut lists = named(members, key).map(|value| list(value, expected));
    let mut all = lists.next().ok_or_else(|| unlike(expected, &format!("it has no `{key}`")))??;
    for more in lists {
        all.extend(more?);
    }
    Ok(all)
}

/// The values that stand under a key: more than one where it is repeated.
pub fn named<'m, 'a>(members: &'m [Member<'a>], key: &'m str) -> impl Iterator<Item = &'a [u8]> + 'm {
    members.iter().filter(move |member| member.key().is_ok_and(|name| name == key)).map(|member| member.value)
}

fn unlike(expected: &str, reason: &str) -> ParseError {
    ParseError::new(format!("expected {expected}: {reason}"))
}

/// The cursor of the next page, which stands under the last part of `path`; missing, null and empty all mean that this was the last one.
///
/// # Errors
/// When it is no text, too long, or stands twice.
pub fn cursor(members: &[Member<'_>], path: &str) -> Result<Option<String>, ParseError> {
    let mut stated = named(members, path.rsplit('.').next().unwrap_or(path));
    let Some(written) = stated.next() else { return Ok(None) };
    let wrong = |found: &str| ParseError::new(format!("`{path}` {found}; expected a text, null or nothing"));
    if stated.next().is_some() {
        return Err(wrong("appears twice"));
    }
    if written.len() > CURSOR_BYTES_MAX {
        return Err(wrong(&format!("has {} bytes, more than {CURSOR_BYTES_MAX}", written.len())));
    }
    match value(written) {
        Ok(Value::Null) => Ok(None),
        Ok(Value::String(cursor)) => Ok(Some(cursor).filter(|cursor| !cursor.is_empty())),
        _ => Err(wrong(&format!("is {}", shown(written)))),
    }
}

#[cfg(test)]
mod tests {
    use super::{RECORD_BYTES_MAX, elements, members, read, value};

    fn cut(text: &str) -> Result<Vec<String>, String> {
        let text = text.as_bytes();
        let shown = |part: &[u8]| String::from_utf8_lossy(part).into_owned();
        if let Some(members) = members(text)? {
            return Ok(members.iter().map(|m| format!("{}={}", m.shown_key(), shown(m.value))).collect());
        }
        Ok(elements(text)?.ok_or("neither")?.into_iter().map(shown).collect())
    }

    #[test]
    fn a_text_is_cut_into_its_records_whatever_they_hold() {
        let check = |text: &str, parts: &[&str]| {
            assert_eq!(cut(text).as_deref(), Ok(&*parts.iter().map(ToString::to_string).collect::<Vec<_>>()), "{text}");
        };
        check(" {} ", &[]);
        check("\u{feff}[1, \"a,]\\\"\", {\"x\": [1]}, null]", &["1", "\"a,]\\\"\"", "{\"x\": [1]}", "null"]);
        check(r#"{"a": NaN, "b\u0041": 1e400 , "a": {"}": "{"}}"#, &["a=NaN", "bA=1e400", "a={\"}\": \"{\"}"]);
        check(r#"{"\ud800": [}, "b": 2}"#, &["\\ud800=[}", "b=2"]);
        check(
            &format!("[{}1{}, 2]", "[".repeat(9_000), "]".repeat(9_000)),
            &[&format!("{}1{}", "[".repeat(9_000), "]".repeat(9_000)), "2"],
        );
    }

    #[test]
    fn what_is_no_whole_text_is_an_error() {
        for text in [
            "{",
            "[1",
            "[1,]",
            "{\"a\"}",
            "{\"a\":1,}",
            "{\"a\" 1}",
            "[1] x",
            "{\"a\": \"b}",
            "[[1]",
            "{\"a\":}",
            "<html>",
            "",
            "\"a\"",
        ] {
            assert!(cut(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_record_is_read_by_itself_and_a_bad_one_says_why() {
        let reason = |record: &[u8]| read(record, |_| Ok(())).err().unwrap_or_default();
        assert_eq!(reason(br#"{"a": [1, {"b": null}]}"#), "");
        assert_eq!(reason(br#"{"a": 1e400}"#), "it holds `1e400`, which is not a JSON number");
        assert_eq!(
            reason(br#"{"a": 1e-400}"#),
            "it holds `1e-400`, which is not a JSON number",
            "it would be read as 0"
        );
        assert_eq!(reason(br#"{"a": [0e-9, 0.0, 1e-300], "b": "1e-400"}"#), "");
        assert!(reason(br#"{"a": {"b": 1, "b": 1}}"#).starts_with("the record is not JSON: the key `b` appears twice"));
        assert_eq!(reason(b"\"\xff\""), "the record is not UTF-8 text (byte 1); save it as UTF-8");
        assert!(reason(br#"{"a": "\ud800"}"#).contains("hex escape"));
        assert!(reason("[".repeat(500).as_bytes()).contains("recursion limit"));
        assert!(reason(&vec![b'1'; RECORD_BYTES_MAX + 1]).starts_with("the record has 1048577 bytes"));
        assert_eq!(value(b"[1.50, -2, 3e2]").map(|value| value.to_string()), Ok("[1.5,-2,300.0]".into()));
    }
}
