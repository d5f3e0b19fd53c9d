//! Looks after the store: takes the keys and the last evaluation of the router from it, and tells the desk when it cannot be read or
//! written, in words that say what to do.
//!
//! A look reads; every so often, and always while something is wrong, it writes a few bytes, too, because nothing else shows a full or
//! read-only disk. What a sync could not write is told from the first failure on.

use std::path::Path;
use std::time::Duration;

use refdesk_ingest::store::{Connections, Store, StoreError, StoreFault, failures_by_operation};
use refdesk_serve::AppState;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::watchdog::Pulse;
use super::{Background, REFRESH};
use crate::{evaluation, skipped_rows};

/// What it fails with in `/health`.
const PART: &str = "store";
/// Looks in a row that find another process writing before that is a fault: a sync of some ten thousand facts is none.
const BUSY_LOOKS: u32 = 5;
/// How often a look writes while all is well.
const WRITE_LOOK: Duration = Duration::from_secs(20);
/// Longest time that a look at a file may take: a disk that hangs does not answer. A database has `database_timeout`, and says why it did
/// not answer.
const LOOK_MAX: Duration = Duration::from_secs(5);
/// Pause between two checks of a store in which damage was met.
const CHECK_PAUSE: Duration = Duration::from_secs(5);
/// The pause is longer where it would not be so many times as long as the check before took: a check reads the whole file.
const CHECK_PAUSE_TIMES: u32 = 20;
/// A write of this process that takes longer than this is told: its disk is slow or hangs.
const WRITE_SLOW: Duration = Duration::from_secs(45);

#[derive(Default)]
struct Looks {
    busy: u32,
    wrote: Option<Instant>,
    /// What is wrong, as it was last told on the log.
    logged: Option<&'static str>,
    /// Rows that were passed over, as last told.
    unreadable: usize,
    checks: Checks,
}

/// The checks of a store in which a statement met damage.
#[derive(Default)]
struct Checks {
    /// The one that is under way; how long it took.
    running: Option<JoinHandle<Duration>>,
    /// Not before this moment.
    next: Option<Instant>,
}

/// What is looked at.
#[derive(Debug, Clone, Copy)]
pub struct Looked {
    /// Bytes that shall be free on the store's disk; 0 does not look.
    pub room_min: u64,
    /// Whether this process is the only one that writes and reads keys: it tries a write now and then, and reads the keys each time. Among
    /// several nodes the one that leads finds out by its work, and keys are read when they changed.
    pub alone: bool,
}

/// Looks for as long as it runs.
pub async fn run(work: Background, looked: Looked, pulse: Pulse) {
    let Background { app, desk, .. } = work;
    let (mut looks, mut evaluation) = (Looks::default(), evaluation::Followed::default());
    loop {
        tokio::time::sleep(REFRESH).await;
        pulse.beat();
        look(&desk, &app.store, looked, &mut looks).await;
        // A store that has just failed is not asked again.
        if !desk.faults().contains_key(PART) {
            evaluation.look(&app.store, &desk).await;
        }
    }
}

/// One look before the first request.
pub async fn look_once(desk: &AppState, store: &Store, looked: Looked) {
    look(desk, store, looked, &mut Looks::default()).await;
}

async fn look(desk: &AppState, store: &Store, looked: Looked, looks: &mut Looks) {
    let fault = fault_of(desk, store, looked, looks).await;
    let skipped = store.unreadable();
    let unreadable = skipped.len();
    desk.metrics.unreadable_rows(unreadable);
    tell_calls(desk, store);
    let fault = fault.or_else(|| {
        (unreadable > 0)
            .then(|| StoreFault { code: "store_unreadable_rows", message: skipped_rows::told(&skipped).join("; ") })
    });
    tell(looks, fault.as_ref(), unreadable);
    desk.set_fault(PART, fault.map(|fault| format!("{}; answers go on from memory", fault.message)));
}

/// Gives the metrics what calls to the store found.
fn tell_calls(desk: &AppState, store: &Store) {
    for (operation, total) in failures_by_operation() {
        desk.metrics.store.failed(operation, total);
    }
    if let Some(Connections { in_use, idle, waits }) = store.connections() {
        desk.metrics.store.connections(in_use, idle, waits);
    }
}

async fn fault_of(desk: &AppState, store: &Store, looked: Looked, looks: &mut Looks) -> Option<StoreFault> {
    let needs_write = desk.faults().contains_key(PART)
        || store.write_fault().is_some()
        || looks.wrote.is_none_or(|at| at.elapsed() >= WRITE_LOOK);
    let writes = looked.alone && needs_write;
    let probed = if store.is_shared() {
        store.probe(writes).await
    } else {
        match in_time(LOOK_MAX, store.probe(writes)).await {
            Ok(probed) => probed,
            Err(hangs) => return Some(hangs),
        }
    };
    if writes && probed.is_ok() {
        looks.wrote = Some(Instant::now());
    }
    if let Err(error @ (StoreError::Lost { .. } | StoreError::Unreachable { .. } | StoreError::Slow { .. })) = &probed {
        return Some(error.into());
    }
    if looked.alone {
        match in_time(LOOK_MAX, refresh_keys(desk, store)).await {
            Err(hangs) => return Some(hangs),
            Ok(false) => {
                let unread = || StoreFault { code: "store_unread", message: "the store cannot be read".into() };
                return Some(disk_fault(store, &mut looks.checks).await.unwrap_or_else(unread));
            }
            Ok(true) => {}
        }
    }
    match probed {
        Ok(()) => looks.busy = 0,
        Err(StoreError::Busy { .. }) => {
            looks.busy += 1;
            if looks.busy >= BUSY_LOOKS {
                return Some(StoreFault {
                    code: "store_busy",
                    message: "the store is locked by another process".into(),
                });
            }
        }
        Err(error) => return Some((&error).into()),
    }
    if let Some(fault) = store.write_fault() {
        return Some(fault);
    }
    if let Some(fault) = disk_fault(store, &mut looks.checks).await {
        return Some(fault);
    }
    if let Some(writing) = store.writing_for().filter(|writing| *writing >= WRITE_SLOW) {
        let message = format!("a write has taken {} s: its disk is slow or hangs", writing.as_secs());
        return Some(StoreFault { code: "store_slow", message });
    }
    nearly_full(store, looked.room_min).map(|message| StoreFault { code: "store_nearly_full", message })
}

/// What a statement met of damage or a failing disk. It stays until a check finds the store sound: nobody may read the damaged part again for
/// long. A short check is waited for; a long one goes on, and a later look takes in what it found.
async fn disk_fault(store: &Store, checks: &mut Checks) -> Option<StoreFault> {
    store.disk_fault()?;
    if checks.running.is_none() && checks.next.is_none_or(|at| at <= Instant::now()) {
        let store = store.clone();
        checks.running = Some(tokio::spawn(async move {
            let begun = Instant::now();
            if let Err(error) = store.check_integrity().await {
                tracing::debug!(%error, "the store was checked");
            }
            begun.elapsed()
        }));
    }
    if let Some(running) = &mut checks.running
        && let Ok(ended) = tokio::time::timeout(LOOK_MAX, running).await
    {
        let took = ended.unwrap_or_default();
        *checks = Checks { running: None, next: Some(Instant::now() + CHECK_PAUSE.max(took * CHECK_PAUSE_TIMES)) };
    }
    store.disk_fault()
}

/// What to tell when the disk of a store has less room than that, in bytes.
pub fn nearly_full(store: &Store, room_min: u64) -> Option<String> {
    let left = store.path().and_then(|path| free_bytes(path)).filter(|left| *left < room_min)?;
    Some(format!("its disk has {left} bytes left: make room before the next sync needs it"))
}

/// Gives the desk the keys of the store; false when they cannot be read.
pub async fn refresh_keys(desk: &AppState, store: &Store) -> bool {
    let asked = std::time::Instant::now();
    let Ok(keys) = store.keys().await else { return false };
    desk.keys.replace(keys);
    desk.node.keys_checked(asked);
    true
}

/// What a look finds, or that it did not come back.
async fn in_time<T>(look_max: Duration, look: impl Future<Output = T>) -> Result<T, StoreFault> {
    tokio::time::timeout(look_max, look).await.map_err(|_| StoreFault {
        code: "store_hangs",
        message: "the store does not answer: its disk hangs, the network to it does, or another process holds it"
            .into(),
    })
}

/// The bytes that this process may still write to the disk of a file, where the system tells.
fn free_bytes(path: &Path) -> Option<u64> {
    #[cfg(target_os = "linux")]
    return rustix::fs::statvfs(path).ok().map(|disk| disk.f_bavail.saturating_mul(disk.f_frsize));
    #[cfg(not(target_os = "linux"))]
    {
        let _ = path;
        None
    }
}

/// One line when something begins to be wrong, or is wrong in another way, and one when all is well again.
fn tell(looks: &mut Looks, fault: Option<&StoreFault>, unreadable: usize) {
    let code = fault.map(|fault| fault.code);
    if code == looks.logged && unreadable <= looks.unreadable {
        return;
    }
    match fault {
        Some(StoreFault { code: code @ "store_busy", message }) => {
            tracing::warn!(code, "{message}; answers go on from the snapshot");
        }
        Some(StoreFault { code, message }) => {
            tracing::error!(code, "the store has a fault: {message}; answers go on from the snapshot");
        }
        None => tracing::info!("the store has recovered"),
    }
    looks.logged = code;
    looks.unreadable = unreadable;
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use refdesk_ingest::store::{DatabaseSettings, Migrate, Store};

    use super::{Checks, LOOK_MAX, Looked, Looks, fault_of, in_time};

    #[tokio::test]
    async fn a_look_that_does_not_come_back_is_a_fault() {
        let fault = in_time(Duration::from_millis(20), std::future::pending::<()>()).await.unwrap_err();
        assert!(fault.code == "store_hangs" && fault.message.contains("its disk hangs"));
        assert!(in_time(Duration::from_secs(5), async {}).await.is_ok());
    }

    #[tokio::test]
    async fn a_disk_with_less_room_than_the_setting_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("s.sqlite3")).await.unwrap();
        let desk = super::super::watchdog::tests::desk();
        let fault = async |room_min: u64| {
            fault_of(&desk, &store, Looked { room_min, alone: true }, &mut Looks::default()).await
        };
        assert!(fault(0).await.is_none(), "0 does not look");
        let told = fault(u64::MAX).await.unwrap();
        assert!(told.code == "store_nearly_full" && told.message.contains("make room"), "{}", told.message);
    }

    /// A look reads other parts of the file than the damaged one, and found nothing wrong.
    #[tokio::test]
    async fn damage_that_a_request_met_is_a_fault_until_the_file_is_sound() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.sqlite3");
        let store = Store::open(&path).await.unwrap();
        store.put_embeddings("m", &[("sha256:0".to_owned(), vec![0])]).await.unwrap();
        // So that it is in the file itself.
        store.close().await;
        let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&path);
        let mut other = sqlx::ConnectOptions::connect(&options).await.unwrap();
        let root = "SELECT (rootpage - 1) * page_size FROM sqlite_master, pragma_page_size WHERE type = 'table' AND name = 'embeddings'";
        let at: i64 = sqlx::query_scalar(root).fetch_one(&mut other).await.unwrap();
        sqlx::Connection::close(other).await.unwrap();
        let whole = std::fs::read(&path).unwrap();
        let mut damaged = whole.clone();
        let at = usize::try_from(at).unwrap();
        damaged[at..at + 512].fill(0);
        std::fs::write(&path, damaged).unwrap();

        let store = Store::open(&path).await.unwrap();
        let desk = super::super::watchdog::tests::desk();
        let mut looks = Looks::default();
        let looked = Looked { room_min: 0, alone: true };
        assert_eq!(fault_of(&desk, &store, looked, &mut looks).await, None, "nobody has met it");
        store.embeddings("m").await.unwrap_err();
        for _ in 0..2 {
            let fault = fault_of(&desk, &store, looked, &mut looks).await.unwrap();
            assert_eq!((fault.code, &*fault.message), ("store_corrupt", "the store is damaged: see `refdesk doctor`"));
        }
        std::fs::write(&path, whole).unwrap();
        looks.checks = Checks::default();
        assert_eq!(fault_of(&desk, &store, looked, &mut looks).await, None);
    }

    /// The limit of a look at a file does not come first: a database that refuses is no disk that hangs.
    #[tokio::test]
    async fn a_database_that_does_not_answer_is_told_as_a_database() {
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let nobody = DatabaseSettings::new(format!("postgres://refdesk@127.0.0.1:{port}/desk"));
        let nobody = DatabaseSettings { timeout: LOOK_MAX, migrate: Migrate::Unasked, ..nobody };
        let store = Store::open_url(&nobody).await.unwrap();
        let desk = super::super::watchdog::tests::desk();
        let fault = fault_of(&desk, &store, Looked { room_min: 0, alone: false }, &mut Looks::default()).await.unwrap();
        assert_eq!(fault.code, "store_unreachable", "{}", fault.message);
    }
}
