//! Prometheus metrics. A test compares them with the list in `docs/metrics.md`.

use prometheus::{HistogramVec, IntCounter, IntCounterVec, IntGauge, IntGaugeVec, Registry, TextEncoder};
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::Kind;

use super::rate_counter::RateScope;
use super::registering::{Registering, metrics};
pub use super::source_metrics::SyncOutcome;
use super::source_metrics::{SourceMetrics, gauge_value};
use super::store_metrics::StoreMetrics;
use refdesk_core::source_status::{SourceStatus, StatusWord};

/// Upper bounds of the request duration buckets, in seconds.
const DURATION_BUCKETS: [f64; 10] = [0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 1.0, 10.0];

/// How a call of an MCP tool ended.
const TOOL_OK: &str = "ok";
const TOOL_ERROR: &str = "error";

refdesk_core::closed_set! {
    /// What a search looks through.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum SearchKind {
        /// All kinds but frameworks, by name or by need.
        Catalog => "catalog",
        /// Frameworks, by name or topic.
        Frameworks => "frameworks",
        /// Frameworks, for a problem.
        Route => "route",
    }
}

refdesk_core::closed_set! {
    /// Why a connection was closed to make room.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum CloseReason {
        /// The oldest unfinished request of an address with too many.
        Unfinished => "unfinished",
        /// Of whoever sends most, where bodies take too much memory.
        Bodies => "bodies",
        /// The longest idle beyond `connections_max`.
        Idle => "idle",
        /// The oldest unfinished request, where none was idle.
        Room => "room",
    }
}

metrics! {
    /// The figures of the current snapshot.
    #[derive(Debug)]
    struct CatalogMetrics {
        items: IntGaugeVec = gauge_vec("refdesk_items", "Items in the catalog.", &["kind", "stale"]);
        generation: IntGauge = gauge("refdesk_snapshot_generation", "Number of the current snapshot.");
        row_bytes: IntGauge = gauge("refdesk_snapshot_row_bytes", "Bytes of all rendered rows.");
        index_bytes: IntGauge = gauge("refdesk_snapshot_index_bytes", "Bytes of the search index.");
        withheld_prices: IntGauge = gauge(
            "refdesk_withheld_prices", "Prices that are stated and not believed yet.",
        );
    }
}

metrics! {
    /// What goes wrong, and where the sources stand.
    #[derive(Debug)]
    struct HealthMetrics {
        sources: IntGaugeVec = gauge_vec("refdesk_sources", "Sources by status.", &["status"]);
        faults: IntGaugeVec = gauge_vec(
            "refdesk_fault", "1 while this part of the service is failing, else 0.", &["part"],
        );
        unreadable_rows: IntGauge = gauge(
            "refdesk_store_unreadable_rows", "Rows of the store that cannot be read and are skipped.",
        );
        task_restarts: IntCounterVec = counter_vec(
            "refdesk_task_restarts_total", "Tasks that had stopped and were started again.", &["task"],
        );
    }
}

metrics! {
    /// What is asked, and what is refused.
    #[derive(Debug)]
    pub struct ServingMetrics {
        pub(crate) requests: IntCounterVec = counter_vec(
            "refdesk_requests_total", "Requests by route and status class.", &["route", "status"],
        );
        pub(crate) duration: HistogramVec = histogram_vec(
            "refdesk_request_duration_seconds",
            "Time from request to response head.",
            &DURATION_BUCKETS,
            &["route", "status"],
        );
        mcp_tool_calls: IntCounterVec = counter_vec(
            "refdesk_mcp_tool_calls_total",
            "Calls of MCP tools, by tool and whether they gave an error.",
            &["tool", "outcome"],
        );
        searches: IntCounterVec = counter_vec(
            "refdesk_searches_total", "Searches that were run, by what they look through.", &["search"],
        );
        pub(crate) limited: IntCounterVec = counter_vec(
            "refdesk_limited_total", "Requests refused by a rate limit.", &["scope"],
        );
        pub rate_backend_up: IntGauge = gauge(
            "refdesk_rate_limit_backend_up", "Whether requests are counted where they should be: 1, else 0.",
        );
        pub rate_fallbacks: IntCounter = counter(
            "refdesk_rate_limit_fallbacks_total", "Requests that were decided without Redis because it did not answer.",
        );
        pub(crate) shed: IntCounter = counter(
            "refdesk_shed_total", "Requests refused because too many were in flight.",
        );
        pub(crate) panics: IntCounter = counter("refdesk_panics_total", "Requests that ended in a panic and a 500.");
        pub(crate) closed: IntCounterVec = counter_vec(
            "refdesk_connections_closed_total", "Connections closed to make room for others.", &["reason"],
        );
    }
}

impl ServingMetrics {
    /// Creates the counters whose labels are a closed set: an alert on growth does not see the first of a counter that begins with it.
    fn begin_at_zero(&self) {
        for kind in SearchKind::ALL {
            self.searches.with_label_values(&[kind.as_str()]);
        }
        for scope in RateScope::ALL {
            self.limited.with_label_values(&[scope.as_str()]);
        }
        for reason in CloseReason::ALL {
            self.closed.with_label_values(&[reason.as_str()]);
        }
    }
}

/// All metrics of the service.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    /// What is asked, and what is refused.
    pub serving: ServingMetrics,
    /// What is counted of each source.
    pub by_source: SourceMetrics,
    /// What is counted of the store.
    pub store: StoreMetrics,
    catalog: CatalogMetrics,
    health: HealthMetrics,
}

impl Metrics {
    /// The metrics of a program that was built of a commit, all at zero.
    pub fn of_build(commit: &str) -> Self {
        let registry = Registry::new();
        let register = Registering(&registry);
        describe_process(&register, commit);
        let metrics = Self {
            serving: ServingMetrics::new(&register),
            by_source: SourceMetrics::new(&register),
            store: StoreMetrics::new(&register),
            catalog: CatalogMetrics::new(&register),
            health: HealthMetrics::new(&register),
            registry: registry.clone(),
        };
        metrics.serving.rate_backend_up.set(1);
        metrics.serving.begin_at_zero();
        metrics
    }

    /// Counts a search that is run. An answer from a cache and a 304 need none.
    pub(crate) fn search(&self, kind: SearchKind) {
        self.serving.searches.with_label_values(&[kind.as_str()]).inc();
    }

    /// Creates the counters of an MCP tool at 0, as [`Self::task_started`] does.
    pub(crate) fn mcp_tool_offered(&self, tool: &str) {
        for outcome in [TOOL_OK, TOOL_ERROR] {
            self.serving.mcp_tool_calls.with_label_values(&[tool, outcome]);
        }
    }

    /// Counts a call of an MCP tool.
    pub(crate) fn mcp_tool_called(&self, tool: &str, failed: bool) {
        let outcome = if failed { TOOL_ERROR } else { TOOL_OK };
        self.serving.mcp_tool_calls.with_label_values(&[tool, outcome]).inc();
    }

    /// Shows whether a part of the service is at fault.
    pub(crate) fn fault(&self, part: &str, is_there: bool) {
        self.health.faults.with_label_values(&[part]).set(i64::from(is_there));
    }

    /// Counts the restart of a task that had stopped.
    pub fn task_restarted(&self, task: &str) {
        self.health.task_restarts.with_label_values(&[task]).inc();
    }

    /// Creates the restart counter of a task at 0: an alert on growth needs a counter that is there from the start.
    pub fn task_started(&self, task: &str) {
        self.health.task_restarts.with_label_values(&[task]);
    }

    /// Sets the number of rows of the store that are skipped.
    pub fn unreadable_rows(&self, rows: usize) {
        self.health.unreadable_rows.set(gauge_value(rows));
    }

    /// Counts the sources by state.
    pub(crate) fn sources(&self, sources: &[SourceStatus]) {
        for state in StatusWord::ALL {
            let count = sources.iter().filter(|source| source.status == state).count();
            self.health.sources.with_label_values(&[state.as_str()]).set(gauge_value(count));
        }
        self.by_source.stand(sources);
    }

    /// Sets the figures of a new generation.
    pub(crate) fn published(&self, snapshot: &Snapshot) {
        for kind in Kind::ALL {
            let (total, stale) = snapshot.stats().by_kind[kind.index()];
            self.catalog.items.with_label_values(&[kind.singular(), "false"]).set(gauge_value(total - stale));
            self.catalog.items.with_label_values(&[kind.singular(), "true"]).set(gauge_value(stale));
        }
        let withheld = snapshot.stats().by_source.values().map(|source| source.withheld).sum();
        self.catalog.withheld_prices.set(gauge_value(withheld));
        self.catalog.generation.set(i64::try_from(snapshot.generation()).unwrap_or(i64::MAX));
        self.catalog.row_bytes.set(gauge_value(snapshot.stats().row_bytes));
        self.catalog.index_bytes.set(gauge_value(snapshot.stats().index_bytes));
    }

    /// The registry, for collectors of other crates.
    pub const fn registry(&self) -> &Registry {
        &self.registry
    }

    /// The text exposition format.
    pub fn render(&self) -> String {
        let mut page = String::new();
        if let Err(error) = TextEncoder::new().encode_utf8(&self.registry.gather(), &mut page) {
            // The metrics are constant and valid; a scraper notices an empty page.
            tracing::error!(%error, "the metrics could not be rendered");
        }
        page
    }
}

/// Version and commit, and memory, processor time, files and start of this process, where the system has `/proc`.
fn describe_process(register: &Registering<'_>, commit: &str) {
    let told = "1; the labels are the version and the commit that it was built from.";
    let build_info = register.gauge_vec("refdesk_build_info", told, &["version", "commit"]);
    build_info.with_label_values(&[env!("CARGO_PKG_VERSION"), commit]).set(1);
    #[cfg(target_os = "linux")]
    register.add(prometheus::process_collector::ProcessCollector::for_self());
}
