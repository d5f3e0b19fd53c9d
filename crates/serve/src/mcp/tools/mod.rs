//! The ten tools, each a row of [`TOOLS`]: it parses its arguments, makes the core call of its REST counterpart, and truncates what is too
//! long for a model.

mod answer;
mod arguments;
mod definitions;
mod filters;
mod frameworks;
mod items;
mod projection;
mod questions;
mod read_document;
mod references;
mod search;
mod truncation;

use std::future::ready;

use futures::future::BoxFuture;
use serde_json::{Map, Value, json};

use super::protocol::request::{McpRequest, log_cause};
use super::protocol::rpc::RpcError;
use crate::api::sources;
use crate::http::problem::Problem;
use crate::state::metrics::Metrics;
use answer::{Citations, ToolAnswer};
use arguments::{self as a, Argument, Arguments};
use definitions::OutputSchemas;
pub(super) use definitions::definitions;
use projection::Projection;

/// Bytes of an answer that are reserved for the members beside a full text.
const TEXT_MARGIN_BYTES: usize = 4_096;

/// A tool.
struct Tool {
    name: &'static str,
    /// The arguments that it takes.
    arguments: &'static [Argument],
    /// What `tools/list` says of it, given its name.
    definition: fn(&str, &OutputSchemas) -> Result<Value, Problem>,
    call: for<'a> fn(&'a McpRequest<'a>, &'a Arguments) -> BoxFuture<'a, Result<ToolAnswer, Problem>>,
}

/// All of them, in the order of `tools/list`.
static TOOLS: [Tool; 10] = [
    Tool {
        name: "search_catalog",
        arguments: &[
            a::Q,
            a::TYPE,
            a::FRESH_ONLY,
            a::INCLUDE_MARKDOWN,
            a::PASSAGES,
            a::BUDGET_TOKENS,
            a::LIMIT,
            a::MODE,
            a::FILTERS,
            a::FULL,
            // Warnings name it; no schema does, because models need it so rarely.
            a::UNDERSTAND,
        ],
        definition: definitions::search_catalog,
        call: |request, arguments| Box::pin(search::search_catalog(request, arguments)),
    },
    Tool {
        name: "get_item",
        arguments: &[a::ID, a::TYPE, a::FRESH_ONLY, a::ALL_OFFERS, a::INCLUDE_PROMPT, a::RESOLVE, a::FULL],
        definition: definitions::get_item,
        call: |request, arguments| Box::pin(items::get_item(request, arguments)),
    },
    Tool {
        name: "list_items",
        arguments: &[a::TYPE, a::LIMIT, a::OFFSET, a::FRESH_ONLY, a::INCLUDE_CANDIDATES, a::FILTERS, a::SORT, a::FULL],
        definition: definitions::list_items,
        call: |request, arguments| Box::pin(ready(items::list_items(request, arguments))),
    },
    Tool {
        name: "read_document",
        arguments: &[a::ID, a::TYPE, a::OFFSET, a::LIMIT, a::HEADING, a::BUDGET_TOKENS],
        definition: definitions::read_document,
        call: |request, arguments| Box::pin(read_document::read_document(request, arguments)),
    },
    Tool {
        name: "compare_items",
        arguments: &[a::IDS, a::TYPE, a::FULL],
        definition: definitions::compare_items,
        call: |request, arguments| Box::pin(ready(questions::compare_items(request, arguments))),
    },
    Tool {
        name: "estimate_cost",
        arguments: &a::COST,
        definition: definitions::estimate_cost,
        call: |request, arguments| Box::pin(ready(questions::estimate_cost(request, arguments))),
    },
    Tool {
        name: "search_frameworks",
        arguments: &[a::Q, a::DOMAIN, a::INCLUDE_CANDIDATES, a::INCLUDE_PROMPT, a::LIMIT, a::FULL],
        definition: definitions::search_frameworks,
        call: |request, arguments| Box::pin(ready(frameworks::search_frameworks(request, arguments))),
    },
    Tool {
        name: "route_framework",
        arguments: &[a::Q, a::DOMAIN, a::INCLUDE_CANDIDATES, a::MODE],
        definition: definitions::route_framework,
        call: |request, arguments| Box::pin(frameworks::route_framework(request, arguments)),
    },
    Tool {
        name: "get_framework",
        arguments: &[a::ID, a::INCLUDE_PROMPT],
        definition: definitions::get_framework,
        call: |request, arguments| Box::pin(items::get_framework(request, arguments)),
    },
    Tool {
        name: "source_status",
        arguments: &[a::FULL],
        definition: definitions::source_status,
        call: |request, arguments| Box::pin(ready(source_status(request, arguments))),
    },
];

/// Has the metrics count the calls of each tool from 0.
pub(crate) fn offer(metrics: &Metrics) {
    for tool in &TOOLS {
        metrics.mcp_tool_offered(tool.name);
    }
}

/// `tools/call`.
pub(crate) async fn call(request: &McpRequest<'_>, out: &mut Vec<u8>) -> Result<(), RpcError> {
    let name = request.string_param("name")?;
    let Some(tool) = TOOLS.iter().find(|tool| tool.name == name) else {
        let names: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
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
    let answered = match Arguments::parse(tool.arguments, sent) {
        Ok(arguments) => (tool.call)(request, &arguments).await,
        Err(problem) => Err(problem),
    };
    let result = answered.and_then(|answer| answer.into_result(&request.snapshot));
    request.state.metrics.mcp_tool_called(tool.name, result.is_err());
    match result {
        Ok(result) => result.write(request, out),
        Err(problem) => {
            log_cause(&problem);
            answer::write_error(request, &problem, out);
        }
    }
    Ok(())
}

fn source_status(request: &McpRequest<'_>, arguments: &Arguments) -> Result<ToolAnswer, Problem> {
    let mut json = Vec::new();
    refdesk_catalog::json::write(&mut json, &sources::answer(request.state));
    let answer = ToolAnswer::new(&json, Vec::new(), Citations::Nothing);
    let answer = answer.projected(Projection::Sources, &request.snapshot, arguments)?;
    Ok(answer.bounded("/v1/sources/status gives all of it"))
}
