//! What a sync tells: its report at the end, its progress on the way, and where each source stands.

use std::collections::BTreeMap;

use refdesk_core::{Kind, Stamp};
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

    pub(super) fn of_run(run: &Run, result: SyncResult, counts: SyncCounts) -> Self {
        Self {
            source_id: run.source_id.clone(),
            result,
            counts,
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
    /// It ended.
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

/// The status word of `docs/api.md#health-and-sources`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StatusWord {
    /// Never synced.
    Never,
    /// Being synced now.
    Syncing,
    /// The last run was good.
    Ok,
    /// The last run failed.
    Failed,
    /// The last run was held back.
    Quarantined,
    /// Off.
    Disabled,
    /// Not configured, though the store has facts of it.
    Orphaned,
}

/// Where a source stands: `docs/api.md#health-and-sources`. `counts.stale` is known to the snapshot only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the contract documents each by its name")]
pub struct SourceStatus {
    pub id: String,
    pub name: String,
    /// The connector.
    pub kind: String,
    /// Without secrets.
    pub url: String,
    pub license: Option<String>,
    #[serde(skip)]
    pub kinds: Vec<Kind>,
    pub enabled: bool,
    /// Why it is off, or what to do about it when it is not configured.
    pub disabled_reason: Option<String>,
    pub status: StatusWord,
    pub last_attempt_at: Option<Stamp>,
    pub last_synced_at: Option<Stamp>,
    pub last_verified_at: Option<Stamp>,
    pub next_due_at: Option<Stamp>,
    pub refresh_due: bool,
    pub interval_seconds: u64,
    pub consecutive_failures: u32,
    pub content_hash: Option<String>,
    pub http_status: Option<u16>,
    pub error: Option<Fault>,
    pub counts: StatusCounts,
    /// What the last good sync left out, by name.
    pub left_out: BTreeMap<String, usize>,
    /// Values of its facts that no field shows, by name.
    pub unshown: BTreeMap<String, usize>,
}

/// Counts of a source: `total` and `quarantined` of the stored facts, the others of the last run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[expect(missing_docs, reason = "the contract documents each by its name")]
pub struct StatusCounts {
    pub total: usize,
    pub added: usize,
    pub changed: usize,
    pub removed: usize,
    pub quarantined: usize,
    pub rejects: usize,
    /// Entries of the upstream that are no items, by the names that `refdesk sources show` gives.
    pub left_out: usize,
    /// Items that an independent count found and nothing accounts for; 0 when all is well.
    pub uncounted: i64,
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
        "{} sources were not reached ({}{more}): {message}. The last good facts stay. Is there a network? Behind a proxy set `proxy`; where \
         there is none, say --offline; `refdesk sources show ID` tells of each",
        unreached.len(),
        named.join(", ")
    ))
}
