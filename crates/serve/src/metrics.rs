//! Prometheus metrics. `docs/metrics.md` lists them; a test compares.

use std::sync::OnceLock;

use prometheus::{
    Encoder, Histogram, HistogramOpts, IntCounter, IntCounterVec, IntGauge, IntGaugeVec, Opts, Registry, TextEncoder,
};
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::Kind;

use crate::desk::{SourceState, SourceStatus};
use crate::routes::{self, Route};

/// Classes of status codes, as metrics name them.
const CLASSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];
/// Upper bounds of the request duration buckets, in seconds.
const DURATION_BUCKETS: [f64; 10] = [0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 1.0, 10.0];

fn gauge(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// All metrics of the service.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    requests: IntCounterVec,
    /// The counters of `requests` by route and status class, the last for what no route answers: to look them up by their labels costs
    /// more than to count.
    counted: Box<[[OnceLock<IntCounter>; CLASSES.len()]]>,
    duration: Histogram,
    items: IntGaugeVec,
    generation: IntGauge,
    row_bytes: IntGauge,
    index_bytes: IntGauge,
    panics: IntCounter,
    withheld_prices: IntGauge,
    sources: IntGaugeVec,
    faults: IntGaugeVec,
    unreadable_rows: IntGauge,
    task_restarts: IntCounterVec,
    /// Requests refused by a rate limit, by scope.
    pub limited: IntCounterVec,
    /// Requests refused because too many were in flight.
    pub shed: IntCounter,
    /// Connections closed to make room for others, by reason.
    pub(crate) closed: IntCounterVec,
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new().unwrap_or_else(|_| unreachable!("the metric names are constant and distinct"))
    }
}

impl Metrics {
    fn new() -> prometheus::Result<Self> {
        let registry = Registry::new();
        let requests = IntCounterVec::new(
            Opts::new("refdesk_requests_total", "Requests by route and status class."),
            &["route", "status"],
        )?;
        let duration = Histogram::with_opts(
            HistogramOpts::new("refdesk_request_duration_seconds", "Time from request to response head.")
                .buckets(DURATION_BUCKETS.to_vec()),
        )?;
        let items = IntGaugeVec::new(Opts::new("refdesk_items", "Items in the catalog."), &["kind", "stale"])?;
        let generation = IntGauge::new("refdesk_snapshot_generation", "Number of the current snapshot.")?;
        let row_bytes = IntGauge::new("refdesk_snapshot_row_bytes", "Bytes of all rendered rows.")?;
        let index_bytes = IntGauge::new("refdesk_snapshot_index_bytes", "Bytes of the search index.")?;
        let panics = IntCounter::new("refdesk_panics_total", "Requests that ended in a panic and a 500.")?;
        let withheld_prices = IntGauge::new("refdesk_withheld_prices", "Prices that are stated and not believed yet.")?;
        let sources = IntGaugeVec::new(Opts::new("refdesk_sources", "Sources by where they stand."), &["status"])?;
        let faults = IntGaugeVec::new(
            Opts::new("refdesk_fault", "Whether a part of the service does not do its work: 1, else 0."),
            &["part"],
        )?;
        let unreadable_rows = IntGauge::new(
            "refdesk_store_unreadable_rows",
            "Rows of the store that cannot be read and are passed over.",
        )?;
        let task_restarts = IntCounterVec::new(
            Opts::new("refdesk_task_restarts_total", "Tasks that had stopped and were started again."),
            &["task"],
        )?;
        let limited =
            IntCounterVec::new(Opts::new("refdesk_limited_total", "Requests refused by a rate limit."), &["scope"])?;
        let shed = IntCounter::new("refdesk_shed_total", "Requests refused because too many were in flight.")?;
        let closed = IntCounterVec::new(
            Opts::new("refdesk_connections_closed_total", "Connections closed to make room for others."),
            &["reason"],
        )?;
        for collector in [
            Box::new(requests.clone()) as Box<dyn prometheus::core::Collector>,
            Box::new(duration.clone()),
            Box::new(items.clone()),
            Box::new(generation.clone()),
            Box::new(row_bytes.clone()),
            Box::new(index_bytes.clone()),
            Box::new(panics.clone()),
            Box::new(withheld_prices.clone()),
            Box::new(sources.clone()),
            Box::new(faults.clone()),
            Box::new(unreadable_rows.clone()),
            Box::new(task_restarts.clone()),
            Box::new(limited.clone()),
            Box::new(shed.clone()),
            Box::new(closed.clone()),
        ] {
            registry.register(collector)?;
        }
        let counted = (0..=routes::COUNT).map(|_| Default::default()).collect();
        Ok(Self {
            registry,
            requests,
            counted,
            duration,
            items,
            generation,
            row_bytes,
            index_bytes,
            panics,
            withheld_prices,
            sources,
            faults,
            unreadable_rows,
            task_restarts,
            limited,
            shed,
            closed,
        })
    }

    /// Counts a request.
    pub(crate) fn request(&self, route: Option<&Route>, status: u16, seconds: f64) {
        let class = usize::from(status / 100).clamp(1, CLASSES.len()) - 1;
        let template = route.map_or("none", |route| route.template);
        let counted = || self.requests.with_label_values(&[template, CLASSES[class]]);
        self.counted[route.map_or(routes::COUNT, |route| route.number)][class].get_or_init(counted).inc();
        self.duration.observe(seconds);
    }

    /// Counts a panic.
    pub fn panicked(&self) {
        self.panics.inc();
    }

    /// Tells whether a part of the service does its work.
    pub(crate) fn fault(&self, part: &str, is_there: bool) {
        self.faults.with_label_values(&[part]).set(i64::from(is_there));
    }

    /// Counts a task that had stopped and was started again.
    pub fn task_restarted(&self, task: &str) {
        self.task_restarts.with_label_values(&[task]).inc();
    }

    /// Begins to count the restarts of a task, from 0: a counter that is not there cannot grow.
    pub fn task_started(&self, task: &str) {
        self.task_restarts.with_label_values(&[task]);
    }

    /// Tells how many rows of the store are passed over.
    pub fn unreadable_rows(&self, rows: usize) {
        self.unreadable_rows.set(gauge(rows));
    }

    /// Takes the states of the sources.
    pub(crate) fn sources(&self, sources: &[SourceStatus]) {
        for state in SourceState::ALL {
            let count = sources.iter().filter(|source| source.status == state).count();
            self.sources.with_label_values(&[state.as_str()]).set(gauge(count));
        }
    }

    /// Takes the figures of a new generation.
    pub fn published(&self, snapshot: &Snapshot) {
        for kind in Kind::ALL {
            let (total, stale) = snapshot.stats().by_kind[kind.index()];
            self.items.with_label_values(&[kind.singular(), "false"]).set(gauge(total - stale));
            self.items.with_label_values(&[kind.singular(), "true"]).set(gauge(stale));
        }
        let withheld = snapshot.stats().by_source.values().map(|source| source.withheld).sum();
        self.withheld_prices.set(gauge(withheld));
        self.generation.set(i64::try_from(snapshot.generation()).unwrap_or(i64::MAX));
        self.row_bytes.set(gauge(snapshot.stats().row_bytes));
        self.index_bytes.set(gauge(snapshot.stats().index_bytes));
    }

    /// The registry, for collectors of other crates.
    pub const fn registry(&self) -> &Registry {
        &self.registry
    }

    /// The text exposition format.
    pub fn render(&self) -> String {
        let mut out = Vec::new();
        // Writing into memory does not fail; an empty page would be noticed by the scraper.
        let _ = TextEncoder::new().encode(&self.registry.gather(), &mut out);
        String::from_utf8_lossy(&out).into_owned()
    }
}
