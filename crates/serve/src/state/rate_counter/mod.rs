//! Rate counters: a quota of requests a minute for each caller, counted by GCRA.
//!
//! [`LocalRateCounter`] counts in this process. [`SharedRateCounter`] counts in Redis or Valkey, so that several nodes count as one, and
//! falls back to the first while that does not answer. A decision that needs no other machine is there at once: only the shared counter
//! makes a future of it.

mod local;
mod recent;
mod settings;
mod shared;

use std::num::NonZeroU32;
use std::time::Duration;

use futures::future::BoxFuture;
use serde::Serialize;

pub use local::LocalRateCounter;
pub use settings::{OnFailure, SharedRates, SharedRatesError};
pub use shared::SharedRateCounter;

/// The window of all limits, in seconds.
pub(crate) const RATE_WINDOW_SECS: u32 = 60;

refdesk_core::closed_set! {
    /// Which limit a request counts against.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum RateScope {
        /// The limit of an address.
        Anon => "anon",
        /// The limit of an API key.
        Key => "key",
    }
}

/// Whether a request is within its limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateDecision {
    /// Whether the request may go on.
    pub allowed: bool,
    /// Requests left at this moment.
    pub remaining: u32,
    /// Until the whole quota is available again; for a refused request, until the next one is allowed.
    pub wait: Duration,
}

impl RateDecision {
    fn allowed(per_minute: NonZeroU32, remaining: u32) -> Self {
        let used = per_minute.get().saturating_sub(remaining);
        let wait = Duration::from_secs(RATE_WINDOW_SECS.into()) * used / per_minute.get();
        Self { allowed: true, remaining, wait }
    }

    const fn refused(wait: Duration) -> Self {
        Self { allowed: false, remaining: 0, wait }
    }
}

/// Who is counted against which limit.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Counted {
    scope: RateScope,
    caller: Box<str>,
    per_minute: NonZeroU32,
}

impl Counted {
    fn new(scope: RateScope, caller: &str, per_minute: NonZeroU32) -> Self {
        Self { scope, caller: Box::from(caller), per_minute }
    }
}

/// A decision that is there, or one that another machine makes.
pub enum RateTaken {
    /// It is there.
    Now(RateDecision),
    /// It comes within the timeout of the shared counter, whatever happens.
    Later(BoxFuture<'static, RateDecision>),
}

impl RateTaken {
    /// The decision, once it is there.
    pub async fn decision(self) -> RateDecision {
        match self {
            Self::Now(decision) => decision,
            Self::Later(decision) => decision.await,
        }
    }
}

/// Where requests are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CounterBackend {
    /// In each node by itself.
    Local,
    /// In Redis, by all nodes together.
    Redis,
}

/// Counts requests against quotas.
#[derive(Debug)]
pub enum RateCounter {
    /// In this process.
    Local(LocalRateCounter),
    /// In Redis, with all nodes of the deployment.
    Shared(SharedRateCounter),
}

impl RateCounter {
    /// Takes one request of `caller` from a quota per minute.
    pub fn take(&self, scope: RateScope, caller: &str, per_minute: NonZeroU32) -> RateTaken {
        let counted = Counted::new(scope, caller, per_minute);
        match self {
            Self::Local(counter) => RateTaken::Now(counter.take(counted)),
            Self::Shared(counter) => counter.take(counted),
        }
    }

    /// Where it counts, as `/health` names it.
    pub const fn backend(&self) -> CounterBackend {
        match self {
            Self::Local(_) => CounterBackend::Local,
            Self::Shared(_) => CounterBackend::Redis,
        }
    }

    /// Why it does not count where it should, in words for clients and without anything of the inside.
    pub fn fault(&self) -> Option<String> {
        match self {
            Self::Local(_) => None,
            Self::Shared(counter) => counter.fault(),
        }
    }
}
