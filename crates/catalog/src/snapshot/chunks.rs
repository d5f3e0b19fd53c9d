//! Byte strings in shared chunks: rows and packed records by the million, without an allocation for each, and a new generation takes
//! over the chunks in which nothing changed.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use refdesk_core::codec::packed;
use refdesk_core::pace;

/// Strings of a chunk of a new list; chunks that grow to twice as many are cut in two.
pub const CHUNK_STRINGS: usize = 512;

/// Some strings, joined.
#[derive(Debug, Serialize, Deserialize)]
struct Chunk {
    bytes: Bytes,
    /// Start of each string in `bytes`; one more at the end.
    #[serde(with = "packed")]
    starts: Box<[u32]>,
}

impl Chunk {
    fn of(strings: &[&[u8]]) -> Arc<Self> {
        let mut builder = ChunksBuilder::default();
        builder.bytes.reserve_exact(strings.iter().map(|string| string.len()).sum());
        strings.iter().for_each(|string| builder.add(string));
        builder.chunk()
    }

    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    fn range(&self, first: usize, end: usize) -> Range<usize> {
        self.starts[first] as usize..self.starts[end] as usize
    }
}

/// Byte strings by position.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
pub struct Chunks {
    chunks: Vec<Arc<Chunk>>,
    /// Position of the first string of each chunk; one more at the end.
    #[serde(with = "packed")]
    firsts: Vec<u32>,
}

/// Where a string of a changed list comes from.
#[derive(Debug, Clone, Copy)]
pub enum Origin<'a> {
    /// The string at this position of the list before.
    Before(u32),
    /// A new string.
    New(&'a [u8]),
}

impl Chunks {
    fn of(chunks: Vec<Arc<Chunk>>) -> Self {
        let mut firsts = Vec::with_capacity(chunks.len() + 1);
        let mut first = 0;
        for chunk in &chunks {
            firsts.push(first);
            first += chunk.len() as u32;
        }
        firsts.push(first);
        Self { chunks, firsts }
    }

    /// The list with other strings: kept ones in their order, new ones between them. Chunks that stay as they are are shared.
    #[must_use]
    pub fn changed(&self, strings: &[Origin<'_>]) -> Self {
        let mut chunks = Vec::with_capacity(self.chunks.len() + 1);
        let mut pending: Vec<&[u8]> = Vec::new();
        let mut at = 0;
        while at < strings.len() {
            pace::give_way();
            if let Some((chunk, len)) = self.whole_chunk(&strings[at..]) {
                flush(&mut pending, &mut chunks);
                chunks.push(chunk);
                at += len;
                continue;
            }
            pending.push(match strings[at] {
                Origin::Before(position) => self.get(position as usize),
                Origin::New(string) => string,
            });
            at += 1;
        }
        flush(&mut pending, &mut chunks);
        Self::of(chunks)
    }

    /// The chunk that the next strings are, whole and unchanged, with its length.
    fn whole_chunk(&self, strings: &[Origin<'_>]) -> Option<(Arc<Chunk>, usize)> {
        let Origin::Before(first) = *strings.first()? else { return None };
        let (chunk, string) = self.place(first as usize);
        let len = self.chunks[chunk].len();
        let mut expected = first..;
        let whole = string == 0
            && strings
                .get(..len)?
                .iter()
                .all(|from| matches!(from, Origin::Before(at) if Some(*at) == expected.next()));
        whole.then(|| (Arc::clone(&self.chunks[chunk]), len))
    }

    /// Chunk of a position, and the string in it.
    fn place(&self, position: usize) -> (usize, usize) {
        let chunk = self.firsts.partition_point(|first| *first as usize <= position) - 1;
        (chunk, position - self.firsts[chunk] as usize)
    }

    /// Number of strings.
    pub fn len(&self) -> usize {
        self.firsts.last().map_or(0, |end| *end as usize)
    }

    /// The string at a position.
    pub fn get(&self, position: usize) -> &[u8] {
        let (chunk, string) = self.place(position);
        let chunk = &self.chunks[chunk];
        &chunk.bytes[chunk.range(string, string + 1)]
    }

    /// All strings.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        let mut chunks = self
            .chunks
            .iter()
            .flat_map(|chunk| chunk.starts.windows(2).map(|ends| &chunk.bytes[ends[0] as usize..ends[1] as usize]));
        (0..self.len()).map(move |_| chunks.next().unwrap_or_default())
    }

    /// Strings from `first` to before `end`, joined, in pieces that are shared, not copied.
    pub fn pieces(&self, first: usize, end: usize) -> Vec<Bytes> {
        let end = end.min(self.len());
        let (mut at, mut pieces) = (first, Vec::new());
        while at < end {
            let (chunk, string) = self.place(at);
            let chunk = &self.chunks[chunk];
            let last = (string + end - at).min(chunk.len());
            at += last - string;
            pieces.push(chunk.bytes.slice(chunk.range(string, last)));
        }
        pieces
    }

    /// Bytes of all strings.
    pub fn bytes(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.bytes.len()).sum()
    }
}

/// Makes chunks of the strings that wait.
fn flush(pending: &mut Vec<&[u8]>, chunks: &mut Vec<Arc<Chunk>>) {
    if pending.len() < CHUNK_STRINGS * 2 && !pending.is_empty() {
        chunks.push(Chunk::of(pending));
    } else {
        chunks.extend(pending.chunks(CHUNK_STRINGS).map(Chunk::of));
    }
    pending.clear();
}

/// Takes strings one after the other.
#[derive(Debug, Default)]
pub struct ChunksBuilder {
    chunks: Vec<Arc<Chunk>>,
    bytes: Vec<u8>,
    /// End of each string of the chunk that is being made.
    ends: Vec<u32>,
}

impl ChunksBuilder {
    /// Adds a string.
    pub fn push(&mut self, string: &[u8]) {
        self.add(string);
        if self.ends.len() == CHUNK_STRINGS {
            let chunk = self.chunk();
            self.chunks.push(chunk);
        }
    }

    fn add(&mut self, string: &[u8]) {
        self.bytes.extend_from_slice(string);
        self.ends.push(self.bytes.len() as u32);
    }

    /// The strings since the last chunk.
    fn chunk(&mut self) -> Arc<Chunk> {
        let bytes = Bytes::copy_from_slice(&self.bytes);
        self.bytes.clear();
        Arc::new(Chunk { bytes, starts: std::iter::once(0).chain(self.ends.drain(..)).collect() })
    }

    /// The list of all strings.
    pub fn finish(mut self) -> Chunks {
        if !self.ends.is_empty() {
            let chunk = self.chunk();
            self.chunks.push(chunk);
        }
        Chunks::of(self.chunks)
    }
}

#[cfg(test)]
mod tests {
    use super::{CHUNK_STRINGS, Chunks, ChunksBuilder, Origin};

    fn chunks(strings: &[Vec<u8>]) -> Chunks {
        let mut builder = ChunksBuilder::default();
        strings.iter().for_each(|string| builder.push(string));
        builder.finish()
    }

    fn numbers(count: usize) -> Vec<Vec<u8>> {
        (0..count).map(|at| at.to_string().into_bytes()).collect()
    }

    #[test]
    fn pieces_are_slices_at_borders_of_strings() {
        let few = chunks(&[b"1".to_vec(), Vec::new(), b"22".to_vec(), b"3".to_vec()]);
        assert_eq!(few.pieces(1, 3).concat(), b"22");
        assert_eq!(few.pieces(3, usize::MAX).concat(), b"3");
        assert!(few.pieces(4, 5).is_empty() && few.pieces(usize::MAX, usize::MAX).is_empty());
        assert_eq!((few.get(1), few.get(2), few.len(), few.bytes()), (&b""[..], &b"22"[..], 4, 4));
        let strings = numbers(CHUNK_STRINGS * 2 + 3);
        let many = chunks(&strings);
        assert_eq!(many.pieces(CHUNK_STRINGS - 1, CHUNK_STRINGS * 2 + 1).len(), 3);
        assert_eq!(many.pieces(7, usize::MAX).concat(), strings[7..].concat());
        assert!(many.iter().eq(strings.iter()));
        assert_eq!(Chunks::default().iter().len(), 0);
    }

    #[test]
    fn a_changed_list_shares_what_stayed() {
        let strings = numbers(CHUNK_STRINGS * 3);
        let before = chunks(&strings);
        let mut from: Vec<Origin<'_>> = (0..strings.len() as u32).map(Origin::Before).collect();
        let mut replaced = from.clone();
        replaced[7] = Origin::New(b"other");
        assert_eq!(before.changed(&replaced).get(7), b"other");
        from[CHUNK_STRINGS] = Origin::New(b"new");
        from.insert(CHUNK_STRINGS + 1, Origin::New(b"more"));
        from.remove(CHUNK_STRINGS + 7);
        let after = before.changed(&from);
        let mut wanted = strings.clone();
        wanted[CHUNK_STRINGS] = b"new".to_vec();
        wanted.insert(CHUNK_STRINGS + 1, b"more".to_vec());
        wanted.remove(CHUNK_STRINGS + 7);
        assert!(after.iter().eq(wanted.iter()));
        let kept = |at: usize| after.get(at).as_ptr() == before.get(at).as_ptr();
        assert!(kept(0) && kept(CHUNK_STRINGS * 2) && !kept(CHUNK_STRINGS + 1));
    }
}
