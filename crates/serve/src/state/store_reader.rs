//! What requests read from the store: full texts, records, and what became of a source. The binary implements it; tests have their own.

use bytes::Bytes;
use refdesk_catalog::segment::BodyRef;
use refdesk_core::fact::{EvidenceKey, HashBasis, RecordWithheld};
use refdesk_core::source_status::SourceFault;
use refdesk_core::{Reject, Stamp};

/// Reads what a snapshot does not hold. This is all that a request may read from the store.
#[async_trait::async_trait]
pub trait StoreReader: Send + Sync {
    /// The Markdown of an item; `None` when the store has none for it.
    async fn markdown(&self, body: &BodyRef) -> Result<Option<String>, StoreReadError>;
    /// The raw bytes that hash to the item's `content_hash`.
    async fn raw(&self, body: &BodyRef) -> Result<Option<Bytes>, StoreReadError>;
    /// The record behind an evidence key. `row` is the number of its fact in the store.
    async fn record(&self, row: i64, key: EvidenceKey) -> Result<RecordRead, StoreReadError>;
    /// The last syncs of a source, at most `runs`, and what of it could not become facts.
    async fn history(&self, source_id: &str, runs: u32) -> Result<SourceHistory, StoreReadError>;
}

/// The record of a fact, or why there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordRead {
    /// The bytes, verbatim.
    Found {
        /// The hashed bytes.
        bytes: Bytes,
        /// Whether these are raw bytes or canonical JSON.
        basis: HashBasis,
        /// `sha256:<hex>` of the bytes.
        content_hash: String,
    },
    /// The desk must not pass it on.
    Withheld(RecordWithheld),
    /// The store already has a newer catalog, or the fact was imported without its record.
    Gone,
}

/// What became of a source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceHistory {
    /// The last first.
    pub runs: Vec<SourceRun>,
    /// Upstream records that could not become facts, in the order of the upstream.
    pub rejects: Vec<Reject>,
}

/// A sync, or what an operator did to the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceRun {
    /// When it began.
    pub started_at: Stamp,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// How it ended: `updated`, `confirmed`, `failed`, `quarantined`, or what an operator did.
    pub outcome: &'static str,
    /// Facts that came.
    pub added: usize,
    /// Facts that changed.
    pub changed: usize,
    /// Facts that went.
    pub removed: usize,
    /// Why it failed or was held back.
    pub error: Option<SourceFault>,
    /// What an operator did, in words.
    pub note: Option<String>,
}

/// The store could not be read. The text is for the log and must not reach a client.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct StoreReadError(pub String);
