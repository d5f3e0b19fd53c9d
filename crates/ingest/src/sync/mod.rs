//! The sync engine: takes a source from its upstream into the store, whole or not at all, and never loses a fact to a bad day.
//!
//! [`Engine::sync_source`] is one sync: revalidate what is stored, else run the connector's pass ([`attempt`]), check its sums and compare
//! it with what is stored ([`commit_gate`], [`quarantine`]), commit. [`outcome`] is what a run leaves behind in each case.

mod attempt;
pub mod bounds;
mod commit_gate;
mod flight;
mod outcome;
mod pass;
pub mod quarantine;
mod report;
mod status;
mod verdict;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use refdesk_core::Stamp;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

pub use report::{
    Progress, Silent, SourceStatus, StatusCounts, StatusWord, SyncEvent, SyncReport, SyncResult, tell_unreached,
};

use crate::clock::{Clock, system_clock};
use crate::config::{ConfigError, FetchSettings, FindConnector, SourceConfig, Span, check_sources};
use crate::connectors;
use crate::fetch::Fetcher;
use crate::room::Budget;
use crate::store::{FactFigures, Fault, SourceState, Store, StoreError};
use flight::{FlightGuard, Flights};

/// … and within this share of its interval, in percent, unless the setting says otherwise.
pub const JITTER_PERCENT: u32 = 10;
/// A scheduled sync that takes longer than this is given up, unless the setting says otherwise.
pub const SYNC_TIME_MAX: Duration = Duration::from_hours(1);

/// How an engine works.
#[derive(Clone)]
pub struct EngineOptions {
    /// Limits of fetching.
    pub fetch: FetchSettings,
    /// Never open a connection; local and bundled sources are synced all the same.
    pub offline: bool,
    /// The clock.
    pub clock: Clock,
    /// Where connectors are found by name.
    pub find: FindConnector,
    /// Folder that relative paths of sources start from.
    pub base: PathBuf,
    /// Hears the steps of syncs.
    pub progress: Arc<dyn Progress>,
    /// A sync that removes more than this share of a source's facts is held back, in percent; 100 holds none back.
    pub removed_percent_max: usize,
    /// In so long that share may go; in longer times without a good sync, more.
    pub removals_normal_span: Span,
    /// A sync that adds more than this share of a source's facts is held back, in percent; 0 holds none back. It grows with the time without
    /// a good sync as the share that may go does.
    pub added_percent_max: usize,
    /// A scheduled sync starts late by up to this share of its interval, in percent.
    pub jitter_percent: u32,
    /// A scheduled sync that takes longer is given up.
    pub sync_time_max: Duration,
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self {
            fetch: FetchSettings::default(),
            offline: false,
            clock: system_clock(),
            find: connectors::find,
            base: PathBuf::from("."),
            progress: Arc::new(Silent),
            removed_percent_max: quarantine::REMOVED_PERCENT_MAX,
            removals_normal_span: quarantine::REMOVALS_NORMAL_SPAN,
            added_percent_max: quarantine::ADDED_PERCENT_MAX,
            jitter_percent: JITTER_PERCENT,
            sync_time_max: SYNC_TIME_MAX,
        }
    }
}

/// Tells that the stored catalog moved on. Both numbers only grow, from 0 at the start of the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CatalogChange {
    /// Runs that changed statements, times or states.
    pub revision: u64,
    /// Runs that changed statements.
    pub statements: u64,
}

/// A source that is not configured.
#[derive(Debug, thiserror::Error)]
pub enum SyncError {
    /// No such source.
    #[error("there is no source `{id}`; the sources are {known}")]
    UnknownSource {
        /// What was asked for.
        id: String,
        /// Those that there are.
        known: String,
    },
    /// The store failed; nothing was written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A scheduled sync took longer than it may; nothing was written.
    #[error("the sync was given up after {} s (setting sync_time_max); the last good facts stay", .0.as_secs())]
    TimedOut(Duration),
}

/// Syncs sources into a store. Cheap to clone.
#[derive(Clone)]
pub struct Engine {
    inner: Arc<Inner>,
}

struct Inner {
    store: Store,
    /// What is configured; only switches change while it runs.
    sources: RwLock<Arc<Vec<SourceConfig>>>,
    options: EngineOptions,
    fetcher: Fetcher,
    /// Sources being synced: at most one flight each.
    flights: Flights,
    /// Sources at once.
    permits: Semaphore,
    /// Sources at once whose last run failed: one fewer, so that upstreams that only take time never keep all others from their turn.
    failing: Semaphore,
    /// The memory of all syncs.
    budget: Budget,
    changes: watch::Sender<CatalogChange>,
    counted: tokio::sync::Mutex<Arc<Counted>>,
    /// Syncs that could not be recorded, by source: the store failed, or they broke off. Each until a sync of the source is recorded.
    unrecorded: Mutex<BTreeMap<String, Fault>>,
}

/// The figures of the sources, with the states that the sources had then. Counting reads a row of every fact, and statuses are asked
/// for every few seconds.
#[derive(Default)]
struct Counted {
    states: Vec<(String, SourceState)>,
    figures: BTreeMap<String, FactFigures>,
    orphans: Vec<status::Orphan>,
}

impl Engine {
    /// An engine over checked sources.
    ///
    /// # Errors
    /// The first thing that is wrong with the sources.
    pub fn new(store: Store, sources: Vec<SourceConfig>, options: EngineOptions) -> Result<Self, ConfigError> {
        check_sources(&sources, options.find, &options.base)?;
        let fetcher = Fetcher::new(options.fetch.clone(), options.offline, Arc::clone(&options.clock));
        let at_once = options.fetch.concurrency_max.max(1);
        let (permits, failing) = (Semaphore::new(at_once), Semaphore::new(at_once.saturating_sub(1).max(1)));
        let budget = Budget::new(options.fetch.sync_memory_max, at_once);
        let (changes, _) = watch::channel(CatalogChange::default());
        let (flights, counted, unrecorded) = Default::default();
        let sources = RwLock::new(Arc::new(sources));
        let inner =
            Inner { store, sources, options, fetcher, flights, permits, failing, budget, changes, counted, unrecorded };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// The store it writes to.
    pub fn store(&self) -> &Store {
        &self.inner.store
    }

    /// The configured sources.
    pub fn sources(&self) -> Arc<Vec<SourceConfig>> {
        Arc::clone(&self.inner.sources.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Switches the known ones among `sources` on and off as these say, and takes over their intervals. One that is being synced just now
    /// is finished.
    pub fn switch(&self, sources: &[SourceConfig]) {
        let mut known = self.inner.sources.write().unwrap_or_else(PoisonError::into_inner);
        let switched = known.iter().map(|source| {
            let said = sources.iter().find(|said| said.id == source.id).unwrap_or(source);
            SourceConfig {
                enabled: said.enabled,
                disabled_reason: said.disabled_reason.clone(),
                interval: said.interval,
                ..source.clone()
            }
        });
        *known = Arc::new(switched.collect());
    }

    /// The time, as the engine sees it.
    pub fn now(&self) -> Stamp {
        (self.inner.options.clock)()
    }

    /// Share of the interval by which a scheduled sync may start late, in percent.
    pub fn jitter_percent(&self) -> u32 {
        self.inner.options.jitter_percent
    }

    /// How long a scheduled sync may take.
    pub fn sync_time_max(&self) -> Duration {
        self.inner.options.sync_time_max
    }

    /// Whether the last sync of a source could not be recorded.
    pub(crate) fn is_unrecorded(&self, id: &str) -> bool {
        self.unrecorded().contains_key(id)
    }

    /// Tells of every run that changed the stored catalog or a source's state.
    pub fn changes(&self) -> watch::Receiver<CatalogChange> {
        self.inner.changes.subscribe()
    }

    fn source(&self, id: &str) -> Result<SourceConfig, SyncError> {
        let sources = self.sources();
        sources.iter().find(|source| source.id == id).cloned().ok_or_else(|| SyncError::UnknownSource {
            id: id.to_owned(),
            known: sources.iter().map(|source| source.id.as_str()).collect::<Vec<_>>().join(", "),
        })
    }

    /// Syncs one source now. `force` takes a state that would be quarantined, prices far off their last value, and skips the
    /// conditional look.
    ///
    /// # Errors
    /// When there is no such source or the store fails. An upstream's failure is a report, not an error.
    pub async fn sync_source(&self, id: &str, force: bool) -> Result<SyncReport, SyncError> {
        self.sync_within(id, force, None).await
    }

    /// The same without force, given up after [`Engine::sync_time_max`]. What it waits for its turn does not count.
    pub(crate) async fn sync_scheduled(&self, id: &str) -> Result<SyncReport, SyncError> {
        self.sync_within(id, false, Some(self.sync_time_max())).await
    }

    async fn sync_within(&self, id: &str, force: bool, time_max: Option<Duration>) -> Result<SyncReport, SyncError> {
        let source = self.source(id)?;
        if !source.enabled {
            let reason = source.disabled_reason.clone().unwrap_or_else(|| "it is off (enabled = false)".to_owned());
            return Ok(SyncReport::skipped(id, reason));
        }
        if self.inner.options.offline && source.url.trim_start().starts_with("http") {
            return Ok(SyncReport::skipped(id, "offline: no connection is opened"));
        }
        let Some(mut flight) = FlightGuard::take_off(&self.inner, id) else {
            return Ok(SyncReport::skipped(id, "it is being synced already"));
        };
        let report = match self.fly(&mut flight, &source, force, time_max).await {
            Err(SyncError::Store(error @ StoreError::Removed { .. })) => SyncReport::skipped(id, error.to_string()),
            Err(error) => {
                if let SyncError::Store(error) = &error {
                    self.note_unrecorded(id, error.code(), error.public_message());
                }
                return Err(error);
            }
            Ok(report) => report,
        };
        self.unrecorded().remove(id);
        self.publish(&report);
        self.inner.options.progress.event(SyncEvent::Finished(&report));
        Ok(report)
    }

    /// The sync itself, when it is its turn.
    async fn fly(
        &self,
        flight: &mut FlightGuard,
        source: &SourceConfig,
        force: bool,
        time_max: Option<Duration>,
    ) -> Result<SyncReport, SyncError> {
        let has_failed = self.inner.store.source_state(&source.id).await?.consecutive_failures > 0;
        let _failing = if has_failed { self.inner.failing.acquire().await.ok() } else { None };
        // The semaphore is never closed; without a permit the sync only runs beside too many others.
        let _permit = self.inner.permits.acquire().await.ok();
        flight.tell(self.now()).await?;
        let begun = SyncEvent::Started { source_id: &source.id, name: source.display_name() };
        self.inner.options.progress.event(begun);
        let sync = outcome::sync(&self.inner, source, force);
        let synced = match time_max {
            Some(time_max) => tokio::time::timeout(time_max, sync).await.map_err(|_| SyncError::TimedOut(time_max)),
            None => Ok(sync.await),
        };
        flight.tell_end().await;
        Ok(synced??)
    }

    /// Tells the other nodes of syncs that ended without telling it: they broke off, took too long, or the database did not answer.
    pub(crate) async fn tell_ended_flights(&self) {
        self.inner.tell_ends().await;
    }

    /// Remembers that a sync of a source broke off without a trace in the store, for [`Engine::statuses`].
    pub(crate) fn note_unrecorded(&self, id: &str, code: &str, message: String) {
        let fault = Fault { code: code.to_owned(), message, at: self.now() };
        let before = self.unrecorded().insert(id.to_owned(), fault);
        // Told once, however often it is tried again.
        if before.is_none_or(|before| before.code != code) {
            tracing::error!(source = id, code, "a sync could not be recorded; it is tried again");
        }
    }

    fn unrecorded(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, Fault>> {
        self.inner.unrecorded.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Syncs sources in parallel, up to the limit: those named, or all. `forced` ones as [`Engine::sync_source`] with `force`.
    /// Reports stand in the order of the configuration.
    ///
    /// # Errors
    /// When a named source does not exist or the store fails.
    pub async fn sync_all(&self, ids: Option<&[String]>, forced: &[String]) -> Result<Vec<SyncReport>, SyncError> {
        for id in ids.unwrap_or_default().iter().chain(forced) {
            self.source(id)?;
        }
        let mut tasks = JoinSet::new();
        for (position, source) in self.sources().iter().enumerate() {
            let is_forced = forced.contains(&source.id);
            if !is_forced && ids.is_some_and(|ids| !ids.contains(&source.id)) {
                continue;
            }
            let (engine, id) = (self.clone(), source.id.clone());
            tasks.spawn(async move { (position, engine.sync_source(&id, is_forced).await) });
        }
        let mut reports = BTreeMap::new();
        let mut first_error = None;
        while let Some(done) = tasks.join_next().await {
            match done {
                Ok((position, Ok(report))) => {
                    reports.insert(position, report);
                }
                Ok((_, Err(error))) => first_error = first_error.or(Some(error)),
                Err(error) => tracing::error!(%error, "a sync broke off"),
            }
        }
        self.tell_ended_flights().await;
        match first_error {
            Some(error) => Err(error),
            None => Ok(reports.into_values().collect()),
        }
    }

    /// Sources whose next sync is due, in the order of the configuration.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn due(&self) -> Result<Vec<String>, StoreError> {
        let now = self.now();
        let statuses = self.statuses().await?;
        let due = statuses
            .into_iter()
            .filter(|status| self.runs_by_itself(status) && status.next_due_at.is_none_or(|at| at <= now));
        Ok(due.map(|status| status.id).collect())
    }

    /// When the next sync is due, of all sources but `without`; `None` when none will be.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn next_due(&self, without: &BTreeSet<String>) -> Result<Option<Stamp>, StoreError> {
        let now = self.now();
        let statuses = self.statuses().await?;
        let counted = statuses.iter().filter(|status| self.runs_by_itself(status) && !without.contains(&status.id));
        Ok(counted.map(|status| status.next_due_at.unwrap_or(now)).min())
    }

    fn runs_by_itself(&self, status: &SourceStatus) -> bool {
        let unreachable = self.inner.options.offline && status.url.starts_with("http");
        status.enabled && !unreachable && status.status != StatusWord::Syncing
    }

    /// Where each configured source stands, then each that is not configured and has facts all the same.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn statuses(&self) -> Result<Vec<SourceStatus>, StoreError> {
        let (now, sources) = (self.now(), self.sources());
        let states = self.inner.store.source_states().await?;
        let counted = self.count(&states).await?;
        let stored: BTreeMap<_, _> = states.into_iter().collect();
        let mut flying = self.inner.flights.flying();
        // Whoever leads knows its own syncs; a row may have outlived one of them.
        if self.inner.store.is_shared() && self.inner.store.fence().is_none() {
            // Another node may be the one that syncs.
            flying.extend(self.inner.store.flights().await?.into_iter().map(|flight| flight.source_id));
        }
        let stands = |id: &str| status::Stands {
            state: stored.get(id).cloned().unwrap_or_default(),
            figures: counted.figures.get(id).copied().unwrap_or_default(),
            now,
        };
        let mut statuses: Vec<SourceStatus> = sources
            .iter()
            .map(|source| {
                let kinds = (self.inner.options.find)(&source.connector).map_or(&[][..], |connector| connector.kinds());
                status::of_configured(source, kinds, flying.contains(&source.id), stands(&source.id))
            })
            .collect();
        let unrecorded = self.unrecorded().clone();
        for status in statuses.iter_mut().filter(|status| status.enabled) {
            let Some(fault) = unrecorded.get(&status.id) else { continue };
            status.error = Some(Fault { at: fault.at.min(now), ..fault.clone() });
            if status.status != StatusWord::Syncing {
                status.status = StatusWord::Failed;
            }
        }
        statuses.extend(counted.orphans.iter().map(|orphan| status::of_orphan(orphan, stands(&orphan.id))));
        Ok(statuses)
    }

    /// The figures of the sources, counted again when a source's state moved on: whatever changes them changes a state, too.
    async fn count(&self, states: &[(String, SourceState)]) -> Result<Arc<Counted>, StoreError> {
        let mut counted = self.inner.counted.lock().await;
        if counted.states != states {
            let figures: BTreeMap<_, _> = self.inner.store.figures().await?.into_iter().collect();
            let orphans = status::orphans(&self.inner.store, &self.sources(), &figures).await?;
            *counted = Arc::new(Counted { states: states.to_vec(), figures, orphans });
        }
        Ok(Arc::clone(&counted))
    }

    fn publish(&self, report: &SyncReport) {
        let statements = matches!(report.result, SyncResult::Updated) && !report.counts.only_times();
        self.inner.changes.send_modify(|change| {
            change.revision += 1;
            change.statements += u64::from(statements);
        });
    }
}
