//! Standing for election, and leading: taking the lease, renewing it, and doing the work of the one that syncs and builds under its fence.
//!
//! A lease with an epoch, checked inside each committing transaction (Gray and Cheriton; the epoch is a fencing token), so that a leader
//! that was stopped and comes back late commits nothing.

mod aside;

use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

use refdesk_core::version::is_older;
use refdesk_ingest::generation::{GenerationError, NodeFault};
use refdesk_ingest::store::{Head, Lease, Store};
use refdesk_ingest::sync::Engine;
use refdesk_serve::AppState;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use self::aside::Aside;
use super::follower::take_up;
use super::{Cluster, LEASE, RENEWALS};
use crate::app::{self, App};
use crate::background::{Background, CATALOG_PART, FollowedConfig, Measured, Published, Publisher, Pulse, Share};
use crate::config::{Config, key};
use crate::output;

/// How often a candidate looks whether the lease is free.
const LOOK: Duration = Duration::from_secs(1);
/// Wait after the database failed, or after leading failed, so that another may have the lease.
const FAILURE_WAIT: Duration = Duration::from_secs(2);
/// How often a leader tries what it begins with, [`LOOK`] apart.
const FIRST_TRIES: usize = 3;

/// How often generations that nobody needs are deleted.
const SWEEP_EVERY: Duration = Duration::from_mins(10);
/// How often is looked whether a node found a file of the segment store damaged.
const REPAIR_EVERY: Duration = Duration::from_secs(1);
/// How often operators' requests are looked for.
const REQUESTS_EVERY: Duration = Duration::from_secs(1);
/// What `/health` says fails on a node that is too old for the database.
pub(super) const PART: &str = "version";
/// Waiting for the lease, or taking up a generation before leading, may take so long before the task is taken for stuck.
const BEFORE_LEADING_MAX: Duration = Duration::from_mins(30);

/// A node that may lead.
#[derive(Clone)]
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
        /// It cannot write what it builds into its data directory.
        Unwritten => "its data directory cannot be written",
        /// It cannot either, because another process writes the catalog there.
        FolderBusy => "another process writes the catalog of its data directory",
        /// The database is for later versions by now.
        Outdated => "outdated",
    }
}

/// What a node says of itself while it leads. However that ends, also by a task that panics or is ended, it says so no more.
struct Leading<'a>(&'a Candidate);

impl Drop for Leading<'_> {
    fn drop(&mut self) {
        let Candidate { desk, cluster, .. } = self.0;
        cluster.set_syncing(None);
        desk.node.set_lease_epoch(None);
        // What could not be built here is built by the next that leads.
        desk.set_fault(CATALOG_PART, None);
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
        let mut aside = Aside::default();
        // The task may have been ended in the middle of standing aside.
        self.desk.set_fault(aside::PART, None);
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
                Ok(Some(lease)) => match Box::pin(self.lead(lease, asked, &pulse)).await {
                    End::Failed => tokio::time::sleep(FAILURE_WAIT).await,
                    End::Unwritten => aside.wait(&self, NodeFault::Unwritten, asked.elapsed(), &pulse).await,
                    End::FolderBusy => aside.wait(&self, NodeFault::FolderBusy, asked.elapsed(), &pulse).await,
                    End::Resigned | End::Deposed | End::CutOff | End::Outdated => {}
                },
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
        let leading = Leading(self);
        tracing::info!(epoch, "leads: this node syncs and builds from now on");
        let configs = self.cluster.live.follow();
        let app = Arc::new(App { config: Config::clone(configs.seen()), store: self.store.fenced(lease.clone()) });
        let over = CancellationToken::new();
        let (holder, held) = (self.clone(), lease.clone());
        let holding = async move { holder.hold(&held, asked).await };
        let work = async {
            tokio::select! {
                end = self.work(&app, configs, &over, pulse) => end,
                // Beside all else: what others need to start waits for no sync and no build.
                never = self.repair(&app) => match never {},
                () = self.outdated() => End::Outdated,
            }
        };
        let end = Box::pin(while_held(holding, work)).await;
        over.cancel();
        drop(leading);
        match end {
            End::Resigned | End::Failed | End::Unwritten | End::FolderBusy | End::Outdated => {
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
    /// Ends only when it cannot be begun, or what it builds cannot be written.
    async fn work(&self, app: &Arc<App>, configs: FollowedConfig, over: &CancellationToken, pulse: &Pulse) -> End {
        let measured = Arc::new(Measured(Arc::clone(&self.desk)));
        match tried(|| app.sync_bundled()).await {
            Ok(report) => report.iter().for_each(|report| measured.count(report)),
            Err(error) => {
                tracing::error!(error = %output::told(&error), "the bundled cards cannot be taken into the store");
            }
        }
        let engine = match app.engine(measured) {
            Ok(engine) => engine,
            Err(error) => {
                tracing::error!(error = %output::told(&error), "nothing can be synced; the lease is given up");
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
        tokio::select! {
            fault = publish => match fault {
                NodeFault::Unwritten => End::Unwritten,
                NodeFault::FolderBusy => End::FolderBusy,
            },
            _ = async { tokio::join!(schedule, answer_requests(app, &engine), self.sweep(app)) } => End::Failed,
        }
    }

    /// Publishes on this node what it told to all, and goes on from what was told last. Ends when this node cannot write what it builds.
    async fn publish(&self, app: &Arc<App>, configs: FollowedConfig, engine: &Engine, pulse: &Pulse) -> NodeFault {
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
                    tracing::warn!(error = %output::told(&error), "the newest generation cannot be taken up; rebuilding everything");
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
        Publisher::new(work, configs, first, Some(share)).run(pulse.clone()).await
    }

    async fn sweep(&self, app: &App) -> Infallible {
        let shared = self.cluster.shared.under(&app.store);
        let failed = "generations that nobody needs could not be deleted; refdesk will try again";
        every(SWEEP_EVERY, failed, || shared.sweep(app::now())).await
    }

    async fn repair(&self, app: &App) -> Infallible {
        let shared = self.cluster.shared.under(&app.store);
        every(REPAIR_EVERY, "the segment store could not be repaired", || shared.repair()).await
    }
}

/// Does some work again and again, each time after a wait. `failed` is what the log says when it fails.
async fn every<F>(wait: Duration, failed: &str, mut work: impl FnMut() -> F) -> Infallible
where
    F: Future<Output = Result<(), GenerationError>>,
{
    loop {
        tokio::time::sleep(wait).await;
        if let Err(error) = work().await {
            tracing::warn!(%error, "{failed}");
        }
    }
}

/// Works while a lease is held, on a task of its own: a step of the work that takes long, such as showing a large catalog, keeps no renewal
/// waiting. What ends first.
async fn while_held(holding: impl Future<Output = End> + Send + 'static, work: impl Future<Output = End>) -> End {
    let mut holding = AbortOnDropHandle::new(tokio::spawn(holding));
    tokio::select! {
        end = &mut holding => end.unwrap_or(End::Failed),
        end = work => end,
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
mod tests;
