//! The response builder of data answers: entity tag, 304, caching headers, content coding. `docs/api.md#http`.
//!
//! Lists, searches and pages compute nothing before the entity tag was compared with `If-None-Match`.

use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use refdesk_catalog::snapshot::Snapshot;

use super::entity_tag::{self, EntityTags};
use super::piece_body::body_from_pieces;
use super::problem::Problem;
use crate::negotiation::{ContentEncoding, FULL_TEXT_MEDIA_TYPES, JSON, preferred_media_type};
use crate::policy::headers::cache_control;
use crate::state::AppState;
use crate::state::cache::CachedDetail;

/// Builds the response to one request.
pub(crate) struct ResponseBuilder<'a> {
    pub(super) state: &'a AppState,
    pub(super) snapshot: &'a Snapshot,
    pub(super) headers: &'a HeaderMap,
    pub(super) uri: &'a Uri,
    /// The request was authenticated with a key, so shared caches must not store the answer.
    pub(super) is_private: bool,
    /// The request counts against a limit, so its answer may take room in the cache.
    pub(super) is_counted: bool,
}

impl ResponseBuilder<'_> {
    fn target(&self) -> &str {
        self.uri.path_and_query().map_or("/", http::uri::PathAndQuery::as_str)
    }

    /// `part` is what the answer depends on besides target, media type, snapshot and settings.
    fn entity_tags(&self, media_type: &str, part: &str) -> EntityTags<'_> {
        let seed = &self.state.policies.template.entity_tag_seed;
        EntityTags::new(seed, self.snapshot.revision(), (self.target(), media_type, part))
    }

    /// An answer that only the snapshot, the target and the settings decide, and that takes little more than its bytes. `render` gives its
    /// pieces; it is called only if the client does not have the answer yet. Once compressed, it is kept.
    pub(crate) fn data(
        &self,
        media_type: &'static str,
        render: impl FnOnce() -> Vec<Bytes>,
    ) -> Result<Response, Problem> {
        let is_plain = ContentEncoding::preferred(self.headers) == ContentEncoding::Identity;
        let ready = if is_plain { self.not_modified(media_type, "")? } else { self.ready(media_type, "")? };
        match ready {
            Some(ready) => Ok(ready),
            None => self.made(media_type, "", render(), |encoding| encoding != ContentEncoding::Identity),
        }
    }

    /// An answer that takes work, such as a search; it is kept in whatever coding it was sent. `part` is what it depends on besides, in any
    /// words, for the entity tag. [`Self::ready`] was asked before.
    pub(crate) fn computed(
        &self,
        media_type: &'static str,
        part: &str,
        pieces: Vec<Bytes>,
    ) -> Result<Response, Problem> {
        // Whoever asks for anything that there is (`*`) is told so now that there is something.
        match self.not_modified(media_type, part)? {
            Some(response) => Ok(response),
            None => self.made(media_type, part, pieces, |_| true),
        }
    }

    /// An answer that lacks what the store cannot give at the moment. It is not kept and has a tag of its own: what lacks may come back
    /// within a generation.
    pub(crate) fn incomplete(&self, media_type: &'static str, pieces: Vec<Bytes>) -> Result<Response, Problem> {
        self.made(media_type, "incomplete", pieces, |_| false)
    }

    fn made(
        &self,
        media_type: &'static str,
        part: &str,
        pieces: Vec<Bytes>,
        is_kept: impl Fn(ContentEncoding) -> bool,
    ) -> Result<Response, Problem> {
        let (encoding, pieces) = self.represent(pieces);
        let tag = self.entity_tags(media_type, part).of(encoding);
        if let [body] = &pieces[..]
            && is_kept(encoding)
            && self.may_keep(part)
        {
            self.state.caches.bodies.insert(self.body_key(&tag), body.clone());
        }
        self.response(media_type, tag, encoding, body_from_pieces(pieces))
    }

    /// What needs no rendering: the 304 for a client that has the answer, or the answer as it was sent before, compressed if it was not.
    pub(crate) fn ready(&self, media_type: &'static str, part: &str) -> Result<Option<Response>, Problem> {
        if let Some(response) = self.not_modified(media_type, part)? {
            return Ok(Some(response));
        }
        let (tags, preferred) = (self.entity_tags(media_type, part), ContentEncoding::preferred(self.headers));
        let kept = |encoding: ContentEncoding| self.state.caches.bodies.get(&self.body_key(&tags.of(encoding)));
        if let Some(body) = kept(preferred) {
            return self.response(media_type, tags.of(preferred), preferred, Body::from(body)).map(Some);
        }
        match kept(ContentEncoding::Identity) {
            Some(body) => {
                let is_new = |encoding| encoding != ContentEncoding::Identity;
                self.made(media_type, part, vec![body], is_new).map(Some)
            }
            None => Ok(None),
        }
    }

    /// Whether `If-None-Match` asks for nothing but that there is an answer: who does not know that yet must not say 304.
    pub(crate) fn asks_for_any(&self) -> bool {
        entity_tag::names_any(self.headers)
    }

    /// Whether an answer may be kept. Who is not counted could fill the cache with one page under many addresses and hosts, so
    /// only its plain address is kept.
    fn may_keep(&self, part: &str) -> bool {
        self.is_counted || (self.uri.query().is_none() && part.is_empty())
    }

    /// The key of an answer that is kept. The tag holds the revision: a request of the previous generation may end after the next one was
    /// published.
    fn body_key(&self, tag: &str) -> String {
        [self.target(), tag].concat()
    }

    /// An answer that is written, and compressed, while it is sent, piece by piece. `part` as for [`Self::computed`].
    pub(crate) fn stream(
        &self,
        media_type: &'static str,
        part: &str,
        pieces: impl Iterator<Item = Bytes> + Send + 'static,
    ) -> Result<Response, Problem> {
        let encoding = ContentEncoding::preferred(self.headers);
        let tag = self.entity_tags(media_type, part).of(encoding);
        let pieces = futures::stream::iter(encoding.encode_all(pieces));
        self.response(media_type, tag, encoding, Body::from_stream(pieces))
    }

    /// The 304 for a client that has the answer. `part` as for [`Self::computed`]; [`Self::data`] has none.
    pub(crate) fn not_modified(&self, media_type: &'static str, part: &str) -> Result<Option<Response>, Problem> {
        let tags = self.entity_tags(media_type, part);
        self.not_modified_as(media_type, |encoding| tags.of(encoding))
    }

    /// A JSON detail that the target alone decides, or, where it is negotiated, the target and `Accept`. It goes into the response cache, see
    /// [`cached_detail`].
    pub(crate) fn detail(&self, is_negotiated: bool, render: impl FnOnce() -> Bytes) -> Result<Response, Problem> {
        if let Some(response) = self.not_modified(JSON, "")? {
            return Ok(response);
        }
        let (encoding, pieces) = self.represent(vec![render()]);
        let tag = entity_tag::header_value(self.entity_tags(JSON, "").of(encoding))?;
        let current = self.state.generation();
        // Another generation may have been published since this request took its snapshot.
        if let [body] = pieces.as_slice()
            && std::ptr::eq(Arc::as_ptr(&current.snapshot), self.snapshot)
        {
            let cached = CachedDetail { tag: tag.clone(), encoding, body: body.clone(), is_negotiated };
            current.details.put(self.target(), ContentEncoding::preferred(self.headers), cached);
        }
        Ok(self.response_tagged(JSON, tag, encoding, body_from_pieces(pieces)))
    }

    /// Stored content as it is. Its entity tag is its own hash, so that a client that has the bytes can tell without asking for them.
    pub(crate) fn content(
        &self,
        media_type: &'static str,
        content_hash: &str,
        content: Bytes,
    ) -> Result<Response, Problem> {
        let tag = |encoding: ContentEncoding| ["\"", content_hash, encoding.tag_suffix(), "\""].concat();
        if let Some(response) = self.not_modified_as(media_type, tag)? {
            return Ok(response);
        }
        let (encoding, pieces) = self.represent(vec![content]);
        self.response(media_type, tag(encoding), encoding, body_from_pieces(pieces))
    }

    /// The answer in the preferred coding, unless it is too small to gain by compression.
    fn represent(&self, pieces: Vec<Bytes>) -> (ContentEncoding, Vec<Bytes>) {
        let preferred = ContentEncoding::preferred(self.headers);
        let bytes: usize = pieces.iter().map(Bytes::len).sum();
        if preferred != ContentEncoding::Identity
            && bytes >= self.state.settings.compress_from_bytes
            && let Some(body) = preferred.encode(&pieces)
        {
            return (preferred, vec![body]);
        }
        (ContentEncoding::Identity, pieces)
    }

    fn not_modified_as(
        &self,
        media_type: &'static str,
        tag: impl Fn(ContentEncoding) -> String,
    ) -> Result<Option<Response>, Problem> {
        // Most requests have no condition and need no tag here.
        if !self.headers.contains_key(header::IF_NONE_MATCH) {
            return Ok(None);
        }
        let preferred = ContentEncoding::preferred(self.headers);
        let Some(tag) = entity_tag::matching(self.headers, preferred, tag) else { return Ok(None) };
        let mut response = self.response(media_type, tag, ContentEncoding::Identity, Body::empty())?;
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        Ok(Some(response))
    }

    fn response(
        &self,
        media_type: &'static str,
        tag: String,
        encoding: ContentEncoding,
        body: Body,
    ) -> Result<Response, Problem> {
        Ok(self.response_tagged(media_type, entity_tag::header_value(tag)?, encoding, body))
    }

    fn response_tagged(
        &self,
        media_type: &'static str,
        tag: HeaderValue,
        encoding: ContentEncoding,
        body: Body,
    ) -> Response {
        let mut response = Response::new(body);
        *response.headers_mut() = self.state.policies.template.headers.clone();
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

    /// `Cache-Control` where it differs from the template: `max-age` ends when the first fact of the snapshot turns stale.
    fn cache_control(&self) -> Option<HeaderValue> {
        let fresh_for = self.state.fresh_for_secs(self.snapshot);
        match (fresh_for == i64::from(self.state.settings.max_age_secs), self.is_private) {
            (true, false) => None,
            (true, true) => Some(self.state.policies.template.private_cache_control.clone()),
            (false, is_private) => Some(cache_control(if is_private { "private" } else { "public" }, fresh_for)),
        }
    }
}

/// The cached answer to a request for a detail. There is none for a conditional request, which needs the comparison of entity tags.
pub(crate) fn cached_detail(state: &AppState, is_private: bool, parts: &Parts) -> Option<Response> {
    let Parts { uri, headers, .. } = parts;
    if headers.contains_key(header::IF_NONE_MATCH) {
        return None;
    }
    let current = state.generation();
    let builder = ResponseBuilder { state, snapshot: &current.snapshot, headers, uri, is_private, is_counted: true };
    let cached = current.details.get(builder.target(), ContentEncoding::preferred(headers))?;
    if cached.is_negotiated && preferred_media_type(headers, FULL_TEXT_MEDIA_TYPES) != JSON {
        return None;
    }
    Some(builder.response_tagged(JSON, cached.tag, cached.encoding, Body::from(cached.body)))
}
