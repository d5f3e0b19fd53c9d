//! What can go wrong with the store, each with what to do about it.

use std::path::PathBuf;

// Primary result codes (<https://sqlite.org/rescode.html>); an extended one has them in its lowest byte.
pub(super) const SQLITE_BUSY: u32 = 5;
pub(super) const SQLITE_READONLY: u32 = 8;
pub(super) const SQLITE_IOERR: u32 = 10;
pub(super) const SQLITE_CORRUPT: u32 = 11;
pub(super) const SQLITE_FULL: u32 = 13;
pub(super) const SQLITE_CANTOPEN: u32 = 14;
pub(super) const SQLITE_NOTADB: u32 = 26;

/// The primary result code of a database error.
pub(super) fn primary_code(error: &sqlx::Error) -> Option<u32> {
    let code = error.as_database_error()?.code()?;
    code.parse::<u32>().ok().map(|code| code & 0xff)
}

/// What the database said, without what was asked of it.
pub(super) fn said(error: &sqlx::Error) -> String {
    error.as_database_error().map_or_else(|| error.to_string(), |error| error.message().to_owned())
}

/// An error of the store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file or its folder cannot be opened or created.
    #[error(
        "cannot open the store {path}: {reason}; check that the folder can be written and its disk has room, or give another with --data-dir (REFDESK_DATA_DIR)"
    )]
    Open {
        /// The store file.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// The file is no store, or is damaged.
    #[error(
        "the store {path} is damaged or no refdesk store ({reason}); nothing was changed: move it away and sync or import again, or give another folder with --data-dir (REFDESK_DATA_DIR)"
    )]
    Corrupt {
        /// The store file.
        path: PathBuf,
        /// What `SQLite` said.
        reason: String,
    },
    /// A later refdesk wrote it.
    #[error(
        "the store {path} has schema {found}, this refdesk knows up to {known}; nothing was changed: run the newer refdesk, or give another folder with --data-dir (REFDESK_DATA_DIR)"
    )]
    Newer {
        /// The store file.
        path: PathBuf,
        /// Schema version of the file.
        found: i64,
        /// Newest version this build knows.
        known: i64,
    },
    /// The file was taken away or overwritten while it was open.
    #[error("the store file {path} {reason}; put it back, or restart refdesk to make a new one")]
    Lost {
        /// The store file.
        path: PathBuf,
        /// What became of it.
        reason: &'static str,
    },
    /// The source was removed while it was being synced.
    #[error("`{source_id}` was removed while it was being synced; what came is not kept")]
    Removed {
        /// The source.
        source_id: String,
    },
    /// Another process held the write lock for too long.
    #[error("the store is busy ({doing}): another refdesk is writing to it; try again")]
    Busy {
        /// What was tried.
        doing: &'static str,
    },
    /// There is no room for a write.
    #[error("the disk of the store is full ({doing}): make room; the next write works then, without a restart")]
    Full {
        /// What was tried.
        doing: &'static str,
    },
    /// The file, its folder or its disk may only be read.
    #[error(
        "the store may only be read ({doing}): check the permissions of the data directory and whether its disk is mounted read-only; the next write works then, without a restart"
    )]
    ReadOnly {
        /// What was tried.
        doing: &'static str,
    },
    /// The disk failed.
    #[error(
        "the disk of the store failed ({doing}: {reason}): check its room, its quota and its state; the next write works then, without a restart"
    )]
    Disk {
        /// What was tried.
        doing: &'static str,
        /// What the database said.
        reason: String,
    },
    /// The database refused or failed.
    #[error("the store failed ({doing}): {source}")]
    Database {
        /// What was tried.
        doing: &'static str,
        /// What the database said.
        source: sqlx::Error,
    },
    /// A stored value has not the shape it was written in.
    #[error("the store holds an unreadable {what}: {reason}; run `refdesk verify`, or sync the source again")]
    Value {
        /// Which value.
        what: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Preparing values for the store failed.
    #[error("cannot store {what}: {reason}")]
    Prepare {
        /// Which value.
        what: String,
        /// What is wrong with it.
        reason: String,
    },
}

impl StoreError {
    /// Wraps a database error with what was tried.
    pub(crate) fn at(doing: &'static str) -> impl Fn(sqlx::Error) -> Self {
        move |source| match primary_code(&source) {
            Some(SQLITE_BUSY) => Self::Busy { doing },
            Some(SQLITE_FULL) => Self::Full { doing },
            Some(SQLITE_READONLY) => Self::ReadOnly { doing },
            Some(SQLITE_IOERR | SQLITE_CANTOPEN) => Self::Disk { doing, reason: said(&source) },
            _ => Self::Database { doing, source },
        }
    }

    /// Whether the store could not be written, whatever was written: not for a value that it does not take, nor for another writer.
    pub const fn is_of_disk(&self) -> bool {
        matches!(
            self,
            Self::Open { .. }
                | Self::Corrupt { .. }
                | Self::Lost { .. }
                | Self::Full { .. }
                | Self::ReadOnly { .. }
                | Self::Disk { .. }
                | Self::Database { .. }
        )
    }

    pub(crate) fn value(what: impl Into<String>, error: &impl ToString) -> Self {
        Self::Value { what: what.into(), reason: error.to_string() }
    }

    /// Short code for machines.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Open { .. } => "store_open",
            Self::Corrupt { .. } => "store_corrupt",
            Self::Newer { .. } => "store_newer",
            Self::Lost { .. } => "store_lost",
            Self::Busy { .. } => "store_busy",
            Self::Removed { .. } => "source_removed",
            Self::Full { .. } => "store_full",
            Self::ReadOnly { .. } => "store_read_only",
            Self::Disk { .. } => "store_disk",
            Self::Database { .. } => "store_failed",
            Self::Value { .. } => "store_value",
            Self::Prepare { .. } => "store_prepare",
        }
    }
}
