//! Which pages of other origins a browser lets read answers (CORS), and load them at all. A desk on loopback or behind keys holds what its
//! user may not want every page to read, so the default is none; a public desk names `*`.

use axum::response::Response;
use http::{HeaderMap, HeaderName, HeaderValue, header};

/// Headers that browsers may read across origins.
const EXPOSED: &str = "ETag, Link, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id, WWW-Authenticate";
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// Origins whose pages may read answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Cors {
    /// Any.
    Any,
    /// These, as browsers write them: `https://app.example`, with the port where it is not the usual one.
    Listed(Vec<String>),
}

/// An origin as browsers write it, of what an operator wrote.
///
/// # Errors
/// When it is no origin of a page: that has a scheme and a host, and no path.
pub fn origin(text: &str) -> Result<String, String> {
    let wrong = || format!("{text:?} is no origin; write it as https://app.example, or * for any");
    let url = url::Url::parse(text.trim()).map_err(|_| wrong())?;
    let bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
    let nameless = url.username().is_empty() && url.password().is_none();
    let is_page = matches!(url.scheme(), "http" | "https");
    if bare && nameless && is_page { Ok(url.origin().ascii_serialization()) } else { Err(wrong()) }
}

impl Cors {
    /// `*` among them is any.
    pub(crate) fn of(origins: &[String]) -> Self {
        if origins.iter().any(|origin| origin.trim() == "*") {
            return Self::Any;
        }
        Self::Listed(origins.iter().filter_map(|text| origin(text).ok()).collect())
    }

    /// Whether pages of the origin that a request names may read its answer.
    pub(crate) fn allows(&self, sent: &HeaderValue) -> bool {
        match self {
            Self::Any => true,
            Self::Listed(origins) => {
                origins.iter().any(|origin| origin.as_bytes().eq_ignore_ascii_case(sent.as_bytes()))
            }
        }
    }

    /// What every answer has, whoever asks.
    pub(crate) fn standing(&self, headers: &mut HeaderMap) {
        let policy = if *self == Self::Any {
            headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
            headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
            "cross-origin"
        } else {
            "same-origin"
        };
        headers.insert(RESOURCE_POLICY, HeaderValue::from_static(policy));
    }

    /// What the answer to a request of a page has beside that.
    pub(crate) fn answer(&self, response: &mut Response, asked: &HeaderMap) {
        let Self::Listed(origins) = self else { return };
        if origins.is_empty() {
            return;
        }
        let headers = response.headers_mut();
        headers.append(header::VARY, HeaderValue::from_static("Origin"));
        let mut sent = asked.get_all(header::ORIGIN).iter();
        if let (Some(origin), None) = (sent.next(), sent.next())
            && self.allows(origin)
        {
            headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
            headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
        }
    }
}

/// The headers of a request that [`Cors::answer`] looks at.
pub(crate) fn origins_of(headers: &HeaderMap) -> HeaderMap {
    headers.get_all(header::ORIGIN).iter().map(|origin| (header::ORIGIN, origin.clone())).collect()
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::{Cors, origin};

    #[test]
    fn origins_are_compared_as_browsers_write_them() {
        let cors = Cors::of(&["https://App.example:443/".to_owned(), "http://localhost:3000".to_owned()]);
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
        assert_eq!(Cors::of(&["*".to_owned()]), Cors::Any);
        assert_eq!(Cors::of(&[]), Cors::Listed(Vec::new()));
    }

    #[test]
    fn what_is_no_origin_is_told() {
        for text in ["app.example", "https://app.example/path", "ftp://app.example", "https://a:b@app.example", "null"]
        {
            assert!(origin(text).is_err_and(|error| error.contains("https://app.example")), "{text}");
        }
    }
}
