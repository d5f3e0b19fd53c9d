//! Made items in the place of those whose facts they have, between items that are taken over as they are.

use std::collections::HashSet;
use std::iter::Peekable;
use std::sync::Arc;

use super::Snapshot;
use super::lookup::{Lookup, LookupBuilder};
use super::make::Made;
use super::record::ItemRecord;
use super::table::{RowFrom, Table};
use crate::Kind;
use crate::search::{IndexBuilder, Layered};

/// With more items to be indexed again a snapshot is built anew: every update indexes all that came since the last build.
const REINDEXED_MAX: usize = 5_000;

/// All items of the next generation, with what is made of them alone.
pub struct Merged {
    pub items: Vec<Arc<ItemRecord>>,
    pub tables: [Table; 7],
    pub lookup: Lookup,
    pub index: Layered,
}

/// Merges made items, in the order of kind and id, into a snapshot; `slots` are the places of all their facts. `None` when that is not
/// sure to be what building anew would make.
pub fn merge(before: &Snapshot, made: &[Made], slots: &[u32]) -> Option<Merged> {
    let touched: HashSet<u32> = slots.iter().copied().collect();
    let mut merging = Merging::new(before, touched);
    let mut made = made.iter().peekable();
    let mut tables: [Table; 7] = Default::default();
    let mut counts = [0_u32; 7];
    for kind in Kind::ALL {
        let first = merging.items.len() as u32;
        let rows = merging.kind(kind, &mut made)?;
        let end = merging.items.len() as u32;
        counts[kind.index()] = end - first;
        tables[kind.index()] = before.tables[kind.index()].changed(&rows, (first..end).collect());
    }
    merging.finish(tables, counts)
}

struct Merging<'a> {
    before: &'a Snapshot,
    /// Places of the facts of made items.
    touched: HashSet<u32>,
    items: Vec<Arc<ItemRecord>>,
    lookup: LookupBuilder,
    /// Where each item of before is now, if it was taken over.
    kept: Vec<Option<u32>>,
    /// Where each item of before is now, if the search index has it as it is.
    indexed: Vec<Option<u32>>,
    /// What the search index does not have, and where it is.
    over: IndexBuilder,
    reindexed: Vec<u32>,
}

impl<'a> Merging<'a> {
    fn new(before: &'a Snapshot, touched: HashSet<u32>) -> Self {
        Self {
            before,
            touched,
            items: Vec::with_capacity(before.items.len() + 16),
            lookup: LookupBuilder::default(),
            kept: vec![None; before.items.len()],
            indexed: vec![None; before.items.len()],
            over: IndexBuilder::new(),
            reindexed: Vec::new(),
        }
    }

    /// Merges the items of a kind; gives where their rows come from.
    fn kind<'m>(
        &mut self,
        kind: Kind,
        made: &mut Peekable<impl Iterator<Item = &'m Made>>,
    ) -> Option<Vec<RowFrom<'m>>> {
        let before = self.before.lookup.range(kind);
        let mut rows = Vec::with_capacity(before.len() + 16);
        for ordinal in before.clone() {
            let item = Arc::clone(&self.before.items[ordinal as usize]);
            while let Some(new) = made.next_if(|made| made.kind() == kind && *made.item().id < *item.id) {
                rows.push(self.take(new, None));
            }
            let replaced = item.evidence.iter().any(|slot| self.touched.contains(slot));
            let same_id = made.next_if(|made| made.kind() == kind && *made.item().id == *item.id);
            match (replaced, same_id) {
                (true, Some(new)) => rows.push(self.take(new, Some(ordinal))),
                // What the small layer of the search index holds must come again.
                (false, None) if !self.before.index.is_over(ordinal) => {
                    rows.push(RowFrom::Before(ordinal - before.start));
                    self.keep(ordinal, item);
                }
                // An id that vanishes may be one that another item was refused, and who may have an id that another item keeps is a
                // question for all who want it.
                _ => return None,
            }
        }
        while let Some(new) = made.next_if(|made| made.kind() == kind) {
            rows.push(self.take(new, None));
        }
        Some(rows)
    }

    fn keep(&mut self, ordinal: u32, item: Arc<ItemRecord>) {
        let now = Some(self.items.len() as u32);
        self.kept[ordinal as usize] = now;
        self.indexed[ordinal as usize] = now;
        self.items.push(item);
    }

    /// Takes a made item, in the place of one of before or as a new one.
    fn take<'m>(&mut self, made: &'m Made, before: Option<u32>) -> RowFrom<'m> {
        let now = self.items.len() as u32;
        let as_indexed = before.filter(|ordinal| {
            let known = &self.before.items[*ordinal as usize];
            known.indexed == made.record.indexed && !self.before.index.is_over(*ordinal)
        });
        if let Some(ordinal) = as_indexed {
            self.indexed[ordinal as usize] = Some(now);
        } else {
            self.reindexed.push(now);
            self.over.add(made.readable.document());
        }
        let item = made.item();
        self.lookup.add(item.kind, now, &item.id, &item.aliases);
        self.items.push(Arc::new(made.record.clone()));
        RowFrom::New(&made.row)
    }

    fn finish(self, tables: [Table; 7], counts: [u32; 7]) -> Option<Merged> {
        let before = self.before;
        if self.reindexed.len() > REINDEXED_MAX {
            return None;
        }
        let index = if self.reindexed.is_empty() && !before.index.has_layers() {
            before.index.clone()
        } else {
            before.index.changed(&self.indexed, self.over, &self.reindexed)
        };
        let lookup = self.lookup.finish_after(&before.lookup, |ordinal| self.kept[ordinal as usize], counts);
        Some(Merged { items: self.items, tables, lookup, index })
    }
}
