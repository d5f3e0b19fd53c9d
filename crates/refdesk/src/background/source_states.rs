//! Shows where the sources stand.

use std::sync::Arc;

use refdesk_ingest::sync::Engine;
use refdesk_serve::AppState;

use super::REFRESH;
use super::watchdog::Pulse;

/// Shows where the sources stand, beside the store's watch: counting the facts of a large source anew takes its time, and that is no fault
/// of the store.
pub async fn run(desk: Arc<AppState>, engine: Engine, pulse: Pulse) {
    loop {
        tokio::time::sleep(REFRESH).await;
        pulse.beat();
        tell_sources(&desk, &engine).await;
    }
}

/// Tells the desk where the sources stand. When the store cannot say, they stay as they were; the store's watch tells of its fault.
pub async fn tell_sources(desk: &AppState, engine: &Engine) {
    if let Ok(statuses) = engine.statuses().await {
        desk.set_sources(statuses);
    }
}
