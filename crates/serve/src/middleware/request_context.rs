//! The request context: id, route and time of arrival, which accompany a request to its response.

use std::net::IpAddr;
use std::sync::OnceLock;
use std::time::Instant;

use http::request::Parts;
use http::{HeaderMap, HeaderValue, header};

use crate::http::client_address::client_address;
use crate::http::scoped_path::ScopedPath;
use crate::pages;
use crate::policy::headers::REQUEST_ID;
use crate::routes::{self, Route};
use crate::settings::Settings;

/// Longest request id that is taken from a client, in characters.
const REQUEST_ID_CHARS_MAX: usize = 64;

/// Characters of a client's name that are logged.
const USER_AGENT_CHARS_MAX: usize = 200;

/// The context of one request.
pub(super) struct RequestContext {
    pub(super) started: Instant,
    pub(super) id: HeaderValue,
    /// `None` for an unknown path, and for bytes that are not a request.
    pub(super) route: Option<&'static Route>,
    /// A browser, which is to see a refusal as a page.
    pub(super) prefers_page: bool,
    /// What the access log says of the caller, where it says anything.
    pub(super) logged: Option<Logged>,
}

/// Who called, for the access log.
#[derive(Debug, Default)]
pub(super) struct Logged {
    /// Where it came from, for one that is refused before its caller is known.
    pub(super) address: String,
    /// The address, the display prefix of the key, or the command line, once that is known.
    pub(super) caller: OnceLock<String>,
    pub(super) agent: String,
}

impl RequestContext {
    pub(super) fn new(settings: &Settings, peer: Option<IpAddr>, parts: &Parts) -> Self {
        Self {
            started: Instant::now(),
            id: request_id(&parts.headers),
            route: routes::find(ScopedPath::from_uri(&parts.uri).path),
            prefers_page: pages::prefers_page(settings, &parts.uri, &parts.headers),
            logged: settings.access_log.then(|| Logged::new(settings, peer, &parts.headers)),
        }
    }

    /// The context of bytes that could not be parsed as a request.
    pub(super) fn of_malformed(settings: &Settings, peer: IpAddr) -> Self {
        let none = HeaderMap::new();
        Self {
            started: Instant::now(),
            id: request_id(&none),
            route: None,
            prefers_page: false,
            logged: settings.access_log.then(|| Logged::new(settings, Some(peer), &none)),
        }
    }

    pub(super) fn id_text(&self) -> &str {
        // Request ids are ASCII: a client's was checked, and ours are hexadecimal.
        self.id.to_str().unwrap_or_default()
    }
}

impl Logged {
    fn new(settings: &Settings, peer: Option<IpAddr>, headers: &HeaderMap) -> Self {
        let address = peer.map(|peer| client_address(settings, peer, headers).to_string()).unwrap_or_default();
        let agent = headers.get(header::USER_AGENT).map(|agent| String::from_utf8_lossy(agent.as_bytes()));
        let agent = agent.map(|agent| refdesk_core::clean::excerpt(&agent, USER_AGENT_CHARS_MAX)).unwrap_or_default();
        Self { address, caller: OnceLock::new(), agent }
    }
}

/// The id that the client sent, if it is short and plain, or else a random one.
fn request_id(headers: &HeaderMap) -> HeaderValue {
    let is_plain = |id: &&HeaderValue| {
        let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
        !id.is_empty() && id.len() <= REQUEST_ID_CHARS_MAX && id.as_bytes().iter().all(plain)
    };
    headers.get(REQUEST_ID).filter(is_plain).cloned().unwrap_or_else(|| {
        let random = refdesk_core::hash::hex(&rand::random::<u64>().to_be_bytes());
        HeaderValue::try_from(random).unwrap_or(HeaderValue::from_static("none"))
    })
}
