//! Counts requests by route and status class, and measures their duration.

use std::sync::OnceLock;

use prometheus::{Histogram, IntCounter};

use crate::routes::{ROUTE_COUNT, Route, templates};
use crate::state::metrics::Metrics;

/// Classes of status codes, as the metric names them.
const STATUS_CLASSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", SERVER_ERRORS];
const SERVER_ERRORS: &str = "5xx";
/// The route of unknown paths.
const NO_ROUTE: &str = "none";

/// The counters by route and status class; the last route stands for unknown paths. Finding a counter by its labels costs more than
/// counting, so each is found once.
pub(super) struct RequestMetrics {
    by_route: Box<[ByStatus]>,
}

/// The metrics of a route.
type ByStatus = [OnceLock<(IntCounter, Histogram)>; STATUS_CLASSES.len()];

impl RequestMetrics {
    /// Creates the counters of server errors at 0: an alert on their growth does not see the first of a counter that begins with it.
    pub(super) fn new(metrics: &Metrics) -> Self {
        for template in templates().chain([NO_ROUTE]) {
            metrics.serving.requests.with_label_values(&[template, SERVER_ERRORS]);
        }
        Self { by_route: (0..=ROUTE_COUNT).map(|_| Default::default()).collect() }
    }

    pub(super) fn count(&self, metrics: &Metrics, route: Option<&Route>, status: u16, seconds: f64) {
        let class = usize::from(status / 100).clamp(1, STATUS_CLASSES.len()) - 1;
        let template = route.map_or(NO_ROUTE, |route| route.template);
        let labels = [template, STATUS_CLASSES[class]];
        let Metrics { serving, .. } = metrics;
        let made = || (serving.requests.with_label_values(&labels), serving.duration.with_label_values(&labels));
        let (counter, duration) = self.by_route[route.map_or(ROUTE_COUNT, Route::index)][class].get_or_init(made);
        counter.inc();
        duration.observe(seconds);
    }
}
