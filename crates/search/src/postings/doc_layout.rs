//! Doc-id assignment with document reordering (cf. Blandford & Blelloch 2002): documents are sorted by length, so that the documents of a
//! block have similar impacts, the highest are in few blocks, and block-max skipping leaves out the rest.
//!
//! Doc ids are cut into blocks of 256; ids without a document pad the last one.

use serde::{Deserialize, Serialize};

/// Doc ids in a block: a slot in it fits one byte.
pub(crate) const BLOCK_DOCS: usize = 256;
/// Doc ids in a sub-block: a block has 16 of them, one for each bit of a posting block's mask.
pub(crate) const SUB_BLOCK_DOCS: usize = 16;
/// A doc id without a document (padding).
pub(crate) const NO_DOC: u32 = u32::MAX;

/// The parent of every document.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct DocLayout {
    /// Item of each document in the segment, or [`NO_DOC`].
    #[serde(with = "refdesk_core::codec::packed")]
    pub parents: Box<[u32]>,
}

impl DocLayout {
    /// Assigns doc ids to documents (given in the order of their items), sorted by the length of their item's first document, those of
    /// one item side by side; returns with it the input document of every doc id.
    pub(crate) fn reorder(parents: &[u32], lengths: &[u32]) -> (Self, Vec<u32>) {
        let mut items = Vec::new();
        let mut first = 0;
        for same in parents.chunk_by(|a, b| a == b) {
            let end = first + same.len() as u32;
            items.push(first..end);
            first = end;
        }
        items.sort_by_key(|item| lengths[item.start as usize]);
        let mut docs: Vec<u32> = items.into_iter().flatten().collect();
        docs.resize(docs.len().next_multiple_of(BLOCK_DOCS), NO_DOC);
        let parents = docs.iter().map(|doc| parents.get(*doc as usize).copied().unwrap_or(NO_DOC)).collect();
        (Self { parents }, docs)
    }

    pub(crate) fn blocks(&self) -> usize {
        self.parents.len() / BLOCK_DOCS
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.parents.len() * 4
    }
}
