//! Builds a segment of its kind's facts: every item resolved and rendered once, every text indexed.

use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use super::chunks::ChunksBuilder;
use super::evidence::Evidence;
use super::indexed_text::{self, IndexedText};
use super::item_builder::{BuiltItem, ItemBuilder};
use super::lookup::LookupBuilder;
use super::render::Slots;
use super::rows::RowsBuilder;
use super::stated_paths::StatedPathsBuilder;
use super::texts::Texts;
use super::{Segment, SegmentParts};
use crate::columns::ColumnsBuilder;
use crate::resolve::{self, Context, Planned, Withheld};
use refdesk_core::fact::StoredFact;
use refdesk_core::{Kind, SourceInfo, Stamp, cooperative};
use refdesk_route::Card;
use refdesk_search::{IndexBuilder, SegmentIndex};

/// Makes a place outside memory for a segment's texts; `None` where there is none.
pub type NewTexts<'a> = &'a (dyn Fn() -> Option<Box<dyn Texts>> + Sync);

/// What a segment is built from.
pub struct SegmentInput<'a> {
    /// The kind.
    pub kind: Kind,
    /// Its stored facts, by source and key. Facts of other kinds are passed over.
    pub facts: &'a [StoredFact],
    /// All sources that facts may name.
    pub sources: &'a [SourceInfo],
    /// The clock.
    pub now: Stamp,
    /// The segment of the generation before, whose index is taken over when it would come out the same.
    pub before: Option<&'a Segment>,
    /// Where the texts go of which snippets are cut; without it they stay in memory.
    pub texts: Option<NewTexts<'a>>,
}

impl Segment {
    /// Builds a segment.
    pub fn build(input: &SegmentInput<'_>) -> Self {
        let SegmentInput { kind, facts, sources, now, before, texts } = *input;
        let sources = resolve::sources_by_id(sources);
        let own: Vec<usize> = (0..facts.len()).filter(|at| facts[*at].kind == kind).collect();
        let (plan, evidence) = cooperative::join(
            || resolve::plan(kind, facts, &sources),
            || Evidence::build(own.iter().map(|at| &facts[*at]), &sources, now),
        );
        let mut slots = vec![u32::MAX; facts.len()];
        for (at, slot) in own.iter().zip(0..) {
            slots[*at] = slot;
        }
        let items = |with_index: bool| {
            let texts = texts.and_then(|new| new());
            let stated_paths = StatedPathsBuilder::default();
            let context = Context { facts, identities: &plan.identities, sources: &sources, now };
            let builder =
                ItemBuilder { context, evidence: Slots { evidence: &evidence, slots: &slots }, stated_paths, texts };
            build_items(kind, builder, &plan.items, with_index)
        };
        // Facts that say the same nearly always give the same texts: then all the work is done without indexing them, and the index stays.
        let same = before.filter(|before| before.states(own.iter().map(|at| &facts[*at])));
        let kept = same.and_then(|before| {
            let (items, indexed) = items(false);
            (indexed.digest == before.parts.indexed).then(|| (items, indexed.digest, Arc::clone(&before.parts.index)))
        });
        let (items, indexed, index) = kept.unwrap_or_else(|| {
            let (items, indexed) = items(true);
            (items, indexed.digest, Arc::new(indexed.index))
        });
        let Items { records, rows, columns, lookup, stated_paths, texts, cards, card_rows, mut withheld } = items;
        withheld.sort_by(|a, b| (&a.source_id, &a.key, &a.path).cmp(&(&b.source_id, &b.key, &b.path)));
        let (items, rows, columns) = (Arc::new(records.finish()), rows.finish(), columns.finish());
        let (stated_paths, lookup) = (Arc::new(stated_paths.finish()), Arc::new(lookup.finish()));
        let parts = SegmentParts {
            kind,
            items,
            evidence,
            stated_paths,
            rows,
            columns,
            lookup,
            index,
            indexed,
            cards: cards.into(),
            card_rows,
            withheld,
            text_bytes: texts.as_ref().map_or(0, |texts: &Arc<dyn Texts>| texts.bytes()),
            texts,
        };
        Self::new(parts, now)
    }

    /// Whether some facts say what the facts of this segment do, at whatever times.
    fn states<'a>(&self, mut facts: impl ExactSizeIterator<Item = &'a StoredFact>) -> bool {
        let evidence = &self.parts.evidence;
        facts.len() == evidence.len()
            && facts.all(|fact| {
                evidence.slot(fact.evidence_key()).is_some_and(|slot| {
                    let known = evidence.get(slot);
                    known.statement == fact.statement
                        && known.standing.removed_at.is_some() == fact.standing.removed_at.is_some()
                })
            })
    }
}

/// What is made of a segment's items one by one, in the order of their ids.
struct Items {
    records: ChunksBuilder,
    rows: RowsBuilder,
    columns: ColumnsBuilder,
    lookup: LookupBuilder,
    stated_paths: StatedPathsBuilder,
    texts: Option<Arc<dyn Texts>>,
    cards: Vec<Card>,
    card_rows: Vec<u32>,
    withheld: Vec<Withheld>,
}

/// What the indexing thread makes of them.
struct Indexed {
    /// Stands for everything that the index knows of the items.
    digest: u64,
    index: SegmentIndex,
}

/// Items that are handed to the indexing thread at once.
const INDEX_BATCH: usize = 256;
/// Batches that may wait for it.
const INDEX_BATCHES: usize = 32;

/// Builds all planned items, and the index over them on a thread beside; an empty one without `with_index`.
fn build_items(kind: Kind, mut builder: ItemBuilder<'_>, plan: &[Planned], with_index: bool) -> (Items, Indexed) {
    std::thread::scope(|scope| {
        let (sender, batches) = std::sync::mpsc::sync_channel::<Vec<IndexedText>>(INDEX_BATCHES);
        let indexing = scope.spawn(move || {
            let (mut index, mut hasher) = (IndexBuilder::new(), Sha256::new());
            for text in batches.iter().flatten() {
                cooperative::yield_now();
                let document = text.document();
                indexed_text::add_to(&mut hasher, &document);
                if with_index {
                    index.add(document);
                }
            }
            let digest: [u8; 32] = hasher.finalize().into();
            Indexed { digest: u64::from_le_bytes(std::array::from_fn(|at| digest[at])), index: index.finish() }
        });
        let mut items = Items {
            records: ChunksBuilder::default(),
            rows: RowsBuilder::default(),
            columns: ColumnsBuilder::new(kind),
            lookup: LookupBuilder::default(),
            stated_paths: StatedPathsBuilder::default(),
            texts: None,
            cards: Vec::new(),
            card_rows: Vec::new(),
            withheld: Vec::new(),
        };
        let mut row = 0;
        for some in plan.chunks(INDEX_BATCH) {
            let mut batch = Vec::with_capacity(some.len());
            for planned in some {
                cooperative::yield_now();
                let built = builder.build(planned, &mut items.withheld);
                items.columns.add(built.item(), builder.lead_source(built.item()));
                batch.push(items.add(built, row));
                row += 1;
            }
            // Only refused when the thread has panicked, which the join tells.
            let _ = sender.send(batch);
        }
        drop(sender);
        items.stated_paths = builder.stated_paths;
        items.texts = builder.texts.map(Arc::from);
        match indexing.join() {
            Ok(indexed) => (items, indexed),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

impl Items {
    /// Takes the item of a row, and gives back what the search index reads of it.
    fn add(&mut self, built: BuiltItem, row: u32) -> IndexedText {
        if let Some(card) = built.card() {
            self.cards.push(card);
            self.card_rows.push(row);
        }
        self.lookup.add(built.item(), row);
        self.rows.push(&built.row, &built.times);
        self.records.push(&built.record);
        built.text
    }
}
