//! Publishes a new generation whenever the store's catalog changed (by this process or another), what it says of the time is no longer
//! so, or the clock was set back.

use std::sync::Arc;
use std::time::{Duration, Instant};

use refdesk_core::Stamp;
use refdesk_ingest::generation::{SourceStates, synced_since};
use refdesk_ingest::sync::Engine;
use refdesk_serve::AppState;

use super::switches::Watch;
use super::tell_sources;
use super::watchdog::{Pulse, SILENT_MAX};
use crate::app::{self, App};
use crate::semantic;

/// A generation is kept on disk when nothing came for so long …
const QUIET: Duration = Duration::from_mins(5);
/// … or when the one on disk is so old.
const KEPT_EVERY: Duration = Duration::from_hours(1);
/// How often is looked whether another process synced.
const LOOK: Duration = Duration::from_millis(500);
/// Shortest sleep between two looks.
const LOOK_MIN: Duration = Duration::from_millis(10);
/// A clock that goes back by more than this makes times of the catalog lie ahead of it: then it is looked at again.
const CLOCK_BACK_SECS: i64 = 5;
/// Wait before a generation that could not be made is tried again.
const FAILURE_WAIT: Duration = Duration::from_secs(5);
/// Making a generation may take so many times as long as the longest so far before it is taken for stuck; at least [`SILENT_MAX`].
const SLOWER_MAX: u32 = 4;
/// What it fails with in `/health`.
const PART: &str = "catalog";

/// Publishes for as long as it runs.
pub struct Publisher {
    app: Arc<App>,
    desk: Arc<AppState>,
    engine: Engine,
    /// Looks for sources that are switched in the configuration file.
    watch: Watch,
    /// What the published generation was made of.
    published: Published,
    /// When it was published, and when one was last kept on disk.
    published_at: Instant,
    kept_at: Option<Instant>,
    keeping: Option<tokio::task::JoinHandle<()>>,
    /// What is to be done, until it is.
    wanted: Wanted,
    /// How long the longest generation took to make.
    longest: Duration,
}

/// What a generation that is published was made of.
pub struct Published {
    /// The states of the sources when they were looked at last.
    pub states: SourceStates,
    /// What the clock said at that time.
    pub clock: Stamp,
    /// Whether it is on disk as it is.
    pub kept: bool,
}

/// Why a generation is to be made though no source was synced. Each stays until it is.
#[derive(Debug, Clone, Copy, Default)]
struct Wanted {
    /// The last try failed: it is not known what the generation lacks.
    again: bool,
    /// Sources were switched in the configuration file.
    switched: bool,
    /// The clock was set back.
    set_back: bool,
    /// When the last try failed.
    failed_at: Option<Instant>,
}

impl Publisher {
    /// `first` is what the generation that is published was made of; without it everything is looked at again.
    pub fn new(app: Arc<App>, desk: Arc<AppState>, engine: Engine, watch: Watch, first: Option<Published>) -> Self {
        let wanted = Wanted { again: first.is_none(), ..Wanted::default() };
        let unknown = || Published { states: SourceStates::new(), clock: app::now(), kept: true };
        let published = first.unwrap_or_else(unknown);
        let published_at = Instant::now();
        let longest = Duration::ZERO;
        Self { app, desk, engine, watch, published, published_at, kept_at: None, keeping: None, wanted, longest }
    }

    /// Looks, and publishes, until it is dropped.
    pub async fn run(mut self, pulse: Pulse) {
        let mut changes = self.engine.changes();
        loop {
            pulse.beat();
            let stale_in = self.desk.snapshot().next_change_at().map(|at| at.secs_since(app::now()));
            let until_stale = stale_in.map_or(LOOK, |secs| Duration::from_secs(u64::try_from(secs).unwrap_or(0)));
            tokio::select! {
                // The engine lives as long as this: an error would only mean that nothing is synced here.
                _ = changes.changed() => {}
                () = tokio::time::sleep(until_stale.clamp(LOOK_MIN, LOOK)) => {}
            }
            self.look_at_clock();
            self.wanted.switched |= self.follow_switches().await;
            if self.wanted.failed_at.is_some_and(|at| at.elapsed() < FAILURE_WAIT) {
                continue;
            }
            // Whole states, not times alone: those have whole seconds, and two syncs may fall into one.
            let Ok(states) = self.app.store.source_states().await else { continue };
            let turned = self.desk.snapshot().next_change_at().is_some_and(|at| at <= app::now());
            let Wanted { again, switched, set_back, .. } = self.wanted;
            if self.published.states != states || turned || again || switched || set_back {
                pulse.work_for(SILENT_MAX.max(self.longest * SLOWER_MAX));
                self.publish(states).await;
            }
            self.keep_when_due();
        }
    }

    /// Makes the next generation, and publishes it if anything of it is new.
    async fn publish(&mut self, states: SourceStates) {
        let begun = Instant::now();
        let Wanted { again, switched, .. } = self.wanted;
        let synced = if again || switched { None } else { synced_since(&self.published.states, &states) };
        match self.try_publish(synced).await {
            Ok(is_new) => {
                self.wanted = Wanted::default();
                self.published.kept &= !is_new;
                if is_new {
                    self.published_at = Instant::now();
                }
                self.longest = self.longest.max(begun.elapsed());
                self.desk.set_fault(PART, None);
            }
            Err(error) => self.tell_failure(&error),
        }
        self.published.states = states;
    }

    async fn try_publish(&self, synced: Option<Vec<String>>) -> anyhow::Result<bool> {
        let begun = Instant::now();
        let Some(next) = self.app.generations().next(self.desk.snapshot(), synced).await? else { return Ok(false) };
        let snapshot = semantic::before_publishing(&self.app.store, &self.desk, next).await?;
        tracing::info!(
            generation = snapshot.generation(),
            revision = snapshot.revision(),
            items = snapshot.stats().total(),
            seconds = begun.elapsed().as_secs_f64(),
            "published"
        );
        self.desk.publish(snapshot);
        Ok(true)
    }

    /// Keeps the generation on disk, beside all else: at once after a start, then once it is quiet.
    fn keep_when_due(&mut self) {
        let is_keeping = self.keeping.as_ref().is_some_and(|task| !task.is_finished());
        if self.published.kept || self.wanted.again || is_keeping {
            return;
        }
        let is_old = self.kept_at.is_none_or(|at| at.elapsed() >= KEPT_EVERY);
        if is_old || self.published_at.elapsed() >= QUIET {
            let (generations, states) = (self.app.generations(), self.published.states.clone());
            let snapshot = self.desk.snapshot();
            self.keeping = Some(tokio::spawn(async move { generations.keep(snapshot, states).await }));
            (self.published.kept, self.kept_at) = (true, Some(Instant::now()));
        }
    }

    fn look_at_clock(&mut self) {
        let now = app::now();
        self.wanted.set_back |= self.published.clock.secs_since(now) > CLOCK_BACK_SECS;
        self.published.clock = now;
    }

    fn tell_failure(&mut self, error: &anyhow::Error) {
        // Told once, however often it is tried again.
        if !self.wanted.again {
            tracing::error!(error = %app::told(error), "the catalog could not be rebuilt; the last generation stays, and the next try follows");
        }
        self.wanted.again = true;
        self.wanted.failed_at = Some(Instant::now());
        let fault = "it could not be rebuilt, so what was synced since is not shown; the next try follows";
        self.desk.set_fault(PART, Some(fault.to_owned()));
    }

    /// Takes over what the configuration file switches; the next generation is built of the sources that are on then.
    async fn follow_switches(&mut self) -> bool {
        let Some(config) = self.watch.look() else { return false };
        self.engine.switch(&config.sources);
        self.app = Arc::new(App { config, store: self.app.store.clone() });
        tell_sources(&self.desk, &self.engine).await;
        true
    }
}
