//! Metrics of the store, as the process that has it tells them: calls that failed, and the connections to a database.

use prometheus::{IntCounter, IntCounterVec, IntGaugeVec};

use super::registering::metrics;
use super::source_metrics::gauge_value;

metrics! {
    /// See the module.
    #[derive(Debug)]
    pub struct StoreMetrics {
        errors: IntCounterVec = counter_vec(
            "refdesk_store_errors_total", "Calls to the store that failed, by operation.", &["operation"],
        );
        connections: IntGaugeVec = gauge_vec(
            "refdesk_store_connections", "Connections to the database, by state.", &["state"],
        );
        connection_waits: IntCounter = counter(
            "refdesk_store_connection_waits_total",
            "Calls that waited because all connections to the database were in use.",
        );
    }
}

impl StoreMetrics {
    /// So many calls for this operation have failed since the process started.
    pub fn failed(&self, operation: &str, total: u64) {
        raise_to(&self.errors.with_label_values(&[operation]), total);
    }

    /// How the connections to a database stand, and how many calls have waited for one since the process started.
    pub fn connections(&self, in_use: usize, idle: usize, waits: u64) {
        self.connections.with_label_values(&["in_use"]).set(gauge_value(in_use));
        self.connections.with_label_values(&["idle"]).set(gauge_value(idle));
        raise_to(&self.connection_waits, waits);
    }
}

/// A counter is counted elsewhere; here it only follows.
fn raise_to(counter: &IntCounter, total: u64) {
    counter.inc_by(total.saturating_sub(counter.get()));
}
