//! What holds for every request and answer: request ids, sizes, hosts, methods, the body of problems, security headers.

use std::net::{IpAddr, Ipv6Addr};
use std::sync::LazyLock;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use futures::FutureExt as _;
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use http_body_util::BodyExt as _;

use crate::cors::Cors;
use crate::desk::{Desk, Settings};
use crate::problem::{Code, MEDIA_TYPE, Problem};

/// The id of a request, in its answer and in the log.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Longest request id that is taken over from a client, in characters.
const REQUEST_ID_CHARS_MAX: usize = 64;
/// Most headers of a request; hyper's own limit.
const HEADERS_MAX: usize = 100;
/// Policy of pages that hold upstream text: nothing loads, nothing runs, nothing frames.
pub(crate) const PAGE_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox";
/// Policy of everything that is no page.
const DATA_POLICY: &str = "default-src 'none'; frame-ancestors 'none'";
/// Methods of the REST paths.
pub(crate) const READ_METHODS: &str = "GET, HEAD, OPTIONS";
/// Path of the MCP endpoint, which has methods of its own.
pub(crate) const MCP_PATH: &str = "/mcp";

/// What is refused before anything is looked up.
pub(crate) fn refused(desk: &Desk, parts: &Parts) -> Option<Problem> {
    let (settings, method, uri, headers) = (&desk.settings, &parts.method, &parts.uri, &parts.headers);
    if uri.path().len() > settings.path_bytes_max || uri_bytes(uri) > settings.uri_bytes_max {
        return Some(uri_too_long(settings));
    }
    let header_bytes: usize = headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
    if header_bytes > settings.header_bytes_max {
        return Some(headers_too_large(settings));
    }
    match host_of(parts).map(|host| desk.hosts.answers(host)) {
        Some(Answers::Yes) => {}
        Some(Answers::No) => {
            return Some(
                Problem::new(
                    StatusCode::FORBIDDEN,
                    Code::HostNotAllowed,
                    "host not allowed",
                    "The Host header names a host that is not this service's.",
                )
                .hint("Operators: add the name with --allowed-hosts, REFDESK_ALLOWED_HOSTS or base_url."),
            );
        }
        Some(Answers::Malformed) | None => {
            let detail =
                "A request names its host in exactly one Host header: a name or an address, and a port or none.";
            return Some(malformed(detail).hint("Send one Host header, such as Host: localhost:8787."));
        }
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

/// The host that the request is for, as it was sent. `None` when it is not named once: what a proxy checked might be another one then.
fn host_of(parts: &Parts) -> Option<&str> {
    let target = parts.uri.authority().map(http::uri::Authority::as_str);
    if parts.version >= http::Version::HTTP_2 && target.is_some() {
        return target;
    }
    let mut sent = parts.headers.get_all(header::HOST).iter();
    let (Some(named), None) = (sent.next(), sent.next()) else { return None };
    let named = named.to_str().ok()?;
    // The target wins over the header, and the header has to be one all the same.
    target.map_or(Some(named), |target| bare_host(named).and(Some(target)))
}

/// `[::1]:8787` gives `::1`, `example.org:443` gives `example.org`; `None` for what is no host and port.
fn bare_host(named: &str) -> Option<&str> {
    let named = named.trim();
    let (host, port) = match named.strip_prefix('[') {
        Some(rest) => rest.split_once(']').filter(|(inside, _)| inside.parse::<Ipv6Addr>().is_ok())?,
        None => named.find(':').map_or((named, ""), |at| named.split_at(at)),
    };
    let is_port =
        |port: &str| port.bytes().all(|byte| byte.is_ascii_digit()) && (port.is_empty() || port.parse::<u16>().is_ok());
    let has_port = port.is_empty() || port.strip_prefix(':').is_some_and(is_port);
    (has_port && !host.is_empty()).then_some(host.trim_end_matches('.'))
}

/// What a host is to this service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answers {
    Yes,
    No,
    /// It is no host.
    Malformed,
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
        let public = public.filter_map(|base| bare_host(base.host_str()?).map(str::to_owned));
        let further = settings.allowed_hosts.iter().filter_map(|host| bare_host(host).map(str::to_owned));
        Self { any: settings.any_host, known: public.chain(further).collect() }
    }

    /// Whether a request for this host is answered: one of ours, or any where none is configured beyond loopback.
    pub(crate) fn answers(&self, named: &str) -> Answers {
        let Some(host) = bare_host(named) else { return Answers::Malformed };
        if self.knows(host) {
            return Answers::Yes;
        }
        match (host.parse::<Ipv6Addr>().is_err() && url::Host::parse(host).is_err(), self.any) {
            (true, _) => Answers::Malformed,
            (false, true) => Answers::Yes,
            (false, false) => Answers::No,
        }
    }

    /// Loopback names and the configured hosts, whatever else is answered.
    pub(crate) fn known(&self, named: &str) -> bool {
        bare_host(named).is_some_and(|host| self.knows(host))
    }

    fn knows(&self, host: &str) -> bool {
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
pub(crate) fn preflight(desk: &Desk, parts: &Parts) -> Response {
    let mut response = StatusCode::NO_CONTENT.into_response();
    let headers = response.headers_mut();
    let allow = if parts.uri.path() == MCP_PATH { "POST, OPTIONS" } else { READ_METHODS };
    headers.insert(header::ALLOW, HeaderValue::from_static(allow));
    if parts.headers.get(header::ORIGIN).is_none_or(|origin| !desk.cors.allows(origin)) && desk.cors != Cors::Any {
        return response;
    }
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, HEAD, OPTIONS, POST"));
    let allowed = "Accept, Authorization, Content-Type, If-None-Match, Mcp-Method, Mcp-Name, MCP-Protocol-Version, X-Api-Key, X-Request-Id";
    headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(allowed));
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400"));
    response
}

/// 400 for what is no request of HTTP.
fn malformed(detail: &str) -> Problem {
    Problem::new(StatusCode::BAD_REQUEST, Code::MalformedRequest, "malformed request", detail)
}

fn uri_too_long(settings: &Settings) -> Problem {
    let detail = format!(
        "The most is {} bytes of path and {} of the whole URI.",
        settings.path_bytes_max, settings.uri_bytes_max
    );
    Problem::new(StatusCode::URI_TOO_LONG, Code::UriTooLong, "URI too long", detail).hint("Shorten q or the id.")
}

fn headers_too_large(settings: &Settings) -> Problem {
    let detail = format!(
        "All headers together may have {} bytes, and there may be {HEADERS_MAX} of them.",
        settings.header_bytes_max
    );
    let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
    Problem::new(status, Code::HeadersTooLarge, "headers too large", detail).hint("Send fewer headers or cookies.")
}

/// The problem of what could not be read as a request, by the status that it gets.
pub(crate) fn unreadable(settings: &Settings, status: StatusCode) -> Problem {
    match status {
        StatusCode::URI_TOO_LONG => uri_too_long(settings),
        StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => headers_too_large(settings),
        StatusCode::REQUEST_TIMEOUT => {
            let detail = "The headers did not come in time.";
            Problem::new(status, Code::RequestTimeout, "request timeout", detail)
                .hint("Send the request whole, at once.")
        }
        _ => malformed("What came is no HTTP/1.1 request.").hint("Send a request as RFC 9112 describes it."),
    }
}

/// An answer as it goes over the wire, of one that is not sent by hyper.
pub(crate) fn on_the_wire(response: Response) -> Vec<u8> {
    let (parts, body) = response.into_parts();
    let body =
        body.collect().now_or_never().and_then(Result::ok).map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let reason = parts.status.canonical_reason().unwrap_or("Error");
    let mut wire = format!("HTTP/1.1 {} {reason}\r\n", parts.status.as_u16()).into_bytes();
    let mut line = |name: &str, value: &[u8]| {
        wire.extend_from_slice(name.as_bytes());
        wire.extend_from_slice(b": ");
        wire.extend_from_slice(value);
        wire.extend_from_slice(b"\r\n");
    };
    for (name, value) in &parts.headers {
        line(name.as_str(), value.as_bytes());
    }
    line("content-length", body.len().to_string().as_bytes());
    line("date", jiff::Timestamp::now().strftime("%a, %d %b %Y %H:%M:%S GMT").to_string().as_bytes());
    wire.extend_from_slice(b"\r\n");
    wire.extend_from_slice(&body);
    wire
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
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::CONTENT_SECURITY_POLICY, DATA_POLICY),
    ];
    standing.into_iter().map(|(name, value)| (name, HeaderValue::from_static(value))).collect()
});

/// Gives an answer the headers that every answer has. `asked` has the origin of the request.
pub(crate) fn finish(desk: &Desk, response: &mut Response, asked: &HeaderMap, id: HeaderValue) {
    let headers = response.headers_mut();
    headers.insert(REQUEST_ID, id);
    // Data answers begin as a copy of them, which is cheaper than one insertion after the other.
    if !headers.contains_key(header::REFERRER_POLICY) {
        for (name, value) in STANDING.iter() {
            headers.entry(name).or_insert_with(|| value.clone());
        }
        desk.cors.standing(headers);
    }
    desk.cors.answer(response, asked);
}

#[cfg(test)]
mod tests {
    use super::{Answers, Hosts};
    use crate::desk::Settings;

    #[test]
    fn only_loopback_and_configured_hosts_are_answered() {
        let settings = Settings {
            base_url: "https://desk.example.org".into(),
            allowed_hosts: vec!["api.example.org:8443".into()],
            ..Settings::default()
        };
        for (host, answered) in [
            ("localhost:8787", Answers::Yes),
            ("localhost.", Answers::Yes),
            ("127.0.0.1", Answers::Yes),
            ("[::1]:80", Answers::Yes),
            ("DESK.example.org", Answers::Yes),
            ("api.example.org", Answers::Yes),
            ("evil.example", Answers::No),
            ("localhost.evil.example", Answers::No),
            ("0.0.0.0:8787", Answers::No),
            ("[2001:db8::1]", Answers::No),
            ("[::1].evil.example", Answers::Malformed),
            ("[::1]evil.example", Answers::Malformed),
            ("[::1", Answers::Malformed),
            ("::1", Answers::Malformed),
            ("[localhost]", Answers::Malformed),
            ("localhost:http", Answers::Malformed),
            ("localhost:99999", Answers::Malformed),
            ("localhost:80:80", Answers::Malformed),
            ("user@localhost", Answers::Malformed),
            ("local host", Answers::Malformed),
            ("localhost/evil", Answers::Malformed),
            ("", Answers::Malformed),
            (":80", Answers::Malformed),
        ] {
            assert_eq!(Hosts::of(&settings).answers(host), answered, "{host}");
            let anywhere = Hosts::of(&Settings { any_host: true, ..settings.clone() }).answers(host);
            assert_eq!(anywhere == Answers::Malformed, answered == Answers::Malformed, "{host}: any host is a host");
        }
    }
}
