//! What can go wrong with the store, each with what to do about it.

use std::path::PathBuf;

/// An error of the store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file or its folder cannot be opened or created.
    #[error(
        "cannot open the store {path}: {reason}; check that the folder exists and can be written, or give another with --data-dir (REFDESK_DATA_DIR)"
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
        move |source| match source.as_database_error().and_then(sqlx::error::DatabaseError::code) {
            // SQLITE_BUSY and its extended codes.
            Some(code) if matches!(code.as_ref(), "5" | "261" | "517" | "773") => Self::Busy { doing },
            _ => Self::Database { doing, source },
        }
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
            Self::Database { .. } => "store_failed",
            Self::Value { .. } => "store_value",
            Self::Prepare { .. } => "store_prepare",
        }
    }
}
