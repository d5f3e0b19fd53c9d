//! From the catalog's JSON to a tool result: citations, the notice, hidden characters, links, and the same JSON as text.
//!
//! Works on the ready bytes; nothing is parsed again.

use std::borrow::Cow;

use refdesk_catalog::json::{self, Object};
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::clean;

use super::dispatch::Call;
use super::{DATA_NOTICE, LINKS_MAX, resources};
use crate::problem::Problem;

/// Longest name in a citation, in characters.
const CITED_NAME_CHARS_MAX: usize = 80;

/// An answer of the catalog with what a model gets beside it.
pub(crate) struct Answer {
    /// A JSON object, as REST gives it.
    pub(crate) json: Vec<u8>,
    /// The items it shows, by ordinal.
    pub(crate) items: Vec<u32>,
    /// Where the citations go.
    pub(crate) cited: Cited,
    /// How to get what was cut off, when something was.
    pub(crate) cut: Option<String>,
}

/// Where citations go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cited {
    /// Nowhere.
    Nothing,
    /// One for the whole answer.
    Whole,
    /// One in each object of this list, in the order of the items.
    Each(&'static str),
}

impl Answer {
    /// The structured content.
    fn structured(mut self, snapshot: &Snapshot) -> Vec<u8> {
        let cites: Vec<String> = match self.cited {
            Cited::Nothing => Vec::new(),
            _ => self.items.iter().map(|ordinal| cite(snapshot, *ordinal)).collect(),
        };
        if let Cited::Each(list) = self.cited {
            self.json = with_each(&self.json, list, &cites);
        }
        self.json.pop();
        let mut object = Object::go_on(&mut self.json);
        if let (Cited::Whole, Some(cite)) = (self.cited, cites.first()) {
            object.text("cite_as", cite);
        }
        if let Some(how) = &self.cut {
            object.flag("truncated", true);
            object.text("how_to_continue", how);
        }
        object.text("data_notice", DATA_NOTICE);
        object.close();
        match visible_json(&self.json) {
            Cow::Borrowed(_) => self.json,
            Cow::Owned(cleaned) => cleaned,
        }
    }

    /// Writes the whole tool result.
    pub(crate) fn write(self, call: &Call<'_>, out: &mut Vec<u8>) {
        let items = self.items.clone();
        let structured = self.structured(&call.snapshot);
        out.reserve(structured.len() * 2 + structured.len() / 4 + items.len().min(LINKS_MAX) * 256 + 512);
        let mut object = call.open(out);
        let content = object.name("content");
        content.extend_from_slice(b"[{\"type\":\"text\",\"text\":");
        json::write(content, &*String::from_utf8_lossy(&structured));
        content.push(b'}');
        for ordinal in items.iter().take(LINKS_MAX) {
            content.push(b',');
            resources::write_link(&call.snapshot, *ordinal, content);
        }
        content.push(b']');
        object.raw("structuredContent", structured);
        object.flag("isError", false);
        object.close();
    }
}

/// Writes an error that a model can mend: what is wrong, what to send, near ids.
pub(crate) fn write_error(call: &Call<'_>, problem: &Problem, out: &mut Vec<u8>) {
    let mut document = problem.document();
    for member in ["type", "title", "status"] {
        document.remove(member);
    }
    let text = serde_json::Value::Object(document).to_string();
    let text = String::from_utf8_lossy(&visible_json(text.as_bytes())).into_owned();
    let mut object = call.open(out);
    object.value("content", &serde_json::json!([{"type": "text", "text": text}]));
    object.flag("isError", true);
    object.close();
}

/// `GPT-X — https://… (checked 2026-11-01, stale)`.
pub(crate) fn cite(snapshot: &Snapshot, ordinal: u32) -> String {
    let evidence = snapshot.evidence_of(ordinal);
    let name = clean::excerpt(&snapshot.name(ordinal), CITED_NAME_CHARS_MAX);
    let checked = evidence.known().last_verified_at.map_or_else(
        || "never checked".to_owned(),
        |at| format!("checked {}", at.to_string().split('T').next().unwrap_or_default()),
    );
    let stale = if evidence.stale_reason.is_some() { ", stale" } else { "" };
    format!("{name} — {} ({checked}{stale})", evidence.source_url)
}

/// Puts a citation at the end of each object of a list. The list is found by its name, which cannot occur inside a JSON text,
/// because a quotation mark is escaped there.
fn with_each(json: &[u8], list: &str, cites: &[String]) -> Vec<u8> {
    let opening = format!("\"{list}\":[");
    let found = json.windows(opening.len()).position(|window| window == opening.as_bytes());
    let Some(start) = found.map(|at| at + opening.len()) else { return json.to_vec() };
    let mut out = Vec::with_capacity(json.len() + cites.iter().map(|cite| cite.len() + 16).sum::<usize>());
    let (mut depth, mut copied, mut at) = (0_usize, 0, start);
    let mut cites = cites.iter();
    while let Some(byte) = json.get(at) {
        match byte {
            b'"' => at = text_end(json, at),
            b'{' | b'[' => depth += 1,
            b']' if depth == 0 => break,
            b'}' | b']' => {
                depth -= 1;
                if depth == 0
                    && let Some(cite) = cites.next()
                {
                    out.extend_from_slice(&json[copied..at]);
                    copied = at;
                    Object::go_on(&mut out).text("cite_as", cite);
                }
            }
            _ => {}
        }
        at += 1;
    }
    out.extend_from_slice(&json[copied..]);
    out
}

/// The position of the quotation mark that ends the text begun at `start`.
fn text_end(json: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = json.get(at) {
        match byte {
            b'"' => return at,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    json.len()
}

/// JSON without the characters that [`clean::is_hidden`] names, whether they stand in its texts as they are or escaped.
pub(crate) fn visible_json(json: &[u8]) -> Cow<'_, [u8]> {
    let Some(first) = first_hidden(json) else { return Cow::Borrowed(json) };
    let mut out = Vec::with_capacity(json.len());
    out.extend_from_slice(&json[..first]);
    let text = String::from_utf8_lossy(&json[first..]);
    let mut rest = &*text;
    while let Some(c) = rest.chars().next() {
        let (length, hidden) = match c {
            '\\' => escaped(rest.as_bytes()),
            c => (c.len_utf8(), clean::is_hidden(c)),
        };
        let (unit, after) = rest.split_at(length.min(rest.len()));
        if !hidden {
            out.extend_from_slice(unit.as_bytes());
        }
        rest = after;
    }
    Cow::Owned(out)
}

/// Length of the escape at the beginning, and whether it stands for a hidden character.
fn escaped(text: &[u8]) -> (usize, bool) {
    match text.get(1) {
        Some(b'b' | b'f') => (2, true),
        Some(b'u') => {
            let code = text.get(2..6).and_then(|hex| u32::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
            (6, code.and_then(char::from_u32).is_some_and(clean::is_hidden))
        }
        _ => (2, false),
    }
}

/// Where the first hidden character begins. Looks at lead bytes only until one may begin a hidden character.
fn first_hidden(json: &[u8]) -> Option<usize> {
    let mut at = 0;
    while let Some(byte) = json.get(at) {
        match byte {
            b'\\' => {
                let (length, hidden) = escaped(&json[at..]);
                if hidden {
                    return Some(at);
                }
                at += length;
                continue;
            }
            0x7f => return Some(at),
            0xc2 | 0xd8 | 0xe1 | 0xe2 | 0xef | 0xf3 => {
                let length = if *byte < 0xe0 {
                    2
                } else if *byte < 0xf0 {
                    3
                } else {
                    4
                };
                let c = json.get(at..at + length).and_then(|bytes| std::str::from_utf8(bytes).ok()?.chars().next());
                if c.is_some_and(clean::is_hidden) {
                    return Some(at);
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{visible_json, with_each};

    #[test]
    fn hidden_characters_go_whether_escaped_or_not() {
        let check = |text: &str| String::from_utf8_lossy(&visible_json(text.as_bytes())).into_owned();
        assert_eq!(check("{\"a\":\"x\u{202e}y\u{e0041}z\u{7f}\"}"), "{\"a\":\"xyz\"}");
        assert_eq!(check(r#"{"a":"x\u0000\b\u001by\n\"\\u0000"}"#), r#"{"a":"xy\n\"\\u0000"}"#);
        assert_eq!(check("{\"a\":\"— “ü” …\"}"), "{\"a\":\"— “ü” …\"}");
    }

    #[test]
    fn a_citation_ends_each_object_of_the_list_and_no_other() {
        let json = br#"{"query":"\"results\":[{","results":[{"id":"a","m":[{"x":"}"}]},{"id":"b"}],"tail":[{"c":1}]}"#;
        let out = with_each(json, "results", &["A".to_owned(), "B".to_owned()]);
        let value: serde_json::Value = serde_json::from_slice(&out).unwrap_or_default();
        assert_eq!(value["results"][0]["cite_as"], "A");
        assert_eq!(value["results"][0]["m"][0]["x"], "}");
        assert_eq!(value["results"][1]["cite_as"], "B");
        assert_eq!(value["tail"][0].as_object().map(serde_json::Map::len), Some(1));
    }
}
