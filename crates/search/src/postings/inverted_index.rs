//! An inverted index with precomputed one-byte impacts (Anh & Moffat 2006) in block-max form (Ding & Suel 2011). Immutable; scoring is
//! integer arithmetic, so that every platform ranks alike.
//!
//! Doc ids are cut into blocks (see `doc_layout`). A *posting block* is one term's postings in one block, with their maximum impact: the
//! upper bound by which whole blocks are skipped. The traversal is in [`super::top_k`].

use super::doc_layout::{BLOCK_DOCS, DocLayout, NO_DOC, SUB_BLOCK_DOCS};
use super::doc_terms::DocTerms;
use super::field_masks::FieldMasks;
use super::posting::Posting;
use refdesk_core::codec::packed::Packed;
use refdesk_core::cooperative;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The posting list of a term: where its posting blocks are, and its statistics.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PostingList {
    first_block: u32,
    /// Number of posting blocks; no more than there are blocks, whose numbers have three bytes.
    blocks: [u8; 3],
    /// Maximum impact.
    max_impact: u8,
    /// Document frequency, counted in items (not in documents).
    doc_freq: u32,
}

impl PostingList {
    const fn blocks(self) -> usize {
        let [a, b, c] = self.blocks;
        u32::from_le_bytes([a, b, c, 0]) as usize
    }
}

/// One term's postings in one block, in 7 bytes: only postings are more numerous.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PostingBlock {
    block: [u8; 3],
    pub max_impact: u8,
    /// Which of the 16 sub-blocks (16 doc ids each) hold a posting.
    sub_blocks: [u8; 2],
    /// Number of postings less one: a full block has 256.
    postings_less_one: u8,
}

/// The first posting of every so many posting blocks is stored; between them, lengths are added up.
const BLOCKS_PER_START: usize = 16;

impl PostingBlock {
    /// A posting block of one posting, whose impact and sub-block are still to be set.
    const fn new(block: u32) -> Self {
        let [a, b, c, _] = block.to_le_bytes();
        Self { block: [a, b, c], max_impact: 0, sub_blocks: [0; 2], postings_less_one: 0 }
    }

    pub(super) const fn block(self) -> u32 {
        let [a, b, c] = self.block;
        u32::from_le_bytes([a, b, c, 0])
    }

    /// Mask of the sub-blocks that hold a posting.
    pub(super) const fn sub_blocks(self) -> u16 {
        u16::from_le_bytes(self.sub_blocks)
    }

    fn postings(self) -> u32 {
        u32::from(self.postings_less_one) + 1
    }
}

impl Packed for PostingList {
    const BYTES: usize = 12;

    fn pack(&self, out: &mut Vec<u8>) {
        ([self.first_block, self.doc_freq], (self.blocks, self.max_impact)).pack(out);
    }

    fn unpack(bytes: &[u8]) -> Self {
        let ([first_block, doc_freq], (blocks, max_impact)) = Packed::unpack(bytes);
        Self { first_block, blocks, max_impact, doc_freq }
    }
}

impl Packed for PostingBlock {
    const BYTES: usize = 7;

    fn pack(&self, out: &mut Vec<u8>) {
        (self.block, ([self.max_impact, self.postings_less_one], self.sub_blocks)).pack(out);
    }

    fn unpack(bytes: &[u8]) -> Self {
        let (block, ([max_impact, postings_less_one], sub_blocks)) = Packed::unpack(bytes);
        Self { block, max_impact, sub_blocks, postings_less_one }
    }
}

/// Sizes of a term's posting list, counted in a first pass over the documents.
#[derive(Debug, Clone, Copy)]
struct ListSize {
    last_block: u32,
    last_parent: u32,
    blocks: u32,
    doc_freq: u32,
    postings: u32,
}

impl Default for ListSize {
    fn default() -> Self {
        Self { last_block: NO_DOC, last_parent: NO_DOC, blocks: 0, doc_freq: 0, postings: 0 }
    }
}

impl ListSize {
    fn count(&mut self, block: u32, parent: u32) {
        self.blocks += u32::from(self.last_block != block);
        self.doc_freq += u32::from(self.last_parent != parent);
        self.postings += 1;
        (self.last_block, self.last_parent) = (block, parent);
    }
}

/// Where the next posting block and posting of a term are written, in the second pass.
#[derive(Debug, Clone, Copy)]
struct WriteCursor {
    next_block: u32,
    next_posting: u32,
    last_block: u32,
}

/// See the [module](self).
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(bound = "P: Posting")]
pub(crate) struct InvertedIndex<P: Posting> {
    pub layout: DocLayout,
    /// By term.
    #[serde(with = "refdesk_core::codec::packed")]
    lists: Box<[PostingList]>,
    /// All posting blocks, by term and block.
    #[serde(with = "refdesk_core::codec::packed")]
    pub(super) blocks: Box<[PostingBlock]>,
    /// First posting of every [`BLOCKS_PER_START`]th posting block.
    #[serde(with = "refdesk_core::codec::packed")]
    starts: Box<[u32]>,
    #[serde(with = "refdesk_core::codec::packed")]
    pub postings: Box<[P]>,
    /// Impact of each document, in formats with [`Posting::DOC_IMPACT`].
    #[serde(with = "refdesk_core::codec::packed")]
    doc_impacts: Box<[u8]>,
    /// Empty in an index without fields.
    fields: FieldMasks,
}

impl<P: Posting> InvertedIndex<P> {
    /// Inverts documents. `ranks` maps the terms of `forward` to the finished dictionary; `demotions` are those of the items (see
    /// [`crate::DocInput::demotion`]); `impact` gives 1 to 255 from a term frequency, a document's length and its item's demotion. Also
    /// returns the input document of every doc id.
    pub(crate) fn build(
        forward: &DocTerms,
        ranks: &[u32],
        demotions: &[u8],
        impact: impl Fn(u8, u32, u8) -> u8,
    ) -> (Self, Vec<u32>) {
        let (layout, docs) = DocLayout::reorder(&forward.parents, &forward.lengths);
        let mut sizes = vec![ListSize::default(); ranks.len()];
        for (doc_id, doc) in cooperative::yielding(&docs).enumerate().filter(|(_, doc)| **doc != NO_DOC) {
            let (block, parent) = ((doc_id / BLOCK_DOCS) as u32, forward.parents[*doc as usize]);
            for term in &forward.terms[forward.range(*doc)] {
                sizes[ranks[*term as usize] as usize].count(block, parent);
            }
        }
        let (mut first_block, mut start) = (0, 0);
        let mut lists = Vec::with_capacity(sizes.len());
        let mut cursors = Vec::with_capacity(sizes.len());
        for size in sizes {
            let [a, b, c, _] = size.blocks.to_le_bytes();
            lists.push(PostingList { first_block, blocks: [a, b, c], max_impact: 0, doc_freq: size.doc_freq });
            cursors.push(WriteCursor { next_block: first_block, next_posting: start, last_block: NO_DOC });
            first_block += size.blocks;
            start += size.postings;
        }
        let mut index = Self {
            layout,
            lists: lists.into_boxed_slice(),
            blocks: vec![PostingBlock::default(); first_block as usize].into_boxed_slice(),
            starts: Box::default(),
            postings: vec![P::default(); start as usize].into_boxed_slice(),
            doc_impacts: vec![0; if P::DOC_IMPACT { docs.len() } else { 0 }].into_boxed_slice(),
            fields: FieldMasks::default(),
        };
        let demotion = |doc: u32| demotions[forward.parents[doc as usize] as usize];
        index.write_postings(forward, ranks, &docs, &mut cursors, |count, doc| {
            impact(count, forward.lengths[doc as usize], demotion(doc))
        });
        index.starts = index.sampled_starts();
        index.set_max_impacts();
        (index, docs)
    }

    fn write_postings(
        &mut self,
        forward: &DocTerms,
        ranks: &[u32],
        docs: &[u32],
        cursors: &mut [WriteCursor],
        impact: impl Fn(u8, u32) -> u8,
    ) {
        let mut fields = vec![0; if forward.fields.is_empty() { 0 } else { self.postings.len() }];
        for (doc_id, doc) in cooperative::yielding(docs).enumerate().filter(|(_, doc)| **doc != NO_DOC) {
            let (block, slot) = ((doc_id / BLOCK_DOCS) as u32, doc_id % BLOCK_DOCS);
            for at in forward.range(*doc) {
                let cursor = &mut cursors[ranks[forward.terms[at] as usize] as usize];
                if cursor.last_block == block {
                    self.blocks[cursor.next_block as usize - 1].postings_less_one += 1;
                } else {
                    self.blocks[cursor.next_block as usize] = PostingBlock::new(block);
                    cursor.next_block += 1;
                    cursor.last_block = block;
                }
                let impact = impact(forward.counts[at], *doc);
                let posting_block = &mut self.blocks[cursor.next_block as usize - 1];
                posting_block.max_impact = posting_block.max_impact.max(impact);
                posting_block.sub_blocks = (posting_block.sub_blocks() | 1 << (slot / SUB_BLOCK_DOCS)).to_le_bytes();
                let posting = cursor.next_posting as usize;
                self.postings[posting] = P::new(slot as u8, impact, forward.surface_forms[at]);
                if P::DOC_IMPACT {
                    self.doc_impacts[doc_id] = impact;
                }
                if let (Some(mask), Some(fields)) = (fields.get_mut(posting), forward.fields.get(at)) {
                    *mask = *fields;
                }
                cursor.next_posting += 1;
            }
        }
        self.fields = FieldMasks::new(&fields);
    }

    fn set_max_impacts(&mut self) {
        for list in &mut self.lists {
            let first = list.first_block as usize;
            let blocks = &self.blocks[first..first + list.blocks()];
            list.max_impact = blocks.iter().map(|block| block.max_impact).max().unwrap_or(0);
        }
    }

    fn sampled_starts(&self) -> Box<[u32]> {
        let mut next = 0;
        let starts = self.blocks.chunks(BLOCKS_PER_START).map(|blocks| {
            let start = next;
            next += blocks.iter().map(|block| block.postings()).sum::<u32>();
            start
        });
        starts.collect()
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.layout.heap_bytes()
            + self.lists.len() * size_of::<PostingList>()
            + self.blocks.len() * size_of::<PostingBlock>()
            + self.starts.len() * 4
            + self.postings.len() * size_of::<P>()
            + self.doc_impacts.len()
            + self.fields.heap_bytes()
    }

    /// Document frequency of a term: the items that hold it.
    pub(crate) fn doc_freq(&self, term: u32) -> u32 {
        self.lists.get(term as usize).map_or(0, |list| list.doc_freq)
    }

    /// Maximum impact of a term in any document.
    pub(super) fn max_impact(&self, term: u32) -> u8 {
        self.lists.get(term as usize).map_or(0, |list| list.max_impact)
    }

    /// Where a term's posting blocks are among all.
    pub(super) fn posting_blocks(&self, term: u32) -> Range<usize> {
        let Some(list) = self.lists.get(term as usize) else { return 0..0 };
        let first = list.first_block as usize;
        first..first + list.blocks()
    }

    /// Number of a term's postings.
    pub(super) fn posting_count(&self, term: u32) -> usize {
        let posting_blocks = self.posting_blocks(term);
        if posting_blocks.is_empty() {
            return 0;
        }
        self.posting_range(posting_blocks.end - 1).end - self.posting_range(posting_blocks.start).start
    }

    /// Impacts of the documents of a block, in formats with [`Posting::DOC_IMPACT`]; else empty.
    pub(super) fn doc_impacts(&self, block: u32) -> &[u8] {
        let first = block as usize * BLOCK_DOCS;
        self.doc_impacts.get(first..first + BLOCK_DOCS).unwrap_or_default()
    }

    pub(super) fn posting_range(&self, posting_block: usize) -> Range<usize> {
        let group = posting_block / BLOCKS_PER_START;
        let before = &self.blocks[group * BLOCKS_PER_START..posting_block];
        let start = self.starts[group] + before.iter().map(|block| block.postings()).sum::<u32>();
        start as usize..(start + self.blocks[posting_block].postings()) as usize
    }

    /// The posting block of `block` among `posting_blocks`, if the term occurs there: galloping search from the last one found.
    pub(super) fn seek(&self, posting_blocks: &Range<usize>, cursor: &mut usize, block: u32) -> Option<usize> {
        // A common term has a posting block in every block, so its position is known.
        let block_at = |at: usize| self.blocks[at].block();
        let first = self.blocks[posting_blocks.clone()].first()?.block();
        let guess = posting_blocks.start + block.checked_sub(first)? as usize;
        if guess < posting_blocks.end && block_at(guess) == block {
            return Some(guess);
        }
        let resumes = *cursor < posting_blocks.end && block_at(*cursor) <= block;
        let mut low = if resumes { *cursor } else { posting_blocks.start };
        let mut step = 1;
        while low + step < posting_blocks.end && block_at(low + step) <= block {
            low += step;
            step *= 2;
        }
        let high = (low + step).min(posting_blocks.end);
        low += self.blocks[low..high].partition_point(|other| other.block() <= block) - 1;
        *cursor = low;
        (block_at(low) == block).then_some(low)
    }

    /// Mask of the fields in which a document has a term; 0 when it does not.
    pub(crate) fn fields_at(&self, term: u32, doc_id: u32) -> u8 {
        let (block, all) = (doc_id / BLOCK_DOCS as u32, self.posting_blocks(term));
        let at = all.start + self.blocks[all.clone()].partition_point(|other| other.block() < block);
        if at == all.end || self.blocks[at].block() != block {
            return 0;
        }
        let slot = (doc_id as usize % BLOCK_DOCS) as u8;
        let range = self.posting_range(at);
        let posting = self.postings[range.clone()].binary_search_by_key(&slot, |posting| posting.slot());
        posting.map_or(0, |at| self.fields.get(range.start + at))
    }
}
