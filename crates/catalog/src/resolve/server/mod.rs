//! MCP servers that registries list several times: whose entry speaks first, and which version is the latest.

mod latest;
mod publishers;

pub use latest::{settle_latest, versions};
pub use publishers::{CODE_HOSTS, Gateways, Publisher, foreign, registry_name};
