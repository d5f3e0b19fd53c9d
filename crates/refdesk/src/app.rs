//! What every command needs: the configuration, the store, the clock, and a snapshot of the catalog.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::version::is_older;
use refdesk_ingest::bundled;
use refdesk_ingest::config::{BUNDLED_SOURCE_ID, SourceConfig};
use refdesk_ingest::files::make_private_folder;
use refdesk_ingest::generation::{CatalogFolder, First, Generations, Part};
use refdesk_ingest::segment_store::SegmentStore;
use refdesk_ingest::store::{Accept, DatabaseSettings, Migrate, STORE_FILE, Store, StoreError};
use refdesk_ingest::sync::{Engine, EngineOptions, Progress, Silent, SyncReport};
use refdesk_ingest::verify::Readers;

use crate::cli::Shared;
use crate::config::{Config, Given, key};
use crate::output::{self, Refusal, whole_path};

/// The system clock, or what a rehearsal makes of it.
pub use refdesk_ingest::clock::now;

/// Name of the stored value that tells which bundled cards are in the store.
const BUNDLED_DIGEST: &str = "bundled_digest";

/// The configuration with the flags that all commands share. A command that writes the file does without one that is there.
///
/// # Errors
/// When the configuration is wrong.
pub fn configure(shared: &Shared, mut flags: Vec<Given>, writes_file: bool) -> anyhow::Result<Config> {
    if let Some(dir) = &shared.data_dir {
        let dir = dir
            .to_str()
            .with_context(|| format!("--data-dir: {} is not UTF-8; name a directory whose path is", dir.display()))?;
        flags.push(Given::by_flag(key::DATA_DIR.row, dir));
    }
    if shared.offline {
        flags.push(Given::by_flag(key::OFFLINE.row, "true"));
    }
    for pair in &shared.set {
        let (key, value) = pair
            .split_once('=')
            .ok_or_else(|| Refusal::invalid_argument(format!("--set {pair}: write it as KEY=VALUE")))?;
        let row = crate::config::table::find(key.trim()).ok_or_else(|| {
            let known = crate::config::table::SETTINGS.iter().map(|row| row.key);
            let told =
                |near: &str, _: &str| format!("--set {key}: unknown setting{near}; `refdesk config show` lists all");
            Refusal::unknown(Refusal::invalid_argument, key.trim(), known, told)
        })?;
        flags.push(Given::by_set(row, value.trim()));
    }
    let load = if writes_file { Config::load_to_write } else { Config::load };
    let config = load(shared.config.as_deref(), &flags).map_err(|error| Refusal::invalid_argument(error.0))?;
    if let Some(offset_file) = config.get(key::CLOCK_OFFSET_FILE) {
        refdesk_ingest::clock::add_offset_of(offset_file);
    }
    Ok(config)
}

/// The data directory of who has its store elsewhere: the catalog is kept there.
fn make_data_dir(config: &Config) -> anyhow::Result<()> {
    let dir = config.data_dir()?;
    make_private_folder(&dir).with_context(|| format!("data_dir: {} cannot be made", dir.display()))
}

/// How the engine works.
pub fn engine_options(config: &Config, progress: Arc<dyn Progress>) -> EngineOptions {
    EngineOptions {
        fetch: config.fetch_settings(),
        offline: config.get(key::OFFLINE),
        base: config.base_dir(),
        progress,
        removed_percent_max: config.get(key::REMOVALS_PERCENT_MAX),
        added_percent_max: config.get(key::ADDITIONS_PERCENT_MAX),
        removals_normal_span: config.get(key::REMOVALS_NORMAL_SPAN),
        jitter_percent: config.count32(key::SYNC_JITTER_PERCENT),
        sync_time_max: config.get(key::SYNC_TIME_MAX),
        ..EngineOptions::default()
    }
}

/// The configuration and the open store.
pub struct App {
    /// The configuration.
    pub config: Config,
    /// The store.
    pub store: Store,
}

impl App {
    /// Opens the configured store: a database, or the file of the data directory, which is made with it where it is missing.
    ///
    /// # Errors
    /// When the directory cannot be written or the store cannot be opened.
    pub async fn open(config: Config) -> anyhow::Result<Self> {
        let store = match Self::database(&config)? {
            Some(database) => {
                let store = Store::open_url(&database).await?;
                make_data_dir(&config)?;
                store
            }
            None => Self::open_file(&Self::store_path(&config)?).await?,
        };
        Ok(Self { config, store })
    }

    /// The store in a file. A new one is told: a mistyped directory would otherwise look like one whose facts are gone.
    ///
    /// # Errors
    /// When it cannot be opened, or a disk lost what it held.
    pub async fn open_file(path: &Path) -> anyhow::Result<Store> {
        let is_empty = path.metadata().is_ok_and(|there| there.is_file() && there.len() == 0);
        // One that is empty was cut off before it wrote, unless a catalog was built of it: then a disk lost what it held.
        if is_empty && path.parent().is_some_and(CatalogFolder::is_there) {
            let reason = "it is empty, and a catalog that was built of it lies beside it".to_owned();
            return Err(StoreError::Corrupt { path: path.to_owned(), reason }.into());
        }
        let is_new = is_empty || !path.exists();
        let store = Store::open(path).await?;
        if is_new {
            let place = whole_path(path);
            output::say(&format!(
                "created a new store at {place}; choose another place with --data-dir or REFDESK_DATA_DIR"
            ));
        }
        Ok(store)
    }

    /// The same for a node: where the database does not answer and there may be a catalog from before, here or in a segment store, it opens
    /// all the same, and goes on with that until the database is back.
    ///
    /// # Errors
    /// As [`App::open`].
    pub async fn open_node(config: Config) -> anyhow::Result<Self> {
        let Some(database) = Self::database(&config)? else { return Self::open(config).await };
        let store = match Store::open_url(&database).await {
            Err(error @ (StoreError::Connect { .. } | StoreError::Unreachable { .. } | StoreError::Slow { .. })) => {
                let is_elsewhere = !SegmentStore::is_in_database(config.get(key::SEGMENT_STORE));
                if !is_elsewhere && !CatalogFolder::is_there(&config.data_dir()?) {
                    return Err(error.into());
                }
                // A url that cannot be read is refused here.
                let store = Store::open_url(&DatabaseSettings { migrate: Migrate::Unasked, ..database }).await?;
                tracing::error!(%error, "the database does not answer; this node starts with an earlier catalog");
                store
            }
            opened => opened?,
        };
        make_data_dir(&config)?;
        Ok(Self { config, store })
    }

    /// The database of the store; `None` when it is a file.
    ///
    /// # Errors
    /// When a setting of it is wrong.
    pub fn database(config: &Config) -> anyhow::Result<Option<DatabaseSettings>> {
        let (migrate, timeout) = (config.get(key::DATABASE_MIGRATE), config.get(key::DATABASE_TIMEOUT));
        let url = config.get(key::DATABASE_URL).to_owned();
        let read_url = Some(config.get(key::DATABASE_READ_URL).to_owned()).filter(|url| !url.is_empty());
        if url.is_empty() {
            anyhow::ensure!(
                read_url.is_none(),
                "database_read_url names a replica of no primary; set database_url (REFDESK_DATABASE_URL) too"
            );
            return Ok(None);
        }
        Ok(Some(DatabaseSettings { url, read_url, timeout, migrate }))
    }

    /// Where the store is, for people: without user and password.
    pub fn store_place(config: &Config) -> String {
        match config.get(key::DATABASE_URL) {
            "" => Self::store_path(config).map(|path| whole_path(&path)).unwrap_or_default(),
            url => refdesk_ingest::fetch::redact_text(url),
        }
    }

    /// Where the store is when it is a file.
    ///
    /// # Errors
    /// When no data directory is known.
    pub fn store_path(config: &Config) -> anyhow::Result<PathBuf> {
        Ok(config.data_dir()?.join(STORE_FILE))
    }

    /// The engine over the configured sources.
    ///
    /// # Errors
    /// When a source is configured wrongly.
    pub fn engine(&self, progress: Arc<dyn Progress>) -> anyhow::Result<Engine> {
        Ok(Engine::new(self.store.clone(), self.config.sources.clone(), engine_options(&self.config, progress))?)
    }

    /// Brings the bundled cards into the store when this program ships others than the store has. Needs no network. Where several nodes are
    /// over one database, only the one that leads does it. With another `url` their source is one like any other, and one that fails stops
    /// nothing else: its status says why, and so does the report of the sync, if there was one.
    ///
    /// # Errors
    /// When they cannot be written.
    pub async fn sync_bundled(&self) -> anyhow::Result<Option<SyncReport>> {
        self.reread_skipped().await?;
        let is_follower = self.store.is_shared() && self.store.fence().is_none();
        let is_bundled = |source: &SourceConfig| source.id == BUNDLED_SOURCE_ID && source.url == bundled::URL;
        let has_source = self.config.sources.iter().any(|source| source.enabled && is_bundled(source));
        if is_follower || !has_source || self.has_bundled().await? {
            return Ok(None);
        }
        let known = self.store.head().await?.catalog_version;
        if is_older(env!("CARGO_PKG_VERSION"), &known) {
            // In a rolling upgrade a node of the version before may lead for a while; it takes nothing back.
            return Ok(None);
        }
        // The cards are part of the program: a new version of them is wanted whatever it removes.
        let report = self.engine(Arc::new(Silent))?.sync_source(BUNDLED_SOURCE_ID, &Accept::Any).await?;
        if !report.is_bad() {
            self.store.set_meta(BUNDLED_DIGEST, bundled::DIGEST).await?;
            self.store.set_catalog_version(env!("CARGO_PKG_VERSION")).await?;
        }
        Ok(Some(report))
    }

    /// Reads the facts again that the catalog on disk lacks: this process is to tell of those that still cannot be read, and syncs their
    /// sources in full.
    async fn reread_skipped(&self) -> anyhow::Result<()> {
        let Ok(dir) = self.config.data_dir() else { return Ok(()) };
        Ok(self.store.reread_facts(&CatalogFolder::skipped(&dir)).await?)
    }

    /// Whether the store has the bundled cards of this program and can read them. Who removes their source leaves the digest.
    async fn has_bundled(&self) -> anyhow::Result<bool> {
        if self.store.has_unreadable_facts_of(BUNDLED_SOURCE_ID) {
            return Ok(false);
        }
        let is_taken = self.store.meta(BUNDLED_DIGEST).await?.as_deref() == Some(bundled::DIGEST);
        Ok(is_taken && self.store.source_state(BUNDLED_SOURCE_ID).await?.last_full_at.is_some())
    }

    /// The connectors that read stored records again.
    pub fn readers(&self) -> Readers {
        Readers::new(&self.config.sources, refdesk_ingest::connectors::find, &self.config.base_dir())
    }

    /// The catalog: read from disk, and what changed since built of the store; then it is kept there for the next command, unless there is
    /// one of other sources, which is a server's.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn snapshot(&self) -> anyhow::Result<Arc<Snapshot>> {
        let generations = self.generations();
        let First { snapshot, states, built } = generations.first().await?;
        if built && !generations.is_of_others() {
            generations.keep(Arc::clone(&snapshot), states).await;
        }
        Ok(snapshot)
    }

    /// What one look-up needs of the catalog, where that is on disk and nothing changed since; else all of it.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn part(&self, part: Part<'_>) -> anyhow::Result<Arc<Snapshot>> {
        match self.generations().part(part).await? {
            Some(snapshot) => Ok(Arc::new(snapshot)),
            None => self.snapshot().await,
        }
    }

    /// Makes generations of the store and the configured sources.
    pub fn generations(&self) -> Generations {
        let dir = self.config.get(key::CATALOG_IMAGE).then(|| self.config.data_dir().ok()).flatten();
        Generations::new(self.store.clone(), self.config.sources.clone(), dir.as_deref())
    }

    /// Deletes the catalog on disk: it has what a source said that is shown no more. A server writes its own again.
    ///
    /// # Errors
    /// When there is one that cannot be deleted.
    pub fn drop_catalog(&self) -> anyhow::Result<()> {
        let Ok(dir) = self.config.data_dir() else { return Ok(()) };
        CatalogFolder::delete(&dir)
            .with_context(|| format!("{}: the catalog there cannot be deleted; delete it by hand", dir.display()))
    }
}
