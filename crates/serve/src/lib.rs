//! The reading side of refdesk: REST, MCP, OpenAPI, errors, keys and limits as middleware, metrics.
//!
//! It cannot see the store or an HTTP client. The binary hands it a [`Desk`]: the current snapshot, a reader of bodies, the key
//! ring and the source states. The route table is in [`routes`]; a handler parses, makes one core call, and renders.

pub mod cors;
pub mod desk;
mod encode;
mod front;
mod guard;
mod hot;
pub mod keys;
pub mod limits;
pub mod mcp;
pub mod metrics;
mod page;
pub mod problem;
mod reply;
pub mod rest;
pub mod routes;
pub mod semantic;
pub mod server;
mod workroom;

pub use desk::{BodyReader, Desk, Settings};
pub use routes::router;
pub use server::{ServerLimits, serve};
