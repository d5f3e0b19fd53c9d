//! The engines, and what they give to the methods of the store: connections and transactions. Their futures are boxed: those of sqlx are
//! kilobytes, and stand in every future that waits for them.

use super::Result;
use super::postgres::PostgresStore;
use super::sql::{DiskFault, Operation, Session, Writes};
use super::sqlite::SqliteStore;

#[derive(Debug, Clone)]
pub(super) enum StoreEngine {
    Sqlite(SqliteStore),
    Postgres(PostgresStore),
}

impl StoreEngine {
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "sqlite",
            Self::Postgres(_) => "postgres",
        }
    }

    /// What statements met of the disk.
    pub(super) fn disk(&self) -> &DiskFault {
        match self {
            Self::Sqlite(file) => &file.disk,
            Self::Postgres(server) => &server.disk,
        }
    }

    pub(super) fn for_reading(&self) -> Self {
        match self {
            Self::Sqlite(file) => Self::Sqlite(file.for_reading()),
            // A connection belongs to the runtime that opened it.
            Self::Postgres(server) => Self::Postgres(server.with_own_connections()),
        }
    }

    pub(super) fn with_own_connections(&self) -> Self {
        match self {
            // Readers of a file do not wait for its writer, and its writers come one after the other anyway.
            Self::Sqlite(file) => Self::Sqlite(file.clone()),
            Self::Postgres(server) => Self::Postgres(server.with_own_connections()),
        }
    }

    /// A connection for one small read.
    pub(super) async fn reading(&self, doing: Operation) -> Result<Session> {
        match self {
            Self::Sqlite(file) => Box::pin(file.reading(doing)).await,
            Self::Postgres(server) => Box::pin(server.reading(doing)).await,
        }
    }

    /// A connection to a database that is only read, where there is one and it answers.
    pub(super) async fn replica(&self, doing: Operation) -> Option<Session> {
        match self {
            Self::Sqlite(_) => None,
            Self::Postgres(server) => server.replica(doing).await,
        }
    }

    /// A transaction that reads one state, however long it takes.
    pub(super) async fn snapshot(&self, doing: Operation) -> Result<Session> {
        match self {
            Self::Sqlite(file) => Box::pin(file.snapshot(doing)).await,
            Self::Postgres(server) => Box::pin(server.snapshot(doing)).await,
        }
    }

    pub(super) async fn writing(&self, doing: Operation, writes: Writes) -> Result<Session> {
        match self {
            Self::Sqlite(file) => Box::pin(file.writing(doing, writes)).await,
            Self::Postgres(server) => Box::pin(server.writing(doing, writes)).await,
        }
    }
}
