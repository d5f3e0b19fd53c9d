//! What a running desk does beside answering: syncs what is due, publishes what changed, looks after the store, shows the status of
//! the sources, keeps the uses of keys, looks whether Redis counts. [`watchdog`] sees that each goes on.

mod live_config;
mod look;
mod measured;
mod publisher;
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
pub use publisher::{Published, Publisher, Share, reloaded};
pub use shown::Shown;
pub use source_states::{tell_sources, unreached};
pub use store_watch::{Looked, look_once, nearly_full, refresh_keys};
pub use syncer::{Refreshing, syncs_elsewhere};
pub use watchdog::{Pulse, Task};

/// How often keys, source states and the store's health are looked at. A revoked key works no longer than this.
const REFRESH: Duration = Duration::from_secs(2);

/// What the tasks work on.
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
    let Background { app, desk, engine, announcement, reload } = background;
    let mut tasks = Vec::new();
    desk.set_refreshing(Refreshing::from_config(&app.config).told());
    if app.config.get(key::SYNC) {
        let (engine, token) = (engine.clone(), shutdown.clone());
        let lock = app.store.path().and_then(|store| store.parent()).map(syncer::lock_path);
        let told = Arc::clone(desk);
        let is_offline = app.config.get(key::OFFLINE);
        tasks.push(Task::new("schedule", move |pulse: Pulse| {
            let (engine, shutdown) = (engine.clone(), token.clone().cancelled_owned());
            let (lock, told) = (lock.clone(), Arc::clone(&told));
            async move {
                let _turn = match &lock {
                    Some(lock) => syncer::turn(lock, &told, &pulse).await,
                    None => None,
                };
                if is_offline {
                    told.set_refreshing(Refreshing::Offline.told());
                }
                refdesk_ingest::schedule::run_watched_schedule(engine, move || pulse.beat(), shutdown).await;
                // It ends at shutdown only, and the watchdog must not take that for a fault.
                std::future::pending::<()>().await;
            }
        }));
    }
    let (told, counted) = (Arc::clone(desk), engine.clone());
    let is_offline = app.config.get(key::OFFLINE);
    tasks.push(Task::new("source_states", move |pulse| {
        source_states::run(Arc::clone(&told), counted.clone(), is_offline, pulse)
    }));
    let (live, store) = (LiveConfig::new(app.config.clone()), app.store.clone());
    let (desk, engine) = (Arc::clone(desk), engine.clone());
    let (announcement, reload) = (announcement.clone(), Arc::clone(reload));
    let mut first = Some(published);
    tasks.push(Task::new("publisher", move |pulse| {
        let publisher = Publisher::new(&store, Arc::clone(&desk), engine.clone(), live.follow(), first.take(), None);
        publisher.announced_by(announcement.clone()).run(Arc::clone(&reload), pulse)
    }));
    tasks
}

/// Starts `tasks` and those that every desk has; they end with the handle that is aborted.
pub fn start(background: &Background, mut tasks: Vec<Task>, looked: Looked) -> tokio::task::JoinHandle<()> {
    let Background { app, desk, .. } = background;
    let (told, store) = (Arc::clone(desk), app.store.clone());
    tasks
        .push(Task::new("store_watch", move |pulse| store_watch::run(Arc::clone(&told), store.clone(), looked, pulse)));
    let (used_on, store) = (Arc::clone(desk), app.store.clone());
    tasks.push(Task::new("key_uses", move |pulse| keep_all_uses(Arc::clone(&used_on), store.clone(), pulse)));
    if let RateCounter::Shared(counter) = &desk.rate_counter {
        let counter = counter.clone();
        tasks.push(Task::new("rate_limit_watch", move |pulse: Pulse| {
            let counter = counter.clone();
            async move { counter.watch(|| pulse.beat()).await }
        }));
    }
    if let Some(semantic) = desk.semantic() {
        let (embedded, store, semantic) = (Arc::clone(desk), app.store.clone(), Arc::clone(semantic));
        tasks.push(Task::new("vectors", move |pulse: Pulse| {
            let works = move || pulse.work_for(VECTORS_WORK_MAX);
            semantic::keep_up(store.clone(), Arc::clone(&embedded), Arc::clone(&semantic), works)
        }));
    }
    tokio::spawn(watchdog::run(tasks, Arc::clone(desk), PATIENCE))
}

/// Keeps the uses of keys, beside all else: a write may wait long for another process's lock, a revocation may not.
async fn keep_all_uses(desk: Arc<AppState>, store: Store, pulse: Pulse) {
    let mut pending = HashMap::new();
    loop {
        tokio::time::sleep(REFRESH).await;
        // A write waits for a lock, and for the writes before it.
        pulse.work_for(WRITE_WAIT_MAX);
        keep_uses(&desk, &store, &mut pending).await;
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
