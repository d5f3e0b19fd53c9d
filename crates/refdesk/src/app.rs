//! What every command needs: the configuration, the store, the clock, and a snapshot of the catalog.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context as _;
use refdesk_catalog::snapshot::{Changes, Input, Snapshot, Texts};
use refdesk_core::{SourceInfo, Stamp};
use refdesk_ingest::rebuild::{self, Catalog};
use refdesk_ingest::store::{STORE_FILE, Store};
use refdesk_ingest::sync::{Engine, EngineOptions, Progress};
use refdesk_ingest::verify::Readers;

use crate::cli::Shared;
use crate::config::{Config, Given};
use crate::image::{self, Mark};
use crate::texts::FileTexts;

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

    /// The catalog: of its image and what changed since, or built from the store; then the image is kept for the next command, unless
    /// there is one of other sources, which is a server's.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn snapshot(&self) -> anyhow::Result<Arc<Snapshot>> {
        let First { snapshot, mark, built } = self.first_generation().await?;
        let of_others = |path: PathBuf| image::is_of_others(&path, &self.sources_hash());
        if built && !self.image_path().is_some_and(of_others) {
            self.keep_image(Arc::clone(&snapshot), mark).await;
        }
        Ok(snapshot)
    }

    /// The same, with what a server needs to go on from there.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn first_generation(&self) -> anyhow::Result<First> {
        // Before anything is read: what is synced meanwhile is looked at again.
        let mark = self.store.source_states().await?;
        let Some((image, image_mark)) = self.image().await else {
            return Ok(First { snapshot: Arc::new(self.build(1, None).await?), mark, built: true });
        };
        let image = Arc::new(image);
        let synced = image::synced_since(&image_mark, &mark);
        Ok(match self.generation_after(Arc::clone(&image), synced.as_deref()).await? {
            Some(Next { snapshot, built }) => First { snapshot: Arc::new(snapshot), mark, built },
            None => First { snapshot: image, mark, built: false },
        })
    }

    /// What the catalog's image holds. One that cannot be read is told of and passed over.
    async fn image(&self) -> Option<(Snapshot, Mark)> {
        let (path, sources) = (self.image_path()?, self.sources_hash());
        let read = on_a_thread(async move { image::read(&path, &sources) }).await.and_then(|read| read);
        read.unwrap_or_else(|error| {
            tracing::warn!(error = %told(&error), "the catalog's image cannot be read; the catalog is built from the store");
            None
        })
    }

    /// Keeps a snapshot that was built from the store as `mark` tells. Failing costs the next start time, and nothing else.
    pub async fn keep_image(&self, snapshot: Arc<Snapshot>, mark: Mark) {
        let Some(path) = self.image_path() else { return };
        let sources = self.sources_hash();
        let kept =
            behind_requests(async move { image::write(&path, &snapshot, &sources, &mark) }).await.and_then(|kept| kept);
        if let Err(error) = kept {
            tracing::warn!(error = %told(&error), "the catalog's image cannot be kept; the next start builds the catalog");
        }
    }

    /// Stands for what the configuration says of its sources.
    fn sources_hash(&self) -> String {
        let sources: Vec<(SourceInfo, bool)> =
            self.config.sources.iter().map(|source| (source.info(), source.enabled)).collect();
        refdesk_core::hash::content_hash(&serde_json::to_vec(&sources).unwrap_or_default())
    }

    /// Deletes the catalog's image: it has what a source said that is shown no more. A server writes its own again.
    ///
    /// # Errors
    /// When there is one that cannot be deleted.
    pub fn drop_image(&self) -> anyhow::Result<()> {
        let Ok(dir) = self.config.data_dir() else { return Ok(()) };
        let path = image::path(&dir);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(error).with_context(|| format!("{}: cannot be deleted; delete it by hand", path.display()))
            }
            _ => Ok(()),
        }
    }

    fn image_path(&self) -> Option<PathBuf> {
        let dir = self.config.flag("catalog_image").then(|| self.config.data_dir().ok());
        dir.flatten().map(|dir| image::path(&dir))
    }

    /// Where a build puts texts that need not be in memory: where its image will be, if it is kept.
    fn texts(&self) -> Option<Box<dyn Texts>> {
        let path = self.image_path()?;
        match FileTexts::new_in(path.parent()?) {
            Ok(texts) => Some(Box::new(texts)),
            Err(error) => {
                tracing::warn!(%error, "no file for the texts of the catalog; they stay in memory");
                None
            }
        }
    }

    /// Builds a generation from the store.
    async fn build(&self, generation: u64, before: Option<Arc<Snapshot>>) -> anyhow::Result<Snapshot> {
        let Catalog { facts, sources } = rebuild::load(&self.store, &self.config.sources, now()).await?;
        let (now, texts) = (now(), self.texts());
        on_a_thread(async move {
            Snapshot::build(&Input { facts: &facts, sources, now, generation, before: before.as_deref(), texts })
        })
        .await
    }

    /// The generation after `before`, when `synced` are the sources whose states changed since (`None`: not known). Updated
    /// where that is possible, else built anew; `None` when nothing that is shown changed. Reading the store for it and all the work give
    /// way to requests.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn next_generation(
        &self,
        before: Arc<Snapshot>,
        synced: Option<Vec<String>>,
    ) -> anyhow::Result<Option<Next>> {
        let behind = Self { config: self.config.clone(), store: self.store.for_reading() };
        behind_requests(async move { behind.generation_after(before, synced.as_deref()).await }).await?
    }

    async fn generation_after(&self, before: Arc<Snapshot>, synced: Option<&[String]>) -> anyhow::Result<Option<Next>> {
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
            let update = async move { of.update(&Changes { facts: &facts, sources, now, generation }) };
            if let Some(snapshot) = on_a_thread(update).await? {
                return Ok(Some(Next { snapshot, built: false }));
            }
        }
        let snapshot = self.build(generation, Some(before)).await?;
        Ok(Some(Next { snapshot, built: true }))
    }
}

/// The generation that a server begins with.
pub struct First {
    /// The snapshot.
    pub snapshot: Arc<Snapshot>,
    /// The states of the sources when it was read from the store.
    pub mark: Mark,
    /// Whether it was built, and not of the catalog's image.
    pub built: bool,
}

/// The generation after another one.
pub struct Next {
    /// The snapshot.
    pub snapshot: Snapshot,
    /// Whether it was built anew, and not updated.
    pub built: bool,
}

/// Nice value of a thread that works behind requests.
#[cfg(target_os = "linux")]
const BEHIND: i32 = 10;

/// Runs work of seconds on a thread of its own, with a runtime of its own for what waits in it.
async fn on_a_thread<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> anyhow::Result<T> {
    run_on_a_thread(work, || {}).await
}

/// The same on a thread that gives way to those that answer requests. So do all threads that the work starts: they take over its
/// priority.
async fn behind_requests<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> anyhow::Result<T> {
    run_on_a_thread(work, give_way).await
}

async fn run_on_a_thread<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
    prepare: impl FnOnce() + Send + 'static,
) -> anyhow::Result<T> {
    let (sender, receiver) = tokio::sync::oneshot::channel();
    std::thread::Builder::new().name("rebuild".to_owned()).spawn(move || {
        prepare();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        // Nobody waits any more at shutdown.
        let _ = sender.send(runtime.map(|runtime| runtime.block_on(work)));
    })?;
    Ok(receiver.await.context("building the catalog broke off")??)
}

/// Lowers the priority of this thread, where the system has priorities of threads.
fn give_way() {
    #[cfg(target_os = "linux")]
    // A lower priority is always granted; without it the work is done all the same.
    let _ = rustix::process::setpriority_process(Some(rustix::thread::gettid()), BEHIND);
}
