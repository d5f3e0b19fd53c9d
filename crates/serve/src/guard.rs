//! What holds for every request and answer: request ids, sizes, hosts, methods, the body of problems, security headers, CORS.

use std::net::IpAddr;
use std::sync::LazyLock;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::request::Parts;
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

/// What is refused before anything is looked up.
pub(crate) fn refused(desk: &Desk, parts: &Parts) -> Option<Problem> {
    let (settings, method, uri, headers) = (&desk.settings, &parts.method, &parts.uri, &parts.headers);
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
    if !desk.hosts.answers(host_of(uri, headers)) {
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

/// The host that the request is for; bytes that are no text name none of our hosts.
fn host_of<'r>(uri: &'r Uri, headers: &'r HeaderMap) -> Option<&'r str> {
    let header = || headers.get(header::HOST).map(|value| value.to_str().unwrap_or_default());
    uri.host().or_else(header)
}

/// `[::1]:8787` gives `::1`, `example.org:443` gives `example.org`.
fn bare_host(named: &str) -> &str {
    let named = named.trim();
    if let Some(rest) = named.strip_prefix('[') {
        return rest.split(']').next().unwrap_or_default();
    }
    let bare = named.rsplit_once(':').filter(|(host, _)| !host.contains(':')).map_or(named, |(host, _)| host);
    bare.trim_end_matches('.')
}

/// The hosts that this service has, beside the names of this machine.
#[derive(Debug)]
pub(crate) struct Hosts {
    any: bool,
    /// Of both public URLs and of the settings, without ports.
    known: Vec<String>,
}

impl Hosts {
    pub(crate) fn of(settings: &Settings) -> Self {
        let public = [&settings.base_url, &settings.api_url].into_iter().filter_map(|base| url::Url::parse(base).ok());
        let public = public.filter_map(|base| base.host_str().map(|host| bare_host(host).to_owned()));
        let further = settings.allowed_hosts.iter().map(|host| bare_host(host).to_owned());
        Self { any: settings.any_host, known: public.chain(further).collect() }
    }

    /// Whether a request for this host is answered: one of ours, any where none is configured beyond loopback, or none at all.
    pub(crate) fn answers(&self, host: Option<&str>) -> bool {
        host.is_none_or(|host| self.any || self.known(host))
    }

    /// Loopback names and the configured hosts, whatever else is answered.
    pub(crate) fn known(&self, host: &str) -> bool {
        let host = bare_host(host);
        is_loopback_name(host) || self.known.iter().any(|known| known.eq_ignore_ascii_case(host))
    }
}

/// `localhost`, `127.0.0.0/8` and `::1`.
fn is_loopback_name(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost") || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// A client's own id when it is short and plain, else a random one.
pub(crate) fn request_id(headers: &HeaderMap) -> HeaderValue {
    let plain = |id: &&HeaderValue| {
        let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
        !id.is_empty() && id.len() <= REQUEST_ID_CHARS_MAX && id.as_bytes().iter().all(plain)
    };
    headers.get(REQUEST_ID).filter(plain).cloned().unwrap_or_else(|| {
        let random = refdesk_core::hash::hex(&rand::random::<u64>().to_be_bytes());
        HeaderValue::try_from(random).unwrap_or(HeaderValue::from_static("none"))
    })
}

/// The answer to any OPTIONS request.
pub(crate) fn preflight(path: &str) -> Response {
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

/// The problem document with what only the outermost layer knows.
pub(crate) fn written(problem: Problem, uri: &Uri, id: &str) -> Response {
    let mut document = problem.document();
    document.insert("instance".into(), refdesk_core::clean::excerpt(uri.path(), 200).into());
    document.insert("request_id".into(), id.into());
    let mut response = Response::new(Body::from(serde_json::Value::Object(document).to_string()));
    *response.status_mut() = problem.status;
    *response.headers_mut() = *problem.headers;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Headers of every answer that does not set its own.
pub(crate) static STANDING: LazyLock<HeaderMap> = LazyLock::new(|| {
    let standing = [
        (header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
        (header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::CONTENT_SECURITY_POLICY, DATA_POLICY),
    ];
    standing.into_iter().map(|(name, value)| (name, HeaderValue::from_static(value))).collect()
});

/// Gives an answer the headers that every answer has.
pub(crate) fn finish(response: &mut Response, id: HeaderValue) {
    let headers = response.headers_mut();
    headers.insert(REQUEST_ID, id);
    // Data answers begin as a copy of them, which is cheaper than one insertion after the other.
    if !headers.contains_key(header::REFERRER_POLICY) {
        for (name, value) in STANDING.iter() {
            headers.entry(name).or_insert_with(|| value.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Hosts;
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
            assert_eq!(Hosts::of(&settings).answers(Some(host)), answered, "{host}");
        }
    }
}
