//! Writes a configuration file whole or not at all: a disk that fills up leaves the file as it was. [`super::edit`] and `crate::reference`
//! make the text.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{Error, ErrorKind, Result, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use refdesk_ingest::generation::write_whole;

use super::ConfigError;

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
        ErrorKind::AlreadyExists => format!("{shown} is there already; move it away, or name another file"),
        ErrorKind::NotFound => format!("{shown}: its folder is not there; make it, or name a file elsewhere"),
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            format!("{shown}: cannot be written ({error}); make it writable for this user, or edit it by hand")
        }
        _ => format!("{shown}: cannot be written ({error}); name a file elsewhere, or edit it by hand"),
    }
}

/// A new file beside the one that is there, renamed over it.
fn replace(file: &Path, text: &str) -> Result<()> {
    let metadata = std::fs::metadata(file)?;
    let folder = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = name.ok_or_else(|| Error::from(ErrorKind::InvalidFilename))?;
    write_whole(folder, &format!(".{name}.{}", std::process::id()), |mut unfinished| {
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
