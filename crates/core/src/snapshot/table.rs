//! The rendered rows of one kind: one contiguous page, cut at item borders, so that a list is a slice of it.

use bytes::Bytes;

/// Rows in the order of their ids, joined with commas.
#[derive(Debug, Default)]
pub struct Table {
    rows: Bytes,
    /// Start of each row in `rows`; one more at the end.
    starts: Vec<usize>,
    /// The ordinal (position in the snapshot) of each row.
    ordinals: Vec<u32>,
}

impl Table {
    /// Puts rendered rows together.
    pub fn build<'a>(rows: impl Iterator<Item = (u32, &'a [u8])>) -> Self {
        let (mut page, mut starts, mut ordinals) = (Vec::new(), Vec::new(), Vec::new());
        for (ordinal, row) in rows {
            starts.push(page.len());
            ordinals.push(ordinal);
            page.extend_from_slice(row);
            page.push(b',');
        }
        starts.push(page.len());
        page.shrink_to_fit();
        Self { rows: page.into(), starts, ordinals }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.ordinals.len()
    }

    /// True when there is no row.
    pub fn is_empty(&self) -> bool {
        self.ordinals.is_empty()
    }

    /// The JSON of one row, shared, not copied.
    pub fn row(&self, position: usize) -> Bytes {
        self.rows.slice(self.starts[position]..self.starts[position + 1] - 1)
    }

    /// Up to `limit` rows from `offset`, joined with commas, shared, not copied; empty past the end.
    pub fn page(&self, offset: usize, limit: usize) -> Bytes {
        let first = offset.min(self.len());
        let end = first.saturating_add(limit).min(self.len());
        if first == end { Bytes::new() } else { self.rows.slice(self.starts[first]..self.starts[end] - 1) }
    }

    /// The ordinals of the rows of [`Table::page`].
    pub fn ordinals(&self, offset: usize, limit: usize) -> &[u32] {
        let first = offset.min(self.len());
        &self.ordinals[first..first.saturating_add(limit).min(self.len())]
    }

    /// Bytes of the rendered rows.
    pub fn bytes(&self) -> usize {
        self.rows.len()
    }
}

#[cfg(test)]
mod tests {
    use super::Table;

    #[test]
    fn pages_are_slices_at_row_borders() {
        let rows: [&[u8]; 3] = [b"{1}", b"{22}", b"{3}"];
        let table = Table::build(rows.iter().enumerate().map(|(at, row)| (at as u32, *row)));
        assert_eq!(&table.page(0, 2)[..], b"{1},{22}");
        assert_eq!(&table.page(2, 500)[..], b"{3}");
        assert!(table.page(3, 1).is_empty() && table.page(usize::MAX, usize::MAX).is_empty());
        assert_eq!(&table.row(1)[..], b"{22}");
        assert_eq!(table.ordinals(1, 9), [1, 2]);
    }
}
