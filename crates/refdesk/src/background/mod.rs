//! What a running desk does beside answering: syncs what is due, publishes what changed, looks after the store, shows where the sources
//! stand, keeps the uses of keys, looks whether Redis counts. [`watchdog`] sees that each goes on.

mod publisher;
mod source_states;
mod store_watch;
mod switches;
mod watchdog;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use refdesk_core::Stamp;
use refdesk_ingest::store::Store;
use refdesk_ingest::sync::Engine;
use refdesk_serve::AppState;
use refdesk_serve::state::rate_counter::RateCounter;
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::semantic;
use publisher::Publisher;
use switches::Watch;
use watchdog::{PATIENCE, Pulse, Task};

pub use publisher::Published;
pub use source_states::{source_status, tell_sources};
pub use store_watch::look_once;

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
    /// What the first generation was made of.
    pub published: Published,
}

/// Starts the tasks; they end with the handle that is aborted.
pub fn start(background: Background, shutdown: &CancellationToken) -> tokio::task::JoinHandle<()> {
    let Background { app, desk, engine, published } = background;
    let mut tasks = Vec::new();
    if app.config.flag("sync") {
        let (engine, token) = (engine.clone(), shutdown.clone());
        tasks.push(Task::new("schedule", move |pulse: Pulse| {
            let (engine, shutdown) = (engine.clone(), token.clone().cancelled_owned());
            async move {
                refdesk_ingest::schedule::run_watched_schedule(engine, move || pulse.beat(), shutdown).await;
                // It ends at shutdown only, and the watchdog must not take that for a fault.
                std::future::pending::<()>().await;
            }
        }));
    }
    let (told, store) = (Arc::clone(&desk), app.store.clone());
    let room = app.config.count("disk_free_bytes_min");
    tasks.push(Task::new("store_watch", move |pulse| {
        store_watch::run(Arc::clone(&told), store.clone(), room as u64, pulse)
    }));
    let (told, counted) = (Arc::clone(&desk), engine.clone());
    tasks.push(Task::new("source_states", move |pulse| source_states::run(Arc::clone(&told), counted.clone(), pulse)));
    let (used_on, store) = (Arc::clone(&desk), app.store.clone());
    tasks.push(Task::new("key_uses", move |pulse| keep_all_uses(Arc::clone(&used_on), store.clone(), pulse)));
    if let RateCounter::Shared(counter) = &desk.rate_counter {
        let counter = counter.clone();
        tasks.push(Task::new("rate_limit_watch", move |pulse: Pulse| {
            let counter = counter.clone();
            async move { counter.watch(|| pulse.beat()).await }
        }));
    }
    if desk.semantic().is_some() {
        tokio::spawn(semantic::keep_up(app.store.clone(), Arc::clone(&desk)));
    }
    let mut first = Some(published);
    let watched = Arc::clone(&desk);
    tasks.push(Task::new("publisher", move |pulse| {
        let watch = Watch::new(&app.config);
        Publisher::new(Arc::clone(&app), Arc::clone(&desk), engine.clone(), watch, first.take()).run(pulse)
    }));
    tokio::spawn(watchdog::run(tasks, watched, PATIENCE))
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
