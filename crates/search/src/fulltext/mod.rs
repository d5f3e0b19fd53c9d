//! The full-text index: BM25 (Robertson et al. 1994) over stems, with field weights folded into the term frequency as BM25F does
//! (Robertson et al. 2004), and impacts quantised to one byte at build time.
//!
//! Titles count twice, the last word of a query also matches as a prefix, and a word that the vocabulary lacks is corrected. A passage
//! is a document of its own that also carries its parent's title; an item is as good as its best document (maximum passage score).
//! Each segment has an index ([`index`]); words of a query are looked up once, in the merged terms of all segments ([`terms`]).
//! Not here: names and ids (`names`), merging (`fusion`).

mod builder;
mod index;
mod terms;

use super::{Field, MatchField};
use crate::postings::interner::hash;

pub(super) use builder::FullTextBuilder;
pub(super) use index::FullTextIndex;
pub(super) use terms::{PREFERRED_PERCENT, PlannedWord, QueryPlan, TextTerms};

const PASSAGE_BIT: u8 = 1 << 5;
const ID_BIT: u8 = 1 << 6;
const NAME_BIT: u8 = 1 << 7;

const fn field_bit(field: Field) -> u8 {
    1 << field as u8
}

/// Mask of the fields that say what an item is for; bodies and passages have any word.
pub(super) const TELLING_FIELDS: u8 = ID_BIT
    | NAME_BIT
    | field_bit(Field::Title)
    | field_bit(Field::Description)
    | field_bit(Field::Keywords)
    | field_bit(Field::Headings);

/// The fields of a field mask, most telling first.
pub(super) fn match_fields(mask: u8) -> impl Iterator<Item = MatchField> {
    [
        (ID_BIT, MatchField::Id),
        (NAME_BIT, MatchField::Name),
        (field_bit(Field::Title), MatchField::Title),
        (PASSAGE_BIT, MatchField::Passage),
        (field_bit(Field::Description), MatchField::Description),
        (field_bit(Field::Keywords), MatchField::Keywords),
        (field_bit(Field::Headings), MatchField::Headings),
        (field_bit(Field::Body), MatchField::Body),
    ]
    .into_iter()
    .filter_map(move |(bit, field)| (mask & bit != 0).then_some(field))
}

/// The bit of a surface form, by hash: two forms of one stem seldom share it, and a collision only gives a small bonus.
fn surface_form_bit(word: &str) -> u8 {
    1 << (hash(word) >> 61)
}
