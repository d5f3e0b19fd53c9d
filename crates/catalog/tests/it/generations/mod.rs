//! Generations of two kinds of items, made of facts that meet often: those that share segments with the one before, and those from disk.

mod on_disk;
mod sharing;

use std::sync::Arc;

use crate::common::{NOW, source, stored};
use proptest::prelude::*;
use refdesk_catalog::answer::{self, DetailExtras};
use refdesk_catalog::segment::{Extent, Segment, SegmentInput, Texts, Times};
use refdesk_catalog::snapshot::{Input, Snapshot, Stats};
use refdesk_core::codec::ImageError;
use refdesk_core::fact::{Identity, SourceInfo, Standing, StoredFact};
use refdesk_core::item::{Head, TrustTier};
use refdesk_core::query::{ListQuery, Params, SearchQuery};
use refdesk_core::{Kind, Stamp};
use refdesk_search::SearchRequest;
use serde_json::json;

const HOUR: i64 = 3_600;
const SOURCES: [&str; 3] = ["one", "two", "three"];

fn sources() -> Vec<SourceInfo> {
    (0..).zip(SOURCES).map(|(rank, id)| source(id, rank, 24 * HOUR)).collect()
}

/// A statement of one of few things by one of few sources, so that they meet often.
#[derive(Debug, Clone)]
struct Said {
    source: u8,
    thing: u8,
    model: bool,
    price: u8,
    verified: i64,
    removed: bool,
}

fn said() -> impl Strategy<Value = Said> {
    (0..3_u8, 0..12_u8, any::<bool>(), 1..9_u8, -40..1_i64, prop::bool::weighted(0.1)).prop_map(
        |(source, thing, model, price, verified, removed)| Said { source, thing, model, price, verified, removed },
    )
}

/// Facts in the store's order, each source and thing once.
fn facts(said: &[Said]) -> Vec<StoredFact> {
    let mut facts: Vec<StoredFact> = Vec::new();
    for said in said {
        let fact = fact(said);
        let key = |fact: &StoredFact| (fact.source_id.clone(), fact.kind, fact.key.clone());
        facts.retain(|other| key(other) != key(&fact));
        facts.push(fact);
    }
    facts.sort_by(|a, b| (&a.source_id, a.kind.singular(), &a.key).cmp(&(&b.source_id, b.kind.singular(), &b.key)));
    facts
}

fn fact(said: &Said) -> StoredFact {
    let (source, thing) = (SOURCES[usize::from(said.source)], said.thing);
    // Six models, and six spellings of a seventh: plain and `instruct`, with and without a size, as a preview, and a snapshot.
    let spelling = ["", "-instruct", "-8b", "-8b-instruct", "-preview", "-2025-01-01"][usize::from(thing) % 6];
    let key = match (said.model, thing) {
        (true, 0..6) => format!("acme/nova-{thing}"),
        (true, _) => format!("acme/nova-100{spelling}"),
        (false, _) => format!("server-{}-{thing}", thing % 3),
    };
    let fields = if said.model {
        json!({"pricing": {"input": said.price}, "limits": {"context_tokens": 1000 * i64::from(said.price)}})
    } else {
        json!({"version": said.price.to_string(), "description": "serves"})
    };
    let identity = if said.model {
        Identity { provider: Some(["acme", "resale", "other"][usize::from(said.source)].into()), ..Identity::default() }
    } else {
        // Things of one rest share a repository: a collection in one source, a meeting between sources.
        // Some have it with a folder, some run the same package or answer at the same address.
        let folder = if thing % 4 == 1 { "#src" } else { "" };
        Identity {
            repository: (thing != 7).then(|| format!("https://github.com/acme/server-{}{folder}", thing % 5)),
            packages: (thing % 3 == 0).then(|| format!("npm:server-{}", thing % 2)).into_iter().collect(),
            remotes: (thing % 6 > 3).then(|| format!("https://mcp.acme.example/{}", thing % 4)).into_iter().collect(),
            ..Identity::default()
        }
    };
    let verified = NOW.plus_secs(said.verified * HOUR);
    let content_hash = refdesk_core::hash::content_hash(fields.to_string().as_bytes());
    let statement = refdesk_core::hash::short_hash(fields.to_string().as_bytes());
    let fact = stored(source, if said.model { Kind::Model } else { Kind::McpServer }, &key, fields, verified);
    // Some want one id, and some are called what others want to be.
    let head = Head {
        id: format!("thing {}", thing % 7),
        aliases: (thing % 4 == 2).then(|| format!("thing-{}", thing % 5)).into_iter().collect(),
        trust_tier: (thing % 3 == 1).then_some(TrustTier::Verified),
        ..fact.head
    };
    StoredFact {
        row: i64::from(said.source) * 1_000 + i64::from(thing) * 2 + i64::from(said.model),
        statement,
        head,
        content_hash,
        identity,
        standing: Standing {
            first_seen_at: NOW.plus_secs(-100 * HOUR),
            removed_at: said.removed.then_some(verified),
            ..fact.standing
        },
        ..fact
    }
}

fn build(facts: &[StoredFact], now: Stamp) -> Snapshot {
    Snapshot::build(&Input { facts, sources: sources(), now, generation: 2, before: None, texts: None })
}

/// Kinds whose segments are to be built anew after some sources were synced.
fn outdated(before: &Snapshot, facts: &[StoredFact], synced: &[u8], now: Stamp) -> Vec<Kind> {
    let synced: Vec<&str> = synced.iter().map(|at| SOURCES[usize::from(*at)]).collect();
    let of_sources: Vec<StoredFact> = facts.iter().filter(|fact| synced.contains(&&*fact.source_id)).cloned().collect();
    before.outdated(&of_sources, &synced, &sources(), now)
}

/// What the program does: asks which kinds are outdated, builds their segments, shares the others.
fn next(before: &Snapshot, facts: &[StoredFact], synced: &[u8], now: Stamp) -> Snapshot {
    let outdated = outdated(before, facts, synced, now);
    let segments = Kind::ALL.map(|kind| {
        let known = &before.segments()[kind.index()];
        if !outdated.contains(&kind) {
            return Arc::clone(known);
        }
        let of_kind: Vec<StoredFact> = facts.iter().filter(|fact| fact.kind == kind).cloned().collect();
        let (sources, before) = (&sources()[..], Some(&**known));
        Arc::new(Segment::build(SegmentInput { kind, facts: of_kind.into(), sources, now, before, texts: None }))
    });
    Snapshot::new(segments, now, 2, Some(before))
}

fn written(segment: &Segment) -> Vec<u8> {
    let mut bytes = Vec::new();
    segment.write(&mut bytes).unwrap();
    bytes
}

fn read(bytes: &[u8], kind: Kind, times: &Times) -> Result<Segment, ImageError> {
    read_at(bytes, kind, (times, NOW))
}

fn read_at(bytes: &[u8], kind: Kind, at: (&Times, Stamp)) -> Result<Segment, ImageError> {
    read_extent(bytes, kind, at, Extent::Whole)
}

fn read_extent(bytes: &[u8], kind: Kind, at: (&Times, Stamp), extent: Extent) -> Result<Segment, ImageError> {
    Segment::read(bytes, kind, at, extent, |_, behind| {
        let start = bytes.len() - behind as usize;
        Ok(Some(Arc::new(Shelf(bytes[start..].to_vec())) as Arc<dyn Texts>))
    })
}

/// A snapshot whose segments were written to disk and read again.
fn through_disk(snapshot: &Snapshot) -> Snapshot {
    let read = |segment: &Segment| read(&written(segment), segment.kind(), segment.times()).unwrap();
    let segments = Kind::ALL.map(|kind| Arc::new(read(snapshot.segment(kind))));
    Snapshot::new(segments, NOW, snapshot.generation(), None)
}

/// Texts outside of a snapshot.
#[derive(Debug)]
struct Shelf(Vec<u8>);

impl Texts for Shelf {
    fn put(&mut self, bytes: &[u8]) -> Option<u64> {
        let at = self.bytes();
        self.0.extend_from_slice(bytes);
        Some(at)
    }

    fn get(&self, at: u64, bytes: usize) -> Option<Vec<u8>> {
        self.0.get(at as usize..at as usize + bytes).map(<[u8]>::to_vec)
    }

    fn bytes(&self) -> u64 {
        self.0.len() as u64
    }
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

/// Everything that is shown of both kinds.
fn shown(snapshot: &Snapshot) -> Vec<String> {
    let list = |kind: Kind| {
        let params = Params::new([("limit", "500")], ListQuery::names(kind));
        text(answer::list(snapshot, kind, &ListQuery::parse(kind, &params).unwrap(), &[]).pieces.concat())
    };
    let mut shown = vec![list(Kind::Model), list(Kind::McpServer)];
    for ordinal in 0..snapshot.item_count() {
        shown.push(text(answer::detail(snapshot, ordinal, &DetailExtras::default())));
    }
    for thing in 0..12 {
        for (kind, text) in
            [(Kind::Model, format!("acme/nova-{thing}")), (Kind::McpServer, format!("SERVER-1-{thing}"))]
        {
            shown.push(format!("{:?}", snapshot.find(kind, &text)));
        }
    }
    for text in ["acme nova 100", "thing 3", "serves", "nova-10", "srves"] {
        shown.push(format!("{:?}", snapshot.search(&SearchRequest::new(text, 20))));
    }
    let stats = Stats { index_bytes: 0, ..snapshot.stats().clone() };
    shown.push(format!("{stats:?} {:?} {:?}", snapshot.next_change_at(), snapshot.withheld().collect::<Vec<_>>()));
    shown
}

fn priced(thing: u8, price: u8) -> Said {
    Said { source: 0, thing, model: true, price, verified: 0, removed: false }
}

fn server(thing: u8) -> Said {
    Said { source: 0, thing, model: false, price: 1, verified: 0, removed: false }
}

/// Ids of the hits of a search.
fn found(snapshot: &Snapshot, text: &str) -> Vec<String> {
    let params = SearchQuery::params([("q", text)]);
    let outcome = answer::find(snapshot, &SearchQuery::parse(&params).unwrap(), None).outcome;
    assert_eq!(outcome.total, outcome.hits.len(), "few are counted exactly");
    outcome.hits.iter().map(|hit| snapshot.id(hit.ordinal).to_owned()).collect()
}

fn described(thing: u8, description: &str) -> StoredFact {
    let mut fact = fact(&Said { source: 0, thing, model: false, price: 1, verified: 0, removed: false });
    fact.statement = refdesk_core::hash::short_hash(description.as_bytes());
    fact.head.id = format!("thing-{thing}");
    fact.identity = Identity::default();
    fact.fields = json!({ "description": description }).as_object().unwrap().clone().into();
    fact
}
