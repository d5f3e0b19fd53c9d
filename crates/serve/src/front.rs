//! What every request passes, in this order: the checks of [`guard`], the limits of [`limits`], what is kept of answers, its body,
//! shedding, its route, in the [`crate::workroom`] if it may be costly; and then what every answer gets. Plain functions and no stack of
//! layers: a layer costs each request a boxed future and a copy of the service below it.

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::ops::ControlFlow;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use futures::FutureExt;
use futures::future::{BoxFuture, Either, Ready, ready};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, Request, StatusCode, Uri, header};
use http_body::Body as _;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use crate::desk::Desk;
use crate::limits::Identified;
use crate::problem::{Code, Problem};
use crate::rest::Call;
use crate::routes::{self, Cost, Route};
use crate::server::{self, Held};
use crate::{cors, guard, limits, mcp, reply};

/// How long a client is asked to wait when the service is busy, in seconds.
const BUSY_RETRY_AFTER_SECS: u64 = 1;

/// The way in to a desk.
pub(crate) struct Front {
    desk: Arc<Desk>,
    shedding: Option<Shedding>,
    /// The service is about to end: each answer is the last of its connection.
    ending: CancellationToken,
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
}

/// What ends at the door is answered without a future of its own.
type Answer = Either<Ready<Response>, BoxFuture<'static, Response>>;

impl Front {
    pub(crate) fn new(desk: Arc<Desk>, shedding: Option<Shedding>, ending: CancellationToken) -> Self {
        Self { desk, shedding, ending }
    }

    /// The same as a service for one connection of hyper.
    pub(crate) fn service(
        self: &Arc<Self>,
        peer: SocketAddr,
        held: Arc<Held>,
    ) -> impl hyper::service::Service<
        Request<hyper::body::Incoming>,
        Response = http::Response<server::Answering>,
        Error = Infallible,
        Future = impl Send + use<>,
    > + use<> {
        let front = Arc::clone(self);
        hyper::service::service_fn(move |request: Request<hyper::body::Incoming>| {
            let settings = &front.desk.settings;
            let by_proxy = limits::is_proxy(settings, peer.ip());
            held.headers_came(by_proxy.then(|| limits::client_of(settings, peer.ip(), request.headers())));
            let (request, held) = (request.map(|body| server::Arriving::of(body, &held)), Arc::clone(&held));
            front.answer(Some(peer.ip()), request).map(move |response| Ok(server::Answering::of(response, &held)))
        })
    }

    /// The whole answer to what was no request, as it goes over the wire.
    pub(crate) fn refusal(&self, status: StatusCode) -> Vec<u8> {
        let passage = Passage { started: Instant::now(), id: guard::request_id(&HeaderMap::new()), route: None };
        let problem = guard::unreadable(&self.desk.settings, status);
        let mut response = self.finished(passage, &Method::GET, &HeaderMap::new(), &Uri::default(), Err(problem));
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        guard::on_the_wire(response)
    }

    /// Answers one request.
    pub(crate) fn answer(self: &Arc<Self>, peer: Option<IpAddr>, request: Request<Body>) -> Answer {
        let (parts, body) = request.into_parts();
        let passage = Passage::of(&parts);
        let at_door = std::panic::catch_unwind(AssertUnwindSafe(|| self.at_door(peer, &parts)));
        let admitted = match at_door.unwrap_or_else(|_| ControlFlow::Break(Err(self.panicked(&passage)))) {
            ControlFlow::Break(outcome) => {
                return ready(self.finished(passage, &parts.method, &parts.headers, &parts.uri, outcome)).left_future();
            }
            ControlFlow::Continue(admitted) => admitted,
        };
        let (front, method, uri) = (Arc::clone(self), parts.method.clone(), parts.uri.clone());
        let origins = cors::origins_of(&parts.headers);
        let inside = async move {
            let inside = AssertUnwindSafe(front.inside(&passage, admitted, parts, body)).catch_unwind().await;
            let outcome = inside.unwrap_or_else(|_| Err(front.panicked(&passage)));
            front.finished(passage, &method, &origins, &uri, outcome)
        };
        inside.boxed().right_future()
    }

    /// Refuses what must not come in, finds out who calls, and counts. What was answered before is answered here.
    fn at_door(&self, peer: Option<IpAddr>, parts: &Parts) -> ControlFlow<Result<Response, Problem>, Admitted> {
        if let Some(problem) = guard::refused(&self.desk, parts) {
            return ControlFlow::Break(Err(problem));
        }
        if parts.method == Method::OPTIONS {
            return ControlFlow::Break(Ok(guard::preflight(&self.desk, parts)));
        }
        let (caller, rate) = match limits::admit(&self.desk, peer, parts) {
            Ok(admitted) => admitted,
            Err(problem) => return ControlFlow::Break(Err(problem)),
        };
        match reply::kept_detail(&self.desk, caller.keyed(), parts) {
            Some(kept) => ControlFlow::Break(Ok(with_rate(kept, rate))),
            None => ControlFlow::Continue(Admitted { caller, rate }),
        }
    }

    /// Takes the body, and answers by the route while there is room.
    async fn inside(
        &self,
        passage: &Passage,
        admitted: Admitted,
        parts: Parts,
        body: Body,
    ) -> Result<Response, Problem> {
        let Admitted { caller, rate } = admitted;
        let answer = async {
            let Some(route) = passage.route else { return Err(Problem::unknown_endpoint()) };
            let call = Call::new(&self.desk, caller, parts);
            // Who is slow to send takes no room from others.
            let body = match route.cost {
                Cost::Message => match mcp::received(&call, body).await {
                    Ok(body) => body,
                    Err(refused) => return Ok(refused),
                },
                _ => Bytes::new(),
            };
            self.answered_by(route, call, body).await
        };
        match answer.await {
            Ok(response) => Ok(with_rate(response, rate)),
            Err(mut problem) => {
                problem.headers.extend(rate);
                Err(problem)
            }
        }
    }

    /// Answers by the route, and ends a request that takes too long. Its room among those that run is its own until it has really ended.
    async fn answered_by(&self, route: &'static Route, call: Call, body: Bytes) -> Result<Response, Problem> {
        let Some(room) = self.room(route) else {
            self.desk.metrics.shed.inc();
            return Err(busy("too many requests are running"));
        };
        let costly = route.cost.is_high(&call);
        let answer = async move {
            let _room = room;
            (route.handler)(call, body).await
        };
        let answer = if costly {
            let run = self.desk.workroom.run(AssertUnwindSafe(answer).catch_unwind());
            run.map(|ended| match ended {
                Some(Ok(outcome)) => outcome,
                Some(Err(panicked)) => std::panic::resume_unwind(panicked),
                None => Err(Problem::internal().because("the request was ended")),
            })
            .left_future()
        } else {
            answer.right_future()
        };
        match &self.shedding {
            Some(shedding) => tokio::time::timeout(shedding.request_timeout, answer)
                .await
                .unwrap_or_else(|_| Err(busy("the request took too long"))),
            None => answer.await,
        }
    }

    /// Room for a request, if there is any. Probes and metrics need none: an orchestrator would end a desk that is only busy.
    #[expect(clippy::option_option, reason = "no room, room that needs no permit, and a permit")]
    fn room(&self, route: &Route) -> Option<Option<OwnedSemaphorePermit>> {
        match &self.shedding {
            Some(shedding) if route.cost != Cost::Probe => {
                shedding.in_flight.clone().try_acquire_owned().ok().map(Some)
            }
            _ => Some(None),
        }
    }

    /// The answer as it goes out, counted and logged.
    fn finished(
        &self,
        passage: Passage,
        method: &Method,
        headers: &HeaderMap,
        uri: &Uri,
        outcome: Result<Response, Problem>,
    ) -> Response {
        let mut response = outcome.unwrap_or_else(|problem| {
            if let Some(cause) = &problem.cause {
                tracing::error!(request_id = passage.shown_id(), code = problem.code.as_str(), %cause, "a request failed");
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
        guard::finish(&self.desk, &mut response, headers, passage.id);
        if self.ending.is_cancelled() {
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
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
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, Code::Busy, "service busy", detail)
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
