//! What every request passes, in this order: the checks of [`guard`], shedding, the limits of [`limits`], what is kept of answers, its
//! route; and then what every answer gets. Plain functions and no stack of layers: a layer costs each request a boxed future and a copy of
//! the service below it.

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::ops::ControlFlow;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::response::Response;
use futures::FutureExt;
use futures::future::{BoxFuture, Either, Ready, ready};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, Request, StatusCode, Uri, header};
use http_body::Body as _;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::desk::Desk;
use crate::limits::Identified;
use crate::problem::Problem;
use crate::rest::Call;
use crate::routes::{self, Route};
use crate::{guard, limits, reply};

/// How long a client is asked to wait when the service is busy, in seconds.
const BUSY_RETRY_AFTER_SECS: u64 = 1;

/// The way in to a desk.
pub(crate) struct Front {
    desk: Arc<Desk>,
    shedding: Option<Shedding>,
}

/// How many requests run at once, and for how long.
pub(crate) struct Shedding {
    in_flight: Arc<Semaphore>,
    request_timeout: Duration,
}

impl Shedding {
    pub(crate) fn new(in_flight_max: usize, request_timeout: Duration) -> Self {
        Self { in_flight: Arc::new(Semaphore::new(in_flight_max)), request_timeout }
    }
}

/// What accompanies a request from its arrival to its answer.
struct Passage {
    started: Instant,
    id: HeaderValue,
    route: Option<&'static Route>,
}

impl Passage {
    fn of(parts: &Parts) -> Self {
        Self { started: Instant::now(), id: guard::request_id(&parts.headers), route: routes::find(parts.uri.path()) }
    }

    fn shown_id(&self) -> &str {
        self.id.to_str().unwrap_or_default()
    }
}

/// A request that may go on to its route.
struct Admitted {
    caller: Identified,
    /// Headers of the limit that it counted against.
    rate: HeaderMap,
    /// Its room among the requests that run.
    room: Option<OwnedSemaphorePermit>,
}

/// What ends at the door is answered without a future of its own.
type Answering = Either<Ready<Response>, BoxFuture<'static, Response>>;

impl Front {
    pub(crate) fn new(desk: Arc<Desk>, shedding: Option<Shedding>) -> Self {
        Self { desk, shedding }
    }

    /// The same as a service for one connection of hyper.
    pub(crate) fn service(
        self: &Arc<Self>,
        peer: SocketAddr,
    ) -> impl hyper::service::Service<
        Request<hyper::body::Incoming>,
        Response = Response,
        Error = Infallible,
        Future = impl Send + use<>,
    > + use<> {
        let front = Arc::clone(self);
        hyper::service::service_fn(move |request: Request<hyper::body::Incoming>| {
            // Most requests have no body, and boxing one costs an allocation.
            let body_of =
                |body: hyper::body::Incoming| if body.is_end_stream() { Body::empty() } else { Body::new(body) };
            front.answer(Some(peer.ip()), request.map(body_of)).map(Ok)
        })
    }

    /// Answers one request.
    pub(crate) fn answer(self: &Arc<Self>, peer: Option<IpAddr>, request: Request<Body>) -> Answering {
        let (parts, body) = request.into_parts();
        let passage = Passage::of(&parts);
        let at_door = std::panic::catch_unwind(AssertUnwindSafe(|| self.at_door(peer, &parts)));
        let admitted = match at_door.unwrap_or_else(|_| ControlFlow::Break(Err(self.panicked(&passage)))) {
            ControlFlow::Break(outcome) => {
                return ready(self.finished(passage, &parts.method, &parts.uri, outcome)).left_future();
            }
            ControlFlow::Continue(admitted) => admitted,
        };
        let (front, method, uri) = (Arc::clone(self), parts.method.clone(), parts.uri.clone());
        let inside = async move {
            let inside = AssertUnwindSafe(front.inside(&passage, admitted, parts, body)).catch_unwind().await;
            let outcome = inside.unwrap_or_else(|_| Err(front.panicked(&passage)));
            front.finished(passage, &method, &uri, outcome)
        };
        inside.boxed().right_future()
    }

    /// Refuses what must not come in, lets a request through while there is room, finds out who calls, and counts. What was answered
    /// before is answered here.
    fn at_door(&self, peer: Option<IpAddr>, parts: &Parts) -> ControlFlow<Result<Response, Problem>, Admitted> {
        if let Some(problem) = guard::refused(&self.desk, parts) {
            return ControlFlow::Break(Err(problem));
        }
        if parts.method == Method::OPTIONS {
            return ControlFlow::Break(Ok(guard::preflight(parts.uri.path())));
        }
        let Ok(room) =
            self.shedding.as_ref().map(|shedding| shedding.in_flight.clone().try_acquire_owned()).transpose()
        else {
            self.desk.metrics.shed.inc();
            return ControlFlow::Break(Err(busy("too many requests are running")));
        };
        let (caller, rate) = match limits::admit(&self.desk, peer, parts) {
            Ok(admitted) => admitted,
            Err(problem) => return ControlFlow::Break(Err(problem)),
        };
        match reply::kept_detail(&self.desk, caller.keyed(), parts) {
            Some(kept) => ControlFlow::Break(Ok(with_rate(kept, rate))),
            None => ControlFlow::Continue(Admitted { caller, rate, room }),
        }
    }

    /// Answers by the route, and ends a request that takes too long.
    async fn inside(
        &self,
        passage: &Passage,
        admitted: Admitted,
        parts: Parts,
        body: Body,
    ) -> Result<Response, Problem> {
        let Admitted { caller, rate, room: _room } = admitted;
        let answer = async {
            match passage.route {
                Some(route) => (route.handler)(Call::new(&self.desk, caller, parts), body).await,
                None => Err(Problem::unknown_endpoint()),
            }
        };
        let answer = match &self.shedding {
            Some(shedding) => tokio::time::timeout_at((passage.started + shedding.request_timeout).into(), answer)
                .await
                .unwrap_or_else(|_| Err(busy("the request took too long"))),
            None => answer.await,
        };
        match answer {
            Ok(response) => Ok(with_rate(response, rate)),
            Err(mut problem) => {
                problem.headers.extend(rate);
                Err(problem)
            }
        }
    }

    /// The answer as it goes out, counted and logged.
    fn finished(&self, passage: Passage, method: &Method, uri: &Uri, outcome: Result<Response, Problem>) -> Response {
        let mut response = outcome.unwrap_or_else(|problem| {
            if let Some(cause) = &problem.cause {
                tracing::error!(request_id = passage.shown_id(), code = problem.code, %cause, "a request failed");
            }
            guard::written(problem, uri, passage.shown_id())
        });
        if *method == Method::HEAD {
            leave_out_body(&mut response);
        }
        let status = response.status().as_u16();
        let seconds = passage.started.elapsed().as_secs_f64();
        self.desk.metrics.request(passage.route, status, seconds);
        tracing::info!(target: "access", %method, path = uri.path(), status, micros = (seconds * 1e6) as u64, request_id = passage.shown_id());
        guard::finish(&mut response, passage.id);
        response
    }

    fn panicked(&self, passage: &Passage) -> Problem {
        self.desk.metrics.panicked();
        tracing::error!(request_id = passage.shown_id(), "a request panicked");
        Problem::internal()
    }
}

fn with_rate(mut response: Response, rate: HeaderMap) -> Response {
    if !rate.is_empty() {
        response.headers_mut().extend(rate);
    }
    response
}

fn busy(why: &str) -> Problem {
    let detail = format!("The service is busy: {why}.");
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, "busy", "service busy", detail)
        .hint("Try again after the time in Retry-After.")
        .with("retry_after_seconds", BUSY_RETRY_AFTER_SECS)
        .header(header::RETRY_AFTER, HeaderValue::from(BUSY_RETRY_AFTER_SECS))
}

/// The answer to HEAD: the head of the GET, with the length of its body.
fn leave_out_body(response: &mut Response) {
    let body = std::mem::replace(response.body_mut(), Body::empty());
    if let Some(bytes) = body.size_hint().exact() {
        response.headers_mut().entry(header::CONTENT_LENGTH).or_insert_with(|| HeaderValue::from(bytes));
    }
}
