//! The `SQLite` engine: one file in WAL mode, one writing connection, several readers.
//!
//! How connections and transactions are had, and what can happen to the file. What is asked over them is in [`super::read`] and
//! [`super::write`].

mod private;
mod watch;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use refdesk_core::cooperative;
use sqlx::migrate::MigrateError;
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous,
};
use sqlx::{ConnectOptions as _, Connection as _, Executor as _};

use super::Result;
use super::error::{self, StoreError};
use super::migrations;
use super::sql::{DiskFault, Keep, Operation, Session, Writes, counted};

pub use watch::WriteMark;
use watch::{FileState, Watch};

/// A file of more bytes is written anew by way of a temporary file.
const REBUILT_IN_MEMORY_BYTES: i64 = 256 << 20;
/// How long a writer waits for another process's lock.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// Rows that a statement reads ahead of whoever takes them; with few, the two threads wake each other for every one.
const ROWS_BUFFERED: usize = 2_048;
/// Wait before a file that was locked when it was opened is opened again.
const BUSY_WAIT: Duration = Duration::from_millis(20);
/// How long a caller waits for a free connection.
const ACQUIRE_TIMEOUT: Duration = Duration::from_mins(1);
/// Connections that read at once.
const READERS_MAX: u32 = 4;
/// Page cache of each connection, in KiB (negative: that is how `SQLite` tells KiB from pages).
const CACHE_KIB: &str = "-16384";
/// Instructions of `SQLite` (a row takes some fifty) between two looks at the clock, where work gives way to requests.
const OPCODES_PER_LOOK: i32 = 500;

refdesk_core::with_defaults! {
    /// How long a caller of the store waits.
    #[derive(Debug, Clone, Copy)]
    pub struct Patience {
        /// For another process's lock.
        pub busy_timeout: Duration = BUSY_TIMEOUT,
        /// For a connection that others of this process use.
        pub acquire_timeout: Duration = ACQUIRE_TIMEOUT,
    }
}

/// An open `SQLite` store.
#[derive(Debug, Clone)]
pub(super) struct SqliteStore {
    path: Option<PathBuf>,
    writer: SqlitePool,
    reader: SqlitePool,
    /// `None` in memory.
    watch: Option<Arc<Watch>>,
    pub(super) disk: Arc<DiskFault>,
}

impl SqliteStore {
    pub(super) async fn open(path: &Path, patience: Patience) -> Result<Self> {
        let refused = |reason: String| StoreError::Open { path: path.to_owned(), reason };
        if path.is_dir() {
            return Err(refused("it is a folder".into()));
        }
        private::make(path).map_err(|error| refused(error.to_string()))?;
        let options = options().busy_timeout(patience.busy_timeout);
        let options = options.filename(path).create_if_missing(true).journal_mode(SqliteJournalMode::Wal);
        let pool = |connections_max| pool(connections_max).acquire_timeout(patience.acquire_timeout);
        let connect = || pool(1).connect_with(options.clone());
        let writer = unless_busy(connect, patience).await.map_err(|error| opening(path, &error))?;
        let migrated = migrate(path, &writer).await;
        if let Err(error) = migrated {
            writer.close().await;
            return Err(error);
        }
        // Only now, so that a file that goes away later is never made anew without its schema.
        writer.close().await;
        let options = options.create_if_missing(false);
        let watch = Arc::new(Watch::new(path));
        let writer = watched(pool(1), &watch, true).connect_lazy_with(options.clone());
        let reader = watched(pool(READERS_MAX), &watch, false).connect_lazy_with(options.read_only(true));
        Ok(Self { path: Some(path.to_owned()), writer, reader, watch: Some(watch), disk: Arc::default() })
    }

    pub(super) async fn open_in_memory() -> Result<Self> {
        // One connection that is never let go: with the last one the database would vanish.
        let here = Path::new(":memory:");
        let pool = SqlitePoolOptions::new()
            .max_connections(1)
            .min_connections(1)
            .idle_timeout(None)
            .max_lifetime(None)
            // A caller that gives up during that test drops the connection.
            .test_before_acquire(false)
            .acquire_timeout(ACQUIRE_TIMEOUT)
            .after_release(|connection, _| {
                Box::pin(async move {
                    // What was not committed; most often there is nothing, which is an error here.
                    let _ = connection.execute("ROLLBACK").await;
                    Ok(true)
                })
            })
            .connect_with(options().in_memory(true))
            .await
            .map_err(|error| opening(here, &error))?;
        migrate(here, &pool).await?;
        Ok(Self { path: None, writer: pool.clone(), reader: pool, watch: None, disk: Arc::default() })
    }

    /// See [`super::Store::for_reading`].
    pub(super) fn for_reading(&self) -> Self {
        let (Some(path), Some(watch)) = (&self.path, &self.watch) else { return self.clone() };
        let options = options().filename(path).create_if_missing(false).read_only(true);
        let pool = giving_way(watched(pool(READERS_MAX), watch, false));
        Self { reader: pool.connect_lazy_with(options), ..self.clone() }
    }

    pub(super) const fn path(&self) -> Option<&PathBuf> {
        self.path.as_ref()
    }

    pub(super) async fn close(&self) {
        self.reader.close().await;
        self.writer.close().await;
    }

    pub(super) async fn check_integrity(&self) -> Result<()> {
        let failed = StoreError::at("checking the file");
        let check = sqlx::query_scalar("PRAGMA integrity_check(1)");
        let found: String = match &self.path {
            None => check.fetch_one(&self.reader).await.map_err(&failed)?,
            Some(path) => {
                // A connection of its own: others still have in memory what the disk damaged since.
                let fresh = options().filename(path).create_if_missing(false).read_only(true);
                let mut fresh = fresh.connect().await.map_err(&failed)?;
                let found = check.fetch_one(&mut fresh).await.map_err(&failed);
                // A connection that cannot be closed well is closed anyway.
                let _ = fresh.close().await;
                found?
            }
        };
        if found == "ok" {
            return Ok(());
        }
        Err(StoreError::Corrupt { path: self.path.clone().unwrap_or_default(), reason: found })
    }

    /// Whether the file is still there and can be read, and, with `write`, whether it takes a small write; whether that was tried. Takes
    /// milliseconds where the disk is well, and waits for no lock.
    pub(super) async fn probe(&self, write: bool) -> Result<bool> {
        self.check_file().await?;
        let Some(path) = &self.path else { return Ok(write) };
        let doing = Operation::Probe.as_str();
        let fresh = options().filename(path).create_if_missing(false).busy_timeout(Duration::ZERO);
        let mut fresh = fresh.connect().await.map_err(StoreError::at(doing))?;
        let looked = async {
            sqlx::query("SELECT count(*) FROM source_states").execute(&mut fresh).await?;
            // What this process itself writes just now holds the lock, too, and is no fault.
            let is_free = self.writer.num_idle() as u32 == self.writer.size();
            if is_free {
                sqlx::query("BEGIN IMMEDIATE").execute(&mut fresh).await?;
                if write {
                    // Nothing but a commit tells whether there is room.
                    sqlx::query(
                        "INSERT INTO meta (name, value) VALUES ('probe', '0') \
                         ON CONFLICT (name) DO UPDATE SET value = CASE value WHEN '0' THEN '1' ELSE '0' END",
                    )
                    .execute(&mut fresh)
                    .await?;
                    sqlx::query("COMMIT").execute(&mut fresh).await?;
                } else {
                    sqlx::query("ROLLBACK").execute(&mut fresh).await?;
                }
            }
            Ok(is_free && write)
        };
        let looked = looked.await.map_err(StoreError::at(doing));
        // A connection that cannot be closed well is closed anyway.
        let _ = fresh.close().await;
        if matches!(looked, Err(StoreError::ReadOnly { .. })) {
            self.close_idle().await;
        }
        looked
    }

    /// Closes the connections that nobody uses. All of a process share one mapping of the `-shm`, and where the first of them could not
    /// write to that file, none can until the last is closed.
    async fn close_idle(&self) {
        for pool in [&self.reader, &self.writer] {
            while let Some(idle) = pool.try_acquire() {
                let _ = idle.close().await;
            }
        }
    }

    /// Fails when the file is gone or no database any more.
    async fn check_file(&self) -> Result<()> {
        let (Some(path), Some(watch)) = (&self.path, &self.watch) else { return Ok(()) };
        let watch = Arc::clone(watch);
        // On another thread, because a disk that hangs must not hold one that answers requests.
        let standing = tokio::task::spawn_blocking(move || watch.look()).await;
        match standing.unwrap_or(FileState::Gone) {
            FileState::Here(_) => Ok(()),
            FileState::Gone => Err(StoreError::Lost { path: path.clone(), reason: "is gone" }),
            FileState::NotADatabase => {
                Err(StoreError::Lost { path: path.clone(), reason: "is not a database any more" })
            }
        }
    }

    pub(super) async fn reading(&self, doing: Operation) -> Result<Session> {
        let connection = counted(doing, Box::pin(self.reader.acquire()).await.map_err(StoreError::at(doing.as_str())))?;
        Ok(Session::sqlite(connection, doing, &self.disk, self.keep()))
    }

    pub(super) async fn snapshot(&self, doing: Operation) -> Result<Session> {
        let mut session = self.reading(doing).await?;
        session.begin("BEGIN".to_owned()).await?;
        Ok(session)
    }

    /// Begins a writing transaction. It takes the lock at once, so that it can wait for it; a later upgrade could not.
    pub(super) async fn writing(&self, doing: Operation, writes: Writes) -> Result<Session> {
        self.check_file().await?;
        let connection = counted(doing, Box::pin(self.writer.acquire()).await.map_err(StoreError::at(doing.as_str())))?;
        // The disk must have what is durable, so that no power cut takes it back. Such a connection is for this transaction alone.
        let pragmas = match writes {
            Writes::Little | Writes::Much | Writes::Import => "",
            Writes::Durably => "PRAGMA synchronous = FULL; ",
            Writes::Removal => "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; ",
        };
        let keep = if pragmas.is_empty() || self.path.is_none() { self.keep() } else { Keep::Never };
        let mut session = Session::sqlite(connection, doing, &self.disk, keep);
        session.begin(format!("{pragmas}BEGIN IMMEDIATE")).await?;
        Ok(session)
    }

    const fn keep(&self) -> Keep {
        if self.path.is_none() { Keep::Always } else { Keep::WhenDone }
    }

    /// Moves what was written from the journal into the file, as far as nobody reads what was there before. Waits for nobody.
    pub(super) async fn checkpoint(&self) -> Result<()> {
        let moved = sqlx::query("PRAGMA wal_checkpoint(PASSIVE)").execute(&self.writer).await;
        moved.map(drop).map_err(StoreError::at("moving the journal into the file"))
    }

    /// Leaves no copy of what was deleted: writes the file anew, because pages that are in use or free keep what earlier writes moved
    /// or replaced in them, and cuts the journal, which still has the old pages. While somebody reads those, it is cut later by itself.
    pub(super) async fn forget_deleted(&self, doing: Operation) -> Result<()> {
        let size = sqlx::query_scalar("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size");
        let bytes: i64 = size.fetch_one(&self.writer).await.map_err(StoreError::at(doing.as_str()))?;
        // A small file is built in memory and needs no folder for temporary files; a large one would take all of it.
        let place =
            if bytes > REBUILT_IN_MEMORY_BYTES { "PRAGMA temp_store = file" } else { "PRAGMA temp_store = memory" };
        for statement in [place, "VACUUM", "PRAGMA temp_store = memory", "PRAGMA wal_checkpoint(TRUNCATE)"] {
            sqlx::query(statement).execute(&self.writer).await.map_err(StoreError::at(doing.as_str()))?;
        }
        Ok(())
    }
}

fn options() -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .foreign_keys(true)
        .busy_timeout(BUSY_TIMEOUT)
        // WAL with NORMAL survives a crash of the process whole; a power cut may lose the last commits, never tear one.
        .synchronous(SqliteSynchronous::Normal)
        .pragma("cache_size", CACHE_KIB)
        .pragma("temp_store", "memory")
        .row_buffer_size(ROWS_BUFFERED)
        // Reading a large catalog takes seconds, which is no cause for a warning with SQL in the log.
        .disable_statement_logging()
}

fn pool(connections_max: u32) -> SqlitePoolOptions {
    SqlitePoolOptions::new().max_connections(connections_max).acquire_timeout(ACQUIRE_TIMEOUT)
}

/// Hands out no connection that belongs to another file than the one that is there.
fn watched(pool: SqlitePoolOptions, watch: &Arc<Watch>, writes: bool) -> SqlitePoolOptions {
    let watch = Arc::clone(watch);
    pool.before_acquire(move |_, meta| {
        let (watch, age) = (Arc::clone(&watch), meta.age);
        Box::pin(async move {
            let fits = tokio::task::spawn_blocking(move || watch.fits(age, writes)).await;
            Ok(fits.unwrap_or(false))
        })
    })
}

/// Lets requests through while its connections step through a long result, too.
fn giving_way(pool: SqlitePoolOptions) -> SqlitePoolOptions {
    pool.after_connect(|connection, _| {
        Box::pin(async move {
            let on = || {
                cooperative::yield_now();
                true
            };
            connection.lock_handle().await?.set_progress_handler(OPCODES_PER_LOOK, on);
            Ok(())
        })
    })
}

/// Connects to a file. Of processes that open a new one at once, each may be told without any wait that it is locked: another makes its
/// journal just then.
async fn unless_busy<F: Future<Output = sqlx::Result<SqlitePool>>>(
    connect: impl Fn() -> F,
    patience: Patience,
) -> sqlx::Result<SqlitePool> {
    let begun = Instant::now();
    loop {
        match connect().await {
            Err(error)
                if error::primary_code(&error) == Some(error::SQLITE_BUSY)
                    && begun.elapsed() < patience.busy_timeout =>
            {
                tokio::time::sleep(BUSY_WAIT).await;
            }
            connected => return connected,
        }
    }
}

/// What an error while opening means: damage, or no access.
fn opening(path: &Path, error: &sqlx::Error) -> StoreError {
    let (path, reason) = (path.to_owned(), error::said(error));
    match error::primary_code(error) {
        Some(error::SQLITE_CORRUPT | error::SQLITE_NOTADB) => StoreError::Corrupt { path, reason },
        Some(error::SQLITE_BUSY) => StoreError::Busy { doing: "opening" },
        _ => StoreError::Open { path, reason },
    }
}

/// A number that a file is asked for while it is opened; 0 where there is none.
async fn number(path: &Path, connection: &mut SqliteConnection, sql: &'static str) -> Result<i64> {
    let number: sqlx::Result<Option<i64>> = sqlx::query_scalar(sql).fetch_one(connection).await;
    number.map(Option::unwrap_or_default).map_err(|error| opening(path, &error))
}

/// Brings the schema up to date, all of it or nothing. Of several processes that open a file at once, as those of an agent do that starts
/// one for each of its clients, the first does it, and the others wait for it and find it done.
async fn migrate(path: &Path, pool: &SqlitePool) -> Result<()> {
    let failed = |error: sqlx::Error| opening(path, &error);
    let mut connection = pool.acquire().await.map_err(failed)?;
    if is_up_to_date(path, &mut connection).await? {
        // Nothing is written, so that nobody who writes is waited for: what was applied is only compared.
        return apply(path, &mut connection).await;
    }
    // The lock first: what is not applied yet is to be looked up by the one that applies it.
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await.map_err(failed)?;
    is_up_to_date(path, &mut transaction).await?;
    apply(path, &mut transaction).await?;
    transaction.commit().await.map_err(failed)
}

async fn apply(path: &Path, connection: &mut SqliteConnection) -> Result<()> {
    let applied = Box::pin(migrations::sqlite().run_direct(None, connection, false)).await;
    applied.map_err(|error| match error {
        MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) => opening(path, &error),
        other => StoreError::Corrupt { path: path.to_owned(), reason: other.to_string() },
    })
}

/// Whether a file has the schema that this program knows. A store of a later refdesk and another program's database are found before
/// anything is written.
async fn is_up_to_date(path: &Path, connection: &mut SqliteConnection) -> Result<bool> {
    let known = migrations::sqlite().iter().map(|migration| migration.version).max().unwrap_or(0);
    // All objects first: the store that another process makes just now has its migrations by then, too.
    let objects = number(path, connection, "SELECT count(*) FROM sqlite_master").await?;
    let migrations_table = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = '_sqlx_migrations'";
    if number(path, connection, migrations_table).await? == 0 {
        if objects == 0 {
            return Ok(false);
        }
        let reason = "it is another program's database".to_owned();
        return Err(StoreError::Corrupt { path: path.to_owned(), reason });
    }
    let found = number(path, connection, "SELECT max(version) FROM _sqlx_migrations").await?;
    if found > known {
        return Err(StoreError::Newer { path: path.to_owned(), found, known });
    }
    Ok(found == known)
}
