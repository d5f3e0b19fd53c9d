//! Doc-id assignment with document reordering (cf. Blandford & Blelloch 2002): documents are clustered by what queries filter on.
//!
//! Doc ids are cut into blocks of 256. A block holds documents of one class only (freshness × group), fresh classes first, so a filter
//! by group or freshness is a few ranges of blocks and costs nothing per posting. Ids without a document pad the last block of a class.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// Doc ids in a block: a slot in it fits one byte.
pub(crate) const BLOCK_DOCS: usize = 256;
/// Doc ids in a sub-block: a block has 16 of them, one for each bit of a posting block's mask.
pub(crate) const SUB_BLOCK_DOCS: usize = 16;
/// Groups a request can select.
pub(crate) const GROUPS: usize = 7;
/// Fresh groups, then stale groups.
const CLASSES: usize = GROUPS * 2;
/// A doc id without a document (padding).
pub(crate) const NO_DOC: u32 = u32::MAX;

/// Class of an item.
pub(crate) const fn class(group: u8, stale: bool) -> u8 {
    let group = if group as usize >= GROUPS { GROUPS as u8 - 1 } else { group };
    if stale { group + GROUPS as u8 } else { group }
}

/// Query-independent properties of the items, by ordinal (priors).
#[derive(Debug, Clone, Copy)]
pub(crate) struct ItemPriors<'a> {
    /// Its class, see [`class`].
    pub classes: &'a [u8],
    /// See [`crate::DocInput::demotion`].
    pub demotions: &'a [u8],
}

/// The parent of every document and the blocks of every class.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct DocLayout {
    /// Ordinal of each document's item, or [`NO_DOC`].
    #[serde(with = "refdesk_core::codec::packed")]
    pub parents: Box<[u32]>,
    /// First block of each class; one more for the end.
    class_starts: [u32; CLASSES + 1],
}

impl DocLayout {
    /// Assigns doc ids to documents (given in the order of their items); returns with it the input document of every doc id. Within a
    /// class, items are sorted by the length of their first document: the documents of a block then have similar impacts, the highest
    /// are in few blocks, and block-max skipping leaves out the rest.
    pub(crate) fn reorder(parents: &[u32], lengths: &[u32], classes: &[u8]) -> (Self, Vec<u32>) {
        let mut by_class: Vec<Vec<Range<u32>>> = vec![Vec::new(); CLASSES];
        let mut first = 0;
        for same in parents.chunk_by(|a, b| a == b) {
            let end = first + same.len() as u32;
            by_class[classes[same[0] as usize] as usize].push(first..end);
            first = end;
        }
        let mut layout = Self::default();
        let mut docs = Vec::with_capacity(parents.len() + CLASSES * BLOCK_DOCS);
        for (class, mut members) in by_class.into_iter().enumerate() {
            layout.class_starts[class] = (docs.len() / BLOCK_DOCS) as u32;
            members.sort_by_key(|item| lengths[item.start as usize]);
            docs.extend(members.into_iter().flatten());
            docs.resize(docs.len().next_multiple_of(BLOCK_DOCS), NO_DOC);
        }
        layout.class_starts[CLASSES] = (docs.len() / BLOCK_DOCS) as u32;
        layout.parents = docs.iter().map(|doc| parents.get(*doc as usize).copied().unwrap_or(NO_DOC)).collect();
        (layout, docs)
    }

    pub(crate) fn blocks(&self) -> usize {
        self.parents.len() / BLOCK_DOCS
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.parents.len() * 4
    }

    /// Block ranges of the selected groups' fresh, stale or all items; adjacent ranges are merged.
    pub(crate) fn ranges(&self, groups: u8, freshness: FreshnessFilter) -> Vec<Range<u32>> {
        let mut ranges: Vec<Range<u32>> = Vec::new();
        for class in 0..CLASSES {
            let (group, stale) = (class % GROUPS, class >= GROUPS);
            let range = self.class_starts[class]..self.class_starts[class + 1];
            if groups >> group & 1 == 0 || !freshness.includes(stale) || range.is_empty() {
                continue;
            }
            match ranges.last_mut() {
                Some(last) if last.end == range.start => last.end = range.end,
                _ => ranges.push(range),
            }
        }
        ranges
    }
}

/// Which items a query considers, by freshness.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FreshnessFilter {
    Fresh,
    Stale,
    All,
}

impl FreshnessFilter {
    pub(crate) fn includes(self, stale: bool) -> bool {
        match self {
            Self::Fresh => !stale,
            Self::Stale => stale,
            Self::All => true,
        }
    }
}
