//! REST handlers: parse, one core call, render. One file per group of operations; the route table is [`crate::routes`].

#![expect(clippy::unused_async, reason = "handlers are all async, so that the route table holds them alike")]

pub mod catalog;
pub mod documents;
pub mod frameworks;
pub mod health;
pub mod meta;
pub mod openapi;
pub mod record;
pub mod schema;
pub mod search;
pub mod sources;

use std::borrow::Cow;
use std::sync::Arc;

use http::request::Parts;
use http::{HeaderMap, Method, Uri};
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::query::Params;

use crate::desk::Desk;
use crate::limits::Identified;
use crate::reply::Asked;

/// A request together with the one snapshot that answers it.
pub struct Call {
    pub(crate) desk: Arc<Desk>,
    pub(crate) snapshot: Arc<Snapshot>,
    pub(crate) caller: Identified,
    pub(crate) method: Method,
    pub(crate) uri: Uri,
    pub(crate) headers: HeaderMap,
    pairs: Vec<(String, String)>,
}

impl Call {
    pub(crate) fn new(desk: &Arc<Desk>, caller: Identified, parts: Parts) -> Self {
        let query = parts.uri.query().unwrap_or_default();
        Self {
            snapshot: desk.snapshot(),
            desk: Arc::clone(desk),
            caller,
            // Invalid UTF-8 and broken percent-encoding are data too: they become replacement characters.
            pairs: url::form_urlencoded::parse(query.as_bytes()).into_owned().collect(),
            method: parts.method,
            uri: parts.uri,
            headers: parts.headers,
        }
    }

    /// The query parameters, with warnings about those that `known` does not have.
    pub(crate) fn params(&self, known: &[&str]) -> Params<'_> {
        Params::new(self.pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())), known)
    }

    /// Whether a parameter is sent, however its name is written.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.pairs.iter().any(|(sent, _)| sent == name)
    }

    /// What the reply needs to know of the request.
    pub(crate) fn asked(&self) -> Asked<'_> {
        let keyed = self.caller.keyed();
        Asked { desk: &self.desk, snapshot: &self.snapshot, headers: &self.headers, uri: &self.uri, keyed }
    }

    /// The public URL that links begin with; empty for relative links.
    pub(crate) fn base(&self) -> &str {
        &self.desk.settings.base_url
    }

    /// What stands in the path behind `/v1/` and the segment, percent-decoded; invalid UTF-8 becomes replacement characters.
    pub(crate) fn tail(&self, segment: &str) -> Cow<'_, str> {
        let below = self.uri.path().strip_prefix("/v1/").and_then(|path| path.strip_prefix(segment)?.strip_prefix('/'));
        let below = below.unwrap_or_default();
        if !below.contains('%') {
            return Cow::Borrowed(below);
        }
        percent_encoding::percent_decode_str(below).decode_utf8_lossy()
    }

    /// The media type among `offered` that the client likes best. Only types named in full count, by their q-values and then in the
    /// order of the client; who names none of them gets the first offered.
    pub(crate) fn preferred<'t>(&self, offered: &[&'t str]) -> &'t str {
        let accept = self.headers.get_all(http::header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
        let mut best = (0.0, offered[0]);
        for part in accept.flat_map(|value| value.split(',')) {
            let mut parameters = part.split(';').map(str::trim);
            let name = parameters.next().unwrap_or_default();
            let Some(named) = offered.iter().find(|offered| offered.eq_ignore_ascii_case(name)) else { continue };
            let quality = parameters.find_map(|parameter| parameter.strip_prefix("q="));
            let quality = quality.map_or(1.0, |quality| quality.trim().parse::<f64>().unwrap_or(0.0));
            if quality > best.0 {
                best = (quality, named);
            }
        }
        best.1
    }
}
