//! MCP servers that registries list several times: whose entry speaks first, and which version is the latest; and folders that nobody has.

mod folders;
mod latest;
mod publishers;

pub use folders::Folders;
pub use latest::{settle_latest, versions};
pub use publishers::{CODE_HOSTS, Gateways, Publisher, foreign, registry_name};
use refdesk_core::cooperative;
use refdesk_core::fact::StoredFact;

/// What the entries of MCP servers tell of each other.
#[derive(Debug, Default)]
pub struct Servers {
    /// The namespaces whose entries are of many owners.
    pub gateways: Gateways,
    /// The folders that are in repositories of many servers.
    pub folders: Folders,
}

impl Servers {
    /// What some entries tell.
    pub fn new(entries: &[&StoredFact]) -> Self {
        let each = || cooperative::yielding(entries.iter().copied());
        Self { gateways: Gateways::new(each()), folders: Folders::new(each()) }
    }
}
