//! Made items in the place of those whose facts they have, between items that are taken over as they are.

use std::collections::HashSet;
use std::iter::Peekable;

use super::Snapshot;
use super::chunks::{Chunks, Origin};
use super::lookup::{Lookup, LookupBuilder};
use super::make::Made;
use super::table::Table;
use refdesk_core::{Kind, pace};
use refdesk_search::{IndexBuilder, Layered};

/// With more items to be indexed again a snapshot is built anew: every update indexes all that came since the last build.
const REINDEXED_MAX: usize = 5_000;

/// All items of the next generation, with what is made of them alone.
pub struct Merged {
    pub items: Chunks,
    pub tables: [Table; 7],
    pub lookup: Lookup,
    pub index: Layered,
}

/// Merges made items, in the order of kind and id, into a snapshot; `slots` are the places of all their facts. `None` when that is not
/// sure to be what building anew would make.
pub fn merge<'a>(before: &'a Snapshot, made: &'a [Made], slots: &[u32]) -> Option<Merged> {
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
    items: Vec<Origin<'a>>,
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
    fn kind(&mut self, kind: Kind, made: &mut Peekable<impl Iterator<Item = &'a Made>>) -> Option<Vec<Origin<'a>>> {
        let before = self.before.lookup.range(kind);
        let mut rows = Vec::with_capacity(before.len() + 16);
        for ordinal in pace::each(before.clone()) {
            let id = self.before.id(ordinal);
            while let Some(new) = made.next_if(|made| made.kind() == kind && *made.item().id < *id) {
                rows.push(self.take_new(new)?);
            }
            let replaced = self.before.item(ordinal).evidence().any(|slot| self.touched.contains(&slot));
            let same_id = made.next_if(|made| made.kind() == kind && *made.item().id == *id);
            match (replaced, same_id) {
                (true, Some(new)) => rows.push(self.take(new, Some(ordinal))),
                // What the small layer of the search index holds must come again.
                (false, None) if !self.before.index.is_over(ordinal) => {
                    rows.push(Origin::Before(ordinal - before.start));
                    self.keep(ordinal);
                }
                // An id that vanishes may be one that another item was refused, and who may have an id that another item keeps is a
                // question for all who want it.
                _ => return None,
            }
        }
        while let Some(new) = made.next_if(|made| made.kind() == kind) {
            rows.push(self.take_new(new)?);
        }
        Some(rows)
    }

    fn keep(&mut self, ordinal: u32) {
        let now = Some(self.items.len() as u32);
        self.kept[ordinal as usize] = now;
        self.indexed[ordinal as usize] = now;
        self.items.push(Origin::Before(ordinal));
    }

    /// Takes an item that was not there before. `None` when its id is a spelling of one that was: who is called so is then a question for
    /// all who have it.
    fn take_new(&mut self, made: &'a Made) -> Option<Origin<'a>> {
        (!self.before.lookup.has_spelling(made.kind(), &made.item().id)).then(|| self.take(made, None))
    }

    /// Takes a made item, in the place of one of before or as a new one.
    fn take(&mut self, made: &'a Made, before: Option<u32>) -> Origin<'a> {
        let now = self.items.len() as u32;
        let as_indexed = before.filter(|ordinal| {
            self.before.item(*ordinal).indexed == made.indexed && !self.before.index.is_over(*ordinal)
        });
        if let Some(ordinal) = as_indexed {
            self.indexed[ordinal as usize] = Some(now);
        } else {
            self.reindexed.push(now);
            self.over.add(made.readable.document());
        }
        let item = made.item();
        self.lookup.add(item, now);
        self.items.push(Origin::New(&made.record));
        Origin::New(&made.row)
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
        Some(Merged { items: before.items.changed(&self.items), tables, lookup, index })
    }
}
