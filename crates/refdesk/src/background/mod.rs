//! What a running desk does beside answering: syncs what is due, publishes what changed, looks after the store, shows the status of
//! the sources, keeps the uses of keys, looks whether Redis counts. [`watchdog`] sees that each goes on.

mod live_config;
mod look;
mod measured;
mod publisher;
mod reload;
mod shown;
mod source_states;
mod store_watch;
mod switches;
mod syncer;
mod watchdog;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use refdesk_core::Stamp;
use refdesk_ingest::store::Store;
use refdesk_ingest::sync::Engine;
use refdesk_serve::AppState;
use refdesk_serve::state::rate_counter::RateCounter;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::config::key;
use crate::semantic;
use crate::service::Announcement;
use watchdog::PATIENCE;

pub use live_config::{FollowedConfig, LiveConfig};
pub use measured::Measured;
pub use publisher::{PART as CATALOG_PART, Published, Publisher, Share};
pub use reload::{heeding, reload};
pub use shown::Shown;
pub use source_states::{tell_sources, unreached};
pub use store_watch::{Looked, look_once, nearly_full, refresh_keys};
pub use syncer::{Refreshing, syncs_elsewhere};
#[cfg(test)]
pub use watchdog::SILENT_MAX;
pub use watchdog::{Pulse, Task};

/// How often keys, source states and the store's health are looked at. A revoked key works no longer than this.
const REFRESH: Duration = Duration::from_secs(2);

/// What the tasks work on. Cheap to clone.
#[derive(Clone)]
pub struct Background {
    /// Configuration and store.
    pub app: Arc<App>,
    /// What answers.
    pub desk: Arc<AppState>,
    /// What syncs.
    pub engine: Engine,
    /// The card for the command line, where there is one.
    pub announcement: Option<Arc<Announcement>>,
    /// Says when the configuration is to be read anew.
    pub reload: Arc<Notify>,
}

/// The tasks of a desk that is the only one over its store: it syncs and builds itself. `published` is what the first generation was made
/// of.
pub fn alone(background: &Background, published: Published, shutdown: &CancellationToken) -> Vec<Task> {
    let config = &background.app.config;
    background.desk.set_refreshing(Refreshing::from_config(config).told());
    // Until it is its turn to sync.
    background.desk.node.set_syncs_alone(false);
    let mut tasks = Vec::new();
    if config.get(key::SYNC) {
        let (work, shutdown) = (background.clone(), shutdown.clone());
        tasks.push(Task::new("schedule", move |pulse| schedule(work.clone(), shutdown.clone(), pulse)));
    }
    let work = background.clone();
    tasks.push(Task::new("source_states", move |pulse| source_states::run(work.clone(), pulse)));
    let (work, live, mut first) = (background.clone(), LiveConfig::new(config.clone()), Some(published));
    tasks.push(Task::new("publisher", move |pulse| {
        let publisher = Publisher::new(work.clone(), live.follow(), first.take(), None);
        async move {
            publisher.run(pulse).await;
        }
    }));
    tasks
}

/// Starts `tasks` and those that every desk has; they end with the handle that is aborted.
pub fn start(background: &Background, mut tasks: Vec<Task>, looked: Looked) -> tokio::task::JoinHandle<()> {
    let desk = &background.desk;
    let work = background.clone();
    tasks.push(Task::new("store_watch", move |pulse| store_watch::run(work.clone(), looked, pulse)));
    let work = background.clone();
    tasks.push(Task::new("key_uses", move |pulse| keep_all_uses(work.clone(), pulse)));
    if let RateCounter::Shared(counter) = &desk.rate_counter {
        let counter = counter.clone();
        tasks.push(Task::new("rate_limit_watch", move |pulse: Pulse| {
            let counter = counter.clone();
            async move { counter.watch(|| pulse.beat()).await }
        }));
    }
    if let Some(semantic) = desk.semantic() {
        let (work, semantic) = (background.clone(), Arc::clone(semantic));
        tasks.push(Task::new("vectors", move |pulse: Pulse| {
            let Background { app, desk, .. } = work.clone();
            let works = move || pulse.work_for(VECTORS_WORK_MAX);
            semantic::keep_up(app.store.clone(), desk, Arc::clone(&semantic), works)
        }));
    }
    tokio::spawn(watchdog::run(tasks, Arc::clone(desk), PATIENCE))
}

/// Syncs what is due, when it is the turn of this process, until `shutdown`.
async fn schedule(work: Background, shutdown: CancellationToken, pulse: Pulse) {
    let Background { app, desk, engine, .. } = work;
    let _turn = syncer::turn(&app.store, &desk, Refreshing::from_config(&app.config), &pulse).await;
    desk.node.set_syncs_alone(true);
    refdesk_ingest::schedule::run_watched_schedule(engine, move || pulse.beat(), shutdown.cancelled_owned()).await;
    // It ends at shutdown only, and the watchdog must not take that for a fault.
    std::future::pending::<()>().await;
}

/// Keeps the uses of keys, beside all else: a write may wait long for another process's lock, a revocation may not.
async fn keep_all_uses(work: Background, pulse: Pulse) {
    let mut pending = HashMap::new();
    loop {
        tokio::time::sleep(REFRESH).await;
        // A write waits for a lock, and for the writes before it.
        pulse.work_for(WRITE_WAIT_MAX);
        keep_uses(&work.desk, &work.app.store, &mut pending).await;
    }
}

/// Reading all vectors, or computing some and keeping them, may take so long before the task is taken for stuck.
const VECTORS_WORK_MAX: Duration = Duration::from_mins(10);

/// How long a small write may wait behind others before its task is taken for stuck.
const WRITE_WAIT_MAX: Duration = Duration::from_mins(10);

/// Gives the store the last uses of keys; those it cannot take now are kept for the next time.
pub async fn keep_uses(desk: &AppState, store: &Store, pending: &mut HashMap<String, Stamp>) {
    pending.extend(desk.keys.take_used());
    if pending.is_empty() {
        return;
    }
    let uses: Vec<_> = pending.iter().map(|(id, at)| (id.clone(), *at)).collect();
    match store.touch_keys(&uses).await {
        Ok(()) => pending.clear(),
        // Why the store cannot be written is told by its watch, once.
        Err(error) => tracing::debug!(%error, "the last uses of keys could not be kept yet"),
    }
}
