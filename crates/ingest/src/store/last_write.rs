//! Whether the store takes writes, as the last of them told: what `/health` says beside what it finds when it looks by itself.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use refdesk_core::parallel::locked;

use super::{Result, StoreFault};

#[derive(Debug, Default)]
pub(super) struct LastWrite(Mutex<WriteState>);

#[derive(Debug, Default)]
struct WriteState {
    fault: Option<StoreFault>,
    /// Writes that are under way, and since when there is one.
    open: usize,
    since: Option<Instant>,
}

/// A write that is under way.
pub(super) struct Open<'a>(&'a LastWrite);

impl LastWrite {
    pub(super) fn begin(&self) -> Open<'_> {
        let mut told = locked(&self.0);
        told.open += 1;
        told.since.get_or_insert_with(Instant::now);
        drop(told);
        Open(self)
    }

    /// Takes in how a write ended. What says nothing of the disk changes nothing.
    pub(super) fn ended<T>(&self, result: &Result<T>) {
        let mut told = locked(&self.0);
        match result {
            Ok(_) => told.fault = None,
            Err(error) if error.is_of_disk() => told.fault = Some(error.into()),
            Err(_) => {}
        }
    }

    pub(super) fn fault(&self) -> Option<StoreFault> {
        locked(&self.0).fault.clone()
    }

    /// How long this process has been writing without a pause.
    pub(super) fn writing_for(&self) -> Option<Duration> {
        locked(&self.0).since.map(|since| since.elapsed())
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        let mut told = locked(&self.0.0);
        told.open -= 1;
        // The next one has waited for this one.
        told.since = (told.open > 0).then(Instant::now);
    }
}
