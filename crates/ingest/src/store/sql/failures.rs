//! How many calls to stores failed in this process, by what was asked of them. They are for a metric: of the process, and never reset.

use std::collections::BTreeMap;
use std::sync::Mutex;

use refdesk_core::parallel::locked;

use crate::store::Result;

/// What is asked of stores, in the words of the errors. A counter needs all of it before anything fails: an alert on growth does not see the
/// first failure of a series that begins with it.
const OPERATIONS: [&str; 48] = [
    "asking for a sync",
    "counting facts",
    "deleting old generations",
    "deleting segment files",
    "finishing a request",
    "giving the lease up",
    "importing",
    "keeping a key",
    "keeping embeddings",
    "looking after the store",
    "looking at the lease",
    "looking for old generations",
    "migrating",
    "noting a run",
    "noting a sync under way",
    "noting the use of keys",
    "reading a body",
    "reading a generation",
    "reading a named value",
    "reading a record",
    "reading a segment file",
    "reading a source state",
    "reading embeddings",
    "reading facts without a record",
    "reading imported sources",
    "reading keys",
    "reading kinds",
    "reading missing facts",
    "reading rejects",
    "reading requests for syncs",
    "reading runs",
    "reading source states",
    "reading the catalog",
    "reading the head",
    "reading the lease",
    "reading the store for an archive",
    "reading the syncs under way",
    "reading validators",
    "removing a source",
    "renewing the lease",
    "revoking a key",
    "taking the lease",
    "writing a generation",
    "writing a named value",
    "writing a segment file",
    "writing a sync",
    "writing a verdict",
    "writing the head",
];

static FAILURES: Mutex<BTreeMap<&'static str, u64>> = Mutex::new(BTreeMap::new());

/// Counts a call that failed.
pub(in crate::store) fn counted<T>(doing: &'static str, result: Result<T>) -> Result<T> {
    debug_assert!(OPERATIONS.contains(&doing), "{doing} is missing in OPERATIONS");
    if result.is_err() {
        *locked(&FAILURES).entry(doing).or_default() += 1;
    }
    result
}

/// Calls that failed so far, by what was asked; 0 where none did.
pub fn failures_by_operation() -> Vec<(&'static str, u64)> {
    let failures = locked(&FAILURES);
    let none = OPERATIONS.iter().filter(|doing| !failures.contains_key(*doing)).map(|doing| (*doing, 0));
    none.chain(failures.iter().map(|(doing, count)| (*doing, *count))).collect()
}
