//! Where a source stands: what its configuration, its stored state, the figures of its facts and the clock say together.
//!
//! A stored time that lies ahead of the clock was written by a clock that was wrong: it is shown as absent, and the source is due at once.

use std::collections::{BTreeMap, BTreeSet};

use refdesk_core::time::CLOCK_AHEAD_SECS_MAX;
use refdesk_core::{Kind, SourceInfo, Stamp};

use super::report::{SourceStatus, StatusCounts, StatusWord};
use crate::config::{SourceConfig, Span};
use crate::store::{FactFigures, RunOutcome, SourceState, Store, StoreError};

/// Clocks differ by so much without a stored time being wrong.
pub(super) const CLOCK_TOLERANCE: Span = Span::secs(CLOCK_AHEAD_SECS_MAX as u64);
/// The longest wait that an upstream is granted when it asks for one with `Retry-After`, whatever the interval is: no header silences a
/// source. Other headers (`RateLimit`, `X-RateLimit-Reset`) are not read.
pub(super) const ASKED_WAIT_MAX: Span = Span::days(1);
/// What stands for the connector of a source that nothing tells it of.
const UNKNOWN_CONNECTOR: &str = "unknown";

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

/// The status of a configured source.
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
        kinds: kinds.to_vec(),
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
        kinds: Vec::new(),
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
        error: state.error,
        counts: StatusCounts {
            total: figures.total,
            added: state.counts.added,
            changed: state.counts.changed,
            removed: state.counts.removed,
            quarantined: figures.quarantined,
            rejects: figures.rejects,
            left_out: state.counts.ignored,
            uncounted: state.counts.uncounted,
        },
        left_out: state.ignored,
        unshown: state.unshown,
    }
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

/// The sources that have facts and are not configured.
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

/// The status of a source that is not configured.
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
        "it is not configured any more: its facts are kept and not shown"
    };
    let reason = format!("{kept}; configure it again, or delete them with `refdesk sources remove {id}`");
    SourceStatus {
        name,
        license,
        kind: shipped.as_ref().map_or_else(|| UNKNOWN_CONNECTOR.to_owned(), |source| source.connector.clone()),
        url: shipped.as_ref().map(SourceConfig::shown_url).unwrap_or_default(),
        kinds: kinds.clone(),
        disabled_reason: Some(reason),
        ..of_stored(id, StatusWord::Orphaned, stands)
    }
}
