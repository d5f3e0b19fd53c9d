//! Writes a configuration file whole or not at all: a disk that fills up leaves the file as it was. [`super::edit`] and `crate::reference`
//! make the text.

use std::fs::{File, Metadata, OpenOptions, TryLockError};
use std::io::{Error, ErrorKind, Result, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use refdesk_ingest::files::{folder_of, write_whole};

use super::ConfigError;

/// How long a command waits for others that edit the same file; each takes milliseconds.
const EDITS_TIMEOUT: Duration = Duration::from_secs(10);
/// Wait before it looks again.
const EDITS_LOOK: Duration = Duration::from_millis(10);

/// The right to edit a configuration file, until it is dropped. Of two commands that read, change and write it at once, one would undo what
/// the other did. Its folder is locked, because the file itself is replaced; where folders cannot be locked nobody waits.
///
/// # Errors
/// When another has it for too long.
pub fn editing(file: &Path) -> std::result::Result<Option<File>, ConfigError> {
    editing_within(file, EDITS_TIMEOUT)
}

fn editing_within(file: &Path, timeout: Duration) -> std::result::Result<Option<File>, ConfigError> {
    let real = std::fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let Ok(folder) = File::open(folder_of(&real)) else { return Ok(None) };
    let begun = Instant::now();
    loop {
        match folder.try_lock() {
            Ok(()) => return Ok(Some(folder)),
            Err(TryLockError::Error(_)) => return Ok(None),
            Err(TryLockError::WouldBlock) if begun.elapsed() < timeout => std::thread::sleep(EDITS_LOOK),
            Err(TryLockError::WouldBlock) => {
                let told = format!("{}: another command is editing it; nothing was changed, try again", file.display());
                return Err(ConfigError(told));
            }
        }
    }
}

/// Replaces a configuration file, or makes it. Permissions stay, and a link stays one: what it leads to is replaced.
///
/// # Errors
/// When it cannot be written; then it is as it was.
pub fn write(file: &Path, text: &str) -> std::result::Result<(), ConfigError> {
    let written = match std::fs::canonicalize(file) {
        Ok(real) => replace(&real, text).or_else(|error| match error.kind() {
            // A folder that takes no new file, or a file that is mounted by itself, as containers do it.
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem | ErrorKind::ResourceBusy => {
                overwrite(&real, text)
            }
            _ => Err(error),
        }),
        Err(_) => make(file, text),
    };
    written.map_err(|error| ConfigError(explained(file, &error)))
}

/// Makes a configuration file; never overwrites one.
///
/// # Errors
/// When there is one, or it cannot be written.
pub fn create(file: &Path, text: &str) -> std::result::Result<(), ConfigError> {
    make(file, text).map_err(|error| ConfigError(explained(file, &error)))
}

fn make(file: &Path, text: &str) -> Result<()> {
    // Made as any other file, not only for its owner; and nobody else makes it meanwhile.
    drop(File::create_new(file)?);
    replace(file, text).inspect_err(|_| {
        // An empty one is no configuration that anybody wrote. That it may not go is told by nobody: the first error says why.
        let _ = std::fs::remove_file(file);
    })
}

/// What went wrong, and what to do about it.
fn explained(file: &Path, error: &Error) -> String {
    let shown = file.display();
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            format!("{shown}: the disk is full, and nothing was changed ({error}); make room there, and try again")
        }
        ErrorKind::AlreadyExists => format!("{shown} already exists; move it away, or name another file"),
        ErrorKind::NotFound => format!("{shown}: its folder does not exist; create it, or name a file elsewhere"),
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            format!("{shown}: cannot be written ({error}); make it writable for this user, or edit it by hand")
        }
        _ => format!("{shown}: cannot be written ({error}); name a file elsewhere, or edit it by hand"),
    }
}

/// A new file beside the one that is there, renamed over it.
fn replace(file: &Path, text: &str) -> Result<()> {
    let metadata = std::fs::metadata(file)?;
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = name.ok_or_else(|| Error::from(ErrorKind::InvalidFilename))?;
    write_whole(folder_of(file), &format!(".{name}.{}", std::process::id()), |mut unfinished| {
        unfinished.write_all(text.as_bytes())?;
        keep_owner(&unfinished, &metadata)?;
        unfinished.set_permissions(metadata.permissions())?;
        unfinished.sync_all()?;
        Ok(name)
    })
    .map(drop)
}

/// A file that root edits for a service stays the service's. Who may not give it away writes it in its place.
fn keep_owner(unfinished: &File, metadata: &Metadata) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt as _, fchown};
        let own = unfinished.metadata()?;
        if (own.uid(), own.gid()) != (metadata.uid(), metadata.gid()) {
            fchown(unfinished, Some(metadata.uid()), Some(metadata.gid()))?;
        }
    }
    #[cfg(not(unix))]
    let _unix_only = (unfinished, metadata);
    Ok(())
}

/// In its place: room for what is longer is taken before the first byte is overwritten.
fn overwrite(file: &Path, text: &str) -> Result<()> {
    let mut there = OpenOptions::new().write(true).open(file)?;
    let before = there.metadata()?.len();
    let more = (text.len() as u64).saturating_sub(before);
    let longer = usize::try_from(more).map_err(Error::other)?;
    there.seek(SeekFrom::End(0))?;
    // Blank lines at the end of a configuration say nothing.
    if let Err(error) = there.write_all(&vec![b'\n'; longer]).and_then(|()| there.sync_all()) {
        there.set_len(before)?;
        return Err(error);
    }
    there.seek(SeekFrom::Start(0))?;
    there.write_all(text.as_bytes())?;
    there.set_len(text.len() as u64)?;
    there.sync_all()
}

// Only Unix opens folders.
#[cfg(all(test, unix))]
mod tests {
    use std::time::Duration;

    use super::{editing, editing_within};

    #[test]
    fn who_waits_too_long_for_another_edit_is_told_and_the_next_is_not_kept() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("refdesk.toml");
        let other = editing(&file).unwrap();
        let told = editing_within(&file, Duration::from_millis(50)).unwrap_err().0;
        assert!(told.contains("another command is editing it; nothing was changed"), "{told}");
        drop(other);
        assert!(editing_within(&file, Duration::ZERO).unwrap().is_some());
    }
}
