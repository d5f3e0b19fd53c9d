//! Publishes a new generation whenever the store's catalog changed (by this process or another), what it says of the time is no longer
//! so, or the clock was set back.

use std::sync::Arc;
use std::time::{Duration, Instant};

use refdesk_core::Stamp;
use refdesk_ingest::sync::Engine;
use refdesk_serve::AppState as Desk;

use super::switches::Watch;
use super::tell_sources;
use super::watchdog::{Pulse, SILENT_MAX};
use crate::app::{self, App};
use crate::image::{self, Mark};
use crate::semantic;

/// A generation that was updated is built anew when nothing came for so long: then searches weigh words as on every other node.
const SETTLED: Duration = Duration::from_mins(5);
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
    desk: Arc<Desk>,
    engine: Engine,
    /// Looks for sources that are switched in the configuration file.
    watch: Watch,
    /// The states of the sources when they were looked at last.
    seen: Mark,
    /// What the clock said at that time.
    clock: Stamp,
    /// What is to be done, until it is.
    wanted: Wanted,
    /// How long the longest generation took to make.
    longest: Duration,
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
    pub fn new(app: Arc<App>, desk: Arc<Desk>, engine: Engine, watch: Watch, first: Option<(Mark, Stamp)>) -> Self {
        let wanted = Wanted { again: first.is_none(), ..Wanted::default() };
        let (seen, clock) = first.unwrap_or_else(|| (Mark::new(), app::now()));
        Self { app, desk, engine, watch, seen, clock, wanted, longest: Duration::ZERO }
    }

    /// Looks, and publishes, until it is dropped.
    pub async fn run(mut self, pulse: Pulse) {
        let mut changes = self.engine.changes();
        let mut published = Instant::now();
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
            let Ok(mark) = self.app.store.source_states().await else { continue };
            let snapshot = self.desk.snapshot();
            let turned = snapshot.next_change_at().is_some_and(|at| at <= app::now());
            let settled = published.elapsed() >= SETTLED && snapshot.index().as_whole().is_none();
            let Wanted { again, switched, set_back, .. } = self.wanted;
            if self.seen == mark && !(turned || settled || again || switched || set_back) {
                continue;
            }
            let synced = if again || settled || switched { None } else { image::synced_since(&self.seen, &mark) };
            pulse.work_for(SILENT_MAX.max(self.longest * SLOWER_MAX));
            let begun = Instant::now();
            match self.publish(synced, &mark).await {
                Ok(()) => {
                    (self.wanted, published) = (Wanted::default(), Instant::now());
                    self.longest = self.longest.max(begun.elapsed());
                    self.desk.set_fault(PART, None);
                }
                Err(error) => self.tell_failure(&error),
            }
            self.seen = mark;
        }
    }

    fn look_at_clock(&mut self) {
        let now = app::now();
        self.wanted.set_back |= self.clock.secs_since(now) > CLOCK_BACK_SECS;
        self.clock = now;
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

    async fn publish(&self, synced: Option<Vec<String>>, mark: &Mark) -> anyhow::Result<()> {
        let begun = Instant::now();
        let Some(next) = self.app.next_generation(self.desk.snapshot(), synced).await? else { return Ok(()) };
        let snapshot = semantic::before_publishing(&self.app.store, &self.desk, next.snapshot).await?;
        tracing::info!(
            generation = snapshot.generation(),
            revision = snapshot.revision(),
            items = snapshot.stats().total(),
            seconds = begun.elapsed().as_secs_f64(),
            "published"
        );
        self.desk.publish(snapshot);
        if next.built {
            keep_image(&self.app, &self.desk, mark);
        }
        Ok(())
    }
}

/// Keeps the desk's generation on disk, beside all else.
pub fn keep_image(app: &Arc<App>, desk: &Desk, mark: &Mark) {
    let (app, snapshot, mark) = (Arc::clone(app), desk.snapshot(), mark.clone());
    tokio::spawn(async move { app.keep_image(snapshot, mark).await });
}
