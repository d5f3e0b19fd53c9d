//! The compact form of an evidence record and of an item in a snapshot, and how evidence is written as JSON.

use std::sync::{Arc, LazyLock};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::stated::Stated;
use crate::fact::{HashBasis, SourceInfo, StaleReason, Standing, StoredFact};
use crate::{Kind, Stamp};

/// Evidence for one fact: contract section 3.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct EvidenceRecord {
    /// Stable key.
    pub key: Box<str>,
    /// Where a person can read it.
    pub source_url: Box<str>,
    /// `sha256:<hex>`.
    pub content_hash: ContentHash,
    /// What the hash is taken of.
    pub hash_basis: HashBasis,
    /// The moment from which it is stale by age.
    pub stale_after: Stamp,
    /// Why it is stale, if it is.
    pub stale_reason: Option<StaleReason>,
    /// The source that states it. An image has it apart, once for all.
    #[serde(skip, default = "no_source")]
    pub source: Arc<SourceInfo>,
    /// The store's own number of the fact.
    pub row: i64,
    /// Prices of the fact that were held back against its last state.
    pub quarantined: u16,
    /// Stands for everything that the fact says.
    pub statement: u64,
    /// Its times and standing.
    pub standing: Standing,
    /// Stands for the JSON of this record.
    #[serde(with = "serde_bytes")]
    pub digest: Digest,
}

/// The source of a record that was read from an image, until it is put in.
fn no_source() -> Arc<SourceInfo> {
    static NONE: LazyLock<Arc<SourceInfo>> = LazyLock::new(Arc::default);
    Arc::clone(&NONE)
}

/// The first half of a SHA-256.
pub type Digest = [u8; 16];

/// The digest of some parts, each ended by NUL.
pub fn digest<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Digest {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part);
        hasher.update([0]);
    }
    let mut half = Digest::default();
    half.copy_from_slice(&hasher.finalize()[..16]);
    half
}

impl EvidenceRecord {
    /// The evidence of a stored fact at `now`.
    pub fn of(fact: &StoredFact, source: &Arc<SourceInfo>, now: Stamp) -> Self {
        let mut record = Self {
            key: fact.evidence_key().into(),
            source_url: fact.source_url.as_str().into(),
            content_hash: ContentHash::of(&fact.content_hash),
            hash_basis: fact.hash_basis,
            stale_after: fact.standing.expires_at(source.stale_after_secs),
            stale_reason: fact.standing.stale_reason(source.stale_after_secs, now),
            source: Arc::clone(source),
            row: fact.row,
            quarantined: u16::try_from(fact.quarantined.len()).unwrap_or(u16::MAX),
            statement: fact.statement,
            standing: fact.standing,
            digest: Digest::default(),
        };
        let mut written = Vec::with_capacity(512);
        record.write(&mut written);
        record.digest = digest([written.as_slice()]);
        record
    }

    /// Writes the record as a JSON object.
    pub fn write(&self, out: &mut Vec<u8>) {
        let mut object = super::json::Object::open(out);
        object.text("source_url", &self.source_url);
        object.text("key", &self.key);
        object.text("content_hash", &self.content_hash.to_string());
        object.raw(
            "hash_basis",
            match self.hash_basis {
                HashBasis::Bytes => "\"bytes\"",
                HashBasis::Record => "\"record\"",
            },
        );
        object.stamp("last_synced_at", Some(self.standing.last_synced_at));
        object.stamp("last_verified_at", self.standing.last_verified_at);
        object.flag("stale", self.stale_reason.is_some());
        object.optional("stale_reason", self.stale_reason.map(StaleReason::as_str));
        object.stamp("stale_after", Some(self.stale_after));
        object.text("source_id", &self.source.id);
        object.optional("license", self.source.license.as_deref());
        object.optional("attribution", self.source.attribution.as_deref());
        object.close();
    }
}

/// `sha256:<hex>`, in half the space.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ContentHash {
    /// The bytes of the hash.
    Sha256(#[serde(with = "serde_bytes")] [u8; 32]),
    /// Whatever else stands there.
    Other(Box<str>),
}

impl ContentHash {
    fn of(text: &str) -> Self {
        crate::hash::sha256_of(text).map_or_else(|| Self::Other(text.into()), Self::Sha256)
    }
}

impl std::fmt::Display for ContentHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Sha256(bytes) => f.write_str(&crate::hash::sha256_text(bytes)),
            Self::Other(text) => f.write_str(text),
        }
    }
}

/// Where the body of an item is read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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

/// Some bytes of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Span {
    /// The first.
    pub start: u32,
    /// Behind the last.
    pub end: u32,
}

impl Span {
    /// The bytes.
    pub fn of(self, row: &[u8]) -> &[u8] {
        row.get(self.start as usize..self.end as usize).unwrap_or_default()
    }
}

/// What a snapshot keeps of an item beside its rendered row.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ItemRecord {
    /// Its id.
    pub id: Box<str>,
    /// Its name.
    pub name: Box<str>,
    /// Indices of the evidence of its facts in the snapshot, the lead first.
    pub evidence: Box<[u32]>,
    /// A candidate is listed on request only.
    pub candidate: bool,
    /// Stands for its row and everything that its detail adds.
    #[serde(with = "serde_bytes")]
    pub digest: Digest,
    /// Stands for everything that the search index knows of it.
    pub indexed: u64,
    /// Where the part of the row ends that a search hit begins with, brace included.
    pub head_end: u32,
    /// Where the row has the description, as a JSON string; empty when it has none.
    pub description: Span,
    /// How a search hit goes on behind its head, up to `"summary"`, ready to be copied; empty when that is just the description.
    #[serde(with = "serde_bytes")]
    pub hit_tail: Box<[u8]>,
    /// Which fact states each field. An image has it apart, the lists of paths once for all.
    #[serde(skip)]
    pub stated: Stated,
    /// What the detail adds behind `field_evidence`, ready to be copied; empty for `"conflicts":[]`.
    #[serde(with = "serde_bytes")]
    pub detail_tail: Box<[u8]>,
    /// A plain text to take snippets from beside the description: the beginning of the body.
    pub passage: Box<str>,
    /// Where its body is read, if it has one.
    pub body: Option<Box<BodyRef>>,
    /// Why its body is missing, when the source names one and does not have it.
    pub body_missing: Option<Box<str>>,
    /// Frameworks: the prompt as JSON, shown on request only.
    pub prompt: Option<Box<str>>,
}
