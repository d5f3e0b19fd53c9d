//! The one thing that requests read from the store: full texts and records. The binary implements it; tests have their own.

use bytes::Bytes;
use refdesk_catalog::segment::BodyRef;
use refdesk_core::fact::{EvidenceKey, HashBasis, RecordWithheld};

/// Reads full texts and records. This is all that a request may read from the store.
#[async_trait::async_trait]
pub trait BodyReader: Send + Sync {
    /// The Markdown of an item; `None` when the store has none for it.
    async fn markdown(&self, body: &BodyRef) -> Result<Option<String>, BodyError>;
    /// The raw bytes that hash to the item's `content_hash`.
    async fn raw(&self, body: &BodyRef) -> Result<Option<Bytes>, BodyError>;
    /// The record behind an evidence key. `row` is the number of its fact in the store.
    async fn record(&self, row: i64, key: EvidenceKey) -> Result<RecordRead, BodyError>;
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

/// The store could not be read. The text is for the log and must not reach a client.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct BodyError(pub String);
