//! Load shedding: a bound on the requests that run at once, and on the time of each. Beyond either the answer is a 503.

use std::sync::Arc;
use std::time::Duration;

use http::{HeaderValue, header};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::http::problem::{Problem, ProblemCode};
use crate::routes::{Route, RouteCost};

/// How long a client is asked to wait when the service is busy, in seconds.
const BUSY_RETRY_AFTER_SECS: u64 = 1;

/// How many requests run at once, and for how long.
pub(crate) struct LoadShedding {
    in_flight: Arc<Semaphore>,
    request_timeout: Duration,
}

impl LoadShedding {
    pub(crate) fn new(in_flight_max: usize, request_timeout: Duration) -> Self {
        Self { in_flight: Arc::new(Semaphore::new(in_flight_max)), request_timeout }
    }

    /// The right of a request of a route to run, until it is dropped. A probe runs without a permit.
    ///
    /// # Errors
    /// 503 when too many requests run.
    pub(super) fn permit(&self, route: &Route) -> Result<Option<OwnedSemaphorePermit>, Problem> {
        if route.cost == RouteCost::Probe {
            return Ok(None);
        }
        let permit = Arc::clone(&self.in_flight).try_acquire_owned();
        permit.map(Some).map_err(|_| busy("too many requests are running"))
    }

    /// Waits for an answer, but no longer than a request may take.
    pub(super) async fn in_time<T>(&self, answer: impl Future<Output = Result<T, Problem>>) -> Result<T, Problem> {
        let in_time = tokio::time::timeout(self.request_timeout, answer).await;
        in_time.unwrap_or_else(|_| Err(busy("the request took too long")))
    }
}

fn busy(why: &str) -> Problem {
    let detail = format!("The service is busy: {why}.");
    Problem::new(ProblemCode::Busy, "service busy", detail)
        .hint("Try again after the time in Retry-After.")
        .with("retry_after_seconds", BUSY_RETRY_AFTER_SECS)
        .header(header::RETRY_AFTER, HeaderValue::from(BUSY_RETRY_AFTER_SECS))
}
