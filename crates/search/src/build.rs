//! Collects items and makes an [`Index`]. Texts are read once, when they are added; the index keeps none of them.

use super::layout::{ItemPriors, class};
use super::names::NamesBuilder;
use super::needs::{Needs, NeedsBuilder};
use super::{DEMOTION_MAX, DocInput, Index};

/// Collects items and makes an [`Index`].
#[derive(Debug, Default)]
pub struct IndexBuilder {
    classes: Vec<u8>,
    /// See [`DocInput::demotion`].
    demotions: Vec<u8>,
    names: NamesBuilder,
    needs: NeedsBuilder,
}

impl IndexBuilder {
    /// An empty builder.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one item; ordinals are 0, 1, 2 … in call order.
    #[expect(clippy::needless_pass_by_value, reason = "an item is made for this call and of no use after it")]
    pub fn add(&mut self, doc: DocInput<'_>) {
        let ord = self.classes.len() as u32;
        self.classes.push(class(doc.group, doc.stale));
        self.demotions.push(doc.demotion.min(DEMOTION_MAX));
        self.needs.add(ord, &doc);
        self.names.add(ord, &doc.names);
    }

    /// The finished index as a small layer over another one, whose statistics it takes over.
    pub(super) fn finish_beside(self, base: &Index) -> Index {
        let mut index = self.finish_with(Some(&base.needs));
        index.names.count_with(&base.names);
        index
    }

    /// The finished index.
    pub fn finish(self) -> Index {
        self.finish_with(None)
    }

    fn finish_with(self, base: Option<&Needs>) -> Index {
        let items = ItemPriors { classes: &self.classes, demotions: &self.demotions };
        let (names, needs) = (self.names.finish(items), self.needs.finish(items, base));
        Index { names, needs, classes: self.classes.into_boxed_slice() }
    }
}
