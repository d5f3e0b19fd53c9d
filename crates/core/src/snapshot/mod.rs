//! The snapshot: everything that answers a request, immutable, built whole and swapped whole.
//!
//! [`build`](Snapshot::build) resolves the stored facts, renders every row once and indexes the texts; [`update`](Snapshot::update)
//! makes the next generation of the one before and what changed since; [`answer`] writes answers out of the rendered parts. Same facts
//! and same `now` give the same bytes and the same [`Snapshot::revision`] on every machine, built or updated.

pub mod answer;
mod image;
pub mod json;
mod lookup;
mod make;
mod merge;
mod record;
mod render;
mod stated;
mod stats;
mod table;
mod update;

use std::borrow::Cow;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use crate::fact::StoredFact;
use crate::resolve::{self, HeldBack};
use crate::route::{Card, Router};
use crate::search::{Index, IndexBuilder, Layered};
use crate::{Kind, SourceInfo, Stamp};

use lookup::LookupBuilder;
use make::{Made, Maker, Readable};
use stated::Lists;

pub use crate::image::ImageError;
pub use lookup::{Found, Lookup};
pub use record::{BodyRef, EvidenceRecord, ItemRecord};
pub use stats::{SourceStats, Stats};
pub use table::Table;
pub use update::Changes;

/// How much of an item's text is kept in memory to take snippets from, in characters.
pub const PASSAGE_CHARS_MAX: usize = 2_000;

/// One generation of the catalog.
#[derive(Debug)]
pub struct Snapshot {
    generation: u64,
    revision: String,
    built_at: Stamp,
    next_stale_at: Option<Stamp>,
    sources: make::Shared,
    items: Vec<Arc<ItemRecord>>,
    /// One record a fact; a fact keeps its place from generation to generation.
    evidence: Vec<Arc<EvidenceRecord>>,
    /// Positions in `evidence`, in the order of the keys.
    evidence_by_key: Vec<u32>,
    tables: [Table; 7],
    /// Frameworks without the candidates.
    published: Table,
    lookup: Lookup,
    /// Through what facts have to do with each other ([`resolve::meetings`]), with their places in `evidence`; sorted.
    meetings: Arc<Vec<(u64, u32)>>,
    index: Layered,
    router: Arc<Router>,
    /// Ordinal of each card of the router.
    card_ordinals: Vec<u32>,
    stats: Stats,
    held_back: Vec<HeldBack>,
}

/// What a snapshot is built from.
#[derive(Debug)]
pub struct Input<'a> {
    /// All stored facts.
    pub facts: &'a [StoredFact],
    /// All sources that facts may name.
    pub sources: Vec<SourceInfo>,
    /// The clock.
    pub now: Stamp,
    /// One more than the generation before.
    pub generation: u64,
    /// The snapshot before, whose unchanged parts are reused.
    pub before: Option<&'a Snapshot>,
}

impl Snapshot {
    /// Builds a generation.
    pub fn build(input: &Input<'_>) -> Self {
        let Input { facts, now, .. } = *input;
        let (sources, shared) = sources(&input.sources);
        let evidence = make::evidence(facts, &shared, now);
        let slots: Vec<u32> = (0..facts.len() as u32).collect();
        let maker = Maker { facts, evidence: &evidence, slots: &slots, sources: &sources, lists: Lists::default() };
        let plan = resolve::plan(facts, &sources);
        let before = input.before.map(|before| &before.router);
        let (built, index) = make_all(&maker, &plan, |parts| Built::of(parts, facts, before));
        let Built { items, lookup, tables, router, meetings, held_back } = built;
        let mut evidence_by_key = slots;
        evidence_by_key.sort_by(|a, b| evidence[*a as usize].key.cmp(&evidence[*b as usize].key));
        let index = Layered::whole(index);
        let assembled = Assembled { items, evidence, evidence_by_key, lookup, tables, index, held_back };
        assembled.finish(shared, meetings, router, input.generation, now)
    }

    /// An empty catalog.
    pub fn empty(now: Stamp) -> Self {
        Self::build(&Input { facts: &[], sources: Vec::new(), now, generation: 0, before: None })
    }

    /// Number of this generation.
    pub const fn generation(&self) -> u64 {
        self.generation
    }

    /// Hash of everything in it; equal on every machine with the same facts and clock.
    pub fn revision(&self) -> &str {
        &self.revision
    }

    /// The `now` it was built with.
    pub const fn built_at(&self) -> Stamp {
        self.built_at
    }

    /// The next moment at which one of its fresh facts turns stale.
    pub const fn next_stale_at(&self) -> Option<Stamp> {
        self.next_stale_at
    }

    /// Figures.
    pub const fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Prices that resolution held back.
    pub fn held_back(&self) -> &[HeldBack] {
        &self.held_back
    }

    /// The rows of a kind; frameworks without candidates unless asked for.
    pub fn table(&self, kind: Kind, include_candidates: bool) -> &Table {
        if kind == Kind::Framework && !include_candidates { &self.published } else { &self.tables[kind.index()] }
    }

    /// The item at an ordinal.
    pub fn item(&self, ordinal: u32) -> &ItemRecord {
        &self.items[ordinal as usize]
    }

    /// Number of items; ordinals are below it.
    pub const fn item_count(&self) -> u32 {
        self.items.len() as u32
    }

    /// The kind of the item at an ordinal.
    pub fn kind_of(&self, ordinal: u32) -> Kind {
        self.lookup.kind_of(ordinal)
    }

    /// Position of an item in its kind's table.
    fn position(&self, ordinal: u32) -> usize {
        ordinal as usize - self.lookup.first(self.kind_of(ordinal)) as usize
    }

    /// The rendered row of an item.
    pub fn row(&self, ordinal: u32) -> bytes::Bytes {
        self.tables[self.kind_of(ordinal).index()].row(self.position(ordinal))
    }

    /// The same, borrowed.
    pub fn row_bytes(&self, ordinal: u32) -> &[u8] {
        self.tables[self.kind_of(ordinal).index()].row_bytes(self.position(ordinal))
    }

    /// A plain text to take snippets from: an item's description, then the beginning of its body.
    pub fn passage(&self, ordinal: u32) -> Cow<'_, str> {
        let item = self.item(ordinal);
        let description = match item.description.of(self.row_bytes(ordinal)) {
            [] => Cow::Borrowed(""),
            // Borrowed where nothing in it is escaped.
            json => serde_json::from_slice::<&str>(json)
                .map_or_else(|_| Cow::Owned(serde_json::from_slice(json).unwrap_or_default()), Cow::Borrowed),
        };
        if item.passage.is_empty() {
            return description;
        }
        let mut passage = String::with_capacity(description.len() + 1 + item.passage.len());
        passage.push_str(&description);
        passage.push('\n');
        passage.push_str(&item.passage);
        Cow::Owned(passage)
    }

    /// The evidence of an item.
    pub fn evidence_of(&self, item: &ItemRecord) -> &EvidenceRecord {
        &self.evidence[item.evidence[0] as usize]
    }

    /// Which fact states each field of an item, as the JSON object `field_evidence`.
    pub fn write_field_evidence(&self, item: &ItemRecord, out: &mut Vec<u8>) {
        item.stated.write(&self.evidence, out);
    }

    /// The evidence record with a key.
    pub fn evidence(&self, key: &str) -> Option<&EvidenceRecord> {
        let at = self.evidence_by_key.binary_search_by(|at| (*self.evidence[*at as usize].key).cmp(key)).ok()?;
        Some(&self.evidence[self.evidence_by_key[at] as usize])
    }

    /// Finds an item by id or by any upstream spelling.
    pub fn find(&self, kind: Kind, text: &str) -> Found {
        self.lookup.find(&self.items, kind, text)
    }

    /// Up to `limit` ids near a text that names no item.
    pub fn suggest(&self, kind: Kind, text: &str, limit: usize) -> Vec<&str> {
        let near = self.index.near_names(text, 1 << kind.index(), limit);
        near.into_iter().map(|ordinal| &*self.item(ordinal).id).collect()
    }

    /// The search index over all kinds.
    pub const fn index(&self) -> &Layered {
        &self.index
    }

    /// Tells generations of one revision apart whose searches may weigh words differently: empty for one that was built, else the
    /// number of the update.
    pub fn search_mark(&self) -> String {
        if self.index.has_layers() { format!("update {}", self.generation) } else { String::new() }
    }

    /// The framework router.
    pub const fn router(&self) -> &Arc<Router> {
        &self.router
    }

    /// The ordinal of a card of the router.
    pub fn card_ordinal(&self, card: usize) -> u32 {
        self.card_ordinals[card]
    }
}

/// Sources by id, to ask and to share.
fn sources(infos: &[SourceInfo]) -> (resolve::Sources, make::Shared) {
    let of = |source: &SourceInfo| (Arc::clone(&source.id), source.clone());
    let share = |source: &SourceInfo| (Arc::clone(&source.id), Arc::new(source.clone()));
    (infos.iter().map(of).collect(), infos.iter().map(share).collect())
}

/// What a build collects item by item, in the order of kind and id.
#[derive(Default)]
struct Parts {
    items: Vec<Arc<ItemRecord>>,
    lookup: LookupBuilder,
    rows: [Vec<Vec<u8>>; 7],
    cards: Vec<Card>,
    card_ordinals: Vec<u32>,
    held_back: Vec<HeldBack>,
}

impl Parts {
    /// Takes an item, and gives back what the search index reads of it.
    fn add(&mut self, mut made: Made) -> Readable {
        let ordinal = self.items.len() as u32;
        if let Some(card) = made.card() {
            self.cards.push(card);
            self.card_ordinals.push(ordinal);
        }
        let item = made.item();
        self.lookup.add(item.kind, ordinal, &item.id, &item.aliases);
        made.row.shrink_to_fit();
        self.rows[made.kind().index()].push(made.row);
        self.items.push(Arc::new(made.record));
        made.readable
    }
}

/// Items that are handed to the indexing thread at once.
const INDEX_BATCH: usize = 256;
/// Batches that may wait for it.
const INDEX_BATCHES: usize = 32;

/// What is made of all items together, beside the search index.
struct Built {
    items: Vec<Arc<ItemRecord>>,
    lookup: Lookup,
    tables: [Table; 7],
    router: (Arc<Router>, Vec<u32>),
    meetings: Arc<Vec<(u64, u32)>>,
    held_back: Vec<HeldBack>,
}

impl Built {
    fn of(parts: Parts, facts: &[StoredFact], router_before: Option<&Arc<Router>>) -> Self {
        let Parts { items, lookup, rows, cards, card_ordinals, held_back } = parts;
        let lookup = lookup.finish();
        let tables = Kind::ALL.map(|kind| {
            let rows = rows[kind.index()].iter().map(Vec::as_slice);
            Table::build(lookup.range(kind).zip(rows))
        });
        let router = (same_or_new(router_before, cards), card_ordinals);
        let mut meetings = Vec::with_capacity(facts.len() * 2);
        for (slot, fact) in facts.iter().enumerate() {
            meetings.extend(resolve::meetings(fact).into_iter().map(|meeting| (meeting, slot as u32)));
        }
        meetings.sort_unstable();
        Self { items, lookup, tables, router, meetings: Arc::new(meetings), held_back }
    }
}

/// Makes all planned items, and the index over them on a thread beside; `then` runs while the index is being finished.
fn make_all<T>(maker: &Maker<'_>, plan: &[resolve::Planned], then: impl FnOnce(Parts) -> T) -> (T, Index) {
    std::thread::scope(|scope| {
        let (sender, batches) = std::sync::mpsc::sync_channel::<Vec<Readable>>(INDEX_BATCHES);
        let indexing = scope.spawn(move || {
            let mut index = IndexBuilder::new();
            for readable in batches.iter().flatten() {
                index.add(readable.document());
            }
            index.finish()
        });
        let mut parts = Parts::default();
        for some in plan.chunks(INDEX_BATCH) {
            let mut batch = Vec::with_capacity(some.len());
            for planned in some {
                let made = maker.make(planned, &mut parts.held_back);
                batch.push(parts.add(made));
            }
            // Only refused when the thread has panicked, which the join tells.
            let _ = sender.send(batch);
        }
        drop(sender);
        let done = then(parts);
        match indexing.join() {
            Ok(index) => (done, index),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// The router of some cards; the one before when its cards are the same.
fn same_or_new(before: Option<&Arc<Router>>, cards: Vec<Card>) -> Arc<Router> {
    match before {
        Some(before) if before.cards() == cards => Arc::clone(before),
        _ => Arc::new(Router::build(cards)),
    }
}

/// The parts of a generation, before its figures are taken.
struct Assembled {
    items: Vec<Arc<ItemRecord>>,
    evidence: Vec<Arc<EvidenceRecord>>,
    evidence_by_key: Vec<u32>,
    lookup: Lookup,
    tables: [Table; 7],
    index: Layered,
    held_back: Vec<HeldBack>,
}

impl Assembled {
    fn finish(
        self,
        sources: make::Shared,
        meetings: Arc<Vec<(u64, u32)>>,
        (router, card_ordinals): (Arc<Router>, Vec<u32>),
        generation: u64,
        now: Stamp,
    ) -> Snapshot {
        let Self { items, evidence, evidence_by_key, lookup, tables, index, mut held_back } = self;
        let published = lookup.range(Kind::Framework).filter(|ordinal| !items[*ordinal as usize].candidate);
        let frameworks = &tables[Kind::Framework.index()];
        let first = lookup.first(Kind::Framework);
        let published: Vec<_> =
            published.map(|ordinal| (ordinal, frameworks.row((ordinal - first) as usize))).collect();
        let published = Table::build(published.iter().map(|(ordinal, row)| (*ordinal, &**row)));
        held_back.sort_by(|a, b| (&a.source_id, &a.key, &a.path).cmp(&(&b.source_id, &b.key, &b.path)));
        Snapshot {
            generation,
            revision: revision(&items, evidence_by_key.iter().map(|at| &*evidence[*at as usize])),
            built_at: now,
            next_stale_at: next_stale_at(&evidence),
            stats: Stats {
                index_bytes: index.heap_bytes(),
                ..Stats::of(&items, &evidence, &lookup, &tables, &held_back)
            },
            sources,
            items,
            evidence,
            evidence_by_key,
            tables,
            published,
            lookup,
            meetings,
            index,
            router,
            card_ordinals,
            held_back,
        }
    }
}

fn next_stale_at(evidence: &[Arc<EvidenceRecord>]) -> Option<Stamp> {
    evidence.iter().filter(|record| record.stale_reason.is_none()).map(|record| record.stale_after).min()
}

/// Hash over everything that answers are written of, so that it can stand for them in entity tags: rows, what details add to them,
/// and all evidence with its times.
fn revision<'a>(items: &[Arc<ItemRecord>], evidence: impl Iterator<Item = &'a EvidenceRecord>) -> String {
    let mut hasher = Sha256::new();
    for item in items {
        hasher.update(item.digest);
    }
    hasher.update([0]);
    for record in evidence {
        hasher.update(record.digest);
    }
    let mut hex = crate::hash::hex(&hasher.finalize());
    hex.truncate(16);
    hex
}
