//! What every node does: it polls the head of the database, one row, and takes up what is new there: generations, keys, the state of the
//! sources. Nothing of it is on the way of a request.

use std::sync::Arc;
use std::time::{Duration, Instant};

use refdesk_ingest::generation::Told;
use refdesk_ingest::store::Head;
use refdesk_ingest::sync::Engine;
use refdesk_serve::AppState;
use tokio::sync::Notify;

use super::Cluster;
use crate::app::{self, App};
use crate::background::{Pulse, refresh_keys, reloaded, tell_sources};
use crate::semantic;

/// How often the head is read.
const POLL: Duration = Duration::from_millis(500);
/// The sources are told anew when the store changed, and this often, for syncs that begin and what the clock changes.
const SOURCES_EVERY: Duration = Duration::from_secs(5);
/// Wait before a generation that could not be taken up is tried again.
const FAILURE_WAIT: Duration = Duration::from_secs(5);
/// Fetching and reading a generation may take so long before the task is taken for stuck.
const TAKE_UP_MAX: Duration = Duration::from_mins(30);
/// What it fails with in `/health`.
const PART: &str = "generation";

/// Follows for as long as it runs.
pub struct Follower {
    app: Arc<App>,
    desk: Arc<AppState>,
    engine: Engine,
    cluster: Cluster,
    seen: Option<Head>,
    sources_at: Option<Instant>,
    failed_at: Option<Instant>,
}

impl Follower {
    /// `engine` only tells the states of sources.
    pub fn new(app: Arc<App>, desk: Arc<AppState>, engine: Engine, cluster: Cluster) -> Self {
        Self { app, desk, engine, cluster, seen: None, sources_at: None, failed_at: None }
    }

    /// Polls until it is dropped. What `reload` asks for is limits, log and collections: which sources are synced is the leader's to say.
    pub async fn run(mut self, reload: Arc<Notify>, pulse: Pulse) {
        loop {
            pulse.beat();
            // Why the database does not answer is told by the watch of the store.
            if let Ok(head) = self.app.store.head().await {
                pulse.work_for(TAKE_UP_MAX);
                self.look(&head).await;
            }
            tokio::select! {
                () = tokio::time::sleep(POLL) => {}
                () = reload.notified() => {
                    if let Some(config) = reloaded(&self.desk, &self.app.config) {
                        self.app = Arc::new(App { config, store: self.app.store.clone() });
                    }
                }
            }
        }
    }

    async fn look(&mut self, head: &Head) {
        let seen = self.seen.take();
        let is_same = |what: fn(&Head) -> i64| seen.as_ref().is_some_and(|seen| what(seen) == what(head));
        let mut now_seen = head.clone();
        if is_same(|head| head.keys_revision) || refresh_keys(&self.desk, &self.app.store).await {
            self.desk.node.keys_checked(app::now());
        } else {
            // Looked at again with the next poll.
            now_seen.keys_revision = -1;
        }
        if !is_same(|head| head.revision) || self.sources_at.is_none_or(|at| at.elapsed() >= SOURCES_EVERY) {
            tell_sources(&self.desk, &self.engine).await;
            self.sources_at = Some(Instant::now());
        }
        self.seen = Some(now_seen);
        let is_behind = head.generation > self.cluster.shown();
        let lag = if is_behind { head.generation - self.cluster.shown() } else { 0 };
        self.desk.node.set_generation_lag(lag);
        // Who leads shows what it tells before it tells the next.
        if is_behind && !self.desk.node.is_leader() && self.failed_at.is_none_or(|at| at.elapsed() >= FAILURE_WAIT) {
            self.take_up().await;
        }
    }

    /// Shows the newest generation. One that cannot be had leaves the one before, and is tried again.
    async fn take_up(&mut self) {
        match self.try_take_up().await {
            Ok(()) => {
                self.failed_at = None;
                self.desk.set_fault(PART, None);
                self.desk.node.set_generation_lag(0);
            }
            Err(error) => {
                // Told once, however often it is tried again.
                if self.failed_at.is_none() {
                    tracing::error!(error = %app::told(&error), "the newest generation cannot be taken up; the one before stays, and the next try follows");
                }
                self.failed_at = Some(Instant::now());
                let fault = "the newest generation cannot be taken up, so an older one is shown; the next try follows";
                self.desk.set_fault(PART, Some(fault.to_owned()));
            }
        }
    }

    async fn try_take_up(&self) -> anyhow::Result<()> {
        let Some(told) = self.cluster.shared.newest().await? else { return Ok(()) };
        take_up(&self.app, &self.desk, &self.cluster, &told).await
    }
}

/// Takes a generation up and publishes it on this node.
pub(super) async fn take_up(app: &App, desk: &AppState, cluster: &Cluster, told: &Told) -> anyhow::Result<()> {
    let begun = Instant::now();
    let taken = cluster.shared.take_up(told, Some(desk.snapshot())).await?;
    if taken.fetched > 0 {
        desk.node.fetched_segments(taken.fetch_time);
    }
    let snapshot = Arc::new(taken.snapshot);
    semantic::before_publishing(&app.store, desk, &snapshot).await?;
    tracing::info!(
        generation = told.id,
        revision = snapshot.revision(),
        fetched = taken.fetched,
        seconds = begun.elapsed().as_secs_f64(),
        "took up a generation"
    );
    desk.publish(snapshot);
    cluster.set_shown(told.id);
    Ok(())
}
