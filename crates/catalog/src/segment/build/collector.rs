//! What a segment keeps of its items, collected one by one in the order of their ids.

use sha2::{Digest as _, Sha256};

use super::item_builder::BuiltItem;
use crate::columns::ColumnsBuilder;
use crate::segment::chunks::ChunksBuilder;
use crate::segment::indexed_text;
use crate::segment::lookup::LookupBuilder;
use crate::segment::rows::RowsBuilder;
use refdesk_core::Kind;
use refdesk_route::Card;
use refdesk_search::IndexBuilder;

/// Takes built items.
#[derive(Debug)]
pub struct Collector {
    pub records: ChunksBuilder,
    pub rows: RowsBuilder,
    pub columns: ColumnsBuilder,
    pub lookup: LookupBuilder,
    pub cards: Vec<Card>,
    pub card_rows: Vec<u32>,
    /// `None` where no index is wanted.
    pub index: Option<IndexBuilder>,
    hasher: Sha256,
    /// Row of the next item.
    row: u32,
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
}
