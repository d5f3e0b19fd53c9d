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

/// The tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tool {
    SearchCatalog,
    GetItem,
    ListItems,
    ReadDocument,
    CompareItems,
    EstimateCost,
    SearchFrameworks,
    RouteFramework,
    GetFramework,
    SourceStatus,
}

impl Tool {
    /// All of them, in the order of `tools/list`.
    const ALL: [Self; 10] = [
        Self::SearchCatalog,
        Self::GetItem,
        Self::ListItems,
        Self::ReadDocument,
        Self::CompareItems,
        Self::EstimateCost,
        Self::SearchFrameworks,
        Self::RouteFramework,
        Self::GetFramework,
        Self::SourceStatus,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::SearchCatalog => "search_catalog",
            Self::GetItem => "get_item",
            Self::ListItems => "list_items",
            Self::ReadDocument => "read_document",
            Self::CompareItems => "compare_items",
            Self::EstimateCost => "estimate_cost",
            Self::SearchFrameworks => "search_frameworks",
            Self::RouteFramework => "route_framework",
            Self::GetFramework => "get_framework",
            Self::SourceStatus => "source_status",
        }
    }

    /// The arguments that it takes.
    const fn arguments(self) -> &'static [Argument] {
        use arguments as a;
        match self {
            Self::SearchCatalog => &[
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
            Self::GetItem => &[a::ID, a::TYPE, a::FRESH_ONLY, a::ALL_OFFERS, a::INCLUDE_PROMPT, a::RESOLVE, a::FULL],
            Self::ListItems => {
                &[a::TYPE, a::LIMIT, a::OFFSET, a::FRESH_ONLY, a::INCLUDE_CANDIDATES, a::FILTERS, a::SORT, a::FULL]
            }
            Self::ReadDocument => &[a::ID, a::TYPE, a::OFFSET, a::LIMIT, a::HEADING, a::BUDGET_TOKENS],
            Self::CompareItems => &[a::IDS, a::TYPE, a::FULL],
            Self::EstimateCost => &a::COST,
            Self::SearchFrameworks => &[a::Q, a::DOMAIN, a::INCLUDE_CANDIDATES, a::INCLUDE_PROMPT, a::LIMIT],
            Self::RouteFramework => &[a::Q, a::DOMAIN, a::INCLUDE_CANDIDATES, a::MODE],
            Self::GetFramework => &[a::ID, a::INCLUDE_PROMPT],
            Self::SourceStatus => &[a::FULL],
        }
    }

    async fn run(self, request: &McpRequest<'_>, arguments: &Arguments) -> Result<ToolAnswer, Problem> {
        match self {
            Self::SearchCatalog => search::search_catalog(request, arguments).await,
            Self::GetItem => items::get_item(request, arguments).await,
            Self::ListItems => items::list_items(request, arguments),
            Self::ReadDocument => read_document::read_document(request, arguments).await,
            Self::CompareItems => questions::compare_items(request, arguments),
            Self::EstimateCost => questions::estimate_cost(request, arguments),
            Self::SearchFrameworks => frameworks::search_frameworks(request, arguments),
            Self::RouteFramework => frameworks::route_framework(request, arguments).await,
            Self::GetFramework => items::get_framework(request, arguments).await,
            Self::SourceStatus => source_status(request, arguments),
        }
    }
}

/// `tools/call`.
pub(crate) async fn call(request: &McpRequest<'_>, out: &mut Vec<u8>) -> Result<(), RpcError> {
    let name = request.string_param("name")?;
    let Some(tool) = Tool::ALL.into_iter().find(|tool| tool.name() == name) else {
        let names = Tool::ALL.map(Tool::name);
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
    let answered = match Arguments::parse(tool.arguments(), sent) {
        Ok(arguments) => tool.run(request, &arguments).await,
        Err(problem) => Err(problem),
    };
    let result = answered.and_then(|answer| answer.into_result(&request.snapshot));
    request.state.metrics.mcp_tool_called(tool.name(), result.is_err());
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
    let answer = ToolAnswer { json, items: Vec::new(), citations: Citations::Nothing, how_to_continue: None };
    answer.projected(Projection::Sources, &request.snapshot, arguments)?.bounded("/v1/sources/status gives all of it")
}
