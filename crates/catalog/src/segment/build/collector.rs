//! What a segment keeps of its items, collected one by one in the order of their ids.

use sha2::{Digest as _, Sha256};

use super::item_builder::BuiltItem;
use crate::columns::{Columns, ColumnsBuilder};
use crate::segment::chunks::{Chunks, ChunksBuilder};
use crate::segment::indexed_text;
use crate::segment::lookup::{Lookup, LookupBuilder};
use crate::segment::rows::{Rows, RowsBuilder};
use refdesk_core::{Kind, cooperative};
use refdesk_route::Card;
use refdesk_search::{IndexBuilder, SegmentIndex};

/// Takes built items.
#[derive(Debug)]
pub struct Collector {
    records: ChunksBuilder,
    rows: RowsBuilder,
    columns: ColumnsBuilder,
    lookup: LookupBuilder,
    cards: Vec<Card>,
    card_rows: Vec<u32>,
    index: Option<IndexBuilder>,
    hasher: Sha256,
    /// Row of the next item.
    row: u32,
}

/// What became of them.
#[derive(Debug)]
pub struct Collected {
    /// Packed [`crate::segment::ItemRecord`]s by row.
    pub records: Chunks,
    /// Rendered rows.
    pub rows: Rows,
    /// What rows are filtered and sorted by.
    pub columns: Columns,
    /// Spellings.
    pub lookup: Lookup,
    /// Frameworks: the router's cards, and the row of each.
    pub cards: Vec<Card>,
    /// See `cards`.
    pub card_rows: Vec<u32>,
    /// The search index; empty where none was wanted.
    pub index: SegmentIndex,
}

impl Collector {
    /// Takes items of a kind; `with_index` also indexes them.
    pub fn new(kind: Kind, with_index: bool) -> Self {
        Self {
            records: ChunksBuilder::default(),
            rows: RowsBuilder::default(),
            columns: ColumnsBuilder::new(kind),
            lookup: LookupBuilder::default(),
            cards: Vec::new(),
            card_rows: Vec::new(),
            index: with_index.then(IndexBuilder::new),
            hasher: Sha256::new(),
            row: 0,
        }
    }

    /// Takes the next item.
    #[expect(clippy::needless_pass_by_value, reason = "an item is built for this call and of no use after it")]
    pub fn add(&mut self, built: BuiltItem<'_>) {
        let item = built.item();
        if let Some(card) = built.card() {
            self.cards.push(card);
            self.card_rows.push(self.row);
        }
        self.columns.add(item, built.lead_source);
        self.lookup.add(item, self.row);
        self.rows.push(&built.row, &built.times);
        self.records.push(&built.record);
        let document = built.text.document();
        indexed_text::add_to(&mut self.hasher, &document);
        if let Some(index) = &mut self.index {
            index.add(document);
        }
        self.row += 1;
    }

    /// Digest of all that an index of the items is made of, whether one is made or not.
    pub fn indexed(&self) -> u64 {
        let digest: [u8; 32] = self.hasher.clone().finalize().into();
        u64::from_le_bytes(std::array::from_fn(|at| digest[at]))
    }

    /// Sorts and packs all that was taken.
    pub fn finish(self) -> Collected {
        let Self { records, rows, columns, lookup, cards, card_rows, index, .. } = self;
        let kept = || (records.finish(), rows.finish(), columns.finish(), lookup.finish());
        let ((records, rows, columns, lookup), index) =
            cooperative::join(kept, || index.map(IndexBuilder::finish).unwrap_or_default());
        Collected { records, rows, columns, lookup, cards, card_rows, index }
    }
}
