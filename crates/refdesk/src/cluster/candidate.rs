//! Standing for election, and leading: taking the lease, renewing it, and doing the work of the one that syncs and builds under its fence.
//!
//! A lease with an epoch, checked inside each committing transaction (Gray and Cheriton; the epoch is a fencing token), so that a leader
//! that was stopped and comes back late commits nothing.

use std::sync::Arc;
use std::time::{Duration, Instant};

use refdesk_core::version::is_older;
use refdesk_ingest::store::{Head, Lease, Store};
use refdesk_ingest::sync::Engine;
use refdesk_serve::AppState;
use tokio_util::sync::CancellationToken;

use super::follower::take_up;
use super::{Cluster, LEASE, RENEWALS};
use crate::app::{self, App};
use crate::background::{Background, FollowedConfig, Measured, Published, Publisher, Pulse, Share};
use crate::config::{Config, key};

/// How often a candidate looks whether the lease is free.
const LOOK: Duration = Duration::from_secs(1);
/// Wait after the database failed, or after leading failed, so that another may have the lease.
const FAILURE_WAIT: Duration = Duration::from_secs(2);
/// How often a leader tries what it begins with, [`LOOK`] apart.
const FIRST_TRIES: usize = 3;

/// How often generations that nobody needs are deleted.
const SWEEP_EVERY: Duration = Duration::from_mins(10);
/// How often is looked whether a node found a file of the segment store damaged.
const REPAIR_EVERY: Duration = Duration::from_secs(5);
/// How often operators' requests are looked for.
const REQUESTS_EVERY: Duration = Duration::from_secs(1);
/// What `/health` says fails on a node that is too old for the database.
pub(super) const PART: &str = "version";
/// Waiting for the lease, or taking up a generation before leading, may take so long before the task is taken for stuck.
const BEFORE_LEADING_MAX: Duration = Duration::from_mins(30);

/// A node that may lead.
pub struct Candidate {
    /// Without a fence.
    store: Store,
    /// The same for the lease alone, which is held whatever is asked of the other.
    leases: Store,
    desk: Arc<AppState>,
    cluster: Cluster,
    /// Random, so that two processes are never taken for one.
    holder: String,
}

refdesk_core::closed_set! {
    /// Why a node leads no more, in a word for the log.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum End {
        /// It gave the lease up.
        Resigned => "resigned",
        /// The lease is another's.
        Deposed => "deposed",
        /// The lease could not be renewed for as long as it holds.
        CutOff => "cut off",
        /// It cannot do the work.
        Failed => "failed",
        /// The database is for later versions by now.
        Outdated => "outdated",
    }
}

impl Candidate {
    /// A candidate over a store that has no fence.
    pub fn new(store: Store, desk: Arc<AppState>, cluster: Cluster) -> Self {
        Self {
            leases: store.with_own_connections(),
            store,
            desk,
            cluster,
            holder: format!("{:016x}", rand::random::<u64>()),
        }
    }

    /// Stands and leads until it is dropped.
    pub async fn run(self, pulse: Pulse) {
        // One that was ended while it led could not say so.
        self.cluster.set_syncing(None);
        loop {
            pulse.work_for(BEFORE_LEADING_MAX);
            if self.cluster.resigned.is_cancelled() {
                std::future::pending::<()>().await;
            }
            let Some(head) = self.head().await else { continue };
            if !self.may_lead(&head) {
                tokio::time::sleep(LOOK).await;
                continue;
            }
            let asked = Instant::now();
            match self.leases.take_lease(LEASE, &self.holder, self.cluster.lease_ttl).await {
                Ok(Some(lease)) => {
                    if Box::pin(self.lead(lease, asked, &pulse)).await == End::Failed {
                        tokio::time::sleep(FAILURE_WAIT).await;
                    }
                }
                Ok(None) => tokio::time::sleep(LOOK).await,
                // Why it does not answer is told by the watch of the store.
                Err(_) => tokio::time::sleep(FAILURE_WAIT).await,
            }
        }
    }

    /// The head as it was read last; `None` while the database did not answer yet.
    async fn head(&self) -> Option<Head> {
        let mut heads = self.cluster.heads.subscribe();
        let read = tokio::time::timeout(LOOK, heads.wait_for(Option::is_some)).await.ok()?.ok()?;
        Option::clone(&read)
    }

    /// Returns when this version may lead no more: `refdesk migrate --finish` came while it led.
    async fn outdated(&self) {
        let mut heads = self.cluster.heads.subscribe();
        if heads.wait_for(|head| head.as_ref().is_some_and(is_too_old)).await.is_err() {
            // This node has the other end itself, so that it cannot be gone.
            std::future::pending::<()>().await;
        }
    }

    /// Whether this version may lead, and tells when not: a start without the database could not look, and `refdesk migrate --finish` may
    /// have come since.
    fn may_lead(&self, head: &Head) -> bool {
        let is_too_old = is_too_old(head);
        if is_too_old != self.desk.faults().contains_key(PART) {
            let fault = format!(
                "the database is for refdesk {} and later, so this node cannot lead: update it",
                head.min_version
            );
            if is_too_old {
                tracing::error!("{fault}");
            }
            self.desk.set_fault(PART, is_too_old.then_some(fault));
        }
        !is_too_old
    }

    /// Leads under a lease that was asked for at `asked`.
    async fn lead(&self, lease: Lease, asked: Instant, pulse: &Pulse) -> End {
        let epoch = lease.epoch;
        self.desk.node.set_lease_epoch(Some(epoch));
        tracing::info!(epoch, "leads: this node syncs and builds from now on");
        let configs = self.cluster.live.follow();
        let app = Arc::new(App { config: Config::clone(configs.seen()), store: self.store.fenced(lease.clone()) });
        let over = CancellationToken::new();
        let end = tokio::select! {
            end = self.hold(&lease, asked) => end,
            end = self.work(&app, configs, &over, pulse) => end,
            () = self.outdated() => End::Outdated,
        };
        over.cancel();
        self.cluster.set_syncing(None);
        match end {
            End::Resigned | End::Failed | End::Outdated => {
                self.desk.node.set_lease_epoch(None);
                // Should it fail, the lease runs out by itself.
                if let Err(error) = self.leases.release_lease(&lease).await {
                    tracing::warn!(%error, "the lease could not be given up; it runs out by itself");
                }
            }
            End::Deposed | End::CutOff => self.desk.node.deposed(),
        }
        tracing::info!(epoch, why = end.as_str(), "leads no more");
        end
    }

    /// Renews the lease until it is given up or lost. It holds from when it was asked for, and nobody leads longer than it holds: neither the
    /// wait for the next renewal nor the renewal itself goes beyond that.
    async fn hold(&self, lease: &Lease, asked: Instant) -> End {
        let ttl = self.cluster.lease_ttl;
        let mut renewed = asked;
        let left = |renewed: Instant| ttl.saturating_sub(renewed.elapsed());
        loop {
            tokio::select! {
                () = self.cluster.resigned.cancelled() => return End::Resigned,
                () = tokio::time::sleep(left(renewed).min(ttl / RENEWALS)) => {}
            }
            let begun = Instant::now();
            let within = left(renewed).min(ttl / RENEWALS);
            match tokio::time::timeout(within, self.leases.renew_lease(lease, ttl)).await {
                Ok(Ok(true)) => renewed = begun,
                Ok(Ok(false)) => return End::Deposed,
                Ok(Err(_)) | Err(_) if left(renewed).is_zero() => return End::CutOff,
                Ok(Err(_)) | Err(_) => {}
            }
        }
    }

    /// Everything that the leader does, by the configuration that `configs` has seen. Each write stands under the fence of `app`'s store.
    /// Ends only when it cannot be begun.
    async fn work(&self, app: &Arc<App>, configs: FollowedConfig, over: &CancellationToken, pulse: &Pulse) -> End {
        if let Err(error) = tried(|| app.sync_bundled()).await {
            tracing::error!(error = %app::told(&error), "the bundled cards cannot be taken into the store");
        }
        let engine = match app.engine(Arc::new(Measured(Arc::clone(&self.desk)))) {
            Ok(engine) => engine,
            Err(error) => {
                tracing::error!(error = %app::told(&error), "nothing can be synced; the lease is given up");
                return End::Failed;
            }
        };
        self.cluster.set_syncing(Some(engine.clone()));
        let schedule = async {
            if app.config.get(key::SYNC) {
                refdesk_ingest::schedule::run_schedule(engine.clone(), over.clone().cancelled_owned()).await;
            }
            std::future::pending::<()>().await;
        };
        let publish = self.publish(app, configs, &engine, pulse);
        tokio::join!(schedule, publish, answer_requests(app, &engine), self.sweep(app), self.repair(app));
        End::Failed
    }

    /// Publishes on this node what it told to all, and goes on from what was told last.
    async fn publish(&self, app: &Arc<App>, configs: FollowedConfig, engine: &Engine, pulse: &Pulse) {
        let shared = self.cluster.shared.under(&app.store).with_sources(&app.config.sources);
        let newest = match tried(|| shared.newest()).await {
            Ok(newest) => newest,
            Err(error) => {
                tracing::warn!(%error, "the newest generation cannot be read; rebuilding everything");
                None
            }
        };
        let mut states = None;
        if let Some(told) = newest {
            let is_shown = told.id == self.cluster.shown.id();
            let taken = if is_shown { Ok(()) } else { take_up(&app.store, &self.desk, &self.cluster, &told).await };
            match taken {
                Ok(()) if told.manifest.sources == shared.sources() => states = Some(told.manifest.states),
                Ok(()) => {}
                Err(error) => {
                    tracing::warn!(error = %app::told(&error), "the newest generation cannot be taken up; rebuilding everything");
                }
            }
        }
        let first = states.map(|states| Published { states, clock: app::now(), kept: true });
        let share = Share { generations: shared, shown: self.cluster.shown.clone() };
        let work = Background {
            app: Arc::clone(app),
            desk: Arc::clone(&self.desk),
            engine: engine.clone(),
            announcement: None,
            // The configuration is read anew by the follower of this node.
            reload: Arc::default(),
        };
        Publisher::new(work, configs, first, Some(share)).run(pulse.clone()).await;
    }

    async fn sweep(&self, app: &App) {
        let shared = self.cluster.shared.under(&app.store);
        loop {
            tokio::time::sleep(SWEEP_EVERY).await;
            if let Err(error) = shared.sweep(app::now()).await {
                tracing::warn!(%error, "generations that nobody needs could not be deleted; refdesk will try again");
            }
        }
    }

    async fn repair(&self, app: &App) {
        let shared = self.cluster.shared.under(&app.store);
        loop {
            tokio::time::sleep(REPAIR_EVERY).await;
            if let Err(error) = shared.repair().await {
                tracing::warn!(%error, "the segment store could not be repaired");
            }
        }
    }
}

/// Whether the database is for later versions than this one.
fn is_too_old(head: &Head) -> bool {
    is_older(env!("CARGO_PKG_VERSION"), &head.min_version)
}

/// What comes of some work on the database: right after an outage a call may still find it gone.
async fn tried<T, E, F: Future<Output = Result<T, E>>>(mut work: impl FnMut() -> F) -> Result<T, E> {
    for _ in 1..FIRST_TRIES {
        if let Ok(done) = work().await {
            return Ok(done);
        }
        tokio::time::sleep(LOOK).await;
    }
    work().await
}

/// Syncs what operators ask for on other nodes or on the command line, and tells them how it went.
async fn answer_requests(app: &App, engine: &Engine) {
    loop {
        tokio::time::sleep(REQUESTS_EVERY).await;
        let Ok(requests) = app.store.sync_requests_waiting().await else { continue };
        for request in requests {
            let ids = request.source_ids;
            let accepted: Vec<_> = ids.iter().map(|id| (id.clone(), request.accept.clone())).collect();
            let reports = engine.sync_all((!ids.is_empty()).then_some(&ids[..]), &accepted).await;
            let outcome = match reports {
                Ok(reports) => serde_json::json!({ "reports": reports }),
                Err(error) => serde_json::json!({ "error": error.to_string() }),
            };
            if let Err(error) = app.store.finish_sync_request(request.id, app::now(), &outcome.to_string()).await {
                tracing::warn!(%error, "the result of a requested sync could not be reported");
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failing unwrap is a failing test")]
mod tests {
    use refdesk_catalog::snapshot::Snapshot;
    use refdesk_ingest::config::SourceConfig;
    use refdesk_ingest::sync::Silent;
    use tokio::io::AsyncWriteExt as _;

    use super::*;
    use crate::background::{self, Looked};
    use crate::cluster::bench;
    use crate::desk;

    /// The last wait and the last renewal end with it, too: beyond it another leads.
    #[tokio::test]
    async fn who_cannot_renew_the_lease_leads_no_longer_than_it_holds() {
        let folder = tempfile::tempdir().unwrap();
        let (config, ttl) = (bench::config(folder.path()), Duration::from_secs(3));
        let store = Store::open_in_memory().await.unwrap();
        let cluster = bench::cluster(&store, folder.path(), &config, ttl);
        let app = App { config, store: store.clone() };
        let desk = desk::open(&app, Arc::new(Snapshot::empty(app::now())), true).await.unwrap();
        let candidate = Candidate::new(store.clone(), desk, cluster);
        let asked = Instant::now();
        let lease = store.take_lease(LEASE, &candidate.holder, ttl).await.unwrap().unwrap();
        // A write that never ends has the only connection, so that renewals wait for it.
        let (mut bytes, mut unfinished) = tokio::io::duplex(1);
        let writing = tokio::spawn(async move { store.put_segment_file("unfinished", &mut unfinished).await });
        bytes.write_all(b"ab").await.unwrap(); // the second once the first is read
        let end = candidate.hold(&lease, asked).await;
        assert_eq!(end, End::CutOff);
        assert!(asked.elapsed() < ttl + ttl / 6, "{:?}", asked.elapsed());
        writing.abort();
    }

    /// One failed call neither keeps the bundled cards of a new version away nor makes everything be built anew.
    #[tokio::test]
    async fn what_a_leader_begins_with_is_tried_again() {
        let mut calls = 0;
        let begun = tried(|| {
            calls += 1;
            std::future::ready(if calls == 1 { Err("the database cannot be reached") } else { Ok(calls) })
        });
        assert_eq!(begun.await, Ok(2));
    }

    /// A start that did not reach the database could not look at its version.
    #[tokio::test]
    async fn who_is_older_than_the_database_lets_in_says_so_and_leads_only_while_it_is_let_in() {
        let folder = tempfile::tempdir().unwrap();
        let config = bench::config(folder.path());
        let store = Store::open_in_memory().await.unwrap();
        store.set_min_version("99.0.0").await.unwrap();
        let cluster = bench::cluster(&store, folder.path(), &config, Duration::from_mins(1));
        let app = Arc::new(App { config, store: store.clone() });
        let desk = desk::open(&app, Arc::new(Snapshot::empty(app::now())), true).await.unwrap();
        let engine = app.engine(Arc::new(Silent)).unwrap();
        let work = Background { app, desk: Arc::clone(&desk), engine, announcement: None, reload: Arc::default() };
        let tasks = background::start(&work, cluster.tasks(&work), Looked { room_min: 0, alone: false });
        let begun = Instant::now();
        while !desk.faults().contains_key(PART) {
            assert!(begun.elapsed() < Duration::from_mins(1), "nothing is told");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        assert_eq!(store.lease(LEASE).await.unwrap(), None, "nobody ever took it");
        store.set_min_version("").await.unwrap();
        while store.lease(LEASE).await.unwrap().is_none() {
            assert!(begun.elapsed() < Duration::from_mins(1), "it does not lead");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        assert!(!desk.faults().contains_key(PART), "{:?}", desk.faults());
        // Before, one that led when the last old node was said to be gone led on.
        store.set_min_version("99.0.0").await.unwrap();
        while store.lease(LEASE).await.unwrap().is_none_or(|state| state.is_live()) || !desk.faults().contains_key(PART)
        {
            assert!(begun.elapsed() < Duration::from_mins(1), "it leads on");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        tasks.abort();
    }

    #[tokio::test]
    async fn who_cannot_do_the_work_gives_the_lease_up_and_leaves_it_to_others_for_a_while() {
        let folder = tempfile::tempdir().unwrap();
        let config = bench::config(folder.path());
        let mut broken = config.clone();
        broken.sources.push(SourceConfig::new("mine", "no-such-connector", "https://lamp.example"));
        let store = Store::open_in_memory().await.unwrap();
        let cluster = bench::cluster(&store, folder.path(), &broken, Duration::from_mins(1));
        let app = Arc::new(App { config, store: store.clone() });
        let desk = desk::open(&app, Arc::new(Snapshot::empty(app::now())), true).await.unwrap();
        let engine = app.engine(Arc::new(Silent)).unwrap();
        let work = Background { app, desk, engine, announcement: None, reload: Arc::default() };
        let tasks = background::start(&work, cluster.tasks(&work), Looked { room_min: 0, alone: false });
        let begun = Instant::now();
        while store.lease(LEASE).await.unwrap().is_none_or(|state| state.is_live()) {
            assert!(begun.elapsed() < Duration::from_mins(1), "the lease was not taken and given up");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        tokio::time::sleep(FAILURE_WAIT / 4).await;
        let state = store.lease(LEASE).await.unwrap().unwrap();
        assert_eq!((state.lease.epoch, state.is_live()), (1, false), "it was not taken again");
        tasks.abort();
    }
}
