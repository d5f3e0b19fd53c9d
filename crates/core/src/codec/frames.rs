//! A stream of bytes cut into frames, each with its length and checksum: nothing of a damaged or cut-off file is ever read as content.
//! Where the bytes go and come from is asked once a frame, so it is behind a pointer, and what reads and writes frames is compiled once.

use std::io::{Error, ErrorKind, Read, Result, Write};

use crate::cooperative;

/// Bytes of a full frame. The system takes in as many at once, and nothing else runs on that core meanwhile.
const FRAME_BYTES: usize = 1 << 16;
/// Bytes of a frame's head: length and CRC-32, little endian. A frame without content is the end.
const HEAD_BYTES: usize = 8;

/// Cuts what is written into frames.
pub struct FrameWriter<'a> {
    out: &'a mut dyn Write,
    frame: Vec<u8>,
}

impl<'a> FrameWriter<'a> {
    pub const fn new(out: &'a mut dyn Write) -> Self {
        Self { out, frame: Vec::new() }
    }

    fn write_frame(&mut self) -> Result<()> {
        self.out.write_all(&(self.frame.len() as u32).to_le_bytes())?;
        self.out.write_all(&crc32fast::hash(&self.frame).to_le_bytes())?;
        self.out.write_all(&self.frame)?;
        self.frame.clear();
        cooperative::yield_now();
        Ok(())
    }

    /// Writes what is left, and the end.
    pub fn finish(mut self) -> Result<()> {
        if !self.frame.is_empty() {
            self.write_frame()?;
        }
        self.write_frame()?;
        self.out.flush()
    }
}

impl Write for FrameWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        let fitting = bytes.len().min(FRAME_BYTES - self.frame.len());
        self.frame.extend_from_slice(&bytes[..fitting]);
        if self.frame.len() == FRAME_BYTES {
            self.write_frame()?;
        }
        Ok(fitting)
    }

    /// Frames are written when they are full; [`FrameWriter::finish`] writes the last.
    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

/// Reads what frames hold.
pub struct FrameReader<'a> {
    input: &'a mut dyn Read,
    frame: Vec<u8>,
    /// How much of the frame was read.
    read: usize,
}

impl<'a> FrameReader<'a> {
    pub const fn new(input: &'a mut dyn Read) -> Self {
        Self { input, frame: Vec::new(), read: 0 }
    }

    /// What is left of the frame at hand.
    #[inline]
    pub fn at_hand(&self) -> &[u8] {
        &self.frame[self.read..]
    }

    /// The next bytes, which the frame at hand must have.
    #[inline]
    pub fn pass(&mut self, bytes: usize) -> &[u8] {
        let from = self.read;
        self.read += bytes;
        &self.frame[from..self.read]
    }

    /// Takes the next frame, of which it checks every byte.
    fn next_frame(&mut self) -> Result<()> {
        let mut head = [0; HEAD_BYTES];
        self.input.read_exact(&mut head)?;
        let [a, b, c, d, checksum @ ..] = head;
        let length = u32::from_le_bytes([a, b, c, d]) as usize;
        if length > FRAME_BYTES {
            return Err(Error::new(ErrorKind::InvalidData, "a frame is longer than any can be"));
        }
        self.frame.resize(length, 0);
        self.read = 0;
        self.input.read_exact(&mut self.frame)?;
        if crc32fast::hash(&self.frame) != u32::from_le_bytes(checksum) {
            return Err(Error::new(ErrorKind::InvalidData, "the checksum of a frame is wrong"));
        }
        Ok(())
    }

    /// Makes sure that all was read and the end stands there.
    pub fn finish(mut self) -> Result<()> {
        if self.read == self.frame.len() {
            self.next_frame()?;
            if self.frame.is_empty() {
                return Ok(());
            }
        }
        Err(Error::new(ErrorKind::InvalidData, "there is more than expected"))
    }
}

impl Read for FrameReader<'_> {
    fn read(&mut self, out: &mut [u8]) -> Result<usize> {
        if self.read == self.frame.len() {
            self.next_frame()?;
        }
        let taken = self.at_hand().read(out)?;
        self.read += taken;
        Ok(taken)
    }

    // Numbers are read byte by byte, and nearly always from the frame at hand.
    #[inline]
    fn read_exact(&mut self, mut out: &mut [u8]) -> Result<()> {
        if out.len() <= self.at_hand().len() {
            out.copy_from_slice(self.pass(out.len()));
            return Ok(());
        }
        while !out.is_empty() {
            let taken = self.read(out)?;
            if taken == 0 {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            out = &mut out[taken..];
        }
        Ok(())
    }
}
