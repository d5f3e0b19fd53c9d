//! Top-k evaluation over several segments, as Lucene's `IndexSearcher` with a shared `TopDocs` threshold: the segments are asked in turn, and
//! the k-th best score so far is the threshold of the next.

use std::cmp::Reverse;

use super::postings::posting::Posting;
use super::postings::top_k::{ScoredDoc, TopKRequest, is_small, top_k};

/// The best documents of several segments.
pub(super) struct BestDocs {
    /// Place of the segment and document, best first.
    pub docs: Vec<(usize, ScoredDoc)>,
    /// Items that match by place of the segment; at least so many when it is not exact.
    pub totals: Vec<usize>,
    pub exact: bool,
}

/// Whether matches are counted that are not among the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Count {
    /// All of them, where they are few enough to score each.
    IfFew,
    /// [`BestDocs::totals`] are not looked at: what cannot be among the best is skipped.
    Nothing,
}

/// Asks the segments, the largest first.
pub(super) fn best_docs<P: Posting>(requests: &[TopKRequest<'_, P>], limit: usize, count: Count) -> BestDocs {
    let mut order: Vec<usize> = (0..requests.len()).filter(|at| !requests[*at].terms.is_empty()).collect();
    order.sort_by_key(|at| (Reverse(requests[*at].index.layout.blocks()), *at));
    let exact = count == Count::IfFew && is_small(order.iter().map(|at| &requests[*at]));
    let mut best = BestDocs { docs: Vec::new(), totals: vec![0; requests.len()], exact };
    for at in order {
        let last = best.docs.last().filter(|_| best.docs.len() >= limit);
        let floor = last.map_or(0, |(_, doc)| doc.score);
        let found = top_k(&requests[at], limit, floor, exact);
        best.totals[at] = found.total;
        best.docs.extend(found.best.into_iter().map(|doc| (at, doc)));
        best.docs.sort_by_key(|(at, doc)| (Reverse(doc.score), doc.stale, *at, doc.doc_id));
        best.docs.truncate(limit);
    }
    best
}
