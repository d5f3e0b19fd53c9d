//! Files that stand whole or not at all, and files and folders of their owner alone: of the store's directory, which holds the
//! fingerprints of keys and what may not be given out. On systems without modes the folder's own rules hold.

use std::fs::{DirBuilder, DirEntry, File, OpenOptions};
use std::io::{Error, ErrorKind, Result};
use std::path::Path;
use std::time::Duration;

/// What the names of files end with that are being written.
const UNFINISHED_SUFFIX: &str = ".new";
/// Mode of the files: their owner's alone, as the store is.
#[cfg(unix)]
const FILE_MODE: u32 = 0o600;
/// Mode of a folder that is made. One that was there before is left as its owner made it.
#[cfg(unix)]
const FOLDER_MODE: u32 = 0o700;

/// The folder that a path leads into; the working directory for a bare name.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Makes a folder that only its owner may enter, unless it is there.
///
/// # Errors
/// When it cannot be made.
pub fn make_private_folder(folder: &Path) -> Result<()> {
    if folder.as_os_str().is_empty() || folder.is_dir() {
        return Ok(());
    }
    if folder.exists() {
        let reason = format!("{} is a file, and a directory is needed", folder.display());
        return Err(Error::new(ErrorKind::NotADirectory, reason));
    }
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, FOLDER_MODE);
    builder.create(folder)
}

/// Makes the folder in a data directory that is there: one that was taken away is not made again.
pub(crate) fn make_subfolder(path: &Path) -> Result<()> {
    match std::fs::create_dir(path) {
        Ok(()) => {
            // Only Unix has owners, and opens folders.
            #[cfg(unix)]
            give_to_owner(&File::open(path)?, folder_of(path));
            Ok(())
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

/// Opens a regular file to read it. Anything else is refused: opening a pipe could block for ever.
///
/// # Errors
/// If the file is missing, is not a regular file, or cannot be opened.
pub fn open_regular(path: &Path) -> Result<File> {
    if path.metadata()?.is_file() { File::open(path) } else { Err(not_a_file()) }
}

/// What was made of a file or folder; `None` where there is none.
///
/// # Errors
/// When it is there and `done` failed.
pub fn if_there<T>(done: Result<T>) -> Result<Option<T>> {
    match done {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        done => done.map(Some),
    }
}

fn not_a_file() -> Error {
    Error::new(ErrorKind::InvalidInput, "it is not a regular file")
}

/// Opens a file to write to, and makes it where it is missing, for its owner alone. What it has stays.
///
/// # Errors
/// If it can be neither created nor opened, or something other than a regular file is in its place.
pub fn create_private(path: &Path) -> Result<File> {
    // As in [`open_regular`]. Whether it is there, and may be written, opening tells.
    if path.metadata().is_ok_and(|there| !there.is_file()) {
        return Err(not_a_file());
    }
    let file = private_file().create(true).truncate(false).open(path)?;
    give_to_owner(&file, folder_of(path));
    Ok(file)
}

/// How a file is opened to write to that is its owner's alone if it is made.
pub(crate) fn private_file() -> OpenOptions {
    let mut options = File::options();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, FILE_MODE);
    options
}

/// A new file of a folder under a random name, of the folder's owner alone. It is deleted when it goes out of scope before it is whole and
/// gets a name. Random, not the id of the process: in containers every process may have the same.
///
/// # Errors
/// When it cannot be made.
pub fn unfinished_in(folder: &Path, prefix: &str, suffix: &str) -> Result<tempfile::NamedTempFile> {
    let file = tempfile::Builder::new().prefix(prefix).suffix(suffix).tempfile_in(folder)?;
    give_to_owner(file.as_file(), folder);
    Ok(file)
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
    let written =
        create_private(&unfinished).and_then(|file| file.set_len(0).map(|()| file)).map_err(E::from).and_then(write);
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

/// Deletes the files of a folder that nobody needs any more. One that cannot be deleted only takes up space, and the next time tries again.
pub fn sweep(folder: &Path, is_left: impl Fn(&DirEntry) -> bool) {
    let Ok(files) = std::fs::read_dir(folder) else { return };
    for file in files.flatten().filter(is_left) {
        if let Err(error) = std::fs::remove_file(file.path()) {
            tracing::debug!(file = %file.path().display(), %error, "a file that was left behind could not be deleted");
        }
    }
}

/// Whether nobody wrote to a file for longer than this, as its folder tells.
pub fn is_idle(file: &DirEntry, longer_than: Duration) -> bool {
    let age = || file.metadata().ok()?.modified().ok()?.elapsed().ok();
    age().is_some_and(|age| age > longer_than)
}

/// Gives what root made in a folder to the folder's owner: a service that runs as that user must be able to read what a command of root
/// leaves behind. The database itself does the same for its journals.
pub(crate) fn give_to_owner(made: &File, folder: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt as _, fchown};
        let (Ok(own), Ok(wanted)) = (made.metadata(), std::fs::metadata(folder)) else { return };
        if own.uid() == 0
            && wanted.uid() != 0
            && let Err(error) = fchown(made, Some(wanted.uid()), Some(wanted.gid()))
        {
            tracing::warn!(folder = %folder.display(), %error, "a file there is root's, and its folder's owner cannot read it");
        }
    }
    #[cfg(not(unix))]
    let _unix_only = (made, folder);
}
