//! Rows on disk: their bytes stand behind all else of the segment, chunk after chunk, with their times blank. A desk that runs reads all of
//! them at once; a command that looks something up checks them, and reads the few chunks that it shows.

use std::io::Write;
use std::sync::Arc;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::{Rows, blank, fill};
use crate::broken::broken;
use crate::segment::Texts;
use crate::segment::chunks::{Chunk, ChunkSource, Chunks};
use crate::segment::evidence::times::{ShownTime, Times, WrittenTimes};
use crate::segment::texts::pieces;
use refdesk_core::codec::packed;
use refdesk_core::cooperative;

/// What a segment says of a chunk of rows; their bytes are elsewhere.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ChunkOnDisk {
    crc: u32,
    /// Start of each row; one more at the end.
    #[serde(with = "packed")]
    starts: Arc<[u32]>,
    #[serde(with = "packed")]
    shown: Arc<[ShownTime]>,
}

impl ChunkOnDisk {
    /// Bytes of its rows.
    pub fn bytes(&self) -> usize {
        self.starts.last().map_or(0, |end| *end as usize)
    }
}

/// Rows that are read when they are first asked for.
#[derive(Debug)]
pub struct RowsOnDisk {
    texts: Arc<dyn Texts>,
    /// Where the bytes of each chunk begin.
    chunks: Vec<(u64, ChunkOnDisk)>,
}

impl RowsOnDisk {
    /// Rows whose bytes begin at a place among texts.
    pub fn new(texts: Arc<dyn Texts>, first: u64, chunks: Vec<ChunkOnDisk>) -> Self {
        let mut next = first;
        let place = |chunk: ChunkOnDisk| {
            let at = next;
            next += chunk.bytes() as u64;
            (at, chunk)
        };
        Self { texts, chunks: chunks.into_iter().map(place).collect() }
    }

    /// All rows, in memory and without times; `None` when some cannot be read or are damaged.
    pub fn read(self) -> Option<Rows> {
        let mut rows = Vec::with_capacity(self.chunks.len());
        for (at, chunk) in cooperative::yielding(&self.chunks) {
            rows.push(Chunk::new(self.bytes(*at, chunk)?.into(), Arc::clone(&chunk.starts)));
        }
        let shown = self.chunks.into_iter().map(|(_, chunk)| chunk.shown).collect();
        Some(Rows { chunks: Chunks::new(rows), shown, on_disk: None })
    }

    /// The rows, none of them read, with the times of their facts; `None` when some cannot be read or are damaged.
    pub fn checked(self: Arc<Self>, times: &Times) -> Option<Rows> {
        let is_sound = |(at, chunk): &(u64, ChunkOnDisk)| {
            let mut crc = crc32fast::Hasher::new();
            let mut pieces = pieces(&*self.texts, *at, chunk.bytes() as u64);
            let is_whole = pieces.all(|piece| piece.map(|piece| crc.update(&piece)).is_some());
            is_whole && crc.finalize() == chunk.crc
        };
        self.chunks.iter().all(is_sound).then(|| self.showing(times))
    }

    /// The rows, none of them read, with the times of their facts.
    pub fn showing(self: &Arc<Self>, times: &Times) -> Rows {
        let times = Arc::new(times.clone());
        let chunk = |number: usize| {
            let source = LaterRows { rows: Arc::clone(self), number, times: Arc::clone(&times) };
            Chunk::of_source(Arc::new(source), Arc::clone(&self.chunks[number].1.starts))
        };
        Rows {
            chunks: Chunks::new((0..self.chunks.len()).map(chunk).collect()),
            shown: self.chunks.iter().map(|(_, chunk)| Arc::clone(&chunk.shown)).collect(),
            on_disk: Some(Arc::clone(self)),
        }
    }

    /// The bytes of a chunk, their times blank.
    fn bytes(&self, at: u64, chunk: &ChunkOnDisk) -> Option<Vec<u8>> {
        self.texts.get(at, chunk.bytes()).filter(|bytes| crc32fast::hash(bytes) == chunk.crc)
    }
}

/// A chunk of rows that is not read yet.
#[derive(Debug)]
struct LaterRows {
    rows: Arc<RowsOnDisk>,
    number: usize,
    times: Arc<Times>,
}

impl ChunkSource for LaterRows {
    fn read(&self) -> Bytes {
        let (at, chunk) = &self.rows.chunks[self.number];
        match self.rows.bytes(*at, chunk) {
            Some(mut bytes) => {
                fill(&mut bytes, &chunk.shown, &WrittenTimes::new(&self.times));
                bytes.into()
            }
            None => broken("rows", "they could be read a moment ago"),
        }
    }
}

impl Rows {
    /// What a segment on disk says of each chunk.
    pub fn chunks_on_disk(&self) -> Vec<ChunkOnDisk> {
        let chunks = cooperative::yielding(self.chunks.chunks()).zip(&self.shown);
        let on_disk = chunks.map(|(chunk, shown)| {
            let crc = crc32fast::hash(&blanked(chunk, shown));
            ChunkOnDisk { crc, starts: Arc::clone(chunk.starts()), shown: Arc::clone(shown) }
        });
        on_disk.collect()
    }

    /// Writes the bytes of all chunks, their times blank.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn write_bytes(&self, out: &mut dyn Write) -> std::io::Result<()> {
        let mut chunks = cooperative::yielding(self.chunks.chunks()).zip(&self.shown);
        chunks.try_for_each(|(chunk, shown)| out.write_all(&blanked(chunk, shown)))
    }
}

fn blanked(chunk: &Chunk, shown: &[ShownTime]) -> Vec<u8> {
    let mut bytes = chunk.bytes().to_vec();
    blank(&mut bytes, shown);
    bytes
}
