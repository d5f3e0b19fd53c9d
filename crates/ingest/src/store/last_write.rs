//! Whether the store takes writes, as the last of them told: what `/health` says beside what it finds when it looks by itself.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::Result;
use super::error::StoreError;

/// Why the store cannot be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriteFault {
    /// Short code for machines, of the error.
    pub code: &'static str,
    /// For people and for clients: without paths and SQL.
    pub message: String,
}

/// What became of the last write.
#[derive(Debug, Default)]
pub(super) struct LastWrite(Mutex<WriteState>);

#[derive(Debug, Default)]
struct WriteState {
    fault: Option<WriteFault>,
    /// Writes that are under way, and since when there is one.
    open: usize,
    since: Option<Instant>,
}

/// A write that is under way.
pub(super) struct Open<'a>(&'a LastWrite);

impl LastWrite {
    pub(super) fn begin(&self) -> Open<'_> {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        told.open += 1;
        told.since.get_or_insert_with(Instant::now);
        drop(told);
        Open(self)
    }

    /// Takes in how a write ended. What says nothing of the disk changes nothing.
    pub(super) fn ended<T>(&self, result: &Result<T>) {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match result {
            Ok(_) => told.fault = None,
            Err(error) if error.is_of_disk() => {
                told.fault = Some(WriteFault { code: error.code(), message: error.public_message() });
            }
            Err(_) => {}
        }
    }

    pub(super) fn fault(&self) -> Option<WriteFault> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).fault.clone()
    }

    /// How long this process has been writing without a pause.
    pub(super) fn writing_for(&self) -> Option<Duration> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).since.map(|since| since.elapsed())
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        let mut told = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        told.open -= 1;
        // The next one has waited for this one.
        told.since = (told.open > 0).then(Instant::now);
    }
}

impl StoreError {
    /// What can be told to anybody: without paths, SQL and what the database said.
    pub fn public_message(&self) -> String {
        match self {
            Self::Full { .. } => "the disk of the store is full: make room; the next sync works then, without a restart",
            Self::ReadOnly { .. } => {
                "the store may only be read: check the permissions of the data directory and whether its disk is mounted read-only, or whether database_url names a standby"
            }
            Self::Disk { .. } => "the disk of the store failed: check its room, its quota and its state",
            Self::Lost { .. } => "the store file is gone or overwritten: put it back, or restart to make a new one",
            Self::Open { .. } => "the store cannot be opened: check that the data directory is there and can be written",
            Self::Corrupt { .. } | Self::Damaged { .. } => "the store is damaged: see `refdesk doctor`",
            Self::Newer { .. } => "a newer refdesk wrote the store: run that one",
            Self::Connect { .. } => "the database of the store cannot be opened: check database_url and the server",
            Self::Older { .. } => "the schema of the store is older than this refdesk needs: run `refdesk migrate`",
            Self::NewerSchema { .. } => "a newer refdesk changed the schema of the store: run that one",
            Self::Unreachable { .. } => "the database cannot be reached: check it and the network to it",
            Self::Canceled { .. } => "the database took too long and broke off: check its load",
            Self::Deposed { .. } => "another process has taken over syncing",
            Self::Slow { .. } => "the database does not answer in time: check it and the network to it",
            Self::Busy { .. } => "another process is writing to the store",
            Self::Removed { .. } => "the source was removed while it was being synced",
            Self::Database { .. } | Self::Value { .. } | Self::Prepare { .. } => {
                "the store failed: the log says why; see `refdesk doctor`"
            }
        }
        .to_owned()
    }
}
