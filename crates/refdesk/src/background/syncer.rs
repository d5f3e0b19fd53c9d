//! One syncer a data directory: of the processes that would sync it in the background (services, `mcp` of several clients), the one that
//! holds the lock file open does. The others read, and the first that looks after it ended takes over: the system lets go of the lock of a
//! process that is gone, however it went.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use refdesk_ingest::files::create_private;
use refdesk_ingest::store::Store;
use refdesk_serve::AppState;

use super::watchdog::Pulse;
use crate::config::{Config, key};

/// Name of the lock file in the data directory.
const LOCK_FILE: &str = "sync.lock";
/// What it fails with in `/health`.
const PART: &str = "sync_lock";
/// How often one that waits looks whether it may sync.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// What answers say of how their facts are brought up to date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refreshing {
    /// No connection to an upstream is opened.
    Offline,
    /// Nothing is synced in the background.
    Off,
    /// This process syncs.
    Here,
    /// Another process of this data directory syncs.
    Elsewhere,
    /// No process of this data directory syncs.
    Nowhere,
}

impl Refreshing {
    /// As the configuration says, before anything is known of other processes.
    pub fn from_config(config: &Config) -> Self {
        match (config.get(key::OFFLINE), config.get(key::SYNC)) {
            (true, _) => Self::Offline,
            (_, false) => Self::Off,
            _ => Self::Here,
        }
    }

    /// The same for a command that ends before anything is due: another process syncs in the background, or none does. Who leads the nodes of
    /// a database, no file here tells.
    pub fn seen_by_command(config: &Config, store: &Store) -> Self {
        match Self::from_config(config) {
            Self::Here if syncs_elsewhere(store) => Self::Elsewhere,
            Self::Here if store.path().is_some() => Self::Nowhere,
            told => told,
        }
    }

    /// In words for people and models.
    pub const fn told(self) -> &'static str {
        match self {
            Self::Offline => {
                "Nothing is fetched: the desk runs with --offline. `refdesk sync` without it brings the facts up to date."
            }
            Self::Off => {
                "Nothing is synced in the background (sync = false); `refdesk sync` brings the facts up to date."
            }
            Self::Here => "Sources are synced in the background, each when it is due; `refdesk sync` does it at once.",
            Self::Nowhere => {
                "Nothing is synced in the background: no refdesk process that syncs runs over this data directory. `refdesk sync` brings the facts up to date."
            }
            Self::Elsewhere => {
                "Another refdesk process syncs the sources of this data directory, and what it finds is shown here within seconds; `refdesk sync` does it at once."
            }
        }
    }
}

/// The path of the lock file beside a store; `None` if the store is not a file.
fn lock_path(store: &Store) -> Option<PathBuf> {
    Some(store.path()?.parent()?.join(LOCK_FILE))
}

/// Waits until this process is the one that syncs; it is for as long as the file is open, and answers say `then`. `None` where there are no
/// locks: then each syncs for itself, as if it were alone.
pub async fn turn(store: &Store, desk: &AppState, then: Refreshing, pulse: &Pulse) -> Option<File> {
    let path = lock_path(store)?;
    let (mut is_told, mut is_waiting) = (false, false);
    loop {
        pulse.beat();
        match try_lock(&path) {
            Ok(file) => {
                desk.set_fault(PART, None);
                if is_waiting {
                    tracing::info!("the process that synced this data directory has ended; this one goes on");
                }
                desk.set_refreshing(then.told());
                return Some(file);
            }
            Err(TryLockError::WouldBlock) => {
                desk.set_fault(PART, None);
                if !is_waiting {
                    tracing::info!("another process syncs this data directory; this one takes over when it ends");
                    desk.set_refreshing(Refreshing::Elsewhere.told());
                    desk.node.set_syncs_alone(false);
                }
                is_waiting = true;
            }
            Err(TryLockError::Error(error)) if error.kind() == std::io::ErrorKind::Unsupported => return None,
            Err(TryLockError::Error(error)) => {
                if !is_told {
                    let fault = format!(
                        "{LOCK_FILE} in the data directory cannot be opened, so nothing is synced: delete it, or let refdesk write it"
                    );
                    desk.set_fault(PART, Some(fault));
                    tracing::warn!(%error, file = %path.display(), "cannot get the sync lock; nothing is synced until it is free");
                }
                is_told = true;
            }
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

/// Whether another process syncs the data directory of a desk that is about to start; of itself it must not hold the lock yet.
pub fn syncs_elsewhere(store: &Store) -> bool {
    lock_path(store).is_some_and(|lock| matches!(try_lock(&lock), Err(TryLockError::WouldBlock)))
}

fn try_lock(path: &Path) -> Result<File, TryLockError> {
    let file = create_private(path).map_err(TryLockError::Error)?;
    file.try_lock()?;
    Ok(file)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failing unwrap is a failing test")]
mod tests {
    use super::super::watchdog::tests::{desk, pulse};
    use super::*;

    /// Before, `/health` was well, and nothing was ever synced.
    #[tokio::test]
    async fn a_lock_file_that_cannot_be_opened_is_told_until_it_can() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("s.sqlite3")).await.unwrap();
        let lock = folder.path().join(LOCK_FILE);
        std::fs::create_dir(&lock).unwrap();
        let (desk, told) = (desk(), pulse());
        let waiting = async {
            while !desk.faults().contains_key(PART) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            let fault = desk.faults()[PART].clone();
            assert!(fault.contains("sync.lock") && fault.contains("nothing is synced"), "{fault}");
            std::fs::remove_dir(&lock).unwrap();
        };
        let turn = turn(&store, &desk, Refreshing::Here, &told);
        let both = async { tokio::join!(turn, waiting).0 };
        assert!(tokio::time::timeout(Duration::from_mins(1), both).await.unwrap().is_some());
        assert!(desk.faults().is_empty(), "{:?}", desk.faults());
    }
}
