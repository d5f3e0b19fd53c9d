//! Data answers: entity tags, 304, caching, encodings. Contract section 10.

use std::collections::VecDeque;
use std::convert::Infallible;
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

impl Asked<'_> {
    /// What the strong entity tags of this target in this revision have in common; `variant` tells representations apart.
    fn tag_stem(&self, variant: &str) -> String {
        let target = self.uri.path_and_query().map_or("/", http::uri::PathAndQuery::as_str);
        let Settings { base_url, api_url, .. } = &self.desk.settings;
        refdesk_core::hash::short_key("", &[target, variant, base_url, api_url, env!("CARGO_PKG_VERSION")])
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
        let stem = self.tag_stem(&[media_type, " ", beyond].concat());
        let tag = self.tag(&stem, accepted);
        let plain_tag = self.tag(&stem, Encoding::Identity);
        if let Some(held) = self.held(&[&tag, &plain_tag]) {
            return self.finish(StatusCode::NOT_MODIFIED, media_type, held, None, Body::empty());
        }
        if accepted != Encoding::Identity
            && let Some(body) = self.desk.encoded.get(&tag)
        {
            return self.finish(StatusCode::OK, media_type, &tag, accepted.token(), Body::from(body));
        }
        let pieces = make();
        let bytes: usize = pieces.iter().map(Bytes::len).sum();
        if accepted != Encoding::Identity
            && bytes >= self.desk.settings.compress_from_bytes
            && let Some(body) = accepted.encode(&pieces)
        {
            self.desk.encoded.put(&tag, &body);
            return self.finish(StatusCode::OK, media_type, &tag, accepted.token(), Body::from(body));
        }
        self.finish(StatusCode::OK, media_type, &plain_tag, None, Body::new(Pieces::new(pieces)))
    }

    /// The tag among ours that `If-None-Match` names.
    fn held<'t>(&self, tags: &[&'t str]) -> Option<&'t str> {
        if !self.headers.contains_key(header::IF_NONE_MATCH) {
            return None;
        }
        let named: Vec<&str> = self
            .headers
            .get_all(header::IF_NONE_MATCH)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .map(|tag| tag.trim().trim_start_matches("W/"))
            .collect();
        tags.iter().copied().find(|tag| named.iter().any(|named| named == tag || *named == "*"))
    }

    fn finish(
        &self,
        status: StatusCode,
        media: &'static str,
        tag: &str,
        encoding: Option<&'static str>,
        body: Body,
    ) -> Response {
        let mut response = Response::new(body);
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media));
        if let Some(encoding) = encoding {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
        }
        if let Ok(tag) = HeaderValue::from_str(tag) {
            headers.insert(header::ETAG, tag);
        }
        if let Ok(cache) = HeaderValue::from_str(&self.cache_control()) {
            headers.insert(header::CACHE_CONTROL, cache);
        }
        headers.insert(header::VARY, HeaderValue::from_static("Accept, Accept-Encoding, Authorization, X-Api-Key"));
        response
    }

    /// `max-age` ends where the first fact of the snapshot turns stale.
    fn cache_control(&self) -> String {
        let scope = if self.keyed { "private" } else { "public" };
        let max_age = i64::from(self.desk.settings.max_age_secs);
        let left = self.snapshot.next_stale_at().map_or(max_age, |at| at.secs_since(self.desk.now()));
        format!("{scope}, max-age={}", left.clamp(0, max_age))
    }
}

/// A body of ready pieces with a known length: a list is sent as slices of the snapshot, without a copy.
pub(crate) struct Pieces {
    left: VecDeque<Bytes>,
    bytes: u64,
}

impl Pieces {
    pub(crate) fn new(pieces: Vec<Bytes>) -> Self {
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
