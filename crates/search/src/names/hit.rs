//! The scope that a known-item search is made in (segment, filter, global statistics), and a hit of it.

use super::NameTerms;
use crate::fulltext::TextTerms;
use crate::postings::bitmap::ItemFilter;
use crate::postings::term_map::TermMap;
use crate::{MatchField, MatchKind, NameKind};

/// An item whose name matches a query.
#[derive(Debug, Clone)]
pub(crate) struct NameHit {
    /// Item of the segment.
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

/// Where a name query searches in a segment, and what it must know of all of them.
#[derive(Clone, Copy)]
pub(crate) struct NameScope<'a> {
    /// The merged terms of all names.
    pub names: &'a NameTerms,
    /// The segment's terms of names as merged ones.
    pub map: &'a TermMap,
    /// The merged words of all texts.
    pub texts: &'a TextTerms,
    pub filter: ItemFilter<'a>,
}

pub(super) const fn match_field(kind: NameKind) -> MatchField {
    match kind {
        NameKind::Id | NameKind::Path => MatchField::Id,
        NameKind::Name => MatchField::Name,
        NameKind::Alias | NameKind::Brand => MatchField::Alias,
    }
}
