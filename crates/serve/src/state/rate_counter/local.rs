//! Counts in this process, by GCRA (the `governor` crate), in bounded memory.

use std::sync::Arc;

use governor::clock::{Clock as _, MonotonicClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::{InMemoryState, NotKeyed};
use governor::{Quota, RateLimiter};

use super::recent::RecentMap;
use super::{Counted, RateDecision};

type Limiter = RateLimiter<NotKeyed, InMemoryState, MonotonicClock, StateInformationMiddleware>;

/// One limiter for each caller; beyond the bound those that did not come for the longest time are forgotten.
#[derive(Debug)]
pub struct LocalRateCounter {
    limiters: RecentMap<Arc<Limiter>>,
}

impl LocalRateCounter {
    /// Tracks at most `callers_max` callers at once.
    pub fn new(callers_max: usize) -> Self {
        Self { limiters: RecentMap::new(callers_max) }
    }

    pub(super) fn take(&self, counted: Counted) -> RateDecision {
        let per_minute = counted.per_minute;
        let fresh = || {
            let limiter = RateLimiter::direct_with_clock(Quota::per_minute(per_minute), MonotonicClock);
            Arc::new(limiter.with_middleware())
        };
        match self.limiters.get_or_insert(counted, fresh).check() {
            Ok(state) => RateDecision::allowed(per_minute, state.remaining_burst_capacity()),
            Err(refused) => RateDecision::refused(refused.wait_time_from(MonotonicClock.now())),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::super::{Counted, RateScope};
    use super::LocalRateCounter;

    #[test]
    fn the_call_after_the_last_is_refused_and_told_when_to_come_back() {
        let counter = LocalRateCounter::new(100);
        let three = NonZeroU32::new(3).unwrap_or(NonZeroU32::MIN);
        let take = |scope, caller| counter.take(Counted::new(scope, caller, three));
        let left: Vec<u32> = (0..3).map(|_| take(RateScope::Anon, "a").remaining).collect();
        assert_eq!(left, [2, 1, 0]);
        let refused = take(RateScope::Anon, "a");
        assert!(!refused.allowed && refused.wait.as_secs() >= 18 && refused.wait.as_secs() <= 20, "{refused:?}");
        assert!(take(RateScope::Anon, "b").allowed, "another address has its own quota");
        assert!(take(RateScope::Key, "a").allowed, "a key has its own quota");
    }

    #[test]
    fn a_flood_of_addresses_stays_within_the_bound_and_drops_the_oldest() {
        let counter = LocalRateCounter::new(1_000);
        let take = |caller: u32| counter.take(Counted::new(RateScope::Anon, &caller.to_string(), NonZeroU32::MIN));
        for caller in 0..50_000_u32 {
            take(caller);
        }
        assert!(counter.limiters.len() <= 1_000, "{}", counter.limiters.len());
        assert!(!take(49_999).allowed, "the youngest is still counted");
        assert!(take(0).allowed, "the oldest was dropped");
    }
}
