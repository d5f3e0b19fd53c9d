//! Serves the small catalog of the tests, without limits: a target for contract testing of `/openapi.json`.
//!
//! `cargo run -p refdesk-serve --example rest_demo -- 127.0.0.1:8787`

#[path = "../tests/common/mod.rs"]
mod common;

use std::sync::Arc;

use refdesk_serve::ServerLimits;
use tokio_util::sync::CancellationToken;

/// Where it listens when no address is given.
const ADDRESS: &str = "127.0.0.1:8787";

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let address = std::env::args().nth(1).unwrap_or_else(|| ADDRESS.to_owned());
    let listener = tokio::net::TcpListener::bind(&address).await?;
    let bench = common::Bench::new();
    let stop = CancellationToken::new();
    let stopped = stop.clone();
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            stopped.cancel();
        }
    });
    refdesk_serve::serve(listener, Arc::clone(&bench.desk), ServerLimits::default(), stop).await;
    Ok(())
}
