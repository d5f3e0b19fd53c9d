//! What a segment keeps of an item beside its rendered row. Records are kept packed, a digest before them: a third of what they would
//! take as structs with texts of their own, and no allocation each.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::texts::ItemText;
use crate::broken::broken;
use refdesk_core::Kind;
use refdesk_core::hash::{DIGEST_BYTES, Digest};

/// Where the body of an item is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BodyRef {
    /// The source that has it.
    pub source_id: Arc<str>,
    /// Kind of the fact.
    pub kind: Kind,
    /// The upstream key of the fact.
    pub key: Box<str>,
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
        &row[self.start as usize..self.end as usize]
    }
}

/// What a segment keeps of an item.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ItemRecord<'a> {
    /// Place of the evidence of the fact that leads.
    pub lead: u32,
    /// Places of the evidence of its other facts.
    pub others: Vec<u32>,
    /// A candidate is listed on request only.
    pub candidate: bool,
    /// The item is fresh, and some of its fields or offers are stale.
    pub partly_stale: bool,
    /// Where the part of the row ends that a search hit begins with, brace included.
    pub head_end: u32,
    /// Where the row has the description, as a JSON string; empty when it has none.
    pub description: Span,
    /// How a search hit goes on behind its head, up to `"summary"`, ready to be copied; empty when that is just the description.
    #[serde(with = "serde_bytes")]
    pub hit_tail: &'a [u8],
    /// Documents: stands for what it is a version or a translation of.
    pub work: Option<u64>,
    /// Models: what is known of it in one line, for hits whose text says nothing.
    pub line: Option<&'a str>,
    /// Which paths its facts state, as the number of one of the [`super::stated_paths::StatedPaths`].
    pub stated: u32,
    /// Place of the evidence of each of these; empty when the lead states them all.
    pub stated_by: Vec<u32>,
    /// What the detail adds behind `field_evidence`, ready to be copied; empty for `"conflicts":[]`.
    #[serde(with = "serde_bytes")]
    pub detail_tail: &'a [u8],
    /// A plain text to take snippets from beside the description: the beginning of the body.
    #[serde(borrow)]
    pub passage: Option<ItemText<'a>>,
    /// The fact whose body it has.
    #[serde(borrow)]
    pub body: Option<BodyOf<'a>>,
    /// Why its body is missing, when the source names one and does not have it.
    pub body_missing: Option<&'a str>,
    /// Frameworks: the prompt as JSON, shown on request only.
    pub prompt: Option<&'a str>,
    /// Models: the id by which the maker sells it, where that is not the item's.
    pub makers_id: Option<&'a str>,
}

/// The fact whose body an item has.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct BodyOf<'a> {
    /// Place of its evidence.
    pub slot: u32,
    /// Its upstream key.
    pub key: &'a str,
    /// See [`BodyRef::verbatim`].
    pub verbatim: bool,
}

impl<'a> ItemRecord<'a> {
    /// The record that [`ItemRecord::packed`] made.
    pub fn decode(packed: &'a [u8]) -> Self {
        unpack(&packed[DIGEST_BYTES..])
    }

    /// The packed record. `digest` stands for its row, but for the times that it shows, and for everything that its detail adds.
    pub fn packed(&self, digest: Digest) -> Vec<u8> {
        let mut out = digest.to_vec();
        pack(self, &mut out);
        out
    }

    /// Places of the evidence of its facts, the lead first.
    pub fn evidence(&self) -> impl Iterator<Item = u32> {
        std::iter::once(self.lead).chain(self.others.iter().copied())
    }
}

/// Appends a record, in the postcard format: read field by field in their order, without names or types to look at.
pub fn pack<T: Serialize>(record: &T, out: &mut Vec<u8>) {
    // A Vec never refuses bytes, and the lengths in our records are known.
    if let Err(error) = postcard::to_io(record, out) {
        broken("a record cannot be packed", error);
    }
}

/// Reads what [`pack`] wrote. A segment that is read from disk is checked first ([`is_record`]).
pub fn unpack<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> T {
    postcard::from_bytes(bytes).unwrap_or_else(|error| broken("a packed record cannot be read again", error))
}

/// Whether a packed record of an item can be read, and names evidence below `slots` and paths below `lists` alone.
pub fn is_record(packed: &[u8], slots: usize, lists: usize) -> bool {
    let record = packed.get(DIGEST_BYTES..).and_then(|record| postcard::from_bytes::<ItemRecord<'_>>(record).ok());
    record.is_some_and(|record| {
        let named = record.evidence().chain(record.stated_by.iter().copied()).chain(record.body.map(|body| body.slot));
        (record.stated as usize) < lists && named.into_iter().all(|slot| (slot as usize) < slots)
    })
}

/// The digest that a packed record begins with.
pub fn digest_of(packed: &[u8]) -> &[u8] {
    &packed[..DIGEST_BYTES]
}
