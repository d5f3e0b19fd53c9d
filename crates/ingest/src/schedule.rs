//! When sources are synced in the background: each when it is due, with jitter, until shutdown. `Engine::changes` tells the binary
//! when to rebuild the snapshot.
//!
//! While the store cannot be written nothing is asked of an upstream. A sync that broke off, or took too long, is told by the source's status
//! and tried again after a rest; it never stops the others.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::future::Future;
use std::time::Duration;

use rand::Rng as _;
use tokio::task::{Id, JoinError, JoinSet};
use tokio::time::Instant;

use crate::fetch::FetchCode;
use crate::store::Fault;
use crate::sync::{Engine, SyncError, SyncResult, tell_unreached};

/// Longest sleep between two looks at what is due, so that a changed clock or a sync by another process is noticed.
const TICK_MAX: Duration = Duration::from_secs(5);
/// Shortest sleep between two looks.
const TICK_MIN: Duration = Duration::from_millis(200);
/// Rest after a sync that the store could not take (disk full, file gone, locked): it is still due, and the upstream would be asked again
/// and again.
const STORE_FAILURE_REST: Duration = Duration::from_secs(20);
/// Rest after a sync that broke off or took too long, unless the source's interval is shorter.
const BROKEN_REST: Duration = Duration::from_mins(5);
/// A due source starts within this time, so that a restart does not ask all upstreams in one moment …
const JITTER_MAX: Duration = Duration::from_secs(20);

/// Unreached upstreams are told of together when no sync runs any more, or the first has waited so long.
const UNREACHED_WAIT_MAX: Duration = Duration::from_mins(1);

/// How a scheduled sync ended, as far as the schedule minds.
enum Ended {
    /// It is recorded, or there was nothing to do.
    Well,
    /// It is recorded; the upstream was not reached.
    Unreached(Fault),
    /// The store could not take it.
    StoreFailed,
    /// It took too long; what its status says.
    TimedOut(String),
}

/// Syncs due sources until `shutdown` completes. A sync in progress is dropped then; its transaction leaves nothing behind.
pub async fn run_schedule(engine: Engine, shutdown: impl Future<Output = ()> + Send) {
    run_watched_schedule(engine, || {}, shutdown).await;
}

/// The same, and calls `beat` at every look, at least every few seconds.
pub async fn run_watched_schedule(engine: Engine, beat: impl Fn() + Send, shutdown: impl Future<Output = ()> + Send) {
    tokio::pin!(shutdown);
    let mut schedule = Schedule::new(engine);
    loop {
        beat();
        let wait = schedule.look().await;
        beat();
        tokio::select! {
            () = &mut shutdown => return,
            () = tokio::time::sleep(wait) => {}
            Some(done) = schedule.running.join_next_with_id(), if !schedule.running.is_empty() => schedule.ended(done),
        }
    }
}

struct Schedule {
    engine: Engine,
    running: JoinSet<Ended>,
    /// The source of each task.
    ids: HashMap<Id, String>,
    /// Sources that are not to be started before a moment.
    resting: BTreeMap<String, Instant>,
    unreached: Unreached,
}

/// Sources whose upstream was not reached. Without a network that is all of them, and one line of the log tells it.
#[derive(Default)]
struct Unreached {
    /// Until they are reached again.
    ids: BTreeSet<String>,
    /// Those that are not told of yet, with why, and when the first of them came.
    untold: Vec<(String, Fault)>,
    since: Option<Instant>,
}

impl Unreached {
    fn add(&mut self, id: String, fault: Fault) {
        if self.ids.insert(id.clone()) {
            self.since.get_or_insert_with(Instant::now);
            self.untold.push((id, fault));
        }
    }

    /// The line to log, when it is time: whether a sync still runs decides that.
    fn told(&mut self, still_running: bool) -> Option<String> {
        self.since.filter(|since| !still_running || since.elapsed() >= UNREACHED_WAIT_MAX)?;
        self.since = None;
        let untold = std::mem::take(&mut self.untold);
        let untold: Vec<(&str, &str)> =
            untold.iter().map(|(id, fault)| (id.as_str(), fault.message.as_str())).collect();
        tell_unreached(&untold)
    }
}

impl Schedule {
    fn new(engine: Engine) -> Self {
        let (running, ids, resting, unreached) = Default::default();
        Self { engine, running, ids, resting, unreached }
    }

    /// Starts what is due; how long to sleep until the next look.
    async fn look(&mut self) -> Duration {
        if let Some(told) = self.unreached.told(!self.running.is_empty()) {
            tracing::warn!("{told}");
        }
        let store = self.engine.store();
        if store.write_fault().is_some() && store.probe(true).await.is_err() {
            return TICK_MAX;
        }
        self.engine.tell_ended_flights().await;
        let now = Instant::now();
        self.resting.retain(|_, until| *until > now);
        let due = match self.engine.due().await {
            Ok(due) => due,
            // The store's own fault is told by whoever looks after it.
            Err(error) => {
                tracing::debug!(%error, "the schedule cannot read the store");
                return TICK_MAX;
            }
        };
        let taken: BTreeSet<&String> = self.ids.values().chain(self.resting.keys()).collect();
        let due: Vec<String> = due.into_iter().filter(|id| !taken.contains(id)).collect();
        for id in due {
            let task = self.running.spawn(sync_with_jitter(self.engine.clone(), id.clone()));
            self.ids.insert(task.id(), id);
        }
        self.next_wait().await
    }

    fn ended(&mut self, done: Result<(Id, Ended), JoinError>) {
        let task = done.as_ref().map_or_else(JoinError::id, |(task, _)| *task);
        let Some(id) = self.ids.remove(&task) else { return };
        let rest = match done {
            Ok((_, Ended::Well)) => {
                self.unreached.ids.remove(&id);
                return;
            }
            Ok((_, Ended::Unreached(fault))) => {
                self.unreached.add(id, fault);
                return;
            }
            Ok((_, Ended::StoreFailed)) => STORE_FAILURE_REST,
            Ok((_, Ended::TimedOut(message))) => {
                self.engine.note_unrecorded(&id, "sync_timeout", message);
                self.broken_rest(&id)
            }
            Err(error) => {
                tracing::error!(source = id, %error, "a scheduled sync ended unexpectedly");
                let message = "the sync ended unexpectedly; please report it with the log".to_owned();
                self.engine.note_unrecorded(&id, "sync_broke_off", message);
                self.broken_rest(&id)
            }
        };
        self.resting.insert(id, Instant::now() + rest);
    }

    fn broken_rest(&self, id: &str) -> Duration {
        interval_of(&self.engine, id).map_or(BROKEN_REST, |interval| interval.min(BROKEN_REST))
    }

    async fn next_wait(&self) -> Duration {
        let taken: BTreeSet<String> = self.ids.values().chain(self.resting.keys()).cloned().collect();
        let due = match self.engine.next_due(&taken).await {
            Ok(Some(next_due)) => {
                u64::try_from(next_due.secs_since(self.engine.now())).map_or(TICK_MIN, Duration::from_secs)
            }
            Ok(None) | Err(_) => TICK_MAX,
        };
        let rested = self.resting.values().min().map(|until| until.saturating_duration_since(Instant::now()));
        rested.map_or(due, |rested| rested.min(due)).clamp(TICK_MIN, TICK_MAX)
    }
}

fn interval_of(engine: &Engine, id: &str) -> Option<Duration> {
    engine.sources().iter().find(|source| source.id == id).map(|source| source.interval.0)
}

async fn sync_with_jitter(engine: Engine, id: String) -> Ended {
    // One that could not be recorded has waited already.
    if !engine.is_unrecorded(&id) {
        let jitter = JITTER_MAX
            .min(
                interval_of(&engine, &id)
                    .unwrap_or(JITTER_MAX)
                    .mul_f64(f64::from(engine.jitter_percent().min(100)) / 100.0),
            )
            .mul_f64(rand::rng().random_range(0.0..1.0));
        tokio::time::sleep(jitter).await;
    }
    // An upstream's failure is recorded and logged by the engine; only the store's own is left, and the engine tells it once.
    match engine.sync_scheduled(&id).await {
        Ok(report) => match report.result {
            SyncResult::Failed { error } if FetchCode::is_unreachable(&error.code) => Ended::Unreached(error),
            _ => Ended::Well,
        },
        // Switched out of the configuration since.
        Err(SyncError::UnknownSource { .. }) => Ended::Well,
        Err(SyncError::Store(error)) => {
            tracing::debug!(source = id, %error, "a scheduled sync could not be recorded");
            Ended::StoreFailed
        }
        Err(error @ SyncError::TimedOut(_)) => Ended::TimedOut(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use refdesk_core::Stamp;

    use super::Unreached;
    use crate::store::Fault;

    fn fault() -> Fault {
        Fault { code: "dns".into(), message: "the name cannot be resolved".into(), at: Stamp(0) }
    }

    #[test]
    fn unreached_upstreams_are_told_of_once_and_together_when_no_sync_runs_any_more() {
        let mut unreached = Unreached::default();
        assert_eq!(unreached.told(false), None);
        for id in ["a", "b", "c", "d"] {
            unreached.add(id.into(), fault());
        }
        assert_eq!(unreached.told(true), None, "others may follow");
        let told = unreached.told(false).unwrap_or_default();
        assert!(told.starts_with("4 sources were not reached (a, b, c, …): the name cannot be resolved."), "{told}");
        unreached.add("a".into(), fault());
        assert_eq!(unreached.told(false), None, "it is known");
        unreached.ids.remove("a");
        unreached.add("a".into(), fault());
        assert_eq!(unreached.told(false).as_deref(), Some("a: the name cannot be resolved; the last good facts stay"));
    }
}
