//! The checksums of an archive: one of every part, in `end.json`, and one of the whole file, behind it.
//!
//! A skippable frame (RFC 8878, section 3.1.2) after the compressed tar holds the sum of the whole; `zstd` and `tar` ignore it.
//! A part is what stands between two lists: a list (`sources.jsonl`, `facts/N.jsonl`) with the contents before it.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};

use refdesk_core::hash::{HashingWriter, hex, sha256_text};
use sha2::{Digest as _, Sha256};

/// First bytes of the frame: one of the sixteen magic numbers of skippable frames.
const FRAME_MAGIC: [u8; 4] = 0x184D_2A5E_u32.to_le_bytes();
/// What stands before the sum.
const LABEL: &[u8] = b"refdesk-archive sha256:";
/// Bytes of the sum in hexadecimal digits.
const HEX_BYTES: usize = 64;
const FRAME_BYTES: usize = FRAME_MAGIC.len() + 4 + LABEL.len() + HEX_BYTES;
/// Bytes that are read at once.
const BLOCK_BYTES: usize = 1 << 16;

/// Sums of the parts, by their names.
pub(super) type PartChecksums = BTreeMap<String, String>;

/// Sums up parts entry by entry.
#[derive(Default)]
pub(super) struct PartSums {
    open: Sha256,
    /// The sums so far.
    pub(super) parts: PartChecksums,
}

impl PartSums {
    /// Takes in an entry; a list closes its part.
    pub(super) fn add(&mut self, name: &str, content: &[u8]) {
        for piece in [name.as_bytes(), content] {
            self.open.update((piece.len() as u64).to_le_bytes());
            self.open.update(piece);
        }
        let closes = !name.contains('/') || name.starts_with("facts/");
        if closes {
            let sum = std::mem::take(&mut self.open).finalize();
            self.parts.insert(name.to_owned(), sha256_text(&sum));
        }
    }

    /// The first part whose sum is another than was told, or that only one of both has.
    pub(super) fn first_difference<'a>(&'a self, told: &'a PartChecksums) -> Option<&'a str> {
        let differs = |(name, sum): &(&'a String, &String)| told.get(*name) != Some(*sum);
        let lacks = told.keys().find(|name| !self.parts.contains_key(*name));
        self.parts.iter().find(differs).map(|(name, _)| name).or(lacks).map(String::as_str)
    }
}

/// Writes the frame with the sum of what a writer was given, and flushes.
pub(super) fn write_frame<W: Write>(written: HashingWriter<W>) -> io::Result<()> {
    let (sum, mut out) = written.finish();
    out.write_all(&FRAME_MAGIC)?;
    out.write_all(&((LABEL.len() + HEX_BYTES) as u32).to_le_bytes())?;
    out.write_all(LABEL)?;
    out.write_all(hex(&sum).as_bytes())?;
    out.flush()
}

/// What the sum of a whole archive says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whole {
    /// The bytes are those that were written.
    Right,
    /// They are others.
    Wrong,
    /// There is no sum, as in archives of the formats 1 and 2.
    Absent,
}

/// Hands out an archive without the frame behind it, and sums it up.
pub(super) struct Unframed<R> {
    inner: R,
    sum: Sha256,
    /// Read and not handed out, from `at` on.
    held: Vec<u8>,
    at: usize,
    end: FrameEnd,
}

/// What is known of the end of an archive.
enum FrameEnd {
    /// It was not read yet.
    Ahead,
    /// There is no frame.
    Bare,
    /// The sum that the frame tells.
    Framed(Vec<u8>),
}

impl<R: Read> Unframed<R> {
    pub(super) fn new(inner: R) -> Self {
        Self { inner, sum: Sha256::new(), held: Vec::new(), at: 0, end: FrameEnd::Ahead }
    }

    /// Reads the rest, and compares.
    pub(super) fn finish(mut self) -> io::Result<Whole> {
        io::copy(&mut self, &mut io::sink())?;
        let FrameEnd::Framed(told) = self.end else { return Ok(Whole::Absent) };
        let right = hex(&self.sum.finalize()).as_bytes() == told;
        Ok(if right { Whole::Right } else { Whole::Wrong })
    }

    fn fill(&mut self) -> io::Result<()> {
        self.held.drain(..self.at);
        self.at = 0;
        let before = self.held.len();
        self.held.resize(before + BLOCK_BYTES, 0);
        let read = self.inner.read(&mut self.held[before..]);
        self.held.truncate(before + read.as_ref().map_or(0, |read| *read));
        match read {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(()),
            Err(error) => Err(error),
            Ok(0) => {
                self.end = told_by(&self.held).map_or(FrameEnd::Bare, FrameEnd::Framed);
                Ok(())
            }
            Ok(_) => Ok(()),
        }
    }
}

/// The sum in the frame at the end of these bytes.
fn told_by(end: &[u8]) -> Option<Vec<u8>> {
    let frame = end.get(end.len().checked_sub(FRAME_BYTES)?..)?;
    let rest = frame.strip_prefix(&FRAME_MAGIC)?;
    let rest = rest.strip_prefix(&((LABEL.len() + HEX_BYTES) as u32).to_le_bytes())?;
    rest.strip_prefix(LABEL).map(<[u8]>::to_vec)
}

impl<R: Read> Read for Unframed<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        while matches!(self.end, FrameEnd::Ahead) && self.held.len() - self.at <= FRAME_BYTES {
            self.fill()?;
        }
        let kept = if matches!(self.end, FrameEnd::Bare) { 0 } else { FRAME_BYTES };
        let ready = (self.held.len() - self.at).saturating_sub(kept).min(to.len());
        let bytes = &self.held[self.at..self.at + ready];
        to[..ready].copy_from_slice(bytes);
        self.sum.update(bytes);
        self.at += ready;
        Ok(ready)
    }
}
