//! The index writer (Lucene's `IndexWriter`, for one segment): collects items and builds a [`SegmentIndex`] by inversion in memory. Texts are
//! analysed once, when they are added; the index keeps none of them.

use super::fulltext::FullTextBuilder;
use super::names::NameIndexBuilder;
use super::{DEMOTION_MAX, DocInput, SegmentIndex};
use refdesk_core::cooperative;

/// Collects items and builds a [`SegmentIndex`].
#[derive(Debug, Default)]
pub struct IndexBuilder {
    /// See [`DocInput::demotion`].
    demotions: Vec<u8>,
    names: NameIndexBuilder,
    fulltext: FullTextBuilder,
}

impl IndexBuilder {
    /// An empty builder.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one item; its ordinals in the segment are 0, 1, 2 … in call order.
    #[expect(clippy::needless_pass_by_value, reason = "an item is made for this call and of no use after it")]
    pub fn add(&mut self, item: DocInput<'_>) {
        let ordinal = self.demotions.len() as u32;
        self.demotions.push(item.demotion.min(DEMOTION_MAX));
        self.fulltext.add(ordinal, &item);
        self.names.add(ordinal, &item.names);
    }

    /// The finished index.
    pub fn finish(self) -> SegmentIndex {
        let Self { demotions, names, fulltext } = self;
        let (names, fulltext) =
            cooperative::join(|| names.finish(demotions.clone().into_boxed_slice()), || fulltext.finish(&demotions));
        SegmentIndex { names, fulltext }
    }
}
