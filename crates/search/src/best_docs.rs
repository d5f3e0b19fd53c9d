//! Top-k evaluation over several segments, as Lucene's `IndexSearcher` with a shared `TopDocs` threshold: the segments are asked in turn, and
//! the k-th best score so far is the threshold of the next.

use std::cmp::Reverse;

use super::postings::bitmap::Bitmap;
use super::postings::posting::Posting;
use super::postings::top_k::{EXACT_POSTINGS, ScoredDoc, TopKRequest, is_small, top_k};

/// The postings of [`Count::IfNotMany`].
const SELDOM_COUNTED_POSTINGS: usize = 100_000;

/// The best documents of several segments.
pub(super) struct BestDocs {
    /// Place of the segment and document, best first.
    pub docs: Vec<(usize, ScoredDoc)>,
    /// Items that match by place of the segment; at least so many when it is not exact.
    pub totals: Vec<usize>,
    /// The items that match by place of the segment, when their number is exact.
    pub matches: Vec<Bitmap>,
    pub exact: bool,
}

/// Whether matches are counted that are not among the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Count {
    /// All of them, where they are few enough to score each.
    IfFew,
    /// The same up to many more postings, of what is seldom counted.
    IfNotMany,
    /// [`BestDocs::totals`] are not looked at: what cannot be among the best is skipped.
    Nothing,
}

/// Asks the segments, the largest first.
pub(super) fn best_docs<P: Posting>(requests: &[TopKRequest<'_, P>], limit: usize, count: Count) -> BestDocs {
    let mut order: Vec<usize> = (0..requests.len()).filter(|at| !requests[*at].terms.is_empty()).collect();
    order.sort_by_key(|at| (Reverse(requests[*at].index.layout.blocks()), *at));
    let postings_max = match count {
        Count::IfFew => Some(EXACT_POSTINGS),
        Count::IfNotMany => Some(SELDOM_COUNTED_POSTINGS),
        Count::Nothing => None,
    };
    let exact = postings_max.is_some_and(|most| is_small(order.iter().map(|at| &requests[*at]), most));
    let (totals, matches) = (vec![0; requests.len()], vec![Bitmap::default(); requests.len()]);
    let mut best = BestDocs { docs: Vec::new(), totals, matches, exact };
    for at in order {
        let last = best.docs.last().filter(|_| best.docs.len() >= limit);
        let floor = last.map_or(0, |(_, doc)| doc.score);
        let found = top_k(&requests[at], limit, floor, exact);
        (best.totals[at], best.matches[at]) = (found.total, found.matches);
        best.docs.extend(found.best.into_iter().map(|doc| (at, doc)));
        best.docs.sort_by_key(|(at, doc)| (Reverse(doc.score), doc.stale, *at, doc.doc_id));
        best.docs.truncate(limit);
    }
    best
}
