//! Where a source stands: what its configuration, its stored state, the figures of its facts and the clock say together.
//!
//! A stored time that lies ahead of the clock was written by a clock that was wrong: it is shown as absent, and the source is due at once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use refdesk_core::parallel::locked;
use refdesk_core::source_status::{SourceCounts, SourceFault, SourceStatus, StatusWord};
use refdesk_core::time::CLOCK_AHEAD_SECS_MAX;
use refdesk_core::{Kind, SourceInfo, Stamp};

use super::Engine;
use crate::config::{SourceConfig, Span};
use crate::store::{FactFigures, Fault, RunOutcome, SourceState, Store, StoreError};

/// Clocks differ by so much without a stored time being wrong.
pub(super) const CLOCK_TOLERANCE: Span = Span::secs(CLOCK_AHEAD_SECS_MAX as u64);
/// The longest wait that an upstream is granted when it asks for one with `Retry-After`, whatever the interval is: no header silences a
/// source. Other headers (`RateLimit`, `X-RateLimit-Reset`) are not read.
pub(super) const ASKED_WAIT_MAX: Span = Span::days(1);
/// What stands for the connector of a source that nothing tells it of.
const UNKNOWN_CONNECTOR: &str = "unknown";

/// The figures of the sources, with the states that the sources had then. Counting reads a row of every fact, and statuses are asked
/// for every few seconds.
#[derive(Default)]
pub(super) struct FigureCache {
    states: Vec<(String, SourceState)>,
    figures: BTreeMap<String, FactFigures>,
    orphans: Vec<Orphan>,
}

impl Engine {
    /// Sources whose next sync is due, in the order of the configuration.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn due(&self) -> Result<Vec<String>, StoreError> {
        let (now, unreachable) = (self.now(), self.unreachable());
        let statuses = self.statuses().await?;
        let due = statuses
            .into_iter()
            .filter(|status| runs_by_itself(status, &unreachable) && status.next_due_at.is_none_or(|at| at <= now));
        Ok(due.map(|status| status.id).collect())
    }

    /// When the next sync is due, of all sources but `without`; `None` when none will be.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn next_due(&self, without: &BTreeSet<String>) -> Result<Option<Stamp>, StoreError> {
        let (now, unreachable) = (self.now(), self.unreachable());
        let statuses = self.statuses().await?;
        let counted =
            statuses.iter().filter(|status| runs_by_itself(status, &unreachable) && !without.contains(&status.id));
        Ok(counted.map(|status| status.next_due_at.unwrap_or(now)).min())
    }

    /// The ids of sources that no sync reaches, because no connection is opened.
    fn unreachable(&self) -> BTreeSet<String> {
        let sources = self.sources();
        let unreachable = sources.iter().filter(|source| self.inner.options.offline && source.is_remote());
        unreachable.map(|source| source.id.clone()).collect()
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
        // A source that was never synced has neither a state nor facts.
        let stands = |id: &str| Stands {
            state: stored.get(id).cloned().unwrap_or_default(),
            figures: counted.figures.get(id).copied().unwrap_or_default(),
            now,
        };
        let mut statuses: Vec<SourceStatus> = sources
            .iter()
            .map(|source| {
                let kinds = (self.inner.options.find)(&source.connector).map_or(&[][..], |connector| connector.kinds);
                of_configured(source, kinds, flying.contains(&source.id), stands(&source.id))
            })
            .collect();
        let unrecorded = locked(&self.inner.unrecorded).clone();
        for status in statuses.iter_mut().filter(|status| status.enabled) {
            let Some(fault) = unrecorded.get(&status.id) else { continue };
            status.error = Some(shown(Fault { at: fault.at.min(now), ..fault.clone() }, now));
            if status.status != StatusWord::Syncing {
                status.status = StatusWord::Failed;
            }
        }
        statuses.extend(counted.orphans.iter().map(|orphan| of_orphan(orphan, stands(&orphan.id))));
        Ok(statuses)
    }

    /// The figures of the sources, counted again when a source's state moved on: whatever changes them changes a state, too.
    async fn count(&self, states: &[(String, SourceState)]) -> Result<Arc<FigureCache>, StoreError> {
        let mut counted = self.inner.counted.lock().await;
        if counted.states != states {
            let figures: BTreeMap<_, _> = self.inner.store.figures().await?.into_iter().collect();
            let orphans = orphans(&self.inner.store, &self.sources(), &figures).await?;
            *counted = Arc::new(FigureCache { states: states.to_vec(), figures, orphans });
        }
        Ok(Arc::clone(&counted))
    }
}

fn runs_by_itself(status: &SourceStatus, unreachable: &BTreeSet<String>) -> bool {
    status.enabled && !unreachable.contains(&status.id) && status.status != StatusWord::Syncing
}

/// What the store and the clock tell of a source.
pub(super) struct Stands {
    pub(super) state: SourceState,
    pub(super) figures: FactFigures,
    pub(super) now: Stamp,
}

/// A stored time, unless it lies ahead of the clock.
pub(super) fn past(at: Option<Stamp>, now: Stamp) -> Option<Stamp> {
    at.filter(|at| !at.is_ahead_of(now))
}

/// When the next sync is due; `None` when that is at once. After a failure the upstream may have asked for a longer wait than the
/// interval, and is granted it up to [`ASKED_WAIT_MAX`] or twice the interval; a time beyond that was written by a clock that was wrong.
fn due_at(state: &SourceState, interval: Span, now: Stamp) -> Option<Stamp> {
    let times = [state.last_attempt_at, state.last_synced_at, state.last_verified_at];
    if times.iter().any(|at| past(*at, now) != *at) {
        return None;
    }
    let interval = interval.as_stamp_secs();
    let wait = match state.outcome {
        Some(RunOutcome::Failed) => interval.saturating_mul(2).max(ASKED_WAIT_MAX.as_stamp_secs()),
        _ => interval,
    };
    let latest = now.plus_secs(wait.saturating_add(CLOCK_TOLERANCE.as_stamp_secs()));
    state.next_due_at.filter(|at| *at <= latest)
}

pub(super) fn of_configured(source: &SourceConfig, kinds: &[Kind], is_flying: bool, stands: Stands) -> SourceStatus {
    let word = match stands.state.outcome {
        _ if !source.enabled => StatusWord::Disabled,
        _ if is_flying => StatusWord::Syncing,
        None => StatusWord::Never,
        Some(RunOutcome::Failed) => StatusWord::Failed,
        Some(RunOutcome::Quarantined) => StatusWord::Quarantined,
        Some(_) => StatusWord::Ok,
    };
    let next_due_at = due_at(&stands.state, source.interval, stands.now).filter(|_| source.enabled);
    SourceStatus {
        name: source.display_name().to_owned(),
        kind: source.connector.clone(),
        url: source.shown_url(),
        license: source.license.clone(),
        types: types(kinds),
        enabled: source.enabled,
        disabled_reason: source.disabled_reason.clone().filter(|_| !source.enabled),
        next_due_at,
        refresh_due: source.enabled && next_due_at.is_none_or(|at| at <= stands.now),
        interval_seconds: source.interval.as_secs(),
        ..of_stored(&source.id, word, stands)
    }
}

/// The parts that the store alone tells.
fn of_stored(id: &str, status: StatusWord, stands: Stands) -> SourceStatus {
    let Stands { state, figures, now } = stands;
    SourceStatus {
        id: id.to_owned(),
        name: id.to_owned(),
        kind: UNKNOWN_CONNECTOR.to_owned(),
        url: String::new(),
        license: None,
        types: Vec::new(),
        enabled: false,
        disabled_reason: None,
        status,
        last_attempt_at: past(state.last_attempt_at, now),
        last_synced_at: past(state.last_synced_at, now),
        last_verified_at: past(state.last_verified_at, now),
        next_due_at: None,
        refresh_due: false,
        interval_seconds: 0,
        consecutive_failures: state.consecutive_failures,
        content_hash: state.content_hash,
        http_status: state.http_status,
        error: state.error.map(|fault| shown(fault, now)),
        counts: SourceCounts {
            total: figures.total,
            added: state.counts.added,
            changed: state.counts.changed,
            removed: state.counts.removed,
            quarantined: figures.quarantined,
            // These two the snapshot knows.
            withheld: 0,
            stale: 0,
            rejects: figures.rejects,
            rejected: figures.rejects,
            left_out: state.counts.ignored,
            unshown: state.unshown.values().sum(),
            uncounted: state.counts.uncounted,
        },
    }
}

pub(super) fn shown(fault: Fault, now: Stamp) -> SourceFault {
    SourceFault { code: fault.code, message: fault.message, at: past(Some(fault.at), now) }
}

/// The search types of the kinds that a source states.
fn types(kinds: &[Kind]) -> Vec<String> {
    kinds.iter().map(|kind| kind.search_type().to_owned()).collect()
}

/// A source that is not configured and has facts in the store.
#[derive(Debug, Clone)]
pub(super) struct Orphan {
    pub(super) id: String,
    kinds: Vec<Kind>,
    /// What came with it when it was imported; then its facts are shown.
    imported: Option<SourceInfo>,
    /// What it was, when it is one of the sources that ship.
    shipped: Option<SourceConfig>,
}

pub(super) async fn orphans(
    store: &Store,
    sources: &[SourceConfig],
    figures: &BTreeMap<String, FactFigures>,
) -> Result<Vec<Orphan>, StoreError> {
    let configured: BTreeSet<&str> = sources.iter().map(|source| source.id.as_str()).collect();
    let is_left = |id: &str, figures: &FactFigures| figures.total > 0 && !configured.contains(id);
    let left: Vec<&String> = figures.iter().filter(|(id, figures)| is_left(id, figures)).map(|(id, _)| id).collect();
    if left.is_empty() {
        return Ok(Vec::new());
    }
    let (imported, shipped) = (store.imported_sources().await?, shipped_sources());
    let mut orphans = Vec::with_capacity(left.len());
    for id in left {
        orphans.push(Orphan {
            id: id.clone(),
            kinds: store.kinds_of(id).await?,
            imported: imported.iter().find(|info| *info.id == **id).cloned(),
            shipped: shipped.iter().find(|source| source.id == *id).cloned(),
        });
    }
    Ok(orphans)
}

/// The sources that ship. Should their list not be readable, orphans have their id for a name, and the log says why.
fn shipped_sources() -> Vec<SourceConfig> {
    crate::config::default_sources().unwrap_or_else(|error| {
        tracing::error!(%error, "the list of the sources that ship cannot be read; please report it");
        Vec::new()
    })
}

pub(super) fn of_orphan(orphan: &Orphan, stands: Stands) -> SourceStatus {
    let Orphan { id, kinds, imported, shipped } = orphan;
    let (name, license) = match (imported, shipped) {
        (Some(info), _) => (info.name.clone(), info.license.clone()),
        (None, Some(source)) => (source.display_name().to_owned(), source.license.clone()),
        (None, None) => (id.clone(), None),
    };
    let kept = if imported.is_some() {
        "it was imported and is not configured here: its facts are shown and are never synced"
    } else {
        "it is not configured here: its facts are kept and not shown"
    };
    let reason = format!("{kept}; configure it again, or delete them with `refdesk sources remove {id}`");
    SourceStatus {
        name,
        license,
        kind: shipped.as_ref().map_or_else(|| UNKNOWN_CONNECTOR.to_owned(), |source| source.connector.clone()),
        url: shipped.as_ref().map(SourceConfig::shown_url).unwrap_or_default(),
        types: types(kinds),
        disabled_reason: Some(reason),
        ..of_stored(id, StatusWord::Orphaned, stands)
    }
}
