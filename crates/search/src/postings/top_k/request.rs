//! A top-k query of one segment (a weighted disjunction of terms): which of its indexes, which terms, and which items may be found.

use crate::postings::bitmap::ItemFilter;
use crate::postings::inverted_index::InvertedIndex;
use crate::postings::posting::Posting;

#[derive(Debug, Clone, Copy)]
pub(crate) struct QueryTerm {
    pub term: u32,
    /// Score per unit of impact.
    pub weight: u32,
    /// Added to the weight where the document has the term in the query's surface form.
    pub exact_form_bonus: u32,
    /// Mask of the query's surface form; 0 for any.
    pub surface_form: u8,
}

impl QueryTerm {
    pub(crate) const fn any_form(term: u32, weight: u32) -> Self {
        Self { term, weight, exact_form_bonus: 0, surface_form: 0 }
    }
}

/// An index of a segment, and what it is asked for.
pub(crate) struct TopKRequest<'a, P: Posting> {
    pub index: &'a InvertedIndex<P>,
    /// In the terms of the segment.
    pub terms: &'a [QueryTerm],
    /// Number of the segment's items.
    pub items: usize,
    /// The items that may be found.
    pub filter: ItemFilter<'a>,
}

impl<P: Posting> TopKRequest<'_, P> {
    /// Number of postings of the terms.
    pub(super) fn postings(&self) -> usize {
        self.terms.iter().map(|term| self.index.posting_count(term.term)).sum()
    }
}
