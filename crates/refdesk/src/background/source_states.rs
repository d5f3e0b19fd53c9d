//! Shows the status of the sources.

use std::collections::BTreeSet;

use refdesk_core::source_status::{SourceFault, SourceStatus};
use refdesk_ingest::config::SourceConfig;
use refdesk_ingest::fetch::FetchCode;
use refdesk_ingest::sync::Engine;
use refdesk_serve::AppState;

use super::watchdog::Pulse;
use super::{Background, REFRESH};
use crate::config::key;

/// Shows the status of the sources, beside the store's watch: counting the facts of a large source anew takes its time, and that is no fault
/// of the store.
pub async fn run(work: Background, pulse: Pulse) {
    let Background { app, desk, engine, .. } = work;
    loop {
        tokio::time::sleep(REFRESH).await;
        pulse.beat();
        tell_sources(&desk, &engine).await;
        if !app.config.get(key::OFFLINE) {
            desk.set_unreached(&unreached(&engine.sources(), &desk.sources()));
        }
    }
}

/// Tells the desk the status of its sources. When the store cannot say, they stay as they were; the store's watch tells of its fault.
pub async fn tell_sources(desk: &AppState, engine: &Engine) {
    if let Ok(statuses) = engine.statuses().await {
        desk.set_sources(statuses);
    }
}

/// What to do where no upstream was reached when each was tried last; empty where one was, or none was tried. `statuses` are those of the
/// configured `sources`.
pub fn unreached(sources: &[SourceConfig], statuses: &[SourceStatus]) -> String {
    let remote: BTreeSet<&str> =
        sources.iter().filter(|source| source.is_remote()).map(|source| source.id.as_str()).collect();
    let is_remote = |status: &&SourceStatus| status.enabled && remote.contains(status.id.as_str());
    let tried: Vec<_> = statuses.iter().filter(is_remote).filter(|status| status.last_attempt_at.is_some()).collect();
    let is_unreached = |error: &SourceFault| FetchCode::is_unreachable(&error.code);
    if tried.is_empty() || !tried.iter().all(|status| status.error.as_ref().is_some_and(is_unreached)) {
        return String::new();
    }
    "No upstream was reached at the last try, so the facts stay as they were. Check the network; behind a proxy, set `proxy`; \
     without a network, pass --offline."
        .to_owned()
}
