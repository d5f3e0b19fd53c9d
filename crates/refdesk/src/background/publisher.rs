//! Publishes a new generation whenever the store's catalog changed (by this process or another), what it says of the time is no longer
//! so, or the clock was set back.

use std::sync::Arc;
use std::time::{Duration, Instant};

use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::Stamp;
use refdesk_ingest::generation::{Changes, GenerationError, NodeFault, SharedGenerations, SourceStates, changes_since};
use refdesk_ingest::sync::Engine;
use refdesk_serve::AppState;
use tokio::sync::Notify;

use super::Background;
use super::live_config::FollowedConfig;
use super::look::{look_is_due, until_next_look};
use super::reload::{heeding, reload};
use super::shown::Shown;
use super::switches::Watch;
use super::tell_sources;
use super::watchdog::Pulse;
use crate::app::{self, App};
use crate::config::Config;
use crate::output;
use crate::semantic;
use crate::service::Announcement;

/// A generation is kept on disk when nothing came for so long …
const QUIET: Duration = Duration::from_mins(5);
/// … or when the one on disk is so old.
const KEPT_EVERY: Duration = Duration::from_hours(1);
/// A clock that goes back by more than this makes times of the catalog lie ahead of it: then it is looked at again.
const CLOCK_BACK_SECS: i64 = 5;
/// Wait before a generation that could not be made is tried again.
const FAILURE_WAIT: Duration = Duration::from_secs(5);
/// Putting the files of a generation where other nodes fetch them, and reading the vectors of its texts, may take so long before the task is
/// taken for stuck.
const SHOW_MAX: Duration = Duration::from_mins(30);
/// Who could not write so many generations in a row into its own data directory, [`FAILURE_WAIT`] apart, leaves it to another node.
const UNWRITTEN_MAX: u32 = 3;
/// What it fails with in `/health`.
pub const PART: &str = "catalog";

/// Publishes for as long as it runs.
pub struct Publisher {
    app: Arc<App>,
    desk: Arc<AppState>,
    engine: Engine,
    /// The configuration that it works by.
    configs: FollowedConfig,
    /// Looks for sources that are switched in the configuration file.
    watch: Watch,
    /// What the published generation was made of.
    published: Published,
    /// When it was published, and when one was last kept on disk.
    published_at: Instant,
    kept_at: Option<Instant>,
    keeping: Option<tokio::task::JoinHandle<()>>,
    /// The card for the command line, which reads its own store until what it wrote is shown.
    announcement: Option<Arc<Announcement>>,
    /// Says when the configuration is to be read anew.
    reload: Arc<Notify>,
    /// What is to be done, until it is.
    wanted: Wanted,
    /// Where generations go first, when other nodes show them, too.
    share: Option<Share>,
    /// A generation that was made and could not be told to the others yet.
    untold: Option<Arc<Snapshot>>,
    /// Why the data directory could not be written the last time, and how often in a row it could not.
    unwritten: Option<(NodeFault, u32)>,
}

/// How a generation is told to the other nodes, before this one shows it.
pub struct Share {
    /// Where it is told.
    pub generations: SharedGenerations,
    /// Which of them this node shows.
    pub shown: Shown,
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
    /// `first` is what the generation that is published was made of, with the sources of `configs`; without it everything is looked at
    /// again.
    pub fn new(work: Background, configs: FollowedConfig, first: Option<Published>, share: Option<Share>) -> Self {
        let Background { app, desk, engine, announcement, reload } = work;
        let wanted = Wanted { again: first.is_none(), ..Wanted::default() };
        let unknown = || Published { states: SourceStates::new(), clock: app::now(), kept: true };
        let published = first.unwrap_or_else(unknown);
        let published_at = Instant::now();
        let config = configs.seen().clone();
        // One that stopped may have left it behind.
        engine.switch(&config.sources);
        Self {
            watch: Watch::new(&config),
            app: Arc::new(App { config, store: app.store.clone() }),
            desk,
            engine,
            configs,
            published,
            published_at,
            kept_at: None,
            keeping: None,
            announcement,
            reload,
            wanted,
            share,
            untold: None,
            unwritten: None,
        }
    }

    /// Looks, and publishes, until it is dropped; among several nodes also until it is clear that this one cannot write what it builds, and why.
    pub async fn run(mut self, pulse: Pulse) -> NodeFault {
        let mut changes = self.engine.changes();
        let (mut is_read, mut seen) = (true, None);
        loop {
            pulse.beat();
            let stale_in = self.desk.snapshot().next_change_at().map(|at| at.secs_since(app::now()));
            let has_failed = !is_read || self.wanted.failed_at.is_some();
            tokio::select! {
                // The engine lives as long as this: an error would only mean that nothing is synced here.
                _ = changes.changed() => {}
                () = self.configs.changed() => {}
                () = self.reload.notified() => self.reload(),
                () = look_is_due(&self.app.store, seen.filter(|_| !has_failed), until_next_look(stale_in, has_failed)) => {}
            }
            // Before the states are read: what is written in between is looked at again.
            seen = self.app.store.write_mark();
            self.look_at_clock();
            self.wanted.switched |= self.follow_config().await;
            self.look_at_file();
            self.restore_announcement();
            if self.wanted.failed_at.is_some_and(|at| at.elapsed() < FAILURE_WAIT) {
                continue;
            }
            let change = self.announcement.as_ref().and_then(|announcement| announcement.change());
            // Whole states, not times alone: those have whole seconds, and two syncs may fall into one.
            let states = self.app.store.source_states().await;
            is_read = states.is_ok();
            let Ok(states) = states else { continue };
            let turned = self.desk.snapshot().next_change_at().is_some_and(|at| at <= app::now());
            let Wanted { again, switched, set_back, .. } = self.wanted;
            let untold = self.untold.is_some();
            if self.published.states != states || turned || again || switched || set_back || untold {
                pulse.beat_during(Box::pin(self.publish_and_reload(states, &pulse))).await;
            }
            if let Some((fault, UNWRITTEN_MAX..)) = self.unwritten
                && self.share.is_some()
            {
                return fault;
            }
            if let (Some(announcement), Some(change)) = (&self.announcement, change.filter(|_| !self.wanted.again)) {
                announcement.shown(&change);
            }
            self.keep_when_due();
        }
    }

    /// Makes the next generation, and publishes it if anything of it is new.
    async fn publish(&mut self, states: SourceStates, pulse: &Pulse) {
        let Wanted { again, switched, .. } = self.wanted;
        let changes = if again || switched { None } else { changes_since(&self.published.states, &states) };
        let made = match self.make(changes).await {
            Ok(made) => made,
            Err(error) => {
                self.wanted.again = true;
                self.tell_failure(&error);
                return;
            }
        };
        self.published.states.clone_from(&states);
        if let Some(snapshot) = made {
            // Should it fail, the next try tells this one instead of building it again.
            self.untold = Some(Arc::clone(&snapshot));
            self.wanted = Wanted { failed_at: self.wanted.failed_at, ..Wanted::default() };
            // It waits for the segment store and for the store, which have times of their own, and gives up by itself.
            pulse.work_for(SHOW_MAX);
            let shown = self.show(snapshot, states).await;
            pulse.beat();
            if let Err(error) = shown {
                let fault = error.downcast_ref().and_then(GenerationError::node_fault);
                self.unwritten = fault.map(|fault| (fault, self.unwritten.map_or(1, |(_, times)| times + 1)));
                self.tell_failure(&error);
                return;
            }
            (self.untold, self.unwritten) = (None, None);
            (self.published.kept, self.published_at) = (false, Instant::now());
        }
        self.wanted = Wanted::default();
        self.desk.set_fault(PART, None);
    }

    /// Makes the next generation; `None` when nothing that is shown changed.
    async fn make(&self, changes: Option<Changes>) -> anyhow::Result<Option<Arc<Snapshot>>> {
        let begun = Instant::now();
        let before = self.untold.clone().unwrap_or_else(|| self.desk.snapshot());
        let Some(next) = self.app.generations().with_router().next(before, changes).await? else {
            return Ok(self.untold.clone());
        };
        tracing::info!(
            generation = next.generation(),
            revision = next.revision(),
            items = next.stats().total(),
            seconds = begun.elapsed().as_secs_f64(),
            "built"
        );
        Ok(Some(Arc::new(next)))
    }

    /// Shows a generation; where there are other nodes, under the number by which they are told of it.
    async fn show(&self, snapshot: Arc<Snapshot>, states: SourceStates) -> anyhow::Result<()> {
        let (snapshot, told) = match &self.share {
            Some(share) => {
                let id = share.generations.tell(Arc::clone(&snapshot), states).await?;
                (Arc::new(snapshot.numbered(id.unsigned_abs())), Some((share, id)))
            }
            None => (snapshot, None),
        };
        semantic::before_publishing(&self.app.store, &self.desk, &snapshot).await?;
        tracing::info!(generation = snapshot.generation(), revision = snapshot.revision(), "published");
        match told {
            Some((share, id)) => share.shown.publish_own(id, || self.desk.publish(snapshot)),
            None => self.desk.publish(snapshot),
        }
        Ok(())
    }

    /// Keeps the generation on disk, beside all else: at once after a start, then once it is quiet.
    fn keep_when_due(&mut self) {
        let is_keeping = self.keeping.as_ref().is_some_and(|task| !task.is_finished());
        // What is told to other nodes is on disk already.
        if self.published.kept || self.wanted.again || is_keeping || self.share.is_some() {
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
        if self.wanted.failed_at.is_none() {
            tracing::error!(error = %output::told(error), "the catalog could not be rebuilt; the last generation stays, and refdesk will try again");
        }
        self.wanted.failed_at = Some(Instant::now());
        let fault = "it could not be rebuilt, so what was synced since is not shown; refdesk will try again";
        self.desk.set_fault(PART, Some(fault.to_owned()));
    }

    /// Takes over what can be of the configuration file.
    fn reload(&mut self) {
        if !reload(&self.desk, self.configs.live()) {
            // Why it is not taken over was told, and the watch need not tell it again.
            self.watch.pass_over();
        }
    }

    /// Publishes. A configuration that is to be read anew meanwhile is; the sources that it switches are those of the next generation.
    async fn publish_and_reload(&mut self, states: SourceStates, pulse: &Pulse) {
        let (desk, live) = (Arc::clone(&self.desk), self.configs.live().clone());
        let wanted = Arc::clone(&self.reload);
        let mut is_refused = false;
        heeding(self.publish(states, pulse), &wanted, || is_refused |= !reload(&desk, &live)).await;
        if is_refused {
            self.watch.pass_over();
        }
    }

    fn restore_announcement(&self) {
        if let Some(announcement) = &self.announcement
            && let Err(error) = announcement.restore(&self.app.config)
        {
            tracing::debug!(error = %output::told(&error), "commands do not find this desk and read the catalog themselves");
        }
    }

    /// Looks whether the configuration file switches sources.
    fn look_at_file(&mut self) {
        if let Some(config) = self.watch.look() {
            self.configs.replace(config);
        }
    }

    /// Works by the configuration in force from now on; whether the next generation is to be built anew, of its sources.
    async fn follow_config(&mut self) -> bool {
        let Some(config) = self.configs.newer() else { return false };
        let switched = self.app.config.sources != config.sources;
        self.engine.switch(&config.sources);
        self.watch = Watch::new(&config);
        self.app = Arc::new(App { config: Config::clone(&config), store: self.app.store.clone() });
        if let Some(share) = &mut self.share {
            share.generations = share.generations.with_sources(&config.sources);
        }
        // Among several nodes the follower tells them, and hears of it, too: of two, one would tell what was so before.
        if self.share.is_none() {
            tell_sources(&self.desk, &self.engine).await;
        }
        if let Some(announcement) = &self.announcement
            && let Err(error) = announcement.follow(&self.app.config)
        {
            tracing::warn!(error = %output::told(&error), "commands do not ask this desk until it is started again");
        }
        switched
    }
}
