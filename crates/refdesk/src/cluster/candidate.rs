//! Standing for election, and leading: taking the lease, renewing it, and doing the work of the one that syncs and builds under its fence.
//!
//! A lease with an epoch, checked inside each committing transaction (Gray and Cheriton; the epoch is a fencing token), so that a leader
//! that was stopped and comes back late commits nothing.

use std::sync::Arc;
use std::time::{Duration, Instant};

use refdesk_ingest::store::Lease;
use refdesk_ingest::sync::Engine;
use refdesk_serve::AppState;
use tokio_util::sync::CancellationToken;

use super::follower::take_up;
use super::{Cluster, LEASE, RENEWALS};
use crate::app::{self, App};
use crate::background::{Measured, Published, Publisher, Pulse, Share, Watch};

/// How often a candidate looks whether the lease is free.
const LOOK: Duration = Duration::from_secs(1);
/// Wait after the database failed.
const FAILURE_WAIT: Duration = Duration::from_secs(2);

/// How often generations that nobody needs are deleted.
const SWEEP_EVERY: Duration = Duration::from_mins(10);
/// How often operators' requests are looked for.
const REQUESTS_EVERY: Duration = Duration::from_secs(1);
/// Waiting for the lease, or taking up a generation before leading, may take so long before the task is taken for stuck.
const BEFORE_LEADING_MAX: Duration = Duration::from_mins(30);

/// A node that may lead.
pub struct Candidate {
    app: Arc<App>,
    desk: Arc<AppState>,
    cluster: Cluster,
    /// Random, so that two processes are never taken for one.
    holder: String,
}

/// Why a node leads no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// It gave the lease up.
    Resigned,
    /// The lease is another's.
    Deposed,
    /// The lease could not be renewed for as long as it holds.
    CutOff,
}

impl End {
    /// In a word, for the log.
    const fn as_str(self) -> &'static str {
        match self {
            Self::Resigned => "resigned",
            Self::Deposed => "deposed",
            Self::CutOff => "cut off",
        }
    }
}

impl Candidate {
    /// A candidate over the unfenced store of `app`.
    pub fn new(app: Arc<App>, desk: Arc<AppState>, cluster: Cluster) -> Self {
        Self { app, desk, cluster, holder: format!("{:016x}", rand::random::<u64>()) }
    }

    /// Stands and leads until it is dropped.
    pub async fn run(self, pulse: Pulse) {
        loop {
            pulse.work_for(BEFORE_LEADING_MAX);
            if self.cluster.resigned.is_cancelled() {
                std::future::pending::<()>().await;
            }
            match self.app.store.take_lease(LEASE, &self.holder, self.cluster.lease_ttl).await {
                Ok(Some(lease)) => self.lead(lease, &pulse).await,
                Ok(None) => tokio::time::sleep(LOOK).await,
                // Why it does not answer is told by the watch of the store.
                Err(_) => tokio::time::sleep(FAILURE_WAIT).await,
            }
        }
    }

    async fn lead(&self, lease: Lease, pulse: &Pulse) {
        let epoch = lease.epoch;
        self.desk.node.set_lease_epoch(Some(epoch));
        tracing::info!(epoch, "leads: this node syncs and builds from now on");
        let app = App { config: self.app.config.clone(), store: self.app.store.fenced(lease.clone()) };
        let over = CancellationToken::new();
        let end = tokio::select! {
            end = self.hold(&lease) => end,
            () = self.work(Arc::new(app), &over, pulse) => End::Resigned,
        };
        over.cancel();
        match end {
            End::Resigned => {
                self.desk.node.set_lease_epoch(None);
                // Should it fail, the lease runs out by itself.
                if let Err(error) = self.app.store.release_lease(&lease).await {
                    tracing::warn!(%error, "the lease could not be given up; it runs out by itself");
                }
            }
            End::Deposed | End::CutOff => self.desk.node.deposed(),
        }
        tracing::info!(epoch, why = end.as_str(), "leads no more");
    }

    /// Renews the lease until it is given up or lost.
    async fn hold(&self, lease: &Lease) -> End {
        let ttl = self.cluster.lease_ttl;
        let mut renewed = Instant::now();
        loop {
            tokio::select! {
                () = self.cluster.resigned.cancelled() => return End::Resigned,
                () = tokio::time::sleep(ttl / RENEWALS) => {}
            }
            let begun = Instant::now();
            let answer = tokio::time::timeout(ttl / RENEWALS, self.app.store.renew_lease(lease, ttl)).await;
            match answer {
                // It holds from when it was asked for, at the latest.
                Ok(Ok(true)) => renewed = begun,
                Ok(Ok(false)) => return End::Deposed,
                Ok(Err(_)) | Err(_) if renewed.elapsed() >= ttl => return End::CutOff,
                Ok(Err(_)) | Err(_) => {}
            }
        }
    }

    /// Everything that the leader does. Each write stands under the fence of `app`'s store. Ends when the lease is found to be another's.
    async fn work(&self, app: Arc<App>, over: &CancellationToken, pulse: &Pulse) {
        if let Err(error) = app.sync_bundled().await {
            tracing::error!(error = %app::told(&error), "the bundled cards cannot be taken into the store");
        }
        let engine = match app.engine(Arc::new(Measured(Arc::clone(&self.desk)))) {
            Ok(engine) => engine,
            Err(error) => {
                tracing::error!(error = %app::told(&error), "nothing can be synced");
                return;
            }
        };
        let schedule = async {
            if app.config.flag("sync") {
                refdesk_ingest::schedule::run_schedule(engine.clone(), over.clone().cancelled_owned()).await;
            }
            std::future::pending::<()>().await;
        };
        tokio::join!(schedule, self.publish(&app, &engine, pulse), answer_requests(&app, &engine), self.sweep(&app));
    }

    /// Publishes on this node what it told to all, and goes on from what was told last.
    async fn publish(&self, app: &Arc<App>, engine: &Engine, pulse: &Pulse) {
        let shared = self.cluster.shared.under(&app.store);
        let newest = match shared.newest().await {
            Ok(newest) => newest,
            Err(error) => {
                tracing::warn!(%error, "the newest generation cannot be read; everything is built anew");
                None
            }
        };
        let mut states = None;
        if let Some(told) = newest {
            let is_shown = told.id == self.cluster.shown();
            let taken = if is_shown { Ok(()) } else { take_up(app, &self.desk, &self.cluster, &told).await };
            match taken {
                Ok(()) if told.manifest.sources == shared.sources() => states = Some(told.manifest.states),
                Ok(()) => {}
                Err(error) => {
                    tracing::warn!(error = %app::told(&error), "the newest generation cannot be taken up; everything is built anew");
                }
            }
        }
        let first = states.map(|states| Published { states, clock: app::now(), kept: true });
        let shown = self.cluster.clone();
        let share = Share { generations: shared, told: Box::new(move |id| shown.set_shown(id)) };
        let (app, desk, watch) = (Arc::clone(app), Arc::clone(&self.desk), Watch::new(&app.config));
        Publisher::new(app, desk, engine.clone(), watch, first, Some(share)).run(Arc::default(), pulse.clone()).await;
    }

    async fn sweep(&self, app: &App) {
        let shared = self.cluster.shared.under(&app.store);
        loop {
            tokio::time::sleep(SWEEP_EVERY).await;
            if let Err(error) = shared.sweep(app::now()).await {
                tracing::warn!(%error, "generations that nobody needs could not be deleted; the next try follows");
            }
        }
    }
}

/// Syncs what operators ask for on other nodes or on the command line, and tells them how it went.
async fn answer_requests(app: &App, engine: &Engine) {
    loop {
        tokio::time::sleep(REQUESTS_EVERY).await;
        let Ok(requests) = app.store.sync_requests_waiting().await else { continue };
        for request in requests {
            let ids = request.source_ids;
            let forced = if request.force { ids.clone() } else { Vec::new() };
            let reports = engine.sync_all((!ids.is_empty()).then_some(&ids[..]), &forced).await;
            let outcome = match reports {
                Ok(reports) => serde_json::json!({ "reports": reports }),
                Err(error) => serde_json::json!({ "error": error.to_string() }),
            };
            if let Err(error) = app.store.finish_sync_request(request.id, app::now(), &outcome.to_string()).await {
                tracing::warn!(%error, "how a requested sync went could not be told");
            }
        }
    }
}
