//! What a name query takes and gives: the scope it searches in, and a hit.

use crate::postings::tombstones::Tombstones;
use crate::{MatchField, MatchKind, NameKind};
use std::ops::Range;

/// An item whose name matches a query.
#[derive(Debug, Clone)]
pub(crate) struct NameHit {
    pub ordinal: u32,
    /// About 0 to 2.5.
    pub score: f32,
    pub field: MatchField,
    pub kind: MatchKind,
    /// The name that matched.
    pub name: u32,
    /// A word of the query was corrected to match.
    pub fuzzy: bool,
}

/// Where a name query searches, and what it must know of the full texts.
pub(crate) struct NameScope<'a> {
    /// Ranges of blocks of the name index to search.
    pub ranges: Vec<Range<u32>>,
    /// Whether an item passes the filters.
    pub allowed: &'a dyn Fn(u32) -> bool,
    /// Number of items whose text has a word.
    pub text_doc_freq: &'a dyn Fn(&str) -> u32,
    /// Whether two words of texts have the same stem.
    pub same_stem: &'a dyn Fn(&str, &str) -> bool,
    /// Deleted items.
    pub tombstones: &'a Tombstones,
    pub limit: usize,
}

/// The field of a name.
pub(super) const fn match_field(kind: NameKind) -> MatchField {
    match kind {
        NameKind::Id => MatchField::Id,
        NameKind::Name => MatchField::Name,
        NameKind::Alias => MatchField::Alias,
    }
}
