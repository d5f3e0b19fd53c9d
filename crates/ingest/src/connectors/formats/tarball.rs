//! The entries of a gzipped tarball, read from memory one after the other within named limits. Whoever reads a repository's archive does
//! it through [`each`]: the connectors' [`crate::connectors::formats::tree`], and the accountant in [`crate::census`], which counts for itself.
//!
//! A name is held in memory by the reader of the format before anybody can look at it, so an archive of a few kilobytes could state one of
//! gigabytes; here no more than [`NAMES_BYTES_MAX`] are read on the way from one entry to the next.

use std::cell::Cell;
use std::io::{Error, ErrorKind, Read, Result as IoResult};
use std::rc::Rc;

use flate2::bufread::GzDecoder;

use crate::connectors::ParseError;

/// Most entries (files, folders, links) of one archive, and members of its gzip stream.
pub const ENTRIES_MAX: usize = 200_000;
/// Most bytes that an archive may unpack to, kept or not: a bomb is stopped here.
pub const UNPACKED_BYTES_MAX: u64 = 2 << 30;
/// Most bytes of headers before an entry: its long names and attributes.
pub const NAMES_BYTES_MAX: u64 = 64 << 10;
/// Longest path of a file; one with a longer path counts as malformed.
pub const PATH_BYTES_MAX: usize = 1 << 10;

/// Marks a file or folder of a local folder that cannot be read. It is an archive entry with a type of our own (POSIX leaves `A` to `Z` to
/// implementations), and its content is the reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnreadableEntry {
    /// A file or a link.
    File,
    /// A folder, with all that may be in it.
    Folder,
}

impl UnreadableEntry {
    /// The type by which its entry is told.
    pub fn entry_type(self) -> tar::EntryType {
        tar::EntryType::new(match self {
            Self::File => b'U',
            Self::Folder => b'W',
        })
    }

    /// What an entry of this type stands for, if it is one.
    pub fn of(entry_type: tar::EntryType) -> Option<Self> {
        [Self::File, Self::Folder].into_iter().find(|unreadable| unreadable.entry_type() == entry_type)
    }

    /// Why it cannot be read, and what to do, for people.
    ///
    /// # Errors
    /// When the archive breaks off.
    pub fn reason(entry: &mut impl Read) -> IoResult<String> {
        /// How much of it is read.
        const REASON_BYTES: u64 = 400;
        let mut reason = Vec::new();
        entry.take(REASON_BYTES).read_to_end(&mut reason)?;
        Ok(format!("cannot be read: {}; make it readable", String::from_utf8_lossy(&reason)))
    }
}

refdesk_core::with_defaults! {
    /// How much an archive may hold.
    #[derive(Debug, Clone, Copy)]
    pub struct TarballBounds {
        /// Entries, and members of the gzip stream.
        pub entries_max: usize = ENTRIES_MAX,
        /// Bytes that it unpacks to.
        pub unpacked_bytes_max: u64 = UNPACKED_BYTES_MAX,
    }
}

/// A gzip stream, unpacked: one member or several, which count as one text (RFC 1952, section 2.2). What follows the last is padding.
struct Members<'a> {
    current: GzDecoder<&'a [u8]>,
    /// How many more there may be: an empty one costs twenty bytes, and time.
    left: usize,
}

/// What a member begins with.
const MEMBER_MAGIC: [u8; 2] = [0x1f, 0x8b];

impl<'a> Members<'a> {
    fn new(body: &'a [u8], members_max: usize) -> Self {
        Self { current: GzDecoder::new(body), left: members_max }
    }
}

impl Read for Members<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> IoResult<usize> {
        loop {
            let read = self.current.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            let rest = *self.current.get_ref();
            if !rest.starts_with(&MEMBER_MAGIC) {
                return Ok(0);
            }
            self.left = self.left.checked_sub(1).ok_or_else(|| {
                Error::new(ErrorKind::FileTooLarge, "its gzip stream has more members than an archive may have entries")
            })?;
            self.current = GzDecoder::new(rest);
        }
    }
}

/// The unpacked bytes of an archive.
pub struct Unpacked<'a> {
    inner: Members<'a>,
    left: u64,
    bytes_max: u64,
    /// How many bytes may be read until it is set again; none is set while an entry's content is read.
    allowance: Rc<Cell<Option<u64>>>,
}

impl Read for Unpacked<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> IoResult<usize> {
        let read = self.inner.read(buffer)?;
        let too_much = |what: String| Err(Error::new(ErrorKind::FileTooLarge, what));
        let Some(left) = self.left.checked_sub(read as u64) else {
            return too_much(format!("it unpacks to more than {} bytes", self.bytes_max));
        };
        self.left = left;
        if let Some(allowed) = self.allowance.get() {
            let Some(allowed) = allowed.checked_sub(read as u64) else {
                return too_much(format!("the names of an entry have more than {NAMES_BYTES_MAX} bytes"));
            };
            self.allowance.set(Some(allowed));
        }
        Ok(read)
    }
}

/// Hands out every entry of an archive, in order, and reads it to its end.
///
/// # Errors
/// When the bytes are no complete `tar.gz` or exceed a limit of this module, and what `visit` finds.
pub fn each<'a>(
    body: &'a [u8],
    mut visit: impl FnMut(&mut tar::Entry<'_, Unpacked<'a>>) -> Result<(), ParseError>,
) -> Result<(), ParseError> {
    each_within(TarballBounds::default(), body, &mut visit)
}

/// The same within other bounds.
///
/// # Errors
/// As [`each`].
pub fn each_within<'a>(
    bounds: TarballBounds,
    body: &'a [u8],
    visit: &mut dyn FnMut(&mut tar::Entry<'_, Unpacked<'a>>) -> Result<(), ParseError>,
) -> Result<(), ParseError> {
    let allowance = Rc::new(Cell::new(Some(NAMES_BYTES_MAX)));
    let bytes_max = bounds.unpacked_bytes_max;
    let inner = Members::new(body, bounds.entries_max);
    let unpacked = Unpacked { inner, left: bytes_max, bytes_max, allowance: Rc::clone(&allowance) };
    let mut archive = tar::Archive::new(unpacked);
    for (position, entry) in archive.entries().map_err(|error| broken(&error))?.enumerate() {
        let mut entry = entry.map_err(|error| broken(&error))?;
        if position == bounds.entries_max {
            return Err(ParseError::too_large(format!("the archive has more than {} entries", bounds.entries_max)));
        }
        allowance.set(None);
        visit(&mut entry)?;
        // What is left of it would be read on the way to the next one. The gaps of a sparse file stand nowhere and have no end.
        let left = if entry.header().entry_type().is_gnu_sparse() {
            entry.header().entry_size().map_err(|error| broken(&error))?
        } else {
            std::io::copy(&mut entry, &mut std::io::sink()).map_err(|error| broken(&error))?;
            0
        };
        allowance.set(Some(NAMES_BYTES_MAX.saturating_add(left)));
    }
    // What follows the last entry carries the checksum: reading it tells a cut archive from a whole one.
    allowance.set(None);
    std::io::copy(&mut archive.into_inner(), &mut std::io::sink()).map_err(|error| broken(&error))?;
    Ok(())
}

/// What is wrong with an archive.
pub fn broken(error: &Error) -> ParseError {
    let message = format!("expected a gzipped tar archive of a repository: {error}");
    if error.kind() == ErrorKind::FileTooLarge { ParseError::too_large(message) } else { ParseError::new(message) }
}
