//! The rendered rows of one kind, in chunks cut at item borders: a list is some slices of them, and a new generation takes over the
//! chunks in which nothing changed.

use std::sync::Arc;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::image::packed;

/// Rows of a chunk of a new table; chunks that grow to twice as many are cut in two.
const CHUNK_ROWS: usize = 512;

/// Some rows joined with commas, a comma behind the last too.
#[derive(Debug, Serialize, Deserialize)]
struct Chunk {
    rows: Bytes,
    /// Start of each row in `rows`; one more at the end.
    #[serde(with = "packed")]
    starts: Box<[u32]>,
}

impl Chunk {
    fn of(rows: &[&[u8]]) -> Arc<Self> {
        let mut page = Vec::with_capacity(rows.iter().map(|row| row.len() + 1).sum());
        let mut starts = Vec::with_capacity(rows.len() + 1);
        for row in rows {
            starts.push(page.len() as u32);
            page.extend_from_slice(row);
            page.push(b',');
        }
        starts.push(page.len() as u32);
        Arc::new(Self { rows: page.into(), starts: starts.into_boxed_slice() })
    }

    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Rows from `first` to before `end`, with or without the comma behind the last.
    fn slice(&self, first: usize, end: usize, comma: bool) -> Bytes {
        self.rows.slice(self.starts[first] as usize..self.starts[end] as usize - usize::from(!comma))
    }

    fn row(&self, at: usize) -> &[u8] {
        &self.rows[self.starts[at] as usize..self.starts[at + 1] as usize - 1]
    }
}

/// Rows in the order of their ids.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
pub struct Table {
    chunks: Vec<Arc<Chunk>>,
    /// Position of the first row of each chunk; one more at the end.
    #[serde(with = "packed")]
    firsts: Vec<u32>,
    /// The ordinal (position in the snapshot) of each row.
    #[serde(with = "packed")]
    ordinals: Vec<u32>,
}

/// Where a row of a changed table comes from.
#[derive(Debug, Clone, Copy)]
pub enum RowFrom<'a> {
    /// The row at this position of the table before.
    Before(u32),
    /// A new row.
    New(&'a [u8]),
}

impl Table {
    /// Puts rendered rows together.
    pub fn build<'a>(rows: impl Iterator<Item = (u32, &'a [u8])>) -> Self {
        let (ordinals, rows): (Vec<u32>, Vec<&[u8]>) = rows.unzip();
        Self::of(rows.chunks(CHUNK_ROWS).map(Chunk::of).collect(), ordinals)
    }

    fn of(chunks: Vec<Arc<Chunk>>, ordinals: Vec<u32>) -> Self {
        let mut firsts = Vec::with_capacity(chunks.len() + 1);
        let mut first = 0;
        for chunk in &chunks {
            firsts.push(first);
            first += chunk.len() as u32;
        }
        firsts.push(first);
        Self { chunks, firsts, ordinals }
    }

    /// The table with other rows: kept ones in their order, new ones between them. Chunks that stay as they are are shared.
    #[must_use]
    pub fn changed(&self, rows: &[RowFrom<'_>], ordinals: Vec<u32>) -> Self {
        let mut chunks = Vec::with_capacity(self.chunks.len() + 1);
        let mut pending: Vec<&[u8]> = Vec::new();
        let mut at = 0;
        while at < rows.len() {
            if let Some((chunk, len)) = self.whole_chunk(&rows[at..]) {
                flush(&mut pending, &mut chunks);
                chunks.push(chunk);
                at += len;
                continue;
            }
            match rows[at] {
                RowFrom::Before(position) => {
                    let (chunk, row) = self.place(position as usize);
                    pending.push(self.chunks[chunk].row(row));
                }
                RowFrom::New(row) => pending.push(row),
            }
            at += 1;
        }
        flush(&mut pending, &mut chunks);
        Self::of(chunks, ordinals)
    }

    /// The chunk that the next rows are, whole and unchanged, with its length.
    fn whole_chunk(&self, rows: &[RowFrom<'_>]) -> Option<(Arc<Chunk>, usize)> {
        let RowFrom::Before(first) = *rows.first()? else { return None };
        let (chunk, row) = self.place(first as usize);
        let len = self.chunks[chunk].len();
        let mut expected = first..;
        let whole = row == 0
            && rows.get(..len)?.iter().all(|row| matches!(row, RowFrom::Before(at) if Some(*at) == expected.next()));
        whole.then(|| (Arc::clone(&self.chunks[chunk]), len))
    }

    /// Chunk of a position, and the row in it.
    fn place(&self, position: usize) -> (usize, usize) {
        let chunk = self.firsts.partition_point(|first| *first as usize <= position) - 1;
        (chunk, position - self.firsts[chunk] as usize)
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
        let (chunk, row) = self.place(position);
        self.chunks[chunk].slice(row, row + 1, false)
    }

    /// The same, borrowed.
    pub fn row_bytes(&self, position: usize) -> &[u8] {
        let (chunk, row) = self.place(position);
        self.chunks[chunk].row(row)
    }

    /// Up to `limit` rows from `offset`, joined with commas, in pieces that are shared, not copied; none past the end.
    pub fn page(&self, offset: usize, limit: usize) -> Vec<Bytes> {
        let end = offset.saturating_add(limit).min(self.len());
        let (mut at, mut pieces) = (offset, Vec::new());
        while at < end {
            let (chunk, row) = self.place(at);
            let chunk = &self.chunks[chunk];
            let last = (row + end - at).min(chunk.len());
            at += last - row;
            pieces.push(chunk.slice(row, last, at < end));
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
        self.chunks.iter().map(|chunk| chunk.rows.len()).sum()
    }
}

/// Makes chunks of the rows that wait.
fn flush(pending: &mut Vec<&[u8]>, chunks: &mut Vec<Arc<Chunk>>) {
    if pending.len() < CHUNK_ROWS * 2 && !pending.is_empty() {
        chunks.push(Chunk::of(pending));
    } else {
        chunks.extend(pending.chunks(CHUNK_ROWS).map(Chunk::of));
    }
    pending.clear();
}

#[cfg(test)]
mod tests {
    use super::{CHUNK_ROWS, RowFrom, Table};

    fn table(rows: &[Vec<u8>]) -> Table {
        Table::build(rows.iter().enumerate().map(|(at, row)| (at as u32, row.as_slice())))
    }

    fn joined(table: &Table, offset: usize, limit: usize) -> Vec<u8> {
        table.page(offset, limit).concat()
    }

    #[test]
    fn pages_are_slices_at_row_borders() {
        let few = table(&[b"{1}".to_vec(), b"{22}".to_vec(), b"{3}".to_vec()]);
        assert_eq!(joined(&few, 0, 2), b"{1},{22}");
        assert_eq!(joined(&few, 2, 500), b"{3}");
        assert!(few.page(3, 1).is_empty() && few.page(usize::MAX, usize::MAX).is_empty());
        assert_eq!(&few.row(1)[..], b"{22}");
        assert_eq!(few.ordinals(1, 9), [1, 2]);
        let rows: Vec<Vec<u8>> = (0..CHUNK_ROWS * 2 + 3).map(|at| at.to_string().into_bytes()).collect();
        let many = table(&rows);
        assert_eq!(many.page(CHUNK_ROWS - 1, CHUNK_ROWS + 2).len(), 3);
        assert_eq!(
            joined(&many, CHUNK_ROWS - 1, CHUNK_ROWS + 2),
            rows[CHUNK_ROWS - 1..=CHUNK_ROWS * 2].join(&b","[..])
        );
    }

    #[test]
    fn a_changed_table_shares_what_stayed() {
        let rows: Vec<Vec<u8>> = (0..CHUNK_ROWS * 3).map(|at| at.to_string().into_bytes()).collect();
        let before = table(&rows);
        let mut from: Vec<RowFrom<'_>> = (0..rows.len() as u32).map(RowFrom::Before).collect();
        from[CHUNK_ROWS] = RowFrom::New(b"new");
        from.insert(CHUNK_ROWS + 1, RowFrom::New(b"more"));
        from.remove(CHUNK_ROWS + 7);
        let after = before.changed(&from, (0..from.len() as u32).collect());
        let mut replaced: Vec<RowFrom<'_>> = (0..rows.len() as u32).map(RowFrom::Before).collect();
        replaced[7] = RowFrom::New(b"other");
        assert_eq!(&before.changed(&replaced, (0..rows.len() as u32).collect()).row(7)[..], b"other");
        let mut wanted = rows.clone();
        wanted[CHUNK_ROWS] = b"new".to_vec();
        wanted.insert(CHUNK_ROWS + 1, b"more".to_vec());
        wanted.remove(CHUNK_ROWS + 7);
        assert_eq!(joined(&after, 0, usize::MAX), wanted.join(&b","[..]));
        let kept = |at: usize| after.row(at).as_ptr() == before.row(at).as_ptr();
        assert!(kept(0) && kept(CHUNK_ROWS * 2) && !kept(CHUNK_ROWS + 1));
    }
}
