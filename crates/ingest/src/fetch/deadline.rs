//! How long a part of a sync may take. What the sync waits for memory meanwhile is not the upstream's fault, and does not count.

use std::time::Duration;

use tokio::time::Instant;

use crate::memory_budget::Room;

/// When a part of a sync has taken long enough.
pub(crate) struct Deadline<'a> {
    room: &'a Room,
    ends_at: Instant,
    /// What the sync had waited for memory when the part began.
    waited: Duration,
}

impl<'a> Deadline<'a> {
    /// One that begins now.
    pub(crate) fn new(room: &'a Room, timeout: Duration) -> Self {
        Self { room, ends_at: Instant::now() + timeout, waited: room.waited() }
    }

    /// Waits for a step; `None` when it is not done in time.
    pub(crate) async fn within<T>(&self, step: impl Future<Output = T>) -> Option<T> {
        tokio::pin!(step);
        loop {
            let waited = self.room.waited();
            let ends_at = self.ends_at + waited.saturating_sub(self.waited);
            match tokio::time::timeout_at(ends_at, &mut step).await {
                Ok(done) => return Some(done),
                Err(_) if self.room.waited() > waited => {}
                Err(_) => return None,
            }
        }
    }
}
