//! The middleware that every request passes, in this order: request validation, authentication and rate limit, response cache, request
//! body, load shedding, and its route, in the worker pool if it is expensive; then the headers that every response gets, metrics and log.
//!
//! It is one pipeline of plain functions instead of a stack of tower layers: `docs/adr/0007-own-http-front.md`.

mod load_shedding;
mod preflight;
mod request_context;
mod request_metrics;
mod response_headers;
mod validation;

use std::net::{IpAddr, SocketAddr};
use std::ops::ControlFlow;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, Request};
use axum::response::Response;
use bytes::Bytes;
use futures::FutureExt;
use futures::future::{BoxFuture, Either, Ready, ready};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use http_body::Body as _;
use tokio_util::sync::CancellationToken;

use crate::http::authentication::{Identified, identify};
use crate::http::caller::Caller;
use crate::http::problem::Problem;
use crate::http::request::ApiRequest;
use crate::http::response::cached_detail;
use crate::http::scoped_path::ScopedPath;
use crate::mcp;
use crate::pages;
use crate::policy::cors;
use crate::routes::{self, Route, RouteCost};
use crate::state::AppState;
use crate::state::rate_counter::{RateDecision, RateTaken};
pub(crate) use load_shedding::LoadShedding;
use request_context::{Logged, RequestContext};
use request_metrics::RequestMetrics;

/// All paths of the service as an axum router, for tests and for nesting. [`crate::serve`] works without it.
pub fn router(state: Arc<AppState>) -> Router {
    let pipeline = Arc::new(Pipeline::new(state, None, CancellationToken::new()));
    Router::new().fallback(move |request: Request| {
        let pipeline = Arc::clone(&pipeline);
        async move {
            let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|peer| peer.0.ip());
            pipeline.answer(peer, request).await
        }
    })
}

/// The middleware and the routes over one application state.
pub(crate) struct Pipeline {
    pub(crate) state: Arc<AppState>,
    metrics: RequestMetrics,
    load_shedding: Option<LoadShedding>,
    /// The service is shutting down: each response is the last of its connection.
    shutdown: CancellationToken,
}

/// A request that passed the checks that are made at once.
enum CheckedRequest {
    /// It may be answered.
    Admitted(AdmittedCaller),
    /// A shared counter still decides whether it may.
    Counting(Identified, BoxFuture<'static, RateDecision>),
}

/// A caller whose request may be answered, with the headers of the rate limit that it was counted against.
type AdmittedCaller = (Caller, HeaderMap);

/// Requests that the checks answer need no boxed future.
type Answer = Either<Ready<Response>, BoxFuture<'static, Response>>;

impl Pipeline {
    pub(crate) fn new(state: Arc<AppState>, load_shedding: Option<LoadShedding>, shutdown: CancellationToken) -> Self {
        mcp::offer_tools(&state.metrics);
        let metrics = RequestMetrics::new(&state.metrics);
        Self { state, metrics, load_shedding, shutdown }
    }

    /// The response to bytes that could not be parsed as a request. It ends its connection.
    pub(crate) fn refuse_malformed(&self, peer: IpAddr, status: StatusCode) -> Response {
        let problem = validation::malformed_request(&self.state.settings, status);
        let (context, none) = (RequestContext::of_malformed(&self.state.settings, peer), HeaderMap::new());
        let mut response = self.finish(context, &Method::GET, &none, &Uri::default(), Err(problem));
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        response
    }

    /// Answers one request.
    pub(crate) fn answer(self: &Arc<Self>, peer: Option<IpAddr>, request: Request) -> Answer {
        let (parts, body) = request.into_parts();
        let context = RequestContext::new(&self.state.settings, peer, &parts);
        let checked = std::panic::catch_unwind(AssertUnwindSafe(|| self.check(peer, &parts, &context)));
        let checked = match checked.unwrap_or_else(|_| ControlFlow::Break(Err(self.panicked(&context)))) {
            ControlFlow::Break(outcome) => {
                return ready(self.finish(context, &parts.method, &parts.headers, &parts.uri, outcome)).left_future();
            }
            ControlFlow::Continue(checked) => checked,
        };
        let (pipeline, method, uri) = (Arc::clone(self), parts.method.clone(), parts.uri.clone());
        let origin = cors::origin_headers(&parts.headers);
        let answer = async move {
            let handled = AssertUnwindSafe(pipeline.go_on(&context, checked, parts, body)).catch_unwind().await;
            let outcome = handled.unwrap_or_else(|_| Err(pipeline.panicked(&context)));
            pipeline.finish(context, &method, &origin, &uri, outcome)
        };
        answer.boxed().right_future()
    }

    /// Everything that needs neither the body nor the route: validates the request, identifies the caller and counts the request. A
    /// preflight request and a cached answer end here.
    fn check(
        &self,
        peer: Option<IpAddr>,
        parts: &Parts,
        context: &RequestContext,
    ) -> ControlFlow<Result<Response, Problem>, CheckedRequest> {
        let refused = validation::refuse(&self.state, parts);
        if let Some(problem) = refused.or_else(|| validation::not_serving(&self.state, context.route)) {
            return ControlFlow::Break(Err(problem));
        }
        if parts.method == Method::OPTIONS {
            return ControlFlow::Break(Ok(preflight::answer(&self.state, parts)));
        }
        let identified = match identify(&self.state, peer, parts, context.route.is_some_and(|route| route.is_page)) {
            Ok(identified) => identified,
            Err(problem) => return ControlFlow::Break(Err(problem)),
        };
        if let Some(logged) = &context.logged {
            // A request is identified once.
            let _ = logged.caller.set(identified.caller.to_string());
        }
        let decision = match identified.take(&self.state) {
            None => None,
            Some(RateTaken::Now(decision)) => Some(decision),
            Some(RateTaken::Later(decision)) => {
                return ControlFlow::Continue(CheckedRequest::Counting(identified, decision));
            }
        };
        self.admit(identified, decision, parts).map_continue(CheckedRequest::Admitted)
    }

    /// Goes on with a request that is counted: refuses it, or answers it from the cache, or hands it on.
    fn admit(
        &self,
        identified: Identified,
        decision: Option<RateDecision>,
        parts: &Parts,
    ) -> ControlFlow<Result<Response, Problem>, AdmittedCaller> {
        let (caller, rate_limit) = match identified.admit(&self.state, decision) {
            Ok(admitted) => admitted,
            Err(problem) => return ControlFlow::Break(Err(problem)),
        };
        match cached_detail(&self.state, caller.has_key(), parts) {
            Some(cached) => ControlFlow::Break(Ok(with_headers(cached, rate_limit))),
            None => ControlFlow::Continue((caller, rate_limit)),
        }
    }

    /// Waits for the decision of a shared counter where there is one, reads the body of an MCP message, and runs the handler of the route.
    async fn go_on(
        &self,
        context: &RequestContext,
        checked: CheckedRequest,
        parts: Parts,
        body: Body,
    ) -> Result<Response, Problem> {
        let (caller, rate_limit) = match checked {
            CheckedRequest::Admitted(admitted) => admitted,
            CheckedRequest::Counting(identified, decision) => {
                match self.admit(identified, Some(decision.await), &parts) {
                    ControlFlow::Continue(admitted) => admitted,
                    ControlFlow::Break(outcome) => return outcome,
                }
            }
        };
        let answer = async {
            let shorter = routes::without_slash(parts.uri.path());
            if let Some(moved) = shorter.and_then(|path| pages::moved(&self.state.settings, path, &parts.uri)) {
                return Ok(moved);
            }
            let Some(route) = context.route else {
                let ScopedPath { collection, path } = ScopedPath::from_uri(&parts.uri);
                let base = collection.map(|id| format!("/c/{id}")).unwrap_or_default();
                let near = routes::near(path).map(|path| format!("{base}{path}"));
                return Err(near.map_or_else(Problem::unknown_endpoint, Problem::unknown_endpoint_near));
            };
            let request = ApiRequest::new(&self.state, caller, parts, route.is_page)?;
            // The body is read before a permit is taken: a slow client must not use up one.
            let body = match route.cost {
                RouteCost::Message => match mcp::read_body(&request, body).await {
                    Ok(body) => body,
                    Err(refused) => return Ok(refused),
                },
                _ => Bytes::new(),
            };
            self.run(route, request, body).await
        };
        match answer.await {
            Ok(response) => Ok(with_headers(response, rate_limit)),
            Err(mut problem) => {
                problem.headers.extend(rate_limit);
                Err(problem)
            }
        }
    }

    /// Runs a handler where its cost puts it, within the limits of load shedding.
    async fn run(&self, route: &'static Route, request: ApiRequest, body: Bytes) -> Result<Response, Problem> {
        let permit = match &self.load_shedding {
            Some(limits) => limits.permit(route).inspect_err(|_| self.state.metrics.serving.shed.inc())?,
            None => None,
        };
        let is_expensive = route.cost.is_high(&request);
        let answer = async move {
            // Held until the request has really ended, also when nobody waits for it any more.
            let _permit = permit;
            route.answer(request, body).await
        };
        let answer = if is_expensive {
            self.state
                .worker_pool
                .run(answer)
                .map(|ended| ended.unwrap_or_else(|error| Err(error.into())))
                .left_future()
        } else {
            answer.right_future()
        };
        match &self.load_shedding {
            Some(limits) => limits.in_time(answer).await,
            None => answer.await,
        }
    }

    /// The response as it goes out: with its headers, counted and logged. `headers` has the origin of the request.
    fn finish(
        &self,
        context: RequestContext,
        method: &Method,
        headers: &HeaderMap,
        uri: &Uri,
        outcome: Result<Response, Problem>,
    ) -> Response {
        let mut response = outcome.unwrap_or_else(|problem| {
            if let Some(cause) = &problem.cause {
                tracing::error!(request_id = context.id_text(), code = problem.code.as_str(), %cause, "a request failed");
            }
            if context.prefers_page {
                pages::problem_page(&self.state.settings, uri.path(), problem, context.id_text())
            } else {
                response_headers::problem_response(problem, uri, context.id_text())
            }
        });
        if *method == Method::HEAD {
            remove_body(&mut response);
        }
        let status = response.status().as_u16();
        let seconds = context.started.elapsed().as_secs_f64();
        self.metrics.count(&self.state.metrics, context.route, status, seconds);
        log_access(&context, method, uri, &response, seconds);
        response_headers::add(&self.state.policies, &mut response, headers, context.id);
        if self.shutdown.is_cancelled() {
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }

    fn panicked(&self, context: &RequestContext) -> Problem {
        self.state.metrics.serving.panics.inc();
        tracing::error!(request_id = context.id_text(), "a request panicked");
        Problem::internal()
    }
}

/// A line of the access log. What was asked for is never in it: the query stays out, and who asked is named only where the setting
/// `access_log` says so.
fn log_access(context: &RequestContext, method: &Method, uri: &Uri, response: &Response, seconds: f64) {
    let (status, micros) = (response.status().as_u16(), (seconds * 1e6) as u64);
    let (path, request_id) = (uri.path(), context.id_text());
    let Some(Logged { address, caller, agent }) = &context.logged else {
        tracing::info!(target: "access", %method, path, status, micros, request_id);
        return;
    };
    // One that is refused before it is identified has only its address.
    let caller = caller.get().unwrap_or(address);
    // What is written while it is sent has no length yet.
    let bytes = response.body().size_hint().exact();
    tracing::info!(target: "access", %method, path, status, micros, request_id, caller, bytes, agent);
}

fn with_headers(mut response: Response, headers: HeaderMap) -> Response {
    if !headers.is_empty() {
        response.headers_mut().extend(headers);
    }
    response
}

/// Turns the answer to a GET into the answer to a HEAD: without the body, with its length. A 304 has none: the length that it would tell is
/// that of the 200 (RFC 9110, 8.6), and a cache would take it over.
fn remove_body(response: &mut Response) {
    let body = std::mem::replace(response.body_mut(), Body::empty());
    if response.status() == StatusCode::NOT_MODIFIED {
        return;
    }
    if let Some(bytes) = body.size_hint().exact() {
        response.headers_mut().entry(header::CONTENT_LENGTH).or_insert_with(|| HeaderValue::from(bytes));
    }
}
