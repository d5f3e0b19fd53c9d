//! A top-k query of one segment (a weighted disjunction of terms): which terms, and how many documents of which items.

#[cfg(doc)]
use super::is_small;
use crate::postings::bitmap::ItemFilter;

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

/// What a segment is asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TopKRequest<'a> {
    /// Query terms of the segment.
    pub terms: &'a [QueryTerm],
    /// Number of the segment's items.
    pub items: usize,
    pub limit: usize,
    pub filter: ItemFilter<'a>,
    /// The k-th best score of the segments that were asked before: lower ones need not be returned.
    pub floor: u32,
    /// Everything is scored, because all segments together are small: see [`is_small`].
    pub exact: bool,
}
