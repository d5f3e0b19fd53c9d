//! How questions name values, makers, lines of models, packages and addresses that the catalog has.

mod addressed;
mod alternatives;
mod asking;
mod denials;
mod labels;
mod lines;
mod makers;

use crate::common::catalog::fact;
use refdesk_core::fact::StoredFact;
use refdesk_core::item::{Item, McpServer};
use serde_json::json;

/// A server that comes as a package of a registry.
fn packaged(id: &str, registry: &str) -> StoredFact {
    let packages = vec![json!({"registryType": registry, "identifier": id})];
    fact(id, id, id, &Item::McpServer(McpServer { packages, ..McpServer::default() }))
}
