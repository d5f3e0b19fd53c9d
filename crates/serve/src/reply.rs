//! Data answers: entity tags, 304, caching, encodings. `docs/api.md#http`.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use refdesk_catalog::snapshot::Snapshot;

use crate::cors::Cors;
use crate::desk::{Desk, Settings};
use crate::encode::Encoding;
use crate::hot::HotDetail;

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
    pub(crate) fn of(settings: &Settings, cors: &Cors) -> Self {
        let mut tags = DefaultHasher::new();
        (&settings.base_url, &settings.api_url, env!("CARGO_PKG_VERSION")).hash(&mut tags);
        let max_age = i64::from(settings.max_age_secs);
        let mut headers = crate::guard::STANDING.clone();
        cors.standing(&mut headers);
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

    /// The answer to a client that has what [`Asked::data`] would give.
    pub(crate) fn unchanged(&self, media_type: &'static str) -> Option<Response> {
        let held = self.held(&self.tag_stem(media_type, ""), Encoding::accepted(self.headers))?;
        Some(self.not_modified(media_type, held))
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
        if let Some(held) = self.held(&stem, accepted) {
            return self.not_modified(media_type, held);
        }
        // With the revision, since what was asked of the generation before may come after the next one.
        let key = || [self.target(), &self.tag(&stem, accepted)].concat();
        if accepted != Encoding::Identity
            && let Some(body) = self.desk.encoded.get(&key())
        {
            let tag = header_value(self.tag(&stem, accepted));
            return self.shown(media_type, tag, accepted, Body::from(body));
        }
        let Shown { tag, encoding, pieces } = self.represent(&stem, accepted, make());
        if encoding != Encoding::Identity {
            pieces.iter().for_each(|body| self.desk.encoded.put(&key(), body));
        }
        self.shown(media_type, tag, encoding, body_of(pieces))
    }

    /// The same for a detail that this target alone decides, in JSON: kept for [`kept_detail`].
    pub(crate) fn detail(&self, make: impl FnOnce() -> Bytes) -> Response {
        let accepted = Encoding::accepted(self.headers);
        let stem = self.tag_stem(JSON, "");
        if let Some(held) = self.held(&stem, accepted) {
            return self.not_modified(JSON, held);
        }
        let Shown { tag, encoding, pieces } = self.represent(&stem, accepted, vec![make()]);
        let current = self.desk.current();
        // Another generation may have come since this one was asked.
        if let [body] = pieces.as_slice()
            && std::ptr::eq(Arc::as_ptr(&current.snapshot), self.snapshot)
        {
            current.hot.put(self.target(), HotDetail::new(self.target(), accepted, encoding, &tag, body));
        }
        self.shown(JSON, tag, encoding, body_of(pieces))
    }

    /// A stored content as it is. Its entity tag is its own hash, so that who has the bytes can tell without asking for them.
    pub(crate) fn content(&self, media_type: &'static str, content_hash: &str, content: Bytes) -> Response {
        let accepted = Encoding::accepted(self.headers);
        let tag = |encoding: Encoding| ["\"", content_hash, encoding.tag_suffix(), "\""].concat();
        if let Some(held) = self.held_of([accepted, Encoding::Identity].map(tag)) {
            return self.not_modified(media_type, held);
        }
        let Shown { encoding, pieces, .. } = self.represent("", accepted, vec![content]);
        self.shown(media_type, header_value(tag(encoding)), encoding, body_of(pieces))
    }

    /// An answer in the accepted encoding, unless it is too small to gain by it.
    fn represent(&self, stem: &str, accepted: Encoding, pieces: Vec<Bytes>) -> Shown {
        let bytes: usize = pieces.iter().map(Bytes::len).sum();
        let encoded = (accepted != Encoding::Identity && bytes >= self.desk.settings.compress_from_bytes)
            .then(|| accepted.encode(&pieces))
            .flatten();
        let encoding = if encoded.is_some() { accepted } else { Encoding::Identity };
        let pieces = encoded.map_or(pieces, |body| vec![body]);
        Shown { tag: header_value(self.tag(stem, encoding)), encoding, pieces }
    }

    /// The tag among ours that `If-None-Match` names: of the accepted encoding, or of none.
    fn held(&self, stem: &str, accepted: Encoding) -> Option<String> {
        self.held_of([accepted, Encoding::Identity].map(|encoding| self.tag(stem, encoding)))
    }

    fn held_of(&self, ours: [String; 2]) -> Option<String> {
        let mut named = self.headers.get_all(header::IF_NONE_MATCH).iter().peekable();
        named.peek()?;
        let named: Vec<&str> = named
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .map(|tag| tag.trim().trim_start_matches("W/"))
            .collect();
        ours.into_iter().find(|tag| named.iter().any(|named| *named == tag.as_str() || *named == "*"))
    }

    fn not_modified(&self, media_type: &'static str, tag: String) -> Response {
        let mut response = self.shown(media_type, header_value(tag), Encoding::Identity, Body::empty());
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        response
    }

    fn shown(&self, media_type: &'static str, tag: HeaderValue, encoding: Encoding, body: Body) -> Response {
        let mut response = Response::new(body);
        *response.headers_mut() = self.desk.replies.headers.clone();
        let headers = response.headers_mut();
        if media_type != JSON {
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
        }
        if let Some(encoding) = encoding.token() {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
        }
        headers.insert(header::ETAG, tag);
        if let Some(cache_control) = self.cache_control() {
            headers.insert(header::CACHE_CONTROL, cache_control);
        }
        response
    }

    /// `Cache-Control` where it is not the usual one: `max-age` ends where the first fact of the snapshot turns stale.
    fn cache_control(&self) -> Option<HeaderValue> {
        let max_age = i64::from(self.desk.settings.max_age_secs);
        let left = self.snapshot.next_change_at().map_or(max_age, |at| at.secs_since(self.desk.now()));
        match (left >= max_age, self.keyed) {
            (true, false) => None,
            (true, true) => Some(self.desk.replies.private.clone()),
            (false, keyed) => Some(cache_control(if keyed { "private" } else { "public" }, left.max(0))),
        }
    }
}

/// An answer in an encoding, before its headers.
struct Shown {
    tag: HeaderValue,
    encoding: Encoding,
    pieces: Vec<Bytes>,
}

/// Of a tag, which has nothing that a header must not have.
fn header_value(tag: String) -> HeaderValue {
    HeaderValue::try_from(tag).unwrap_or(HeaderValue::from_static("\"\""))
}

/// The answer to a request for a detail that was sent before, when all that it asks for is this target and an encoding.
pub(crate) fn kept_detail(desk: &Desk, keyed: bool, parts: &Parts) -> Option<Response> {
    let Parts { uri, headers, .. } = parts;
    if headers.contains_key(header::IF_NONE_MATCH) {
        return None;
    }
    let current = desk.current();
    let asked = Asked { desk, snapshot: &current.snapshot, headers, uri, keyed };
    let kept = current.hot.get(asked.target(), Encoding::accepted(headers))?;
    Some(asked.shown(JSON, kept.tag(), kept.encoding, Body::from(kept.body())))
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
