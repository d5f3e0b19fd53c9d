//! Application state: everything that requests are answered from. It knows nothing of HTTP handlers; what takes an [`AppState`] is in the
//! modules above it.
//!
//! The binary creates one [`AppState`], publishes generations to it, and keeps keys, source statuses and faults up to date.

pub(crate) mod cache;
mod generation;
pub(crate) mod hybrid;
pub mod keys;
pub mod metrics;
pub mod node;
pub mod rate_counter;
mod registering;
pub mod semantic;
mod source_metrics;
mod store_metrics;
mod store_reader;
pub(crate) mod worker_pool;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use arc_swap::ArcSwap;
use refdesk_catalog::answer::RouterEval;
use refdesk_catalog::collections::{Collection, UnknownMember};
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::Stamp;
use refdesk_core::source_status::SourceStatus;

use crate::policy::Policies;
use crate::settings::{RateLimits, Settings};
use cache::Caches;
use generation::Generations;
use keys::KeyRing;
use metrics::Metrics;
use node::Node;
use rate_counter::{LocalRateCounter, RateCounter};
use semantic::Semantic;
use worker_pool::WorkerPool;

pub use generation::Evaluated;
pub(crate) use generation::Generation;
pub use store_reader::{RecordRead, SourceHistory, SourceRun, StoreReadError, StoreReader};

/// Name of the collections among the parts of the service that can be at fault.
const COLLECTIONS_PART: &str = "collections";

/// The clock. Tests inject one.
pub type Clock = Arc<dyn Fn() -> Stamp + Send + Sync>;

/// Everything that requests are answered from.
pub struct AppState {
    generations: Generations,
    sources: ArcSwap<Vec<SourceStatus>>,
    refreshing: ArcSwap<String>,
    unreached: ArcSwap<String>,
    limits: ArcSwap<RateLimits>,
    /// The parts of the service that do not work, and why. `/health` lists them and `refdesk_fault` counts them.
    faults: ArcSwap<BTreeMap<&'static str, String>>,
    semantic: OnceLock<Arc<Semantic>>,
    /// Reads from the store what the snapshot does not hold.
    pub store: Arc<dyn StoreReader>,
    /// The clock.
    pub clock: Clock,
    /// When the service started, of the monotonic clock.
    pub started_at: Instant,
    /// Settings.
    pub settings: Settings,
    /// Metrics.
    pub metrics: Metrics,
    /// What this process is among several.
    pub node: Node,
    /// The API keys of the store.
    pub keys: KeyRing,
    /// Counts requests against the rate limits.
    pub rate_counter: RateCounter,
    pub(crate) caches: Caches,
    pub(crate) policies: Policies,
    pub(crate) worker_pool: WorkerPool,
}

impl fmt::Debug for AppState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AppState").field("generation", &self.snapshot().generation()).finish_non_exhaustive()
    }
}

impl AppState {
    /// The state of a service that answers from a first snapshot.
    pub fn new(
        snapshot: impl Into<Arc<Snapshot>>,
        store: Arc<dyn StoreReader>,
        clock: Clock,
        settings: Settings,
    ) -> Self {
        let snapshot = snapshot.into();
        let metrics = Metrics::of_build(settings.commit);
        metrics.published(&snapshot);
        let Settings { detail_cache_bytes, train_routers, .. } = settings;
        let options = generation::Options { detail_cache_bytes, train_routers };
        let state = Self {
            generations: Generations::new(snapshot, settings.collections.clone(), options),
            sources: ArcSwap::from_pointee(Vec::new()),
            refreshing: ArcSwap::default(),
            unreached: ArcSwap::default(),
            limits: ArcSwap::from_pointee(settings.limits),
            faults: ArcSwap::default(),
            semantic: OnceLock::new(),
            store,
            started_at: Instant::now(),
            clock,
            node: Node::new(settings.role, metrics.registry()),
            metrics,
            keys: KeyRing::default(),
            rate_counter: RateCounter::Local(LocalRateCounter::new(settings.callers_max)),
            caches: Caches::new(&settings),
            policies: Policies::new(&settings),
            worker_pool: WorkerPool::new(settings.work_threads),
            settings,
        };
        state.look_at_collections();
        state
    }

    /// Makes a snapshot the current generation. Running requests keep the one they hold.
    pub fn publish(&self, snapshot: impl Into<Arc<Snapshot>>) {
        let snapshot = snapshot.into();
        self.metrics.published(&snapshot);
        self.generations.replace(snapshot);
        self.caches.bodies.clear();
        self.look_at_collections();
    }

    /// The definitions of the collections.
    pub(crate) fn collections(&self) -> Arc<Vec<Collection>> {
        Arc::clone(&self.generations.collections())
    }

    /// Tells of collections that are empty or name what is not there.
    fn look_at_collections(&self) {
        let generation = self.generation();
        let mut wrong: Vec<String> = generation.unknown_members.iter().map(ToString::to_string).collect();
        let views = generation.views.iter().filter_map(|snapshot| snapshot.view());
        wrong.extend(views.filter(|view| view.is_empty()).map(|view| format!("`{}` is empty", view.id)));
        self.set_fault(COLLECTIONS_PART, (!wrong.is_empty()).then(|| wrong.join("; ")));
    }

    /// Ids of the definitions of collections that name nothing in the current catalog.
    pub fn unknown_members(&self) -> Vec<UnknownMember> {
        self.generation().unknown_members.clone()
    }

    /// Ids of definitions of other collections that name nothing in the current snapshot.
    pub fn unknown_members_of(&self, collections: &[Collection]) -> Vec<UnknownMember> {
        let snapshot = self.snapshot();
        collections.iter().flat_map(|collection| collection.of(&snapshot, None).1).collect()
    }

    /// The current snapshot.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.generations.current().snapshot)
    }

    /// The current snapshot with its response cache.
    pub(crate) fn generation(&self) -> arc_swap::Guard<Arc<Generation>> {
        self.generations.current()
    }

    /// The same for a request, which takes it once and keeps it: everything of an answer is of one generation.
    pub(crate) fn held_generation(&self) -> Arc<Generation> {
        arc_swap::Guard::into_inner(self.generations.current())
    }

    /// How long an answer of a snapshot may be cached, in seconds: as the settings say, and at most until its first fact turns stale.
    pub(crate) fn fresh_for_secs(&self, snapshot: &Snapshot) -> i64 {
        let max_age = i64::from(self.settings.max_age_secs);
        snapshot.next_change_at().map_or(max_age, |at| at.secs_since(self.now()).clamp(0, max_age))
    }

    /// Replaces the statuses of all sources.
    pub fn set_sources(&self, sources: Vec<SourceStatus>) {
        self.metrics.sources(&sources);
        self.sources.store(Arc::new(sources));
    }

    /// The statuses of all sources.
    pub fn sources(&self) -> Arc<Vec<SourceStatus>> {
        self.sources.load_full()
    }

    /// The limits of callers in force.
    pub fn limits(&self) -> RateLimits {
        **self.limits.load()
    }

    /// Puts other limits in force; what callers used so far counts against them.
    pub fn set_limits(&self, limits: RateLimits) {
        self.limits.store(Arc::new(limits));
    }

    /// Puts other collections in force.
    pub fn set_collections(&self, collections: Vec<Collection>) {
        self.generations.set_collections(collections);
        self.caches.bodies.clear();
        self.look_at_collections();
    }

    /// Says how the facts are brought up to date, in a sentence for people and models.
    pub fn set_refreshing(&self, told: &str) {
        self.refreshing.store(Arc::new(told.to_owned()));
    }

    /// Says what to do where no upstream is reached; empty where one is.
    pub fn set_unreached(&self, told: &str) {
        self.unreached.store(Arc::new(told.to_owned()));
    }

    /// How the facts are brought up to date, and what is in the way; empty when the binary did not say.
    pub fn refreshing(&self) -> String {
        format!("{} {}", self.refreshing.load(), self.unreached.load()).trim().to_owned()
    }

    /// Sets or clears the fault of a part of the service (`store`, `schedule`, `publisher`, …). Clients see the text, so it must not
    /// reveal internals.
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

    /// The parts of the service that do not work, and why.
    pub fn faults(&self) -> Arc<BTreeMap<&'static str, String>> {
        self.faults.load_full()
    }

    /// Sets the embedding model for `mode=hybrid`. Only the first call counts: requests may already use that model.
    pub fn set_semantic(&self, semantic: Arc<Semantic>) {
        if self.semantic.set(semantic).is_err() {
            tracing::warn!("an embedding model is set already; the second one is not used");
        }
    }

    /// The embedding model for `mode=hybrid`, if the operator gave one.
    pub fn semantic(&self) -> Option<&Arc<Semantic>> {
        self.semantic.get()
    }

    /// Sets the last evaluation of the router.
    pub fn set_evaluated(&self, evaluated: Option<Evaluated>) {
        self.generations.set_evaluated(evaluated);
    }

    /// The figures of the last evaluation if it measured exactly the cards of the current snapshot.
    pub(crate) fn evaluation(&self) -> Option<RouterEval> {
        self.generations.evaluation()
    }

    /// The same as far as they speak of a snapshot: they are of all cards, and say nothing of those that a collection shows.
    pub(crate) fn evaluation_of(&self, snapshot: &Snapshot) -> Option<RouterEval> {
        self.evaluation().filter(|_| snapshot.view().is_none())
    }

    /// The clock's time.
    pub fn now(&self) -> Stamp {
        (self.clock)()
    }
}
