//! Sets of segments, by their positions in the index.

use refdesk_core::Kind;

/// Which segments of an index are meant. The catalog has one a kind, in the order of [`Kind::ALL`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SegmentSet(u8);

impl SegmentSet {
    /// No segment.
    pub const EMPTY: Self = Self(0);
    /// Every segment.
    pub const ALL: Self = Self(u8::MAX);

    /// The segment at a position below 8.
    pub const fn of(position: usize) -> Self {
        Self(1 << position)
    }

    /// Whether the segment at a position is one of them.
    pub const fn contains(self, position: usize) -> bool {
        self.0 >> position & 1 == 1
    }

    /// Those that are in both.
    #[must_use]
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// True when there is none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl From<Kind> for SegmentSet {
    fn from(kind: Kind) -> Self {
        Self::of(kind.index())
    }
}

impl FromIterator<Kind> for SegmentSet {
    fn from_iter<I: IntoIterator<Item = Kind>>(kinds: I) -> Self {
        Self(kinds.into_iter().fold(0, |set, kind| set | Self::from(kind).0))
    }
}
