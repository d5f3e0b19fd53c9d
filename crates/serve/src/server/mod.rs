//! The server: an accept loop with a limit on connections, a timeout for headers, and a shutdown that loses no request.
//!
//! [`connection_state`] knows where the request of a connection is, [`connection`] and [`body`] update it, [`connections`] decides which
//! connection closes when there are too many, [`wire`] is the socket below hyper, [`service`] is what hyper calls, [`handshakes`] ends the
//! coming of new clients.

mod body;
mod connection;
mod connection_state;
mod connections;
mod handshakes;
mod limits;
mod refusal;
mod service;
mod wire;

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use futures::future::BoxFuture;
use hyper_util::rt::{TokioIo, TokioTimer};
use prometheus::IntCounterVec;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use crate::http::client_address::is_trusted_proxy;
use crate::middleware::{LoadShedding, Pipeline};
use crate::state::AppState;
use connection::Connection;
use connection_state::Closing;
use connections::Connections;
pub use limits::ServerLimits;
use service::RequestService;
use wire::{Refuse, Wire};

/// Least size of hyper's buffer, in bytes.
const HEAD_BUFFER_BYTES_MIN: usize = 8 * 1024;
/// Pause after an accept that failed, usually for want of file descriptors.
const ACCEPT_BACKOFF: Duration = Duration::from_millis(5);
/// Pause between two checks whether a connection that was told to close has made room.
const ROOM_CHECK: Duration = Duration::from_millis(10);
/// A shutdown ends early when no client was connected for this long: a client whose connection closed may come back for another request.
const NO_CLIENT: Duration = Duration::from_millis(100);
/// Time at the end of a shutdown for the first request of a connection, which may be under way.
const FIRST_REQUEST: Duration = Duration::from_millis(500);
/// Time for handshakes that had begun when the system was told to refuse new ones: the way to a client and back.
const HANDSHAKE: Duration = Duration::from_millis(100);
/// Pause between two checks whether all connections have closed.
const CLOSED_CHECK: Duration = Duration::from_millis(5);

/// Serves until `shutdown`; then still answers new requests for [`ServerLimits::drain`], and waits for running ones. Boxed, so that all that
/// answers requests is compiled in this crate and with its settings, and not where the future is polled.
pub fn serve(
    listener: TcpListener,
    state: Arc<AppState>,
    limits: ServerLimits,
    shutdown: CancellationToken,
) -> BoxFuture<'static, ()> {
    Box::pin(serve_until(listener, state, limits, shutdown))
}

async fn serve_until(listener: TcpListener, state: Arc<AppState>, limits: ServerLimits, shutdown: CancellationToken) {
    let load_shedding = LoadShedding::new(limits.requests_in_flight_max, limits.request_timeout);
    let pipeline = Arc::new(Pipeline::new(Arc::clone(&state), Some(load_shedding), shutdown.clone()));
    let refuse = {
        let pipeline = Arc::clone(&pipeline);
        Arc::new(move |peer, status| refusal::refusal(&pipeline, peer, status)) as Arc<Refuse>
    };
    let closed = state.metrics.serving.closed.clone();
    let server = Server {
        connections: Connections::new(&limits, Some(closed)),
        permits: Arc::new(Semaphore::new(limits.connections_max.max(1))),
        is_proxy: Box::new(move |peer| is_trusted_proxy(&state.settings, peer)),
        refuse: Some(refuse),
        limits,
    };
    server.run(listener, |peer, connection| service::pipeline_service(&pipeline, peer, connection), shutdown).await;
}

/// The same for any router, without load shedding: benchmarks compare with a constant answer on the same accept loop.
pub async fn serve_router(listener: TcpListener, router: Router, limits: ServerLimits, shutdown: CancellationToken) {
    let server = Server {
        connections: Connections::new(&limits, None::<IntCounterVec>),
        permits: Arc::new(Semaphore::new(limits.connections_max.max(1))),
        is_proxy: Box::new(|_| false),
        refuse: None,
        limits,
    };
    server.run(listener, |peer, connection| service::router_service(router.clone(), peer, connection), shutdown).await;
}

/// Accepts connections and closes them.
struct Server {
    connections: Arc<Connections>,
    /// One for each connection that may be open.
    permits: Arc<Semaphore>,
    is_proxy: Box<dyn Fn(IpAddr) -> bool + Send + Sync>,
    refuse: Option<Arc<Refuse>>,
    limits: ServerLimits,
}

impl Server {
    async fn run<S: RequestService>(
        self,
        listener: TcpListener,
        service: impl Fn(SocketAddr, Arc<Connection>) -> S,
        shutdown: CancellationToken,
    ) {
        let drained = async {
            shutdown.cancelled().await;
            self.drain().await;
        };
        self.accept_until(drained, &listener, &service).await;
        // Without the filter a client that comes between the last accept and the close is reset.
        if handshakes::refuse(&listener).is_ok() {
            self.accept_until(tokio::time::sleep(HANDSHAKE), &listener, &service).await;
        }
        // Clients in the system's queue are answered too. The system is asked directly, because the runtime may not know of them yet.
        if let Ok(listener) = listener.into_std() {
            while let Ok((stream, peer)) = listener.accept() {
                if let Ok(stream) = stream.set_nonblocking(true).and_then(|()| TcpStream::from_std(stream)) {
                    self.serve_connection(stream, peer, &service).await;
                }
            }
        }
        self.connections.close_used();
        let all_closed = async {
            if tokio::time::timeout(FIRST_REQUEST, self.all_closed()).await.is_err() {
                self.connections.close_unused();
                self.all_closed().await;
            }
        };
        if tokio::time::timeout(self.limits.shutdown_grace, all_closed).await.is_err() {
            tracing::warn!("some requests were still running when the grace time ended");
            self.connections.close_all();
        }
    }

    /// Accepts connections until `end`. One that was accepted is served, whenever that is.
    async fn accept_until<S: RequestService>(
        &self,
        end: impl Future<Output = ()>,
        listener: &TcpListener,
        service: impl Fn(SocketAddr, Arc<Connection>) -> S,
    ) {
        tokio::pin!(end);
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                () = &mut end => return,
            };
            match accepted {
                Ok((stream, peer)) => self.serve_connection(stream, peer, &service).await,
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted; the longest idle ones are closed");
                    self.connections.make_room();
                    tokio::time::sleep(ACCEPT_BACKOFF).await;
                }
            }
        }
    }

    /// Waits until every connection has closed after its last answer and no new one came, but no longer than the limit.
    async fn drain(&self) {
        let no_client = async {
            self.all_closed().await;
            while tokio::time::timeout(NO_CLIENT, self.some_open()).await.is_ok() {
                self.all_closed().await;
            }
        };
        // Either way the drain is over.
        let _ = tokio::time::timeout(self.limits.drain, no_client).await;
    }

    async fn some_open(&self) {
        while self.connections.count() == 0 {
            tokio::time::sleep(CLOSED_CHECK).await;
        }
    }

    async fn all_closed(&self) {
        while self.connections.count() > 0 {
            tokio::time::sleep(CLOSED_CHECK).await;
        }
    }

    /// Serves a connection on a task of its own, as soon as there is a permit for it.
    async fn serve_connection<S: RequestService>(
        &self,
        stream: TcpStream,
        peer: SocketAddr,
        service: impl Fn(SocketAddr, Arc<Connection>) -> S,
    ) {
        let permit = self.permit().await;
        // Answers are written whole, so waiting to fill packets only delays them. A socket that refuses the option still works.
        let _ = stream.set_nodelay(true);
        let connection = Connection::open(&self.connections, peer.ip(), (self.is_proxy)(peer.ip()));
        let wire =
            Wire::new(stream, peer.ip(), Arc::clone(&connection), self.refuse.clone(), self.limits.write_timeout);
        let http = hyper::server::conn::http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.limits.header_timeout)
            .max_buf_size(self.limits.head_buffer_bytes.max(HEAD_BUFFER_BYTES_MIN))
            .serve_connection(TokioIo::new(wire), service(peer, Arc::clone(&connection)));
        tokio::spawn(async move {
            let _permit = permit;
            drive(http, &connection).await;
            connection.closed();
        });
    }

    /// A permit for one more connection; if there is none, the longest idle connections are closed.
    async fn permit(&self) -> Option<OwnedSemaphorePermit> {
        loop {
            match Arc::clone(&self.permits).try_acquire_owned() {
                Ok(permit) => return Some(permit),
                Err(tokio::sync::TryAcquireError::Closed) => return None,
                Err(tokio::sync::TryAcquireError::NoPermits) => self.connections.make_room(),
            }
            let permit = Arc::clone(&self.permits).acquire_owned();
            if let Ok(permit) = tokio::time::timeout(ROOM_CHECK, permit).await {
                return permit.ok();
            }
        }
    }
}

/// Drives a connection until it ends or is told to close.
async fn drive<S: RequestService>(
    mut http: hyper::server::conn::http1::Connection<TokioIo<Wire<TcpStream>>, S>,
    connection: &Connection,
) {
    let ended = loop {
        tokio::select! {
            // What has arrived is read first: a connection that was told to close for being idle may have brought a request meanwhile.
            biased;
            ended = &mut http => break ended,
            closing = connection.state.told_to_close() => match closing {
                Closing::No => {}
                // hyper waits for the first request of a connection, even when it is asked to shut down gracefully.
                Closing::Gracefully if connection.state.is_unused() => return,
                Closing::Gracefully => Pin::new(&mut http).graceful_shutdown(),
                Closing::AtOnce => return,
            }
        }
    };
    let mut wire = http.into_parts().io.into_inner();
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended with an error");
        if error.is_timeout() {
            wire.refuse_late_headers().await;
        }
    }
    wire.linger().await;
}
