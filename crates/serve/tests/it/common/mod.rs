//! The bench of the serving tests: a desk over a small catalog, a clock and a body reader that tests steer, and a client that
//! drives the router without a socket.
//!
//! The catalog is in [`catalog`]. Every error answer goes through [`Answer::problem`], which asserts the one problem shape.

mod bodies;
pub mod catalog;
pub mod socket;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
pub use bodies::{Bodies, Mood};
use bytes::Bytes;
use http::{HeaderMap, Method, Request, StatusCode};
use http_body_util::BodyExt as _;
use refdesk_catalog::snapshot::{Input, Snapshot};
use refdesk_core::fact::StoredFact;
use refdesk_core::key::KeyRecord;
use refdesk_core::{Kind, Stamp};
use refdesk_serve::state::Clock;
use refdesk_serve::state::rate_counter::RateCounter;
use refdesk_serve::{AppState, RateLimits, Settings, StoreReader};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use tower::ServiceExt as _;

/// The clock of every test, unless it is moved.
pub const NOW: Stamp = Stamp(1_790_000_000);
/// Seconds of a day.
pub const DAY: i64 = 86_400;
/// Words that only the inside of the service knows; no answer may hold one.
pub const INSIDE: [&str; 5] = ["/var/lib/refdesk", "SELECT raw", "desk.sqlite", "panicked at", "planted-secret"];

/// Settings of the tests: a public desk without limits, so that a test can ask as often as it likes.
pub fn unlimited() -> Settings {
    limited(0, 0)
}

/// Those of [`unlimited`] with limits a minute of callers without a key, and of those with one.
pub fn limited(anon_per_minute: u32, key_per_minute: u32) -> Settings {
    Settings {
        limits: RateLimits { anon_per_minute, key_per_minute, ..RateLimits::default() },
        compress_from_bytes: 64,
        cors_origins: vec!["*".into()],
        ..Settings::default()
    }
}

/// A desk, its router, and what steers them.
pub struct Bench {
    pub desk: Arc<AppState>,
    pub bodies: Arc<Bodies>,
    pub router: Router,
    clock: Arc<AtomicI64>,
}

impl Bench {
    /// Over the catalog of the tests.
    pub fn new() -> Self {
        Self::with(unlimited())
    }

    /// Over the catalog of the tests, with settings.
    pub fn with(settings: Settings) -> Self {
        Self::over(settings, &catalog::facts())
    }

    /// Over the catalog of the tests, with another counter of limits.
    pub fn counting(settings: Settings, counter: RateCounter) -> Self {
        Self::built(settings, &catalog::facts(), |desk| desk.rate_counter = counter)
    }

    /// Over facts of a test's own.
    pub fn over(settings: Settings, facts: &[StoredFact]) -> Self {
        Self::built(settings, facts, |_| {})
    }

    fn built(settings: Settings, facts: &[StoredFact], change: impl FnOnce(&mut AppState)) -> Self {
        let bodies = Arc::new(Bodies::default());
        catalog::fill(&bodies);
        let clock = Arc::new(AtomicI64::new(NOW.0));
        let reader: Arc<dyn StoreReader> = Arc::<Bodies>::clone(&bodies);
        let mut desk = AppState::new(snapshot(facts, NOW, 1), reader, ticking(&clock), settings);
        change(&mut desk);
        let desk = Arc::new(desk);
        let router = refdesk_serve::router(Arc::clone(&desk));
        Self { desk, bodies, router, clock }
    }

    /// Moves the clock.
    pub fn set_clock(&self, now: Stamp) {
        self.clock.store(now.0, Ordering::SeqCst);
    }

    /// A GET.
    pub async fn get(&self, target: &str) -> Answer {
        self.get_with(target, &[]).await
    }

    /// A GET with headers.
    pub async fn get_with(&self, target: &str, headers: &[(&str, &str)]) -> Answer {
        self.send(Method::GET, target, headers).await
    }

    /// Any request.
    pub async fn send(&self, method: Method, target: &str, headers: &[(&str, &str)]) -> Answer {
        let mut request = Request::builder().method(method).uri(target);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.ask(request.body(Body::empty()).unwrap()).await
    }

    /// A GET from an address.
    pub async fn get_from(&self, address: &str, target: &str, headers: &[(&str, &str)]) -> Answer {
        let mut request = Request::builder().uri(target);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut request = request.body(Body::empty()).unwrap();
        let peer = std::net::SocketAddr::new(address.parse().unwrap(), 40_000);
        request.extensions_mut().insert(ConnectInfo(peer));
        self.ask(request).await
    }

    /// Sends a request that is built already; with a Host, if it has none.
    pub async fn ask(&self, mut request: Request<Body>) -> Answer {
        request.headers_mut().entry("host").or_insert(http::HeaderValue::from_static("localhost"));
        self.ask_as_is(request).await
    }

    /// Sends a request that is built already.
    pub async fn ask_as_is(&self, request: Request<Body>) -> Answer {
        let target = request.uri().to_string();
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        Answer { target, status: parts.status, headers: parts.headers, body }
    }

    /// Makes a key known to the desk.
    pub fn admit(&self, secret: &str) {
        self.desk.keys.replace(vec![key_record(secret)]);
    }

    /// The JSON of a GET that succeeds.
    pub async fn json(&self, target: &str) -> Value {
        let answer = self.get(target).await;
        assert_eq!(answer.status, StatusCode::OK, "{target}: {}", answer.text());
        answer.json()
    }
}

fn ticking(clock: &Arc<AtomicI64>) -> Clock {
    let clock = Arc::clone(clock);
    Arc::new(move || Stamp(clock.load(Ordering::SeqCst)))
}

/// A snapshot of facts.
pub fn snapshot(facts: &[StoredFact], now: Stamp, generation: u64) -> Snapshot {
    Snapshot::build(&Input { facts, sources: catalog::sources(), now, generation, before: None, texts: None })
}

/// An answer, read to its end.
#[derive(Debug)]
pub struct Answer {
    pub target: String,
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Answer {
    /// A header as text; empty when it is absent.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{}: {error}: {}", self.target, self.text()))
    }

    /// Asserts the one shape of every error, and gives the document.
    #[track_caller]
    pub fn problem(&self, status: u16, code: &str) -> Value {
        let target = &self.target;
        assert_eq!(self.status.as_u16(), status, "{target}: {}", self.text());
        assert_eq!(self.header("content-type"), "application/problem+json", "{target}");
        assert_eq!(self.header("cache-control"), "no-store", "{target}");
        assert_eq!(self.header("x-content-type-options"), "nosniff", "{target}");
        assert_eq!(self.header("access-control-allow-origin"), "*", "{target}");
        assert_eq!(self.header("etag"), "", "{target}: errors have no entity tag");
        let document = self.json();
        assert_eq!(document["type"], "about:blank", "{target}");
        assert_eq!(document["status"], status, "{target}");
        assert_eq!(document["code"], code, "{target}");
        assert_eq!(document["title"], self.status.canonical_reason().unwrap_or_default(), "{target}");
        assert_eq!(document["request_id"], self.header("x-request-id"), "{target}");
        for member in ["detail", "error", "instance", "request_id"] {
            assert!(document[member].as_str().is_some_and(|text| !text.is_empty()), "{target}: {member} in {document}");
        }
        let instance = document["instance"].as_str().unwrap();
        assert!(instance.chars().count() <= 201 && instance.starts_with('/'), "{target}: {instance}");
        self.tells_nothing_of_the_inside();
        document
    }

    /// No path, SQL, panic message or secret stands in the answer.
    #[track_caller]
    pub fn tells_nothing_of_the_inside(&self) {
        let text = self.text();
        for inside in INSIDE {
            assert!(!text.contains(inside), "{}: {inside} in {text}", self.target);
        }
        for value in self.headers.values() {
            let value = String::from_utf8_lossy(value.as_bytes());
            assert!(INSIDE.iter().all(|inside| !value.contains(inside)), "{}: {value}", self.target);
        }
    }
}

/// A key made from a number, by the published form: `rdk_`, 30 base62 characters, and 6 of their CRC-32.
pub fn key(seed: usize) -> String {
    let digits = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let random: String = (0..30).map(|at| char::from(digits[(seed * 7 + at * 17) % 62])).collect();
    let checksum = crc32fast::hash(random.as_bytes()) as usize;
    let check: String = (0..6).rev().map(|at| char::from(digits[checksum / 62_usize.pow(at) % 62])).collect();
    format!("rdk_{random}{check}")
}

/// What the desk knows of a key that has no end and no limit of its own.
pub fn key_record(secret: &str) -> KeyRecord {
    KeyRecord {
        id: secret[..12].into(),
        fingerprint: refdesk_core::key::fingerprint(secret),
        prefix: "rdk_test".into(),
        name: "test".into(),
        created_at: NOW,
        expires_at: None,
        revoked_at: None,
        last_used_at: None,
        limit_per_minute: None,
    }
}

/// The ids in a list answer.
pub fn ids(rows: &Value) -> Vec<&str> {
    rows.as_array().map(|rows| rows.iter().filter_map(|row| row["id"].as_str()).collect()).unwrap_or_default()
}

/// Every path of the service that answers a GET, with a target that succeeds.
pub const TARGETS: [(&str, &str); 37] = [
    ("/v1/search", "/v1/search?q=nova"),
    ("/v1/models/list", "/v1/models/list"),
    ("/v1/models/{id}", "/v1/models/nova-2"),
    ("/v1/models/compare", "/v1/models/compare?ids=nova-2,alto-1"),
    ("/v1/tools/compare", "/v1/tools/compare?ids=hammer,saw"),
    ("/v1/skills/compare", "/v1/skills/compare?ids=pdf-forms,x"),
    ("/v1/tutorials/compare", "/v1/tutorials/compare?ids=evals,first-agent"),
    ("/v1/mcp-servers/compare", "/v1/mcp-servers/compare?ids=files,io.github.one-maps"),
    ("/v1/documents/compare", "/v1/documents/compare?ids=guide-bare,guide-start"),
    ("/v1/frameworks/compare", "/v1/frameworks/compare?ids=five-whys,premortem"),
    ("/v1/cost", "/v1/cost?model=nova-2&input_tokens=1m&output_tokens=1000"),
    ("/v1/resolve", "/v1/resolve?ids=nova-2,nobody"),
    ("/v1/conflicts", "/v1/conflicts"),
    ("/v1/tools/list", "/v1/tools/list"),
    ("/v1/tools/{id}", "/v1/tools/hammer"),
    ("/v1/skills/list", "/v1/skills/list"),
    ("/v1/skills/{id}", "/v1/skills/pdf-forms"),
    ("/v1/tutorials/list", "/v1/tutorials/list"),
    ("/v1/tutorials/{id}", "/v1/tutorials/first-agent"),
    ("/v1/mcp-servers/list", "/v1/mcp-servers/list"),
    ("/v1/mcp-servers/{id}", "/v1/mcp-servers/files"),
    ("/v1/documents/list", "/v1/documents/list"),
    ("/v1/documents/{id}", "/v1/documents/guide-start"),
    ("/v1/evidence/{key}", "/v1/evidence/EVIDENCE_KEY"),
    ("/v1/evidence/{key}/record", "/v1/evidence/EVIDENCE_KEY/record"),
    ("/v1/frameworks/search", "/v1/frameworks/search?q=premortem"),
    ("/v1/frameworks/route", "/v1/frameworks/route?q=what%20could%20go%20wrong%20with%20our%20launch"),
    ("/v1/frameworks/list", "/v1/frameworks/list"),
    ("/v1/frameworks/{id}", "/v1/frameworks/premortem"),
    ("/v1/sources/status", "/v1/sources/status"),
    ("/health", "/health"),
    ("/livez", "/livez"),
    ("/readyz", "/readyz"),
    ("/version", "/version"),
    ("/metrics", "/metrics"),
    ("/openapi.json", "/openapi.json"),
    ("/llms.txt", "/llms.txt"),
];

/// [`TARGETS`] with a real evidence key.
pub fn targets() -> Vec<(&'static str, String)> {
    let key = refdesk_core::fact::EvidenceKey::new("first", Kind::Document, "guide/start.md").to_string();
    TARGETS.iter().map(|(path, target)| (*path, target.replace("EVIDENCE_KEY", &key))).collect()
}
