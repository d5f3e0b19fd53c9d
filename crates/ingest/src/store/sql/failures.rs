//! How many calls to stores failed in this process, by what was asked of them. They are for a metric: of the process, and never reset.

use std::collections::BTreeMap;
use std::sync::Mutex;

use refdesk_core::parallel::locked;

use crate::store::Result;

static FAILURES: Mutex<BTreeMap<&'static str, u64>> = Mutex::new(BTreeMap::new());

/// Counts a call that failed.
pub(in crate::store) fn counted<T>(doing: &'static str, result: Result<T>) -> Result<T> {
    if result.is_err() {
        *locked(&FAILURES).entry(doing).or_default() += 1;
    }
    result
}

/// Calls that failed so far, by what was asked, in the words of the errors.
pub fn failures_by_operation() -> Vec<(&'static str, u64)> {
    locked(&FAILURES).iter().map(|(doing, count)| (*doing, *count)).collect()
}
