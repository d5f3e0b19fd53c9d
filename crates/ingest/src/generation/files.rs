//! The files of the catalog folder, and how one is made.

use std::fs::File;
use std::io::{Error, Result, Write as _};
use std::path::Path;

use crate::segment_store::FETCHED_SUFFIX;
use crate::store::give_to_owner;

/// What the names of files end with that are being written.
const UNFINISHED_SUFFIX: &str = ".new";
/// Buffer between a file and what is read from it or written to it.
pub(super) const BUFFER_BYTES: usize = 1 << 16;
/// Mode of the files: their owner's alone, as the store is.
#[cfg(unix)]
const FILE_MODE: u32 = 0o600;

/// Makes the folder in a data directory that is there: one that was taken away is not made again.
pub(super) fn make_folder(path: &Path) -> Result<()> {
    match std::fs::create_dir(path) {
        Ok(()) => {
            // Only Unix has owners, and opens folders.
            #[cfg(unix)]
            give_to_owner(&File::open(path)?, path.parent().unwrap_or(Path::new("")));
            Ok(())
        }
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

/// Opens a regular file to read it. Anything else is refused: opening a pipe could block for ever.
///
/// # Errors
/// If the file is missing, is not a regular file, or cannot be opened.
pub fn open(path: &Path) -> Result<File> {
    if path.metadata()?.is_file() { File::open(path) } else { Err(not_a_file()) }
}

fn not_a_file() -> Error {
    Error::new(std::io::ErrorKind::InvalidInput, "it is not a regular file")
}

/// Opens a file to write to, and makes it where it is missing, for its owner alone. What it has stays.
///
/// # Errors
/// If it can be neither created nor opened, or something other than a regular file is in its place.
pub fn create(path: &Path) -> Result<File> {
    // As in `open`. Whether it is there, and may be written, opening tells.
    if path.metadata().is_ok_and(|there| !there.is_file()) {
        return Err(not_a_file());
    }
    let mut options = File::options();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, FILE_MODE);
    let file = options.open(path)?;
    give_to_owner(&file, path.parent().unwrap_or(Path::new("")));
    Ok(file)
}

/// A file of a folder that nothing names, with these bytes, on its disk. It is deleted when its path goes out of scope; one that was left
/// behind goes with half-fetched ones.
pub(super) fn unnamed(folder: &Path, bytes: &[u8]) -> Result<tempfile::TempPath> {
    let mut file = tempfile::Builder::new().suffix(FETCHED_SUFFIX).tempfile_in(folder)?;
    give_to_owner(file.as_file(), folder);
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    Ok(file.into_temp_path())
}

/// Writes a file under an unfinished name, and renames it to what `write` tells once it is whole: one that is cut off must never stand under
/// that name. Whoever cannot make the file again (a configuration) syncs it in `write`. The file is its owner's alone, unless `write` sets
/// other permissions.
///
/// # Errors
/// When it cannot be made, written or renamed; what stood under the name stays.
pub fn write_whole<E: From<Error>>(
    folder: &Path,
    unfinished: &str,
    write: impl FnOnce(File) -> std::result::Result<String, E>,
) -> std::result::Result<String, E> {
    let unfinished = folder.join(format!("{unfinished}{UNFINISHED_SUFFIX}"));
    let written = create(&unfinished).and_then(|file| file.set_len(0).map(|()| file)).map_err(E::from).and_then(write);
    let named = written.and_then(|name| {
        std::fs::rename(&unfinished, folder.join(&name))?;
        Ok(name)
    });
    if named.is_err() {
        // A half-written one would only take up space; that it may not be there is no matter.
        let _ = std::fs::remove_file(&unfinished);
    }
    named
}
