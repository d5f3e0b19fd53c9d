//! The outermost layer: request ids, sizes, hosts, methods, panics, the body of problems, security headers, CORS, access log.

use std::sync::Arc;
use std::time::Instant;

use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures::FutureExt;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};

use crate::desk::{Desk, Settings};
use crate::problem::{MEDIA_TYPE, Problem};

/// The id of a request, in its answer and in the log.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Longest request id that is taken over from a client, in characters.
const REQUEST_ID_CHARS_MAX: usize = 64;
/// Policy of pages that hold upstream text: nothing loads, nothing runs, nothing frames.
pub(crate) const PAGE_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox";
/// Policy of everything that is no page.
const DATA_POLICY: &str = "default-src 'none'; frame-ancestors 'none'";
/// Headers that browsers may read across origins.
const EXPOSED: &str = "ETag, Link, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id, WWW-Authenticate";
/// Methods of the REST paths.
pub(crate) const READ_METHODS: &str = "GET, HEAD, OPTIONS";
/// Path of the MCP endpoint, which has methods of its own.
pub(crate) const MCP_PATH: &str = "/mcp";

/// Wraps every request.
pub async fn guard(State(desk): State<Arc<Desk>>, request: Request, next: Next) -> Response {
    let started = Instant::now();
    let id = request_id(request.headers());
    let (method, uri) = (request.method().clone(), request.uri().clone());
    let route = request.extensions().get::<MatchedPath>().cloned();
    let mut response = match refused(&desk.settings, &method, &uri, request.headers()) {
        Some(problem) => problem.into_response(),
        None if method == Method::OPTIONS => preflight(uri.path()),
        None => std::panic::AssertUnwindSafe(next.run(request)).catch_unwind().await.unwrap_or_else(|_| {
            desk.metrics.panicked();
            tracing::error!(request_id = %id, "a request panicked");
            Problem::internal().into_response()
        }),
    };
    if let Some(problem) = response.extensions_mut().remove::<Problem>() {
        if let Some(cause) = &problem.cause {
            tracing::error!(request_id = %id, code = problem.code, %cause, "a request failed");
        }
        let kept = std::mem::take(response.headers_mut());
        response = written(&problem, &uri, &id, kept);
    }
    finish(&mut response, &id);
    let status = response.status().as_u16();
    let seconds = started.elapsed().as_secs_f64();
    desk.metrics.request(route.as_ref().map_or("none", MatchedPath::as_str), status, seconds);
    tracing::info!(target: "access", %method, path = uri.path(), status, micros = (seconds * 1e6) as u64, request_id = %id);
    response
}

/// What is refused before anything is looked up.
fn refused(settings: &Settings, method: &Method, uri: &Uri, headers: &HeaderMap) -> Option<Problem> {
    if uri.path().len() > settings.path_bytes_max || uri_bytes(uri) > settings.uri_bytes_max {
        let detail = format!(
            "The most is {} bytes of path and {} of the whole URI.",
            settings.path_bytes_max, settings.uri_bytes_max
        );
        return Some(
            Problem::new(StatusCode::URI_TOO_LONG, "uri_too_long", "URI too long", detail).hint("Shorten q or the id."),
        );
    }
    let header_bytes: usize = headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
    if header_bytes > settings.header_bytes_max {
        let detail = format!("All headers together may have {} bytes.", settings.header_bytes_max);
        let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
        return Some(
            Problem::new(status, "headers_too_large", "headers too large", detail)
                .hint("Send fewer headers or cookies."),
        );
    }
    if !host_allowed(settings, host_of(uri, headers).as_deref()) {
        return Some(
            Problem::new(
                StatusCode::FORBIDDEN,
                "host_not_allowed",
                "host not allowed",
                "The Host header names a host that is not this service's.",
            )
            .hint("Operators: add the name with --allowed-hosts, REFDESK_ALLOWED_HOSTS or base_url."),
        );
    }
    let reads = [Method::GET, Method::HEAD, Method::OPTIONS];
    (uri.path() != MCP_PATH && !reads.contains(method)).then(|| Problem::method_not_allowed(READ_METHODS))
}

/// Length of a URI as it was sent, or a little more.
fn uri_bytes(uri: &Uri) -> usize {
    let scheme = uri.scheme_str().map_or(0, |scheme| scheme.len() + "://".len());
    let authority = uri.authority().map_or(0, |authority| authority.as_str().len());
    scheme + authority + uri.path_and_query().map_or(1, |target| target.as_str().len())
}

/// The host that the request is for, without its port; bytes that are no text name none of our hosts.
fn host_of(uri: &Uri, headers: &HeaderMap) -> Option<String> {
    let header = || headers.get(header::HOST).map(|value| value.to_str().unwrap_or_default());
    uri.host().or_else(header).map(bare_host)
}

/// `[::1]:8787` gives `::1`, `Example.org:443` gives `example.org`.
pub(crate) fn bare_host(named: &str) -> String {
    let named = named.trim().to_ascii_lowercase();
    if let Some(rest) = named.strip_prefix('[') {
        return rest.split(']').next().unwrap_or_default().to_owned();
    }
    let bare = named.rsplit_once(':').filter(|(host, _)| !host.contains(':')).map_or(named.as_str(), |(host, _)| host);
    bare.trim_end_matches('.').to_owned()
}

/// Loopback names and the configured hosts; any host where none is configured beyond loopback.
pub(crate) fn host_allowed(settings: &Settings, host: Option<&str>) -> bool {
    host.is_none_or(|host| settings.any_host || host_known(settings, host))
}

/// Loopback names and the configured hosts, whatever else is answered.
pub(crate) fn host_known(settings: &Settings, host: &str) -> bool {
    if is_loopback_name(host) {
        return true;
    }
    let public = [&settings.base_url, &settings.api_url];
    let public = public.into_iter().filter_map(|base| url::Url::parse(base).ok());
    public.filter_map(|base| base.host_str().map(bare_host)).any(|known| known == host)
        || settings.allowed_hosts.iter().any(|known| bare_host(known) == host)
}

/// `localhost`, `127.0.0.0/8` and `::1`.
pub(crate) fn is_loopback_name(host: &str) -> bool {
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// A client's own id when it is short and plain, else a random one.
fn request_id(headers: &HeaderMap) -> Arc<str> {
    let plain = |id: &&str| {
        !id.is_empty()
            && id.len() <= REQUEST_ID_CHARS_MAX
            && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    let sent = headers.get(REQUEST_ID).and_then(|value| value.to_str().ok()).filter(plain);
    sent.map_or_else(|| format!("{:016x}", rand::random::<u64>()).into(), Into::into)
}

/// The answer to any OPTIONS request.
fn preflight(path: &str) -> Response {
    let mut response = StatusCode::NO_CONTENT.into_response();
    let headers = response.headers_mut();
    let allow = if path == MCP_PATH { "POST, OPTIONS" } else { READ_METHODS };
    headers.insert(header::ALLOW, HeaderValue::from_static(allow));
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, HEAD, OPTIONS, POST"));
    let allowed = "Accept, Authorization, Content-Type, If-None-Match, Mcp-Method, Mcp-Name, MCP-Protocol-Version, X-Api-Key, X-Request-Id";
    headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(allowed));
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400"));
    response
}

/// The problem document with what only this layer knows, and the headers that inner layers gave the answer (limits).
fn written(problem: &Problem, uri: &Uri, id: &str, mut kept: HeaderMap) -> Response {
    let mut document = problem.document();
    document.insert("instance".into(), refdesk_core::clean::excerpt(uri.path(), 200).into());
    document.insert("request_id".into(), id.into());
    let body = serde_json::Value::Object(document).to_string();
    let mut response = (problem.status, Body::from(body)).into_response();
    kept.remove(header::CONTENT_LENGTH);
    let headers = response.headers_mut();
    headers.extend(kept);
    headers.extend((*problem.headers).clone());
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Headers of every answer.
fn finish(response: &mut Response, id: &str) {
    let headers = response.headers_mut();
    if let Ok(id) = HeaderValue::from_str(id) {
        headers.insert(REQUEST_ID, id);
    }
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(DATA_POLICY));
}

#[cfg(test)]
mod tests {
    use super::{bare_host, host_allowed};
    use crate::desk::Settings;

    #[test]
    fn only_loopback_and_configured_hosts_are_answered() {
        let settings = Settings {
            base_url: "https://desk.example.org".into(),
            allowed_hosts: vec!["api.example.org:8443".into()],
            ..Settings::default()
        };
        for (host, answered) in [
            ("localhost:8787", true),
            ("127.0.0.1", true),
            ("[::1]:80", true),
            ("DESK.example.org", true),
            ("api.example.org", true),
            ("evil.example", false),
            ("localhost.evil.example", false),
        ] {
            assert_eq!(host_allowed(&settings, Some(&bare_host(host))), answered, "{host}");
        }
    }
}
