//! The ten tools: each parses its arguments, makes the core call of its REST counterpart, and truncates what is too long for a model.

mod answer;
mod arguments;
mod definitions;
mod frameworks;
mod items;
mod projection;
mod questions;
mod read_document;
mod references;
mod search;
mod truncation;

use serde_json::{Map, Value, json};

use super::protocol::request::{McpRequest, log_cause};
use super::protocol::rpc::RpcError;
use crate::api::sources;
use crate::http::problem::Problem;
use answer::{Citations, ToolAnswer};
use arguments::{Argument, Arguments};
pub(super) use definitions::definitions;
use projection::Projection;

/// Bytes of an answer that are reserved for the members beside a full text.
const TEXT_MARGIN_BYTES: usize = 4_096;

/// A tool: its name and its arguments.
type Tool = (&'static str, &'static [Argument]);

/// All tools, in the order of `tools/list`.
const TOOLS: [Tool; 10] = [
    (
        "search_catalog",
        &[
            arguments::Q,
            arguments::TYPE,
            arguments::FRESH_ONLY,
            arguments::INCLUDE_MARKDOWN,
            arguments::PASSAGES,
            arguments::BUDGET_TOKENS,
            arguments::LIMIT,
            arguments::MODE,
            arguments::FILTERS,
            arguments::FULL,
        ],
    ),
    (
        "get_item",
        &[
            arguments::ID,
            arguments::TYPE,
            arguments::FRESH_ONLY,
            arguments::ALL_OFFERS,
            arguments::INCLUDE_PROMPT,
            arguments::RESOLVE,
            arguments::FULL,
        ],
    ),
    (
        "list_items",
        &[
            arguments::TYPE,
            arguments::LIMIT,
            arguments::OFFSET,
            arguments::FRESH_ONLY,
            arguments::INCLUDE_CANDIDATES,
            arguments::FILTERS,
            arguments::SORT,
            arguments::FULL,
        ],
    ),
    (
        "read_document",
        &[
            arguments::ID,
            arguments::TYPE,
            arguments::OFFSET,
            arguments::LIMIT,
            arguments::HEADING,
            arguments::BUDGET_TOKENS,
        ],
    ),
    ("compare_items", &[arguments::IDS, arguments::TYPE, arguments::FULL]),
    ("estimate_cost", &arguments::COST),
    (
        "search_frameworks",
        &[arguments::Q, arguments::DOMAIN, arguments::INCLUDE_CANDIDATES, arguments::INCLUDE_PROMPT, arguments::LIMIT],
    ),
    ("route_framework", &[arguments::Q, arguments::DOMAIN, arguments::INCLUDE_CANDIDATES, arguments::MODE]),
    ("get_framework", &[arguments::ID, arguments::INCLUDE_PROMPT]),
    ("source_status", &[arguments::FULL]),
];

/// `tools/call`.
pub(crate) async fn call(request: &McpRequest<'_>, out: &mut Vec<u8>) -> Result<(), RpcError> {
    let name = request.string_param("name")?;
    let Some((name, known)) = TOOLS.iter().find(|(tool, _)| *tool == name) else {
        let names: Vec<&str> = TOOLS.iter().map(|(name, _)| *name).collect();
        let shown = refdesk_core::clean::excerpt(name, 100);
        let message = format!("Unknown tool: {shown}. The tools are {}.", names.join(", "));
        return Err(RpcError::invalid_params(message).with(json!({"tools": names})));
    };
    let none = Map::new();
    let sent = match request.params.get("arguments") {
        None | Some(Value::Null) => &none,
        Some(Value::Object(sent)) => sent,
        Some(_) => return Err(RpcError::invalid_params("Invalid params: `arguments` must be an object.")),
    };
    let answered = match Arguments::parse(known, sent) {
        Ok(arguments) => run(request, name, &arguments).await,
        Err(problem) => Err(problem),
    };
    let result = answered.and_then(|answer| answer.into_result(&request.snapshot));
    request.state.metrics.mcp_tool_called(name, result.is_err());
    match result {
        Ok(result) => result.write(request, out),
        Err(problem) => {
            log_cause(&problem);
            answer::write_error(request, &problem, out);
        }
    }
    Ok(())
}

async fn run(request: &McpRequest<'_>, tool: &str, arguments: &Arguments) -> Result<ToolAnswer, Problem> {
    match tool {
        "search_catalog" => search::search_catalog(request, arguments).await,
        "get_item" => items::get_item(request, arguments).await,
        "list_items" => items::list_items(request, arguments),
        "compare_items" => questions::compare_items(request, arguments),
        "estimate_cost" => questions::estimate_cost(request, arguments),
        "read_document" => read_document::read_document(request, arguments).await,
        "search_frameworks" => frameworks::search_frameworks(request, arguments),
        "route_framework" => frameworks::route_framework(request, arguments).await,
        "get_framework" => items::get_framework(request, arguments).await,
        _ => source_status(request, arguments),
    }
}

fn source_status(request: &McpRequest<'_>, arguments: &Arguments) -> Result<ToolAnswer, Problem> {
    let mut json = Vec::new();
    refdesk_catalog::json::write(&mut json, &sources::answer(request.state));
    let answer = ToolAnswer { json, items: Vec::new(), citations: Citations::Nothing, how_to_continue: None };
    answer.projected(Projection::Sources, arguments)?.bounded("/v1/sources/status gives all of it")
}
