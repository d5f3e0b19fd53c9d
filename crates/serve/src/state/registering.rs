//! Makes Prometheus metrics and registers them: one by one, or the group that [`metrics!`] declares.

use prometheus::core::Collector;
use prometheus::{
    GaugeVec, Histogram, HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge, IntGaugeVec, Opts, Registry,
    Result,
};

/// Makes metrics of a registry. Their names are constant and distinct.
pub(super) struct Registering<'a>(pub(super) &'a Registry);

/// What was made of a constant name that no other metric has.
fn certain<T>(made: Result<T>) -> T {
    made.unwrap_or_else(|error| unreachable!("the metric names are constant and distinct: {error}"))
}

impl Registering<'_> {
    pub(super) fn add(&self, collector: impl Collector + 'static) {
        certain(self.0.register(Box::new(collector)));
    }

    fn registered<M: Collector + Clone + 'static>(&self, made: Result<M>) -> M {
        let metric = certain(made);
        self.add(metric.clone());
        metric
    }

    pub(super) fn counter(&self, name: &str, help: &str) -> IntCounter {
        self.registered(IntCounter::new(name, help))
    }

    pub(super) fn counter_vec(&self, name: &str, help: &str, labels: &[&str]) -> IntCounterVec {
        self.registered(IntCounterVec::new(Opts::new(name, help), labels))
    }

    pub(super) fn gauge(&self, name: &str, help: &str) -> IntGauge {
        self.registered(IntGauge::new(name, help))
    }

    pub(super) fn gauge_vec(&self, name: &str, help: &str, labels: &[&str]) -> IntGaugeVec {
        self.registered(IntGaugeVec::new(Opts::new(name, help), labels))
    }

    pub(super) fn float_gauge_vec(&self, name: &str, help: &str, labels: &[&str]) -> GaugeVec {
        self.registered(GaugeVec::new(Opts::new(name, help), labels))
    }

    /// `buckets` are upper bounds.
    pub(super) fn histogram(&self, name: &str, help: &str, buckets: &[f64]) -> Histogram {
        self.registered(Histogram::with_opts(HistogramOpts::new(name, help).buckets(buckets.to_vec())))
    }

    /// `buckets` are upper bounds.
    pub(super) fn histogram_vec(&self, name: &str, help: &str, buckets: &[f64], labels: &[&str]) -> HistogramVec {
        self.registered(HistogramVec::new(HistogramOpts::new(name, help).buckets(buckets.to_vec()), labels))
    }
}

/// Declares a group of metrics: of each its place, its type and, as [`Registering`] makes it, its name and what is said of it.
macro_rules! metrics {
    ($(#[$of_group:meta])* $visibility:vis struct $group:ident {
        $($seen:vis $metric:ident: $type:ty = $make:ident($name:literal, $help:literal $(, $more:expr)* $(,)?);)+
    }) => {
        $(#[$of_group])*
        $visibility struct $group {
            $(#[doc = $help] $seen $metric: $type,)+
        }

        impl $group {
            pub(super) fn new(register: &$crate::state::registering::Registering<'_>) -> Self {
                Self { $($metric: register.$make($name, $help $(, $more)*),)+ }
            }
        }
    };
}

pub(super) use metrics;
