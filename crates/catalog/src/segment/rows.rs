//! The rendered rows of a segment, in the order of their ids: a list is some slices of them.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::chunks::{Chunks, ChunksBuilder};

/// Rows, each with the comma that stands behind it in a list.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Rows(Chunks);

impl Rows {
    /// Rows that end with a comma.
    pub const fn new(rows: Chunks) -> Self {
        Self(rows)
    }

    /// Some of the rows, by rising position.
    #[must_use]
    pub fn only(&self, positions: &[u32]) -> Self {
        let mut rows = ChunksBuilder::default();
        positions.iter().for_each(|at| rows.push(self.0.get(*at as usize)));
        Self(rows.finish())
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The JSON of one row.
    pub fn row(&self, position: usize) -> &[u8] {
        let row = self.0.get(position);
        row.strip_suffix(b",").unwrap_or(row)
    }

    /// Up to `limit` rows from `offset`, joined with commas, in pieces that are shared, not copied; none past the end.
    pub fn page(&self, offset: usize, limit: usize) -> Vec<Bytes> {
        let mut pieces = self.0.pieces(offset, offset.saturating_add(limit));
        if let Some(last) = pieces.last_mut() {
            last.truncate(last.len() - 1);
        }
        pieces
    }

    /// Bytes of all rows.
    pub fn bytes(&self) -> usize {
        self.0.bytes()
    }
}

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

#[cfg(test)]
mod tests {
    use super::{ChunksBuilder, Rows};

    #[test]
    fn a_page_is_rows_joined_with_commas() {
        let mut rows = ChunksBuilder::default();
        [&b"{1},"[..], b"{22},", b"{3},"].iter().for_each(|row| rows.push(row));
        let rows = Rows::new(rows.finish());
        assert_eq!(rows.page(0, 2).concat(), b"{1},{22}");
        assert_eq!(rows.page(2, 500).concat(), b"{3}");
        assert!(rows.page(3, 1).is_empty() && rows.page(usize::MAX, usize::MAX).is_empty());
        assert_eq!((rows.row(1), rows.len(), rows.bytes()), (&b"{22}"[..], 3, 13));
        assert_eq!(rows.only(&[0, 2]).page(0, 9).concat(), b"{1},{3}");
    }
}
