//! What can go wrong with the store, each with what to do about it.

use std::path::PathBuf;

use sqlx::error::DatabaseError as _;

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
    let code = error.as_database_error()?.try_downcast_ref::<sqlx::sqlite::SqliteError>()?.code()?;
    code.parse::<u32>().ok().map(|code| code & 0xff)
}

// SQLSTATE codes of `PostgreSQL` (its manual, appendix A).
const DISK_FULL: &str = "53100";
const TOO_MANY_CONNECTIONS: &str = "53300";
const READ_ONLY_TRANSACTION: &str = "25006";
const QUERY_CANCELED: &str = "57014";
const LOCK_NOT_AVAILABLE: &str = "55P03";
const SERIALIZATION_FAILURE: &str = "40001";
const DEADLOCK_DETECTED: &str = "40P01";
const IDLE_IN_TRANSACTION: &str = "25P03";
const IO_ERROR: &str = "58030";
/// Class of what an operator does to a server: shutdown, crash, not yet up.
const OPERATOR_INTERVENTION: &str = "57P";
/// Class of failed connections.
const CONNECTION_EXCEPTION: &str = "08";

/// What an error of `PostgreSQL` means; `None` when it is about what was asked, or no error of a server.
fn of_postgres(error: &sqlx::Error, doing: &'static str) -> Option<StoreError> {
    let error = error.as_database_error()?.try_downcast_ref::<sqlx::postgres::PgDatabaseError>()?;
    let reason = || error.message().to_owned();
    match error.code() {
        DISK_FULL => Some(StoreError::Full { doing }),
        READ_ONLY_TRANSACTION => Some(StoreError::ReadOnly { doing }),
        QUERY_CANCELED => Some(StoreError::Canceled { doing }),
        LOCK_NOT_AVAILABLE | SERIALIZATION_FAILURE | DEADLOCK_DETECTED => Some(StoreError::Busy { doing }),
        IO_ERROR => Some(StoreError::Disk { doing, reason: reason() }),
        TOO_MANY_CONNECTIONS | IDLE_IN_TRANSACTION => Some(StoreError::Unreachable { doing, reason: reason() }),
        code if code.starts_with(OPERATOR_INTERVENTION) || code.starts_with(CONNECTION_EXCEPTION) => {
            Some(StoreError::Unreachable { doing, reason: reason() })
        }
        _ => None,
    }
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
        "the store {path} is damaged or not a refdesk store ({reason}); nothing was changed: move it away and sync or import again, or give another folder with --data-dir (REFDESK_DATA_DIR)"
    )]
    Corrupt {
        /// The store file.
        path: PathBuf,
        /// What `SQLite` said.
        reason: String,
    },
    /// A part of the file is damaged.
    #[error(
        "the store is damaged ({doing}: {reason}): restore a backup, or move the file away and sync or import again"
    )]
    Damaged {
        /// What was tried.
        doing: &'static str,
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
    /// A database cannot be opened: its url, its server, user or password.
    #[error("cannot open the store at {place}: {reason}; check database_url (REFDESK_DATABASE_URL) and the server")]
    Connect {
        /// Host and name of the database, without user and password.
        place: String,
        /// What is wrong.
        reason: String,
    },
    /// The schema of a database is older than this refdesk needs, and it may not change it.
    #[error(
        "the store at {place} has schema {found}, this refdesk needs {known}: run `refdesk migrate`, or set database_migrate (REFDESK_DATABASE_MIGRATE) to auto"
    )]
    Older {
        /// Host and name of the database.
        place: String,
        /// Schema version of the database; 0 when it has none.
        found: i64,
        /// Version that this build needs.
        known: i64,
    },
    /// A later refdesk changed the schema of a database, so that this one cannot use it any more.
    #[error(
        "the store at {place} has schema {found}, which needs refdesk {needed} or later; nothing was changed: run that one, or give another database with database_url (REFDESK_DATABASE_URL)"
    )]
    NewerSchema {
        /// Host and name of the database.
        place: String,
        /// Schema version of the database.
        found: i64,
        /// The oldest version that may use it.
        needed: String,
    },
    /// The database cannot be reached.
    #[error("the database cannot be reached ({doing}: {reason}); the next call tries again, without a restart")]
    Unreachable {
        /// What was tried.
        doing: &'static str,
        /// What the system or the server said.
        reason: String,
    },
    /// The server cancelled a statement: it took too long, or an operator ended it.
    #[error(
        "the database cancelled a statement ({doing}): it took longer than database_timeout (REFDESK_DATABASE_TIMEOUT) allows, or an operator ended it"
    )]
    Canceled {
        /// What was tried.
        doing: &'static str,
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
    #[error("`{source_id}` was removed while it was being synced; nothing of that sync was kept")]
    Removed {
        /// The source.
        source_id: String,
    },
    /// The lease under which was written is another's by now.
    #[error("another process has taken over the lease (this one had epoch {epoch}); nothing of this write was kept")]
    Deposed {
        /// Epoch of the lease that is over.
        epoch: i64,
    },
    /// The database did not answer in time.
    #[error(
        "the database did not answer within {secs} s ({doing}); check it and the network to it, or give it more time with database_timeout (REFDESK_DATABASE_TIMEOUT)"
    )]
    Slow {
        /// What was tried.
        doing: &'static str,
        /// How long was waited.
        secs: f64,
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
        "the store may only be read ({doing}): check the permissions of the data directory and whether its disk is mounted read-only, or whether database_url names a standby; the next write works then, without a restart"
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
        move |source| match (primary_code(&source), &source) {
            (Some(SQLITE_BUSY), _) => Self::Busy { doing },
            (Some(SQLITE_FULL), _) => Self::Full { doing },
            (Some(SQLITE_READONLY), _) => Self::ReadOnly { doing },
            (Some(SQLITE_CORRUPT | SQLITE_NOTADB), _) => Self::Damaged { doing, reason: said(&source) },
            (Some(SQLITE_IOERR | SQLITE_CANTOPEN), _) => Self::Disk { doing, reason: said(&source) },
            (None, sqlx::Error::Io(_) | sqlx::Error::Tls(_) | sqlx::Error::Protocol(_)) => {
                Self::Unreachable { doing, reason: source.to_string() }
            }
            _ => of_postgres(&source, doing).unwrap_or(Self::Database { doing, source }),
        }
    }

    /// Whether the store could not be written, whatever was written: not for a value that it does not take, nor for another writer.
    pub const fn is_of_disk(&self) -> bool {
        matches!(
            self,
            Self::Open { .. }
                | Self::Corrupt { .. }
                | Self::Damaged { .. }
                | Self::Lost { .. }
                | Self::Full { .. }
                | Self::ReadOnly { .. }
                | Self::Disk { .. }
                | Self::Connect { .. }
                | Self::Unreachable { .. }
                | Self::Canceled { .. }
                | Self::Slow { .. }
                | Self::Database { .. }
        )
    }

    pub(crate) fn value(what: impl Into<String>, error: &impl ToString) -> Self {
        Self::Value { what: what.into(), reason: error.to_string() }
    }

    /// What a column of a row that cannot be read says of the value in it.
    pub(super) fn of_value(self, what: &str) -> Self {
        match self {
            Self::Database { source, .. } => Self::value(what, &source),
            other => other,
        }
    }

    /// Short code for machines.
    pub const fn code(&self) -> &'static str {
        self.told().0
    }

    /// What can be told to anybody: without paths, SQL and what the database said.
    pub fn public_message(&self) -> String {
        self.told().1.to_owned()
    }

    /// The code, and what can be told to anybody.
    const fn told(&self) -> (&'static str, &'static str) {
        const FAILED: &str = "the store failed: the log says why; see `refdesk doctor`";
        match self {
            Self::Open { .. } => {
                ("store_open", "the store cannot be opened: check that the data directory is there and can be written")
            }
            Self::Corrupt { .. } | Self::Damaged { .. } => {
                ("store_corrupt", "the store is damaged: see `refdesk doctor`")
            }
            Self::Newer { .. } => ("store_newer", "a newer refdesk wrote the store: run that one"),
            Self::Lost { .. } => {
                ("store_lost", "the store file is gone or overwritten: put it back, or restart to make a new one")
            }
            Self::Connect { .. } => {
                ("store_open", "the database of the store cannot be opened: check database_url and the server")
            }
            Self::Older { .. } => {
                ("store_older", "the schema of the store is older than this refdesk needs: run `refdesk migrate`")
            }
            Self::NewerSchema { .. } => {
                ("store_newer", "a newer refdesk changed the schema of the store: run that one")
            }
            Self::Unreachable { .. } => {
                ("store_unreachable", "the database cannot be reached: check it and the network to it")
            }
            Self::Canceled { .. } => {
                ("store_slow", "the database cancelled a statement that took too long: check its load")
            }
            Self::Deposed { .. } => ("store_deposed", "another process has taken over syncing"),
            Self::Slow { .. } => ("store_slow", "the database does not answer in time: check it and the network to it"),
            Self::Busy { .. } => ("store_busy", "another process is writing to the store"),
            Self::Removed { .. } => ("source_removed", "the source was removed while it was being synced"),
            Self::Full { .. } => {
                ("store_full", "the disk of the store is full: make room; the next sync works then, without a restart")
            }
            Self::ReadOnly { .. } => (
                "store_read_only",
                "the store may only be read: check the permissions of the data directory and whether its disk is mounted read-only, or whether database_url names a standby",
            ),
            Self::Disk { .. } => {
                ("store_disk", "the disk of the store failed: check its room, its quota and its state")
            }
            Self::Database { .. } => ("store_failed", FAILED),
            Self::Value { .. } => ("store_value", FAILED),
            Self::Prepare { .. } => ("store_prepare", FAILED),
        }
    }
}

/// What is wrong with a store, as people and clients are told it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreFault {
    /// Short code for machines: `docs/errors.md`.
    pub code: &'static str,
    /// Without paths, SQL and what the database said.
    pub message: String,
}

impl From<&StoreError> for StoreFault {
    fn from(error: &StoreError) -> Self {
        Self { code: error.code(), message: error.public_message() }
    }
}
