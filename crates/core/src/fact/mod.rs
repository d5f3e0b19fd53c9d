//! Facts: what one source states of one item, with the evidence for it. A fact without evidence cannot be built.
//!
//! A connector makes [`Fact`]s and [`Reject`]s; the store keeps them with their times as [`StoredFact`]s;
//! resolution turns all stored facts into items.

mod evidence_key;
mod lazy;
mod pending;
mod provenance;
mod reject;
mod standing;

use std::sync::Arc;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::item::{Head, Item};
use crate::{Kind, Stamp};

pub use evidence_key::{EVIDENCE_KEY_BYTES, EvidenceKey};
pub use lazy::{Fields, Text, Unpack};
pub use pending::{PendingPrice, Verdict};
pub use provenance::{Identity, Provenance, RecordWithheld, SourceInfo, StatedBy};
pub use reject::{
    CoveredKeys, Covers, REJECT_EXCERPT_CHARS_MAX, REJECT_KEY_BYTES_MAX, REJECT_REASON_CHARS_MAX, Reject,
};
pub use standing::{AheadTimes, Confirmed, EndOfLife, KnownTimes, StaleReason, Standing};

crate::closed_set! {
    /// What the content hash of a fact covers.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
    #[serde(rename_all = "snake_case")]
    pub enum HashBasis {
        /// The raw bytes, as the source sent them.
        Bytes => "bytes",
        /// The RFC 8785 canonical JSON of the upstream record.
        Record => "record",
    }
}

/// The content a fact was read from, kept verbatim so that anyone can recompute its hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Record {
    /// Raw bytes of a page, skill or notebook.
    Bytes(Bytes),
    /// Canonical JSON of a record cut out of a larger file.
    Json(String),
}

impl Record {
    /// The record of a JSON value, in canonical form.
    ///
    /// # Errors
    /// When the value holds a number that canonical JSON cannot express.
    pub fn of_json(value: &serde_json::Value) -> Result<Self, serde_json::Error> {
        crate::hash::canonical_json(value).map(Self::Json)
    }

    /// What the hash is taken of.
    pub const fn basis(&self) -> HashBasis {
        match self {
            Self::Bytes(_) => HashBasis::Bytes,
            Self::Json(_) => HashBasis::Record,
        }
    }

    /// The bytes that are hashed.
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Json(text) => text.as_bytes(),
        }
    }

    /// `sha256:<hex>` of [`Record::as_bytes`].
    pub fn content_hash(&self) -> String {
        crate::hash::content_hash(self.as_bytes())
    }
}

/// The full Markdown of a document, skill or tutorial.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Body {
    /// The kind or the item has none.
    #[default]
    None,
    /// The raw bytes of the record are the Markdown.
    Record,
    /// Markdown made from the record (a notebook's cells, a card's text).
    Markdown(String),
    /// The source names a body but does not have it; the reason is for people.
    Missing(String),
}

/// One source's statement of one item.
#[derive(Debug, Clone, PartialEq)]
pub struct Fact {
    /// The upstream's own key, verbatim; unique within the source and kind.
    pub key: String,
    /// What every item has.
    pub head: Head,
    /// The kind's own fields.
    pub item: Item,
    /// The address of the bytes that were read, at their commit where it is known. For a card: the page that its author names.
    pub source_url: String,
    /// What its evidence says beyond that address.
    pub provenance: Provenance,
    /// What it was read from.
    pub record: Record,
    /// Its full text.
    pub body: Body,
    /// What resolution needs beyond the fields.
    pub identity: Identity,
    /// When the facts were checked, for hand-written cards; otherwise the time of the sync counts, where
    /// [`Fact::is_verified_by_sync`].
    pub checked_on: Option<Stamp>,
}

impl Fact {
    /// What a record states of an item, and the address of the bytes; nothing more is known of it yet, not even a name.
    pub fn new(key: impl Into<String>, item: Item, record: Record, source_url: impl Into<String>) -> Self {
        Self {
            key: key.into(),
            head: Head::default(),
            item,
            source_url: source_url.into(),
            provenance: Provenance::default(),
            record,
            body: Body::None,
            identity: Identity::default(),
            checked_on: None,
        }
    }

    /// The kind of the item.
    pub const fn kind(&self) -> Kind {
        self.item.kind()
    }

    /// Whether reading its bytes again confirms what it states. A card speaks of a page that no sync opens, unless that page is the card's
    /// own file.
    pub fn is_verified_by_sync(&self) -> bool {
        let Provenance { stated_by, record_url, .. } = &self.provenance;
        *stated_by != Some(StatedBy::Card) || record_url.as_deref() == Some(self.source_url.as_str())
    }
}

/// A fact as the store hands it to resolution: without its record, with the hash of it.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredFact {
    /// The store's own number of it, to ask for it again; 0 for a fact that no store has.
    pub row: i64,
    /// Stands for everything that it says: the beginning of the store's hash over it; 0 for a fact that no store has.
    pub statement: u64,
    /// The source that states it.
    pub source_id: Arc<str>,
    /// The kind of the item.
    pub kind: Kind,
    /// The upstream's own key.
    pub key: String,
    /// What every item has.
    pub head: Head,
    /// The kind's own fields, as the JSON object of [`Item::to_json`].
    pub fields: Fields,
    /// See [`Fact::source_url`].
    pub source_url: String,
    /// What its evidence says beyond that address.
    pub provenance: Provenance,
    /// `sha256:<hex>` of the record.
    pub content_hash: String,
    /// What the hash is taken of.
    pub hash_basis: HashBasis,
    /// Whether the store has a body for it.
    pub has_body: bool,
    /// Why the body is missing, where the source names one that it does not have.
    pub body_missing: Option<String>,
    /// Plain text of the body for the search index, as [`crate::text`] makes it; empty when there is none.
    pub body_text: Text,
    /// What resolution needs beyond the fields.
    pub identity: Identity,
    /// Prices that are new or far off their last value and were not stated twice yet.
    pub pending: Vec<PendingPrice>,
    /// Its times and standing.
    pub standing: Standing,
}

impl StoredFact {
    /// The key of its evidence: the same for the same source, kind and upstream key.
    pub fn evidence_key(&self) -> EvidenceKey {
        EvidenceKey::new(&self.source_id, self.kind, &self.key)
    }
}
