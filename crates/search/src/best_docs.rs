//! Top-k evaluation over several segments, as Lucene's `IndexSearcher` with a shared `TopDocs` threshold: the segments are asked in turn, and
//! the k-th best score so far is the threshold of the next.

use std::cmp::Reverse;

use super::postings::bitmap::ItemFilter;
use super::postings::inverted_index::InvertedIndex;
use super::postings::posting::Posting;
use super::postings::top_k::{QueryTerm, ScoredDoc, TopKRequest, is_small, top_k};

/// An index of a segment, and what it is asked for.
pub(super) struct Part<'a, P: Posting> {
    pub index: &'a InvertedIndex<P>,
    /// In the terms of the segment.
    pub terms: &'a [QueryTerm],
    /// Number of the segment's items.
    pub items: usize,
    /// The items that may be found.
    pub filter: ItemFilter<'a>,
}

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

/// Asks the parts, the largest first.
pub(super) fn best_docs<P: Posting>(parts: &[Part<'_, P>], limit: usize, count: Count) -> BestDocs {
    let mut order: Vec<usize> = (0..parts.len()).filter(|at| !parts[*at].terms.is_empty()).collect();
    order.sort_by_key(|at| (Reverse(parts[*at].index.layout.blocks()), *at));
    let exact = count == Count::IfFew && is_small(order.iter().map(|at| (parts[*at].index, parts[*at].terms)));
    let mut best = BestDocs { docs: Vec::new(), totals: vec![0; parts.len()], exact };
    for at in order {
        let Part { index, terms, items, filter } = parts[at];
        let last = best.docs.last().filter(|_| best.docs.len() >= limit);
        let floor = last.map_or(0, |(_, doc)| doc.score);
        let found = top_k(index, &TopKRequest { terms, items, limit, filter, floor, exact });
        best.totals[at] = found.total;
        best.docs.extend(found.best.into_iter().map(|doc| (at, doc)));
        best.docs.sort_by_key(|(at, doc)| (Reverse(doc.score), doc.stale, *at, doc.doc_id));
        best.docs.truncate(limit);
    }
    best
}
