//! Turns the catalog's JSON into a tool result: adds citations, the data notice and links, removes hidden characters, and repeats the JSON as
//! text.

use std::cell::OnceCell;

use refdesk_catalog::json::{self, Object, read_own, rendered};
use refdesk_catalog::partial_json::read_answer;
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::clean;
use refdesk_core::query::{Advice, Warning};
use serde_json::{Value, json};

use super::arguments::Arguments;
use super::filters;
use super::projection::{Projection, chars, within};
use crate::http::problem::Problem;
use crate::mcp::protocol::request::McpRequest;
use crate::mcp::{CATALOG_BYTES_MAX, DATA_NOTICE, LINKS_MAX, resources};

/// Longest name in a citation, in characters.
const CITED_NAME_CHARS_MAX: usize = 80;

/// An answer of the catalog, and what a model gets with it.
pub(super) struct ToolAnswer {
    /// An object, as REST gives it.
    pub(super) value: Value,
    /// The items it shows, by ordinal.
    pub(super) items: Vec<u32>,
    /// Where the citations go.
    citations: Citations,
    /// How each item is cited, once somebody asked.
    cited_as: OnceCell<Vec<String>>,
    /// How to get the rest of what was truncated.
    continuations: Vec<String>,
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

impl ToolAnswer {
    /// The answer that is rendered in `json`.
    pub(super) fn new(json: &[u8], items: Vec<u32>, citations: Citations) -> Self {
        Self::of_value(read_own(json), items, citations)
    }

    const fn of_value(value: Value, items: Vec<u32>, citations: Citations) -> Self {
        Self { value, items, citations, cited_as: OnceCell::new(), continuations: Vec::new() }
    }

    /// The answer with a list of these items, each with a citation. Unless all was asked for, only what the projection shows is read.
    ///
    /// # Errors
    /// When it is not clear whether all of it was asked for.
    pub(super) fn of_list(
        json: &[u8],
        list: &'static str,
        items: Vec<u32>,
        projection: Projection<'_>,
        arguments: &Arguments,
    ) -> Result<Self, Problem> {
        let value = if arguments.flag("full")? {
            read_own(json)
        } else {
            read_answer(json, list, &|member| projection.reads(member)).into()
        };
        Ok(Self::of_value(value, items, Citations::Each(list)))
    }

    /// The same with how to get what was left out of it.
    pub(super) fn with_continuations(mut self, how: impl IntoIterator<Item = String>) -> Self {
        self.continuations.extend(how);
        self
    }

    /// The same with its warnings as tools say them, where REST names paths and parameters.
    pub(super) fn telling(mut self, mut warnings: Vec<Warning>) -> Self {
        if warnings.iter().any(|warning| warning.advice.is_some()) {
            warnings.iter_mut().for_each(name_call);
            self.value["warnings"] = json!(warnings);
        }
        self
    }

    /// Bytes of its JSON.
    pub(super) fn bytes(&self) -> usize {
        rendered(&self.value).len()
    }

    /// Leaves out the last entries of a list, and their items, until the answer has at most so many bytes; the first stays. Tells how many
    /// stay if any is left out.
    pub(super) fn fit_list(&mut self, list: &str, bytes_max: usize) -> Option<usize> {
        let mut kept = None;
        loop {
            let bytes = self.bytes();
            let entries = self.value.get_mut(list)?.as_array_mut()?;
            if bytes <= bytes_max || entries.len() <= 1 {
                break;
            }
            let stay = (entries.len() * bytes_max / bytes).clamp(1, entries.len() - 1);
            entries.truncate(stay);
            self.items.truncate(stay);
            kept = Some(stay);
        }
        let stay = kept?;
        for name in ["count", "limit"] {
            if let Some(number) = self.value.get_mut(name) {
                *number = stay.into();
            }
        }
        if let Some(offset) = self.value["offset"].as_u64() {
            self.value["next_offset"] = offset.saturating_add(stay as u64).into();
        }
        kept
    }

    /// As much of the answer as fits a model's context, unless all of it was asked for.
    ///
    /// # Errors
    /// When it is not clear whether all of it was asked for.
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
        let cut = projection.apply(&mut self.value, cited_chars);
        Ok(self.cut(&cut, "full=true gives all of it"))
    }

    /// Characters of the citations that the answer gets.
    fn cited_chars(&self, snapshot: &Snapshot) -> usize {
        // Each is a member.
        let chars = |cite: &String| chars(&json!({"cite_as": cite}));
        match self.citations {
            Citations::Nothing => 0,
            Citations::Whole => self.cited_as(snapshot).iter().take(1).map(chars).sum(),
            Citations::Each(_) => self.cited_as(snapshot).iter().map(chars).sum(),
        }
    }

    fn cited_as(&self, snapshot: &Snapshot) -> &[String] {
        self.cited_as.get_or_init(|| self.items.iter().map(|ordinal| cite(snapshot, *ordinal)).collect())
    }

    /// Truncates the longest lists and texts of an answer that is still too long. `otherwise` says how to get all of it.
    pub(super) fn bounded(mut self, otherwise: &str) -> Self {
        if self.bytes() <= CATALOG_BYTES_MAX {
            return self;
        }
        let cut = within(&mut self.value, CATALOG_BYTES_MAX);
        self.cut(&cut, otherwise)
    }

    /// The same with what was cut out of it, and how to get the rest.
    fn cut(self, cut: &[String], rest: &str) -> Self {
        self.with_continuations((!cut.is_empty()).then(|| format!("{} cut; {rest}", cut.join(", "))))
    }

    /// The tool result.
    ///
    /// # Errors
    /// 500 when the answer does not have the list that it should have.
    pub(super) fn into_result(mut self, snapshot: &Snapshot) -> Result<ToolResult, Problem> {
        match self.citations {
            Citations::Nothing => {}
            Citations::Whole => {
                if let Some(cite) = self.cited_as(snapshot).first().cloned() {
                    self.value["cite_as"] = cite.into();
                }
            }
            Citations::Each(list) => {
                let cites = self.cited_as(snapshot).to_vec();
                let Some(Value::Array(entries)) = self.value.get_mut(list) else {
                    return Err(Problem::internal().because(format!("an answer of the catalog has no list {list}")));
                };
                entries.iter_mut().zip(cites).for_each(|(entry, cite)| entry["cite_as"] = cite.into());
            }
        }
        if !self.continuations.is_empty() {
            self.value["truncated"] = true.into();
            self.value["how_to_continue"] = self.continuations.join("; ").into();
        }
        self.value["data_notice"] = DATA_NOTICE.into();
        Ok(ToolResult { structured_content: rendered(&self.value), items: self.items })
    }
}

/// A finished tool result.
pub(super) struct ToolResult {
    structured_content: Vec<u8>,
    items: Vec<u32>,
}

impl ToolResult {
    /// Writes the result with its envelope.
    pub(super) fn write(self, request: &McpRequest<'_>, result: &mut Object<'_>) {
        let Self { structured_content, items } = self;
        let bytes = structured_content.len();
        let content = result.name("content");
        content.reserve(bytes * 2 + bytes / 4 + items.len().min(LINKS_MAX) * 256 + 512);
        content.extend_from_slice(b"[{\"type\":\"text\",\"text\":");
        json::write(content, &*String::from_utf8_lossy(&structured_content));
        content.push(b'}');
        for ordinal in items.iter().take(LINKS_MAX) {
            content.push(b',');
            resources::write_link(&request.snapshot, *ordinal, content);
        }
        content.push(b']');
        result.raw("structuredContent", structured_content);
        result.flag("isError", false);
    }
}

/// Writes an error that a model can correct: what is wrong, what to send, similar ids.
pub(super) fn write_error(problem: &Problem, result: &mut Object<'_>) {
    let mut document = problem.document();
    for member in ["type", "title", "status"] {
        document.shift_remove(member);
    }
    let document = rendered(&document);
    result.value("content", &json!([{"type": "text", "text": String::from_utf8_lossy(&document)}]));
    result.flag("isError", true);
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

/// Names the call that gives what REST has at a path, and the arguments that REST has as parameters.
pub(super) fn name_call(warning: &mut Warning) {
    let call = match &warning.advice {
        Some(Advice::Framework(id)) => format!(" get_framework with id={id}"),
        Some(Advice::Router(_)) => " route_framework".to_owned(),
        Some(Advice::Sources) => " source_status".to_owned(),
        Some(Advice::Cost { model, usage }) => {
            let usage: String = usage.iter().map(|(name, value)| format!(", {name}={value}")).collect();
            format!(" estimate_cost with model={model}{usage}")
        }
        Some(Advice::LeaveOut(params)) => {
            format!(": add {} to leave such items out", filters::as_arguments(params).join(" and "))
        }
        _ => return,
    };
    *warning = format!("{}{call}", warning.text).into();
}
