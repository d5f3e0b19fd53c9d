//! `get_item`, `get_framework` and `list_items`: details and lists as REST gives them, truncated for a model.

use refdesk_catalog::answer::{self as catalog, DetailExtras, ListAnswer};
use refdesk_core::Kind;
use refdesk_core::query::{DetailQuery, ListQuery, Params, ResolveQuery, Warning};

use super::answer::{Citations, ToolAnswer};
use super::arguments::Arguments;
use super::projection::{BODY_CHARS, Projection};
use super::references::{resolve_item, sent_id};
use super::{TEXT_MARGIN_BYTES, filters, json_size};
use crate::api::full_texts;
use crate::http::problem::Problem;
use crate::http::request::shown;
use crate::mcp::CATALOG_BYTES_MAX;
use crate::mcp::protocol::request::McpRequest;

/// Rows of a page of `list_items` when no `limit` is sent. REST gives more; a model reads all that it is sent, and pays for it.
pub(super) const ROWS_SHOWN: usize = 20;
/// Where a detail is given in full.
const IN_FULL: &str = "the REST path of the item gives it in full";

pub(super) async fn get_item(request: &McpRequest<'_>, arguments: &Arguments) -> Result<ToolAnswer, Problem> {
    let (id, kinds) = sent_id(request, arguments, &Kind::ALL, "Send id=<the id of a hit, or any upstream spelling>.")?;
    if arguments.flag("resolve")? {
        return Ok(resolved(request, id, &kinds));
    }
    let left_out = ["id", "type", "full", "resolve"];
    let params = Params::new(arguments.pairs_without(&left_out), &["fresh_only", "all_offers", "include_prompt"]);
    let query = DetailQuery::parse(&params)?;
    let (ordinal, alias) = resolve_item(request, "id", &kinds, &id)?;
    let body_chars = if arguments.flag("full")? { usize::MAX } else { BODY_CHARS };
    let answer = detail(request, ordinal, alias, query, body_chars, &params.warnings).await?;
    Ok(answer.projected(Projection::Item, &request.snapshot, arguments)?.bounded(IN_FULL))
}

/// What an id or spelling names, as `/v1/resolve` tells it.
fn resolved(request: &McpRequest<'_>, spelling: String, kinds: &[Kind]) -> ToolAnswer {
    let kind = if let [kind] = kinds { Some(*kind) } else { None };
    let query = ResolveQuery { spellings: vec![spelling], kind };
    let json = catalog::resolutions(&request.snapshot, &query, request.base, &[]);
    ToolAnswer::new(&json, Vec::new(), Citations::Nothing)
}

pub(super) async fn get_framework(request: &McpRequest<'_>, arguments: &Arguments) -> Result<ToolAnswer, Problem> {
    let (id, kinds) = sent_id(request, arguments, &[Kind::Framework], "Send id=<the id or an alias of a framework>.")?;
    let params = Params::new(arguments.pairs_without(&["id", "full"]), DetailQuery::names(Kind::Framework));
    let query = DetailQuery::parse(&params)?;
    let (ordinal, alias) = resolve_item(request, "id", &kinds, &id)?;
    let answer = detail(request, ordinal, alias, query, usize::MAX, &params.warnings).await?;
    Ok(answer.projected(Projection::Card, &request.snapshot, arguments)?.bounded(IN_FULL))
}

/// A detail with at most so many characters of its full text.
async fn detail(
    request: &McpRequest<'_>,
    ordinal: u32,
    alias: Option<&str>,
    query: DetailQuery,
    body_chars: usize,
    warnings: &[Warning],
) -> Result<ToolAnswer, Problem> {
    let snapshot = &*request.snapshot;
    if query.fresh_only
        && let Some(reason) = snapshot.evidence_of(ordinal).stale_reason
    {
        return Err(Problem::only_stale(snapshot.kind_of(ordinal), snapshot.id(ordinal), reason));
    }
    let body = full_texts::markdown_of(request.state, snapshot, ordinal).await?;
    let extras = DetailExtras { query, resolved_from: alias, body: body.as_deref(), warnings };
    let mut json = catalog::detail(snapshot, ordinal, &extras);
    let mut how_to_continue = None;
    if let Some(body) = &body
        && (json.len() > CATALOG_BYTES_MAX || body.chars().nth(body_chars.saturating_sub(1)).is_some())
    {
        let bare = catalog::detail(snapshot, ordinal, &DetailExtras { body: Some(""), ..extras }).len();
        let (end, chars) =
            json_size::prefix(body, body_chars, CATALOG_BYTES_MAX.saturating_sub(bare).max(TEXT_MARGIN_BYTES));
        if end < body.len() {
            json = catalog::detail(snapshot, ordinal, &DetailExtras { body: Some(&body[..end]), ..extras });
            let kind = snapshot.kind_of(ordinal).search_type();
            how_to_continue = Some(format!(
                "read_document with type={kind}, id={} and offset={chars} gives the rest of the text",
                snapshot.id(ordinal)
            ));
        }
    }
    Ok(ToolAnswer::new(&json, vec![ordinal], Citations::Whole).with_continuations(how_to_continue))
}

pub(super) fn list_items(request: &McpRequest<'_>, arguments: &Arguments) -> Result<ToolAnswer, Problem> {
    let kind =
        arguments.required_kind(&Kind::ALL, "Send type=MODEL, TOOL, SKILL, TUTORIAL, MCP_SERVER, DOC or FRAMEWORK.")?;
    let sent_filters = arguments.filters(Some(kind))?;
    // Clients that send every argument send this of kinds that have no candidates, too.
    let is_of_kind = |(name, _): &(&str, &str)| *name != "include_candidates" || kind == Kind::Framework;
    let pairs = arguments.pairs_without(&["type", "filters", "full"]).filter(is_of_kind);
    let rows_shown = ROWS_SHOWN.to_string();
    let pairs = pairs.chain(arguments.get("limit").is_none().then_some(("limit", rows_shown.as_str())));
    let pairs = pairs.chain(sent_filters.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    let params = Params::new(pairs, ListQuery::names(kind));
    let query = ListQuery::parse(kind, &params).map_err(|error| filters::problem(error, &sent_filters))?;
    let snapshot = shown(&request.generation, &request.snapshot, query.collection.as_deref())?;
    let asked = filters::asked_paths(&query.selection);
    let projection = Projection::Rows { list: kind.collection(), asked: &asked };
    let ListAnswer { pieces, shown, warnings, .. } = catalog::list(&snapshot, kind, &query, &params.warnings);
    let items: Vec<u32> = shown.map(|row| snapshot.ordinal(kind, row)).collect();
    let answer = ToolAnswer::of_list(&pieces.concat(), kind.collection(), items, projection, arguments)?;
    let mut answer = answer.projected(projection, &snapshot, arguments)?.telling(warnings);
    let how_to_continue = if let Some(shown) = answer.fit_list(kind.collection(), CATALOG_BYTES_MAX) {
        let next = query.offset.saturating_add(shown);
        let fresh = if query.fresh_only { ", fresh_only=true" } else { "" };
        let candidates = if query.include_candidates { ", include_candidates=true" } else { "" };
        let others =
            if sent_filters.is_empty() && query.selection.sort.is_empty() { "" } else { ", the same filters and sort" };
        let full = if arguments.flag("full")? { ", full=true" } else { "" };
        let next = format!("offset={next}{fresh}{candidates}{full}{others}");
        Some(format!("list_items with type={}, {next} gives the next rows", kind.search_type()))
    } else {
        None
    };
    Ok(answer.with_continuations(how_to_continue).bounded("get_item gives one row in full"))
}
