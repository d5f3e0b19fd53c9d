//! `constant-server`: the limit that benchmarks compare with. No operator needs it.
//!
//! The accept loop, HTTP settings and runtime of `serve`, and axum with one route that returns a constant body without any work.

use anyhow::Context as _;
use axum::Router;
use axum::response::IntoResponse as _;
use bytes::Bytes;
use refdesk_serve::ServerLimits;
use tokio_util::sync::CancellationToken;

use refdesk::config::{Config, key};
use refdesk::exit::Exit;
use refdesk::output;

/// `refdesk-lab constant-server`.
///
/// # Errors
/// When the address is taken.
pub async fn run(config: &Config, body_bytes: usize) -> anyhow::Result<Exit> {
    let body = Bytes::from(vec![b'x'; body_bytes]);
    let answer = move || {
        let body = body.clone();
        async move { ([("content-type", "application/json")], body).into_response() }
    };
    let listen = config.get(key::LISTEN);
    let listener = tokio::net::TcpListener::bind(listen).await.with_context(|| format!("cannot listen on {listen}"))?;
    output::line(&format!("listening on http://{}", listener.local_addr()?));
    let shutdown = CancellationToken::new();
    let router = Router::new().route("/", axum::routing::get(answer));
    tokio::select! {
        () = refdesk_serve::server::serve_router(listener, router, ServerLimits::default(), shutdown) => {}
        _ = tokio::signal::ctrl_c() => {}
    }
    Ok(Exit::Done)
}
