//! When sources are synced in the background: each when it is due, with jitter, until shutdown. `Engine::changes` tells the binary
//! when to rebuild the snapshot.

use std::collections::BTreeSet;
use std::future::Future;
use std::time::Duration;

use rand::Rng as _;
use tokio::task::JoinSet;

use crate::sync::Engine;

/// Longest sleep between two looks at what is due, so that a changed clock or a sync by another process is noticed.
const TICK_MAX: Duration = Duration::from_mins(1);
/// Shortest sleep between two looks.
const TICK_MIN: Duration = Duration::from_millis(200);
/// Wait after a sync that the store could not take (disk full, file gone, locked).
const STORE_FAILURE_WAIT: Duration = Duration::from_secs(30);
/// A due source starts within this time, so that a restart does not ask all upstreams in one moment …
const JITTER_MAX: Duration = Duration::from_secs(20);
/// … and within this share of its interval, in percent, unless the setting says otherwise.
pub const JITTER_PERCENT: u32 = 10;

/// Syncs due sources until `shutdown` completes. A sync in progress is dropped then; its transaction leaves nothing behind.
pub async fn run_schedule(engine: Engine, shutdown: impl Future<Output = ()> + Send) {
    tokio::pin!(shutdown);
    let mut running: JoinSet<String> = JoinSet::new();
    let mut taken: BTreeSet<String> = BTreeSet::new();
    loop {
        match engine.due().await {
            Ok(due) => {
                for id in due {
                    if taken.insert(id.clone()) {
                        running.spawn(sync_with_jitter(engine.clone(), id));
                    }
                }
            }
            Err(error) => tracing::error!(%error, "the schedule cannot read the store"),
        }
        let wait = next_wait(&engine, &taken).await;
        tokio::select! {
            () = &mut shutdown => return,
            () = tokio::time::sleep(wait) => {}
            Some(done) = running.join_next(), if !running.is_empty() => match done {
                Ok(id) => {
                    taken.remove(&id);
                }
                Err(error) => {
                    tracing::error!(%error, "a scheduled sync broke off");
                    // Which one is not told; once none runs, all may be taken again.
                    if running.is_empty() {
                        taken.clear();
                    }
                }
            },
        }
    }
}

async fn sync_with_jitter(engine: Engine, id: String) -> String {
    let interval =
        engine.sources().iter().find(|source| source.id == id).map_or(JITTER_MAX, |source| source.interval.0);
    let jitter = JITTER_MAX
        .min(interval.mul_f64(f64::from(engine.jitter_percent().min(100)) / 100.0))
        .mul_f64(rand::rng().random_range(0.0..1.0));
    tokio::time::sleep(jitter).await;
    // An upstream's failure is recorded and logged by the engine; only the store's own is left.
    if let Err(error) = engine.sync_source(&id, false).await {
        tracing::error!(source = id, %error, "a scheduled sync could not be recorded");
        // It is still due: without a wait the upstream would be asked again and again.
        tokio::time::sleep(STORE_FAILURE_WAIT).await;
    }
    id
}

async fn next_wait(engine: &Engine, taken: &BTreeSet<String>) -> Duration {
    match engine.next_due(taken).await {
        Ok(Some(next_due)) => {
            let secs = u64::try_from(next_due.secs_since(engine.now())).unwrap_or(0);
            Duration::from_secs(secs).clamp(TICK_MIN, TICK_MAX)
        }
        Ok(None) | Err(_) => TICK_MAX,
    }
}
