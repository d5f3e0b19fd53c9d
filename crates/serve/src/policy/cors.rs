//! Cross-origin resource sharing (CORS): which web pages a browser lets read answers. A desk on loopback or behind keys may hold what its
//! user does not want every page to read, so the default is none; a public desk allows `*`.

use axum::response::Response;
use http::{HeaderMap, HeaderName, HeaderValue, header};

/// Headers that browsers may read across origins.
const EXPOSED_HEADERS: &str =
    "ETag, Link, RateLimit, RateLimit-Policy, Refdesk-Warnings, Retry-After, X-Request-Id, WWW-Authenticate";
const CROSS_ORIGIN_RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// The origins whose pages may read answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CorsPolicy {
    /// All of them.
    Any,
    /// Only these, as browsers send them: `https://app.example`, with the port unless it is the default one.
    Listed(Vec<String>),
}

/// Parses an origin that an operator configured into the form that browsers send.
///
/// # Errors
/// When it is not the origin of a web page: a scheme and a host, without a path.
pub fn parse_origin(text: &str) -> Result<String, String> {
    let wrong = || format!("{text:?} is not an origin; write it as https://app.example, or * for any");
    let url = url::Url::parse(text.trim()).map_err(|_| wrong())?;
    let bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
    let nameless = url.username().is_empty() && url.password().is_none();
    let is_page = matches!(url.scheme(), "http" | "https");
    if bare && nameless && is_page { Ok(url.origin().ascii_serialization()) } else { Err(wrong()) }
}

impl CorsPolicy {
    /// The policy of a list of origins; `*` in it allows all.
    pub(crate) fn new(origins: &[String]) -> Self {
        if origins.iter().any(|origin| origin.trim() == "*") {
            return Self::Any;
        }
        Self::Listed(origins.iter().filter_map(|text| parse_origin(text).ok()).collect())
    }

    /// Whether pages of the origin that a request sends may read its answer.
    pub(crate) fn allows(&self, sent: &HeaderValue) -> bool {
        match self {
            Self::Any => true,
            Self::Listed(origins) => {
                origins.iter().any(|origin| origin.as_bytes().eq_ignore_ascii_case(sent.as_bytes()))
            }
        }
    }

    /// Adds the headers that do not depend on the request.
    pub(crate) fn add_static_headers(&self, headers: &mut HeaderMap) {
        let policy = if *self == Self::Any {
            headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
            headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED_HEADERS));
            "cross-origin"
        } else {
            "same-origin"
        };
        headers.insert(CROSS_ORIGIN_RESOURCE_POLICY, HeaderValue::from_static(policy));
    }

    /// Adds the headers that depend on the origin of the request.
    pub(crate) fn add_headers(&self, response: &mut Response, request: &HeaderMap) {
        let Self::Listed(origins) = self else { return };
        if origins.is_empty() {
            return;
        }
        let headers = response.headers_mut();
        headers.append(header::VARY, HeaderValue::from_static("Origin"));
        let mut sent = request.get_all(header::ORIGIN).iter();
        if let (Some(origin), None) = (sent.next(), sent.next())
            && self.allows(origin)
        {
            headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
            headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED_HEADERS));
        }
    }
}

/// The headers of a request that [`CorsPolicy::add_headers`] reads.
pub(crate) fn origin_headers(headers: &HeaderMap) -> HeaderMap {
    headers.get_all(header::ORIGIN).iter().map(|origin| (header::ORIGIN, origin.clone())).collect()
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::{CorsPolicy, parse_origin};

    #[test]
    fn origins_are_compared_as_browsers_write_them() {
        let cors = CorsPolicy::new(&["https://App.example:443/".to_owned(), "http://localhost:3000".to_owned()]);
        for (sent, allowed) in [
            ("https://app.example", true),
            ("https://app.example:444", false),
            ("http://app.example", false),
            ("http://localhost:3000", true),
            ("http://localhost", false),
            ("https://app.example.evil.example", false),
            ("null", false),
        ] {
            assert_eq!(cors.allows(&HeaderValue::from_static(sent)), allowed, "{sent}");
        }
        assert_eq!(CorsPolicy::new(&["*".to_owned()]), CorsPolicy::Any);
        assert_eq!(CorsPolicy::new(&[]), CorsPolicy::Listed(Vec::new()));
    }

    #[test]
    fn what_is_no_origin_is_told() {
        for text in ["app.example", "https://app.example/path", "ftp://app.example", "https://a:b@app.example", "null"]
        {
            assert!(parse_origin(text).is_err_and(|error| error.contains("https://app.example")), "{text}");
        }
    }
}
