//! Byte strings in chunks: rows and packed records by the million, without an allocation for each, and slices of them without a copy.

use bytes::{Bytes, BytesMut};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crate::broken::broken;
use refdesk_core::codec::packed;
use refdesk_core::cooperative;

/// Strings of a chunk.
pub const CHUNK_STRINGS: usize = 512;

/// Where the strings of a chunk are read when one of them is first asked for.
pub trait ChunkSource: fmt::Debug + Send + Sync {
    /// All of them, joined.
    fn read(&self) -> Bytes;
}

/// Some strings, joined.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Chunk {
    #[serde(with = "in_memory")]
    bytes: OnceLock<Bytes>,
    /// What `bytes` come from while they are not there.
    #[serde(skip)]
    source: Option<Arc<dyn ChunkSource>>,
    /// Start of each string in `bytes`; one more at the end.
    #[serde(with = "packed")]
    starts: Arc<[u32]>,
}

impl Chunk {
    /// Strings that are in memory, and where each starts.
    pub fn new(bytes: Bytes, starts: Arc<[u32]>) -> Self {
        Self { bytes: OnceLock::from(bytes), source: None, starts }
    }

    /// Strings that are read later.
    pub const fn of_source(source: Arc<dyn ChunkSource>, starts: Arc<[u32]>) -> Self {
        Self { bytes: OnceLock::new(), source: Some(source), starts }
    }

    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    fn range(&self, first: usize, end: usize) -> Range<usize> {
        self.starts[first] as usize..self.starts[end] as usize
    }

    /// The joined strings.
    pub fn bytes(&self) -> &Bytes {
        self.bytes.get_or_init(|| match &self.source {
            Some(source) => source.read(),
            None => broken("a chunk", "it has neither bytes nor a source"),
        })
    }

    /// How many bytes that are, without reading them.
    pub fn bytes_len(&self) -> usize {
        self.starts.last().map_or(0, |end| *end as usize)
    }

    /// Start of each string; one more at the end.
    pub const fn starts(&self) -> &Arc<[u32]> {
        &self.starts
    }

    /// The same strings with some bytes written anew; their ends stay. What nobody shares is written in place.
    #[must_use]
    pub fn rewritten(self, write: impl FnOnce(&mut [u8])) -> Self {
        self.bytes();
        let Some(bytes) = self.bytes.into_inner() else { broken("a chunk", "it is not there right after it was read") };
        let mut bytes = BytesMut::from(bytes);
        write(&mut bytes);
        Self::new(bytes.freeze(), self.starts)
    }
}

/// The bytes of chunks that are written with their starts: all of them are in memory.
mod in_memory {
    use std::sync::OnceLock;

    use bytes::Bytes;
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    pub fn serialize<S: Serializer>(bytes: &OnceLock<Bytes>, serializer: S) -> Result<S::Ok, S::Error> {
        bytes.get().ok_or_else(|| serde::ser::Error::custom("a chunk is not in memory"))?.serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<OnceLock<Bytes>, D::Error> {
        Bytes::deserialize(deserializer).map(OnceLock::from)
    }
}

/// Byte strings by position.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Chunks {
    chunks: Vec<Chunk>,
    /// Position of the first string of each chunk; one more at the end.
    #[serde(with = "packed")]
    firsts: Vec<u32>,
}

impl Chunks {
    /// The strings of some chunks.
    pub fn new(chunks: Vec<Chunk>) -> Self {
        let mut firsts = Vec::with_capacity(chunks.len() + 1);
        let mut first = 0;
        for chunk in &chunks {
            firsts.push(first);
            first += chunk.len() as u32;
        }
        firsts.push(first);
        Self { chunks, firsts }
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
        &chunk.bytes()[chunk.range(string, string + 1)]
    }

    /// All strings.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        let mut chunks = self
            .chunks
            .iter()
            .flat_map(|chunk| chunk.starts.windows(2).map(|ends| &chunk.bytes()[ends[0] as usize..ends[1] as usize]));
        // As many as the chunks have: `firsts` was counted from them.
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
            pieces.push(chunk.bytes().slice(chunk.range(string, last)));
        }
        pieces
    }

    /// The same strings, with some bytes of each chunk written anew: `write` is given the number of a chunk and its bytes.
    #[must_use]
    pub fn rewritten(self, write: impl Fn(usize, &mut [u8])) -> Self {
        let chunks = cooperative::yielding(self.chunks).enumerate();
        let chunks = chunks.map(|(at, chunk)| chunk.rewritten(|bytes| write(at, bytes)));
        Self { chunks: chunks.collect(), firsts: self.firsts }
    }

    /// The chunks.
    pub fn chunks(&self) -> impl ExactSizeIterator<Item = &Chunk> {
        self.chunks.iter()
    }

    /// Bytes of all strings.
    pub fn bytes(&self) -> usize {
        self.chunks.iter().map(Chunk::bytes_len).sum()
    }
}

/// Takes strings one after the other.
#[derive(Debug, Default)]
pub struct ChunksBuilder {
    chunks: Vec<Chunk>,
    bytes: Vec<u8>,
    /// End of each string of the chunk that is being made.
    ends: Vec<u32>,
}

impl ChunksBuilder {
    /// Adds a string; gives the number of its chunk, and where it starts there.
    pub fn push(&mut self, string: &[u8]) -> (usize, u32) {
        let place = (self.chunks.len(), self.bytes.len() as u32);
        self.bytes.extend_from_slice(string);
        self.ends.push(self.bytes.len() as u32);
        if self.ends.len() == CHUNK_STRINGS {
            let chunk = self.chunk();
            self.chunks.push(chunk);
        }
        place
    }

    /// The strings since the last chunk.
    fn chunk(&mut self) -> Chunk {
        let bytes = Bytes::copy_from_slice(&self.bytes);
        self.bytes.clear();
        Chunk::new(bytes, std::iter::once(0).chain(self.ends.drain(..)).collect())
    }

    /// The list of all strings.
    pub fn finish(mut self) -> Chunks {
        if !self.ends.is_empty() {
            let chunk = self.chunk();
            self.chunks.push(chunk);
        }
        Chunks::new(self.chunks)
    }
}

#[cfg(test)]
mod tests {
    use super::{CHUNK_STRINGS, Chunks, ChunksBuilder};

    fn chunks(strings: &[Vec<u8>]) -> Chunks {
        let mut builder = ChunksBuilder::default();
        for string in strings {
            builder.push(string);
        }
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
}
