//! Periods that are negated: `not released before 2024`, `except those released since June`, `not older than 2025`.

use super::PeriodRelation;
use crate::understand::reading::Reading;

impl PeriodRelation {
    /// What the rest of all days is; none of what has two ends.
    pub(super) const fn opposite(self) -> Option<Self> {
        match self {
            Self::Since => Some(Self::Before),
            Self::After => Some(Self::Until),
            Self::Before => Some(Self::Since),
            Self::Until => Some(Self::After),
            Self::Within => None,
        }
    }
}

/// The relation that is meant of a period, which is said from `start` to `end`, and how many words in front of it negate it. Nothing where no
/// filter says what is left; a warning says so.
pub(super) fn turned(
    reading: &mut Reading<'_>,
    relation: PeriodRelation,
    start: usize,
    end: usize,
) -> Option<(PeriodRelation, usize)> {
    let negation = reading.negation_before(start);
    if negation == 0 {
        return Some((relation, 0));
    }
    let opposite = relation.opposite();
    if opposite.is_none() {
        reading.warn_of_words(start - negation..end, "no filter leaves out a period");
    }
    opposite.map(|opposite| (opposite, negation))
}
