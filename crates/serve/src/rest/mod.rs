//! REST handlers: parse, one core call, render. One file per group of operations; the route table is [`crate::routes`].

pub mod catalog;
pub mod documents;
pub mod frameworks;
pub mod health;
pub mod meta;
pub mod openapi;
pub mod schema;
pub mod search;
pub mod sources;

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use http::request::Parts;
use http::{HeaderMap, Uri};
use refdesk_core::query::Params;
use refdesk_core::snapshot::Snapshot;

use crate::desk::Desk;
use crate::limits::Identified;
use crate::reply::Asked;

/// A request together with the one snapshot that answers it.
pub struct Call {
    pub(crate) desk: Arc<Desk>,
    pub(crate) snapshot: Arc<Snapshot>,
    pub(crate) headers: HeaderMap,
    pub(crate) uri: Uri,
    keyed: bool,
    pairs: Vec<(String, String)>,
}

impl FromRequestParts<Arc<Desk>> for Call {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, desk: &Arc<Desk>) -> Result<Self, Infallible> {
        let query = parts.uri.query().unwrap_or_default();
        Ok(Self {
            snapshot: desk.snapshot(),
            desk: Arc::clone(desk),
            // A call is the last to read the request, so it takes the headers over.
            headers: std::mem::take(&mut parts.headers),
            uri: parts.uri.clone(),
            keyed: parts.extensions.get::<Identified>().is_some_and(Identified::keyed),
            // Invalid UTF-8 and broken percent-encoding are data too: they become replacement characters.
            pairs: url::form_urlencoded::parse(query.as_bytes()).into_owned().collect(),
        })
    }
}

impl Call {
    /// The query parameters, with warnings about those that `known` does not have.
    pub(crate) fn params(&self, known: &[&str]) -> Params<'_> {
        Params::new(self.pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())), known)
    }

    /// What the reply needs to know of the request.
    pub(crate) fn asked(&self) -> Asked<'_> {
        Asked { desk: &self.desk, snapshot: &self.snapshot, headers: &self.headers, uri: &self.uri, keyed: self.keyed }
    }

    /// The public URL that links begin with; empty for relative links.
    pub(crate) fn base(&self) -> &str {
        &self.desk.settings.base_url
    }

    /// What stands behind `prefix` in the path, percent-decoded; invalid UTF-8 becomes replacement characters.
    pub(crate) fn path_tail(&self, prefix: &str) -> String {
        let tail = self.uri.path().strip_prefix(prefix).unwrap_or_default();
        percent_encoding::percent_decode_str(tail).decode_utf8_lossy().into_owned()
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
