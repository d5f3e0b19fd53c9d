//! The schema: brought up to date by one process at a time, or only looked at.
//!
//! All migrations run in one transaction under an advisory lock of that transaction, so that they go through pgbouncer as well. Whoever
//! finds the lock taken tries again in a transaction of its own: one that waits in `pg_advisory_lock` holds a snapshot, and a
//! `CREATE INDEX CONCURRENTLY` of the other would wait for it for ever.

use std::time::Duration;

use sqlx::migrate::{MigrateError, Migrator};
use sqlx::{Connection as _, PgConnection};

use refdesk_core::version::is_older;

use super::PostgresStore;
use crate::store::error::{StoreError, said};
use crate::store::sql::{Operation, within};
use crate::store::{Result, migrations};

const DOING: Operation = Operation::Migrate;
/// Number of the advisory lock: `refdesk` in ASCII.
const LOCK: i64 = 0x72_65_66_64_65_73_6b;
/// How often a process that waits for another's migration looks again.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// How long a process waits for another's migration.
const OTHERS_TIMEOUT: Duration = Duration::from_mins(10);
/// How long all migrations may take.
const MIGRATE_TIMEOUT: Duration = Duration::from_hours(1);

/// The newest version that this build knows.
fn known() -> i64 {
    migrations::postgres().iter().map(|migration| migration.version).max().unwrap_or(0)
}

impl PostgresStore {
    /// Brings the schema up to date.
    pub(super) async fn migrate(&self) -> Result<()> {
        let found = self.found_version().await?;
        if found >= known() {
            return self.check_schema().await;
        }
        let begun = std::time::Instant::now();
        while !self.migrate_unless_another_does().await? {
            if begun.elapsed() > OTHERS_TIMEOUT {
                return Err(StoreError::Busy { doing: DOING.as_str() });
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
        self.check_schema().await
    }

    /// False when another process is at it.
    async fn migrate_unless_another_does(&self) -> Result<bool> {
        let at = StoreError::at(DOING.as_str());
        let connection = self.primary.acquire(DOING).await?;
        // Of its own, so that it is closed however this ends.
        let mut connection = connection.detach();
        let run = async {
            let mut tx = connection.begin().await.map_err(&at)?;
            let is_ours: bool = sqlx::query_scalar("SELECT pg_try_advisory_xact_lock($1)")
                .bind(LOCK)
                .fetch_one(&mut *tx)
                .await
                .map_err(&at)?;
            if !is_ours {
                return Ok(false);
            }
            let migrator = Migrator { locking: false, ignore_missing: true, ..migrations::postgres() };
            migrator.run_direct(None, &mut *tx, false).await.map_err(|error| self.refused(&error))?;
            tx.commit().await.map_err(&at)?;
            Ok(true)
        };
        within(Some(MIGRATE_TIMEOUT), DOING.as_str(), Box::pin(run)).await?
    }

    fn refused(&self, error: &MigrateError) -> StoreError {
        let reason = match error {
            MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) => said(error),
            other => other.to_string(),
        };
        StoreError::Connect {
            place: self.place.to_string(),
            reason: format!("its schema cannot be migrated: {reason}"),
        }
    }

    /// Fails when the schema is older than this build needs, or newer than it can use.
    pub(in crate::store) async fn check_schema(&self) -> Result<()> {
        let (found, known) = (self.found_version().await?, known());
        let place = || self.place.to_string();
        if found < known {
            return Err(StoreError::Older { place: place(), found, known });
        }
        let mut session = self.reading(DOING).await?;
        let row = session.row("SELECT min_version FROM head", &[]).await?;
        let needed: String = match &row {
            Some(row) => row.get(0)?,
            None => return Err(StoreError::Connect { place: place(), reason: "it has no head: it is damaged".into() }),
        };
        if is_older(env!("CARGO_PKG_VERSION"), &needed) {
            return Err(StoreError::NewerSchema { place: place(), found, needed });
        }
        Ok(())
    }

    /// The schema version of the database; 0 when it has none. Fails when the database cannot be opened.
    async fn found_version(&self) -> Result<i64> {
        let cannot = |reason: String| StoreError::Connect { place: self.place.to_string(), reason };
        let mut connection = match self.primary.acquire(DOING).await {
            Ok(connection) => connection,
            Err(StoreError::Unreachable { reason, .. }) => return Err(cannot(reason)),
            Err(_) => return Err(cannot(format!("no answer within {} s", self.timeout.as_secs_f64()))),
        };
        let version = within(Some(self.timeout), DOING.as_str(), found_version(&mut connection)).await;
        match version {
            Ok(Ok(version)) => Ok(version),
            failed => {
                drop(connection.detach());
                failed?.map_err(|error| cannot(said(&error)))
            }
        }
    }
}

async fn found_version(connection: &mut PgConnection) -> sqlx::Result<i64> {
    let has_table: bool =
        sqlx::query_scalar("SELECT to_regclass('_sqlx_migrations') IS NOT NULL").fetch_one(&mut *connection).await?;
    if !has_table {
        return Ok(0);
    }
    let version: Option<i64> =
        sqlx::query_scalar("SELECT max(version) FROM _sqlx_migrations").fetch_one(&mut *connection).await?;
    Ok(version.unwrap_or(0))
}
