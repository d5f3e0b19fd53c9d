//! Metrics of each source: its last success, failures in a row, facts and rejects as the source statuses tell, and the syncs of this
//! process as they end. Labels are ids of the configuration, so there are as many as it has sources.

use prometheus::{GaugeVec, IntCounterVec, IntGaugeVec};

use super::registering::Registering;
use refdesk_core::source_status::SourceStatus;

/// See the module.
#[derive(Debug, Clone)]
pub struct SourceMetrics {
    last_success: IntGaugeVec,
    consecutive_failures: IntGaugeVec,
    facts: IntGaugeVec,
    rejects: IntGaugeVec,
    syncs: IntCounterVec,
    sync_seconds: GaugeVec,
}

impl SourceMetrics {
    pub(super) fn new(register: &Registering<'_>) -> Self {
        let by_source = |name: &str, help: &str| register.gauge_vec(name, help, &["source"]);
        Self {
            last_success: by_source(
                "refdesk_source_last_success_timestamp_seconds",
                "When a source was last found to say what is shown, in seconds since 1970.",
            ),
            consecutive_failures: by_source(
                "refdesk_source_consecutive_failures",
                "Syncs of a source that failed since the last good one.",
            ),
            facts: by_source("refdesk_source_facts", "Facts of a source in the store."),
            rejects: by_source("refdesk_source_rejects", "Records of a source that could not become facts."),
            syncs: register.counter_vec(
                "refdesk_source_syncs_total",
                "Syncs of a source by this process, by result.",
                &["source", "result"],
            ),
            sync_seconds: register.float_gauge_vec(
                "refdesk_source_sync_seconds",
                "How long the last sync of a source took.",
                &["source"],
            ),
        }
    }

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
        }
    }

    /// Counts a sync that ended; `result` is one of a few words.
    pub fn synced(&self, source: &str, result: &'static str, seconds: f64) {
        self.syncs.with_label_values(&[source, result]).inc();
        self.sync_seconds.with_label_values(&[source]).set(seconds);
    }
}

/// A count as a gauge takes it.
pub(super) fn gauge_value(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
