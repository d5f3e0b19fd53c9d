//! Watches the store file from outside, because `SQLite` does not notice when somebody deletes, replaces or overwrites it: open
//! connections go on with the lost file, and what they write is lost with it.
//!
//! Pools ask [`Watch::fits`] before a connection is handed out; [`super::SqliteStore::probe`] asks what `/health` should say.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime};

use refdesk_core::parallel::locked;

/// First bytes of every `SQLite` file.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// Stands for the last write to a store file, by whichever process: size and time of its write-ahead log. Two writes within a tick of the
/// file system's clock may have the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WriteMark {
    log_bytes: u64,
    written_at: SystemTime,
}

impl WriteMark {
    /// The mark of a store file; `None` where there is no log to tell it.
    pub(in crate::store) fn read(path: &Path) -> Option<Self> {
        let log = [path.as_os_str(), OsStr::new("-wal")].into_iter().collect::<OsString>();
        let log = std::fs::metadata(log).ok()?;
        Some(Self { log_bytes: log.len(), written_at: log.modified().ok()? })
    }
}

/// What lies where the store should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileState {
    /// Nothing.
    Gone,
    /// A file that is no database.
    NotADatabase,
    /// A database; a number that another file would not have.
    Here(u128),
}

#[derive(Debug)]
struct Seen {
    standing: FileState,
    /// Connections from before this moment belong to another file.
    since: Instant,
    /// Kept open as long as it is the file: closing any descriptor of it would drop the process's POSIX locks on it.
    file: Option<File>,
}

/// The watch of one store file.
#[derive(Debug)]
pub(super) struct Watch {
    path: PathBuf,
    seen: Mutex<Seen>,
}

impl Watch {
    /// Watches a file that has just been opened as a store.
    pub(super) fn new(path: &Path) -> Self {
        let seen = Seen { standing: FileState::Gone, since: Instant::now(), file: None };
        let watch = Self { path: path.to_owned(), seen: Mutex::new(seen) };
        watch.look();
        watch
    }

    pub(super) fn look(&self) -> FileState {
        let mut seen = locked(&self.seen);
        let now = standing(&self.path, &mut seen.file);
        if now != seen.standing {
            seen.standing = now;
            seen.since = Instant::now();
        }
        now
    }

    /// Whether a connection of this age still belongs to the file that is there. A reader may go on with a file that is gone, because
    /// nothing it does is lost.
    pub(super) fn fits(&self, age: Duration, writes: bool) -> bool {
        match self.look() {
            FileState::Here(_) => {
                let seen = locked(&self.seen);
                age <= seen.since.elapsed()
            }
            FileState::Gone => !writes,
            FileState::NotADatabase => false,
        }
    }
}

fn standing(path: &Path, kept: &mut Option<File>) -> FileState {
    let Ok(there) = std::fs::metadata(path) else { return FileState::Gone };
    let same = |file: &File| file.metadata().is_ok_and(|open| number(&open) == number(&there));
    if !kept.as_ref().is_some_and(same) {
        *kept = File::open(path).ok();
    }
    match kept {
        Some(file) if starts_with_magic(file) => FileState::Here(number(&there)),
        _ => FileState::NotADatabase,
    }
}

#[cfg(unix)]
fn number(file: &Metadata) -> u128 {
    use std::os::unix::fs::MetadataExt as _;
    (u128::from(file.dev()) << 64) | u128::from(file.ino())
}

#[cfg(not(unix))]
fn number(file: &Metadata) -> u128 {
    let made = file.created().ok().and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
    made.map_or(0, |made| made.as_nanos())
}

#[cfg(unix)]
fn starts_with_magic(file: &File) -> bool {
    use std::os::unix::fs::FileExt as _;
    let mut start = [0_u8; MAGIC.len()];
    file.read_exact_at(&mut start, 0).is_ok() && &start == MAGIC
}

#[cfg(not(unix))]
fn starts_with_magic(file: &File) -> bool {
    // A file that is open as a database cannot be overwritten by others here.
    file.metadata().is_ok_and(|file| file.len() >= MAGIC.len() as u64)
}
