//! What the serving side is handed: the current snapshot, a reader of bodies, the source states, settings and the clock.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::{ArcSwap, ArcSwapOption};
use bytes::Bytes;
use refdesk_catalog::answer::RouterEval;
use refdesk_catalog::segment::BodyRef;
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::Stamp;
use refdesk_core::fact::{EvidenceKey, HashBasis, RecordWithheld};
use serde::Serialize;

use crate::cors::Cors;
use crate::hot::HotDetails;
use crate::keys::KeyRing;
use crate::limits::{Counter, LocalCounter};
use crate::metrics::Metrics;
use crate::semantic::Semantic;
use crate::workroom::Workroom;

/// How often is looked whether a generation that was replaced is still in use, and how many times.
const RETIRE_LOOK: Duration = Duration::from_millis(100);
const RETIRE_LOOKS_MAX: u32 = 600;

/// The part of the service that is the store, among its faults.
const STORE: &str = "store";

/// Reads full texts by id; the only thing a request may take from the store.
#[async_trait::async_trait]
pub trait BodyReader: Send + Sync {
    /// The Markdown of an item; `None` when the store has none for it.
    async fn markdown(&self, body: &BodyRef) -> Result<Option<String>, BodyError>;
    /// The raw bytes that hash to the item's `content_hash`.
    async fn raw(&self, body: &BodyRef) -> Result<Option<Bytes>, BodyError>;
    /// The record behind an evidence key, of the fact that has this number in the store.
    async fn record(&self, row: i64, key: EvidenceKey) -> Result<RecordRead, BodyError>;
}

/// The record of a fact, as a reader of bodies finds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordRead {
    /// The bytes, verbatim.
    Found {
        /// What was hashed.
        bytes: Bytes,
        /// What the hash is taken of.
        basis: HashBasis,
        /// `sha256:<hex>` of the bytes.
        content_hash: String,
    },
    /// It may not be given out.
    Withheld(RecordWithheld),
    /// The store has another catalog by now, or the fact came without its record.
    Gone,
}

/// The store could not be read. The inside text is for the log only.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct BodyError(pub String);

/// The clock. Tests inject one.
pub type Clock = Arc<dyn Fn() -> Stamp + Send + Sync>;

/// Settings of the serving side, validated by the binary.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Public URL without a trailing slash; stands in links. Empty: links are relative.
    pub base_url: String,
    /// The second public URL of the same service.
    pub api_url: String,
    /// Hosts that are answered beside loopback and the two public ones. Empty with both URLs empty: see `any_host`.
    pub allowed_hosts: Vec<String>,
    /// True when the service listens beyond loopback and no host is configured: REST answers any Host.
    pub any_host: bool,
    /// Engine of the store, for `/health`.
    pub store: &'static str,
    /// Most bytes of a path before 414.
    pub path_bytes_max: usize,
    /// Most bytes of a URI before 414.
    pub uri_bytes_max: usize,
    /// Most bytes of all headers before 431.
    pub header_bytes_max: usize,
    /// Most bytes of one MCP message before 413.
    pub mcp_body_bytes_max: usize,
    /// Entries on a page of MCP's `resources/list` and `prompts/list`; at least 1.
    pub mcp_page_size: usize,
    /// Most entries of MCP's `resources/list` over all its pages.
    pub mcp_resources_max: usize,
    /// Time a client has to send the body of an MCP message before 408.
    pub body_timeout: Duration,
    /// Freshness lifetime of answers, in seconds; bounded by the next moment at which a fact turns stale.
    pub max_age_secs: u32,
    /// Bodies smaller than this are not compressed, in bytes.
    pub compress_from_bytes: usize,
    /// Most bytes of compressed answers kept for one generation.
    pub encoded_cache_bytes: usize,
    /// Details kept ready for one generation, in bytes.
    pub detail_cache_bytes: usize,
    /// Pages of full texts that are kept, in bytes.
    pub page_cache_bytes: usize,
    /// Requests a minute by address; 0 is off.
    pub anon_per_minute: u32,
    /// Requests a minute by key, unless the key has its own; 0 is off.
    pub key_per_minute: u32,
    /// Addresses and keys that are counted at once; beyond it the oldest are dropped.
    pub callers_max: usize,
    /// Refuses requests without a key.
    pub require_key: bool,
    /// Networks whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<ipnet::IpNet>,
    /// Origins whose pages may read answers in a browser, as [`crate::cors::origin`] takes them; `*` is any.
    pub cors_origins: Vec<String>,
    /// Threads for costly requests; 0 is one for each processor.
    pub work_threads: usize,
}

impl Settings {
    /// The limits in force, for `/health`.
    pub fn rate_limit_info(&self) -> crate::rest::health::RateLimitInfo {
        let on = self.anon_per_minute > 0 || self.key_per_minute > 0;
        crate::rest::health::RateLimitInfo {
            mode: if on { "per_minute" } else { "off" }.into(),
            limit_per_minute: self.anon_per_minute,
            key_limit_per_minute: self.key_per_minute,
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            base_url: String::new(),
            api_url: String::new(),
            allowed_hosts: Vec::new(),
            any_host: false,
            store: "sqlite",
            path_bytes_max: 8 * 1024,
            uri_bytes_max: 32 * 1024,
            header_bytes_max: 32 * 1024,
            mcp_body_bytes_max: 1024 * 1024,
            mcp_page_size: 500,
            mcp_resources_max: 30_000,
            body_timeout: Duration::from_secs(5),
            max_age_secs: 60,
            compress_from_bytes: 1024,
            encoded_cache_bytes: 64 * 1024 * 1024,
            detail_cache_bytes: 32 * 1024 * 1024,
            page_cache_bytes: 32 * 1024 * 1024,
            anon_per_minute: 120,
            key_per_minute: 600,
            callers_max: 100_000,
            require_key: false,
            trusted_proxies: Vec::new(),
            cors_origins: Vec::new(),
            work_threads: 0,
        }
    }
}

/// State of a source, as `/v1/sources/status` shows it: `docs/api.md#health-and-sources`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[expect(missing_docs, reason = "the contract documents each by its name")]
pub struct SourceStatus {
    pub id: String,
    pub name: String,
    /// The connector.
    pub kind: String,
    /// Without credentials.
    pub url: String,
    pub license: Option<String>,
    /// Search types of what it states.
    pub types: Vec<String>,
    pub enabled: bool,
    /// Why it is off, or what to do about it when it is not configured.
    pub disabled_reason: Option<String>,
    pub status: SourceState,
    pub last_attempt_at: Option<Stamp>,
    pub last_synced_at: Option<Stamp>,
    pub last_verified_at: Option<Stamp>,
    pub next_due_at: Option<Stamp>,
    pub refresh_due: bool,
    pub interval_seconds: u64,
    pub consecutive_failures: u32,
    pub content_hash: Option<String>,
    pub http_status: Option<u16>,
    pub error: Option<SourceFault>,
    pub counts: SourceCounts,
}

/// Where a source stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the contract documents each by its name")]
pub enum SourceState {
    Never,
    Syncing,
    Ok,
    Failed,
    Quarantined,
    Disabled,
    /// Not configured, though the store has facts of it.
    Orphaned,
}

impl SourceState {
    /// All of them.
    pub(crate) const ALL: [Self; 7] =
        [Self::Never, Self::Syncing, Self::Ok, Self::Failed, Self::Quarantined, Self::Disabled, Self::Orphaned];

    /// As it is written in answers and metrics.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Never => "never",
            Self::Syncing => "syncing",
            Self::Ok => "ok",
            Self::Failed => "failed",
            Self::Quarantined => "quarantined",
            Self::Disabled => "disabled",
            Self::Orphaned => "orphaned",
        }
    }
}

/// Why the last attempt failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[expect(missing_docs, reason = "the contract documents each by its name")]
pub struct SourceFault {
    pub code: String,
    pub message: String,
    pub at: Option<Stamp>,
}

/// Counts of a source.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[expect(missing_docs, reason = "the contract documents each by its name")]
pub struct SourceCounts {
    pub total: usize,
    pub added: usize,
    pub changed: usize,
    pub removed: usize,
    /// Facts that are held back because the source's new state could not be taken.
    pub quarantined: usize,
    /// Prices that are stated and not believed yet; `refdesk sources review` lists them.
    pub withheld: usize,
    pub stale: usize,
    /// Upstream records that could not become facts; `refdesk sources show ID --rejects` lists them.
    pub rejects: usize,
    /// The same number as `rejects`.
    pub rejected: usize,
    /// Entries of the upstream that are no items; `refdesk sources show ID` names them.
    pub left_out: usize,
    /// Items that an independent count of the upstream found, less all that is accounted for; 0 when nothing is missing.
    pub uncounted: i64,
}

/// The last evaluation of the framework router, and the set of cards it is of.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluated {
    /// [`refdesk_route::Router::cards_hash`] of the cards.
    pub cards_hash: String,
    /// The figures.
    pub figures: RouterEval,
}

/// A generation, and what is kept of its answers: both are replaced at once, so that neither can be taken for the other's.
pub(crate) struct Current {
    pub(crate) snapshot: Arc<Snapshot>,
    pub(crate) hot: HotDetails,
}

/// What a request is answered from.
pub struct Desk {
    current: ArcSwap<Current>,
    /// Hash of the router's cards in the current snapshot.
    cards_hash: ArcSwap<String>,
    sources: ArcSwap<Vec<SourceStatus>>,
    evaluated: ArcSwapOption<Evaluated>,
    faults: ArcSwap<BTreeMap<&'static str, String>>,
    semantic: std::sync::OnceLock<Arc<Semantic>>,
    /// Reads full texts.
    pub bodies: Arc<dyn BodyReader>,
    /// The clock.
    pub clock: Clock,
    /// When the service started.
    pub started_at: Stamp,
    /// Settings.
    pub settings: Settings,
    /// Metrics.
    pub metrics: Metrics,
    /// The API keys that are valid just now.
    pub keys: KeyRing,
    /// Counts calls against the limits.
    pub counter: Box<dyn Counter>,
    pub(crate) encoded: crate::encode::EncodedCache,
    pub(crate) hosts: crate::guard::Hosts,
    pub(crate) cors: Cors,
    pub(crate) workroom: Workroom,
    pub(crate) pages: crate::page::Pages,
    pub(crate) replies: crate::reply::Common,
    /// The OpenAPI document and its page: written once, because anyone may ask for them uncounted.
    pub(crate) about: crate::rest::meta::About,
}

impl fmt::Debug for Desk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Desk").field("generation", &self.snapshot().generation()).finish_non_exhaustive()
    }
}

impl Desk {
    /// A desk over a first snapshot.
    pub fn new(
        snapshot: impl Into<Arc<Snapshot>>,
        bodies: Arc<dyn BodyReader>,
        clock: Clock,
        settings: Settings,
    ) -> Self {
        let started_at = clock();
        let cors = Cors::of(&settings.cors_origins);
        let desk = Self {
            current: ArcSwap::from_pointee(Current {
                snapshot: Arc::new(Snapshot::empty(started_at)),
                hot: HotDetails::new(0, 0),
            }),
            cards_hash: ArcSwap::from_pointee(String::new()),
            sources: ArcSwap::from_pointee(Vec::new()),
            evaluated: ArcSwapOption::empty(),
            faults: ArcSwap::default(),
            semantic: std::sync::OnceLock::new(),
            bodies,
            clock,
            started_at,
            encoded: crate::encode::EncodedCache::new(settings.encoded_cache_bytes),
            about: crate::rest::meta::About::default(),
            counter: Box::new(LocalCounter::new(settings.callers_max)),
            keys: KeyRing::default(),
            hosts: crate::guard::Hosts::of(&settings),
            replies: crate::reply::Common::of(&settings, &cors),
            cors,
            workroom: Workroom::new(settings.work_threads),
            pages: crate::page::Pages::new(settings.page_cache_bytes),
            settings,
            metrics: Metrics::default(),
        };
        desk.publish(snapshot);
        desk
    }

    /// Swaps in a new generation. Requests that run keep the one they took.
    pub fn publish(&self, snapshot: impl Into<Arc<Snapshot>>) {
        let snapshot = snapshot.into();
        self.cards_hash.store(Arc::new(snapshot.router().cards_hash()));
        self.metrics.published(&snapshot);
        let hot = HotDetails::new(snapshot.item_count() as usize, self.settings.detail_cache_bytes);
        let before = self.current.swap(Arc::new(Current { snapshot, hot }));
        retire(Arc::clone(&before.snapshot));
        self.encoded.clear();
    }

    /// The current generation. A request takes it once and keeps it.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.current.load().snapshot)
    }

    /// The current generation with what is kept of its answers.
    pub(crate) fn current(&self) -> arc_swap::Guard<Arc<Current>> {
        self.current.load()
    }

    /// Replaces the source states.
    pub fn set_sources(&self, sources: Vec<SourceStatus>) {
        self.metrics.sources(&sources);
        self.sources.store(Arc::new(sources));
    }

    /// The source states.
    pub fn sources(&self) -> Arc<Vec<SourceStatus>> {
        self.sources.load_full()
    }

    /// Tells why the store cannot be read at the moment, or that it can.
    pub fn set_store_fault(&self, fault: Option<String>) {
        self.set_fault(STORE, fault);
    }

    /// Why the store cannot be read, in words for people.
    pub fn store_fault(&self) -> Option<String> {
        self.faults.load().get(STORE).cloned()
    }

    /// Tells why a part of the service (`store`, `schedule`, `publisher`, …) does not do its work, in words for people and without
    /// anything of the inside; or that it does it again.
    pub fn set_fault(&self, part: &'static str, fault: Option<String>) {
        self.metrics.fault(part, fault.is_some());
        if self.faults.load().get(part) == fault.as_ref() {
            return;
        }
        self.faults.rcu(|faults| {
            let mut faults = BTreeMap::clone(faults);
            match &fault {
                Some(fault) => drop(faults.insert(part, fault.clone())),
                None => drop(faults.remove(part)),
            }
            faults
        });
    }

    /// The parts that do not do their work, and why.
    pub fn faults(&self) -> Arc<BTreeMap<&'static str, String>> {
        self.faults.load_full()
    }

    /// Sets the model for `mode=hybrid`, once; a second one is not taken.
    pub fn set_semantic(&self, semantic: Arc<Semantic>) {
        let _ = self.semantic.set(semantic);
    }

    /// The model for `mode=hybrid`, if the operator gave one.
    pub fn semantic(&self) -> Option<&Arc<Semantic>> {
        self.semantic.get()
    }

    /// Sets the last evaluation of the router.
    pub fn set_evaluated(&self, evaluated: Option<Evaluated>) {
        self.evaluated.store(evaluated.map(Arc::new));
    }

    /// The figures of the last evaluation, if it was of exactly the cards of the current snapshot.
    pub fn evaluation(&self) -> Option<RouterEval> {
        let evaluated = self.evaluated.load_full()?;
        (evaluated.cards_hash == **self.cards_hash.load()).then(|| evaluated.figures.clone())
    }

    /// The clock's time.
    pub fn now(&self) -> Stamp {
        (self.clock)()
    }
}

/// Frees a replaced generation on a thread of its own once no request has it any more: millions of small pieces, for which no request
/// shall wait.
fn retire(old: Arc<Snapshot>) {
    let free = move || {
        for _ in 0..RETIRE_LOOKS_MAX {
            if Arc::strong_count(&old) == 1 {
                break;
            }
            std::thread::sleep(RETIRE_LOOK);
        }
        drop(old);
    };
    // Without a thread it is freed here: the closure is dropped with it.
    let _ = std::thread::Builder::new().name("retire".to_owned()).spawn(free);
}
