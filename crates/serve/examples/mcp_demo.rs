//! A server over the small catalog of the tests, without limits: something for MCP clients and suites to talk to.
//!
//! `cargo run -p refdesk-serve --example mcp_demo -- 127.0.0.1:8799`. Not the product: that is `refdesk serve`.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "an example ends with a message when it cannot go on")]

#[path = "../tests/common/mod.rs"]
mod common;

use std::sync::Arc;

use refdesk_serve::ServerLimits;
use tokio_util::sync::CancellationToken;

#[tokio::main]
async fn main() {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:0".to_owned());
    let bench = common::Bench::new();
    let listener = tokio::net::TcpListener::bind(&address).await.unwrap();
    println!("listening on http://{}", listener.local_addr().unwrap());
    refdesk_serve::serve(listener, Arc::clone(&bench.desk), ServerLimits::default(), CancellationToken::new()).await;
}
