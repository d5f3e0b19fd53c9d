//! `read_document`: a full text piece by piece, in characters.

use refdesk_catalog::json::Object;
use refdesk_core::Kind;
use refdesk_core::fact::RecordWithheld;
use refdesk_core::query::{CHARS_PER_TOKEN, LimitRule};
use refdesk_core::text::headings::{headings, plain};
use refdesk_core::text::sections::under_heading;
use serde_json::json;

use super::answer::{Citations, ToolAnswer};
use super::arguments::{self, Arguments};
use super::references::{resolve_item, sent_id};
use super::{TEXT_MARGIN_BYTES, json_size};
use crate::api::full_texts;
use crate::http::problem::Problem;
use crate::mcp::CATALOG_BYTES_MAX;
use crate::mcp::protocol::request::McpRequest;

/// Characters of an answer.
pub(super) const READ_CHARS: LimitRule = LimitRule { default: 20_000, max: 50_000 };
/// Headings that an error names.
const HEADINGS_TOLD: usize = 30;
/// The kinds that have full texts, in the order in which an id without a type is tried.
pub(super) const READABLE: [Kind; 3] = [Kind::Document, Kind::Skill, Kind::Tutorial];

pub(super) async fn read_document(request: &McpRequest<'_>, arguments: &Arguments) -> Result<ToolAnswer, Problem> {
    let (id, kinds) = sent_id(request, arguments, &READABLE, "Send id=<the id of a DOC, SKILL or TUTORIAL hit>.")?;
    let offset = arguments.count("offset", 0)?.unwrap_or_default();
    let budget = arguments.count("budget_tokens", 1)?.map(|tokens| tokens.saturating_mul(CHARS_PER_TOKEN));
    let limit = arguments.count("limit", 1)?.or(budget).unwrap_or(READ_CHARS.default).min(READ_CHARS.max);
    let limit = budget.map_or(limit, |budget| limit.min(budget));
    let (ordinal, _) = resolve_item(request, "id", &kinds, &id)?;
    let snapshot = &*request.snapshot;
    let Some(text) = full_texts::markdown_of(request.state, snapshot, ordinal).await? else {
        let why = snapshot.item(ordinal).body_missing.map(RecordWithheld::in_words);
        let why = why.unwrap_or("The source publishes no full text of this item.");
        let hint = "get_item gives what is known of it; its source_url leads to the original.";
        return Err(arguments::invalid("id", "no full text", why, hint));
    };
    let heading = arguments.get("heading");
    let section = match heading {
        Some(heading) => Some(under_heading(&text, heading).ok_or_else(|| no_heading(&text, heading))?),
        None => None,
    };
    // Clients send the default of `offset` along: a section never begins before its heading.
    let offset = offset.max(section.as_ref().map_or(0, |section| text[..section.start].chars().count()));
    let text = section.as_ref().map_or(&*text, |section| &text[..section.end]);
    let start = text.char_indices().nth(offset).map_or(text.len(), |(at, _)| at);
    let (length, chars) = json_size::prefix(&text[start..], limit, CATALOG_BYTES_MAX - TEXT_MARGIN_BYTES);
    let total = text.chars().count();
    let next = (start + length < text.len()).then_some(offset + chars);
    let evidence = snapshot.evidence_of(ordinal);
    let kind = snapshot.kind_of(ordinal);
    let mut json = Vec::with_capacity(length + length / 8 + 1024);
    let mut object = Object::open(&mut json);
    object.text("type", kind.search_type());
    object.text("id", snapshot.id(ordinal));
    object.text("title", &snapshot.name(ordinal));
    object.text("markdown", &text[start..start + length]);
    object.count("offset", offset);
    object.count("limit", limit);
    object.count("total_chars", total);
    object.value("next_offset", &next);
    object.text("source_url", evidence.source_url);
    object.plain("evidence_key", &evidence.key.written());
    object.flag("stale", evidence.stale_reason.is_some());
    evidence.write(object.name("evidence"));
    object.close();
    let how_to_continue = next.map(|next| {
        let heading = heading.map_or_else(String::new, |heading| format!(", heading={}", json!(heading)));
        let (kind, id) = (kind.search_type(), snapshot.id(ordinal));
        format!("read_document with type={kind}, id={id}{heading}, limit={limit} and offset={next} reads on")
    });
    Ok(ToolAnswer::new(&json, vec![ordinal], Citations::Whole).with_continuations(how_to_continue))
}

fn no_heading(text: &str, heading: &str) -> Problem {
    let shown = refdesk_core::clean::excerpt(heading, 100);
    let known: Vec<String> = headings(text).iter().take(HEADINGS_TOLD).map(|heading| plain(heading.title)).collect();
    let detail = format!("The text has no heading {shown:?}.");
    arguments::invalid("heading", "no such heading", detail, "Send one of headings, or leave heading out.")
        .with("headings", known)
}
