//! What a sync tells: its report at the end, and its progress on the way.

use serde::{Deserialize, Serialize};

use crate::store::{Fault, Run, SyncCounts};

/// How the sync of one source ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "result")]
pub enum SyncResult {
    /// New facts were committed.
    Updated,
    /// The source still says the same.
    Confirmed,
    /// The last good facts stay.
    Failed {
        /// Why.
        error: Fault,
    },
    /// The new state is held back, the last good facts stay.
    Quarantined {
        /// Why, with the command that accepts it.
        error: Fault,
    },
    /// Nothing was done.
    Skipped {
        /// Why: it is off, offline, or being synced already.
        reason: String,
    },
}

/// The sync of one source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyncReport {
    /// Its id.
    pub source_id: String,
    /// How it ended.
    #[serde(flatten)]
    pub result: SyncResult,
    /// Its counts; zeros when nothing was committed.
    pub counts: SyncCounts,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// Decoded bytes received.
    pub bytes: u64,
    /// Requests sent.
    pub requests: u64,
    /// Answers that were 304 or had equal bytes.
    pub not_modified: u64,
}

impl SyncReport {
    pub(super) fn skipped(source_id: &str, reason: impl Into<String>) -> Self {
        Self {
            source_id: source_id.to_owned(),
            result: SyncResult::Skipped { reason: reason.into() },
            counts: SyncCounts::default(),
            duration_ms: 0,
            bytes: 0,
            requests: 0,
            not_modified: 0,
        }
    }

    pub(super) fn of_run(run: Run, result: SyncResult) -> Self {
        Self {
            source_id: run.source_id,
            result,
            counts: run.counts,
            duration_ms: run.duration_ms,
            bytes: run.bytes,
            requests: run.requests,
            not_modified: run.not_modified,
        }
    }

    /// True for failures and quarantines: the command line exits with 2.
    pub const fn is_bad(&self) -> bool {
        matches!(self.result, SyncResult::Failed { .. } | SyncResult::Quarantined { .. })
    }
}

/// A step of a running sync.
#[derive(Debug, Clone, Copy)]
pub enum SyncEvent<'a> {
    /// It began.
    Started {
        /// The source.
        source_id: &'a str,
        /// Its name for people.
        name: &'a str,
    },
    /// An answer came.
    Fetched {
        /// The source.
        source_id: &'a str,
        /// Requests sent so far.
        requests: u64,
        /// Bytes received so far.
        bytes: u64,
        /// Requests known to be left.
        pending: usize,
    },
    /// The facts are read and are being written.
    Parsed {
        /// The source.
        source_id: &'a str,
        /// Facts.
        facts: usize,
        /// Rejects.
        rejects: usize,
    },
    /// It ended, or was passed over without having begun.
    Finished(&'a SyncReport),
}

/// Hears the steps of syncs; called from several tasks.
pub trait Progress: Send + Sync {
    /// One step.
    fn event(&self, event: SyncEvent<'_>);
}

/// Hears nothing.
#[derive(Debug, Clone, Copy)]
pub struct Silent;

impl Progress for Silent {
    fn event(&self, _event: SyncEvent<'_>) {}
}

/// Most sources that [`tell_unreached`] names.
const UNREACHED_NAMED_MAX: usize = 3;

/// What to tell of sources whose upstreams were not reached, each with its message. Without a network these are all sources, and one line with
/// the remedy does for them; nothing for none.
pub fn tell_unreached(unreached: &[(&str, &str)]) -> Option<String> {
    let (id, message) = unreached.first()?;
    if unreached.len() == 1 {
        return Some(format!("{id}: {message}; the last good facts stay"));
    }
    let named: Vec<&str> = unreached.iter().take(UNREACHED_NAMED_MAX).map(|(id, _)| *id).collect();
    let more = if unreached.len() > named.len() { ", …" } else { "" };
    Some(format!(
        "{} sources were not reached ({}{more}): {message}. The last good facts stay. Check the network; behind a \
         proxy, set `proxy`; without a network, pass --offline. `refdesk sources show ID` shows the error of each",
        unreached.len(),
        named.join(", ")
    ))
}
