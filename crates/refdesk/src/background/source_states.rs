//! Shows where the sources stand.

use std::sync::Arc;

use refdesk_core::Kind;
use refdesk_ingest::fetch::FetchCode;
use refdesk_ingest::sync::{Engine, StatusWord};
use refdesk_serve::AppState;
use refdesk_serve::state::{SourceCounts, SourceFault, SourceState, SourceStatus};

use super::REFRESH;
use super::watchdog::Pulse;
use crate::app::now;

/// Shows where the sources stand, beside the store's watch: counting the facts of a large source anew takes its time, and that is no fault
/// of the store.
pub async fn run(desk: Arc<AppState>, engine: Engine, is_offline: bool, pulse: Pulse) {
    loop {
        tokio::time::sleep(REFRESH).await;
        pulse.beat();
        tell_sources(&desk, &engine).await;
        if !is_offline {
            desk.set_unreached(&unreached(&desk.sources()));
        }
    }
}

/// Tells the desk where the sources stand. When the store cannot say, they stay as they were; the store's watch tells of its fault.
pub async fn tell_sources(desk: &AppState, engine: &Engine) {
    if let Ok(statuses) = engine.statuses().await {
        desk.set_sources(statuses.into_iter().map(source_status).collect());
    }
}

/// What to do where no upstream was reached when each was tried last; empty where one was, or none was tried.
pub fn unreached(statuses: &[SourceStatus]) -> String {
    let is_remote = |status: &&SourceStatus| status.enabled && status.url.starts_with("http");
    let tried: Vec<_> = statuses.iter().filter(is_remote).filter(|status| status.last_attempt_at.is_some()).collect();
    let is_unreached = |error: &SourceFault| FetchCode::is_unreachable(&error.code);
    if tried.is_empty() || !tried.iter().all(|status| status.error.as_ref().is_some_and(is_unreached)) {
        return String::new();
    }
    "No upstream was reached at the last try, so the facts stay as they were. Is there a network? Behind a proxy set `proxy`; where there \
     is none, say --offline."
        .to_owned()
}

/// What the desk shows of a source's status.
pub fn source_status(status: refdesk_ingest::sync::SourceStatus) -> SourceStatus {
    SourceStatus {
        id: status.id,
        name: status.name,
        kind: status.kind,
        url: status.url,
        license: status.license,
        types: status.kinds.iter().map(|kind| Kind::search_type(*kind).to_owned()).collect(),
        enabled: status.enabled,
        disabled_reason: status.disabled_reason,
        status: match status.status {
            StatusWord::Never => SourceState::Never,
            StatusWord::Syncing => SourceState::Syncing,
            StatusWord::Ok => SourceState::Ok,
            StatusWord::Failed => SourceState::Failed,
            StatusWord::Quarantined => SourceState::Quarantined,
            StatusWord::Disabled => SourceState::Disabled,
            StatusWord::Orphaned => SourceState::Orphaned,
        },
        last_attempt_at: status.last_attempt_at,
        last_synced_at: status.last_synced_at,
        last_verified_at: status.last_verified_at,
        next_due_at: status.next_due_at,
        refresh_due: status.refresh_due,
        interval_seconds: status.interval_seconds,
        consecutive_failures: status.consecutive_failures,
        content_hash: status.content_hash,
        http_status: status.http_status,
        error: status.error.map(|fault| SourceFault {
            code: fault.code,
            message: fault.message,
            at: Some(fault.at).filter(|at| !at.is_ahead_of(now())),
        }),
        counts: SourceCounts {
            total: status.counts.total,
            added: status.counts.added,
            changed: status.counts.changed,
            removed: status.counts.removed,
            quarantined: status.counts.quarantined,
            // These two the snapshot knows.
            withheld: 0,
            stale: 0,
            rejects: status.counts.rejects,
            rejected: status.counts.rejects,
            left_out: status.counts.left_out,
            uncounted: status.counts.uncounted,
        },
    }
}
