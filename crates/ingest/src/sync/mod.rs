//! The sync engine: takes a source from its upstream into the store, whole or not at all, and never loses a fact to a bad day.
//!
//! [`Engine::sync_source`] is one sync: revalidate what is stored, else run the connector's pass ([`attempt`]), check its sums and compare
//! it with what is stored ([`commit_gate`], [`quarantine`]), commit. [`outcome`] is what a run leaves behind in each case.

mod attempt;
pub mod bounds;
mod commit_gate;
mod flight;
mod options;
mod outcome;
mod pass;
pub mod quarantine;
mod report;
mod status;
mod verdict;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use refdesk_core::Stamp;
use refdesk_core::parallel::locked;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

pub use attempt::is_of_other_readers;
pub use options::{EngineOptions, JITTER_PERCENT, SYNC_TIME_MAX};
pub use report::{Progress, Silent, SyncEvent, SyncReport, SyncResult, tell_unreached};

use crate::config::{ConfigError, SourceConfig, check_sources};
use crate::fetch::Fetcher;
use crate::memory_budget::MemoryBudget;
use crate::store::{Accept, Fault, Store, StoreError};
use flight::{FlightGuard, Flights};
use status::FigureCache;

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
    inner: Arc<EngineState>,
}

/// A sync of a source, accepting what is said, given up after a time if there is one.
struct AskedSync<'a> {
    source: &'a SourceConfig,
    accept: &'a Accept,
    time_max: Option<Duration>,
}

struct EngineState {
    store: Store,
    /// What is configured; only switches change while it runs.
    sources: Mutex<Arc<Vec<SourceConfig>>>,
    options: EngineOptions,
    fetcher: Fetcher,
    /// Sources being synced: at most one flight each.
    flights: Flights,
    /// Sources at once.
    permits: Semaphore,
    /// Sources at once whose last run failed: one fewer, so that upstreams that only take time never keep all others from their turn.
    failing: Semaphore,
    /// The memory of all syncs.
    budget: MemoryBudget,
    changes: watch::Sender<CatalogChange>,
    counted: tokio::sync::Mutex<Arc<FigureCache>>,
    /// Syncs that could not be recorded, by source: the store failed, or they broke off. Each until a sync of the source is recorded.
    unrecorded: Mutex<BTreeMap<String, Fault>>,
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
        let budget = MemoryBudget::new(options.fetch.sync_memory_max, at_once);
        let (changes, _) = watch::channel(CatalogChange::default());
        let (flights, counted, unrecorded) = Default::default();
        let sources = Mutex::new(Arc::new(sources));
        let inner = EngineState {
            store,
            sources,
            options,
            fetcher,
            flights,
            permits,
            failing,
            budget,
            changes,
            counted,
            unrecorded,
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// The store it writes to.
    pub fn store(&self) -> &Store {
        &self.inner.store
    }

    /// The configured sources.
    pub fn sources(&self) -> Arc<Vec<SourceConfig>> {
        Arc::clone(&locked(&self.inner.sources))
    }

    /// Switches the known ones among `sources` on and off as these say, and takes over their intervals. One that is being synced just now
    /// is finished.
    pub fn switch(&self, sources: &[SourceConfig]) {
        let mut known = locked(&self.inner.sources);
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
        locked(&self.inner.unrecorded).contains_key(id)
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

    /// Syncs one source now. What `accept` takes is neither quarantined nor are its prices pending. With [`Accept::Any`] the source is read
    /// whole, with no conditional look.
    ///
    /// # Errors
    /// When there is no such source or the store fails. An upstream's failure is a report, not an error.
    pub async fn sync_source(&self, id: &str, accept: &Accept) -> Result<SyncReport, SyncError> {
        self.sync_within(id, accept, None).await
    }

    /// The same, accepting nothing, given up after [`Engine::sync_time_max`]. What it waits for its turn does not count.
    pub(crate) async fn sync_scheduled(&self, id: &str) -> Result<SyncReport, SyncError> {
        self.sync_within(id, &Accept::No, Some(self.sync_time_max())).await
    }

    async fn sync_within(
        &self,
        id: &str,
        accept: &Accept,
        time_max: Option<Duration>,
    ) -> Result<SyncReport, SyncError> {
        let source = self.source(id)?;
        let asked = AskedSync { source: &source, accept, time_max };
        let mut flight = None;
        let report = match self.why_passed_over(&source) {
            Some(reason) => SyncReport::skipped(id, reason),
            None => match flight.insert(FlightGuard::take_off(&self.inner, id)) {
                Some(flight) => self.recorded(flight, &asked).await?,
                None => SyncReport::skipped(id, "it is being synced already"),
            },
        };
        // Also of one that was passed over: whoever counts sources waits for the end of each.
        self.inner.options.progress.event(SyncEvent::Finished(&report));
        Ok(report)
    }

    /// Why a source is not synced as it is configured; `None` when it is.
    fn why_passed_over(&self, source: &SourceConfig) -> Option<String> {
        if !source.enabled {
            let reason = source.disabled_reason.clone();
            return Some(reason.unwrap_or_else(|| "it is off (enabled = false)".to_owned()));
        }
        (self.inner.options.offline && source.is_remote()).then(|| "offline: no connection is opened".to_owned())
    }

    /// Syncs, and tells whoever waits for changes, or remembers that it could not be recorded.
    async fn recorded(&self, flight: &mut FlightGuard, asked: &AskedSync<'_>) -> Result<SyncReport, SyncError> {
        let id = asked.source.id.as_str();
        let report = match self.fly(flight, asked).await {
            Err(SyncError::Store(error @ StoreError::Removed { .. })) => SyncReport::skipped(id, error.to_string()),
            Err(error) => {
                if let SyncError::Store(error) = &error {
                    self.note_unrecorded(id, error.code(), error.public_message());
                }
                return Err(error);
            }
            Ok(report) => report,
        };
        locked(&self.inner.unrecorded).remove(id);
        self.publish(&report);
        Ok(report)
    }

    /// The sync itself, when it is its turn.
    async fn fly(&self, flight: &mut FlightGuard, asked: &AskedSync<'_>) -> Result<SyncReport, SyncError> {
        let AskedSync { source, accept, time_max } = *asked;
        let has_failed = self.inner.store.source_state(&source.id).await?.consecutive_failures > 0;
        // The semaphores are never closed; without a permit the sync only runs beside too many others.
        let _failing = if has_failed { self.inner.failing.acquire().await.ok() } else { None };
        let _permit = self.inner.permits.acquire().await.ok();
        flight.tell(self.now()).await?;
        let begun = SyncEvent::Started { source_id: &source.id, name: source.display_name() };
        self.inner.options.progress.event(begun);
        let sync = outcome::sync(&self.inner, source, accept);
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
        let before = locked(&self.inner.unrecorded).insert(id.to_owned(), fault);
        // Told once, however often it is tried again.
        if before.is_none_or(|before| before.code != code) {
            tracing::error!(source = id, code, "a sync could not be recorded; it is tried again");
        }
    }

    /// Syncs sources in parallel, up to the limit: those of `ids`, or all, and those of `accepted`, each with the state to accept. Reports
    /// come in the order of the configuration.
    ///
    /// # Errors
    /// When a named source does not exist or the store fails.
    pub async fn sync_all(
        &self,
        ids: Option<&[String]>,
        accepted: &[(String, Accept)],
    ) -> Result<Vec<SyncReport>, SyncError> {
        for id in ids.unwrap_or_default().iter().chain(accepted.iter().map(|(id, _)| id)) {
            self.source(id)?;
        }
        let mut tasks = JoinSet::new();
        for (position, source) in self.sources().iter().enumerate() {
            let accept = accepted.iter().find(|(id, _)| *id == source.id).map(|(_, accept)| accept.clone());
            if accept.is_none() && ids.is_some_and(|ids| !ids.contains(&source.id)) {
                continue;
            }
            let (engine, id, accept) = (self.clone(), source.id.clone(), accept.unwrap_or(Accept::No));
            tasks.spawn(async move { (position, engine.sync_source(&id, &accept).await) });
        }
        let mut reports = BTreeMap::new();
        let mut first_error = None;
        while let Some(done) = tasks.join_next().await {
            match done {
                Ok((position, Ok(report))) => {
                    reports.insert(position, report);
                }
                Ok((_, Err(error))) => first_error = first_error.or(Some(error)),
                Err(error) => tracing::error!(%error, "a sync ended unexpectedly"),
            }
        }
        self.tell_ended_flights().await;
        match first_error {
            Some(error) => Err(error),
            None => Ok(reports.into_values().collect()),
        }
    }

    fn publish(&self, report: &SyncReport) {
        let counts = &report.counts;
        let statements = report.result == SyncResult::Updated && counts.added + counts.changed + counts.removed > 0;
        self.inner.changes.send_modify(|change| {
            change.revision += 1;
            change.statements += u64::from(statements);
        });
    }
}
