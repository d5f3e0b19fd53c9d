//! Facts: what one source states of one item, with the evidence for it. A fact without evidence cannot be built.
//!
//! A connector makes [`Fact`]s and [`Reject`]s; the store keeps them with their times as [`StoredFact`]s;
//! [`crate::resolve`] turns all stored facts into items.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::item::{Head, Item, McpVersion, Status, TrustTier};
pub use crate::lazy::{Fields, Text, Unpack};
use crate::time::CLOCK_AHEAD_SECS_MAX;
use crate::{Kind, Stamp, hash};

/// What the content hash of a fact is taken of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum HashBasis {
    /// The raw bytes, as the source sent them.
    Bytes,
    /// The RFC 8785 canonical JSON of the upstream record.
    Record,
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
    /// When the facts were checked, for hand-written cards; otherwise the time of the sync counts.
    pub checked_on: Option<Stamp>,
}

impl Fact {
    /// The kind of the item.
    pub const fn kind(&self) -> Kind {
        self.item.kind()
    }
}

/// What the evidence of a fact says beyond its source, address, hash and times.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Provenance {
    /// Pages that the source refers to (a vendor's documentation). Nobody fetched them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<String>,
    /// The address of the record itself, where `source_url` is a page that a person names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record_url: Option<String>,
    /// Who states it, when that is not the source as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stated_by: Option<StatedBy>,
    /// The item's own licence; it wins over the licence of its source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub license: Option<String>,
    /// Why record and body may not be given out. Their hash stays, and `verify` checks it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record_withheld: Option<RecordWithheld>,
}

/// Who states a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum StatedBy {
    /// The author of a hand-written card.
    Card,
}

/// Why a record is given out on no surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RecordWithheld {
    /// Its own licence does not allow to pass it on, or could not be read.
    Licence,
    /// It holds a literal secret.
    Secret,
}

impl RecordWithheld {
    /// The word in the answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Licence => "licence",
            Self::Secret => "secret",
        }
    }
}

/// A price that came anew or moved far off the last one that was believed. Until its source states it again it is believed only at the
/// level of other prices of the model ([`crate::resolve::price::level`]).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PendingPrice {
    /// Dotted path: `pricing.input`.
    pub path: String,
    /// The price that was believed before; null when there was none.
    pub before: Value,
    /// When the source was first seen to state the new one.
    pub since: Stamp,
    /// What an operator said of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
}

/// What an operator says of a withheld value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It is shown from now on.
    Accepted,
    /// It is withheld for as long as the source states it.
    Refused,
}

/// What tells that two sources speak of the same item.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Identity {
    /// Models: the seller, as the source calls it (`anthropic`, `bedrock`). The maker's own offer is told by [`crate::resolve`].
    pub provider: Option<String>,
    /// Models: the id to send to the seller's API, verbatim.
    pub api_model_id: Option<String>,
    /// Models: the maker, where the source states it (`anthropic`); else it is read from the id.
    pub maker: Option<String>,
    /// Ids that the source itself says are the same item (canonical slugs, alias targets, Hugging Face ids).
    pub same_as: Vec<String>,
    /// MCP servers: repository URL and folder.
    pub repository: Option<String>,
    /// MCP servers: packages that run it, as `ecosystem:name` without version or tag: `npm:@scope/name`, `pypi:name`,
    /// `oci:registry/image`, `nuget:name`, `mcpb:https://…`.
    pub packages: Vec<String>,
    /// MCP servers: public addresses at which it answers, in one spelling: host in lower case, no default port, fragment or closing `/`,
    /// and of the query only what is neither secret nor to be filled in.
    pub remotes: Vec<String>,
    /// MCP servers: all versions the source lists, newest first.
    pub versions: Vec<McpVersion>,
}

/// An upstream record that could not become a fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reject {
    /// The upstream's key of it, or its position (`line 12`, `page 3 item 7`).
    pub key: String,
    /// Why, in a sentence for people that says what to mend.
    pub reason: String,
    /// The beginning of the record, at most [`REJECT_EXCERPT_CHARS_MAX`] characters.
    pub excerpt: String,
}

/// How much of a bad record is kept beside its reason.
pub const REJECT_EXCERPT_CHARS_MAX: usize = 400;
/// How much of its key is kept. It is what an upstream wrote, as parts of the reason are.
pub const REJECT_KEY_CHARS_MAX: usize = 300;
/// How much of the reason is kept.
pub const REJECT_REASON_CHARS_MAX: usize = 1_000;

impl Reject {
    /// A reject with the beginning of its record.
    pub fn new(key: impl Into<String>, reason: impl Into<String>, record: &str) -> Self {
        Self {
            key: crate::clean::excerpt(&key.into(), REJECT_KEY_CHARS_MAX),
            reason: crate::clean::excerpt(&reason.into(), REJECT_REASON_CHARS_MAX),
            excerpt: crate::clean::excerpt(record, REJECT_EXCERPT_CHARS_MAX),
        }
    }
}

/// What the desk knows of a configured source; part of every evidence record.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SourceInfo {
    /// Id in the configuration.
    pub id: Arc<str>,
    /// Name for people.
    pub name: String,
    /// Licence of the data.
    pub license: Option<String>,
    /// How to credit the source.
    pub attribution: Option<String>,
    /// Trust tier of what it states, unless a fact says otherwise.
    pub trust_tier: TrustTier,
    /// Smaller is better: whose word wins when sources disagree.
    pub rank: i32,
    /// After how many seconds without verification its facts are stale.
    pub stale_after_secs: i64,
    /// The seller whose own list the source is, once it has been read and as long as it is fresh: what it does not list, the seller
    /// does not sell.
    #[serde(default)]
    pub own_list_of: Option<String>,
}

impl SourceInfo {
    /// A source of which nothing but its id is known: nobody trusts it, and it ranks last.
    pub fn unknown(id: &str) -> Self {
        Self { id: id.into(), name: id.to_owned(), rank: i32::MAX, ..Self::default() }
    }
}

/// Why a fact is stale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum StaleReason {
    /// Older than the source's `stale_after`.
    Expired,
    /// The source's bytes changed and could not be parsed; the last good facts are shown.
    ParseFailed,
    /// The source's new state was put into quarantine; the last good facts are shown.
    Quarantined,
    /// The source removed or moved the item.
    Removed,
    /// Never confirmed by a parse.
    NeverVerified,
}

impl StaleReason {
    /// The word in the answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Expired => "expired",
            Self::ParseFailed => "parse_failed",
            Self::Quarantined => "quarantined",
            Self::Removed => "removed",
            Self::NeverVerified => "never_verified",
        }
    }
}

/// The times and the standing of a stored fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Standing {
    /// When the source was first seen to state it.
    pub first_seen_at: Stamp,
    /// When these bytes were last taken from the source.
    pub last_synced_at: Stamp,
    /// When our parser last confirmed that the source still says the same.
    pub last_verified_at: Option<Stamp>,
    /// When the source stopped listing it.
    pub removed_at: Option<Stamp>,
    /// Set when the source changed and its new state could not be taken: `ParseFailed` or `Quarantined`.
    pub held_back: Option<StaleReason>,
    /// The source was seen to list the item in two states of its bytes.
    pub restated: bool,
}

impl Standing {
    /// The moment from which the fact is stale by age alone; `None` when it was never verified.
    pub fn expires_at(&self, stale_after_secs: i64) -> Option<Stamp> {
        self.last_verified_at.map(|at| at.plus_secs(stale_after_secs))
    }

    const fn times(&self) -> [Option<Stamp>; 4] {
        [Some(self.first_seen_at), Some(self.last_synced_at), self.last_verified_at, self.removed_at]
    }

    /// Which of its times cannot have been yet at `now`.
    pub fn ahead_at(&self, now: Stamp) -> AheadTimes {
        let bits = self.times().into_iter().zip(0..).filter(|(at, _)| at.is_some_and(|at| at.is_ahead_of(now)));
        AheadTimes(bits.fold(0, |ahead, (_, bit)| ahead | 1 << bit))
    }

    /// Its times; those that lie ahead of the clock are absent.
    pub fn known(&self, ahead: AheadTimes) -> KnownTimes {
        let known = |bit: usize| self.times()[bit].filter(|_| ahead.0 & 1 << bit == 0);
        KnownTimes {
            first_seen_at: known(0),
            last_synced_at: known(1),
            last_verified_at: known(2),
            removed_at: known(3),
        }
    }

    /// What of its times can be known at `now`.
    pub fn known_at(&self, now: Stamp) -> KnownTimes {
        self.known(self.ahead_at(now))
    }

    /// The next moment after `now` at which one of the times that lie ahead of the clock can be known.
    pub fn next_known_at(&self, now: Stamp) -> Option<Stamp> {
        let ahead = self.times().into_iter().flatten().filter(|at| at.is_ahead_of(now));
        ahead.map(|at| at.plus_secs(-CLOCK_AHEAD_SECS_MAX)).min()
    }

    /// Why the fact is stale at `now`, or `None` when it is fresh.
    pub fn stale_reason(&self, stale_after_secs: i64, now: Stamp) -> Option<StaleReason> {
        if self.removed_at.is_some() {
            return Some(StaleReason::Removed);
        }
        if self.held_back.is_some() {
            return self.held_back;
        }
        match self.known_at(now).last_verified_at {
            None => Some(StaleReason::NeverVerified),
            Some(at) => (now >= at.plus_secs(stale_after_secs)).then_some(StaleReason::Expired),
        }
    }
}

/// Which times of a [`Standing`] lie ahead of the clock: a bit for each, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AheadTimes(u8);

/// The times of a fact as they can be known at some moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KnownTimes {
    /// When the source was first seen to state it.
    pub first_seen_at: Option<Stamp>,
    /// When these bytes were last taken from the source.
    pub last_synced_at: Option<Stamp>,
    /// When our parser last confirmed that the source still says the same.
    pub last_verified_at: Option<Stamp>,
    /// When the source stopped listing it.
    pub removed_at: Option<Stamp>,
}

/// The dates at which what a fact speaks of comes to its end, by its own words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct EndOfLife {
    /// From when on it is deprecated.
    pub deprecated_at: Option<Stamp>,
    /// From when on it answers no more.
    pub retires_at: Option<Stamp>,
}

impl EndOfLife {
    /// The dates that the fields of a fact state.
    pub fn of(fact: &StoredFact) -> Self {
        if fact.kind != Kind::Model {
            return Self::default();
        }
        let date = |name: &str| fact.fields.top_level_text(name).and_then(|text| Stamp::date_passed_at(&text));
        Self { deprecated_at: date("deprecated_on"), retires_at: date("retires_on") }
    }

    /// What a stated status is at `now`: a date that has passed outweighs it.
    pub fn status(self, stated: Status, now: Stamp) -> Status {
        let passed = |at: Option<Stamp>| at.is_some_and(|at| at <= now);
        match stated {
            Status::Removed | Status::Retired | Status::Published | Status::Candidate => stated,
            _ if passed(self.retires_at) => Status::Retired,
            _ if passed(self.deprecated_at) => Status::Deprecated,
            _ => stated,
        }
    }

    /// The next of the dates after `now`.
    pub fn next_after(self, now: Stamp) -> Option<Stamp> {
        [self.deprecated_at, self.retires_at].into_iter().flatten().filter(|at| *at > now).min()
    }
}

/// A fact as the store hands it to [`crate::resolve`]: without its record, with the hash of it.
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
        EvidenceKey::of(&self.source_id, self.kind, &self.key)
    }
}

/// The key of the evidence for an upstream key of a source; stable across syncs. Written `ev_` and 20 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EvidenceKey(pub [u8; EVIDENCE_KEY_BYTES]);

/// Bytes of the hash in an evidence key.
pub const EVIDENCE_KEY_BYTES: usize = hash::SHORT_BYTES;
/// What an evidence key begins with.
const EVIDENCE_KEY_PREFIX: &str = "ev_";

impl EvidenceKey {
    /// The key of what a source states under an upstream key.
    pub fn of(source_id: &str, kind: Kind, key: &str) -> Self {
        Self(hash::short_bytes(&[source_id, kind.singular(), key]))
    }

    /// Reads the written form.
    pub fn parse(text: &str) -> Option<Self> {
        hash::unhex(text.strip_prefix(EVIDENCE_KEY_PREFIX)?).map(Self)
    }

    /// The written form, which is ASCII.
    pub fn written(self) -> [u8; EVIDENCE_KEY_PREFIX.len() + 2 * EVIDENCE_KEY_BYTES] {
        let mut text = [0; EVIDENCE_KEY_PREFIX.len() + 2 * EVIDENCE_KEY_BYTES];
        let (prefix, digits) = text.split_at_mut(EVIDENCE_KEY_PREFIX.len());
        prefix.copy_from_slice(EVIDENCE_KEY_PREFIX.as_bytes());
        hash::fill_hex(&self.0, digits);
        text
    }
}

impl fmt::Display for EvidenceKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{EVIDENCE_KEY_PREFIX}{}", hash::hex(&self.0))
    }
}
