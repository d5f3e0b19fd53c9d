//! Where a source stands, and the history of its runs. Serialised as JSON in the store and in archives.
//!
//! A run is a sync, or what an operator did to the source; the state is what the last sync left. What a sync writes is in
//! [`super::types`].

use std::collections::BTreeMap;

use refdesk_core::{Kind, Stamp};
use serde::{Deserialize, Serialize};

refdesk_core::closed_set! {
    /// How a sync ended.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum RunOutcome {
        /// New facts were committed.
        Updated => "updated",
        /// The source still says the same (304 or equal bytes).
        Confirmed => "confirmed",
        /// The last good facts stay.
        Failed => "failed",
        /// The new state is held back; the last good facts stay.
        Quarantined => "quarantined",
        /// An operator switched the source off.
        Disabled => "disabled",
        /// An operator switched the source on.
        Enabled => "enabled",
        /// An operator removed what the store had of the source.
        Removed => "removed",
        /// An operator decided on what was withheld or quarantined.
        Reviewed => "reviewed",
    }
}

/// An error of a sync, as it is shown: without secrets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// Short code: `timeout`, `status`, `parse_failed`, `mass_removal`, …
    pub code: String,
    /// For people: what happened and what to do.
    pub message: String,
    /// When.
    pub at: Stamp,
}

/// One recorded sync.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// Its source.
    pub source_id: String,
    /// When it began.
    pub started_at: Stamp,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// How it ended.
    pub outcome: RunOutcome,
    /// Its counts.
    pub counts: SyncCounts,
    /// Decoded bytes received.
    pub bytes: u64,
    /// Requests sent, retries and redirects included.
    pub requests: u64,
    /// Answers that were 304 or had equal bytes.
    pub not_modified: u64,
    /// Whether it might take what would be quarantined.
    pub forced: bool,
    /// Why it failed or was held back.
    pub error: Option<Fault>,
    /// What an operator did, where it was no sync.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Run {
    /// A run that took no time and asked nobody.
    pub fn new(source_id: &str, started_at: Stamp, outcome: RunOutcome) -> Self {
        Self {
            source_id: source_id.to_owned(),
            started_at,
            duration_ms: 0,
            outcome,
            counts: SyncCounts::default(),
            bytes: 0,
            requests: 0,
            not_modified: 0,
            forced: false,
            error: None,
            note: None,
        }
    }

    /// What an operator did to a source.
    pub fn by_operator(source_id: &str, at: Stamp, outcome: RunOutcome, note: impl Into<String>) -> Self {
        Self { note: Some(note.into()), ..Self::new(source_id, at, outcome) }
    }
}

/// Where a source stands after its last run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SourceState {
    /// When the last sync began.
    pub last_attempt_at: Option<Stamp>,
    /// When bytes were last taken and committed.
    pub last_synced_at: Option<Stamp>,
    /// When the last pass over the whole source was committed.
    pub last_full_at: Option<Stamp>,
    /// When the source was last confirmed to say what the store holds.
    pub last_verified_at: Option<Stamp>,
    /// When the next sync is due.
    pub next_due_at: Option<Stamp>,
    /// Failures since the last good run.
    pub consecutive_failures: u32,
    /// Hash over the bytes of the last good pass.
    pub content_hash: Option<String>,
    /// Status of the last answer, if there was one.
    pub http_status: Option<u16>,
    /// Why the last run failed or was held back.
    pub error: Option<Fault>,
    /// How the last run ended.
    pub outcome: Option<RunOutcome>,
    /// Counts of the last committed sync.
    pub counts: SyncCounts,
    /// What the last committed sync left out, by name.
    #[serde(alias = "left_out")]
    pub ignored: BTreeMap<String, usize>,
    /// Values of its facts that no field shows, by name.
    pub unshown: BTreeMap<String, usize>,
    /// What a quarantine holds back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held: Option<HeldState>,
    /// When an operator last decided on a value of the source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reviewed_at: Option<Stamp>,
    /// How often operators did.
    #[serde(skip_serializing_if = "is_zero")]
    pub reviews: u32,
    /// For each kind of its facts, which run last changed them or their times. Nothing at all when that is not known, as after an import.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub changed: BTreeMap<Kind, ChangeMark>,
    /// Number of the last run that was noted when this was read for a sync; a removal that is noted later refuses what the sync brings.
    /// Not stored.
    #[serde(skip)]
    pub runs_seen: i64,
}

/// A run that changed facts of a kind, or their times. Numbers alone may come again in a store that was replaced by its backup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeMark {
    /// Its number in the store.
    pub run: i64,
    /// When it began.
    pub at: Stamp,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// The state of an upstream that is held back as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldState {
    /// Since when.
    pub since: Stamp,
    /// Hash over the bytes of the first pass that was held back.
    pub first_hash: Option<String>,
    /// Hash over the bytes of the last one.
    pub last_hash: Option<String>,
    /// An operator said that the last bytes are not to be taken: they are not told of again.
    pub refused: bool,
}

/// What a sync may take of a source although it would be quarantined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Accept {
    /// Nothing.
    No,
    /// Whatever the source says.
    Any,
    /// The state that an operator reviewed, and no other: the hash over its bytes ([`HeldState::last_hash`]), empty where it has none.
    State(String),
}

impl Accept {
    /// Whether a pass is taken that brought bytes of this hash.
    pub fn takes(&self, hash: Option<&str>) -> bool {
        match self {
            Self::No => false,
            Self::Any => true,
            Self::State(reviewed) => reviewed == hash.unwrap_or_default(),
        }
    }
}

/// Counts of one sync.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SyncCounts {
    /// Items the upstream listed.
    pub items_upstream: usize,
    /// Facts made of them (an offer is a fact).
    pub facts: usize,
    /// Items that became a version inside a fact.
    pub versions: usize,
    /// Items that could not become a fact.
    pub rejects: usize,
    /// What was left out by name: entries that are no items by the upstream's own definition, second listings, other files.
    #[serde(alias = "left_out")]
    pub ignored: usize,
    /// Facts that are new, or back after a removal.
    pub added: usize,
    /// Facts that say something else than before.
    pub changed: usize,
    /// Facts that say the same.
    pub unchanged: usize,
    /// Facts the source no longer lists.
    pub removed: usize,
    /// Prices that are new or far off their last value, and were not stated twice yet.
    pub pending: usize,
    /// Items that an independent count of the upstream's answers found, less facts, versions, rejects and what was left out by name:
    /// 0 when all is accounted for.
    pub uncounted: i64,
}
