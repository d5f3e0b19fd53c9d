//! The accept loop: connections up to a limit, a timeout for headers, and a shutdown that loses no request.
//!
//! [`held`] knows where the request of a connection stands, [`body`] tells it, [`connections`] knows who has to go when there are too many,
//! [`wire`] is the socket below hyper.

mod body;
mod connections;
mod held;
mod wire;

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use hyper::body::Incoming;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use prometheus::IntCounterVec;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

use crate::desk::Desk;
use crate::front::{Front, Shedding};
pub(crate) use body::{Answering, Arriving};
use connections::Connections;
use held::Ending;
pub(crate) use held::Held;
pub(crate) use wire::Refuse;
use wire::Wire;

/// Limits of the server.
#[derive(Debug, Clone)]
pub struct ServerLimits {
    /// Time to send the headers of a request; also how long a connection may idle between requests.
    pub header_timeout: Duration,
    /// Time to handle a request, from when its body is there, before it ends with a 503.
    pub request_timeout: Duration,
    /// Time a client may leave an answer unread before its connection is closed.
    pub write_timeout: Duration,
    /// Connections at once; beyond it the one that is idle the longest is closed.
    pub connections_max: usize,
    /// Requests of one address that are not complete, or whose answers are not read; beyond it the oldest is closed.
    pub unfinished_per_address_max: usize,
    /// Bytes of all request bodies that are in memory; beyond it the oldest unfinished one of whoever sends most is closed.
    pub bodies_bytes_max: usize,
    /// Most bytes of a request's line and headers that are buffered before hyper refuses them; at least 8 KiB.
    pub head_buffer_bytes: usize,
    /// Requests at once; further ones get a 503 at once.
    pub requests_in_flight_max: usize,
    /// Time at shutdown in which new requests are still answered, each with `Connection: close`.
    pub drain: Duration,
    /// Time that running requests have after that.
    pub shutdown_grace: Duration,
}

impl Default for ServerLimits {
    fn default() -> Self {
        Self {
            header_timeout: Duration::from_secs(10),
            request_timeout: Duration::from_secs(10),
            write_timeout: Duration::from_secs(30),
            connections_max: 4096,
            unfinished_per_address_max: 128,
            bodies_bytes_max: 64 * 1024 * 1024,
            head_buffer_bytes: 96 * 1024,
            requests_in_flight_max: 512,
            drain: Duration::from_secs(2),
            shutdown_grace: Duration::from_secs(10),
        }
    }
}

/// Least bytes that hyper takes for its buffer.
const HEAD_BUFFER_BYTES_MIN: usize = 8 * 1024;
/// Wait after an accept that failed for want of descriptors.
const ACCEPT_BACKOFF: Duration = Duration::from_millis(5);
/// How often is looked whether a connection that was told to end has made room.
const ROOM_LOOK: Duration = Duration::from_millis(10);
/// A service that ends does so early when nobody was connected for so long: who was told to go may come back for another request.
const NOBODY_CAME: Duration = Duration::from_millis(100);
/// Time at the end that a connection has for its first request, which may be under way.
const FIRST_REQUEST: Duration = Duration::from_millis(500);
/// How often is looked whether all connections have ended.
const ENDED_LOOK: Duration = Duration::from_millis(5);

/// Serves until `shutdown`, then answers what comes for a while, and finishes what runs.
pub async fn serve(listener: TcpListener, desk: Arc<Desk>, limits: ServerLimits, shutdown: CancellationToken) {
    let shedding = Shedding::new(limits.requests_in_flight_max, limits.request_timeout);
    let front = Arc::new(Front::new(Arc::clone(&desk), Some(shedding), shutdown.clone()));
    let refuse = {
        let front = Arc::clone(&front);
        Arc::new(move |status| front.refusal(status)) as Arc<Refuse>
    };
    let proxies = Arc::clone(&desk);
    let server = Server {
        connections: Connections::new(&limits, Some(desk.metrics.closed.clone())),
        places: Arc::new(Semaphore::new(limits.connections_max.max(1))),
        is_proxy: Box::new(move |peer| crate::limits::is_proxy(&proxies.settings, peer)),
        refuse: Some(refuse),
        limits,
    };
    server.run(listener, |peer, held| front.service(peer, held), shutdown).await;
}

/// The same for any routes, without shedding: benchmarks compare with a constant answer on the same accept loop.
pub async fn serve_router(listener: TcpListener, router: Router, limits: ServerLimits, shutdown: CancellationToken) {
    let server = Server {
        connections: Connections::new(&limits, None::<IntCounterVec>),
        places: Arc::new(Semaphore::new(limits.connections_max.max(1))),
        is_proxy: Box::new(|_| false),
        refuse: None,
        limits,
    };
    server.run(listener, |peer, held| service(router.clone(), peer, held), shutdown).await;
}

/// What accepts connections and ends them.
struct Server {
    connections: Arc<Connections>,
    /// One for each connection that may be open.
    places: Arc<Semaphore>,
    is_proxy: Box<dyn Fn(IpAddr) -> bool + Send + Sync>,
    refuse: Option<Arc<Refuse>>,
    limits: ServerLimits,
}

impl Server {
    async fn run<S>(
        self,
        listener: TcpListener,
        service: impl Fn(SocketAddr, Arc<Held>) -> S,
        shutdown: CancellationToken,
    ) where
        S: hyper::service::Service<http::Request<Incoming>, Response = http::Response<Answering>, Error = Infallible>
            + Send
            + 'static,
        S::Future: Send + 'static,
    {
        let drained = async {
            shutdown.cancelled().await;
            self.drained().await;
        };
        tokio::pin!(drained);
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                () = &mut drained => break,
            };
            match accepted {
                Ok((stream, peer)) => self.take(stream, peer, &service).await,
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted; the longest idle ones are closed");
                    self.connections.make_room();
                    tokio::time::sleep(ACCEPT_BACKOFF).await;
                }
            }
        }
        // Who is connected already and waits in the queue of the system is answered too. Asked of the system itself: the runtime may not
        // know yet that somebody waits.
        if let Ok(listener) = listener.into_std() {
            while let Ok((stream, peer)) = listener.accept() {
                if let Ok(stream) = stream.set_nonblocking(true).and_then(|()| TcpStream::from_std(stream)) {
                    self.take(stream, peer, &service).await;
                }
            }
        }
        self.connections.end_used();
        let ended = async {
            if tokio::time::timeout(FIRST_REQUEST, self.all_ended()).await.is_err() {
                self.connections.end_unused();
                self.all_ended().await;
            }
        };
        if tokio::time::timeout(self.limits.shutdown_grace, ended).await.is_err() {
            tracing::warn!("some requests were still running when the grace time ended");
            self.connections.end_all();
        }
    }

    /// Waits until every connection was told, by an answer, that it is the last, and none came anew, but no longer than the time for it.
    async fn drained(&self) {
        let nobody = async {
            self.all_ended().await;
            while tokio::time::timeout(NOBODY_CAME, self.some_open()).await.is_ok() {
                self.all_ended().await;
            }
        };
        let _ = tokio::time::timeout(self.limits.drain, nobody).await;
    }

    async fn some_open(&self) {
        while self.connections.count() == 0 {
            tokio::time::sleep(ENDED_LOOK).await;
        }
    }

    async fn all_ended(&self) {
        while self.connections.count() > 0 {
            tokio::time::sleep(ENDED_LOOK).await;
        }
    }

    /// Serves a connection on a task of its own, as soon as there is a place for it.
    async fn take<S>(&self, stream: TcpStream, peer: SocketAddr, service: impl Fn(SocketAddr, Arc<Held>) -> S)
    where
        S: hyper::service::Service<http::Request<Incoming>, Response = http::Response<Answering>, Error = Infallible>
            + Send
            + 'static,
        S::Future: Send + 'static,
    {
        let place = self.place().await;
        // Answers are written whole; waiting to fill packets only delays them.
        let _ = stream.set_nodelay(true);
        let held = self.connections.open(peer.ip(), (self.is_proxy)(peer.ip()));
        let wire = Wire::new(stream, Arc::clone(&held), self.refuse.clone(), self.limits.write_timeout);
        let connection = hyper::server::conn::http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.limits.header_timeout)
            .max_buf_size(self.limits.head_buffer_bytes.max(HEAD_BUFFER_BYTES_MIN))
            .serve_connection(TokioIo::new(wire), service(peer, Arc::clone(&held)));
        let connections = Arc::clone(&self.connections);
        tokio::spawn(async move {
            let _place = place;
            conduct(connection, &held).await;
            connections.closed(&held);
        });
    }

    /// A place for one more connection; who is idle the longest makes it, if there is none.
    async fn place(&self) -> Option<OwnedSemaphorePermit> {
        loop {
            match Arc::clone(&self.places).try_acquire_owned() {
                Ok(place) => return Some(place),
                Err(tokio::sync::TryAcquireError::Closed) => return None,
                Err(tokio::sync::TryAcquireError::NoPermits) => self.connections.make_room(),
            }
            let place = Arc::clone(&self.places).acquire_owned();
            if let Ok(place) = tokio::time::timeout(ROOM_LOOK, place).await {
                return place.ok();
            }
        }
    }
}

/// Sees a connection through to its end, or to when it is told to end.
async fn conduct<S>(mut connection: hyper::server::conn::http1::Connection<TokioIo<Wire<TcpStream>>, S>, held: &Held)
where
    S: hyper::service::Service<http::Request<Incoming>, Response = http::Response<Answering>, Error = Infallible>
        + Send
        + 'static,
    S::Future: Send + 'static,
{
    let ended = loop {
        tokio::select! {
            ended = &mut connection => break ended,
            ending = held.told_to_end() => match ending {
                Ending::None => {}
                Ending::InOrder => Pin::new(&mut connection).graceful_shutdown(),
                Ending::AtOnce => return,
            }
        }
    };
    let mut wire = connection.into_parts().io.into_inner();
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended with an error");
        if error.is_timeout() {
            wire.refuse_late_headers().await;
        }
    }
    wire.linger().await;
}

/// The router for one connection, which tells it the peer's address.
fn service(
    router: Router,
    peer: SocketAddr,
    held: Arc<Held>,
) -> TowerToHyperService<
    impl tower::Service<
        http::Request<Incoming>,
        Response = http::Response<Answering>,
        Error = Infallible,
        Future = impl Send,
    > + Clone,
> {
    TowerToHyperService::new(tower::service_fn(move |mut request: http::Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        held.headers_came(None);
        let (router, held) = (router.clone(), Arc::clone(&held));
        let request = request.map(|body| Arriving::of(body, &held));
        async move { router.oneshot(request).await.map(|response| Answering::of(response, &held)) }
    }))
}
