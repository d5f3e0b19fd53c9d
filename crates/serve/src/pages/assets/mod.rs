//! What pages load: a sheet, two scripts, a picture for link previews. Their names hold a hash of their bytes, so that they can be kept for
//! a year; `/favicon.svg` has the name that browsers ask for.

use std::sync::LazyLock;

use axum::response::{IntoResponse as _, Response};
use http::{HeaderValue, header};

use crate::http::problem::Problem;
use crate::http::request::ApiRequest;
use crate::negotiation::ContentEncoding;
use bytes::Bytes;

/// Where they are.
const FOLDER: &str = "/assets/";
/// Hexadecimal digits of the hash in a name.
const HASH_DIGITS: usize = 16;
/// Their names change with their bytes, so nobody has to ask again.
const FOR_EVER: &str = "public, max-age=31536000, immutable";
/// One day: the name stays when the picture changes.
const FOR_A_DAY: &str = "public, max-age=86400";

/// A file of the pages.
pub(crate) struct Asset {
    /// Its path below the root of the desk.
    pub(crate) path: String,
    media_type: &'static str,
    bytes: &'static [u8],
    /// In each content coding, compressed once; pictures are compressed by themselves.
    encoded: Vec<(ContentEncoding, Bytes)>,
}

impl Asset {
    fn new(stem: &str, ending: &str, media_type: &'static str, bytes: &'static [u8]) -> Self {
        let hash = refdesk_core::hash::content_hash(bytes);
        let digits = hash.trim_start_matches("sha256:").get(..HASH_DIGITS).unwrap_or_default();
        let is_text = media_type.starts_with("text/");
        let codings = [ContentEncoding::Gzip, ContentEncoding::Brotli, ContentEncoding::Zstd];
        let encode = |coding: ContentEncoding| Some((coding, coding.encode(&[Bytes::from_static(bytes)])?));
        let encoded = codings.into_iter().filter(|_| is_text).filter_map(encode).collect();
        Self { path: format!("{FOLDER}{stem}-{digits}.{ending}"), media_type, bytes, encoded }
    }
}

/// The style sheet.
pub(crate) static STYLE: LazyLock<Asset> =
    LazyLock::new(|| Asset::new("style", "css", "text/css; charset=utf-8", include_bytes!("style.css")));
/// Suggestions, copy buttons, theme and shortcuts.
pub(crate) static SCRIPT: LazyLock<Asset> =
    LazyLock::new(|| Asset::new("app", "js", "text/javascript; charset=utf-8", include_bytes!("app.js")));
/// Sets the theme before anything is painted.
pub(crate) static THEME: LazyLock<Asset> =
    LazyLock::new(|| Asset::new("theme", "js", "text/javascript; charset=utf-8", include_bytes!("theme.js")));
/// The picture of link previews.
pub(crate) static CARD: LazyLock<Asset> =
    LazyLock::new(|| Asset::new("card", "png", "image/png", include_bytes!("card.png")));

/// A file by its hashed name.
pub(crate) fn asset(request: &ApiRequest) -> Result<Response, Problem> {
    let all = [&*STYLE, &*SCRIPT, &*THEME, &*CARD];
    let asset = all.into_iter().find(|asset| asset.path == request.uri.path()).ok_or_else(Problem::unknown_endpoint)?;
    let preferred = ContentEncoding::preferred(&request.headers);
    let encoded = asset.encoded.iter().find(|(coding, _)| *coding == preferred);
    let body = encoded.map_or(Bytes::from_static(asset.bytes), |(_, body)| body.clone());
    let mut response = file(asset.media_type, body, FOR_EVER);
    let headers = response.headers_mut();
    headers.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    if let Some(token) = encoded.and_then(|(coding, _)| coding.token()) {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(token));
    }
    Ok(response)
}

/// The icon.
pub(crate) fn favicon() -> Response {
    file("image/svg+xml", Bytes::from_static(include_bytes!("favicon.svg")), FOR_A_DAY)
}

fn file(media_type: &'static str, body: Bytes, cache_control: &'static str) -> Response {
    ([(header::CONTENT_TYPE, media_type), (header::CACHE_CONTROL, cache_control)], body).into_response()
}
