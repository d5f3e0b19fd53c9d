//! What every command needs: the configuration, the store, the clock, and a snapshot of the catalog.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context as _;
use refdesk_core::Stamp;
use refdesk_core::snapshot::{Changes, Input, Snapshot};
use refdesk_ingest::rebuild::{self, Catalog};
use refdesk_ingest::store::{STORE_FILE, Store};
use refdesk_ingest::sync::{Engine, EngineOptions, Progress};

use crate::cli::Shared;
use crate::config::Config;

/// The configuration with the flags that all commands share.
///
/// # Errors
/// When the configuration is wrong.
pub fn configure(shared: &Shared, mut flags: Vec<(&'static str, String)>) -> anyhow::Result<Config> {
    if let Some(dir) = &shared.data_dir {
        flags.push(("data_dir", dir.display().to_string()));
    }
    if shared.offline {
        flags.push(("offline", "true".into()));
    }
    for pair in &shared.set {
        let (key, value) = pair.split_once('=').with_context(|| format!("--set {pair}: write it as KEY=VALUE"))?;
        let row = crate::config::table::find(key.trim()).with_context(|| {
            let near = crate::config::nearest(key.trim(), crate::config::table::SETTINGS.iter().map(|row| row.key));
            format!("--set {key}: unknown setting; did you mean `{near}`? `refdesk config show` lists all")
        })?;
        flags.push((row.key, value.trim().to_owned()));
    }
    Ok(Config::load(shared.config.as_deref(), &flags)?)
}

/// The system clock.
pub fn now() -> Stamp {
    Stamp::from_timestamp(jiff::Timestamp::now())
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
    /// Opens the store of the configured data directory, and makes both where they are missing.
    ///
    /// # Errors
    /// When the directory cannot be written or the store cannot be opened.
    pub async fn open(config: Config) -> anyhow::Result<Self> {
        let path = Self::store_path(&config)?;
        let store = Store::open(&path).await?;
        Ok(Self { config, store })
    }

    /// Where the store is.
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
            jitter_percent: self.config.count32("sync_jitter_percent"),
            ..EngineOptions::default()
        };
        Ok(Engine::new(self.store.clone(), self.config.sources.clone(), options)?)
    }

    /// Builds the next generation from the store.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn snapshot(&self, generation: u64, before: Option<Arc<Snapshot>>) -> anyhow::Result<Snapshot> {
        let Catalog { facts, sources } = rebuild::load(&self.store, &self.config.sources).await?;
        let now = now();
        let behind_requests = before.is_some();
        let build =
            move || Snapshot::build(&Input { facts: &facts, sources, now, generation, before: before.as_deref() });
        on_a_thread(behind_requests, build).await
    }

    /// The generation after `before`, when `synced` are the sources whose states changed since (`None`: not known). Updated
    /// where that is possible, else built anew; `None` when nothing that is shown changed.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn next_snapshot(
        &self,
        before: Arc<Snapshot>,
        synced: Option<&[String]>,
    ) -> anyhow::Result<Option<Snapshot>> {
        let (now, generation) = (now(), before.generation() + 1);
        let changes = match synced {
            Some(synced) => rebuild::changes(&self.store, &self.config.sources, &before, synced, now).await?,
            None => None,
        };
        if let Some(Catalog { facts, sources }) = changes {
            if facts.is_empty() {
                return Ok(None);
            }
            let of = Arc::clone(&before);
            let update = move || of.update(&Changes { facts: &facts, sources, now, generation });
            if let Some(updated) = on_a_thread(true, update).await? {
                return Ok(Some(updated));
            }
        }
        self.snapshot(generation, Some(before)).await.map(Some)
    }
}

/// Nice value of a thread that works behind requests.
#[cfg(target_os = "linux")]
const BEHIND: i32 = 10;

/// Runs CPU work of seconds on a thread of its own (and those it starts); `behind_requests` makes it give way to the threads that
/// answer them.
async fn on_a_thread<T: Send + 'static>(
    behind_requests: bool,
    work: impl FnOnce() -> T + Send + 'static,
) -> anyhow::Result<T> {
    let (sender, receiver) = tokio::sync::oneshot::channel();
    std::thread::Builder::new().name("rebuild".to_owned()).spawn(move || {
        if behind_requests {
            give_way();
        }
        // Nobody waits any more at shutdown.
        let _ = sender.send(work());
    })?;
    receiver.await.context("building the catalog broke off")
}

/// Lowers the priority of this thread, where the system has priorities of threads.
fn give_way() {
    #[cfg(target_os = "linux")]
    // A lower priority is always granted; without it the work is done all the same.
    let _ = rustix::process::setpriority_process(Some(rustix::thread::gettid()), BEHIND);
}
