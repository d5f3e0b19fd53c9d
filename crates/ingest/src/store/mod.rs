//! The store: facts with their evidence, and what each sync left behind. Everything derived can be rebuilt from it.
//!
//! One store over two engines, an `SQLite` file and `PostgreSQL`: they differ in how connections and transactions are had and in the
//! spelling of a few statements ([`sql`]); [`read`] and [`write`](mod@write) are written once. Every method is one transaction or one read.
//! Both engines pass the contract suites in `tests/it/store/contract.rs` and `store/cluster.rs`. Whoever reads the catalog goes through a
//! snapshot, not through here.

mod api_keys;
mod cluster;
mod engine;
mod error;
mod last_write;
mod meta;
mod migrations;
pub mod pack;
mod postgres;
mod prepare;
mod read;
mod sql;
mod sqlite;
mod state;
mod types;
mod write;

use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use cluster::{
    Flight, Head, Lease, LeaseState, SEGMENT_CHUNK_BYTES, SYNC_REQUESTS_MAX, StoredGeneration, SyncRequest,
};
pub use error::{StoreError, StoreFault};
pub use postgres::{Connections, DATABASE_TIMEOUT, DatabaseSettings, Migrate};
pub(crate) use prepare::without_commit;
pub use prepare::{LastState, prepare, statement_hash};
pub use read::StoreDump;
pub use refdesk_core::key::KeyRecord;
pub(crate) use sql::FACT;
pub use sql::failures_by_operation;
pub use sql::row::check_readable;
pub use sqlite::{Patience, WriteMark};
pub use state::{Accept, ChangeMark, Fault, HeldState, Run, RunOutcome, SourceState, SyncCounts};
pub use types::{
    BodyState, Decision, Effect, FactContents, FactFigures, FactRow, KnownFacts, MissingFact, PreparedFact, RecordAt,
    SourceRow, StoredRecord, SyncCommit, SyncNote, UnreadableRow, Validator, Validators,
};
pub use write::Restore;

use engine::StoreEngine;
use last_write::LastWrite;
use postgres::PostgresStore;
use sql::{Operation, Row, Session, Unreadable, Value, Writes};
use sqlite::SqliteStore;

/// Name of the store file in the data directory.
pub const STORE_FILE: &str = "refdesk.sqlite3";
/// Runs kept for each source; older ones are dropped.
pub const RUNS_MAX: i64 = 200;
/// From this position on stand the rejects of a state that is held back; those of the last good one stand before.
const HELD_REJECTS_FROM: i64 = 1 << 32;

/// What the methods return.
pub type Result<T> = std::result::Result<T, StoreError>;

/// A store of one engine. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Store {
    engine: StoreEngine,
    unreadable: Arc<Unreadable>,
    last_write: Arc<LastWrite>,
    fence: Option<Arc<Lease>>,
}

impl Store {
    fn over(engine: StoreEngine) -> Self {
        Self { engine, unreadable: Arc::default(), last_write: Arc::default(), fence: None }
    }

    /// Opens the store file, creates it and its folder when missing, and brings its schema up to date. Never destroys anything.
    ///
    /// # Errors
    /// When the file cannot be opened, is damaged or no store, or was written by a later refdesk.
    pub async fn open(path: &Path) -> Result<Self> {
        Self::open_with(path, Patience::default()).await
    }

    /// The same, waiting for locks and connections as long as is said.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub async fn open_with(path: &Path, patience: Patience) -> Result<Self> {
        SqliteStore::open(path, patience).await.map(|file| Self::over(StoreEngine::Sqlite(file)))
    }

    /// An empty store that lives as long as its handles, for tests.
    ///
    /// # Errors
    /// When memory cannot be had.
    pub async fn open_in_memory() -> Result<Self> {
        SqliteStore::open_in_memory().await.map(|file| Self::over(StoreEngine::Sqlite(file)))
    }

    /// Opens a store in `PostgreSQL`, and brings its schema up to date or only looks whether it is, as the settings say.
    ///
    /// # Errors
    /// When the database cannot be reached or refuses, or its schema is older or newer than this refdesk can use.
    pub async fn open_url(settings: &DatabaseSettings) -> Result<Self> {
        PostgresStore::open(settings).await.map(|server| Self::over(StoreEngine::Postgres(server)))
    }

    /// Does for a database that did not answer when it was opened ([`Migrate::Unasked`]) what opening it does, once; nothing otherwise.
    ///
    /// # Errors
    /// As [`Store::open_url`].
    pub async fn settle_schema(&self, migrate: Migrate) -> Result<()> {
        match &self.engine {
            StoreEngine::Sqlite(_) => Ok(()),
            StoreEngine::Postgres(server) => Box::pin(server.settle_schema(migrate)).await,
        }
    }

    /// The same store with connections of its own for reading, which are opened by the thread that needs them first and let go with this:
    /// the threads that work for them have that thread's priority.
    #[must_use]
    pub fn for_reading(&self) -> Self {
        Self { engine: self.engine.for_reading(), ..self.clone() }
    }

    /// The same store with connections of its own, where there is a pool of them: for the small calls by which a node stays one of several,
    /// which must not wait behind all that requests and syncs ask.
    #[must_use]
    pub fn with_own_connections(&self) -> Self {
        Self { engine: self.engine.with_own_connections(), ..self.clone() }
    }

    /// The same store for whoever holds a lease: each writing transaction first looks whether the lease is still the current one, and
    /// fails with [`StoreError::Deposed`] when it is another's. Keys, named values, asking for syncs and leases are not fenced.
    #[must_use]
    pub fn fenced(&self, lease: Lease) -> Self {
        Self { fence: Some(Arc::new(lease)), ..self.clone() }
    }

    /// The lease that this handle writes under.
    pub fn fence(&self) -> Option<&Lease> {
        self.fence.as_deref()
    }

    /// Name of the engine: `sqlite` or `postgres`.
    pub const fn engine(&self) -> &'static str {
        self.engine.name()
    }

    /// Whether several nodes may be over it: a database, and no file or memory of this machine.
    pub const fn is_shared(&self) -> bool {
        matches!(self.engine, StoreEngine::Postgres(_))
    }

    /// The store file, unless it is in memory or no file.
    pub const fn path(&self) -> Option<&PathBuf> {
        match &self.engine {
            StoreEngine::Sqlite(file) => file.path(),
            StoreEngine::Postgres(_) => None,
        }
    }

    /// Stands for the last write to the store file, told without opening it; `None` where there is no file.
    pub fn write_mark(&self) -> Option<WriteMark> {
        self.path().and_then(|path| WriteMark::read(path))
    }

    /// Where the store is, for people: the path of a file, or host and name of a database, without user and password.
    pub fn place(&self) -> String {
        match &self.engine {
            StoreEngine::Sqlite(file) => {
                file.path().map_or_else(|| "in memory".into(), |path| path.display().to_string())
            }
            StoreEngine::Postgres(server) => server.place.to_string(),
        }
    }

    /// Looks whether the store is still there, is a store, and, with `write`, whether it takes a small write, without waiting for a lock. While
    /// this process writes to a file, nothing is written, and that write will tell.
    ///
    /// # Errors
    /// [`StoreError::Lost`] when the file is gone or overwritten, [`StoreError::Busy`] while another process writes,
    /// [`StoreError::Unreachable`] or [`StoreError::Slow`] when the database does not answer, and what a write fails with.
    pub async fn probe(&self, write: bool) -> Result<()> {
        let probed = match &self.engine {
            StoreEngine::Sqlite(file) => file.probe(write).await,
            StoreEngine::Postgres(server) => server.probe(write).await.map(|()| write),
        };
        if write && !matches!(probed, Ok(false)) {
            self.last_write.ended(&probed);
        }
        probed.map(drop)
    }

    /// Why the store could not be written when this process last tried; `None` once a write went well.
    pub fn write_fault(&self) -> Option<StoreFault> {
        self.last_write.fault()
    }

    /// Damage or a failing disk that a statement of this process met; `None` once [`Store::check_integrity`] finds the store sound.
    pub fn disk_fault(&self) -> Option<StoreFault> {
        self.engine.disk().met()
    }

    /// How long this process has been at one write, when it is at one.
    pub fn writing_for(&self) -> Option<std::time::Duration> {
        self.last_write.writing_for()
    }

    /// The rows that could not be read and were passed over, so far and by this process.
    pub fn unreadable(&self) -> Vec<UnreadableRow> {
        self.unreadable.list()
    }

    /// The numbers of the facts among them.
    pub fn unreadable_facts(&self) -> Vec<i64> {
        self.unreadable.facts()
    }

    /// Whether a fact of a source is among them, so that its next sync reads it in full.
    pub fn has_unreadable_facts_of(&self, source_id: &str) -> bool {
        self.unreadable.has_facts_of(source_id)
    }

    /// The connections to a database; `None` where the store is a file.
    pub fn connections(&self) -> Option<Connections> {
        match &self.engine {
            StoreEngine::Sqlite(_) => None,
            StoreEngine::Postgres(server) => Some(server.connections()),
        }
    }

    /// Checks the structure of a file, which reads all of it, for `doctor` and after [`Store::disk_fault`]. A database checks its own pages; its schema is looked at.
    pub async fn check_integrity(&self) -> Result<()> {
        match &self.engine {
            StoreEngine::Sqlite(file) => file.check_integrity().await?,
            StoreEngine::Postgres(server) => drop(server.check_schema().await?),
        }
        self.engine.disk().is_over();
        Ok(())
    }

    /// Moves what was written to a file from the journal beside it into the file itself, as far as nobody reads what was there before.
    ///
    /// # Errors
    /// When the file cannot be written; what was written stays in the journal.
    pub async fn checkpoint(&self) -> Result<()> {
        match &self.engine {
            StoreEngine::Sqlite(file) => file.checkpoint().await,
            StoreEngine::Postgres(_) => Ok(()),
        }
    }

    /// Closes all connections; pending writes are flushed.
    pub async fn close(&self) {
        match &self.engine {
            StoreEngine::Sqlite(file) => file.close().await,
            StoreEngine::Postgres(server) => server.close().await,
        }
    }

    // ---- connections, for the methods in the modules below ----

    /// All rows of one small read.
    async fn rows(&self, doing: Operation, sql: &'static str, values: &[Value<'_>]) -> Result<Vec<Row>> {
        self.engine.reading(doing).await?.rows(sql, values).await
    }

    /// The first row of one small read, if there is any.
    async fn row(&self, doing: Operation, sql: &'static str, values: &[Value<'_>]) -> Result<Option<Row>> {
        self.engine.reading(doing).await?.row(sql, values).await
    }

    /// A transaction that writes; what is fenced, under the lease of this handle, if it has one.
    async fn writing(&self, doing: Operation, writes: Writes) -> Result<Session> {
        let mut session = self.engine.writing(doing, writes).await?;
        if let Some(lease) = self.fence().filter(|_| writes.is_fenced()) {
            cluster::check_fence(&mut session, lease).await?;
        }
        Ok(session)
    }

    /// Does some work in one transaction that writes, and commits it.
    async fn write<T>(
        &self,
        doing: Operation,
        writes: Writes,
        work: impl AsyncFnOnce(&mut Session) -> Result<T>,
    ) -> Result<T> {
        self.noted(async {
            let mut session = self.writing(doing, writes).await?;
            let done = work(&mut session).await?;
            session.commit().await?;
            Ok(done)
        })
        .await
    }

    /// Remembers how a write ended, for [`Store::write_fault`].
    async fn noted<T>(&self, write: impl Future<Output = Result<T>>) -> Result<T> {
        let open = self.last_write.begin();
        let result = write.await;
        drop(open);
        self.last_write.ended(&result);
        result
    }
}
