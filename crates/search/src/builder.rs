//! Collects items and builds a [`SearchIndex`]. Texts are analysed once, when they are added; the index keeps none of them.

use super::fulltext::{FullTextBuilder, FullTextIndex};
use super::names::NameIndexBuilder;
use super::postings::doc_layout::{ItemPriors, class};
use super::{DEMOTION_MAX, DocInput, SearchIndex};

/// Collects items and builds a [`SearchIndex`].
#[derive(Debug, Default)]
pub struct IndexBuilder {
    classes: Vec<u8>,
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

    /// Adds one item; ordinals are 0, 1, 2 … in call order.
    #[expect(clippy::needless_pass_by_value, reason = "an item is made for this call and of no use after it")]
    pub fn add(&mut self, item: DocInput<'_>) {
        let ordinal = self.classes.len() as u32;
        self.classes.push(class(item.group, item.stale));
        self.demotions.push(item.demotion.min(DEMOTION_MAX));
        self.fulltext.add(ordinal, &item);
        self.names.add(ordinal, &item.names);
    }

    /// The finished index as a delta segment over `base`, whose statistics it takes over.
    pub(super) fn finish_over(self, base: &SearchIndex) -> SearchIndex {
        let mut index = self.finish_with(Some(&base.fulltext));
        index.names.add_statistics(&base.names);
        index
    }

    /// The finished index.
    pub fn finish(self) -> SearchIndex {
        self.finish_with(None)
    }

    fn finish_with(self, base: Option<&FullTextIndex>) -> SearchIndex {
        let items = ItemPriors { classes: &self.classes, demotions: &self.demotions };
        let (names, fulltext) = (self.names.finish(items), self.fulltext.finish(items, base));
        SearchIndex { names, fulltext, classes: self.classes.into_boxed_slice() }
    }
}
