//! Makes Prometheus metrics and registers them.

use prometheus::core::Collector;
use prometheus::{
    GaugeVec, Histogram, HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge, IntGaugeVec, Opts, Registry,
    Result,
};

/// Makes metrics of a registry. Every method fails on a name that is no name or is taken.
pub(super) struct Registering<'a>(pub(super) &'a Registry);

impl Registering<'_> {
    fn registered<M: Collector + Clone + 'static>(&self, metric: M) -> Result<M> {
        self.0.register(Box::new(metric.clone()))?;
        Ok(metric)
    }

    pub(super) fn counter(&self, name: &str, help: &str) -> Result<IntCounter> {
        self.registered(IntCounter::new(name, help)?)
    }

    pub(super) fn counter_vec(&self, name: &str, help: &str, labels: &[&str]) -> Result<IntCounterVec> {
        self.registered(IntCounterVec::new(Opts::new(name, help), labels)?)
    }

    pub(super) fn gauge(&self, name: &str, help: &str) -> Result<IntGauge> {
        self.registered(IntGauge::new(name, help)?)
    }

    pub(super) fn gauge_vec(&self, name: &str, help: &str, labels: &[&str]) -> Result<IntGaugeVec> {
        self.registered(IntGaugeVec::new(Opts::new(name, help), labels)?)
    }

    pub(super) fn float_gauge_vec(&self, name: &str, help: &str, labels: &[&str]) -> Result<GaugeVec> {
        self.registered(GaugeVec::new(Opts::new(name, help), labels)?)
    }

    /// `buckets` are upper bounds.
    pub(super) fn histogram(&self, name: &str, help: &str, buckets: &[f64]) -> Result<Histogram> {
        self.registered(Histogram::with_opts(HistogramOpts::new(name, help).buckets(buckets.to_vec()))?)
    }

    /// `buckets` are upper bounds.
    pub(super) fn histogram_vec(
        &self,
        name: &str,
        help: &str,
        buckets: &[f64],
        labels: &[&str],
    ) -> Result<HistogramVec> {
        self.registered(HistogramVec::new(HistogramOpts::new(name, help).buckets(buckets.to_vec()), labels)?)
    }
}
