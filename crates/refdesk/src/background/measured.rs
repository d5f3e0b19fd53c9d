//! Counts the syncs of this process for the metrics, as they end.

use std::sync::Arc;

use refdesk_ingest::sync::{Progress, SyncEvent, SyncResult};
use refdesk_serve::AppState;

/// Tells the metrics of a desk.
pub struct Measured(pub Arc<AppState>);

impl Progress for Measured {
    fn event(&self, event: SyncEvent<'_>) {
        let SyncEvent::Finished(report) = event else { return };
        let result = match &report.result {
            SyncResult::Updated => "updated",
            SyncResult::Confirmed => "unchanged",
            SyncResult::Failed { .. } => "failed",
            SyncResult::Quarantined { .. } => "quarantined",
            SyncResult::Skipped { .. } => return,
        };
        self.0.metrics.by_source.synced(&report.source_id, result, report.duration_ms as f64 / 1000.0);
    }
}
