//! What every node does: it takes up what is new in the database, as [`super::head`] reads it: generations and the state of the sources.
//! Nothing of it is on the way of a request.

use std::sync::Arc;
use std::time::{Duration, Instant};

use refdesk_ingest::generation::ToldGeneration;
use refdesk_ingest::store::{Head, Store};
use refdesk_ingest::sync::Engine;
use refdesk_serve::AppState;
use tokio::sync::{Notify, watch};

use super::Cluster;
use crate::background::{Background, FollowedConfig, Pulse, heeding, reload, tell_sources};
use crate::output;
use crate::semantic;
use crate::service::Announcement;

/// The sources are told anew when the store changed, and this often, for syncs that begin and what the clock changes.
const SOURCES_EVERY: Duration = Duration::from_secs(5);
/// Wait before a generation that could not be taken up is tried again.
const FAILURE_WAIT: Duration = Duration::from_secs(5);
/// Fetching and reading a generation may take so long before the task is taken for stuck.
const TAKE_UP_MAX: Duration = Duration::from_mins(30);
/// So long commands read their own store, where what one of them wrote makes no other generation.
const NOTED_FOR: Duration = Duration::from_secs(30);
/// What it fails with in `/health`.
pub(super) const PART: &str = "generation";

/// Follows for as long as it runs.
pub struct Follower {
    store: Store,
    desk: Arc<AppState>,
    engine: Engine,
    cluster: Cluster,
    configs: FollowedConfig,
    heads: watch::Receiver<Option<Head>>,
    /// The revision of the database at the last poll.
    seen: Option<i64>,
    sources_at: Option<Instant>,
    failed_at: Option<Instant>,
    /// The card for the command line, which reads its own store until what it wrote is shown.
    announcement: Option<Arc<Announcement>>,
    /// Says when the configuration is to be read anew.
    reload: Arc<Notify>,
    /// What a command wrote, since when that is known, and the generation that was shown then.
    noted: Option<(String, Instant, i64)>,
}

impl Follower {
    /// The engine of `work` only tells the states of sources, while another node leads.
    pub fn new(work: Background, cluster: Cluster) -> Self {
        let Background { app, desk, engine, announcement, reload } = work;
        let (configs, heads) = (cluster.live.follow(), cluster.heads.subscribe());
        // One that stopped may have left it behind.
        engine.switch(&configs.seen().sources);
        Self {
            store: app.store.clone(),
            desk,
            engine,
            cluster,
            configs,
            heads,
            seen: None,
            sources_at: None,
            failed_at: None,
            announcement,
            reload,
            noted: None,
        }
    }

    /// Follows until it is dropped. Where the configuration is read anew, it is for all tasks of this node: where it leads, which sources are
    /// synced and how often is said by it.
    pub async fn run(mut self, pulse: Pulse) {
        let mut is_new = true;
        loop {
            pulse.beat();
            let head = if is_new { self.heads.borrow_and_update().clone() } else { None };
            is_new = false;
            if let Some(head) = head {
                pulse.work_for(TAKE_UP_MAX);
                let (desk, live, wanted) =
                    (Arc::clone(&self.desk), self.cluster.live.clone(), Arc::clone(&self.reload));
                let heed = || {
                    reload(&desk, &live);
                };
                heeding(self.look(&head), &wanted, heed).await;
            }
            self.look_at_note();
            tokio::select! {
                // While the database does not answer none comes, and there is nothing to be looked at.
                changed = tokio::time::timeout(SOURCES_EVERY, self.heads.changed()) => is_new = changed.is_ok(),
                () = self.configs.changed() => {}
                () = self.reload.notified() => {
                    reload(&self.desk, &self.cluster.live);
                }
            }
            if let Some(config) = self.configs.newer() {
                self.engine.switch(&config.sources);
                // The publisher does so, too, sooner or later than they are told.
                if let Some(syncing) = self.cluster.syncing() {
                    syncing.switch(&config.sources);
                }
                self.sources_at = None;
            }
        }
    }

    async fn look(&mut self, head: &Head) {
        let before = self.seen.replace(head.revision);
        let is_same = before == Some(head.revision);
        // Who leads tells the next generation itself, and may be ahead of a head that was read before. Generations are compared at the start
        // only, with the one of its disk that a node began with.
        let went_back = match before {
            Some(before) => head.revision < before,
            None => head.generation < self.cluster.shown.id(),
        };
        if went_back && !self.desk.node.is_leader() {
            // A restored backup, or a standby that was behind: numbers that were told before are told again, of other generations.
            tracing::warn!(
                shown = self.cluster.shown.id(),
                newest = head.generation,
                "the database went back; its newest generation is taken up"
            );
            self.cluster.shown.go_back_to(head.generation);
            self.failed_at = None;
        }
        if !is_same || self.sources_at.is_none_or(|at| at.elapsed() >= SOURCES_EVERY) {
            tell_sources(&self.desk, self.cluster.syncing().as_ref().unwrap_or(&self.engine)).await;
            self.sources_at = Some(Instant::now());
        }
        let lag = (head.generation - self.cluster.shown.id()).max(0);
        let is_behind = lag > 0;
        self.desk.node.set_generation_lag(lag);
        if !is_behind {
            // Who leads took up none, and shows its own.
            self.failed_at = None;
            self.desk.set_fault(PART, None);
        }
        // Who leads shows what it tells before it tells the next.
        if is_behind && !self.desk.node.is_leader() && self.failed_at.is_none_or(|at| at.elapsed() >= FAILURE_WAIT) {
            self.take_up().await;
        }
    }

    /// Lets commands ask this desk again once it shows a generation that came after what one of them wrote, or none came for long: what was
    /// written changed nothing that is shown.
    fn look_at_note(&mut self) {
        let Some(announcement) = &self.announcement else { return };
        let Some(change) = announcement.change() else {
            self.noted = None;
            return;
        };
        let shown = self.cluster.shown.id();
        match &self.noted {
            Some((noted, since, before)) if *noted == change => {
                if shown != *before || since.elapsed() >= NOTED_FOR {
                    announcement.shown(&change);
                    self.noted = None;
                }
            }
            _ => self.noted = Some((change, Instant::now(), shown)),
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
                    tracing::error!(error = %output::told(&error), "the newest generation cannot be taken up; the one before stays, and refdesk will try again");
                }
                self.failed_at = Some(Instant::now());
                let shown = if self.desk.snapshot().item_count() > 0 { "an older one" } else { "none" };
                let fault =
                    format!("the newest generation cannot be taken up, so {shown} is shown; refdesk will try again");
                self.desk.set_fault(PART, Some(fault));
            }
        }
    }

    async fn try_take_up(&self) -> anyhow::Result<()> {
        let Some(told) = self.cluster.shared.newest().await? else { return Ok(()) };
        take_up(&self.store, &self.desk, &self.cluster, &told).await
    }
}

/// Takes a generation up and publishes it on this node.
pub(super) async fn take_up(
    store: &Store,
    desk: &AppState,
    cluster: &Cluster,
    told: &ToldGeneration,
) -> anyhow::Result<()> {
    let begun = Instant::now();
    let taken = cluster.shared.take_up(told, Some(desk.snapshot())).await?;
    if taken.fetched > 0 {
        desk.node.fetched_segments(taken.fetch_time);
    }
    let snapshot = Arc::new(taken.snapshot);
    semantic::before_publishing(store, desk, &snapshot).await?;
    tracing::info!(
        generation = told.id,
        revision = snapshot.revision(),
        fetched = taken.fetched,
        seconds = begun.elapsed().as_secs_f64(),
        "took up a generation"
    );
    cluster.shown.publish(told.id, || desk.publish(snapshot));
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failing unwrap is a failing test")]
mod tests {
    use super::*;
    use crate::app;
    use crate::cluster::bench;

    /// A node that leads takes up no generation: the one that it built itself ends the fault, too.
    #[tokio::test]
    async fn a_generation_that_could_not_be_taken_up_is_no_fault_once_a_newer_one_is_shown() {
        let folder = tempfile::tempdir().unwrap();
        let config = bench::config(folder.path());
        let store = Store::open_in_memory().await.unwrap();
        let cluster = bench::cluster(&store, folder.path(), &config, Duration::from_mins(1));
        let work = bench::background(&store, config).await;
        let desk = Arc::clone(&work.desk);
        // Until it has the lease, a node follows.
        desk.node.set_lease_epoch(None);
        let mut follower = Follower::new(work, cluster.clone());
        store.put_generation("r", "no manifest", app::now()).await.unwrap();
        follower.look(&store.head().await.unwrap()).await;
        assert!(desk.faults()[PART].contains("so none is shown"), "the catalog is empty: {:?}", desk.faults());
        // As who leads does with what it built.
        let own = store.put_generation("r", "its own", app::now()).await.unwrap();
        cluster.shown.publish_own(own, || ());
        follower.look(&store.head().await.unwrap()).await;
        assert!(!desk.faults().contains_key(PART), "{:?}", desk.faults());
    }
}
