//! The files of the catalog folder, and how one is made.

use std::fs::File;
use std::io::Result;
use std::path::Path;

/// What the names of files end with that are being written.
pub(super) const UNFINISHED_SUFFIX: &str = ".new";
/// Buffer between a file and what is read from it or written to it.
pub(super) const BUFFER_BYTES: usize = 1 << 16;
/// Mode of the files: their owner's alone, as the store is.
#[cfg(unix)]
const FILE_MODE: u32 = 0o600;

/// Makes the folder in a data directory that is there: one that was taken away is not made again.
pub(super) fn make_folder(path: &Path) -> Result<()> {
    match std::fs::create_dir(path) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// Opens a file to write to, and makes it where it is missing. What it has stays.
pub(super) fn create(path: &Path) -> Result<File> {
    let mut options = File::options();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, FILE_MODE);
    options.open(path)
}
