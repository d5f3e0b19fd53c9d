//! The compact form of an evidence record and of an item in a snapshot, and how evidence is written as JSON.

use std::sync::Arc;

use crate::fact::{HashBasis, SourceInfo, StaleReason, StoredFact};
use crate::{Kind, Stamp};

/// Evidence for one fact: contract section 3.
#[derive(Debug, Clone)]
pub struct EvidenceRecord {
    /// Stable key.
    pub key: Box<str>,
    /// Where a person can read it.
    pub source_url: Box<str>,
    /// `sha256:<hex>`.
    pub content_hash: Box<str>,
    /// What the hash is taken of.
    pub hash_basis: HashBasis,
    /// When the bytes were last taken.
    pub last_synced_at: Stamp,
    /// When a parse last confirmed them.
    pub last_verified_at: Option<Stamp>,
    /// The moment from which it is stale by age.
    pub stale_after: Stamp,
    /// Why it is stale, if it is.
    pub stale_reason: Option<StaleReason>,
    /// The source that states it.
    pub source: Arc<SourceInfo>,
}

impl EvidenceRecord {
    /// The evidence of a stored fact at `now`.
    pub fn of(fact: &StoredFact, source: &Arc<SourceInfo>, now: Stamp) -> Self {
        Self {
            key: fact.evidence_key().into(),
            source_url: fact.source_url.as_str().into(),
            content_hash: fact.content_hash.as_str().into(),
            hash_basis: fact.hash_basis,
            last_synced_at: fact.standing.last_synced_at,
            last_verified_at: fact.standing.last_verified_at,
            stale_after: fact.standing.expires_at(source.stale_after_secs),
            stale_reason: fact.standing.stale_reason(source.stale_after_secs, now),
            source: Arc::clone(source),
        }
    }

    /// Writes the record as a JSON object.
    pub fn write(&self, out: &mut Vec<u8>) {
        let mut object = super::json::Object::open(out);
        object.text("source_url", &self.source_url);
        object.text("key", &self.key);
        object.text("content_hash", &self.content_hash);
        object.raw(
            "hash_basis",
            match self.hash_basis {
                HashBasis::Bytes => "\"bytes\"",
                HashBasis::Record => "\"record\"",
            },
        );
        object.stamp("last_synced_at", Some(self.last_synced_at));
        object.stamp("last_verified_at", self.last_verified_at);
        object.flag("stale", self.stale_reason.is_some());
        object.optional("stale_reason", self.stale_reason.map(StaleReason::as_str));
        object.stamp("stale_after", Some(self.stale_after));
        object.text("source_id", &self.source.id);
        object.optional("license", self.source.license.as_deref());
        object.optional("attribution", self.source.attribution.as_deref());
        object.close();
    }
}

/// Where the body of an item is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BodyRef {
    /// The source that has it.
    pub source_id: Arc<str>,
    /// Kind of the fact.
    pub kind: Kind,
    /// The upstream key of the fact.
    pub key: Box<str>,
    /// `sha256:<hex>` of the record it was read from.
    pub content_hash: Box<str>,
    /// Whether the raw bytes of the record are the Markdown itself, so that they hash to `content_hash`. A notebook's bytes and a
    /// record cut out of a larger file are not.
    pub verbatim: bool,
}

/// What a snapshot keeps of an item beside its rendered row.
#[derive(Debug)]
pub struct ItemRecord {
    /// Its id.
    pub id: Box<str>,
    /// Its name.
    pub name: Box<str>,
    /// Index of its evidence in the snapshot.
    pub evidence: u32,
    /// The first part of a search hit, from `"type"` to `"summary"`, ready to be copied.
    pub hit_head: Box<[u8]>,
    /// What the detail adds to the row: `,"field_evidence":…`, ready to be copied.
    pub detail_extra: Box<[u8]>,
    /// A plain text to take snippets from.
    pub passage: Box<str>,
    /// Where its body is read, if it has one.
    pub body: Option<Box<BodyRef>>,
    /// Why its body is missing, when the source names one and does not have it.
    pub body_missing: Option<Box<str>>,
    /// Frameworks: the prompt as JSON, shown on request only.
    pub prompt: Option<Box<str>>,
}
