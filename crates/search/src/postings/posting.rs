//! Posting formats of the inverted index: three bytes in the full-text index; one in the entity-name index, where all terms of a
//! document have one impact and one surface form.

use refdesk_core::codec::packed::Packed;

/// One term in one document.
pub(crate) trait Posting: Packed + Copy + Default {
    /// All terms of a document have the same impact, so the index keeps it once per document.
    const DOC_IMPACT: bool;
    /// A posting at a slot of its block.
    fn new(slot: u8, impact: u8, surface_forms: u8) -> Self;
    /// Slot of the document in its block.
    fn slot(self) -> u8;
    /// The impact; `doc_impact` is that of the document, for formats with [`Posting::DOC_IMPACT`].
    fn impact(self, doc_impact: u8) -> u8;
    /// Mask of the surface forms in which the document has the term.
    fn surface_forms(self) -> u8;
}

impl Posting for u8 {
    const DOC_IMPACT: bool = true;

    fn new(slot: u8, _: u8, _: u8) -> Self {
        slot
    }

    fn slot(self) -> u8 {
        self
    }

    fn impact(self, doc_impact: u8) -> u8 {
        doc_impact
    }

    fn surface_forms(self) -> u8 {
        0
    }
}

impl Posting for [u8; 3] {
    const DOC_IMPACT: bool = false;

    fn new(slot: u8, impact: u8, surface_forms: u8) -> Self {
        [slot, impact, surface_forms]
    }

    fn slot(self) -> u8 {
        self[0]
    }

    fn impact(self, _: u8) -> u8 {
        self[1]
    }

    fn surface_forms(self) -> u8 {
        self[2]
    }
}
