//! The fetcher owns HTTP for all connectors: conditional requests, timeouts, retries, redirects, size caps, and the guard against
//! private addresses ([`guard`]). Local files and folders come the same way ([`local`](self)). It knows nothing of what it fetches.

mod deadline;
pub mod error;
pub mod guard;
mod gzip;
mod http;
mod local;
mod retry;
mod settings;
mod token;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use refdesk_core::parallel::locked;
use tokio::sync::RwLock;
use url::Url;

pub(crate) use deadline::Deadline;
pub use error::{FetchCode, FetchError};
pub use guard::Permission;
pub use settings::FetchSettings;
pub use token::Token;

pub use crate::connectors::repository::redact::{redact_text, redact_url};

use crate::clock::Clock;
use crate::memory_budget::Room;
use crate::store::Validator;

/// Fetches for all sources. Cheap to clone.
#[derive(Clone)]
pub struct Fetcher {
    inner: Arc<FetcherState>,
}

struct FetcherState {
    settings: FetchSettings,
    offline: bool,
    clock: Clock,
    /// One client for each permission, made when first needed: the resolver's guard is part of the client.
    clients: Mutex<BTreeMap<Permission, reqwest::Client>>,
}

/// Where a request comes from: what its source permits.
#[derive(Debug, Clone)]
pub struct Origin {
    /// The configured url of the source.
    pub url: Url,
    /// Addresses it may reach.
    pub permission: Permission,
    /// Largest body of one of its answers, where the setting does not say less.
    pub body_bytes_max: u64,
    /// What its sync may take of the memory.
    pub room: Room,
    /// The token of the source, for requests to the origin of its url.
    pub token: Option<Token>,
    /// Requests hold it shared; one that is tried again holds it alone, so that a struggling upstream is asked one thing at a time.
    turn: Arc<RwLock<()>>,
}

impl Origin {
    /// The origin of a configured url.
    pub fn new(url: Url, allow_private: bool) -> Self {
        let permission = Permission::of_source(&url, allow_private);
        Self { url, permission, body_bytes_max: u64::MAX, room: Room::default(), token: None, turn: Arc::default() }
    }
}

/// One request.
#[derive(Debug, Clone)]
pub struct FetchRequest<'a> {
    /// What to fetch.
    pub url: &'a Url,
    /// A 404 is an answer.
    pub may_be_missing: bool,
    /// Header and the environment variable that holds its value.
    pub secret_headers: &'a [(String, String)],
    /// What is known from the last good pass, to ask conditionally.
    pub last: Option<&'a Validator>,
}

/// An answer.
#[derive(Debug, Clone)]
pub struct Fetched {
    /// 200, 404 where that was allowed, or 304 for a conditional request.
    pub status: u16,
    /// The decoded body; empty for 304.
    pub body: Bytes,
    /// `sha256:<hex>` of the body; that of the last pass for 304.
    pub content_hash: String,
    /// `ETag`.
    pub etag: Option<String>,
    /// `Last-Modified`.
    pub last_modified: Option<String>,
    /// `Link`.
    pub link: Option<String>,
    /// Requests that were sent for it, retries and redirects included.
    pub requests: u64,
}

impl Fetched {
    fn of_file(status: u16, body: Bytes) -> Self {
        let content_hash = refdesk_core::hash::content_hash(&body);
        Self { status, body, content_hash, etag: None, last_modified: None, link: None, requests: 0 }
    }

    /// True when it says the same as the last pass: 304, or the same status and bytes.
    pub fn equals(&self, last: &Validator) -> bool {
        self.status == 304 || (self.status == last.status && self.content_hash == last.content_hash)
    }
}

/// Makes *ring* the process's TLS provider. Whoever installs one first wins; ring is the only one in the build.
pub fn install_tls() {
    let _ = rustls::crypto::ring::default_provider().install_default();
}

impl Fetcher {
    /// A fetcher. With `offline` it reads local files only.
    pub fn new(settings: FetchSettings, offline: bool, clock: Clock) -> Self {
        install_tls();
        Self { inner: Arc::new(FetcherState { settings, offline, clock, clients: Mutex::default() }) }
    }

    /// The limits in force.
    pub fn settings(&self) -> &FetchSettings {
        &self.inner.settings
    }

    /// Fetches, with retries.
    ///
    /// # Errors
    /// After the last attempt, or at once when another one cannot help.
    pub async fn fetch(&self, origin: &Origin, ask: &FetchRequest<'_>) -> Result<Fetched, FetchError> {
        match ask.url.scheme() {
            "file" => self.fetch_local(origin, ask).await,
            "http" | "https" if self.inner.offline => {
                Err(FetchError::new(FetchCode::Offline, ask.url, "offline: no connection is opened"))
            }
            "http" | "https" => self.fetch_http(origin, ask).await,
            other => {
                Err(FetchError::new(FetchCode::Request, ask.url, format!("the scheme `{other}` cannot be fetched")))
            }
        }
    }

    async fn fetch_local(&self, origin: &Origin, ask: &FetchRequest<'_>) -> Result<Fetched, FetchError> {
        if origin.url.scheme() != "file" {
            return Err(FetchError::new(FetchCode::Redirect, ask.url, "a remote source cannot name a local file"));
        }
        let bytes_max = origin.body_bytes_max.min(self.inner.settings.body_bytes_max);
        let (url, source) = (ask.url.clone(), origin.url.clone());
        let read = tokio::task::spawn_blocking(move || local::read(&url, &source, bytes_max))
            .await
            .map_err(|error| FetchError::new(FetchCode::File, ask.url, error.to_string()))??;
        match read {
            Some(body) => {
                origin
                    .room
                    .take(body.len() as u64)
                    .await
                    .map_err(|full| FetchError::new(FetchCode::TooLarge, ask.url, full.to_string()))?;
                Ok(Fetched::of_file(200, body))
            }
            None if ask.may_be_missing => Ok(Fetched::of_file(404, Bytes::new())),
            None => Err(FetchError::new(
                FetchCode::File,
                ask.url,
                "there is no such file or folder; make it, or correct the `url` of the source",
            )),
        }
    }

    async fn fetch_http(&self, origin: &Origin, ask: &FetchRequest<'_>) -> Result<Fetched, FetchError> {
        let client = self.client(&origin.permission, ask.url)?;
        let settings = &self.inner.settings;
        let mut requests = 0;
        let mut attempt = 0;
        let mut shared = Some(origin.turn.read().await);
        let mut alone = None;
        loop {
            let mut sent = 0;
            let result = http::once(&client, settings, origin, ask, &mut sent).await;
            requests += sent;
            let http::FailedAttempt { mut error, retry_after } = match result {
                Ok(fetched) => return Ok(Fetched { requests, ..fetched }),
                Err(failed) => failed,
            };
            error.requests = requests;
            error.retry_at = retry_after
                .map(|wait| (self.inner.clock)().plus_secs(i64::try_from(wait.as_secs()).unwrap_or(i64::MAX)));
            let wait = retry::wait(settings, attempt, retry_after);
            let Some(wait) = wait.filter(|_| error.is_transient() && attempt < settings.retries_max) else {
                return Err(error);
            };
            tracing::debug!(
                url = error.url,
                code = error.code.as_str(),
                wait_ms = wait.as_millis(),
                "fetch is tried again"
            );
            drop(shared.take());
            tokio::time::sleep(wait).await;
            if alone.is_none() {
                alone = Some(origin.turn.write().await);
            }
            attempt += 1;
        }
    }

    fn client(&self, permission: &Permission, url: &Url) -> Result<reqwest::Client, FetchError> {
        let mut clients = locked(&self.inner.clients);
        if let Some(client) = clients.get(permission) {
            return Ok(client.clone());
        }
        let client = http::client(&self.inner.settings, permission)
            .map_err(|error| FetchError::new(FetchCode::Tls, url, format!("no HTTP client can be made: {error}")))?;
        clients.insert(permission.clone(), client.clone());
        Ok(client)
    }
}
