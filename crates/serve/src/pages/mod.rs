//! The pages for people: a third rendering of the answers that REST and MCP give, of the same queries and the same rendered rows.
//!
//! Pages have no session, no cookie and no form that changes anything. They work without their script, load nothing from another host, and
//! what an upstream wrote is text in them, never markup; only [`crate::markdown`] makes markup of it, and sanitises it. `docs/web.md`.

mod answer;
pub(crate) mod assets;
pub(crate) mod desk;
pub(crate) mod items;
mod layout;
pub(crate) mod lists;

use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};

use crate::http::problem::Problem;
use crate::http::request::ApiRequest;
use crate::http::scoped_path::ScopedPath;
use crate::negotiation::{HTML, JSON, preferred_media_type};
use crate::policy::headers::WEB_POLICY;
use crate::settings::Settings;
pub(crate) use layout::Page;
use layout::target::Target;
use layout::{described, notices};
use refdesk_core::query::Params;

/// A cache may keep the page, and asks whether it still holds each time.
const ASK_AGAIN: HeaderValue = HeaderValue::from_static("no-cache");
/// Tells search engines what they may do with a page.
const X_ROBOTS_TAG: HeaderName = HeaderName::from_static("x-robots-tag");

/// # Errors
/// 404 where the operator switched the pages off.
pub(crate) fn require_web(request: &ApiRequest) -> Result<(), Problem> {
    if request.state.settings.web { Ok(()) } else { Err(Problem::unknown_endpoint()) }
}

/// # Errors
/// 400 for a parameter that a page with these does not take and that must not be passed over: one that is like one of them, and the
/// restriction to a collection, without which the page would show what is no member.
pub(crate) fn refuse_misspelt(request: &ApiRequest, names: &[&'static str]) -> Result<(), Problem> {
    // What a form sends for a field that was left open asks for nothing, and what another page takes is spelt right.
    let looked_at = |(name, value): &(&str, &str)| !value.trim().is_empty() && described::label(name).is_none();
    Params::new(request.pairs().filter(looked_at), names).refuse_misspelt().map_err(Problem::from)
}

/// A page, with what is said of the parameters that have no effect on it.
fn rendered(request: &ApiRequest, page: &Page) -> String {
    let passed_over = request.taken.map(|names| notices::of_others(request.pairs(), names)).unwrap_or_default();
    page.render(&request.state.settings, &passed_over)
}

/// What a page holds besides what its address, the snapshot and the settings decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holds {
    Nothing,
    /// The address by which the client came, in lines to copy.
    Origin,
    /// That, and ids of the catalog for who may read it.
    OriginAndIds,
}

impl Holds {
    /// That, for the entity tag: empty where the page is the same for everyone.
    fn part(self, request: &ApiRequest) -> String {
        let settings = &request.state.settings;
        let has_origin = self != Self::Nothing && settings.base_url.is_empty();
        let mut part = if has_origin { request.origin() } else { String::new() };
        if self == Self::OriginAndIds && settings.require_key && request.may_read() {
            part.push_str(" ids");
        }
        part
    }
}

/// What a client gets without any rendering: that it has the page, or the page as it was sent before. Whether there is a page at all is
/// known by its rendering alone.
fn ready(request: &ApiRequest, holds: Holds) -> Result<Option<Response>, Problem> {
    if request.respond().asks_for_any() {
        return Ok(None);
    }
    let part = holds.part(request);
    let ready = request.respond().ready(HTML, &part)?;
    Ok(ready.map(|ready| as_page_with(ready, &part, &request.state.settings)))
}

/// Answers with a page that the snapshot, the target and the settings decide, and what it holds besides.
///
/// # Errors
/// What the page refuses, told to a program in its own way.
fn finish(request: &ApiRequest, holds: Holds, mut page: Page) -> Result<Response, Problem> {
    let settings = &request.state.settings;
    if let Some(refused) = page.refusal.take().filter(|_| !prefers_page(settings, &request.uri, &request.headers)) {
        return Err(refused.into());
    }
    let html = Bytes::from(rendered(request, &page));
    if page.status == StatusCode::OK { send(request, holds, html) } else { Ok(unstored(page.status, html, settings)) }
}

/// Answers with a page that lacks what the store cannot give at the moment.
fn finish_incomplete(request: &ApiRequest, page: Page) -> Result<Response, Problem> {
    let settings = &request.state.settings;
    let response = request.respond().incomplete(HTML, vec![Bytes::from(rendered(request, &page))])?;
    Ok(as_page_with(response, "", settings))
}

/// Answers with a rendered page.
fn send(request: &ApiRequest, holds: Holds, html: Bytes) -> Result<Response, Problem> {
    let part = holds.part(request);
    let response = request.respond().computed(HTML, &part, vec![html])?;
    Ok(as_page_with(response, &part, &request.state.settings))
}

/// Both for a page that waits for nothing.
///
/// # Errors
/// What `render` gives.
pub(crate) fn respond(
    request: &ApiRequest,
    render: fn(&ApiRequest) -> Result<Page, Problem>,
) -> Result<Response, Problem> {
    if let Some(tidied) = tidied(request) {
        return Ok(tidied);
    }
    match ready(request, Holds::Nothing)? {
        Some(ready) => Ok(ready),
        None => finish(request, Holds::Nothing, render(request)?),
    }
}

/// Answers with a page that changes without a new generation of the catalog. Clients ask again each time, and mostly get a 304.
pub(crate) fn respond_live(request: &ApiRequest, page: &Page) -> Result<Response, Problem> {
    let settings = &request.state.settings;
    let html = rendered(request, page);
    let hash = refdesk_core::hash::content_hash(html.as_bytes());
    let mut response = request.respond().content(HTML, &hash, html.into())?;
    response.headers_mut().insert(header::CACHE_CONTROL, ASK_AGAIN);
    Ok(as_page(response, settings))
}

/// Leads to a page at another path, with the same query.
pub(crate) fn moved(settings: &Settings, path: &str, uri: &Uri) -> Option<Response> {
    if !settings.web {
        return None;
    }
    let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    redirect(settings, StatusCode::PERMANENT_REDIRECT, &format!("{path}{query}"))
}

/// Leads to the address without what a form sends for the fields that were left open: of a list they are dozens. The script leaves them
/// out before they are sent.
fn tidied(request: &ApiRequest) -> Option<Response> {
    request.pairs().find(|(_, value)| value.trim().is_empty())?;
    let target = Target::new(request.uri.path()).with_pairs(request.pairs()).href();
    let mut response = redirect(&request.state.settings, StatusCode::SEE_OTHER, &target)?;
    response.headers_mut().insert(header::CACHE_CONTROL, ASK_AGAIN);
    Some(response)
}

fn redirect(settings: &Settings, status: StatusCode, target: &str) -> Option<Response> {
    let location = HeaderValue::try_from(format!("{}{target}", settings.path_prefix())).ok()?;
    Some((status, [(header::LOCATION, location)]).into_response())
}

/// A page that no cache may keep.
fn unstored(status: StatusCode, html: Bytes, settings: &Settings) -> Response {
    let headers = [(header::CONTENT_TYPE, HTML), (header::CACHE_CONTROL, "no-store")];
    as_page((status, headers, html).into_response(), settings)
}

/// The headers of a page that holds `part` besides what its address says: others must not get it out of a cache.
fn as_page_with(mut response: Response, part: &str, settings: &Settings) -> Response {
    if !part.is_empty() {
        response.headers_mut().insert(header::CACHE_CONTROL, ASK_AGAIN);
    }
    as_page(response, settings)
}

/// The headers of a page.
fn as_page(mut response: Response, settings: &Settings) -> Response {
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(WEB_POLICY));
    if !settings.web_index {
        headers.insert(X_ROBOTS_TAG, HeaderValue::from_static("noindex"));
    }
    response
}

/// Whether a client that is refused is to see a page: a browser, anywhere but at a path of programs.
pub(crate) fn prefers_page(settings: &Settings, uri: &Uri, headers: &HeaderMap) -> bool {
    let ScopedPath { collection, path } = ScopedPath::from_uri(uri);
    let is_of_programs = collection.is_some() || path.starts_with("/v1/") || path == crate::http::MCP_PATH;
    let html = "text/html";
    settings.web && !is_of_programs && preferred_media_type(headers, [JSON, html, "application/problem+json"]) == html
}

/// A refusal as a page.
pub(crate) fn problem_page(settings: &Settings, path: &str, problem: Problem, request_id: &str) -> Response {
    let page = desk::problem::page(path, &problem, request_id);
    let mut response = unstored(problem.code.status(), page.render(settings, &[]).into(), settings);
    response.headers_mut().extend(*problem.headers);
    response
}
