//! Top-k evaluation by block-max `MaxScore` (Turtle & Flood 1995; Ding & Suel 2011; variable-order blocks as in Dimopoulos et al. 2013).
//!
//! Every block has an upper bound, the sum of the maximum impacts of its posting blocks. The blocks with the highest bounds are scored
//! first, which raises the threshold (the k-th best score) early. If the frequent terms together cannot reach it, only blocks with an
//! essential (rare) term are visited. The rest is visited in doc-id order, so that memory is read sequentially, and skipped where the
//! bound of a block, and then of its sub-blocks of 16 documents, is below the threshold ([`score_block`]). Work is bounded: after
//! [`POSTINGS_PER_TERM_MAX`] postings per term the blocks with the lowest bounds are left out. All arithmetic is on integers, so that
//! every platform ranks alike.

mod request;
mod score_block;

use super::bitmap::{Bitmap, ItemFilter};
use super::doc_layout::BLOCK_DOCS;
use super::inverted_index::{InvertedIndex, PostingBlock};
use super::posting::Posting;

pub(crate) use request::{QueryTerm, TopKRequest};
use score_block::{BlockScores, PresentTerm};
use std::cell::RefCell;
use std::ops::Range;

/// Postings scored per query term; beyond, the blocks with the lowest upper bounds are left out.
const POSTINGS_PER_TERM_MAX: usize = 15_000;
/// Up to this many postings everything is scored, so that the number of matches is exact.
pub(crate) const EXACT_POSTINGS: usize = 1_000;
/// Up to this many blocks everything is scored likewise.
const EXACT_BLOCKS: usize = 48;
/// Blocks that are scored first, to raise the threshold.
const FIRST_BLOCKS: usize = 16;
/// Up to this many terms, sub-blocks are tested for pairs of terms of which a document needs one; the test is quadratic.
const PAIR_TEST_TERMS: usize = 8;
/// Up to this many posting blocks per candidate block, a scan over all of them is faster than a seek for each candidate.
const BLOCKS_PER_SEEK: usize = 4;
/// A term with posting blocks in more than one of so many blocks is frequent (non-essential).
const FREQUENT_FRACTION: usize = 4;

#[derive(Debug, Clone, Copy)]
pub(crate) struct ScoredDoc {
    pub score: u32,
    pub stale: bool,
    pub doc_id: u32,
}

impl ScoredDoc {
    /// Whether a document ranks before another: of equal scores fresh ones rank first, then the lower doc id.
    fn ranks_before(self, other: Self) -> bool {
        let key = |doc: Self| (std::cmp::Reverse(doc.score), doc.stale, doc.doc_id);
        key(self) < key(other)
    }
}

/// The best documents of a query.
#[derive(Debug, Default)]
pub(crate) struct TopDocs {
    /// Best first, ties by freshness, then doc id; one document per parent.
    pub best: Vec<ScoredDoc>,
    /// Items that match: exact when few, estimated from document frequencies when many.
    pub total: usize,
    /// The items that match, where their number is exact; else none.
    pub matches: Bitmap,
}

/// Buffers that queries of one thread reuse.
#[derive(Debug)]
struct Scratch {
    /// By block; all zero between queries.
    upper_bounds: Vec<UpperBound>,
    /// Blocks with an upper bound above zero.
    touched: Vec<u32>,
    /// Candidate blocks with their upper bounds, see [`candidate_key`].
    candidates: Vec<u64>,
    scores: BlockScores,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = const {
        RefCell::new(Scratch {
            upper_bounds: Vec::new(),
            touched: Vec::new(),
            candidates: Vec::new(),
            scores: BlockScores::ZERO,
        })
    };
}

/// The highest score a document of a block can have by the terms seen so far, and the sub-blocks that hold one of them.
#[derive(Debug, Clone, Copy, Default)]
struct UpperBound {
    score: u32,
    sub_blocks: u16,
}

impl UpperBound {
    /// Adds a term. Where it shares no sub-block with the others, no document has both, and the bounds do not add up.
    fn raise(&mut self, max_score: u32, sub_blocks: u16) {
        self.score = if self.sub_blocks & sub_blocks == 0 { self.score.max(max_score) } else { self.score + max_score };
        self.sub_blocks |= sub_blocks;
    }
}

/// A key that sorts blocks by falling upper bound, then by doc id.
fn candidate_key(upper_bound: u32, block: u32) -> u64 {
    u64::from(u32::MAX - upper_bound) << 32 | u64::from(block)
}

/// Upper bound and block of a key.
fn decode_key(key: u64) -> (u32, u32) {
    (u32::MAX - (key >> 32) as u32, key as u32)
}

/// Whether some segments together are small enough, or have at most so many postings, to score everything, so that the number of matches is
/// exact.
pub(crate) fn is_small<'a, P: Posting + 'a>(
    requests: impl Iterator<Item = &'a TopKRequest<'a, P>>,
    postings_max: usize,
) -> bool {
    let (mut blocks, mut postings) = (0, 0);
    for request in requests {
        blocks += request.index.layout.blocks();
        postings += request.postings();
    }
    postings <= postings_max || blocks <= EXACT_BLOCKS
}

/// The best items of a segment, of those that the filter includes; none that scores less than `floor`, the k-th best score of the segments
/// that were asked before. Everything is scored for an `exact` number of matches: see [`is_small`].
pub(crate) fn top_k<P: Posting>(request: &TopKRequest<'_, P>, limit: usize, floor: u32, exact: bool) -> TopDocs {
    let TopKRequest { index, terms, items, filter } = *request;
    SCRATCH.with_borrow_mut(|scratch| {
        let mut cursors = term_cursors(index, terms);
        let blocks = index.layout.blocks();
        cursors.sort_by_key(|cursor| cursor.posting_blocks.len());
        let essential = cursors.partition_point(|cursor| cursor.posting_blocks.len() * FREQUENT_FRACTION <= blocks);
        let mut evaluation = Evaluation {
            index,
            filter,
            cursors,
            best: Vec::with_capacity(limit + 1),
            limit,
            floor,
            matches: Bitmap::default(),
            budget: POSTINGS_PER_TERM_MAX * terms.len(),
            postings_per_block: request.postings() / blocks.max(1) + 1,
            scored_first: Vec::new(),
            present: Vec::new(),
        };
        if exact {
            evaluation.score_all(scratch);
        } else if essential == 0 || !evaluation.score_essential(essential, scratch) {
            let count = evaluation.cursors.len();
            scratch.find_candidates(&evaluation, 0..count);
            evaluation.score_first_candidates(scratch);
            evaluation.score_other_candidates(scratch);
        }
        let total = if exact {
            evaluation.matches.len()
        } else {
            // At least the items that have the most frequent word, and are not left out.
            let most = terms.iter().map(|term| index.doc_freq(term.term) as usize).max().unwrap_or_default();
            most.saturating_sub(filter.left_out(items)).max(evaluation.best.len())
        };
        TopDocs { best: evaluation.best, total, matches: evaluation.matches }
    })
}

fn term_cursors<P: Posting>(index: &InvertedIndex<P>, terms: &[QueryTerm]) -> Vec<TermCursor> {
    let cursors = terms.iter().filter_map(|term| {
        let posting_blocks = index.posting_blocks(term.term);
        (!posting_blocks.is_empty()).then(|| TermCursor {
            position: posting_blocks.start,
            posting_blocks,
            weights: [term.weight, term.weight + term.exact_form_bonus],
            surface_form: term.surface_form,
            max_impact: index.max_impact(term.term),
        })
    });
    cursors.collect()
}

/// A query term's posting blocks, with a position in them.
#[derive(Debug, Clone)]
struct TermCursor {
    posting_blocks: Range<usize>,
    /// The posting block found last; blocks are mostly visited in rising order.
    position: usize,
    /// Score per unit of impact in any other surface form and in the query's.
    weights: [u32; 2],
    surface_form: u8,
    /// Maximum impact of the term in the whole index.
    max_impact: u8,
}

impl TermCursor {
    /// Upper bound of a document's score by this term, given its impact.
    fn max_score(&self, impact: u8) -> u32 {
        self.weights[1] * u32::from(impact)
    }
}

impl Scratch {
    /// Collects the blocks in which one of the `essential` cursors has postings, with their upper bounds over all cursors.
    fn find_candidates<P: Posting>(&mut self, evaluation: &Evaluation<'_, P>, essential: Range<usize>) {
        let Self { upper_bounds, touched, candidates, .. } = self;
        let index = evaluation.index;
        touched.clear();
        candidates.clear();
        if let [cursor] = &evaluation.cursors[..]
            && essential.len() == 1
        {
            let key = |at: &PostingBlock| candidate_key(cursor.max_score(at.max_impact), at.block());
            candidates.extend(index.blocks[cursor.posting_blocks.clone()].iter().map(key));
            return;
        }
        upper_bounds.resize(upper_bounds.len().max(index.layout.blocks()), UpperBound::default());
        for cursor in &evaluation.cursors[essential.clone()] {
            for posting_block in &index.blocks[cursor.posting_blocks.clone()] {
                let bound = &mut upper_bounds[posting_block.block() as usize];
                if bound.sub_blocks == 0 {
                    touched.push(posting_block.block());
                }
                bound.raise(cursor.max_score(posting_block.max_impact), posting_block.sub_blocks());
            }
        }
        for cursor in &evaluation.cursors[essential.end..] {
            raise_touched(index, cursor, touched, upper_bounds);
        }
        for block in touched.iter() {
            candidates.push(candidate_key(std::mem::take(&mut upper_bounds[*block as usize]).score, *block));
        }
    }
}

/// Raises the upper bounds of touched blocks by another term.
fn raise_touched<P: Posting>(
    index: &InvertedIndex<P>,
    cursor: &TermCursor,
    touched: &[u32],
    upper_bounds: &mut [UpperBound],
) {
    if cursor.posting_blocks.len() <= touched.len() * BLOCKS_PER_SEEK {
        for posting_block in &index.blocks[cursor.posting_blocks.clone()] {
            let bound = &mut upper_bounds[posting_block.block() as usize];
            if bound.sub_blocks > 0 {
                bound.raise(cursor.max_score(posting_block.max_impact), posting_block.sub_blocks());
            }
        }
        return;
    }
    let mut position = cursor.posting_blocks.start;
    for block in touched {
        if let Some(posting_block) = index.seek(&cursor.posting_blocks, &mut position, *block) {
            let posting_block = index.blocks[posting_block];
            upper_bounds[*block as usize].raise(cursor.max_score(posting_block.max_impact), posting_block.sub_blocks());
        }
    }
}

struct Evaluation<'a, P: Posting> {
    index: &'a InvertedIndex<P>,
    filter: ItemFilter<'a>,
    /// Rare terms first.
    cursors: Vec<TermCursor>,
    best: Vec<ScoredDoc>,
    limit: usize,
    /// See [`top_k`].
    floor: u32,
    /// What matches, where all matches are counted. An item may have documents in several blocks.
    matches: Bitmap,
    /// Postings that may still be scored.
    budget: usize,
    /// Mean number of postings in a block.
    postings_per_block: usize,
    /// Blocks that were scored first, out of doc-id order.
    scored_first: Vec<u32>,
    /// The terms of the block that is being scored.
    present: Vec<PresentTerm>,
}

impl<P: Posting> Evaluation<'_, P> {
    fn score_all(&mut self, scratch: &mut Scratch) {
        let count = self.cursors.len();
        scratch.find_candidates(self, 0..count);
        for key in &scratch.candidates {
            self.score_block(decode_key(*key).1, true, &mut scratch.scores);
        }
    }

    /// Visits only blocks that hold one of the first `essential` terms; false when documents without them might reach the threshold.
    fn score_essential(&mut self, essential: usize, scratch: &mut Scratch) -> bool {
        scratch.find_candidates(self, 0..essential);
        self.score_first_candidates(scratch);
        let frequent = self.cursors[essential..].iter();
        if self.threshold() <= frequent.map(|cursor| cursor.max_score(cursor.max_impact)).sum() {
            return false;
        }
        self.score_other_candidates(scratch);
        true
    }

    /// Scores the candidates with the highest upper bounds.
    fn score_first_candidates(&mut self, scratch: &mut Scratch) {
        let Scratch { candidates, scores, .. } = scratch;
        let mut first = [u64::MAX; FIRST_BLOCKS];
        for key in candidates.iter() {
            if *key < first[FIRST_BLOCKS - 1] {
                let at = first.partition_point(|other| other < key);
                first[at..].rotate_right(1);
                first[at] = *key;
            }
        }
        for (upper_bound, block) in first.iter().filter(|key| **key != u64::MAX).map(|key| decode_key(*key)) {
            if !self.scored_first.contains(&block) && self.can_improve(upper_bound, block * BLOCK_DOCS as u32) {
                self.score_block(block, false, scores);
                self.scored_first.push(block);
            }
        }
    }

    /// Scores the other candidates whose upper bound reaches the threshold, in doc-id order.
    fn score_other_candidates(&mut self, scratch: &mut Scratch) {
        let Scratch { candidates, scores, .. } = scratch;
        if let Some(last) = self.best.last().filter(|_| self.best.len() == self.limit) {
            // A fresh document of the same score ranks before a stale one, wherever it is.
            let block = if last.stale { u32::MAX } else { last.doc_id / BLOCK_DOCS as u32 };
            let least = candidate_key(last.score, block);
            candidates.retain(|key| *key <= least);
        } else if self.floor > 0 {
            let least = candidate_key(self.floor, u32::MAX);
            candidates.retain(|key| *key <= least);
        }
        let affordable = self.budget / self.postings_per_block;
        if candidates.len() > affordable && self.cursors.len() > PAIR_TEST_TERMS {
            candidates.select_nth_unstable(affordable);
            candidates.truncate(affordable);
        }
        candidates.sort_unstable_by_key(|key| *key as u32);
        for (upper_bound, block) in candidates.iter().map(|key| decode_key(*key)) {
            let promising = self.budget > 0 && self.can_improve(upper_bound, block * BLOCK_DOCS as u32);
            if promising && !self.scored_first.contains(&block) {
                self.score_block(block, false, scores);
            }
        }
    }

    /// The k-th best score: what a document must reach to be returned.
    fn threshold(&self) -> u32 {
        if self.best.len() < self.limit { self.floor } else { self.best.last().map_or(0, |last| last.score) }
    }

    /// Whether a document with this score (or bound) and this doc id would be among the best if it is fresh.
    fn can_improve(&self, score: u32, doc_id: u32) -> bool {
        if self.best.len() < self.limit {
            return score >= self.floor;
        }
        self.best.last().is_some_and(|last| ScoredDoc { score, stale: false, doc_id }.ranks_before(*last))
    }
}
