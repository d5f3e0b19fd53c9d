//! What this process is among the nodes of a service: its role, whether it leads, how old its keys are, and whether it is leaving.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::{Duration, Instant};

use prometheus::{Histogram, IntCounter, IntGauge, Registry};
use refdesk_core::parallel::locked;

use super::registering::{Registering, metrics};
use crate::settings::Role;

/// No epoch: another node leads, or none does.
const NO_EPOCH: i64 = 0;
/// Leads without a lease: the only node there is, or the process of its data directory that syncs.
const ALONE: i64 = -1;
/// Without a lease, and another process of its data directory syncs, or none does.
const ALONE_UNSYNCED: i64 = -2;
/// Upper bounds of the buckets of fetches, in seconds.
const FETCH_BUCKETS: [f64; 8] = [0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0, 120.0];

/// The state of this node. The binary keeps it up to date; `/health`, `/readyz` and metrics read it.
#[derive(Debug)]
pub struct Node {
    role: Role,
    /// Epoch of the lease that it holds, [`NO_EPOCH`], [`ALONE`] or [`ALONE_UNSYNCED`].
    epoch: AtomicI64,
    /// When its keys were last known to be those of the store: of the monotonic clock, as a wrong wall clock must not refuse all keys.
    keys_checked_at: Mutex<Instant>,
    draining: AtomicBool,
    metrics: NodeMetrics,
}

impl Node {
    /// A node that begins now. Until told otherwise it is the only one.
    pub fn new(role: Role, registry: &Registry) -> Self {
        let node = Self {
            role,
            epoch: AtomicI64::new(ALONE),
            keys_checked_at: Mutex::new(Instant::now()),
            draining: AtomicBool::new(false),
            metrics: NodeMetrics::new(&Registering(registry)),
        };
        node.show_lease();
        node
    }

    /// Its role.
    pub const fn role(&self) -> Role {
        self.role
    }

    /// It holds the lease of this epoch from now on; without one it follows.
    pub fn set_lease_epoch(&self, epoch: Option<i64>) {
        self.epoch.store(epoch.unwrap_or(NO_EPOCH), Ordering::Relaxed);
        self.show_lease();
    }

    /// Without a database: whether it is the process that syncs its data directory from now on.
    pub fn set_syncs_alone(&self, syncs: bool) {
        self.epoch.store(if syncs { ALONE } else { ALONE_UNSYNCED }, Ordering::Relaxed);
        self.show_lease();
    }

    fn show_lease(&self) {
        self.metrics.leader.set(i64::from(self.is_leader()));
        self.metrics.lease_epoch.set(self.lease_epoch().unwrap_or(NO_EPOCH));
    }

    /// It lost the lease while it led: another has it, or it could not be renewed for as long as it holds.
    pub fn deposed(&self) {
        self.metrics.deposed.inc();
        self.set_lease_epoch(None);
    }

    /// Whether it is the one that syncs and builds.
    pub fn is_leader(&self) -> bool {
        !matches!(self.epoch.load(Ordering::Relaxed), NO_EPOCH | ALONE_UNSYNCED)
    }

    /// Whether what it shows is built and computed by another node of its database.
    pub fn is_follower(&self) -> bool {
        self.epoch.load(Ordering::Relaxed) == NO_EPOCH
    }

    /// Epoch of the lease that it holds.
    pub fn lease_epoch(&self) -> Option<i64> {
        Some(self.epoch.load(Ordering::Relaxed)).filter(|epoch| *epoch > NO_EPOCH)
    }

    /// How many generations it is behind those that were told.
    pub fn set_generation_lag(&self, generations: i64) {
        self.metrics.generation_lag.set(generations);
    }

    /// It fetched the segment files of a generation.
    pub fn fetched_segments(&self, time: Duration) {
        self.metrics.segment_fetch.observe(time.as_secs_f64());
    }

    /// Its keys were those of the store at this moment.
    pub fn keys_checked(&self, at: Instant) {
        *locked(&self.keys_checked_at) = at;
    }

    /// Seconds since its keys were last known to be those of the store.
    pub fn keys_age_secs(&self) -> u64 {
        locked(&self.keys_checked_at).elapsed().as_secs()
    }

    /// Brings the metrics up to date that are ages.
    pub fn show_ages(&self) {
        self.metrics.keys_age.set(self.keys_age_secs().cast_signed());
    }

    /// It is leaving: `/readyz` says so while it still answers, so that a load balancer sends no more.
    pub fn drain(&self) {
        self.draining.store(true, Ordering::Relaxed);
    }

    /// Whether it is leaving.
    pub fn is_draining(&self) -> bool {
        self.draining.load(Ordering::Relaxed)
    }
}

metrics! {
    #[derive(Debug)]
    struct NodeMetrics {
        leader: IntGauge = gauge("refdesk_leader", "Whether this node syncs and builds: 1, else 0.");
        lease_epoch: IntGauge = gauge("refdesk_lease_epoch", "Epoch of the lease that this node holds; 0 without.");
        deposed: IntCounter = counter(
            "refdesk_deposed_total",
            "Times that this node led and lost the lease: to another node, or cut off from the database.",
        );
        generation_lag: IntGauge = gauge(
            "refdesk_generation_lag", "Generations that were published and are not shown by this node yet.",
        );
        segment_fetch: Histogram = histogram(
            "refdesk_segment_fetch_seconds", "Time to fetch the segments of a generation.", &FETCH_BUCKETS,
        );
        keys_age: IntGauge = gauge(
            "refdesk_keys_age_seconds", "Seconds since the API keys were last confirmed to be those of the store.",
        );
    }
}
