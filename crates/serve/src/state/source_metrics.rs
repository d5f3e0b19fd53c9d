//! Metrics of each source: its last success, failures in a row, facts and rejects as the source statuses tell, and the syncs of this
//! process as they end. Labels are ids of the configuration, so there are as many as it has sources.

use prometheus::{GaugeVec, IntCounterVec, IntGaugeVec};

use super::registering::metrics;
use refdesk_core::source_status::{SourceStatus, StatusWord};

refdesk_core::closed_set! {
    /// How a sync ended.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum SyncOutcome {
        /// Something is new.
        Updated => "updated",
        /// Everything is as it was.
        Unchanged => "unchanged",
        /// What was there stays.
        Failed => "failed",
        /// The new state is held back.
        Quarantined => "quarantined",
    }
}

metrics! {
    /// See the module.
    #[derive(Debug, Clone)]
    pub struct SourceMetrics {
        last_success: IntGaugeVec = gauge_vec(
            "refdesk_source_last_success_timestamp_seconds",
            "When a source was last found to say what is shown, in seconds since 1970.",
            &["source"],
        );
        consecutive_failures: IntGaugeVec = gauge_vec(
            "refdesk_source_consecutive_failures", "Syncs of a source that failed since the last good one.", &["source"],
        );
        facts: IntGaugeVec = gauge_vec("refdesk_source_facts", "Facts of a source in the store.", &["source"]);
        rejects: IntGaugeVec = gauge_vec(
            "refdesk_source_rejects", "Records of a source that could not become facts.", &["source"],
        );
        syncs: IntCounterVec = counter_vec(
            "refdesk_source_syncs_total", "Syncs of a source by this process, by result.", &["source", "result"],
        );
        sync_seconds: GaugeVec = float_gauge_vec(
            "refdesk_source_sync_seconds", "How long the last sync of a source took.", &["source"],
        );
    }
}

impl SourceMetrics {
    /// Takes over where the sources stand; those that are gone are no longer shown.
    pub(super) fn stand(&self, sources: &[SourceStatus]) {
        for by_source in [&self.last_success, &self.consecutive_failures, &self.facts, &self.rejects] {
            by_source.reset();
        }
        for source in sources {
            let of = |gauge: &IntGaugeVec, value: i64| gauge.with_label_values(&[source.id.as_str()]).set(value);
            if let Some(at) = source.last_verified_at {
                of(&self.last_success, at.0);
            }
            of(&self.consecutive_failures, i64::from(source.consecutive_failures));
            of(&self.facts, gauge_value(source.counts.total));
            of(&self.rejects, gauge_value(source.counts.rejects));
            self.begin_at_zero(source);
        }
    }

    /// Creates the counters of a source that is synced: an alert on growth does not see the first of a counter that begins with it.
    fn begin_at_zero(&self, source: &SourceStatus) {
        if matches!(source.status, StatusWord::Disabled | StatusWord::Orphaned) {
            return;
        }
        for outcome in SyncOutcome::ALL {
            self.syncs.with_label_values(&[source.id.as_str(), outcome.as_str()]);
        }
    }

    /// Counts a sync that ended.
    pub fn synced(&self, source: &str, outcome: SyncOutcome, seconds: f64) {
        self.syncs.with_label_values(&[source, outcome.as_str()]).inc();
        self.sync_seconds.with_label_values(&[source]).set(seconds);
    }
}

/// A count as a gauge takes it.
pub(super) fn gauge_value(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
