//! Data answers: entity tags, 304, caching, encodings. Contract section 10.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use refdesk_core::snapshot::Snapshot;

use crate::desk::{Desk, Settings};
use crate::encode::Encoding;

/// JSON in UTF-8.
pub(crate) const JSON: &str = "application/json";

/// What a data answer needs to know of its request.
pub(crate) struct Asked<'a> {
    pub(crate) desk: &'a Desk,
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) headers: &'a HeaderMap,
    pub(crate) uri: &'a Uri,
    /// The request was authenticated with a key, so that shared caches must not keep the answer.
    pub(crate) keyed: bool,
}

/// What the data answers of a desk have in common, worked out once.
pub(crate) struct Common {
    /// Has read what every entity tag depends on beside its answer.
    tags: DefaultHasher,
    /// The headers of an answer; the request replaces the tag.
    headers: HeaderMap,
    /// `Cache-Control` of an answer to a caller with a key.
    private: HeaderValue,
}

impl Common {
    pub(crate) fn of(settings: &Settings) -> Self {
        let mut tags = DefaultHasher::new();
        (&settings.base_url, &settings.api_url, env!("CARGO_PKG_VERSION")).hash(&mut tags);
        let max_age = i64::from(settings.max_age_secs);
        let mut headers = crate::guard::STANDING.clone();
        headers.insert(crate::guard::REQUEST_ID, HeaderValue::from_static(""));
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(JSON));
        headers.insert(header::ETAG, HeaderValue::from_static(""));
        headers.insert(header::CACHE_CONTROL, cache_control("public", max_age));
        headers.insert(header::VARY, HeaderValue::from_static("Accept, Accept-Encoding, Authorization, X-Api-Key"));
        Self { tags, headers, private: cache_control("private", max_age) }
    }
}

fn cache_control(scope: &str, max_age: i64) -> HeaderValue {
    HeaderValue::try_from(format!("{scope}, max-age={max_age}")).unwrap_or(HeaderValue::from_static("no-cache"))
}

impl Asked<'_> {
    fn target(&self) -> &str {
        self.uri.path_and_query().map_or("/", http::uri::PathAndQuery::as_str)
    }

    /// What the strong entity tags of this target in this revision have in common. They tell apart the representations of one target,
    /// never two targets, so the hash need not withstand anybody.
    fn tag_stem(&self, media_type: &str, beyond: &str) -> String {
        let mut hasher = self.desk.replies.tags.clone();
        (self.target(), media_type, beyond).hash(&mut hasher);
        refdesk_core::hash::hex(&hasher.finish().to_be_bytes())
    }

    /// The entity tag of an encoding.
    fn tag(&self, stem: &str, encoding: Encoding) -> String {
        ["\"", self.snapshot.revision(), "-", stem, encoding.tag_suffix(), "\""].concat()
    }

    /// An answer of which `make` gives the pieces, if the client does not have it yet.
    pub(crate) fn data(&self, media_type: &'static str, make: impl FnOnce() -> Vec<Bytes>) -> Response {
        self.data_with(media_type, "", make)
    }

    /// The same for an answer that shows more than the snapshot, target and settings tell: `beyond` is that, in any words.
    pub(crate) fn data_with(
        &self,
        media_type: &'static str,
        beyond: &str,
        make: impl FnOnce() -> Vec<Bytes>,
    ) -> Response {
        let accepted = Encoding::accepted(self.headers);
        let stem = self.tag_stem(media_type, beyond);
        let tag = self.tag(&stem, accepted);
        let plain_tag = || self.tag(&stem, Encoding::Identity);
        if self.headers.contains_key(header::IF_NONE_MATCH)
            && let Some(held) = self.held([&tag, &plain_tag()])
        {
            return self.finish(StatusCode::NOT_MODIFIED, media_type, held, None, Body::empty());
        }
        if accepted != Encoding::Identity
            && let Some(body) = self.desk.encoded.get(&[self.target(), &tag].concat())
        {
            return self.finish(StatusCode::OK, media_type, tag, accepted.token(), Body::from(body));
        }
        let pieces = make();
        let bytes: usize = pieces.iter().map(Bytes::len).sum();
        if accepted != Encoding::Identity
            && bytes >= self.desk.settings.compress_from_bytes
            && let Some(body) = accepted.encode(&pieces)
        {
            self.desk.encoded.put(&[self.target(), &tag].concat(), &body);
            return self.finish(StatusCode::OK, media_type, tag, accepted.token(), Body::from(body));
        }
        let tag = if accepted == Encoding::Identity { tag } else { plain_tag() };
        self.finish(StatusCode::OK, media_type, tag, None, body_of(pieces))
    }

    /// The tag among ours that `If-None-Match` names.
    fn held(&self, tags: [&str; 2]) -> Option<String> {
        let named: Vec<&str> = self
            .headers
            .get_all(header::IF_NONE_MATCH)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .map(|tag| tag.trim().trim_start_matches("W/"))
            .collect();
        let held = tags.into_iter().find(|tag| named.iter().any(|named| named == tag || *named == "*"));
        held.map(str::to_owned)
    }

    fn finish(
        &self,
        status: StatusCode,
        media: &'static str,
        tag: String,
        encoding: Option<&'static str>,
        body: Body,
    ) -> Response {
        let mut response = Response::new(body);
        *response.status_mut() = status;
        *response.headers_mut() = self.desk.replies.headers.clone();
        let headers = response.headers_mut();
        if media != JSON {
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media));
        }
        if let Some(encoding) = encoding {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
        }
        if let Ok(tag) = HeaderValue::try_from(tag) {
            headers.insert(header::ETAG, tag);
        }
        if let Some(cache_control) = self.cache_control() {
            headers.insert(header::CACHE_CONTROL, cache_control);
        }
        response
    }

    /// `Cache-Control` where it is not the usual one: `max-age` ends where the first fact of the snapshot turns stale.
    fn cache_control(&self) -> Option<HeaderValue> {
        let max_age = i64::from(self.desk.settings.max_age_secs);
        let left = self.snapshot.next_stale_at().map_or(max_age, |at| at.secs_since(self.desk.now()));
        match (left >= max_age, self.keyed) {
            (true, false) => None,
            (true, true) => Some(self.desk.replies.private.clone()),
            (false, keyed) => Some(cache_control(if keyed { "private" } else { "public" }, left.max(0))),
        }
    }
}

/// Most answers are one piece, which needs no queue.
fn body_of(mut pieces: Vec<Bytes>) -> Body {
    match (pieces.pop(), pieces.is_empty()) {
        (Some(only), true) => Body::from(only),
        (last, _) => Body::new(Pieces::new(pieces.into_iter().chain(last))),
    }
}

/// A body of ready pieces with a known length: a list is sent as slices of the snapshot, without a copy.
pub(crate) struct Pieces {
    left: VecDeque<Bytes>,
    bytes: u64,
}

impl Pieces {
    pub(crate) fn new(pieces: impl IntoIterator<Item = Bytes>) -> Self {
        let left: VecDeque<Bytes> = pieces.into_iter().filter(|piece| !piece.is_empty()).collect();
        let bytes = left.iter().map(|piece| piece.len() as u64).sum();
        Self { left, bytes }
    }
}

impl http_body::Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Bytes>, Infallible>>> {
        let next = self.left.pop_front();
        if let Some(piece) = &next {
            self.bytes -= piece.len() as u64;
        }
        Poll::Ready(next.map(|piece| Ok(http_body::Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.left.is_empty()
    }

    fn size_hint(&self) -> http_body::SizeHint {
        http_body::SizeHint::with_exact(self.bytes)
    }
}
