//! Term-at-a-time evaluation within a block (Buckley and Lewit 1985), with accumulators for the documents of those sub-blocks whose upper
//! bound still reaches the threshold.

use super::super::doc_layout::{BLOCK_DOCS, SUB_BLOCK_DOCS};
use super::super::posting::Posting;
use super::{Evaluation, PAIR_TEST_TERMS, ScoredDoc};

/// Posting blocks of more postings are read only in the sub-blocks that can still reach the threshold.
const SHORT_POSTING_BLOCK: usize = 32;
/// With more sub-blocks left than this, all of a posting block is read.
const FEW_SUB_BLOCKS: u32 = 4;
const SUB_BLOCKS: usize = BLOCK_DOCS / SUB_BLOCK_DOCS;

/// Score accumulators of the block that is being scored; zero between blocks.
#[derive(Debug)]
pub(super) struct BlockScores {
    /// By slot.
    docs: [u32; BLOCK_DOCS],
    /// Maximum of each sub-block.
    maxima: [u32; SUB_BLOCKS],
}

impl BlockScores {
    pub(super) const ZERO: Self = Self { docs: [0; BLOCK_DOCS], maxima: [0; SUB_BLOCKS] };

    fn add(&mut self, slot: usize, score: u32) {
        self.docs[slot] += score;
        let maximum = &mut self.maxima[slot / SUB_BLOCK_DOCS];
        *maximum = self.docs[slot].max(*maximum);
    }

    /// Those of some sub-blocks that have a document with a score of at least `least`.
    fn reaching(&self, sub_blocks: u16, least: u32) -> u16 {
        SetBits(sub_blocks).fold(0, |still, at| still | u16::from(self.maxima[at] >= least) << at)
    }

    /// (slot, score) of the documents of a sub-block with a score of at least `least`.
    fn in_sub_block(&self, sub_block: usize, least: u32) -> impl Iterator<Item = (usize, u32)> {
        let start = sub_block * SUB_BLOCK_DOCS;
        let docs = self.docs[start..start + SUB_BLOCK_DOCS].iter().copied().enumerate();
        docs.filter(move |(_, score)| *score >= least).map(move |(lane, score)| (start + lane, score))
    }

    fn clear(&mut self, sub_blocks: u16) {
        for at in SetBits(sub_blocks) {
            self.docs[at * SUB_BLOCK_DOCS..(at + 1) * SUB_BLOCK_DOCS].fill(0);
            self.maxima[at] = 0;
        }
    }
}

impl<P: Posting> Evaluation<'_, P> {
    /// Scores a block, or (unless `all` matches are to be counted) its sub-blocks that can reach the threshold.
    pub(super) fn score_block(&mut self, block: u32, all: bool, scores: &mut BlockScores) {
        let mut present = std::mem::take(&mut self.present);
        present.clear();
        for (at, cursor) in self.cursors.iter_mut().enumerate() {
            let Some(posting_block) = self.index.seek(&cursor.posting_blocks, &mut cursor.position, block) else {
                continue;
            };
            let found = self.index.blocks[posting_block];
            let max_score = cursor.max_score(found.max_impact);
            present.push(PresentTerm { cursor: at, posting_block, max_score, sub_blocks: found.sub_blocks() });
        }
        let occupied = present.iter().fold(0, |sub_blocks, term| sub_blocks | term.sub_blocks);
        let threshold = if all { 0 } else { self.threshold() };
        let mut live = occupied & promising_sub_blocks(&present, threshold);
        // Rare terms come first and weigh most: most sub-blocks are ruled out before the postings of frequent terms are read.
        let mut remaining: u32 = present.iter().map(|term| term.max_score).sum();
        let mut written = 0;
        let doc_impacts = self.index.doc_impacts(block);
        for term in &present {
            if live == 0 {
                break;
            }
            remaining -= term.max_score;
            if live & term.sub_blocks > 0 {
                written |= self.add_term(term, live & term.sub_blocks, doc_impacts, scores);
            }
            if threshold > remaining {
                live = scores.reaching(live, threshold - remaining);
            }
        }
        for sub_block in SetBits(live) {
            self.collect_sub_block(block * BLOCK_DOCS as u32, sub_block, all, scores);
        }
        scores.clear(written);
        self.present = present;
    }

    /// Adds a term's scores in some sub-blocks; returns the sub-blocks that were written to.
    fn add_term(&mut self, term: &PresentTerm, live: u16, doc_impacts: &[u8], scores: &mut BlockScores) -> u16 {
        let cursor = &self.cursors[term.cursor];
        let postings = &self.index.postings[self.index.posting_range(term.posting_block)];
        let mut add = |posting: &P| {
            let slot = usize::from(posting.slot());
            let impact = posting.impact(if P::DOC_IMPACT { doc_impacts[slot] } else { 0 });
            let weight = cursor.weights[usize::from(posting.surface_forms() & cursor.surface_form != 0)];
            scores.add(slot, weight * u32::from(impact));
        };
        if postings.len() <= SHORT_POSTING_BLOCK || live.count_ones() > FEW_SUB_BLOCKS {
            postings.iter().for_each(add);
            self.budget = self.budget.saturating_sub(postings.len());
            return term.sub_blocks;
        }
        for sub_block in SetBits(live) {
            postings[first_in_sub_block(postings, sub_block)..]
                .iter()
                .take_while(|posting| usize::from(posting.slot()) / SUB_BLOCK_DOCS == sub_block)
                .for_each(&mut add);
            self.budget = self.budget.saturating_sub(SUB_BLOCK_DOCS / 2);
        }
        live
    }

    /// Collects the documents of a sub-block that have a score; counts them only if `all` are to be counted.
    fn collect_sub_block(&mut self, first_doc: u32, sub_block: usize, all: bool, scores: &BlockScores) {
        let competitive = self.can_improve(scores.maxima[sub_block], first_doc + (sub_block * SUB_BLOCK_DOCS) as u32);
        if !competitive && !all {
            return;
        }
        let least = if all { 1 } else { self.threshold().max(1) };
        for (slot, score) in scores.in_sub_block(sub_block, least) {
            let doc_id = first_doc + slot as u32;
            let parent = self.index.layout.parents[doc_id as usize];
            if !self.filter.includes(parent) {
                continue;
            }
            if all {
                self.matches.insert(parent);
            }
            if self.can_improve(score, doc_id) {
                let stale = self.filter.stale.contains(parent);
                self.collect(ScoredDoc { score, stale, doc_id }, parent);
            }
        }
    }

    /// Takes a document into the top k; of an item's documents, which have adjacent ids, only the best.
    fn collect(&mut self, doc: ScoredDoc, parent: u32) {
        let parents = &self.index.layout.parents;
        let neighbours = [doc.doc_id.wrapping_sub(1), doc.doc_id + 1];
        if neighbours.map(|id| parents.get(id as usize) == Some(&parent)).contains(&true)
            && let Some(at) = self.best.iter().position(|other| parents[other.doc_id as usize] == parent)
        {
            if self.best[at].score >= doc.score {
                return;
            }
            self.best.remove(at);
        }
        self.insert(doc);
    }

    fn insert(&mut self, doc: ScoredDoc) {
        if self.limit == 0 {
            return;
        }
        let at = self.best.partition_point(|other| other.ranks_before(doc));
        self.best.insert(at, doc);
        self.best.truncate(self.limit);
    }
}

/// A query term that occurs in the block that is being scored.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PresentTerm {
    cursor: usize,
    posting_block: usize,
    max_score: u32,
    sub_blocks: u16,
}

/// Sub-blocks that may reach the threshold: those with every term (and one of every two terms) without which no document can.
fn promising_sub_blocks(present: &[PresentTerm], threshold: u32) -> u16 {
    let total: u32 = present.iter().map(|term| term.max_score).sum();
    if total < threshold {
        return 0;
    }
    let slack = total - threshold;
    let mut sub_blocks = u16::MAX;
    for (at, term) in present.iter().enumerate() {
        if term.max_score > slack {
            sub_blocks &= term.sub_blocks;
        } else if present.len() <= PAIR_TEST_TERMS {
            for other in present[at + 1..]
                .iter()
                .filter(|other| other.max_score <= slack && term.max_score + other.max_score > slack)
            {
                sub_blocks &= term.sub_blocks | other.sub_blocks;
            }
        }
    }
    sub_blocks
}

/// Position of the first posting at or behind the start of a sub-block. Postings are spread evenly over a block, so an interpolation
/// search that starts where it would be needs few steps.
fn first_in_sub_block<P: Posting>(postings: &[P], sub_block: usize) -> usize {
    let is_before = |at: usize| usize::from(postings[at].slot()) < sub_block * SUB_BLOCK_DOCS;
    let mut at = postings.len() * sub_block / SUB_BLOCKS;
    while at < postings.len() && is_before(at) {
        at += 1;
    }
    while at > 0 && !is_before(at - 1) {
        at -= 1;
    }
    at
}

/// The positions of the set bits of a mask, rising.
struct SetBits(u16);

impl Iterator for SetBits {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let at = self.0.trailing_zeros();
        self.0 &= self.0 - 1;
        Some(at as usize)
    }
}
