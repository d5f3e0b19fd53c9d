//! Builds a segment of its kind's facts: every item resolved and rendered once, every text indexed.

mod collector;
mod item_builder;

use std::borrow::Cow;
use std::sync::Arc;

use super::evidence::Evidence;
use super::render::Slots;
use super::stated_paths::StatedPathsBuilder;
use super::texts::Texts;
use super::{Segment, SegmentParts};
use crate::resolve::{self, Context, FactSet, Planned, Withheld};
use collector::Collector;
use item_builder::{BuiltItem, ItemBuilder};
use refdesk_core::fact::StoredFact;
use refdesk_core::{Kind, SourceInfo, Stamp, cooperative};
use refdesk_search::{IndexBuilder, SegmentIndex};

/// Makes a place outside memory for a segment's texts; `None` where there is none.
pub type NewTexts<'a> = &'a (dyn Fn() -> Option<Box<dyn Texts>> + Sync);

/// What a segment is built from.
pub struct SegmentInput<'a> {
    /// The kind.
    pub kind: Kind,
    /// Its stored facts, by source and key. Facts of other kinds are passed over. Owned ones are freed before the segment is put together:
    /// that is when a build takes most memory.
    pub facts: Cow<'a, [StoredFact]>,
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
    pub fn build(input: SegmentInput<'_>) -> Self {
        let SegmentInput { kind, facts: given, sources, now, before, texts } = input;
        let facts = &given[..];
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
        let build = |with_index: bool| {
            let texts = texts.and_then(|new| new());
            let stated_paths = StatedPathsBuilder::default();
            let set = FactSet { facts, identities: &plan.identities, servers: &plan.servers, sources: &sources };
            let context = Context { set, now };
            let builder =
                ItemBuilder { context, evidence: Slots { evidence: &evidence, slots: &slots }, stated_paths, texts };
            build_items(kind, builder, &plan.items, with_index)
        };
        // Facts that say the same nearly always give the same texts: then all the work is done without indexing them, and the index stays.
        let same = before.filter(|before| before.states(own.iter().map(|at| &facts[*at])));
        let kept = same.and_then(|before| {
            let built = build(false);
            (built.collector.indexed() == before.parts.indexed).then(|| (built, Some(Arc::clone(&before.parts.index))))
        });
        let (built, kept) = kept.unwrap_or_else(|| (build(true), None));
        drop((plan, own, slots, given));
        Self::new(built.finish(kind, evidence, kept), now)
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

/// The items of a segment, resolved on one thread and collected on another.
struct Built {
    collector: Collector,
    stated_paths: StatedPathsBuilder,
    texts: Option<Box<dyn Texts>>,
    withheld: Vec<Withheld>,
}

impl Built {
    /// Sorts and packs all of it; an index is taken over where one is kept.
    fn finish(self, kind: Kind, evidence: Evidence, kept: Option<Arc<SegmentIndex>>) -> SegmentParts {
        let Self { collector, stated_paths, texts, mut withheld } = self;
        let indexed = collector.indexed();
        let Collector { records, rows, columns, lookup, cards, card_rows, index, .. } = collector;
        let packed = || (records.finish(), rows.finish(), columns.finish(), lookup.finish());
        let ((records, rows, columns, lookup), index) =
            cooperative::join(packed, || index.map(IndexBuilder::finish).unwrap_or_default());
        let texts: Option<Arc<dyn Texts>> = texts.map(Arc::from);
        withheld.sort_by(|a, b| (&a.source_id, &a.key, &a.path).cmp(&(&b.source_id, &b.key, &b.path)));
        SegmentParts {
            kind,
            items: Arc::new(records),
            evidence,
            stated_paths: Arc::new(stated_paths.finish()),
            rows,
            columns,
            lookup: Arc::new(lookup),
            index: kept.unwrap_or_else(|| Arc::new(index)),
            indexed,
            cards: cards.into(),
            card_rows,
            withheld,
            text_bytes: texts.as_ref().map_or(0, |texts| texts.bytes()),
            texts,
        }
    }
}

/// Items that are handed to the collecting thread at once.
const BATCH: usize = 256;
/// Batches that may wait for it.
const BATCHES: usize = 8;

/// Builds all planned items on this thread, and collects them on one beside. Without `with_index`, their index stays empty.
fn build_items(kind: Kind, mut builder: ItemBuilder<'_>, plan: &[Planned], with_index: bool) -> Built {
    std::thread::scope(|scope| {
        let (sender, batches) = std::sync::mpsc::sync_channel::<Vec<BuiltItem<'_>>>(BATCHES);
        let collecting = scope.spawn(move || {
            let mut collector = Collector::new(kind, with_index);
            for item in batches.iter().flatten() {
                cooperative::yield_now();
                collector.add(item);
            }
            collector
        });
        let mut withheld = Vec::new();
        for some in plan.chunks(BATCH) {
            let built = some.iter().map(|planned| {
                cooperative::yield_now();
                builder.build(planned, &mut withheld)
            });
            // Only refused when the thread has panicked, which the join tells.
            let _ = sender.send(built.collect());
        }
        drop(sender);
        let ItemBuilder { stated_paths, texts, .. } = builder;
        let collector = collecting.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        Built { collector, stated_paths, texts, withheld }
    })
}
