//! The rendered rows of one kind: a list is some slices of them.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::chunks::{Chunks, ChunksBuilder, Origin};
use refdesk_core::codec::packed;
use refdesk_core::pace;

/// Rows in the order of their ids, each with the comma that stands behind it in a list.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
pub struct Table {
    rows: Chunks,
    /// The ordinal (position in the snapshot) of each row.
    #[serde(with = "packed")]
    ordinals: Vec<u32>,
}

impl Table {
    /// A table of rows that end with a comma.
    pub const fn new(rows: Chunks, ordinals: Vec<u32>) -> Self {
        Self { rows, ordinals }
    }

    /// The table with other rows.
    #[must_use]
    pub fn changed(&self, rows: &[Origin<'_>], ordinals: Vec<u32>) -> Self {
        Self { rows: self.rows.changed(rows), ordinals }
    }

    /// Some of the rows: those whose ordinals are wanted.
    #[must_use]
    pub fn only(&self, wanted: impl Fn(u32) -> bool) -> Self {
        let mut rows = ChunksBuilder::default();
        let mut ordinals = Vec::new();
        for (ordinal, row) in pace::each(&self.ordinals).zip(self.rows.iter()).filter(|(ordinal, _)| wanted(**ordinal))
        {
            rows.push(row);
            ordinals.push(*ordinal);
        }
        Self { rows: rows.finish(), ordinals }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.ordinals.len()
    }

    /// True when there is no row.
    pub fn is_empty(&self) -> bool {
        self.ordinals.is_empty()
    }

    /// The JSON of one row.
    pub fn row(&self, position: usize) -> &[u8] {
        without_comma(self.rows.get(position))
    }

    /// Up to `limit` rows from `offset`, joined with commas, in pieces that are shared, not copied; none past the end.
    pub fn page(&self, offset: usize, limit: usize) -> Vec<Bytes> {
        let mut pieces = self.rows.pieces(offset, offset.saturating_add(limit));
        if let Some(last) = pieces.last_mut() {
            last.truncate(last.len() - 1);
        }
        pieces
    }

    /// The ordinals of the rows of [`Table::page`].
    pub fn ordinals(&self, offset: usize, limit: usize) -> &[u32] {
        let first = offset.min(self.len());
        &self.ordinals[first..first.saturating_add(limit).min(self.len())]
    }

    /// Bytes of the rendered rows.
    pub fn bytes(&self) -> usize {
        self.rows.bytes()
    }
}

fn without_comma(row: &[u8]) -> &[u8] {
    row.strip_suffix(b",").unwrap_or(row)
}

#[cfg(test)]
mod tests {
    use super::{ChunksBuilder, Table};

    #[test]
    fn a_page_is_rows_joined_with_commas() {
        let mut rows = ChunksBuilder::default();
        [&b"{1},"[..], b"{22},", b"{3},"].iter().for_each(|row| rows.push(row));
        let table = Table::new(rows.finish(), vec![4, 5, 6]);
        assert_eq!(table.page(0, 2).concat(), b"{1},{22}");
        assert_eq!(table.page(2, 500).concat(), b"{3}");
        assert!(table.page(3, 1).is_empty() && table.page(usize::MAX, usize::MAX).is_empty());
        assert_eq!((table.row(1), table.ordinals(1, 9)), (&b"{22}"[..], &[5, 6][..]));
        let some = table.only(|ordinal| ordinal != 5);
        assert_eq!((some.page(0, 9).concat().as_slice(), some.ordinals(0, 9)), (&b"{1},{3}"[..], &[4, 6][..]));
    }
}
