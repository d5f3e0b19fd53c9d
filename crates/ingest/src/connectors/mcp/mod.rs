//! Registries and lists of MCP servers and tool kits.

pub mod awesome_list;
pub mod composio;
pub mod docker_mcp;
pub mod mcp_identity;
pub mod mcp_registry;
pub mod mcp_servers_data;
