//! Turns the catalog's JSON into a tool result: adds citations, the data notice and links, removes hidden characters, and repeats the JSON as
//! text. It works on the rendered bytes; nothing is parsed again.

use std::borrow::Cow;

use refdesk_catalog::answer::price_of_row;
use refdesk_catalog::json::{self, Object};
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::query::PriceOf;
use refdesk_core::{Kind, clean};
use serde_json::{Value, json};

use super::arguments::Arguments;
use super::projection::Projection;
use super::truncation;
use crate::http::problem::Problem;
use crate::mcp::protocol::request::McpRequest;
use crate::mcp::visible_text::visible_json;
use crate::mcp::{CATALOG_BYTES_MAX, DATA_NOTICE, LINKS_MAX, resources};

/// Longest name in a citation, in characters.
const CITED_NAME_CHARS_MAX: usize = 80;

/// An answer of the catalog, and what a model gets with it.
pub(super) struct ToolAnswer {
    /// A JSON object, as REST gives it.
    pub(super) json: Vec<u8>,
    /// The items it shows, by ordinal.
    pub(super) items: Vec<u32>,
    /// Where the citations go.
    pub(super) citations: Citations,
    /// How to get the rest, if the answer was truncated.
    pub(super) how_to_continue: Option<String>,
}

/// Where citations go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Citations {
    /// Nowhere.
    Nothing,
    /// One for the whole answer.
    Whole,
    /// One in each object of this list, in the order of the items.
    Each(&'static str),
}

/// Which values of their rows hits that are models show, beside their limits.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowValues<'a> {
    /// Whose prices.
    pub(super) price_of: &'a PriceOf,
    /// Whether stale values are left out.
    pub(super) fresh_only: bool,
    /// What else, by path.
    pub(super) asked: &'a [&'static str],
}

impl ToolAnswer {
    /// As much of the answer as fits a model's context, unless all of it was asked for.
    ///
    /// # Errors
    /// 500 when the answer is not JSON.
    pub(super) fn projected(
        mut self,
        projection: Projection<'_>,
        snapshot: &Snapshot,
        arguments: &Arguments,
    ) -> Result<Self, Problem> {
        if arguments.flag("full")? {
            return Ok(self);
        }
        if matches!(projection, Projection::Rows { .. }) {
            self.citations = Citations::Nothing;
        }
        let cited_chars = self.cited_chars(snapshot);
        self.changed(|value, _| Ok(projection.apply(value, cited_chars)), "full=true gives all of it")
    }

    /// Characters of the citations that the answer gets.
    fn cited_chars(&self, snapshot: &Snapshot) -> usize {
        let each = |ordinal: &u32| json!({"cite_as": cite(snapshot, *ordinal)}).to_string().chars().count();
        match self.citations {
            Citations::Nothing => 0,
            Citations::Whole => self.items.iter().take(1).map(each).sum(),
            Citations::Each(_) => self.items.iter().map(each).sum(),
        }
    }

    /// The hits of a search in the same way; those that are models show limits, prices and what is asked for, as their rows do.
    ///
    /// # Errors
    /// 500 when the answer or a row is not JSON.
    pub(super) fn projected_hits(
        self,
        snapshot: &Snapshot,
        row_values: RowValues<'_>,
        arguments: &Arguments,
    ) -> Result<Self, Problem> {
        if arguments.flag("full")? {
            return Ok(self);
        }
        let RowValues { price_of, fresh_only, asked } = row_values;
        let cited_chars = self.cited_chars(snapshot);
        let change = |answer: &mut Value, items: &[u32]| {
            let hits = answer["results"].as_array_mut().into_iter().flatten().zip(items);
            for (hit, ordinal) in hits.filter(|(_, ordinal)| snapshot.kind_of(**ordinal) == Kind::Model) {
                let row = if fresh_only { snapshot.fresh_row(*ordinal) } else { snapshot.row(*ordinal).into() };
                let mut row: Value = serde_json::from_slice(&row).map_err(|error| broken(&error.to_string()))?;
                hit["limits"] = row["limits"].take();
                match price_of_row(&row, price_of) {
                    None => hit["pricing"] = row["pricing"].take(),
                    Some(price) => {
                        hit["priced_by"] = price.priced_by;
                        hit["pricing"] = price.pricing;
                    }
                }
                for path in asked {
                    let name = path.split_once('.').map_or(*path, |(name, _)| name);
                    if hit.get(name).is_none() {
                        hit[name] = row[name].take();
                    }
                }
            }
            Ok(Projection::Hits { list: "results", asked }.apply(answer, cited_chars))
        };
        self.changed(change, "full=true gives all of it")
    }

    /// Truncates the longest lists and texts of an answer that is still too long. `otherwise` says how to get all of it.
    ///
    /// # Errors
    /// 500 when the answer is not JSON.
    pub(super) fn bounded(self, otherwise: &str) -> Result<Self, Problem> {
        if self.json.len() <= CATALOG_BYTES_MAX {
            return Ok(self);
        }
        self.changed(|value, _| Ok(truncation::truncate(value, CATALOG_BYTES_MAX)), otherwise)
    }

    /// Changes the answer, given its items. What the change tells to be cut is said, with how to get the rest.
    fn changed(
        mut self,
        change: impl FnOnce(&mut Value, &[u32]) -> Result<Vec<String>, Problem>,
        rest: &str,
    ) -> Result<Self, Problem> {
        let mut value: Value = serde_json::from_slice(&self.json).map_err(|error| broken(&error.to_string()))?;
        let cut = change(&mut value, &self.items)?;
        self.json = value.to_string().into_bytes();
        if !cut.is_empty() {
            let how = format!("{} cut; {rest}", cut.join(", "));
            self.how_to_continue = Some(self.how_to_continue.map_or(how.clone(), |before| format!("{before}; {how}")));
        }
        Ok(self)
    }

    /// The tool result.
    ///
    /// # Errors
    /// 500 when the answer is not the JSON that it should be.
    pub(super) fn into_result(mut self, snapshot: &Snapshot) -> Result<ToolResult, Problem> {
        let cites: Vec<String> = match self.citations {
            Citations::Nothing => Vec::new(),
            _ => self.items.iter().map(|ordinal| cite(snapshot, *ordinal)).collect(),
        };
        if let Citations::Each(list) = self.citations {
            self.json = with_citations(&self.json, list, &cites).ok_or_else(|| broken(&format!("no list {list}")))?;
        }
        self.json.pop();
        let mut object = Object::go_on(&mut self.json);
        if let (Citations::Whole, Some(cite)) = (self.citations, cites.first()) {
            object.text("cite_as", cite);
        }
        if let Some(how) = &self.how_to_continue {
            object.flag("truncated", true);
            object.text("how_to_continue", how);
        }
        object.text("data_notice", DATA_NOTICE);
        object.close();
        let json = match visible_json(&self.json) {
            Cow::Borrowed(_) => self.json,
            Cow::Owned(cleaned) => cleaned,
        };
        let structured_content = String::from_utf8(json).map_err(|error| broken(&error.to_string()))?;
        Ok(ToolResult { structured_content, items: self.items })
    }
}

/// The problem of an answer of the catalog that is not what it should be.
fn broken(cause: &str) -> Problem {
    Problem::internal().because(format!("an answer of the catalog is broken: {cause}"))
}

/// A finished tool result.
pub(super) struct ToolResult {
    structured_content: String,
    items: Vec<u32>,
}

impl ToolResult {
    /// Writes the result with its envelope.
    pub(super) fn write(self, request: &McpRequest<'_>, out: &mut Vec<u8>) {
        let Self { structured_content, items } = self;
        let bytes = structured_content.len();
        out.reserve(bytes * 2 + bytes / 4 + items.len().min(LINKS_MAX) * 256 + 512);
        let mut object = request.open_result(out);
        let content = object.name("content");
        content.extend_from_slice(b"[{\"type\":\"text\",\"text\":");
        json::write(content, &*structured_content);
        content.push(b'}');
        for ordinal in items.iter().take(LINKS_MAX) {
            content.push(b',');
            resources::write_link(&request.snapshot, *ordinal, content);
        }
        content.push(b']');
        object.raw("structuredContent", structured_content);
        object.flag("isError", false);
        object.close();
    }
}

/// Writes an error that a model can correct: what is wrong, what to send, similar ids.
pub(super) fn write_error(request: &McpRequest<'_>, problem: &Problem, out: &mut Vec<u8>) {
    let mut document = problem.document();
    for member in ["type", "title", "status"] {
        document.shift_remove(member);
    }
    let text = serde_json::Value::Object(document).to_string();
    let text = String::from_utf8_lossy(&visible_json(text.as_bytes())).into_owned();
    let mut object = request.open_result(out);
    object.value("content", &serde_json::json!([{"type": "text", "text": text}]));
    object.flag("isError", true);
    object.close();
}

/// `GPT-X — https://… (checked 2026-11-01, stale)`.
fn cite(snapshot: &Snapshot, ordinal: u32) -> String {
    let evidence = snapshot.evidence_of(ordinal);
    let name = clean::excerpt(&snapshot.name(ordinal), CITED_NAME_CHARS_MAX);
    let checked = evidence.known().last_verified_at.map_or_else(
        || "never checked".to_owned(),
        |at| {
            let at = at.to_string();
            format!("checked {}", at.split_once('T').map_or(&*at, |(day, _)| day))
        },
    );
    let stale = if evidence.stale_reason.is_some() { ", stale" } else { "" };
    format!("{name} — {} ({checked}{stale})", evidence.source_url)
}

/// Puts a citation at the end of each object of a list. The list is found by its name in quotation marks, which cannot occur inside a JSON
/// text, because quotation marks are escaped there. `None` when there is no such list.
fn with_citations(json: &[u8], list: &str, cites: &[String]) -> Option<Vec<u8>> {
    let opening = format!("\"{list}\":[");
    let found = json.windows(opening.len()).position(|window| window == opening.as_bytes());
    let start = found? + opening.len();
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
    Some(out)
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

#[cfg(test)]
mod tests {
    use super::with_citations;

    #[test]
    fn a_citation_ends_each_object_of_the_list_and_no_other() {
        let json = br#"{"query":"\"results\":[{","results":[{"id":"a","m":[{"x":"}"}]},{"id":"b"}],"tail":[{"c":1}]}"#;
        let out = with_citations(json, "results", &["A".to_owned(), "B".to_owned()]).unwrap_or_default();
        let value: serde_json::Value = serde_json::from_slice(&out).unwrap_or_default();
        assert_eq!(value["results"][0]["cite_as"], "A");
        assert_eq!(value["results"][0]["m"][0]["x"], "}");
        assert_eq!(value["results"][1]["cite_as"], "B");
        assert_eq!(with_citations(json, "others", &[]), None);
        assert_eq!(value["tail"][0].as_object().map(serde_json::Map::len), Some(1));
    }
}
