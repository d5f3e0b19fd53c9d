//! Headers that answers share: security headers, caching, and a template that data answers start from.

use std::hash::{DefaultHasher, Hash as _};
use std::sync::LazyLock;

use http::{HeaderMap, HeaderName, HeaderValue, header};

use super::cors::CorsPolicy;
use crate::negotiation::JSON;
use crate::settings::Settings;

/// The id of a request, in its answer and in the log.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Content security policy of pages that show upstream text: they load, run and embed nothing.
pub(crate) const PAGE_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox";
/// Content security policy of the pages for people: their own sheet and scripts, and nothing that makes markup of text.
pub(crate) const WEB_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
/// Content security policy of every answer that is not a page.
const DATA_POLICY: &str = "default-src 'none'; frame-ancestors 'none'";

/// Security headers of every answer that does not set its own.
pub(crate) static SECURITY_HEADERS: LazyLock<HeaderMap> = LazyLock::new(|| {
    let headers = [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::CONTENT_SECURITY_POLICY, DATA_POLICY),
    ];
    headers.into_iter().map(|(name, value)| (name, HeaderValue::from_static(value))).collect()
});

/// What the data answers of a service share. Copying the headers of a template costs less than inserting them one by one.
pub(crate) struct ResponseTemplate {
    /// A hasher that has consumed what every entity tag depends on besides its answer.
    pub(crate) entity_tag_seed: DefaultHasher,
    /// The headers of a JSON answer; the response builder replaces the entity tag, and the middleware the request id.
    pub(crate) headers: HeaderMap,
    /// `Cache-Control` of an answer to a caller with a key.
    pub(crate) private_cache_control: HeaderValue,
}

impl ResponseTemplate {
    pub(super) fn new(settings: &Settings, cors: &CorsPolicy) -> Self {
        let mut entity_tag_seed = DefaultHasher::new();
        (&settings.base_url, &settings.api_url, env!("CARGO_PKG_VERSION")).hash(&mut entity_tag_seed);
        (&settings.web_title, settings.web_index).hash(&mut entity_tag_seed);
        let max_age = i64::from(settings.max_age_secs);
        let mut headers = SECURITY_HEADERS.clone();
        cors.add_static_headers(&mut headers);
        headers.insert(REQUEST_ID, HeaderValue::from_static(""));
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(JSON));
        headers.insert(header::ETAG, HeaderValue::from_static(""));
        headers.insert(header::CACHE_CONTROL, cache_control("public", max_age));
        headers.insert(header::VARY, HeaderValue::from_static("Accept, Accept-Encoding, Authorization, X-Api-Key"));
        Self { entity_tag_seed, headers, private_cache_control: cache_control("private", max_age) }
    }
}

/// The value of `Cache-Control`; `scope` is `public` or `private`.
pub(crate) fn cache_control(scope: &str, max_age_secs: i64) -> HeaderValue {
    // The text is ASCII; should that change, not caching is the safe answer.
    HeaderValue::try_from(format!("{scope}, max-age={max_age_secs}")).unwrap_or(HeaderValue::from_static("no-cache"))
}
