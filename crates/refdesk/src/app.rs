//! What every command needs: the configuration, the store, the clock, and a snapshot of the catalog.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context as _;
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::Stamp;
use refdesk_ingest::generation::{CatalogFolder, First, Generations};
use refdesk_ingest::store::{DatabaseSettings, Migrate, STORE_FILE, Store};
use refdesk_ingest::sync::{Engine, EngineOptions, Progress};
use refdesk_ingest::verify::Readers;

use crate::cli::Shared;
use crate::config::{Config, Given};

/// The configuration with the flags that all commands share. A command that writes the file does without one that is there.
///
/// # Errors
/// When the configuration is wrong.
pub fn configure(shared: &Shared, mut flags: Vec<Given>, writes_file: bool) -> anyhow::Result<Config> {
    if let Some(dir) = &shared.data_dir {
        flags.push(Given::by_flag("data_dir", dir.display().to_string()));
    }
    if shared.offline {
        flags.push(Given::by_flag("offline", "true"));
    }
    for pair in &shared.set {
        let (key, value) = pair.split_once('=').with_context(|| format!("--set {pair}: write it as KEY=VALUE"))?;
        let row = crate::config::table::find(key.trim()).with_context(|| {
            let near = crate::config::nearest(key.trim(), crate::config::table::SETTINGS.iter().map(|row| row.key));
            format!("--set {key}: unknown setting; did you mean `{near}`? `refdesk config show` lists all")
        })?;
        flags.push(Given::by_set(row.key, value.trim()));
    }
    let load = if writes_file { Config::load_to_write } else { Config::load };
    let config = load(shared.config.as_deref(), &flags)?;
    let offset_file = config.text("clock_offset_file");
    if !offset_file.is_empty() {
        refdesk_ingest::clock::add_offset_of(std::path::Path::new(offset_file));
    }
    Ok(config)
}

/// The system clock, or what a rehearsal makes of it.
pub fn now() -> Stamp {
    refdesk_ingest::clock::now()
}

/// The chain of an error on one line, each cause once.
pub fn told(error: &anyhow::Error) -> String {
    let mut parts: Vec<String> = Vec::new();
    for cause in error.chain() {
        let text = cause.to_string();
        if !parts.iter().any(|part| part.contains(&text)) {
            parts.push(text);
        }
    }
    parts.join(": ")
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
            Some(database) => Store::open_url(&database).await?,
            None => Store::open(&Self::store_path(&config)?).await?,
        };
        Ok(Self { config, store })
    }

    /// The database of the store; `None` when it is a file.
    ///
    /// # Errors
    /// When a setting of it is wrong.
    pub fn database(config: &Config) -> anyhow::Result<Option<DatabaseSettings>> {
        let migrate = match config.text("database_migrate") {
            "auto" => Migrate::Auto,
            "check" => Migrate::Check,
            other => anyhow::bail!("database_migrate: {other:?}; write auto or check"),
        };
        let timeout = config.duration("database_timeout");
        anyhow::ensure!(!timeout.is_zero(), "database_timeout: 0 leaves no time for an answer; write 5s");
        let url = config.text("database_url").to_owned();
        let read_url = Some(config.text("database_read_url").to_owned()).filter(|url| !url.is_empty());
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
        match config.text("database_url") {
            "" => Self::store_path(config).map(|path| path.display().to_string()).unwrap_or_default(),
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
        let options = EngineOptions {
            fetch: self.config.fetch_settings(),
            offline: self.config.flag("offline"),
            base: self.config.base_dir(),
            progress,
            removed_percent_max: self.config.count("removals_percent_max"),
            added_percent_max: self.config.count("additions_percent_max"),
            removals_normal_span: self.config.span("removals_normal_span"),
            jitter_percent: self.config.count32("sync_jitter_percent"),
            sync_time_max: self.config.duration("sync_time_max"),
            ..EngineOptions::default()
        };
        Ok(Engine::new(self.store.clone(), self.config.sources.clone(), options)?)
    }

    /// The connectors that read stored records again.
    pub fn readers(&self) -> Readers {
        Readers::of(&self.config.sources, refdesk_ingest::connectors::find, &self.config.base_dir())
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

    /// Makes generations of the store and the configured sources.
    pub fn generations(&self) -> Generations {
        let dir = self.config.flag("catalog_image").then(|| self.config.data_dir().ok()).flatten();
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
