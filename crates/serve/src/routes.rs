//! The route table, top to bottom.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::{ConnectInfo, Request};
use axum::response::Response;
use bytes::Bytes;
use futures::future::BoxFuture;
use http::header;
use tokio_util::sync::CancellationToken;

use crate::desk::Desk;
use crate::front::Front;
use crate::mcp;
use crate::problem::Problem;
use crate::rest::{Call, catalog, frameworks, health, meta, record, search, sources};

/// Only MCP reads a body.
type Handler = fn(Call, Bytes) -> BoxFuture<'static, Result<Response, Problem>>;

/// What answering may cost, which decides where it is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cost {
    /// Next to nothing, and never refused for want of room.
    Probe,
    /// Far below a millisecond.
    Low,
    /// By the length of the question.
    Question,
    /// By what is asked of one item; without a question it is kept ready.
    Detail,
    /// By the number of rows and what is done to send them.
    Rows,
    /// By the length of a text.
    Text,
    /// By the message in the body.
    Message,
}

/// Longest question that is answered beside look-ups, in bytes: a long one costs a hundred times a short one.
const SHORT_QUESTION_BYTES_MAX: usize = 96;
/// The encoding that costs nothing.
const IDENTITY: &str = "identity";

impl Cost {
    /// Whether it may be too much to be done beside look-ups.
    pub(crate) fn is_high(self, call: &Call) -> bool {
        let query = call.uri.query().unwrap_or_default();
        match self {
            Self::Probe | Self::Low => false,
            Self::Question => query.len() > SHORT_QUESTION_BYTES_MAX || call.has("include_markdown"),
            // Rows lie ready in memory; what costs is to compress them.
            Self::Rows => is_compressed(call),
            Self::Detail => !query.is_empty() && is_compressed(call),
            Self::Text | Self::Message => true,
        }
    }
}

fn is_compressed(call: &Call) -> bool {
    call.headers.get(header::ACCEPT_ENCODING).is_some_and(|accepted| accepted != IDENTITY)
}

/// A path and what answers it.
pub(crate) struct Route {
    /// The path as metrics name it: `/v1/models/{*id}`. A tail in braces stands for one character or more.
    pub(crate) template: &'static str,
    /// Bytes of the template before the tail.
    fixed: usize,
    /// Bytes of the template to the end of the tail: what follows must end the path.
    tail_end: usize,
    pub(crate) cost: Cost,
    pub(crate) handler: Handler,
    /// Its place in the table.
    pub(crate) number: usize,
}

impl Route {
    const fn to(template: &'static str, cost: Cost, handler: Handler) -> Self {
        let mut fixed = 0;
        while fixed < template.len() && template.as_bytes()[fixed] != b'{' {
            fixed += 1;
        }
        let mut tail_end = fixed;
        while tail_end < template.len() && template.as_bytes()[tail_end] != b'}' {
            tail_end += 1;
        }
        let tail_end = if tail_end < template.len() { tail_end + 1 } else { tail_end };
        Self { template, fixed, tail_end, cost, handler, number: 0 }
    }

    fn fits(&self, path: &str) -> bool {
        let (template, path, fixed) = (self.template.as_bytes(), path.as_bytes(), self.fixed);
        let suffix = &template[self.tail_end..];
        let least = fixed + suffix.len();
        let long_enough = if fixed < template.len() { path.len() > least } else { path.len() == fixed };
        long_enough && path[..fixed] == template[..fixed] && path.ends_with(suffix)
    }
}

/// Number of the routes.
pub(crate) const COUNT: usize = 29;

/// The first that fits answers.
static ROUTES: [Route; COUNT] = numbered([
    Route::to("/v1/search", Cost::Question, |call, _| Box::pin(search::search(call))),
    Route::to("/v1/models/list", Cost::Rows, |call, _| Box::pin(catalog::list_models(call))),
    Route::to("/v1/models/{*id}", Cost::Detail, |call, _| Box::pin(catalog::get_model(call))),
    Route::to("/v1/tools/list", Cost::Rows, |call, _| Box::pin(catalog::list_tools(call))),
    Route::to("/v1/tools/{*id}", Cost::Detail, |call, _| Box::pin(catalog::get_tool(call))),
    Route::to("/v1/skills/list", Cost::Rows, |call, _| Box::pin(catalog::list_skills(call))),
    Route::to("/v1/skills/{*id}", Cost::Text, |call, _| Box::pin(catalog::get_skill(call))),
    Route::to("/v1/tutorials/list", Cost::Rows, |call, _| Box::pin(catalog::list_tutorials(call))),
    Route::to("/v1/tutorials/{*id}", Cost::Text, |call, _| Box::pin(catalog::get_tutorial(call))),
    Route::to("/v1/mcp-servers/list", Cost::Rows, |call, _| Box::pin(catalog::list_mcp_servers(call))),
    Route::to("/v1/mcp-servers/{*id}", Cost::Detail, |call, _| Box::pin(catalog::get_mcp_server(call))),
    Route::to("/v1/documents/list", Cost::Rows, |call, _| Box::pin(catalog::list_documents(call))),
    Route::to("/v1/documents/{*id}", Cost::Text, |call, _| Box::pin(catalog::get_document(call))),
    Route::to("/v1/evidence/{*key}/record", Cost::Text, |call, _| Box::pin(record::get_record(call))),
    Route::to("/v1/evidence/{*key}", Cost::Low, |call, _| Box::pin(catalog::get_evidence(call))),
    Route::to("/v1/frameworks/search", Cost::Question, |call, _| Box::pin(frameworks::search_frameworks(call))),
    Route::to("/v1/frameworks/route", Cost::Question, |call, _| Box::pin(frameworks::route_framework(call))),
    Route::to("/v1/frameworks/list", Cost::Rows, |call, _| Box::pin(frameworks::list_frameworks(call))),
    Route::to("/v1/frameworks/{*id}", Cost::Detail, |call, _| Box::pin(frameworks::get_framework(call))),
    Route::to("/v1/sources/status", Cost::Rows, |call, _| Box::pin(sources::sources_status(call))),
    Route::to("/mcp", Cost::Message, |call, body| Box::pin(mcp::endpoint(call, body))),
    Route::to("/health", Cost::Probe, |call, _| Box::pin(health::health(call))),
    Route::to("/livez", Cost::Probe, |call, _| Box::pin(health::livez(call))),
    Route::to("/readyz", Cost::Probe, |call, _| Box::pin(health::readyz(call))),
    Route::to("/version", Cost::Low, |call, _| Box::pin(health::version(call))),
    Route::to("/metrics", Cost::Probe, |call, _| Box::pin(health::metrics(call))),
    Route::to("/openapi.json", Cost::Text, |call, _| Box::pin(meta::openapi_json(call))),
    Route::to("/docs", Cost::Text, |call, _| Box::pin(meta::docs(call))),
    Route::to("/llms.txt", Cost::Low, |call, _| Box::pin(meta::llms_txt(call))),
]);

const fn numbered(mut routes: [Route; COUNT]) -> [Route; COUNT] {
    let mut at = 0;
    while at < COUNT {
        routes[at].number = at;
        at += 1;
    }
    routes
}

/// What answers a path.
pub(crate) fn find(path: &str) -> Option<&'static Route> {
    ROUTES.iter().find(|route| route.fits(path))
}

/// All paths of the service over a desk, for tests and for whoever nests it; [`crate::serve`] does without the router around.
pub fn router(desk: Arc<Desk>) -> Router {
    let front = Arc::new(Front::new(desk, None, CancellationToken::new()));
    Router::new().fallback(move |request: Request| {
        let front = Arc::clone(&front);
        async move {
            let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|peer| peer.0.ip());
            front.answer(peer, request).await
        }
    })
}
