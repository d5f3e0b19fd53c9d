//! Rate counters: a quota of requests a minute for each caller, counted by GCRA (the `governor` crate).
//!
//! Counting is behind [`RateCounter`], so that several servers can share one (Redis); [`LocalRateCounter`] counts in this process.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use governor::clock::{Clock as _, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::{InMemoryState, NotKeyed};
use governor::{Quota, RateLimiter};

/// The window of all limits, in seconds.
pub(crate) const RATE_WINDOW_SECS: u32 = 60;

/// Which limit a request counts against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RateScope {
    /// The limit of an address.
    Anon,
    /// The limit of an API key.
    Key,
}

impl RateScope {
    /// Name of the policy in `RateLimit-Policy`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Anon => "anon",
            Self::Key => "key",
        }
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

/// Counts requests against quotas. A shared implementation lets several servers count as one.
pub trait RateCounter: Send + Sync {
    /// Takes one request of `caller` from a quota per minute.
    fn take(&self, scope: RateScope, caller: &str, per_minute: NonZeroU32) -> RateDecision;
}

/// One limiter for each scope, caller and limit.
type CallerLimiters = HashMap<(RateScope, Box<str>, u32), Arc<Limiter>>;
type Limiter = RateLimiter<NotKeyed, InMemoryState, DefaultClock, StateInformationMiddleware>;

/// Counts in this process, in bounded memory: two maps of at most half the bound each. A full young map becomes the old one, and the
/// previous old one is dropped with every caller that did not come back in the meantime.
#[derive(Debug)]
pub struct LocalRateCounter {
    /// Most callers in one map.
    half: usize,
    /// The young map and the old one.
    maps: Mutex<[CallerLimiters; 2]>,
    clock: DefaultClock,
}

impl LocalRateCounter {
    /// Tracks at most `callers_max` callers at once.
    pub fn new(callers_max: usize) -> Self {
        Self { half: (callers_max / 2).max(1), maps: Mutex::default(), clock: DefaultClock::default() }
    }

    fn limiter(&self, scope: RateScope, caller: &str, per_minute: NonZeroU32) -> Arc<Limiter> {
        let name = (scope, Box::from(caller), per_minute.get());
        let fresh = || Arc::new(RateLimiter::direct(Quota::per_minute(per_minute)).with_middleware());
        let mut maps = self.maps.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = maps[0].get(&name) {
            return Arc::clone(known);
        }
        let limiter = maps[1].remove(&name).unwrap_or_else(fresh);
        if maps[0].len() >= self.half {
            maps[1] = std::mem::take(&mut maps[0]);
        }
        maps[0].insert(name, Arc::clone(&limiter));
        limiter
    }

    /// Number of callers tracked at this moment.
    pub fn callers(&self) -> usize {
        let maps = self.maps.lock().unwrap_or_else(PoisonError::into_inner);
        maps[0].len() + maps[1].len()
    }
}

impl RateCounter for LocalRateCounter {
    fn take(&self, scope: RateScope, caller: &str, per_minute: NonZeroU32) -> RateDecision {
        match self.limiter(scope, caller, per_minute).check() {
            Ok(state) => {
                let remaining = state.remaining_burst_capacity();
                let used = per_minute.get().saturating_sub(remaining);
                let wait = Duration::from_secs(RATE_WINDOW_SECS.into()) * used / per_minute.get();
                RateDecision { allowed: true, remaining, wait }
            }
            Err(refused) => {
                RateDecision { allowed: false, remaining: 0, wait: refused.wait_time_from(self.clock.now()) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::{LocalRateCounter, RateCounter, RateScope};

    #[test]
    fn the_call_after_the_last_is_refused_and_told_when_to_come_back() {
        let counter = LocalRateCounter::new(100);
        let three = NonZeroU32::new(3).unwrap_or(NonZeroU32::MIN);
        let left: Vec<u32> = (0..3).map(|_| counter.take(RateScope::Anon, "a", three).remaining).collect();
        assert_eq!(left, [2, 1, 0]);
        let refused = counter.take(RateScope::Anon, "a", three);
        assert!(!refused.allowed && refused.wait.as_secs() >= 18 && refused.wait.as_secs() <= 20, "{refused:?}");
        assert!(counter.take(RateScope::Anon, "b", three).allowed, "another address has its own quota");
        assert!(counter.take(RateScope::Key, "a", three).allowed, "a key has its own quota");
    }

    #[test]
    fn a_flood_of_addresses_stays_within_the_bound_and_drops_the_oldest() {
        let counter = LocalRateCounter::new(1_000);
        for caller in 0..50_000_u32 {
            counter.take(RateScope::Anon, &caller.to_string(), NonZeroU32::MIN);
        }
        assert!(counter.callers() <= 1_000, "{}", counter.callers());
        assert!(!counter.take(RateScope::Anon, "49999", NonZeroU32::MIN).allowed, "the youngest is still counted");
        assert!(counter.take(RateScope::Anon, "0", NonZeroU32::MIN).allowed, "the oldest was dropped");
    }
}
