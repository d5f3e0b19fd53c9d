//! Counts the syncs of this process for the metrics, as they end.

use std::sync::Arc;

use refdesk_ingest::sync::{Progress, SyncEvent, SyncResult};
use refdesk_serve::AppState;
use refdesk_serve::state::metrics::SyncOutcome;

/// Tells the metrics of a desk.
pub struct Measured(pub Arc<AppState>);

impl Progress for Measured {
    fn event(&self, event: SyncEvent<'_>) {
        let SyncEvent::Finished(report) = event else { return };
        let outcome = match &report.result {
            SyncResult::Updated => SyncOutcome::Updated,
            SyncResult::Confirmed => SyncOutcome::Unchanged,
            SyncResult::Failed { .. } => SyncOutcome::Failed,
            SyncResult::Quarantined { .. } => SyncOutcome::Quarantined,
            SyncResult::Skipped { .. } => return,
        };
        self.0.metrics.by_source.synced(&report.source_id, outcome, report.duration_ms as f64 / 1000.0);
    }
}
