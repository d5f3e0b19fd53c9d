//! A sync under way: one at most of each source in this process, told to the other nodes where there are some.
//!
//! A sync may be dropped or panic at any point, and the database may not answer when it ends; the end is then told later, by
//! [`EngineState::tell_ends`]. A row that stayed would show the source as being synced for as long as this node leads.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use refdesk_core::Stamp;
use refdesk_core::parallel::locked;

use super::EngineState;
use crate::store::StoreError;

/// The sources in flight, and those whose end was not told to the other nodes.
#[derive(Default)]
pub(super) struct Flights(Mutex<Sources>);

#[derive(Default)]
struct Sources {
    flying: BTreeSet<String>,
    ended: BTreeSet<String>,
}

impl Flights {
    /// The sources that are being synced in this process.
    pub(super) fn flying(&self) -> BTreeSet<String> {
        locked(&self.0).flying.clone()
    }
}

/// A source in flight; dropped, it may fly again.
pub(super) struct FlightGuard {
    inner: Arc<EngineState>,
    source_id: String,
    is_told: bool,
}

impl FlightGuard {
    /// `None` while the source is being synced already.
    pub(super) fn take_off(inner: &Arc<EngineState>, source_id: &str) -> Option<Self> {
        let is_new = locked(&inner.flights.0).flying.insert(source_id.to_owned());
        is_new.then(|| Self { inner: Arc::clone(inner), source_id: source_id.to_owned(), is_told: false })
    }

    /// Tells the other nodes that the sync begins.
    pub(super) async fn tell(&mut self, at: Stamp) -> Result<(), StoreError> {
        // Before the write: dropped in the middle of it, nobody knows whether the row is there.
        self.is_told = true;
        locked(&self.inner.flights.0).ended.remove(&self.source_id);
        self.inner.store.begin_flight(&self.source_id, at).await
    }

    /// Tells them that it ended.
    pub(super) async fn tell_end(&mut self) {
        self.is_told = !self.inner.tell_end(&self.source_id).await;
    }
}

impl Drop for FlightGuard {
    fn drop(&mut self) {
        let mut sources = locked(&self.inner.flights.0);
        if self.is_told {
            sources.ended.insert(self.source_id.clone());
        }
        sources.flying.remove(&self.source_id);
    }
}

impl EngineState {
    /// Tells the other nodes of syncs that ended and could not tell it themselves.
    pub(super) async fn tell_ends(&self) {
        let ended = locked(&self.flights.0).ended.clone();
        for source_id in ended {
            if !locked(&self.flights.0).flying.contains(&source_id) && self.tell_end(&source_id).await {
                locked(&self.flights.0).ended.remove(&source_id);
            }
        }
    }

    /// Whether it is told.
    async fn tell_end(&self, source_id: &str) -> bool {
        match self.store.end_flight(source_id).await {
            // Under another's lease the flight counts no more.
            Ok(()) | Err(StoreError::Deposed { .. }) => true,
            Err(error) => {
                tracing::debug!(%error, source = source_id, "cannot tell the other nodes yet that a sync has ended");
                false
            }
        }
    }
}
