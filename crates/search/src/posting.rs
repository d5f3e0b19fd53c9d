//! What an inverted index keeps of a term in a unit: three bytes in the needs channel; one in the names channel, where a unit's terms
//! all have one impact and one form.

use refdesk_core::codec::packed::Packed;

/// What is kept of a term in a unit.
pub(super) trait Posting: Packed + Copy + Default {
    /// All terms of a unit have the same impact, so it is kept with the unit.
    const EVEN: bool;
    fn new(local: u8, impact: u8, forms: u8) -> Self;
    /// Place in the window.
    fn local(self) -> u8;
    /// The impact; `of_unit` is that of the unit, where all its terms have the same.
    fn impact(self, of_unit: u8) -> u8;
    /// The forms in which the unit has the term.
    fn forms(self) -> u8;
}

impl Posting for u8 {
    const EVEN: bool = true;

    fn new(local: u8, _: u8, _: u8) -> Self {
        local
    }

    fn local(self) -> u8 {
        self
    }

    fn impact(self, of_unit: u8) -> u8 {
        of_unit
    }

    fn forms(self) -> u8 {
        0
    }
}

impl Posting for [u8; 3] {
    const EVEN: bool = false;

    fn new(local: u8, impact: u8, forms: u8) -> Self {
        [local, impact, forms]
    }

    fn local(self) -> u8 {
        self[0]
    }

    fn impact(self, _: u8) -> u8 {
        self[1]
    }

    fn forms(self) -> u8 {
        self[2]
    }
}
