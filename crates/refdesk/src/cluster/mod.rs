//! Several nodes over one database: one of them, elected, syncs and builds; all others show what it told.
//!
//! [`candidate`] stands for election and leads, [`head`] reads what is new and follows keys, [`follower`] takes up generations, [`first`] is what a
//! node begins with. Without `database_url` there is one node, and none of this runs. `docs/manual/several-machines.md` tells it to operators.

#[cfg(test)]
mod bench;
mod candidate;
mod first;
mod follower;
mod head;
mod operator;

use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use refdesk_core::parallel::locked;
use refdesk_ingest::generation::{CatalogFolder, SharedGenerations};
use refdesk_ingest::segment_store::SegmentStore;
use refdesk_ingest::store::{Head, Store};
use refdesk_ingest::sync::Engine;
use refdesk_serve::{AppState, Role};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::background::{Background, LiveConfig, Refreshing, Shown, Task};
use crate::config::{Config, key};

use candidate::Candidate;
use follower::Follower;

/// Name of the lease of whoever syncs and builds.
const LEASE: &str = "syncer";
/// A lease is renewed so many times in its life.
const RENEWALS: u32 = 3;
/// Shortest lease: it is renewed three times in its life, and a renewal may take a second.
const LEASE_TTL_MIN: Duration = Duration::from_secs(3);

/// What the nodes over one database share, as one of them sees it. Cheap to clone.
#[derive(Clone)]
pub struct Cluster {
    /// What this node does.
    pub role: Role,
    /// How long a lease holds without being renewed.
    lease_ttl: Duration,
    shared: SharedGenerations,
    /// Id of the generation that this node shows; 0 when it is one of its own.
    shown: Shown,
    /// What this node began with, when that was not the newest generation, as `/health` says it.
    began_late: Arc<OnceLock<&'static str>>,
    /// What syncs while this node leads: it alone knows of syncs that could not be recorded.
    syncing: Arc<Mutex<Option<Engine>>>,
    /// The head of the database as it was read last; none before.
    heads: watch::Sender<Option<Head>>,
    /// The configuration in force on this node.
    live: LiveConfig,
    /// Once cancelled, this node leads no more.
    resigned: CancellationToken,
}

/// Checks what the configuration says of several nodes; the role of this one.
///
/// # Errors
/// When a setting is wrong, or names what needs a database and there is none.
pub fn check(config: &Config) -> anyhow::Result<Role> {
    let role = config.get(key::ROLE);
    if config.get(key::DATABASE_URL).is_empty() {
        let is_alone = role == Role::All && config.get(key::SEGMENT_STORE).is_empty();
        anyhow::ensure!(
            is_alone,
            "role and segment_store are for several nodes: set database_url (REFDESK_DATABASE_URL), or leave both out"
        );
    } else {
        anyhow::ensure!(
            config.get(key::LEASE_TTL) >= LEASE_TTL_MIN,
            "lease_ttl: a lease holds at least {} s, so that it can be renewed in time",
            LEASE_TTL_MIN.as_secs()
        );
    }
    Ok(role)
}

impl Cluster {
    /// What the configuration says of several nodes; `None` when there is one.
    ///
    /// # Errors
    /// When a setting is wrong, or names what needs a database and there is none.
    pub fn open(app: &App) -> anyhow::Result<Option<Self>> {
        let config = &app.config;
        let role = check(config)?;
        if !app.store.is_shared() {
            return Ok(None);
        }
        // Whoever sets nothing has one place that all nodes reach: the database.
        let named = Some(config.get(key::SEGMENT_STORE)).filter(|named| !named.is_empty()).unwrap_or("postgres");
        let files = SegmentStore::open(named, &app.store)?;
        Ok(Some(Self::new(role, config.get(key::LEASE_TTL), &app.store, files, config)?))
    }

    fn new(
        role: Role,
        lease_ttl: Duration,
        store: &Store,
        files: SegmentStore,
        config: &Config,
    ) -> anyhow::Result<Self> {
        let folder = CatalogFolder::of(&config.data_dir()?, &config.sources);
        Ok(Self {
            role,
            lease_ttl,
            shared: SharedGenerations::new(store.clone(), files, folder),
            shown: Shown::default(),
            began_late: Arc::default(),
            syncing: Arc::default(),
            heads: watch::Sender::new(None),
            live: LiveConfig::new(config.clone()),
            resigned: CancellationToken::new(),
        })
    }

    /// The tasks of a node: following what is new in the database, and standing for election where its role says so.
    pub fn tasks(&self, background: &Background) -> Vec<Task> {
        let Background { app, desk, .. } = background;
        desk.keys.await_store();
        let mut tasks = vec![self.reading_head(background, Some(Arc::clone(desk))), self.following(background)];
        if self.role.is_candidate() {
            let (store, desk, cluster) = (app.store.clone(), Arc::clone(desk), self.clone());
            tasks.push(Task::new("candidate", move |pulse| {
                Candidate::new(store.clone(), Arc::clone(&desk), cluster.clone()).run(pulse)
            }));
        }
        tasks
    }

    /// The tasks of a process that shows what others tell. Keys are for whoever serves a network.
    pub fn tasks_of_reader(&self, background: &Background) -> Vec<Task> {
        vec![self.reading_head(background, None), self.following(background)]
    }

    fn reading_head(&self, background: &Background, keyed: Option<Arc<AppState>>) -> Task {
        let (work, heads) = (background.clone(), self.heads.clone());
        Task::new("head", move |pulse| {
            let (Background { app, desk, .. }, heads, keyed) = (work.clone(), heads.clone(), keyed.clone());
            async move {
                head::settle_schema(&app.store, &desk, app.config.get(key::DATABASE_MIGRATE), &pulse).await;
                head::run(app.store.with_own_connections(), keyed, heads, pulse).await;
            }
        })
    }

    fn following(&self, background: &Background) -> Task {
        let Background { app, desk, .. } = background;
        desk.node.set_lease_epoch(None);
        desk.set_fault(follower::PART, self.began_late.get().map(|fault| (*fault).to_owned()));
        desk.set_refreshing(Refreshing::from_config(&app.config).told());
        let (work, cluster) = (background.clone(), self.clone());
        Task::new("follower", move |pulse| Follower::new(work.clone(), cluster.clone()).run(pulse))
    }

    /// Gives up leading, and never leads again: the node is about to stop.
    pub fn resign(&self) {
        self.resigned.cancel();
    }

    fn syncing(&self) -> Option<Engine> {
        locked(&self.syncing).clone()
    }

    fn set_syncing(&self, engine: Option<Engine>) {
        *locked(&self.syncing) = engine;
    }
}

/// How long a node that stops answers on while `/readyz` says that it is leaving: long enough for a load balancer to notice, and nothing
/// where there is none.
pub fn drain_delay(config: &Config, cluster: Option<&Cluster>) -> Duration {
    if cluster.is_some() || config.is_set(key::DRAIN_DELAY) { config.get(key::DRAIN_DELAY) } else { Duration::ZERO }
}
