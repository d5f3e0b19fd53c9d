//! An MCP request as methods get it: its era, its parameters, and the one snapshot that answers it.

use std::sync::Arc;

use refdesk_catalog::json::Object;
use refdesk_catalog::snapshot::Snapshot;
use serde_json::{Map, Value};

use super::era::Era;
use super::rpc::RpcError;
use crate::http::problem::Problem;
use crate::state::{AppState, Generation};

/// A request together with the one snapshot that answers it.
pub(crate) struct McpRequest<'a> {
    pub(crate) state: &'a AppState,
    /// The one generation that everything of the answer is of.
    pub(crate) generation: Arc<Generation>,
    /// What the address shows of it: all, or a collection.
    pub(crate) snapshot: Arc<Snapshot>,
    /// The public URL that links begin with; empty for relative links.
    pub(crate) base: &'a str,
    pub(crate) era: Era,
    /// The answer must not be shared between callers.
    pub(crate) is_private: bool,
    pub(crate) params: &'a Map<String, Value>,
}

impl<'a> McpRequest<'a> {
    /// Opens a result with the members that every result of the era has.
    pub(crate) fn open_result<'o>(&self, out: &'o mut Vec<u8>) -> Object<'o> {
        let mut object = Object::open(out);
        if self.era == Era::Modern {
            object.raw("resultType", "\"complete\"");
            object.raw("_meta", SERVER_META);
        }
        object
    }

    /// Writes how long and by whom the result may be cached; only the modern era has this.
    pub(crate) fn write_caching(&self, object: &mut Object<'_>, ttl_ms: u64) {
        if self.era == Era::Modern {
            object.value("ttlMs", &ttl_ms);
            object.text("cacheScope", if self.is_private { "private" } else { "public" });
        }
    }

    /// How long an answer from the catalog is valid, in milliseconds: as long as on REST.
    pub(crate) fn catalog_ttl_ms(&self) -> u64 {
        self.state.fresh_for_secs(&self.snapshot).unsigned_abs() * 1000
    }

    /// A required parameter that is a string.
    pub(crate) fn string_param(&self, name: &str) -> Result<&'a str, RpcError> {
        self.params
            .get(name)
            .and_then(Value::as_str)
            .ok_or_else(|| RpcError::invalid_params(format!("Invalid params: `{name}` must be a string.")))
    }
}

const SERVER_META: &str = concat!(
    "{\"io.modelcontextprotocol/serverInfo\":{\"name\":\"refdesk\",\"title\":\"refdesk\",\"version\":\"",
    env!("CARGO_PKG_VERSION"),
    "\"}}"
);

/// The error of a request that the service failed to answer. Logs the cause.
pub(crate) fn internal_error(problem: &Problem) -> RpcError {
    log_cause(problem);
    RpcError::internal()
}

/// Logs the internal cause of a problem, which a client must not see.
pub(crate) fn log_cause(problem: &Problem) {
    if let Some(cause) = &problem.cause {
        tracing::error!(code = problem.code.as_str(), %cause, "an MCP request failed");
    }
}
