//! The accept loop: connections up to a limit, a timeout for headers, and a shutdown that finishes what runs and takes no more.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use axum::response::Response;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

use crate::desk::Desk;
use crate::front::{Front, Shedding};
use crate::unread::UnreadLimit;

/// Limits of the server.
#[derive(Debug, Clone)]
pub struct ServerLimits {
    /// Time to send the headers of a request; also how long a connection may idle between requests.
    pub header_timeout: Duration,
    /// Time to handle a request, its body included, before it ends with a 503.
    pub request_timeout: Duration,
    /// Time a client may leave an answer unread before its connection is closed.
    pub write_timeout: Duration,
    /// Connections at once; further ones wait to be accepted.
    pub connections_max: usize,
    /// Requests at once; further ones get a 503 at once.
    pub requests_in_flight_max: usize,
    /// Time that running requests have at shutdown.
    pub shutdown_grace: Duration,
}

impl Default for ServerLimits {
    fn default() -> Self {
        Self {
            header_timeout: Duration::from_secs(10),
            request_timeout: Duration::from_secs(10),
            write_timeout: Duration::from_secs(30),
            connections_max: 4096,
            requests_in_flight_max: 512,
            shutdown_grace: Duration::from_secs(10),
        }
    }
}

/// Wait after an accept that failed for want of descriptors.
const ACCEPT_BACKOFF: Duration = Duration::from_millis(50);

/// Serves until `shutdown`, then finishes what runs.
pub async fn serve(listener: TcpListener, desk: Arc<Desk>, limits: ServerLimits, shutdown: CancellationToken) {
    let shedding = Shedding::new(limits.requests_in_flight_max, limits.request_timeout);
    let front = Arc::new(Front::new(desk, Some(shedding)));
    accept(listener, |peer| front.service(peer), limits, shutdown).await;
}

/// The same for any routes, without shedding: benchmarks compare with a constant answer on the same accept loop.
pub async fn serve_router(listener: TcpListener, router: Router, limits: ServerLimits, shutdown: CancellationToken) {
    accept(listener, |peer| service(router.clone(), peer), limits, shutdown).await;
}

/// Accepts connections, each with a service of its own.
async fn accept<S>(
    listener: TcpListener,
    service: impl Fn(SocketAddr) -> S,
    limits: ServerLimits,
    shutdown: CancellationToken,
) where
    S: hyper::service::Service<http::Request<hyper::body::Incoming>, Response = Response, Error = Infallible>
        + Send
        + 'static,
    S::Future: Send + 'static,
{
    let connections = Arc::new(Semaphore::new(limits.connections_max));
    let graceful = GracefulShutdown::new();
    loop {
        let permit = tokio::select! {
            permit = Arc::clone(&connections).acquire_owned() => permit,
            () = shutdown.cancelled() => break,
        };
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = shutdown.cancelled() => break,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(ACCEPT_BACKOFF).await;
                continue;
            }
        };
        // Answers are written whole; waiting to fill packets only delays them.
        let _ = stream.set_nodelay(true);
        let connection = hyper::server::conn::http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(limits.header_timeout)
            .serve_connection(TokioIo::new(UnreadLimit::new(stream, limits.write_timeout)), service(peer));
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection ended with an error");
            }
            drop(permit);
        });
    }
    drop(listener);
    if tokio::time::timeout(limits.shutdown_grace, graceful.shutdown()).await.is_err() {
        tracing::warn!("some requests were still running when the grace time ended");
    }
}

/// The router for one connection, which tells it the peer's address.
fn service(
    router: Router,
    peer: SocketAddr,
) -> TowerToHyperService<
    impl tower::Service<http::Request<hyper::body::Incoming>, Response = Response, Error = Infallible, Future = impl Send>
    + Clone,
> {
    TowerToHyperService::new(tower::service_fn(move |mut request: http::Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        router.clone().oneshot(request.map(axum::body::Body::new))
    }))
}
