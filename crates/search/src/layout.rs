//! Where units (items and their children, or names) stand in an inverted index.
//!
//! Places are cut into windows of 256. A window holds units of one class only (freshness × group), fresh classes first,
//! so a filter by group or freshness is a few ranges of windows and costs nothing per posting.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// Places in a window: a place within it fits one byte.
pub(super) const WINDOW: usize = 256;
/// Places in a block: a window has 16 of them, one for each bit of a run's `blocks`.
pub(super) const BLOCK: usize = 16;
/// Groups a request can select.
pub(super) const GROUPS: usize = 7;
/// Fresh groups, then stale groups.
const CLASSES: usize = GROUPS * 2;
/// A place without a unit.
pub(super) const NOBODY: u32 = u32::MAX;

/// Class of an item.
pub(super) const fn class(group: u8, stale: bool) -> u8 {
    let group = if group as usize >= GROUPS { GROUPS as u8 - 1 } else { group };
    if stale { group + GROUPS as u8 } else { group }
}

/// What is known of each item whatever is asked, in the order of the items.
#[derive(Debug, Clone, Copy)]
pub(super) struct ItemPriors<'a> {
    /// Its class, see [`class`].
    pub classes: &'a [u8],
    /// See [`super::DocInput::demotion`].
    pub demotions: &'a [u8],
}

/// The owner of every place and the windows of every class.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Layout {
    /// Ordinal of the item that owns the unit at a place.
    #[serde(with = "refdesk_core::codec::packed")]
    pub owners: Box<[u32]>,
    /// First window of each class; one more for the end.
    class_starts: [u32; CLASSES + 1],
}

impl Layout {
    /// Places units (given in the order of their items) and returns for every place its unit. Within a class items stand by the
    /// length of their first unit: then the units of a window have much the same impacts, and a few windows have the highest.
    pub(super) fn arrange(owners: &[u32], lengths: &[u32], classes: &[u8]) -> (Self, Vec<u32>) {
        let mut by_class: Vec<Vec<Range<u32>>> = vec![Vec::new(); CLASSES];
        let mut first = 0;
        for same in owners.chunk_by(|a, b| a == b) {
            let end = first + same.len() as u32;
            by_class[classes[same[0] as usize] as usize].push(first..end);
            first = end;
        }
        let mut layout = Self::default();
        let mut units = Vec::with_capacity(owners.len() + CLASSES * WINDOW);
        for (class, mut members) in by_class.into_iter().enumerate() {
            layout.class_starts[class] = (units.len() / WINDOW) as u32;
            members.sort_by_key(|item| lengths[item.start as usize]);
            units.extend(members.into_iter().flatten());
            units.resize(units.len().next_multiple_of(WINDOW), NOBODY);
        }
        layout.class_starts[CLASSES] = (units.len() / WINDOW) as u32;
        layout.owners = units.iter().map(|unit| owners.get(*unit as usize).copied().unwrap_or(NOBODY)).collect();
        (layout, units)
    }

    pub(super) fn windows(&self) -> usize {
        self.owners.len() / WINDOW
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.owners.len() * 4
    }

    /// Ranges of windows of the selected groups' fresh, stale or all items; neighbours are joined.
    pub(super) fn ranges(&self, groups: u8, ages: Ages) -> Vec<Range<u32>> {
        let mut ranges: Vec<Range<u32>> = Vec::new();
        for class in 0..CLASSES {
            let (group, stale) = (class % GROUPS, class >= GROUPS);
            let range = self.class_starts[class]..self.class_starts[class + 1];
            if groups >> group & 1 == 0 || !ages.include(stale) || range.is_empty() {
                continue;
            }
            match ranges.last_mut() {
                Some(last) if last.end == range.start => last.end = range.end,
                _ => ranges.push(range),
            }
        }
        ranges
    }
}

/// Which items are looked at, by their freshness.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ages {
    Fresh,
    Stale,
    All,
}

impl Ages {
    pub(super) fn include(self, stale: bool) -> bool {
        match self {
            Self::Fresh => !stale,
            Self::Stale => stale,
            Self::All => true,
        }
    }
}
