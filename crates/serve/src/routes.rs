//! The route table, read from top to bottom. The first route that matches a path answers it.

use std::future::ready;

use axum::response::Response;
use bytes::Bytes;
use futures::future::BoxFuture;
use http::header;
use refdesk_core::Kind;

use crate::api::{evidence, frameworks, health, kinds, llms_txt, openapi, questions, search, sources};
use crate::http::problem::Problem;
use crate::http::request::ApiRequest;
use crate::http::scoped_path::COLLECTIONS;
use crate::mcp;
use crate::pages::assets::{asset, favicon};
use crate::pages::desk::{
    collections, compare, conflicts, connect, crawlers, docs, evidence as evidence_page, home, router,
    search as search_page, sources as source_pages,
};
use crate::pages::{items, lists};

/// A handler. Only MCP reads the body.
type Handler = fn(ApiRequest, Bytes) -> BoxFuture<'static, Result<Response, Problem>>;

/// What an answer may cost. It decides whether the request runs beside look-ups or in the worker pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RouteCost {
    /// Next to nothing. Never refused when too many requests run: an orchestrator would restart a service that is only busy.
    Probe,
    /// Far below a millisecond; in a collection, depends on the number of its rows.
    Low,
    /// Depends on the length of the query.
    Query,
    /// Depends on the parameters; without any, the answer is rendered already.
    Detail,
    /// Depends on the number of rows, if they have to be compressed.
    Rows,
    /// Depends on the length of a text.
    Text,
    /// Depends on the message in the body.
    Message,
}

/// Longest query string that is answered beside look-ups, in bytes: a long one costs a hundred times as much as a short one.
const SHORT_QUERY_BYTES_MAX: usize = 96;
/// Parameters of a search that have full texts read.
const OF_TEXTS: [&str; 3] = ["include_markdown", "passages", "budget_tokens"];
/// Parameters of a list that choose nothing among its rows.
const PAGE_PARAMETERS: [&str; 2] = ["limit", "offset"];
/// The content coding that costs nothing.
const IDENTITY: &str = "identity";

impl RouteCost {
    /// Whether a request is too expensive to run beside look-ups.
    pub(crate) fn is_high(self, request: &ApiRequest) -> bool {
        let query = request.uri.query().unwrap_or_default();
        match self {
            Self::Probe => false,
            // Whether a record is of a collection is known by looking through its items.
            Self::Low => request.snapshot.view().is_some(),
            Self::Query => query.len() > SHORT_QUERY_BYTES_MAX || OF_TEXTS.iter().any(|name| request.has(name)),
            // Rows are rendered already; only choosing among them and compressing them costs.
            Self::Rows => is_compressed(request) || !request.has_only(&PAGE_PARAMETERS),
            Self::Detail => !query.is_empty() && is_compressed(request),
            Self::Text | Self::Message => true,
        }
    }
}

fn is_compressed(request: &ApiRequest) -> bool {
    request.headers.get(header::ACCEPT_ENCODING).is_some_and(|accepted| accepted != IDENTITY)
}

/// A path pattern and its handler.
pub(crate) struct Route {
    /// The pattern, also the name of the route in metrics: `/v1/models/{*id}`. Braces stand for one or more characters.
    pub(crate) template: &'static str,
    /// Length of the template before the braces, in bytes.
    fixed: usize,
    /// End of the braces in the template; the path must end with what follows.
    tail_end: usize,
    pub(crate) cost: RouteCost,
    /// A page for people: it counts as a read, and needs the rights of one.
    pub(crate) is_page: bool,
    pub(crate) handler: Handler,
    /// Its index in the table.
    pub(crate) index: usize,
}

impl Route {
    const fn to(template: &'static str, cost: RouteCost, handler: Handler) -> Self {
        let mut fixed = 0;
        while fixed < template.len() && template.as_bytes()[fixed] != b'{' {
            fixed += 1;
        }
        let mut tail_end = fixed;
        while tail_end < template.len() && template.as_bytes()[tail_end] != b'}' {
            tail_end += 1;
        }
        let tail_end = if tail_end < template.len() { tail_end + 1 } else { tail_end };
        Self { template, fixed, tail_end, cost, is_page: false, handler, index: 0 }
    }

    /// What every browser may get, uncounted, and is no answer of the API: what pages load, what crawlers read.
    const fn open(template: &'static str, cost: RouteCost, handler: Handler) -> Self {
        Self::to(template, cost, handler)
    }

    /// A page. It is rendered when it is asked for, and mostly compressed.
    const fn page(template: &'static str, handler: Handler) -> Self {
        Self { is_page: true, ..Self::to(template, RouteCost::Text, handler) }
    }

    fn matches(&self, path: &str) -> bool {
        let (template, path, fixed) = (self.template.as_bytes(), path.as_bytes(), self.fixed);
        let suffix = &template[self.tail_end..];
        let least = fixed + suffix.len();
        let long_enough = if fixed < template.len() { path.len() > least } else { path.len() == fixed };
        long_enough && path[..fixed] == template[..fixed] && path.ends_with(suffix)
    }
}

/// The page of the API, which is there without the others.
const DOCS: &str = "/docs";

/// Number of routes.
pub(crate) const ROUTE_COUNT: usize = 69;

static ROUTES: [Route; ROUTE_COUNT] = with_indexes([
    Route::to("/v1/search", RouteCost::Query, |request, _| Box::pin(search::search(request))),
    Route::to("/v1/models/list", RouteCost::Rows, |request, _| Box::pin(kinds::list_models(request))),
    Route::to("/v1/models/compare", RouteCost::Query, |request, _| Box::pin(kinds::compare_models(request))),
    Route::to("/v1/models/{*id}", RouteCost::Detail, |request, _| Box::pin(kinds::get_model(request))),
    Route::to("/v1/tools/list", RouteCost::Rows, |request, _| Box::pin(kinds::list_tools(request))),
    Route::to("/v1/tools/compare", RouteCost::Query, |request, _| Box::pin(kinds::compare_tools(request))),
    Route::to("/v1/tools/{*id}", RouteCost::Detail, |request, _| Box::pin(kinds::get_tool(request))),
    Route::to("/v1/skills/list", RouteCost::Rows, |request, _| Box::pin(kinds::list_skills(request))),
    Route::to("/v1/skills/compare", RouteCost::Query, |request, _| Box::pin(kinds::compare_skills(request))),
    Route::to("/v1/skills/{*id}", RouteCost::Text, |request, _| Box::pin(kinds::get_skill(request))),
    Route::to("/v1/tutorials/list", RouteCost::Rows, |request, _| Box::pin(kinds::list_tutorials(request))),
    Route::to("/v1/tutorials/compare", RouteCost::Query, |request, _| Box::pin(kinds::compare_tutorials(request))),
    Route::to("/v1/tutorials/{*id}", RouteCost::Text, |request, _| Box::pin(kinds::get_tutorial(request))),
    Route::to("/v1/mcp-servers/list", RouteCost::Rows, |request, _| Box::pin(kinds::list_mcp_servers(request))),
    Route::to("/v1/mcp-servers/compare", RouteCost::Query, |request, _| Box::pin(kinds::compare_mcp_servers(request))),
    Route::to("/v1/mcp-servers/{*id}", RouteCost::Detail, |request, _| Box::pin(kinds::get_mcp_server(request))),
    Route::to("/v1/documents/list", RouteCost::Rows, |request, _| Box::pin(kinds::list_documents(request))),
    Route::to("/v1/documents/compare", RouteCost::Query, |request, _| Box::pin(kinds::compare_documents(request))),
    Route::to("/v1/documents/{*id}", RouteCost::Text, |request, _| Box::pin(kinds::get_document(request))),
    Route::to("/v1/evidence/{*key}/record", RouteCost::Text, |request, _| Box::pin(evidence::get_record(request))),
    Route::to("/v1/evidence/{*key}", RouteCost::Low, |request, _| Box::pin(evidence::get_evidence(request))),
    Route::to("/v1/frameworks/search", RouteCost::Query, |request, _| Box::pin(frameworks::search_frameworks(request))),
    Route::to("/v1/frameworks/route", RouteCost::Query, |request, _| Box::pin(frameworks::route_framework(request))),
    Route::to("/v1/frameworks/list", RouteCost::Rows, |request, _| Box::pin(kinds::list_frameworks(request))),
    Route::to("/v1/frameworks/compare", RouteCost::Query, |request, _| Box::pin(kinds::compare_frameworks(request))),
    Route::to("/v1/frameworks/{*id}", RouteCost::Detail, |request, _| Box::pin(kinds::get_framework(request))),
    Route::to("/v1/cost", RouteCost::Low, |request, _| Box::pin(questions::cost(request))),
    Route::to("/v1/resolve", RouteCost::Query, |request, _| Box::pin(questions::resolve(request))),
    Route::to("/v1/conflicts", RouteCost::Text, |request, _| Box::pin(questions::conflicts(request))),
    Route::to("/v1/sources/status", RouteCost::Rows, |request, _| Box::pin(sources::sources_status(request))),
    Route::to("/mcp", RouteCost::Message, |request, body| Box::pin(mcp::endpoint(request, body))),
    Route::to("/health", RouteCost::Probe, |request, _| Box::pin(health::health(request))),
    Route::to("/livez", RouteCost::Probe, |request, _| Box::pin(health::livez(request))),
    Route::to("/readyz", RouteCost::Probe, |request, _| Box::pin(health::readyz(request))),
    Route::to("/version", RouteCost::Low, |request, _| Box::pin(health::version(request))),
    Route::to("/metrics", RouteCost::Probe, |request, _| Box::pin(health::metrics(request))),
    Route::to("/openapi.json", RouteCost::Text, |request, _| Box::pin(openapi::openapi_json(request))),
    Route::open(DOCS, RouteCost::Text, |request, _| Box::pin(ready(docs::docs(&request)))),
    Route::to("/llms.txt", RouteCost::Low, |request, _| Box::pin(llms_txt::llms_txt(request))),
    Route::page("/", |request, _| Box::pin(ready(home::home(&request)))),
    Route::page("/search", |request, _| Box::pin(ready(search_page::search(&request)))),
    Route::page("/models", |request, _| Box::pin(ready(lists::list(&request, Kind::Model)))),
    Route::page("/models/{*id}", |request, _| Box::pin(items::item(request, Kind::Model))),
    Route::page("/tools", |request, _| Box::pin(ready(lists::list(&request, Kind::Tool)))),
    Route::page("/tools/{*id}", |request, _| Box::pin(items::item(request, Kind::Tool))),
    Route::page("/skills", |request, _| Box::pin(ready(lists::list(&request, Kind::Skill)))),
    Route::page("/skills/{*id}", |request, _| Box::pin(items::item(request, Kind::Skill))),
    Route::page("/tutorials", |request, _| Box::pin(ready(lists::list(&request, Kind::Tutorial)))),
    Route::page("/tutorials/{*id}", |request, _| Box::pin(items::item(request, Kind::Tutorial))),
    Route::page("/mcp-servers", |request, _| Box::pin(ready(lists::list(&request, Kind::McpServer)))),
    Route::page("/mcp-servers/{*id}", |request, _| Box::pin(items::item(request, Kind::McpServer))),
    Route::page("/documents", |request, _| Box::pin(ready(lists::list(&request, Kind::Document)))),
    Route::page("/documents/{*id}", |request, _| Box::pin(items::item(request, Kind::Document))),
    Route::page("/frameworks", |request, _| Box::pin(ready(lists::list(&request, Kind::Framework)))),
    Route::page("/frameworks/route", |request, _| Box::pin(ready(router::route(&request)))),
    Route::page("/frameworks/{*id}", |request, _| Box::pin(items::item(request, Kind::Framework))),
    Route::page("/compare", |request, _| Box::pin(ready(compare::compare(&request)))),
    Route::page("/conflicts", |request, _| Box::pin(ready(conflicts::conflicts(&request)))),
    Route::page("/c/{*id}", |request, _| Box::pin(ready(collections::collection(&request)))),
    Route::page("/sources", |request, _| Box::pin(ready(source_pages::sources(&request)))),
    Route::page("/sources/{*id}", |request, _| Box::pin(source_pages::source(request))),
    Route::page("/evidence/{*key}", |request, _| Box::pin(evidence_page::evidence(request))),
    Route::page("/connect", |request, _| Box::pin(ready(connect::connect(&request)))),
    Route::open("/assets/{*name}", RouteCost::Low, |request, _| Box::pin(ready(asset(&request)))),
    Route::open("/favicon.svg", RouteCost::Low, |_, _| Box::pin(ready(Ok(favicon())))),
    Route::open("/robots.txt", RouteCost::Low, |request, _| Box::pin(ready(crawlers::robots(&request)))),
    Route::open("/sitemap.xml", RouteCost::Text, |request, _| Box::pin(ready(crawlers::sitemap(&request)))),
    Route::open("/sitemap-{*name}.xml", RouteCost::Text, |request, _| {
        Box::pin(ready(crawlers::sitemap_file(&request)))
    }),
    Route::open("/opensearch.xml", RouteCost::Low, |request, _| Box::pin(ready(crawlers::opensearch(&request)))),
]);

const fn with_indexes(mut routes: [Route; ROUTE_COUNT]) -> [Route; ROUTE_COUNT] {
    let mut at = 0;
    while at < ROUTE_COUNT {
        routes[at].index = at;
        at += 1;
    }
    routes
}

/// The patterns of all routes.
pub(crate) fn templates() -> impl Iterator<Item = &'static str> {
    ROUTES.iter().map(|route| route.template)
}

/// The path of a page to which a path leads that only has slashes too much at its end. No id ends with one.
pub(crate) fn without_slash(path: &str) -> Option<&str> {
    let shorter = path.trim_end_matches('/');
    let is_page = |route: &Route| route.is_page || route.template == DOCS;
    // Below a collection are paths of programs, or nothing: its page is at its own path alone.
    let is_below_collection = shorter.strip_prefix(COLLECTIONS).is_some_and(|below| below.contains('/'));
    (shorter.len() < path.len() && !is_below_collection && find(shorter).is_some_and(is_page)).then_some(shorter)
}

/// The path that is meant by one that leads nowhere.
pub(crate) fn near(path: &str) -> Option<String> {
    of_kind(path).or_else(|| fixed_without_slash(path).map(str::to_owned)).or_else(|| misspelt(path))
}

/// The API path that is left without the slashes at the end of a path, if there is one: `/v1/models/list/` does not name a model `list/`.
fn fixed_without_slash(path: &str) -> Option<&'static str> {
    let shorter = path.trim_end_matches('/');
    let is_meant = |route: &&Route| !route.is_page && route.template == shorter;
    if shorter.len() == path.len() { None } else { ROUTES.iter().find(is_meant).map(|route| route.template) }
}

/// The path that begins with this one, `/v1/sources/status` by `/v1/sources`, where only one does; else the one whose parts are spelt much
/// like its own.
fn misspelt(path: &str) -> Option<String> {
    let fixed =
        || ROUTES.iter().map(|route| route.template).filter(|path| path.starts_with("/v1/") && !path.contains('{'));
    let is_below = |template: &&str| template.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'));
    let mut below = fixed().filter(is_below);
    if let (Some(only), None) = (below.next(), below.next()) {
        return Some(only.to_owned());
    }
    let is_meant = |template: &&str| {
        let pairs = path.split('/').zip(template.split('/'));
        path.split('/').count() == template.split('/').count()
            && pairs.into_iter().all(|(part, known)| refdesk_core::nearest::meant(part, [known]).is_some())
    };
    fixed().find(is_meant).map(str::to_owned)
}

/// The path whose kind is spelt as other surfaces take it, `/v1/documents/list` by `/v1/docs/list`, or stands alone.
fn of_kind(path: &str) -> Option<String> {
    let (word, below) = path.strip_prefix("/v1/").map(|rest| rest.split_once('/').unwrap_or((rest, "")))?;
    let below = below.trim_end_matches('/');
    let below = if below.is_empty() { "list" } else { below };
    let near = format!("/v1/{}/{below}", Kind::parse(word)?.path_segment());
    find(&near).map(|_| near)
}

/// The route of a path.
pub(crate) fn find(path: &str) -> Option<&'static Route> {
    if fixed_without_slash(path).is_some() { None } else { ROUTES.iter().find(|route| route.matches(path)) }
}
