//! The route table, read from top to bottom. The first route that matches a path answers it.

use axum::response::Response;
use bytes::Bytes;
use futures::future::BoxFuture;
use http::header;
use refdesk_core::Kind;
use refdesk_core::query::CostQuery;

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
use crate::pages::{self, items, lists};

use Handler::{LivePage, Page, Ready, Waiting};

/// How a route answers.
enum Handler {
    /// It may wait for something. Only MCP reads the body.
    Waiting(fn(ApiRequest, Bytes) -> BoxFuture<'static, Result<Response, Problem>>),
    Ready(fn(&ApiRequest) -> Result<Response, Problem>),
    /// A page that the snapshot, the address and the settings decide.
    Page(fn(&ApiRequest) -> Result<pages::Page, Problem>),
    /// A page that changes without a new generation of the catalog, or by how the client came.
    LivePage(fn(&ApiRequest) -> Result<pages::Page, Problem>),
}

/// A handler that may wait for something.
macro_rules! waits {
    ($handler:path) => {
        Waiting(|request, _| Box::pin($handler(request)))
    };
}

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
    /// The parameters of a page that does not look for others itself.
    takes: Option<&'static [&'static str]>,
    handler: Handler,
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
        Self { template, fixed, tail_end, cost, is_page: false, takes: None, handler }
    }

    /// What every browser may get, uncounted, and is no answer of the API: what pages load, what crawlers read.
    const fn open(
        template: &'static str,
        cost: RouteCost,
        handler: fn(&ApiRequest) -> Result<Response, Problem>,
    ) -> Self {
        Self::to(template, cost, Ready(handler))
    }

    /// A page. It is rendered when it is asked for, and mostly compressed.
    const fn page(template: &'static str, handler: Handler) -> Self {
        Self { is_page: true, ..Self::to(template, RouteCost::Text, handler) }
    }

    /// A page that takes these parameters, and says of others that they have no effect.
    const fn taking(self, names: &'static [&'static str]) -> Self {
        Self { takes: Some(names), ..self }
    }

    pub(crate) async fn answer(&self, mut request: ApiRequest, body: Bytes) -> Result<Response, Problem> {
        if self.is_page {
            pages::require_web(&request)?;
        }
        if let Some(names) = self.takes {
            pages::refuse_misspelt(&request, names)?;
            request.taken = Some(names);
        }
        match self.handler {
            Waiting(answer) => answer(request, body).await,
            Ready(answer) => answer(&request),
            Page(render) => pages::respond(&request, render),
            LivePage(render) => pages::respond_live(&request, &render(&request)?),
        }
    }

    /// Its place in the table.
    pub(crate) fn index(&self) -> usize {
        ROUTES.element_offset(self).unwrap_or(ROUTE_COUNT)
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

static ROUTES: [Route; ROUTE_COUNT] = [
    Route::to("/v1/search", RouteCost::Query, waits!(search::search)),
    Route::to("/v1/models/list", RouteCost::Rows, waits!(kinds::list_models)),
    Route::to("/v1/models/compare", RouteCost::Query, waits!(kinds::compare_models)),
    Route::to("/v1/models/{*id}", RouteCost::Detail, waits!(kinds::get_model)),
    Route::to("/v1/tools/list", RouteCost::Rows, waits!(kinds::list_tools)),
    Route::to("/v1/tools/compare", RouteCost::Query, waits!(kinds::compare_tools)),
    Route::to("/v1/tools/{*id}", RouteCost::Detail, waits!(kinds::get_tool)),
    Route::to("/v1/skills/list", RouteCost::Rows, waits!(kinds::list_skills)),
    Route::to("/v1/skills/compare", RouteCost::Query, waits!(kinds::compare_skills)),
    Route::to("/v1/skills/{*id}", RouteCost::Text, waits!(kinds::get_skill)),
    Route::to("/v1/tutorials/list", RouteCost::Rows, waits!(kinds::list_tutorials)),
    Route::to("/v1/tutorials/compare", RouteCost::Query, waits!(kinds::compare_tutorials)),
    Route::to("/v1/tutorials/{*id}", RouteCost::Text, waits!(kinds::get_tutorial)),
    Route::to("/v1/mcp-servers/list", RouteCost::Rows, waits!(kinds::list_mcp_servers)),
    Route::to("/v1/mcp-servers/compare", RouteCost::Query, waits!(kinds::compare_mcp_servers)),
    Route::to("/v1/mcp-servers/{*id}", RouteCost::Detail, waits!(kinds::get_mcp_server)),
    Route::to("/v1/documents/list", RouteCost::Rows, waits!(kinds::list_documents)),
    Route::to("/v1/documents/compare", RouteCost::Query, waits!(kinds::compare_documents)),
    Route::to("/v1/documents/{*id}", RouteCost::Text, waits!(kinds::get_document)),
    Route::to("/v1/evidence/{*key}/record", RouteCost::Text, waits!(evidence::get_record)),
    Route::to("/v1/evidence/{*key}", RouteCost::Low, waits!(evidence::get_evidence)),
    Route::to("/v1/frameworks/search", RouteCost::Query, waits!(frameworks::search_frameworks)),
    Route::to("/v1/frameworks/route", RouteCost::Query, waits!(frameworks::route_framework)),
    Route::to("/v1/frameworks/list", RouteCost::Rows, waits!(kinds::list_frameworks)),
    Route::to("/v1/frameworks/compare", RouteCost::Query, waits!(kinds::compare_frameworks)),
    Route::to("/v1/frameworks/{*id}", RouteCost::Detail, waits!(kinds::get_framework)),
    Route::to("/v1/cost", RouteCost::Low, waits!(questions::cost)),
    Route::to("/v1/resolve", RouteCost::Query, waits!(questions::resolve)),
    Route::to("/v1/conflicts", RouteCost::Text, waits!(questions::conflicts)),
    Route::to("/v1/sources/status", RouteCost::Rows, waits!(sources::sources_status)),
    Route::to("/mcp", RouteCost::Message, Waiting(|request, body| Box::pin(mcp::endpoint(request, body)))),
    Route::to("/health", RouteCost::Probe, waits!(health::health)),
    Route::to("/livez", RouteCost::Probe, waits!(health::livez)),
    Route::to("/readyz", RouteCost::Probe, waits!(health::readyz)),
    Route::to("/version", RouteCost::Low, waits!(health::version)),
    Route::to("/metrics", RouteCost::Probe, waits!(health::metrics)),
    Route::to("/openapi.json", RouteCost::Text, waits!(openapi::openapi_json)),
    Route::open(DOCS, RouteCost::Text, docs::docs),
    Route::to("/llms.txt", RouteCost::Low, waits!(llms_txt::llms_txt)),
    Route::page("/", Page(|request| Ok(home::page(request)))).taking(&[]),
    Route::page("/search", Ready(search_page::search)),
    Route::page("/models", Page(|request| lists::page(request, Kind::Model))),
    // It shows the cost of a usage.
    Route::page("/models/{*id}", Waiting(|request, _| Box::pin(items::item(request, Kind::Model))))
        .taking(CostQuery::USAGE),
    Route::page("/tools", Page(|request| lists::page(request, Kind::Tool))),
    Route::page("/tools/{*id}", Waiting(|request, _| Box::pin(items::item(request, Kind::Tool)))).taking(&[]),
    Route::page("/skills", Page(|request| lists::page(request, Kind::Skill))),
    Route::page("/skills/{*id}", Waiting(|request, _| Box::pin(items::item(request, Kind::Skill)))).taking(&[]),
    Route::page("/tutorials", Page(|request| lists::page(request, Kind::Tutorial))),
    Route::page("/tutorials/{*id}", Waiting(|request, _| Box::pin(items::item(request, Kind::Tutorial)))).taking(&[]),
    Route::page("/mcp-servers", Page(|request| lists::page(request, Kind::McpServer))),
    Route::page("/mcp-servers/{*id}", Waiting(|request, _| Box::pin(items::item(request, Kind::McpServer))))
        .taking(&[]),
    Route::page("/documents", Page(|request| lists::page(request, Kind::Document))),
    Route::page("/documents/{*id}", Waiting(|request, _| Box::pin(items::item(request, Kind::Document)))).taking(&[]),
    Route::page("/frameworks", Page(|request| lists::page(request, Kind::Framework))),
    Route::page("/frameworks/route", Page(|request| Ok(router::page(request)))),
    Route::page("/frameworks/{*id}", Waiting(|request, _| Box::pin(items::item(request, Kind::Framework)))).taking(&[]),
    Route::page("/compare", Page(|request| Ok(compare::page(request)))).taking(&["ids", "kind", "diff"]),
    Route::page("/conflicts", Page(|request| Ok(conflicts::page(request)))),
    Route::page("/c/{*id}", Ready(collections::collection)).taking(&[]),
    Route::page("/sources", LivePage(|request| Ok(source_pages::all(request)))).taking(&[]),
    Route::page("/sources/{*id}", waits!(source_pages::source)).taking(&[]),
    Route::page("/evidence/{*key}", waits!(evidence_page::evidence)).taking(&["kind", "id"]),
    Route::page("/connect", LivePage(connect::page)).taking(&[]),
    Route::open("/assets/{*name}", RouteCost::Low, asset),
    Route::open("/favicon.svg", RouteCost::Low, |_| Ok(favicon())),
    Route::open("/robots.txt", RouteCost::Low, crawlers::robots),
    Route::open("/sitemap.xml", RouteCost::Text, crawlers::sitemap),
    Route::open("/sitemap-{*name}.xml", RouteCost::Text, crawlers::sitemap_file),
    Route::open("/opensearch.xml", RouteCost::Low, crawlers::opensearch),
];

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
