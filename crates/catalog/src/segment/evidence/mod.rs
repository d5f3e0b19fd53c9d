//! Evidence records (`docs/api.md#evidence-and-freshness`): how a segment keeps them, and how they are written as JSON.

pub mod times;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::chunks::{Chunks, ChunksBuilder};
use super::record::{digest_of, pack, unpack};
use crate::json::Object;
use crate::resolve::Sources;
use crate::resolve::urls::is_web_address;
use refdesk_core::codec::packed;
use refdesk_core::fact::{
    AheadTimes, Confirmed, EVIDENCE_KEY_BYTES, EndOfLife, EvidenceKey, HashBasis, KnownTimes, Provenance,
    RecordWithheld, SourceInfo, StaleReason, Standing, StatedBy, StoredFact,
};
use refdesk_core::hash::{self, DIGEST_BYTES};
use refdesk_core::item::Status;
use refdesk_core::{Stamp, cooperative};

use times::Times;

/// Evidence for one fact.
#[derive(Debug, Clone)]
pub struct EvidenceRecord<'a> {
    /// Stable key.
    pub key: EvidenceKey,
    /// The address of the bytes that were read; for a card the page that its author names.
    pub source_url: &'a str,
    /// What is said beyond that.
    pub provenance: Provenance,
    /// `sha256:<hex>`.
    pub content_hash: ContentHash<'a>,
    /// What the hash is taken of.
    pub hash_basis: HashBasis,
    /// Why it is stale, if it is.
    pub stale_reason: Option<StaleReason>,
    /// The source that states it.
    pub source: &'a Arc<SourceInfo>,
    /// The store's own number of the fact.
    pub row: i64,
    /// Stands for everything that the fact says.
    pub statement: u64,
    /// Its times and standing, as they are stored.
    pub standing: Standing,
    /// Which of these lay ahead of the clock when the record was made.
    ahead: AheadTimes,
    /// When what it speaks of comes to its end.
    pub ends: EndOfLife,
    /// The status that this gave when the record was made.
    pub ended: Status,
}

impl<'a> EvidenceRecord<'a> {
    /// The evidence of a stored fact at `now`.
    fn new(fact: &'a StoredFact, source: &'a Arc<SourceInfo>, now: Stamp) -> Self {
        let ends = EndOfLife::from_fact(fact);
        Self {
            key: fact.evidence_key(),
            source_url: &fact.source_url,
            provenance: fact.provenance.clone(),
            content_hash: ContentHash::parse(&fact.content_hash),
            hash_basis: fact.hash_basis,
            stale_reason: fact.standing.stale_reason(source.stale_after_secs, now),
            source,
            row: fact.row,
            statement: fact.statement,
            standing: fact.standing,
            ahead: fact.standing.ahead_at(now),
            ends,
            ended: ends.status(Status::Unknown, now),
        }
    }

    /// Its times, as far as they could be known when the record was made.
    pub fn known(&self) -> KnownTimes {
        self.standing.known(self.ahead)
    }

    /// The moment from which it is stale by age; `None` when it was never verified.
    pub fn stale_after(&self) -> Option<Stamp> {
        self.known().last_verified_at.map(|at| at.plus_secs(self.source.stale_after_secs))
    }

    /// Whether anything of it that follows the clock is other at `now` than when the record was made.
    pub fn differs_at(&self, now: Stamp) -> bool {
        self.standing.stale_reason(self.source.stale_after_secs, now) != self.stale_reason
            || self.standing.ahead_at(now) != self.ahead
            || self.ends.status(Status::Unknown, now) != self.ended
    }

    /// The next moment after `now` at which something of it differs.
    pub fn next_change_after(&self, now: Stamp) -> Option<Stamp> {
        let stale = self.stale_after().filter(|_| self.stale_reason.is_none());
        [stale, self.ends.next_after(now), self.standing.next_known_at(now)].into_iter().flatten().min()
    }

    /// Writes the record as a JSON object.
    pub fn write(&self, out: &mut Vec<u8>) {
        let mut object = Object::open(out);
        object.text("source_url", self.source_url);
        object.plain("key", &self.key.written());
        self.content_hash.write(&mut object);
        object.plain("hash_basis", self.hash_basis.as_str().as_bytes());
        object.stamp("last_synced_at", self.known().last_synced_at);
        object.stamp("last_verified_at", self.known().last_verified_at);
        object.flag("stale", self.stale_reason.is_some());
        object.optional("stale_reason", self.stale_reason.map(StaleReason::as_str));
        object.stamp("stale_after", self.stale_after());
        object.text("source_id", &self.source.id);
        object.optional("license", self.provenance.license.as_deref().or(self.source.license.as_deref()));
        object.optional("attribution", self.source.attribution.as_deref());
        self.write_provenance(&mut object);
        object.close();
    }

    /// What most evidence has nothing of.
    fn write_provenance(&self, object: &mut Object<'_>) {
        let Provenance { references, record_url, stated_by, record_withheld, .. } = &self.provenance;
        let pages: Vec<&String> = references.iter().filter(|page| is_web_address(page)).collect();
        if !pages.is_empty() {
            object.value("references", &pages);
        }
        if let Some(record_url) = record_url {
            object.text("record_url", record_url);
        }
        if let Some(stated_by) = stated_by {
            object.value("stated_by", stated_by);
        }
        if let Some(withheld) = record_withheld {
            object.text("record_withheld", withheld.as_str());
        }
        if let Some(removed_at) = self.known().removed_at {
            object.stamp("removed_at", Some(removed_at));
        }
    }
}

/// `sha256:<hex>`, in half the space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContentHash<'a> {
    /// The bytes of the hash.
    Sha256([u8; 32]),
    /// Whatever else stands there.
    Other(&'a str),
}

impl<'a> ContentHash<'a> {
    fn parse(text: &'a str) -> Self {
        hash::sha256_of(text).map_or(Self::Other(text), Self::Sha256)
    }

    fn write(&self, object: &mut Object<'_>) {
        match self {
            Self::Sha256(bytes) => {
                let out = object.name("content_hash");
                out.push(b'"');
                out.extend_from_slice(hash::SHA256.as_bytes());
                hash::write_hex(bytes, out);
                out.push(b'"');
            }
            Self::Other(text) => object.text("content_hash", text),
        }
    }
}

/// A record as it is packed, behind its digest and its key.
#[derive(Serialize, Deserialize)]
struct Packed<'a> {
    source_url: &'a str,
    /// The bytes of a hash; none for any other.
    #[serde(with = "serde_bytes")]
    sha256: &'a [u8],
    other_hash: &'a str,
    of_bytes: bool,
    stale_reason: Option<StaleReason>,
    /// Its number among the sources.
    source: u32,
    row: i64,
    statement: u64,
    /// Without the times of [`Times`].
    standing: Standing,
    ahead: AheadTimes,
    ends: EndOfLife,
    ended: Status,
    #[serde(with = "PackedProvenance")]
    provenance: Provenance,
}

/// [`Provenance`] for a format without names, which cannot leave out what is empty.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Provenance")]
struct PackedProvenance {
    references: Vec<String>,
    record_url: Option<String>,
    stated_by: Option<StatedBy>,
    license: Option<String>,
    record_withheld: Option<RecordWithheld>,
}

/// Where a record's key ends.
const KEY_END: usize = DIGEST_BYTES + EVIDENCE_KEY_BYTES;

/// The packed record; its digest stands for its JSON but for the times of [`Times`].
fn packed_record(record: &EvidenceRecord<'_>, source: u32) -> Vec<u8> {
    let verified = record.standing.last_verified_at.map(|_| Stamp::default());
    let timeless = Confirmed { last_synced_at: Stamp::default(), last_verified_at: verified };
    let standing = record.standing.confirmed_at(timeless);
    let mut json = Vec::with_capacity(512);
    EvidenceRecord { standing, ..record.clone() }.write(&mut json);
    let (sha256, other_hash) = match &record.content_hash {
        ContentHash::Sha256(bytes) => (&bytes[..], ""),
        ContentHash::Other(text) => (&[][..], *text),
    };
    let mut out = Vec::with_capacity(256);
    out.extend_from_slice(&hash::digest([json.as_slice()]));
    out.extend_from_slice(&record.key.0);
    pack(
        &Packed {
            source_url: record.source_url,
            sha256,
            other_hash,
            of_bytes: record.hash_basis == HashBasis::Bytes,
            stale_reason: record.stale_reason,
            source,
            row: record.row,
            statement: record.statement,
            standing,
            ahead: record.ahead,
            ends: record.ends,
            ended: record.ended,
            provenance: record.provenance.clone(),
        },
        &mut out,
    );
    out
}

/// The evidence of all facts of a segment.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Evidence {
    records: Arc<Chunks>,
    /// Kept apart, so that records do not change with them.
    #[serde(skip)]
    times: Times,
    /// Places in the order of the keys.
    #[serde(with = "packed")]
    by_key: Arc<[u32]>,
    /// The sources by number.
    sources: Vec<Arc<SourceInfo>>,
}

impl Evidence {
    /// The evidence of facts at `now`, in their order.
    pub fn build<'a>(facts: impl Iterator<Item = &'a StoredFact>, sources: &Sources, now: Stamp) -> Self {
        let mut evidence = Self::default();
        let (mut records, mut times) = (ChunksBuilder::default(), Vec::new());
        for fact in cooperative::yielding(facts) {
            records.push(&evidence.record_of(fact, sources, now));
            times.push(fact.standing.confirmed());
        }
        evidence.records = Arc::new(records.finish());
        evidence.times = times.into_iter().collect();
        evidence.sort();
        evidence
    }

    fn record_of(&mut self, fact: &StoredFact, sources: &Sources, now: Stamp) -> Vec<u8> {
        let number = self.number(&fact.source_id, sources);
        packed_record(&EvidenceRecord::new(fact, &self.sources[number], now), number as u32)
    }

    /// The number of a source, a new one for a source that has none.
    fn number(&mut self, id: &str, sources: &Sources) -> usize {
        self.sources.iter().position(|source| *source.id == *id).unwrap_or_else(|| {
            let unknown = || Arc::new(SourceInfo::unknown(id));
            self.sources.push(sources.get(id).cloned().unwrap_or_else(unknown));
            self.sources.len() - 1
        })
    }

    fn sort(&mut self) {
        let mut keyed: Vec<(EvidenceKey, u32)> =
            cooperative::yielding(self.records.iter()).map(key_of).zip(0..).collect();
        cooperative::sort(&mut keyed);
        self.by_key = keyed.into_iter().map(|(_, slot)| slot).collect();
    }

    /// The sources of the facts.
    pub fn sources(&self) -> &[Arc<SourceInfo>] {
        &self.sources
    }

    /// When the facts were confirmed.
    pub const fn times(&self) -> &Times {
        &self.times
    }

    /// The same facts, confirmed at other times; as many of them as there are facts.
    #[must_use]
    pub fn confirmed_at(&self, times: Times) -> Self {
        Self { times, ..self.clone() }
    }

    /// Whether every record can be read.
    pub fn is_sound(&self) -> bool {
        let is_sound = |packed: &[u8]| {
            let said = packed.get(KEY_END..).and_then(|said| postcard::from_bytes::<Packed<'_>>(said).ok());
            said.is_some_and(|said| (said.source as usize) < self.sources.len())
        };
        let slots = self.records.len();
        self.by_key.len() == slots
            && self.by_key.iter().all(|slot| (*slot as usize) < slots)
            && cooperative::yielding(self.records.iter()).all(is_sound)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// The record at a place.
    pub fn get(&self, slot: u32) -> EvidenceRecord<'_> {
        self.decode(slot, self.records.get(slot as usize))
    }

    /// All records, by place.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = EvidenceRecord<'_>> {
        self.records.iter().enumerate().map(|(slot, packed)| self.decode(slot as u32, packed))
    }

    fn decode<'a>(&'a self, slot: u32, packed: &'a [u8]) -> EvidenceRecord<'a> {
        let said: Packed<'a> = unpack(&packed[KEY_END..]);
        let content_hash = said.sha256.try_into().map_or(ContentHash::Other(said.other_hash), ContentHash::Sha256);
        EvidenceRecord {
            key: key_of(packed),
            source_url: said.source_url,
            content_hash,
            hash_basis: if said.of_bytes { HashBasis::Bytes } else { HashBasis::Record },
            stale_reason: said.stale_reason,
            source: &self.sources[said.source as usize],
            row: said.row,
            statement: said.statement,
            standing: said.standing.confirmed_at(self.times.get(slot)),
            ahead: said.ahead,
            ends: said.ends,
            ended: said.ended,
            provenance: said.provenance,
        }
    }

    /// Place of the record with a key.
    pub fn slot(&self, key: EvidenceKey) -> Option<u32> {
        let key_at = |slot: &u32| key_of(self.records.get(*slot as usize));
        let at = self.by_key.binary_search_by_key(&key, key_at).ok()?;
        Some(self.by_key[at])
    }

    /// The key of the record at a place.
    pub fn key(&self, slot: u32) -> EvidenceKey {
        key_of(self.records.get(slot as usize))
    }

    /// What stands for each record, in the order of the keys.
    pub fn digests(&self) -> impl Iterator<Item = &[u8]> {
        self.by_key.iter().map(|slot| digest_of(self.records.get(*slot as usize)))
    }
}

fn key_of(packed: &[u8]) -> EvidenceKey {
    EvidenceKey(std::array::from_fn(|at| packed[DIGEST_BYTES + at]))
}
