//! Counts the syncs of this process for the metrics, as they end.

use std::sync::Arc;

use refdesk_ingest::sync::{Progress, SyncEvent, SyncReport, SyncResult};
use refdesk_serve::AppState;
use refdesk_serve::state::metrics::SyncOutcome;

/// Tells the metrics of a desk.
pub struct Measured(pub Arc<AppState>);

impl Progress for Measured {
    fn event(&self, event: SyncEvent<'_>) {
        if let SyncEvent::Finished(report) = event {
            self.count(report);
        }
    }
}

impl Measured {
    /// Counts a sync that ended: also one that ended before there were metrics.
    pub fn count(&self, report: &SyncReport) {
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
