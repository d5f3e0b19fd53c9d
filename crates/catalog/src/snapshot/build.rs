//! A snapshot built of all facts: every item resolved and rendered once, every text indexed.

use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use super::chunks::{Chunks, ChunksBuilder};
use super::evidence::{Evidence, Shared};
use super::lookup::{Lookup, LookupBuilder};
use super::make::{Made, Maker, Readable};
use super::meetings::Meetings;
use super::record::{ItemRecord, digest_of};
use super::stated::{Lists, ListsBuilder};
use super::table::Table;
use super::texts::Texts;
use super::{FreshRows, Snapshot, Stats};
use crate::resolve::{self, Withheld};
use refdesk_core::fact::StoredFact;
use refdesk_core::{Kind, SourceInfo, Stamp, pace};
use refdesk_route::{Card, Router};
use refdesk_search::{IndexBuilder, Layered, SearchIndex};

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
    /// Where the texts go of which snippets are cut; they stay in memory without it.
    pub texts: Option<Box<dyn Texts>>,
}

impl Snapshot {
    /// Builds a generation.
    pub fn build(input: Input<'_>) -> Self {
        let Input { facts, now, generation, before, texts, .. } = input;
        let (sources, shared) = sources(&input.sources);
        let evidence = Evidence::build(facts, &shared, now);
        let slots: Vec<u32> = (0..facts.len() as u32).collect();
        let lists = ListsBuilder::default();
        let mut maker = Maker { facts, evidence: &evidence, slots: &slots, sources: &sources, now, lists, texts };
        let plan = resolve::plan(facts, &sources);
        let before = before.map(|before| &before.router);
        let (built, index) = make_all(&mut maker, &plan, |parts| Built::of(parts, facts, before));
        let (lists, texts) = (maker.lists.finish(), maker.texts.map(Arc::from));
        let Built { items, lookup, tables, router, meetings, withheld } = built;
        let index = Layered::whole(index);
        let assembled = Assembled { items, evidence, lists, lookup, tables, meetings, router, index, withheld, texts };
        assembled.finish(shared, generation, now)
    }

    /// An empty catalog.
    pub fn empty(now: Stamp) -> Self {
        Self::build(Input { facts: &[], sources: Vec::new(), now, generation: 0, before: None, texts: None })
    }
}

/// Sources by id, to ask and to share.
pub fn sources(infos: &[SourceInfo]) -> (resolve::Sources, Shared) {
    let of = |source: &SourceInfo| (Arc::clone(&source.id), source.clone());
    let share = |source: &SourceInfo| (Arc::clone(&source.id), Arc::new(source.clone()));
    (infos.iter().map(of).collect(), infos.iter().map(share).collect())
}

/// What a build collects item by item, in the order of kind and id.
#[derive(Default)]
struct Parts {
    items: ChunksBuilder,
    count: u32,
    lookup: LookupBuilder,
    rows: [ChunksBuilder; 7],
    cards: Vec<Card>,
    card_ordinals: Vec<u32>,
    withheld: Vec<Withheld>,
}

impl Parts {
    /// Takes an item, and gives back what the search index reads of it.
    fn add(&mut self, made: Made) -> Readable {
        let ordinal = self.count;
        self.count += 1;
        if let Some(card) = made.card() {
            self.cards.push(card);
            self.card_ordinals.push(ordinal);
        }
        let item = made.item();
        self.lookup.add(item, ordinal);
        self.rows[made.kind().index()].push(&made.row);
        self.items.push(&made.record);
        made.readable
    }
}

/// Items that are handed to the indexing thread at once.
const INDEX_BATCH: usize = 256;
/// Batches that may wait for it.
const INDEX_BATCHES: usize = 32;

/// What is made of all items together, beside the search index.
struct Built {
    items: Chunks,
    lookup: Lookup,
    tables: [Table; 7],
    router: (Arc<Router>, Vec<u32>),
    meetings: Meetings,
    withheld: Vec<Withheld>,
}

impl Built {
    fn of(parts: Parts, facts: &[StoredFact], router_before: Option<&Arc<Router>>) -> Self {
        let Parts { items, lookup, rows, cards, card_ordinals, withheld, .. } = parts;
        let lookup = lookup.finish();
        let mut rows = rows.into_iter();
        let mut rows_of_next = || rows.next().unwrap_or_default().finish();
        let tables = Kind::ALL.map(|kind| Table::new(rows_of_next(), lookup.range(kind).collect()));
        let router = (same_or_new(router_before, cards), card_ordinals);
        let meetings = Meetings::build(facts.iter().zip(0..));
        Self { items: items.finish(), lookup, tables, router, meetings, withheld }
    }
}

/// Makes all planned items, and the index over them on a thread beside; `then` runs while the index is being finished.
fn make_all<T>(maker: &mut Maker<'_>, plan: &[resolve::Planned], then: impl FnOnce(Parts) -> T) -> (T, SearchIndex) {
    std::thread::scope(|scope| {
        let (sender, batches) = std::sync::mpsc::sync_channel::<Vec<Readable>>(INDEX_BATCHES);
        let indexing = scope.spawn(move || {
            let mut index = IndexBuilder::new();
            for readable in batches.iter().flatten() {
                pace::give_way();
                index.add(readable.document());
            }
            index.finish()
        });
        let mut parts = Parts::default();
        for some in plan.chunks(INDEX_BATCH) {
            let mut batch = Vec::with_capacity(some.len());
            for planned in some {
                pace::give_way();
                let made = maker.make(planned, &mut parts.withheld);
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
pub fn same_or_new(before: Option<&Arc<Router>>, cards: Vec<Card>) -> Arc<Router> {
    match before {
        Some(before) if before.cards() == cards => Arc::clone(before),
        _ => Arc::new(Router::build(cards)),
    }
}

/// The parts of a generation, before its figures are taken.
pub struct Assembled {
    pub items: Chunks,
    pub evidence: Evidence,
    pub lists: Lists,
    pub lookup: Lookup,
    pub tables: [Table; 7],
    pub meetings: Meetings,
    /// The router, and the ordinals of its cards.
    pub router: (Arc<Router>, Vec<u32>),
    pub index: Layered,
    pub withheld: Vec<Withheld>,
    pub texts: Option<Arc<dyn Texts>>,
}

impl Assembled {
    pub fn finish(self, sources: Shared, generation: u64, now: Stamp) -> Snapshot {
        let Self { items, evidence, lists, lookup, tables, meetings, router, index, mut withheld, texts } = self;
        let is_published = |ordinal| !ItemRecord::of(items.get(ordinal as usize)).candidate;
        let published = tables[Kind::Framework.index()].only(is_published);
        withheld.sort_by(|a, b| (&a.source_id, &a.key, &a.path).cmp(&(&b.source_id, &b.key, &b.path)));
        let (router, card_ordinals) = router;
        let fresh = fresh(&items, &evidence, &tables, &published);
        Snapshot {
            generation,
            revision: revision(&items, &evidence),
            built_at: now,
            next_change_at: next_change_at(&evidence, now),
            stats: Stats {
                index_bytes: index.heap_bytes(),
                ..Stats::of(&items, &evidence, &lookup, &tables, &withheld)
            },
            sources,
            items,
            evidence,
            lists,
            tables,
            published,
            fresh,
            lookup,
            meetings,
            index,
            router,
            card_ordinals,
            withheld,
            texts,
        }
    }
}

/// The fresh items of each table, where some are stale.
fn fresh(items: &Chunks, evidence: &Evidence, tables: &[Table; 7], published: &Table) -> [Option<FreshRows>; 8] {
    let is_fresh: Vec<bool> = pace::each(evidence.iter()).map(|record| record.stale_reason.is_none()).collect();
    let of = |table: &Table| -> Option<FreshRows> {
        let ordinals = table.ordinals(0, table.len());
        let fresh: FreshRows = pace::each(ordinals)
            .copied()
            .filter(|ordinal| is_fresh[ItemRecord::of(items.get(*ordinal as usize)).lead as usize])
            .collect();
        (fresh.len() < ordinals.len()).then_some(fresh)
    };
    std::array::from_fn(|at| of(tables.get(at).unwrap_or(published)))
}

fn next_change_at(evidence: &Evidence, now: Stamp) -> Option<Stamp> {
    pace::each(evidence.iter()).filter_map(|record| record.next_change_after(now)).min()
}

/// Hash over everything that answers are written of, so that it can stand for them in entity tags: rows, what details add to them,
/// and all evidence with its times.
fn revision(items: &Chunks, evidence: &Evidence) -> String {
    let mut hasher = Sha256::new();
    pace::each(items.iter()).for_each(|item| hasher.update(digest_of(item)));
    hasher.update([0]);
    pace::each(evidence.digests()).for_each(|digest| hasher.update(digest));
    let mut hex = refdesk_core::hash::hex(&hasher.finalize());
    hex.truncate(16);
    hex
}
