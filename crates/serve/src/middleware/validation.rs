//! Request validation: sizes, the host, and the method, before anything is looked up.

use http::request::Parts;
use http::{Method, StatusCode, Uri, header};

use crate::api::health;
use crate::http::MCP_PATH;
use crate::http::problem::{Problem, ProblemCode};
use crate::http::scoped_path::ScopedPath;
use crate::policy::hosts::{HostVerdict, host_without_port};
use crate::routes::Route;
use crate::settings::Settings;
use crate::state::AppState;

/// Most headers of a request; hyper's own limit.
const HEADERS_MAX: usize = 100;
/// Methods of the REST paths.
pub(super) const REST_METHODS: &str = "GET, HEAD, OPTIONS";

/// The problem of a request that is refused before anything is looked up.
pub(super) fn refuse(state: &AppState, parts: &Parts) -> Option<Problem> {
    let (settings, method, uri, headers) = (&state.settings, &parts.method, &parts.uri, &parts.headers);
    if uri.path().len() > settings.path_bytes_max || uri_bytes(uri) > settings.uri_bytes_max {
        return Some(uri_too_long(settings));
    }
    let header_bytes: usize = headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
    if header_bytes > settings.header_bytes_max {
        return Some(headers_too_large(settings));
    }
    match host_of(parts).map(|host| state.policies.hosts.check(host)) {
        Some(HostVerdict::Allowed) => {}
        Some(HostVerdict::NotAllowed) => {
            return Some(
                Problem::new(
                    ProblemCode::HostNotAllowed,
                    "host not allowed",
                    "The Host header names a host that is not this service's.",
                )
                .hint("Operators: add the name with --allowed-hosts, REFDESK_ALLOWED_HOSTS or base_url."),
            );
        }
        Some(HostVerdict::Malformed) | None => {
            let detail =
                "A request names its host in exactly one Host header: a name or an address, and a port or none.";
            return Some(malformed(detail).hint("Send one Host header, such as Host: localhost:8787."));
        }
    }
    let rest_methods = [Method::GET, Method::HEAD, Method::OPTIONS];
    (ScopedPath::from_uri(uri).path != MCP_PATH && !rest_methods.contains(method))
        .then(|| Problem::method_not_allowed(REST_METHODS))
}

/// Length of a URI as it was sent, or slightly more, in bytes.
fn uri_bytes(uri: &Uri) -> usize {
    let scheme = uri.scheme_str().map_or(0, |scheme| scheme.len() + "://".len());
    let authority = uri.authority().map_or(0, |authority| authority.as_str().len());
    scheme + authority + uri.path_and_query().map_or(1, |target| target.as_str().len())
}

/// Why a node that only syncs does not answer: 503 for everything but health, version and metrics.
pub(super) fn not_serving(state: &AppState, route: Option<&Route>) -> Option<Problem> {
    if state.node.role().is_reader() || route.is_some_and(|route| health::PATHS.contains(&route.template)) {
        return None;
    }
    let detail = "This node syncs and builds; it answers /health, /livez, /readyz, /version and /metrics only.";
    let problem = Problem::new(ProblemCode::NotServing, "not serving", detail);
    Some(problem.hint("Ask a node whose role is `all` or `reader`."))
}

/// The host that the request names, as it was sent. `None` unless it is named exactly once: a proxy may have checked another one.
fn host_of(parts: &Parts) -> Option<&str> {
    let target = parts.uri.authority().map(http::uri::Authority::as_str);
    if parts.version >= http::Version::HTTP_2 && target.is_some() {
        return target;
    }
    let mut sent = parts.headers.get_all(header::HOST).iter();
    let (Some(named), None) = (sent.next(), sent.next()) else { return None };
    let named = named.to_str().ok()?;
    // The target wins over the header, which must be a host all the same.
    target.map_or(Some(named), |target| host_without_port(named).and(Some(target)))
}

/// 400 for what is not a valid HTTP request.
fn malformed(detail: &str) -> Problem {
    Problem::new(ProblemCode::MalformedRequest, "malformed request", detail)
}

fn uri_too_long(settings: &Settings) -> Problem {
    let detail = format!(
        "The most is {} bytes of path and {} of the whole URI.",
        settings.path_bytes_max, settings.uri_bytes_max
    );
    Problem::new(ProblemCode::UriTooLong, "URI too long", detail).hint("Shorten q or the id.")
}

fn headers_too_large(settings: &Settings) -> Problem {
    let detail = format!(
        "All headers together may have {} bytes, and there may be {HEADERS_MAX} of them.",
        settings.header_bytes_max
    );
    Problem::new(ProblemCode::HeadersTooLarge, "headers too large", detail).hint("Send fewer headers or cookies.")
}

/// The problem of bytes that could not be parsed as a request, by the status of the response.
pub(super) fn malformed_request(settings: &Settings, status: StatusCode) -> Problem {
    match status {
        StatusCode::URI_TOO_LONG => uri_too_long(settings),
        StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => headers_too_large(settings),
        StatusCode::REQUEST_TIMEOUT => {
            let detail = "The headers did not come in time.";
            Problem::new(ProblemCode::RequestTimeout, "request timeout", detail)
                .hint("Send the request whole, at once.")
        }
        _ => malformed("This is not an HTTP/1.1 request.").hint("Send a request as RFC 9112 describes it; in an address, percent-encode what it cannot hold: %20 for a blank, %22 for a quotation mark, %3C for <, %3E for >."),
    }
}
