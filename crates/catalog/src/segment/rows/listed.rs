//! Which rows a list of a segment shows: all of them, or those that are published or fresh.

use bytes::Bytes;

use super::super::Segment;
use refdesk_core::codec::partition_point;
use refdesk_search::Bitmap;

/// Rows of a list, in the order of their ids.
#[derive(Debug, Clone, Copy)]
pub enum Listed<'a> {
    /// So many, all of them.
    All(u32),
    /// Some of them.
    Some(&'a [u32]),
}

impl<'a> Listed<'a> {
    /// Number of rows.
    pub const fn len(self) -> usize {
        match self {
            Self::All(rows) => rows as usize,
            Self::Some(rows) => rows.len(),
        }
    }

    /// True when there is no row.
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The row at a position of the list.
    pub fn row(self, position: usize) -> u32 {
        match self {
            Self::All(_) => position as u32,
            Self::Some(rows) => rows[position],
        }
    }

    /// Up to `limit` rows from `offset`; none past the end.
    pub fn page(self, offset: usize, limit: usize) -> impl ExactSizeIterator<Item = u32> + use<'a> {
        let first = offset.min(self.len());
        let end = first.saturating_add(limit).min(self.len());
        (first..end).map(move |position| self.row(position))
    }
}

/// The rows of frameworks that are no candidates.
#[derive(Debug)]
pub struct Published {
    /// Their numbers.
    pub numbers: Box<[u32]>,
    /// Those of them that are fresh, where some are stale.
    pub fresh: Option<Box<[u32]>>,
}

/// Those of some rows that are not stale; `None` when all are fresh.
pub fn only_fresh(rows: impl ExactSizeIterator<Item = u32>, stale: &Bitmap) -> Option<Box<[u32]>> {
    let all = rows.len();
    let fresh: Box<[u32]> = rows.filter(|row| !stale.contains(*row)).collect();
    (fresh.len() < all).then_some(fresh)
}

impl Segment {
    /// The rows of a list; frameworks without candidates unless asked for.
    pub fn listed(&self, include_candidates: bool, fresh_only: bool) -> Listed<'_> {
        let all = Listed::All(self.len());
        match self.published.as_ref().filter(|_| !include_candidates) {
            None if fresh_only => self.fresh.as_deref().map_or(all, Listed::Some),
            None => all,
            Some(published) => {
                let fresh = published.fresh.as_deref().filter(|_| fresh_only);
                Listed::Some(fresh.unwrap_or(&published.numbers))
            }
        }
    }

    /// Up to `limit` rendered rows from `offset`, joined with commas, in pieces that are shared, not copied.
    pub fn page(&self, include_candidates: bool, offset: usize, limit: usize) -> Vec<Bytes> {
        match self.published.as_ref().filter(|_| !include_candidates) {
            None => self.parts.rows.page(offset, limit),
            Some(Published { numbers, .. }) => {
                let first = offset.min(numbers.len());
                let end = first.saturating_add(limit).min(numbers.len());
                self.parts.rows.rows(&numbers[first..end])
            }
        }
    }

    /// How many ids of listed items start with a prefix, and their rows in the order of the ids.
    pub fn rows_with_prefix(&self, prefix: &str) -> (usize, impl Iterator<Item = u32>) {
        let listed = self.listed(false, false);
        let id = |position| self.id(listed.row(position));
        let first = partition_point(0..listed.len(), |at| id(at) < prefix);
        let count = partition_point(first..listed.len(), |at| id(at).starts_with(prefix)) - first;
        (count, listed.page(first, count))
    }
}
