//! The reading side of refdesk: REST, MCP, OpenAPI, problems, keys and rate limits, metrics.
//!
//! It sees neither the store nor an HTTP client. The binary creates an [`AppState`] with the first snapshot and a [`StoreReader`], and keeps
//! it up to date. Modules from the bottom up: `settings`, `negotiation`, `policy`, [`state`], `markdown`, [`http`], [`api`], [`mcp`],
//! `pages`, `routes`, `middleware`, [`server`]; each knows only those before it.

pub mod api;
pub mod http;
mod markdown;
pub mod mcp;
mod middleware;
mod negotiation;
mod pages;
mod policy;
mod routes;
pub mod server;
mod settings;
pub mod state;

pub use middleware::router;
pub use policy::cors::parse_origin;
pub use server::{ServerLimits, serve};
pub use settings::{LocalToken, RateLimits, Role, Settings};
pub use state::{AppState, StoreReader};
