//! Who may read the store file: its owner and nobody else, because it holds the fingerprints of keys and what may not be given out.
//! The journal and its index take over the mode and the owner of the file. On systems without modes the folder's own rules hold.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::files::{folder_of, give_to_owner, make_private_folder, private_file};

/// What the owner of a file may do.
#[cfg(unix)]
const OWNERS_MODE: u32 = 0o700;
/// What all others may do.
#[cfg(unix)]
const OTHERS_MODE: u32 = 0o077;

/// Makes the folder and the file where they are missing, and takes the file from others where they may read it.
///
/// # Errors
/// When they cannot be made, or the file may not be written: whoever made it read-only meant it, and is told how to undo that.
pub(super) fn make(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), make_private_folder)?;
    match private_file().create_new(true).open(path) {
        Ok(file) => {
            give_to_owner(&file, folder_of(path));
            Ok(())
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            if fs::metadata(path).is_ok_and(|file| file.permissions().readonly()) {
                let reason =
                    format!("the file is read-only; `chmod u+w {}` if refdesk may write to it", path.display());
                return Err(io::Error::new(io::ErrorKind::PermissionDenied, reason));
            }
            close_to_others(path);
            Ok(())
        }
        Err(error) => Err(error),
    }
}

/// Takes the file and its journals from others. Failing is no reason to stop: whoever cannot do it is not the owner, or the disk may only
/// be read, and `refdesk doctor` tells.
fn close_to_others(path: &Path) {
    #[cfg(unix)]
    for file in with_journals(path) {
        use std::os::unix::fs::PermissionsExt as _;
        let Ok(mode) = fs::metadata(&file).map(|file| file.permissions().mode()) else { continue };
        // What its owner may do stays as it is.
        let closed = fs::Permissions::from_mode(mode & OWNERS_MODE);
        if mode & OTHERS_MODE != 0
            && let Err(error) = fs::set_permissions(&file, closed)
        {
            tracing::warn!(file = %file.display(), %error, "others may read the store file, and that cannot be changed");
        }
    }
}

fn with_journals(path: &Path) -> [PathBuf; 3] {
    ["", "-wal", "-shm"].map(|ending| {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    })
}
