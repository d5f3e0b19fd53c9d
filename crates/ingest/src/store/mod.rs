//! The store: facts with their evidence, and what each sync left behind. Everything derived can be rebuilt from it.
//!
//! One small enum over engines; [`sqlite`] is the first. Every method is one transaction or one read. Engines must pass the
//! contract suite in `tests/it/store_contract.rs` unchanged. Whoever reads the catalog goes through a snapshot, not through here.

mod error;
mod last_write;
mod operations;
pub mod pack;
mod prepare;
mod sqlite;
mod state;
mod types;

use std::path::{Path, PathBuf};

use refdesk_core::fact::StoredFact;
use refdesk_core::{Kind, Reject, Stamp};

pub use error::StoreError;
pub use last_write::WriteFault;
pub use operations::{Decision, MissingFact, RecordAt};
pub use prepare::{LastState, prepare, statement_hash};
pub use sqlite::{Patience, SqliteStore, check_readable};
pub use state::{Fault, HeldState, Run, RunOutcome, SourceState, SyncCounts};
pub use types::{
    BodyState, Effect, FactContents, FactFigures, FactRow, KeyRecord, PreparedFact, SourceRow, StoredRecord,
    SyncCommit, SyncNote, UnreadableRow, Validator, Validators,
};

/// Name of the store file in the data directory.
pub const STORE_FILE: &str = "refdesk.sqlite3";
/// Runs kept for each source; older ones are dropped.
pub const RUNS_MAX: i64 = 200;

/// What the methods return.
pub type Result<T> = std::result::Result<T, StoreError>;

/// A store of one engine. Cheap to clone.
#[derive(Debug, Clone)]
pub enum Store {
    /// An `SQLite` file.
    Sqlite(SqliteStore),
}

/// Calls the method of whichever engine it is.
macro_rules! engine {
    ($store:expr, $method:ident ( $($argument:expr),* )) => {
        match $store {
            Store::Sqlite(engine) => engine.$method($($argument),*).await,
        }
    };
}

/// The same for a method that writes; how it ended is remembered for [`Store::write_fault`].
macro_rules! write {
    ($store:expr, $method:ident ( $($argument:expr),* )) => {
        match $store {
            Store::Sqlite(engine) => {
                let open = engine.last_write().begin();
                let result = engine.$method($($argument),*).await;
                drop(open);
                engine.last_write().ended(&result);
                result
            }
        }
    };
}

impl Store {
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
        SqliteStore::open(path, patience).await.map(Self::Sqlite)
    }

    /// An empty store that lives as long as its handles, for tests.
    ///
    /// # Errors
    /// When memory cannot be had.
    pub async fn open_in_memory() -> Result<Self> {
        SqliteStore::open_in_memory().await.map(Self::Sqlite)
    }

    /// The same store with connections of its own for reading, which are opened by the thread that needs them first and let go with this:
    /// the threads that work for them have that thread's priority.
    #[must_use]
    pub fn for_reading(&self) -> Self {
        match self {
            Self::Sqlite(engine) => Self::Sqlite(engine.for_reading()),
        }
    }

    /// Name of the engine: `sqlite`.
    pub const fn engine(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "sqlite",
        }
    }

    /// The store file, unless it is in memory.
    pub fn path(&self) -> Option<&PathBuf> {
        match self {
            Self::Sqlite(engine) => engine.path(),
        }
    }

    /// Looks whether the store is still there, is a store, and, with `write`, whether it takes a small write, without waiting for a lock.
    ///
    /// # Errors
    /// [`StoreError::Lost`] when the file is gone or overwritten, [`StoreError::Busy`] while another process writes, and what a write
    /// fails with.
    pub async fn probe(&self, write: bool) -> Result<()> {
        let probed = engine!(self, probe(write));
        match self {
            Self::Sqlite(engine) if write => engine.last_write().ended(&probed),
            Self::Sqlite(_) => {}
        }
        probed
    }

    /// Why the store could not be written when this process last tried; `None` once a write went well.
    pub fn write_fault(&self) -> Option<WriteFault> {
        match self {
            Self::Sqlite(engine) => engine.last_write().fault(),
        }
    }

    /// How long this process has been at one write, when it is at one.
    pub fn writing_for(&self) -> Option<std::time::Duration> {
        match self {
            Self::Sqlite(engine) => engine.last_write().writing_for(),
        }
    }

    /// The rows that could not be read and were passed over, so far and by this process.
    pub fn unreadable(&self) -> Vec<UnreadableRow> {
        match self {
            Self::Sqlite(engine) => engine.unreadable(),
        }
    }

    /// Checks the file's structure, for `doctor`; reads all of it.
    pub async fn check_integrity(&self) -> Result<()> {
        engine!(self, check_integrity())
    }

    /// Closes all connections; pending writes are flushed.
    pub async fn close(&self) {
        match self {
            Self::Sqlite(engine) => engine.close().await,
        }
    }

    // ---- syncs ----

    /// Writes a good pass, all or nothing. New facts come in, changed ones keep `first_seen_at`, equal ones get new times, facts that
    /// are not in the pass get `removed_at`, or are held back as `parse_failed` when their key is among the rejects.
    pub async fn commit_sync(&self, commit: &SyncCommit) -> Result<SyncCounts> {
        write!(self, commit_sync(commit))
    }

    /// Records a confirmation, a failure or a quarantine. No statement changes.
    pub async fn note_sync(&self, note: &SyncNote) -> Result<()> {
        write!(self, note_sync(note))
    }

    // ---- the catalog ----

    /// The facts of some kinds with their texts, by source, kind and key.
    pub async fn facts(&self, kinds: &[Kind]) -> Result<Vec<StoredFact>> {
        engine!(self, facts(kinds))
    }

    /// The facts of a source, by kind and key, without their texts.
    pub async fn source_facts(&self, source_id: &str) -> Result<Vec<StoredFact>> {
        engine!(self, source_facts(source_id))
    }

    /// The full Markdown of a fact; `None` when it has none.
    pub async fn body(&self, source_id: &str, kind: Kind, key: &str) -> Result<Option<String>> {
        engine!(self, body(source_id, kind, key))
    }

    /// The record of a fact, verbatim.
    pub async fn record(&self, source_id: &str, kind: Kind, key: &str) -> Result<Option<StoredRecord>> {
        engine!(self, record(source_id, kind, key))
    }

    /// The fact that has this number ([`StoredFact::row`]), with its record.
    pub async fn record_at(&self, row: i64) -> Result<Option<RecordAt>> {
        engine!(self, record_at(row))
    }

    // ---- sources ----

    /// The states of all sources that were ever synced or imported.
    pub async fn source_states(&self) -> Result<Vec<(String, SourceState)>> {
        engine!(self, source_states())
    }

    /// The state of a source; the empty state when it was never synced.
    pub async fn source_state(&self, source_id: &str) -> Result<SourceState> {
        engine!(self, source_state(source_id))
    }

    /// The requests of the last good pass of a source.
    pub async fn validators(&self, source_id: &str) -> Result<Validators> {
        engine!(self, validators(source_id))
    }

    /// Sources that came by import and were not synced here since, with what evidence records say of them.
    pub async fn imported_sources(&self) -> Result<Vec<refdesk_core::SourceInfo>> {
        engine!(self, imported_sources())
    }

    /// Figures of the facts of each source.
    pub async fn figures(&self) -> Result<Vec<(String, FactFigures)>> {
        engine!(self, figures())
    }

    /// The rejects of the last committed sync of a source.
    pub async fn rejects(&self, source_id: &str) -> Result<Vec<Reject>> {
        engine!(self, rejects(source_id))
    }

    /// The last runs of a source, newest first.
    pub async fn runs(&self, source_id: &str, limit: u32) -> Result<Vec<Run>> {
        engine!(self, runs(source_id, limit))
    }

    /// The kinds of which a source has facts.
    pub async fn kinds_of(&self, source_id: &str) -> Result<Vec<Kind>> {
        engine!(self, kinds_of(source_id))
    }

    /// The facts that quarantined passes of a source did not list since the last good one.
    pub async fn missing_facts(&self, source_id: &str) -> Result<Vec<MissingFact>> {
        engine!(self, missing_facts(source_id))
    }

    /// Takes away facts, records, bodies, rejects, validators and the state of a source; its runs stay as their trace, and `run` with
    /// them. Returns how many facts that were. A sync that is under way brings nothing back.
    pub async fn remove_source(&self, source_id: &str, run: &Run) -> Result<usize> {
        write!(self, remove_source(source_id, run))
    }

    /// Records a run that changed nothing else in the store.
    pub async fn note_run(&self, run: &Run) -> Result<()> {
        write!(self, note_run(run))
    }

    /// Writes verdicts beside facts of a source, all or none, and marks its state as reviewed at `now`.
    pub async fn decide(&self, source_id: &str, decisions: &[Decision], now: Stamp, run: &Run) -> Result<()> {
        write!(self, decide(source_id, decisions, now, run))
    }

    // ---- keys ----

    /// Keeps a new key.
    pub async fn insert_key(&self, key: &KeyRecord) -> Result<()> {
        write!(self, insert_key(key))
    }

    /// All keys, oldest first.
    pub async fn keys(&self) -> Result<Vec<KeyRecord>> {
        engine!(self, keys())
    }

    /// Marks a key as revoked; the first revocation's time stays.
    pub async fn revoke_key(&self, id: &str, at: Stamp) -> Result<bool> {
        write!(self, revoke_key(id, at))
    }

    /// Notes that keys were used; a later use never gives way to an earlier one.
    pub async fn touch_keys(&self, uses: &[(String, Stamp)]) -> Result<()> {
        write!(self, touch_keys(uses))
    }

    // ---- what is derived but dear, and odds and ends ----

    /// A named value.
    pub async fn meta(&self, name: &str) -> Result<Option<String>> {
        engine!(self, meta(name))
    }

    /// Sets a named value.
    pub async fn set_meta(&self, name: &str, value: &str) -> Result<()> {
        write!(self, set_meta(name, value))
    }

    /// All vectors of a model: content hash and vector bytes.
    pub async fn embeddings(&self, model: &str) -> Result<Vec<(String, Vec<u8>)>> {
        engine!(self, embeddings(model))
    }

    /// Keeps vectors of a model.
    pub async fn put_embeddings(&self, model: &str, vectors: &[(String, Vec<u8>)]) -> Result<()> {
        write!(self, put_embeddings(model, vectors))
    }

    // ---- archives and verification ----

    /// Up to `limit` facts with their contents, by internal id from after `after`; the id of the last one goes on.
    pub async fn fact_rows(&self, after: i64, limit: u32) -> Result<Vec<(FactRow, FactContents)>> {
        engine!(self, fact_rows(after, limit))
    }

    /// Everything that sources have beside their facts.
    pub async fn source_rows(&self) -> Result<Vec<SourceRow>> {
        engine!(self, source_rows())
    }

    /// Begins to replace sources by those of an archive. Nothing shows before [`Restore::commit`].
    pub async fn restore(&self) -> Result<Restore> {
        match self {
            Self::Sqlite(engine) => engine.restore().await.map(Restore::Sqlite),
        }
    }
}

/// An open replacement of sources, in one transaction; dropped, it leaves the store as it was.
pub enum Restore {
    /// In an `SQLite` file.
    Sqlite(sqlite::SqliteRestore),
}

impl Restore {
    /// Takes a source with its facts out and puts the archive's state of it in. `imported` marks it as not synced here.
    pub async fn source(&mut self, row: &SourceRow, imported: bool) -> Result<()> {
        match self {
            Self::Sqlite(restore) => restore.source(row, imported).await,
        }
    }

    /// Puts a fact in; its source must have been given before.
    pub async fn fact(&mut self, row: FactRow, contents: FactContents) -> Result<()> {
        match self {
            Self::Sqlite(restore) => restore.fact(row, contents).await,
        }
    }

    /// Writes the facts that wait for others to be written with.
    pub async fn write_waiting(&mut self) -> Result<()> {
        match self {
            Self::Sqlite(restore) => restore.write_waiting().await,
        }
    }

    /// Makes all of it show at once.
    pub async fn commit(self) -> Result<()> {
        match self {
            Self::Sqlite(restore) => restore.commit().await,
        }
    }
}
