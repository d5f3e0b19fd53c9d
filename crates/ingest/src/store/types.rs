//! What goes into the store and comes out of it, beside `refdesk_core`'s facts. Serialised as JSON in the store and in archives.

use std::collections::{BTreeMap, BTreeSet};

use refdesk_core::fact::{HashBasis, Provenance, RecordWithheld, StoredFact, Verdict};
use refdesk_core::{Kind, Reject, Stamp};
use serde::{Deserialize, Serialize};

use super::state::{Run, SourceState};

/// One request of the last good pass, with what is needed to ask conditionally.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Validator {
    /// The url asked for.
    pub url: String,
    /// Status of the answer: 200, or 404 where that was allowed.
    pub status: u16,
    /// `ETag`, verbatim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// `Last-Modified`, verbatim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<String>,
    /// `sha256:<hex>` of the decoded body.
    pub content_hash: String,
    /// The request headers with secrets: header name, variable name. Never the value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secret_headers: Vec<(String, String)>,
}

/// What the last good pass asked for and which parser read it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Validators {
    /// Connector, url, options and version of the parser: when it differs, equal bytes do not confirm the facts.
    pub fingerprint: String,
    /// The requests, in order.
    pub requests: Vec<Validator>,
}

/// A fact in the form in which it is written. Made by [`mod@super::prepare`].
#[derive(Debug, Clone, PartialEq)]
pub struct PreparedFact {
    /// Kind of the item.
    pub kind: Kind,
    /// How many of its prices are new or far off their last value.
    pub pending: usize,
    /// See [`Fact::is_verified_by_sync`](refdesk_core::Fact::is_verified_by_sync). It follows from address and provenance.
    pub verified_by_sync: bool,
    /// Its row, without what a commit gives it: its number, its source, its times.
    pub row: FactRow,
    /// Its contents.
    pub contents: FactContents,
}

impl PreparedFact {
    /// When a sync at `now` verifies it: never, for a card that does not say when it was checked.
    pub(super) fn verified_at(&self, now: Stamp) -> Option<Stamp> {
        self.row.checked_on.map(Stamp).or(self.verified_by_sync.then_some(now))
    }
}

refdesk_core::closed_set! {
    /// Where the body of a fact is.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum BodyState {
        /// There is none.
        None => "none",
        /// The record is the body.
        Record => "record",
        /// In a table of its own.
        Markdown => "markdown",
        /// The source names one that it does not have.
        Missing => "missing",
    }
}

/// A record as it was taken from the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredRecord {
    /// The bytes that were hashed, verbatim.
    pub bytes: Vec<u8>,
    /// What the hash is taken of.
    pub hash_basis: HashBasis,
    /// The hash that was taken when it was stored.
    pub content_hash: String,
    /// Why it may not be given out.
    pub withheld: Option<RecordWithheld>,
}

/// The fact that has a number, with its record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordAt {
    /// Its source.
    pub source_id: String,
    /// Its kind.
    pub kind: Kind,
    /// The upstream's own key.
    pub key: String,
    /// Why the record may not be given out.
    pub withheld: Option<RecordWithheld>,
    /// The record; `None` when the fact came by an archive that left it out.
    pub record: Option<StoredRecord>,
}

/// An operator's word on one stated value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// Kind of the fact.
    pub kind: Kind,
    /// The upstream's own key.
    pub key: String,
    /// Dotted path of the value.
    pub path: String,
    /// What was said of it.
    pub verdict: Verdict,
}

/// A fact that a quarantined pass did not list.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct MissingFact {
    /// Its kind.
    pub kind: Kind,
    /// The upstream's own key.
    pub key: String,
    /// Since when passes miss it.
    pub since: Stamp,
}

/// The stored facts of a source, by kind and key.
#[derive(Debug, Clone, Default)]
pub struct KnownFacts(pub(super) BTreeMap<(Kind, String), KnownFact>);

#[derive(Debug, Clone, Copy)]
pub(super) struct KnownFact {
    pub(super) row: i64,
    /// [`StoredFact::statement`]; `None` when the row cannot be read, so that it is written anew whatever it states.
    pub(super) statement: Option<u64>,
    pub(super) removed: bool,
    pub(super) last_synced_at: i64,
    pub(super) last_verified_at: Option<i64>,
    /// It came by an archive that left its contents out.
    pub(super) without_record: bool,
}

impl KnownFacts {
    /// Those that were read before; `without_record` as [`Store::facts_without_record`](super::Store::facts_without_record) gives them.
    pub fn new(stored: Vec<StoredFact>, without_record: &BTreeSet<i64>) -> Self {
        let known = stored.into_iter().map(|fact| {
            let standing = fact.standing;
            let known = KnownFact {
                row: fact.row,
                statement: Some(fact.statement),
                removed: standing.removed_at.is_some(),
                last_synced_at: standing.last_synced_at.0,
                last_verified_at: standing.last_verified_at.map(|at| at.0),
                without_record: without_record.contains(&fact.row),
            };
            ((fact.kind, fact.key), known)
        });
        Self(known.collect())
    }
}

/// Everything that one good pass brings; written in one transaction.
#[derive(Debug, Clone)]
pub struct SyncCommit {
    /// The source.
    pub source_id: String,
    /// The clock.
    pub now: Stamp,
    /// The facts; keys are unique within a kind.
    pub facts: Vec<PreparedFact>,
    /// The rejects. A live fact whose key is among them is kept and held back as `parse_failed`.
    pub rejects: Vec<Reject>,
    /// What the store had of the source when the pass was compared with it; read again when it is not given, or not so any more.
    pub known: Option<KnownFacts>,
    /// The requests of the pass.
    pub validators: Validators,
    /// The pass listed only what changed: facts and rejects that it does not name stay as they are.
    pub partial: bool,
    /// The pass read other bytes than the last one: a fact that it lists again is restated.
    pub new_bytes: bool,
    /// The state after the commit; its counts are filled in by the store.
    pub state: SourceState,
    /// The run; its counts are filled in by the store.
    pub run: Run,
}

/// What a confirmation, a failure or a quarantine leaves behind; no statement changes.
#[derive(Debug, Clone)]
pub struct SyncNote {
    /// The source.
    pub source_id: String,
    /// The state after it.
    pub state: SourceState,
    /// The run.
    pub run: Run,
    /// What happens to the live facts of the source.
    pub effect: Effect,
}

/// What a run without a commit does to the live facts of its source.
#[derive(Debug, Clone)]
pub enum Effect {
    /// Nothing.
    None,
    /// They are confirmed at this moment; with `synced` their bytes were taken again too. Validators are replaced when given.
    Confirm {
        /// When.
        at: Stamp,
        /// Whether bytes came in.
        synced: bool,
        /// The new validators.
        validators: Option<Validators>,
    },
    /// They are held back.
    HoldBack(refdesk_core::StaleReason),
    /// They are held back as quarantined, and these of them were not listed.
    Quarantine {
        /// Kind and key of those that were not listed.
        missing: Vec<(Kind, String)>,
        /// What of the new state could not be taken; told until the state is taken or gone.
        rejects: Vec<Reject>,
        /// When.
        at: Stamp,
    },
    /// That some were not listed counts from the next quarantine on.
    ForgetMissing,
}

impl Effect {
    /// What of a state that is held back could not be taken.
    pub fn rejects(&self) -> &[Reject] {
        if let Self::Quarantine { rejects, .. } = self { rejects } else { &[] }
    }
}

/// A row that could not be read and was passed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadableRow {
    /// What it holds: `fact`, `source state`, `key`, …
    pub what: &'static str,
    /// The source it belongs to; empty when it belongs to none or that cannot be read.
    pub source_id: String,
    /// Its number, or its own id.
    pub id: String,
    /// Why.
    pub reason: String,
}

/// Figures of a source's facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct FactFigures {
    /// All facts, removed ones included.
    pub total: usize,
    /// Facts the source still lists.
    pub live: usize,
    /// Facts that are held back because the source's new state could not be taken.
    pub quarantined: usize,
    /// Upstream records that could not become facts.
    pub rejects: usize,
}

/// A fact with all its contents, as archives carry it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the columns of the tables, documented in the first migration")]
pub struct FactRow {
    #[serde(skip)]
    pub id: i64,
    pub source_id: String,
    pub kind: String,
    pub key: String,
    pub head: String,
    pub fields: String,
    pub identity: String,
    #[serde(default = "empty_list")]
    pub pending: String,
    pub source_url: String,
    #[serde(default = "empty_object")]
    pub provenance: String,
    pub content_hash: String,
    pub hash_basis: String,
    pub body_state: String,
    pub body_missing: Option<String>,
    pub statement_hash: String,
    pub first_seen_at: i64,
    pub last_synced_at: i64,
    pub last_verified_at: Option<i64>,
    pub removed_at: Option<i64>,
    pub held_back: Option<String>,
    pub checked_on: Option<i64>,
    #[serde(default = "once_more")]
    pub restated: i64,
    #[serde(default)]
    pub changed_at: Option<i64>,
    #[serde(default)]
    pub rejected: Option<i64>,
}

impl FactRow {
    /// When it was first seen to state what it does. Archives of an earlier version lack that, and nodes of one do not write it: then the
    /// latest moment counts at which it can have been.
    pub fn changed(&self) -> i64 {
        self.changed_at.filter(|at| *at != 0).unwrap_or(self.last_synced_at)
    }

    /// Whether its contents may not be given out.
    pub fn is_withheld(&self) -> bool {
        serde_json::from_str::<Provenance>(&self.provenance).is_ok_and(|said| said.record_withheld.is_some())
    }

    /// 1 when its source lists it in a form that could not be read. Of what archives of an earlier version held back, nothing is believed
    /// before it is read again.
    pub(super) fn rejected_or_unknown(&self) -> i64 {
        let is_held_back = self.held_back.as_deref() == Some(refdesk_core::StaleReason::ParseFailed.as_str());
        self.rejected.unwrap_or(i64::from(is_held_back))
    }
}

// What archives of an earlier version lack.
fn empty_list() -> String {
    "[]".into()
}
fn empty_object() -> String {
    "{}".into()
}
fn once_more() -> i64 {
    1
}

/// The contents of a [`FactRow`], packed as in the store.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FactContents {
    /// The record.
    pub record: Vec<u8>,
    /// The body, when it is not the record.
    pub body: Option<Vec<u8>>,
    /// The body's plain text.
    pub text: Option<Vec<u8>>,
}

/// Everything a source has beside its facts, as archives carry it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceRow {
    /// The source.
    pub source_id: String,
    /// Its state.
    pub state: SourceState,
    /// The requests of its last good pass.
    pub validators: Validators,
    /// What evidence records say of it, for a machine that does not configure it.
    pub info: Option<refdesk_core::SourceInfo>,
    /// Its rejects.
    pub rejects: Vec<Reject>,
    /// Its runs, oldest first.
    pub runs: Vec<Run>,
}
