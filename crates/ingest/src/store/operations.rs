//! What operators ask of the store beside syncs: a record by its number, a source taken away, a verdict on a withheld value.

use refdesk_core::fact::{RecordWithheld, Verdict};
use refdesk_core::{Kind, Stamp};

use super::types::StoredRecord;

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
