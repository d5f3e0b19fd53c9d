//! What every request passes, in this order: the checks of [`guard`], shedding, the limits of [`limits`], its route; and then what every
//! answer gets. One function and no stack of layers: a layer costs each request a boxed future and a copy of the service below it.

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::response::Response;
use futures::FutureExt;
use http::request::Parts;
use http::{HeaderValue, Method, Request, StatusCode, header};
use http_body::Body as _;
use tokio::sync::Semaphore;

use crate::desk::Desk;
use crate::problem::Problem;
use crate::rest::Call;
use crate::routes::{self, Route};
use crate::{guard, limits};

/// How long a client is asked to wait when the service is busy, in seconds.
const BUSY_RETRY_AFTER_SECS: u64 = 1;

/// The way in to a desk.
pub(crate) struct Front {
    desk: Arc<Desk>,
    shedding: Option<Shedding>,
}

/// How many requests run at once, and for how long.
pub(crate) struct Shedding {
    in_flight: Semaphore,
    request_timeout: Duration,
}

impl Shedding {
    pub(crate) fn new(in_flight_max: usize, request_timeout: Duration) -> Self {
        Self { in_flight: Semaphore::new(in_flight_max), request_timeout }
    }
}

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
            let front = Arc::clone(&front);
            async move {
                // Most requests have no body, and boxing one costs an allocation.
                let body_of = |body: hyper::body::Incoming| {
                    if body.is_end_stream() { Body::empty() } else { Body::new(body) }
                };
                Ok(front.answer(Some(peer.ip()), request.map(body_of)).await)
            }
        })
    }

    /// Answers one request.
    pub(crate) async fn answer(&self, peer: Option<IpAddr>, request: Request<Body>) -> Response {
        let started = Instant::now();
        let (parts, body) = request.into_parts();
        let id = guard::request_id(&parts.headers);
        let shown_id = || id.to_str().unwrap_or_default();
        let (method, uri) = (parts.method.clone(), parts.uri.clone());
        let route = routes::find(uri.path());
        let outcome = match guard::refused(&self.desk, &parts) {
            Some(problem) => Err(problem),
            None if method == Method::OPTIONS => Ok(guard::preflight(uri.path())),
            None => {
                let run = self.run(started, route, peer, parts, body);
                AssertUnwindSafe(run).catch_unwind().await.unwrap_or_else(|_| {
                    self.desk.metrics.panicked();
                    tracing::error!(request_id = shown_id(), "a request panicked");
                    Err(Problem::internal())
                })
            }
        };
        let mut response = outcome.unwrap_or_else(|problem| {
            if let Some(cause) = &problem.cause {
                tracing::error!(request_id = shown_id(), code = problem.code, %cause, "a request failed");
            }
            guard::written(problem, &uri, shown_id())
        });
        guard::finish(&mut response, &id);
        if method == Method::HEAD {
            leave_out_body(&mut response);
        }
        let status = response.status().as_u16();
        let seconds = started.elapsed().as_secs_f64();
        self.desk.metrics.request(route.map_or("none", |route| route.template), status, seconds);
        tracing::info!(target: "access", %method, path = uri.path(), status, micros = (seconds * 1e6) as u64, request_id = shown_id());
        response
    }

    /// Lets a request through while there is room, and ends it when it takes too long.
    async fn run(
        &self,
        started: Instant,
        route: Option<&Route>,
        peer: Option<IpAddr>,
        parts: Parts,
        body: Body,
    ) -> Result<Response, Problem> {
        let Some(shedding) = &self.shedding else { return self.admitted(route, peer, parts, body).await };
        let Ok(_permit) = shedding.in_flight.try_acquire() else {
            self.desk.metrics.shed.inc();
            return Err(busy("too many requests are running"));
        };
        let deadline = started + shedding.request_timeout;
        let answered = tokio::time::timeout_at(deadline.into(), self.admitted(route, peer, parts, body)).await;
        answered.unwrap_or_else(|_| Err(busy("the request took too long")))
    }

    /// Finds out who calls, counts, and answers by the route.
    async fn admitted(
        &self,
        route: Option<&Route>,
        peer: Option<IpAddr>,
        parts: Parts,
        body: Body,
    ) -> Result<Response, Problem> {
        let (caller, rate) = limits::admit(&self.desk, peer, &parts)?;
        let answer = match route {
            Some(route) => (route.handler)(Call::new(&self.desk, caller, parts), body).await,
            None => Err(Problem::unknown_endpoint()),
        };
        match answer {
            Ok(mut response) => {
                response.headers_mut().extend(rate);
                Ok(response)
            }
            Err(mut problem) => {
                problem.headers.extend(rate);
                Err(problem)
            }
        }
    }
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
