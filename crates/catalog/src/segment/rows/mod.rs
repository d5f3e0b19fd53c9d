//! The rendered rows of a segment, in the order of their ids: a list is some slices of them.
//!
//! Rows show when facts were confirmed, at places that are known and of fixed width. On disk ([`on_disk`]) these places are blank, and
//! they are filled when rows are read: see [`super::evidence::times`].

pub mod listed;
pub mod on_disk;

use std::sync::Arc;

use bytes::Bytes;

use super::chunks::{Chunk, Chunks, ChunksBuilder};
use super::evidence::times::{BLANK_TIME, ShownTime, TIME_CHARS, Times, WrittenTimes};
use on_disk::RowsOnDisk;

/// Rows, each with the comma that stands behind it in a list.
#[derive(Debug, Clone, Default)]
pub struct Rows {
    chunks: Chunks,
    /// The times that the rows of each chunk show; offsets count from the beginning of the chunk.
    shown: Vec<Arc<[ShownTime]>>,
    /// Where chunks are read when one of their rows is first asked for; `None` when all are in memory.
    on_disk: Option<Arc<RowsOnDisk>>,
}

impl Rows {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.chunks.len()
    }

    /// The JSON of one row.
    pub fn row(&self, position: usize) -> &[u8] {
        let row = self.chunks.get(position);
        row.strip_suffix(b",").unwrap_or(row)
    }

    /// Up to `limit` rows from `offset`, joined with commas, in pieces that are shared, not copied; none past the end.
    pub fn page(&self, offset: usize, limit: usize) -> Vec<Bytes> {
        without_last_comma(self.chunks.pieces(offset, offset.saturating_add(limit)))
    }

    /// The rows at some rising positions, joined in the same way.
    pub fn rows(&self, positions: &[u32]) -> Vec<Bytes> {
        let runs = positions.chunk_by(|before, next| before + 1 == *next);
        let run = |run: &[u32]| self.chunks.pieces(run[0] as usize, run[0] as usize + run.len());
        without_last_comma(runs.flat_map(run).collect())
    }

    /// Bytes of all rows.
    pub fn bytes(&self) -> usize {
        self.chunks.bytes()
    }

    /// The rows with the times of their facts in them. Rows that nobody shares are written in place.
    #[must_use]
    pub fn showing(self, times: &Times) -> Self {
        if let Some(on_disk) = &self.on_disk {
            return on_disk.showing(times);
        }
        let Self { chunks, shown, on_disk } = self;
        let written = WrittenTimes::new(times);
        Self { chunks: chunks.rewritten(|chunk, bytes| fill(bytes, &shown[chunk], &written)), shown, on_disk }
    }

    /// Whether every time stands within a row, and is one of a fact.
    pub fn is_sound(&self, facts: usize) -> bool {
        let chunks: Vec<&Chunk> = self.chunks.chunks().collect();
        chunks.len() == self.shown.len()
            && chunks.iter().zip(&self.shown).all(|(chunk, shown)| {
                shown.iter().all(|time| time.range().end <= chunk.bytes_len() && (time.slot() as usize) < facts)
            })
    }
}

fn without_last_comma(mut pieces: Vec<Bytes>) -> Vec<Bytes> {
    if let Some(last) = pieces.last_mut() {
        last.truncate(last.len() - 1);
    }
    pieces
}

fn write_at(bytes: &mut [u8], time: ShownTime, text: &[u8; TIME_CHARS]) {
    if let Some(place) = bytes.get_mut(time.range()) {
        place.copy_from_slice(text);
    }
}

/// Writes the times that a chunk of rows shows.
fn fill(bytes: &mut [u8], shown: &[ShownTime], written: &WrittenTimes<'_>) {
    shown.iter().for_each(|time| write_at(bytes, *time, written.of(*time)));
}

/// Blanks the times that a row, or a chunk of rows, shows.
pub fn blank(bytes: &mut [u8], shown: &[ShownTime]) {
    shown.iter().for_each(|time| write_at(bytes, *time, &BLANK_TIME));
}

/// Takes rows one after the other.
#[derive(Debug, Default)]
pub struct RowsBuilder {
    rows: ChunksBuilder,
    shown: Vec<Vec<ShownTime>>,
}

impl RowsBuilder {
    /// Adds a row that ends with a comma, and the times that it shows.
    pub fn push(&mut self, row: &[u8], shown: &[ShownTime]) {
        let (chunk, start) = self.rows.push(row);
        self.shown.resize_with(chunk + 1, Vec::new);
        self.shown[chunk].extend(shown.iter().map(|time| time.behind(start)));
    }

    /// All rows.
    pub fn finish(self) -> Rows {
        let shown = self.shown.into_iter().map(Arc::from).collect();
        Rows { chunks: self.rows.finish(), shown, on_disk: None }
    }
}

#[cfg(test)]
mod tests {
    use super::RowsBuilder;

    #[test]
    fn a_page_is_rows_joined_with_commas() {
        let mut rows = RowsBuilder::default();
        [&b"{1},"[..], b"{22},", b"{3},"].iter().for_each(|row| rows.push(row, &[]));
        let rows = rows.finish();
        assert_eq!(rows.page(0, 2).concat(), b"{1},{22}");
        assert_eq!(rows.page(2, 500).concat(), b"{3}");
        assert!(rows.page(3, 1).is_empty() && rows.page(usize::MAX, usize::MAX).is_empty());
        assert_eq!((rows.row(1), rows.len(), rows.bytes()), (&b"{22}"[..], 3, 13));
        assert_eq!((rows.rows(&[0, 2]).concat(), rows.rows(&[1, 2]).len()), (b"{1},{3}".to_vec(), 1));
        assert!(rows.rows(&[]).is_empty());
    }
}
