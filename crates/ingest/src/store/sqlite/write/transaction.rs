//! A writing transaction whose connection is let go unless it committed.
//!
//! After a begin, a commit or a rollback that failed (a full disk is enough) a connection may be inside a transaction that can neither go on
//! nor end, and every later write over it fails. So only a connection that has just committed goes back to its pool; any other one is
//! closed, which rolls back whatever it has, and the next write opens a new one.

use std::ops::{Deref, DerefMut};

use sqlx::pool::PoolConnection;
use sqlx::{Sqlite, SqliteConnection, SqlitePool};

use crate::store::Result;
use crate::store::error::StoreError;

/// An open transaction that writes. Dropped without [`Writing::commit`], it leaves the store as it was.
pub(in crate::store) struct Writing {
    connection: PoolConnection<Sqlite>,
    doing: &'static str,
    keep: Keep,
}

/// What becomes of the connection when it is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keep {
    /// Back to the pool once it committed, else closed.
    OnceCommitted,
    /// Closed, because it was set up for this transaction alone.
    Never,
    /// Always back: the database is in its memory. Its pool rolls back what was not committed.
    Always,
}

impl Writing {
    pub(in crate::store) async fn begin(pool: &SqlitePool, doing: &'static str, in_memory: bool) -> Result<Self> {
        let keep = if in_memory { Keep::Always } else { Keep::OnceCommitted };
        let connection = pool.acquire().await.map_err(StoreError::at(doing))?;
        let mut writing = Self { connection, doing, keep };
        writing.execute("BEGIN IMMEDIATE").await?;
        Ok(writing)
    }

    /// A transaction whose commit waits until the disk has it.
    pub(in crate::store) async fn begin_durably(
        pool: &SqlitePool,
        doing: &'static str,
        in_memory: bool,
    ) -> Result<Self> {
        let keep = if in_memory { Keep::Always } else { Keep::Never };
        let connection = pool.acquire().await.map_err(StoreError::at(doing))?;
        let mut writing = Self { connection, doing, keep };
        writing.execute("PRAGMA synchronous = FULL").await?;
        writing.execute("BEGIN IMMEDIATE").await?;
        Ok(writing)
    }

    async fn execute(&mut self, statement: &'static str) -> Result<()> {
        let done = sqlx::query(statement).execute(&mut *self.connection).await;
        done.map(drop).map_err(StoreError::at(self.doing))
    }

    /// Makes everything that was written since the begin stand, or nothing of it.
    pub(in crate::store) async fn commit(mut self) -> Result<()> {
        self.execute("COMMIT").await?;
        if self.keep == Keep::OnceCommitted {
            self.keep = Keep::Always;
        }
        Ok(())
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        if self.keep != Keep::Always {
            self.connection.close_on_drop();
        }
    }
}

impl Deref for Writing {
    type Target = SqliteConnection;

    fn deref(&self) -> &SqliteConnection {
        &self.connection
    }
}

impl DerefMut for Writing {
    fn deref_mut(&mut self) -> &mut SqliteConnection {
        &mut self.connection
    }
}
