//! What REST and MCP share of HTTP: the request with its snapshot, who sends it, responses, and problems. Nothing in here routes or
//! handles a request: that is [`crate::middleware`], [`crate::api`] and [`crate::mcp`].

pub(crate) mod authentication;
pub(crate) mod caller;
pub(crate) mod client_address;
mod entity_tag;
mod piece_body;
pub mod problem;
pub(crate) mod rate_limit;
pub mod request;
pub(crate) mod response;
pub(crate) mod scoped_path;

/// Path of the MCP endpoint.
pub(crate) const MCP_PATH: &str = "/mcp";
