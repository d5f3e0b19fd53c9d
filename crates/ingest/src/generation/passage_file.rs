//! The texts of which snippets are cut, in a file: behind their segment, or in one without a name while that is not yet written.

use std::fs::File;
use std::io;
use std::path::Path;

use refdesk_catalog::segment::Texts;

/// Bytes that are written at once; the last ones stay in memory.
const BUFFER_BYTES: usize = 1 << 20;

/// Texts in a part of a file.
#[derive(Debug)]
pub struct PassageFile {
    file: File,
    /// Where they begin.
    start: u64,
    /// Bytes in the file.
    written: u64,
    /// Bytes that are not written yet.
    rest: Vec<u8>,
}

impl PassageFile {
    /// A place for texts in a directory, which vanishes with this.
    ///
    /// # Errors
    /// When no file can be made there.
    pub fn new_in(dir: &Path) -> io::Result<Self> {
        Ok(Self { file: tempfile::tempfile_in(dir)?, start: 0, written: 0, rest: Vec::new() })
    }

    /// Texts that stand in a file, from `start` to its end.
    ///
    /// # Errors
    /// When the file has another length.
    pub fn open(file: File, start: u64, bytes: u64) -> io::Result<Self> {
        if file.metadata()?.len() != start + bytes {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the texts are cut off"));
        }
        Ok(Self { file, start, written: bytes, rest: Vec::new() })
    }
}

impl Texts for PassageFile {
    fn put(&mut self, bytes: &[u8]) -> Option<u64> {
        if self.rest.len() + bytes.len() > BUFFER_BYTES {
            write_all_at(&self.file, &self.rest, self.start + self.written).ok()?;
            self.written += self.rest.len() as u64;
            self.rest.clear();
        }
        let at = self.bytes();
        self.rest.extend_from_slice(bytes);
        Some(at)
    }

    fn get(&self, at: u64, bytes: usize) -> Option<Vec<u8>> {
        let mut text = vec![0; bytes];
        let in_file = usize::try_from(self.written.saturating_sub(at)).unwrap_or(usize::MAX).min(bytes);
        let (from_file, from_rest) = text.split_at_mut(in_file);
        read_exact_at(&self.file, from_file, self.start + at).ok()?;
        if !from_rest.is_empty() {
            let start = usize::try_from((at + in_file as u64).checked_sub(self.written)?).ok()?;
            from_rest.copy_from_slice(self.rest.get(start..start + from_rest.len())?);
        }
        Some(text)
    }

    fn bytes(&self) -> u64 {
        self.written + self.rest.len() as u64
    }
}

#[cfg(unix)]
fn read_exact_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, at)
}

#[cfg(unix)]
fn write_all_at(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, at)
}

#[cfg(windows)]
fn read_exact_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<()> {
    let mut read = 0;
    while read < buffer.len() {
        match std::os::windows::fs::FileExt::seek_read(file, &mut buffer[read..], at + read as u64)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            more => read += more,
        }
    }
    Ok(())
}

#[cfg(windows)]
fn write_all_at(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    let mut written = 0;
    while written < bytes.len() {
        written += std::os::windows::fs::FileExt::seek_write(file, &bytes[written..], at + written as u64)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{BUFFER_BYTES, PassageFile, Texts as _};

    #[test]
    fn texts_are_found_again_written_or_not() {
        let dir = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
        let mut texts = PassageFile::new_in(dir.path()).unwrap_or_else(|error| panic!("{error}"));
        let long = vec![b'x'; BUFFER_BYTES - 2];
        assert_eq!(texts.put(b"first"), Some(0));
        assert_eq!(texts.put(&long), Some(5));
        assert_eq!(texts.put(b"last"), Some(5 + long.len() as u64));
        assert_eq!(texts.bytes(), 9 + long.len() as u64);
        assert_eq!(texts.get(0, 5).as_deref(), Some(&b"first"[..]));
        assert_eq!(texts.get(5, long.len()), Some(long.clone()));
        assert_eq!(texts.get(4 + long.len() as u64, 5).as_deref(), Some(&b"xlast"[..]));
        assert_eq!(texts.get(5 + long.len() as u64, 5), None);
        assert_eq!(std::fs::read_dir(dir.path()).map(Iterator::count).ok(), Some(0));
    }
}
