//! The ten tools, each a row of [`TOOLS`]: it parses its arguments, makes the core call of its REST counterpart, and truncates what is too
//! long for a model.

mod answer;
mod arguments;
mod definitions;
mod filters;
mod frameworks;
mod items;
mod json_size;
mod projection;
mod questions;
mod read_document;
mod references;
mod search;

use std::borrow::Cow;

use refdesk_catalog::json::{Object, rendered};
use serde_json::{Map, Value, json};

use super::protocol::request::{McpRequest, log_cause};
use super::protocol::rpc::RpcError;
use crate::api::sources;
use crate::http::problem::Problem;
use crate::state::metrics::Metrics;
use answer::{Citations, ToolAnswer};
use arguments::Arguments;
pub(super) use definitions::definitions;
use definitions::{TOOLS, Tool};
use projection::Projection;

/// Bytes of an answer that are reserved for the members beside a full text.
const TEXT_MARGIN_BYTES: usize = 4_096;

/// Has the metrics count the calls of each tool from 0.
pub(crate) fn offer(metrics: &Metrics) {
    for tool in &TOOLS {
        metrics.mcp_tool_offered(tool.name);
    }
}

/// Whether a tool has a name.
pub(super) fn is_tool(name: &str) -> bool {
    TOOLS.iter().any(|tool| tool.name == name)
}

/// `tools/call`.
pub(crate) async fn call(request: &McpRequest<'_>, result: &mut Object<'_>) -> Result<(), RpcError> {
    let name = request.string_param("name")?;
    let Some(tool) = TOOLS.iter().find(|tool| tool.name == name) else {
        let names: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
        let shown = refdesk_core::clean::excerpt(name, 100);
        let message = format!("Unknown tool: {shown}. The tools are {}.", names.join(", "));
        return Err(RpcError::invalid_params(message).with(json!({"tools": names})));
    };
    let sent = arguments_of(request.params)?;
    let answered = match Arguments::parse(tool.arguments(), &sent) {
        Ok(arguments) => (tool.call)(request, &arguments).await,
        Err(problem) => Err(problem),
    };
    let answered = answered.and_then(|answer| answer.into_result(&request.snapshot));
    request.state.metrics.mcp_tool_called(tool.name, answered.is_err());
    match answered {
        Ok(answer) => answer.write(request, result),
        Err(problem) => {
            log_cause(&problem);
            answer::write_error(&problem, result);
        }
    }
    Ok(())
}

/// The arguments of a call. Weak models and some clients send the object as a text, as some APIs do, or a blank one for none.
fn arguments_of(params: &Map<String, Value>) -> Result<Cow<'_, Map<String, Value>>, RpcError> {
    let within = match params.get("arguments") {
        None | Some(Value::Null) => Some(Map::new()),
        Some(Value::Object(sent)) => return Ok(Cow::Borrowed(sent)),
        Some(Value::String(text)) if text.trim().is_empty() => Some(Map::new()),
        Some(Value::String(text)) => serde_json::from_str::<Option<_>>(text).ok().map(Option::unwrap_or_default),
        Some(_) => None,
    };
    within.map(Cow::Owned).ok_or_else(|| RpcError::invalid_params("Invalid params: `arguments` must be an object."))
}

fn source_status(request: &McpRequest<'_>, arguments: &Arguments) -> Result<ToolAnswer, Problem> {
    let json = rendered(&sources::answer(request.state));
    let answer = ToolAnswer::new(&json, Vec::new(), Citations::Nothing);
    let answer = answer.projected(Projection::Sources, &request.snapshot, arguments)?;
    Ok(answer.bounded("/v1/sources/status gives all of it"))
}
