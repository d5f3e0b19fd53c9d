//! A request as handlers get it: parsed, with its caller, and with the one snapshot that answers it.

use std::borrow::Cow;
use std::sync::Arc;

use http::request::Parts;
use http::{HeaderMap, Method, Uri};
use refdesk_catalog::answer;
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::Kind;
use refdesk_core::query::Params;

use super::authentication::is_counted;
use super::caller::Caller;
use super::problem::Problem;
use super::response::ResponseBuilder;
use super::scoped_path::ScopedPath;
use crate::state::{AppState, Generation};

/// A request together with the one snapshot that answers it.
pub struct ApiRequest {
    pub(crate) state: Arc<AppState>,
    /// The one generation that everything of the answer is of.
    pub(crate) generation: Arc<Generation>,
    /// What the address shows of it: all, or a collection.
    pub(crate) snapshot: Arc<Snapshot>,
    pub(crate) caller: Caller,
    pub(crate) method: Method,
    pub(crate) uri: Uri,
    pub(crate) headers: HeaderMap,
    /// The parameters of its page, where the page does not look for others itself.
    pub(crate) taken: Option<&'static [&'static str]>,
    /// It counts against the limit of its caller.
    is_counted: bool,
    /// The public URL that links begin with, when it is that of a collection.
    collection_base: Option<String>,
    pairs: Vec<(String, String)>,
}

impl ApiRequest {
    /// # Errors
    /// 404 when the path is below a collection that is not defined.
    pub(crate) fn new(state: &Arc<AppState>, caller: Caller, parts: Parts, is_page: bool) -> Result<Self, Problem> {
        let query = parts.uri.query().unwrap_or_default();
        let ScopedPath { collection, path } = ScopedPath::from_uri(&parts.uri);
        let base = &state.settings.base_url;
        let generation = state.held_generation();
        Ok(Self {
            snapshot: shown(&generation, &generation.snapshot, collection)?,
            generation,
            collection_base: collection.map(|id| format!("{base}/c/{id}")),
            state: Arc::clone(state),
            caller,
            taken: None,
            is_counted: is_counted(path, is_page),
            // Invalid UTF-8 and broken percent-encoding are data too: they become replacement characters.
            pairs: url::form_urlencoded::parse(query.as_bytes()).into_owned().collect(),
            method: parts.method,
            uri: parts.uri,
            headers: parts.headers,
        })
    }

    /// The snapshot of the request, or what the collection that a parameter names shows of it.
    ///
    /// # Errors
    /// 404 when there is no such collection, or the request is below another one.
    pub(crate) fn shown(&self, collection: Option<&str>) -> Result<Arc<Snapshot>, Problem> {
        shown(&self.generation, &self.snapshot, collection)
    }

    /// The item of a kind that a spelling names, with the spelling when it is not the id.
    ///
    /// # Errors
    /// 404 when it names none.
    pub(crate) fn item<'a>(&'a self, kind: Kind, spelling: &'a str) -> Result<(u32, Option<&'a str>), Problem> {
        answer::resolve(&self.snapshot, kind, spelling)
            .map_err(|unresolved| Problem::not_found(kind, spelling, unresolved, self.collection_path()))
    }

    /// The query parameters, with warnings about those that are not in `known`.
    pub(crate) fn params(&self, known: &[&'static str]) -> Params<'_> {
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

    /// Builds the response to this request. Its entity tag is of what is shown: of the collection, where a parameter names one.
    pub(crate) fn respond(&self) -> ResponseBuilder<'_> {
        let named = self.pairs().find(|(name, _)| *name == "collection");
        let view = named.and_then(|(_, id)| self.generation.view(id.trim()));
        ResponseBuilder {
            state: &self.state,
            snapshot: view.unwrap_or(&self.snapshot),
            headers: &self.headers,
            uri: &self.uri,
            is_private: self.caller.has_key(),
            is_counted: self.is_counted,
        }
    }

    /// Whether the caller may read the catalog: it has a key, or none is needed.
    pub(crate) fn may_read(&self) -> bool {
        !self.state.settings.require_key || self.caller.has_key()
    }

    /// The public URL that links begin with; empty for relative links, as the command line shows them.
    pub(crate) fn base(&self) -> &str {
        if self.caller.is_command_line() {
            return "";
        }
        self.collection_base.as_ref().unwrap_or(&self.state.settings.base_url)
    }

    /// What paths of the collection that the address is of begin with, such as `/c/team`; empty outside of one.
    fn collection_path(&self) -> &str {
        let base = self.collection_base.as_deref();
        base.and_then(|base| base.strip_prefix(&*self.state.settings.base_url)).unwrap_or_default()
    }

    /// For entity tags: what differs between callers in the links that begin with [`Self::base`].
    pub(crate) fn links_part(&self) -> &'static str {
        if self.caller.is_command_line() { " relative" } else { "" }
    }

    /// The public URL of the service; without one, the address by which the client came. What holds it must not be cached for others.
    pub(crate) fn origin(&self) -> String {
        let base = &self.state.settings.base_url;
        if !base.is_empty() {
            return base.clone();
        }
        // The host was checked when the request came.
        let host = self.headers.get(http::header::HOST).and_then(|host| host.to_str().ok());
        let host = host.or_else(|| self.uri.authority().map(http::uri::Authority::as_str)).unwrap_or("localhost");
        format!("http://{host}")
    }

    /// The value of `Link` that leads to the next page: the target with another position.
    pub(crate) fn next_link(&self, limit: usize, next_offset: usize) -> String {
        let target = self.target_with(&[("limit", &limit.to_string()), ("offset", &next_offset.to_string())]);
        // The path of the request has its collection already, unlike those that begin with `base`.
        let base = if self.caller.is_command_line() { "" } else { &*self.state.settings.base_url };
        format!("<{base}{target}>; rel=\"next\"")
    }

    /// The target with some of its parameters set anew.
    fn target_with(&self, new: &[(&str, &str)]) -> String {
        let kept = self.pairs.iter().filter(|(name, _)| !new.iter().any(|(replaced, _)| replaced == name));
        let pairs = new.iter().copied().chain(kept.map(|(name, value)| (name.as_str(), value.as_str())));
        let query = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
        [self.uri.path(), "?", &query].concat()
    }

    /// The rest of the path after the segment, with or without `/v1` before it, percent-decoded; invalid UTF-8 becomes replacement characters.
    pub(crate) fn tail(&self, segment: &str) -> Cow<'_, str> {
        let path = ScopedPath::from_uri(&self.uri).path;
        let path = path.strip_prefix("/v1").unwrap_or(path);
        let below = path.strip_prefix('/').and_then(|path| path.strip_prefix(segment)?.strip_prefix('/'));
        // Routes with a tail have a segment before it, so there is always a rest; an empty id finds nothing.
        let below = below.unwrap_or_default();
        if !below.contains('%') {
            return Cow::Borrowed(below);
        }
        percent_encoding::percent_decode_str(below).decode_utf8_lossy()
    }
}

/// A snapshot of a generation, or what a collection shows of it. Below a collection there is no other one.
///
/// # Errors
/// 404 when there is no such collection.
pub(crate) fn shown(
    generation: &Generation,
    snapshot: &Arc<Snapshot>,
    collection: Option<&str>,
) -> Result<Arc<Snapshot>, Problem> {
    let own = snapshot.view().map(|view| &*view.id);
    let Some(id) = collection.filter(|id| own != Some(*id)) else { return Ok(Arc::clone(snapshot)) };
    let (found, known) = match own {
        Some(own) => (None, vec![own]),
        None => (generation.view(id), generation.collection_ids().collect()),
    };
    found.map(Arc::clone).ok_or_else(|| Problem::unknown_collection(id, &known))
}
