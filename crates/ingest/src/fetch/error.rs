//! Why a fetch failed: a short code for machines and a sentence for people, never a secret.

use refdesk_core::Stamp;

refdesk_core::closed_set! {
    /// What kind of failure it was.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum FetchCode {
        /// The name could not be resolved.
        Dns => "dns",
        /// No connection, or it broke.
        Connect => "connect",
        /// A timeout passed.
        Timeout => "timeout",
        /// A status other than 200.
        Status => "status",
        /// The body or the pass is larger than allowed.
        TooLarge => "too_large",
        /// A redirect that must not be followed, or too many.
        Redirect => "redirect",
        /// The certificate or the handshake failed.
        Tls => "tls",
        /// The body could not be decoded or ended early.
        Decode => "decode",
        /// Offline: no connection is opened.
        Offline => "offline",
        /// An address that must not be reached.
        BlockedAddress => "blocked_address",
        /// A local file could not be read.
        File => "file",
        /// The request itself cannot be made (bad url, missing secret).
        Request => "request",
    }
}

impl FetchCode {
    /// Whether a failure with this code is what a machine without a network sees of every upstream.
    pub fn is_unreachable(code: &str) -> bool {
        [Self::Dns, Self::Connect, Self::Timeout].iter().any(|known| known.as_str() == code)
    }
}

/// A failed fetch.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message} ({url})")]
pub struct FetchError {
    /// What kind of failure.
    pub code: FetchCode,
    /// What happened, for people.
    pub message: String,
    /// The url without secrets; of a local file or folder the name.
    pub url: String,
    /// The status of the answer, if there was one.
    pub status: Option<u16>,
    /// Not before this moment, when the upstream asked so.
    pub retry_at: Option<Stamp>,
    /// Requests that were sent for it.
    pub requests: u64,
}

impl FetchError {
    pub(crate) fn new(code: FetchCode, url: &url::Url, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), url: shown(url), status: None, retry_at: None, requests: 0 }
    }

    /// Whether another attempt may succeed.
    pub(super) fn is_transient(&self) -> bool {
        match self.code {
            FetchCode::Dns | FetchCode::Connect | FetchCode::Timeout | FetchCode::Decode => true,
            FetchCode::Status => self.status.is_some_and(|status| matches!(status, 408 | 425 | 429 | 500..=599)),
            _ => false,
        }
    }
}

/// The url without secrets; of a local one only its name, because errors reach strangers and the machine's folders are not theirs.
fn shown(url: &url::Url) -> String {
    if url.scheme() != "file" {
        return super::redact_url(url);
    }
    let name = url.path().trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    percent_encoding::percent_decode_str(name).decode_utf8_lossy().into_owned()
}

/// What rustls says, when an error is one of TLS. An `io::Error` carries others that are not among its sources, one in the other; where the
/// upstream hangs up in the middle of a handshake, the only sign is rustls's own text.
fn tls_failure(error: &(dyn std::error::Error + 'static)) -> Option<String> {
    const HUNG_UP: &str = "tls handshake eof";
    if let Some(tls) = error.downcast_ref::<rustls::Error>() {
        return Some(tls.to_string());
    }
    let io = error.downcast_ref::<std::io::Error>()?;
    let inside = io.get_ref().and_then(|inside| tls_failure(inside));
    inside.or_else(|| (io.to_string() == HUNG_UP).then(|| "the upstream hung up".to_owned()))
}

/// Sorts an HTTP client's error by what lies at its root.
pub(super) fn classify(error: &reqwest::Error, url: &url::Url) -> FetchError {
    use super::guard::{BlockedAddress, Unresolved};
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    let mut root = String::new();
    while let Some(current) = cause {
        if let Some(blocked) = current.downcast_ref::<BlockedAddress>() {
            return FetchError::new(FetchCode::BlockedAddress, url, blocked.to_string());
        }
        if let Some(unresolved) = current.downcast_ref::<Unresolved>() {
            return FetchError::new(FetchCode::Dns, url, unresolved.to_string());
        }
        if let Some(reason) = tls_failure(current) {
            return FetchError::new(FetchCode::Tls, url, format!("the TLS handshake failed: {reason}"));
        }
        root = current.to_string();
        cause = current.source();
    }
    if error.is_timeout() {
        FetchError::new(FetchCode::Timeout, url, "the upstream did not answer in time")
    } else if error.is_connect() {
        FetchError::new(FetchCode::Connect, url, format!("no connection: {root}"))
    } else if error.is_builder() {
        FetchError::new(FetchCode::Request, url, format!("the request cannot be made: {root}"))
    } else if error.is_decode() || error.is_body() {
        FetchError::new(FetchCode::Decode, url, format!("the body is incomplete or garbled: {root}"))
    } else {
        FetchError::new(FetchCode::Connect, url, format!("the connection broke: {root}"))
    }
}
