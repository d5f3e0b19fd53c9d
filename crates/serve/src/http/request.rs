//! A request as handlers get it: parsed, with its caller, and with the one snapshot that answers it.

use std::borrow::Cow;
use std::sync::Arc;

use http::request::Parts;
use http::{HeaderMap, Method, Uri};
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::query::Params;

use super::caller::Caller;
use super::response::ResponseBuilder;
use crate::state::AppState;

/// A request together with the one snapshot that answers it.
pub struct ApiRequest {
    pub(crate) state: Arc<AppState>,
    pub(crate) snapshot: Arc<Snapshot>,
    pub(crate) caller: Caller,
    pub(crate) method: Method,
    pub(crate) uri: Uri,
    pub(crate) headers: HeaderMap,
    pairs: Vec<(String, String)>,
}

impl ApiRequest {
    pub(crate) fn new(state: &Arc<AppState>, caller: Caller, parts: Parts) -> Self {
        let query = parts.uri.query().unwrap_or_default();
        Self {
            snapshot: state.snapshot(),
            state: Arc::clone(state),
            caller,
            // Invalid UTF-8 and broken percent-encoding are data too: they become replacement characters.
            pairs: url::form_urlencoded::parse(query.as_bytes()).into_owned().collect(),
            method: parts.method,
            uri: parts.uri,
            headers: parts.headers,
        }
    }

    /// The query parameters, with warnings about those that are not in `known`.
    pub(crate) fn params(&self, known: &[&str]) -> Params<'_> {
        Params::new(self.pairs(), known)
    }

    /// The query parameters as they were sent.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.pairs.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Whether a parameter was sent, however its name was percent-encoded.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.pairs.iter().any(|(sent, _)| sent == name)
    }

    /// Whether no other parameter than these was sent.
    pub(crate) fn has_only(&self, names: &[&str]) -> bool {
        self.pairs.iter().all(|(sent, _)| names.contains(&sent.as_str()))
    }

    /// Builds the response to this request.
    pub(crate) fn respond(&self) -> ResponseBuilder<'_> {
        ResponseBuilder {
            state: &self.state,
            snapshot: &self.snapshot,
            headers: &self.headers,
            uri: &self.uri,
            is_private: self.caller.has_key(),
        }
    }

    /// The public URL that links begin with; empty for relative links.
    pub(crate) fn base(&self) -> &str {
        &self.state.settings.base_url
    }

    /// The target with some of its parameters set anew.
    pub(crate) fn target_with(&self, new: &[(&str, &str)]) -> String {
        let kept = self.pairs.iter().filter(|(name, _)| !new.iter().any(|(replaced, _)| replaced == name));
        let pairs = new.iter().copied().chain(kept.map(|(name, value)| (name.as_str(), value.as_str())));
        let query = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
        [self.uri.path(), "?", &query].concat()
    }

    /// The rest of the path after `/v1/` and the segment, percent-decoded; invalid UTF-8 becomes replacement characters.
    pub(crate) fn tail(&self, segment: &str) -> Cow<'_, str> {
        let below = self.uri.path().strip_prefix("/v1/").and_then(|path| path.strip_prefix(segment)?.strip_prefix('/'));
        // Routes with a tail have a segment before it, so there is always a rest; an empty id finds nothing.
        let below = below.unwrap_or_default();
        if !below.contains('%') {
            return Cow::Borrowed(below);
        }
        percent_encoding::percent_decode_str(below).decode_utf8_lossy()
    }
}
