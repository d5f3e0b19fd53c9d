//! The doc-term accumulator: the terms of each document (a forward index) while an index is built, before they are inverted.

use std::ops::Range;

/// Terms of documents in the order in which they were added.
#[derive(Debug, Default)]
pub(crate) struct DocTerms {
    pub terms: Vec<u32>,
    /// Term frequencies.
    pub counts: Vec<u8>,
    /// Field masks; empty where documents have no fields.
    pub fields: Vec<u8>,
    /// Masks of the surface forms in which the document has the term.
    pub surface_forms: Vec<u8>,
    /// End of each document in the four lists above.
    ends: Vec<usize>,
    /// Length of each document in words, for length normalisation.
    pub lengths: Vec<u32>,
    /// Ordinal of each document's item.
    pub parents: Vec<u32>,
}

impl DocTerms {
    /// Completes the document whose terms were pushed.
    pub(crate) fn finish_doc(&mut self, parent: u32, length: u32) {
        self.ends.push(self.terms.len());
        self.lengths.push(length);
        self.parents.push(parent);
    }

    /// Positions of a document's terms in the lists.
    pub(crate) fn range(&self, doc: u32) -> Range<usize> {
        let doc = doc as usize;
        let start = if doc == 0 { 0 } else { self.ends[doc - 1] };
        start..self.ends[doc]
    }
}
