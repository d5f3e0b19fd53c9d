//! How much memory the syncs of a process may take: one budget in bytes for all of them, of half of which each sync has a share.
//!
//! A sync that needs more than its share takes the lane, which only one sync holds at a time and which lends it the other half of
//! the budget. So whoever waits holds no more than its share, whoever has the lane waits for nobody, and no order of events can end in a
//! deadlock.
//! What is counted is what an upstream can make large: bodies, unpacked files, facts, rejects. A connector has no handle of it: the
//! engine enters the [`Room`] around each of its steps, as a tracing span is entered, and [`charge`] finds it. Outside of a sync nothing
//! is counted.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use refdesk_core::parallel::locked;
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore};

/// Memory of all syncs together, in bytes, unless `sync_memory_max` says otherwise.
pub const SYNC_MEMORY_MAX: u64 = 1 << 30;

/// The budget of a process.
#[derive(Debug)]
pub struct MemoryBudget {
    bytes_max: u64,
    share: u64,
    lane: Arc<Semaphore>,
    pool: Arc<Pool>,
}

/// Size of a piece of memory that is lent, in bytes.
pub const PIECE_BYTES: usize = 64 << 10;

/// Pieces of memory that no sync holds at the moment. An allocator keeps what is freed for a while, for each of its arenas; what one body
/// gives back here, the next takes, whatever thread it comes in on. The last sync to end frees them.
#[derive(Debug, Default)]
struct Pool {
    pieces: std::sync::Mutex<Vec<Vec<u8>>>,
    rooms: AtomicUsize,
}

impl MemoryBudget {
    /// A budget of `bytes_max`, of which half is shared out to so many syncs at once and half is for the one that needs more.
    pub fn new(bytes_max: u64, syncs_at_once: usize) -> Self {
        let share = bytes_max / 2 / (syncs_at_once.max(1) as u64);
        Self { bytes_max, share, lane: Arc::new(Semaphore::new(1)), pool: Arc::default() }
    }

    /// The room of one sync.
    pub fn room(&self) -> Room {
        self.pool.rooms.fetch_add(1, Ordering::Relaxed);
        Room(Arc::new(MemoryUse {
            used: AtomicU64::new(0),
            share: self.share,
            most: self.bytes_max / 2 + self.share,
            setting: self.bytes_max,
            lane: Arc::clone(&self.lane),
            pool: Arc::clone(&self.pool),
            held: Mutex::new(None),
            waits: std::sync::Mutex::default(),
        }))
    }
}

/// A sync would need more memory than there is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the sync needs more memory than {most} bytes, what sync_memory_max = {setting} leaves to one source; raise it if the source is meant to be this large"
)]
pub struct NoRoom {
    most: u64,
    setting: u64,
}

/// What one sync takes of the budget. Cheap to clone; what was taken is free again when the last clone is dropped.
#[derive(Debug, Clone)]
pub struct Room(Arc<MemoryUse>);

#[derive(Debug)]
struct MemoryUse {
    used: AtomicU64,
    share: u64,
    most: u64,
    setting: u64,
    lane: Arc<Semaphore>,
    pool: Arc<Pool>,
    held: Mutex<Option<OwnedSemaphorePermit>>,
    waits: std::sync::Mutex<Waits>,
}

/// How long a sync waited for the lane.
#[derive(Debug, Default)]
struct Waits {
    ended: Duration,
    /// When the wait began that still goes on.
    since: Option<Instant>,
}

impl Waits {
    fn total(&self) -> Duration {
        self.ended + self.since.map_or(Duration::ZERO, |since| since.elapsed())
    }
}

/// A wait for the lane; it ends when this is dropped, whether the lane came or whoever waited gave up.
struct Waiting<'a>(&'a std::sync::Mutex<Waits>);

impl<'a> Waiting<'a> {
    fn begin(waits: &'a std::sync::Mutex<Waits>) -> Self {
        locked(waits).since = Some(Instant::now());
        Self(waits)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut waits = locked(self.0);
        *waits = Waits { ended: waits.total(), since: None };
    }
}

impl Drop for MemoryUse {
    fn drop(&mut self) {
        if self.pool.rooms.fetch_sub(1, Ordering::AcqRel) == 1 {
            locked(&self.pool.pieces).clear();
        }
    }
}

impl Default for Room {
    /// A room of its own with the default budget.
    fn default() -> Self {
        MemoryBudget::new(SYNC_MEMORY_MAX, 1).room()
    }
}

impl Room {
    /// Takes bytes, and waits for the lane where the share does not hold them.
    ///
    /// # Errors
    /// When no sync may take so many; nothing is taken then.
    pub async fn take(&self, bytes: u64) -> Result<(), NoRoom> {
        if self.add(bytes)? {
            self.wait_for_lane().await;
        }
        Ok(())
    }

    /// The same on a thread that may block.
    fn take_blocking(&self, bytes: u64) -> Result<(), NoRoom> {
        if self.add(bytes)?
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            runtime.block_on(self.wait_for_lane());
        }
        Ok(())
    }

    /// Gives bytes back.
    pub fn give(&self, bytes: u64) {
        self.0.used.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// An empty piece of [`PIECE_BYTES`]. It is not counted: whoever fills it has taken as much.
    pub fn lend(&self) -> Vec<u8> {
        let lent = locked(&self.0.pool.pieces).pop();
        lent.unwrap_or_else(|| Vec::with_capacity(PIECE_BYTES))
    }

    /// Takes a piece back.
    pub fn give_back(&self, mut piece: Vec<u8>) {
        piece.clear();
        locked(&self.0.pool.pieces).push(piece);
    }

    /// How long it waited for the lane until now, a wait that goes on included: that is no fault of its upstream.
    pub fn waited(&self) -> Duration {
        locked(&self.0.waits).total()
    }

    /// Runs a step whose [`charge`]s this room pays.
    pub fn enter<T>(&self, step: impl FnOnce() -> T) -> T {
        struct Leave(Option<Room>);
        impl Drop for Leave {
            fn drop(&mut self) {
                CURRENT.with(|current| *current.borrow_mut() = self.0.take());
            }
        }
        let _leave = Leave(CURRENT.with(|current| current.borrow_mut().replace(self.clone())));
        step()
    }

    /// Counts the bytes; true when they lie beyond the share.
    fn add(&self, bytes: u64) -> Result<bool, NoRoom> {
        let used = self.0.used.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        if used > self.0.most {
            self.give(bytes);
            return Err(NoRoom { most: self.0.most, setting: self.0.setting });
        }
        Ok(used > self.0.share)
    }

    async fn wait_for_lane(&self) {
        let mut held = self.0.held.lock().await;
        if held.is_none() {
            // The lane is never closed; without a permit the sync only runs beside another large one.
            let _waiting = Waiting::begin(&self.0.waits);
            *held = Arc::clone(&self.0.lane).acquire_owned().await.ok();
        }
    }
}

/// Bytes that are given back when they are dropped, unless they are kept.
#[derive(Debug)]
pub struct Taken<'a> {
    room: &'a Room,
    bytes: u64,
}

impl<'a> Taken<'a> {
    /// Nothing yet.
    pub const fn new(room: &'a Room) -> Self {
        Self { room, bytes: 0 }
    }

    /// Takes more.
    ///
    /// # Errors
    /// As [`Room::take`].
    pub async fn more(&mut self, bytes: u64) -> Result<(), NoRoom> {
        self.room.take(bytes).await?;
        self.bytes += bytes;
        Ok(())
    }

    /// They stay taken for as long as the sync runs.
    pub fn keep(mut self) {
        self.bytes = 0;
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.room.give(self.bytes);
    }
}

thread_local! {
    static CURRENT: RefCell<Option<Room>> = const { RefCell::new(None) };
}

/// Charges bytes to the sync that this thread works for. It may wait, so only threads that may block enter a room.
///
/// # Errors
/// As [`Room::take`].
pub fn charge(bytes: u64) -> Result<(), NoRoom> {
    let room = CURRENT.with(|current| current.borrow().clone());
    room.map_or(Ok(()), |room| room.take_blocking(bytes))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{MemoryBudget, Taken, charge};

    #[tokio::test]
    async fn one_sync_at_a_time_takes_more_than_its_share_and_none_more_than_there_is() {
        let budget = MemoryBudget::new(1_000, 5);
        let (first, second) = (budget.room(), budget.room());
        first.take(100).await.unwrap_or_default();
        second.take(100).await.unwrap_or_default();
        assert_eq!(first.take(400).await, Ok(()), "the rest of the share and half of the budget");
        assert!(tokio::time::timeout(Duration::from_millis(50), second.take(1)).await.is_err(), "the lane is taken");
        assert!(second.take(600).await.is_err(), "refused at once");
        drop(first);
        assert!(second.take(400).await.is_ok());
    }

    #[tokio::test]
    async fn a_wait_for_the_lane_counts_while_it_goes_on_and_once_when_it_is_over() {
        let budget = MemoryBudget::new(1_000, 5);
        let (first, second) = (budget.room(), budget.room());
        assert_eq!(first.take(400).await, Ok(()));
        let waits = tokio::spawn({
            let second = second.clone();
            async move { second.take(400).await }
        });
        tokio::time::sleep(Duration::from_millis(50)).await;
        let meanwhile = second.waited();
        assert!(!waits.is_finished() && meanwhile >= Duration::from_millis(25), "{meanwhile:?}");
        drop(first);
        assert_eq!(waits.await.ok(), Some(Ok(())));
        let after = second.waited();
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert!(after >= meanwhile && second.waited() == after, "{after:?}");
    }

    #[tokio::test]
    async fn what_is_not_kept_is_free_again_and_a_thread_pays_for_its_own_sync() {
        let room = MemoryBudget::new(1_000, 1).room();
        for _ in 0..5 {
            let mut taken = Taken::new(&room);
            assert!(taken.more(900).await.is_ok());
        }
        assert!(charge(u64::MAX).is_ok(), "outside of a sync nothing is counted");
        let spent = tokio::task::spawn_blocking(move || room.enter(|| (charge(1_000), charge(1).is_err()))).await;
        assert_eq!(spent.ok(), Some((Ok(()), true)));
    }
}
