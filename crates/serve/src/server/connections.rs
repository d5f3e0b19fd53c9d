//! The accounts of all connections, and which one closes when there are too many.
//!
//! A new connection is never refused for what others of its address hold, because a proxy is one address. Beyond `connections_max` the
//! longest idle connection closes, or else the oldest unfinished request of the client with most of them. A client that exceeds its number
//! of unfinished requests loses its oldest one. Request bodies in memory have a common bound.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, Weak};

use prometheus::IntCounterVec;
use refdesk_core::parallel::locked;

use super::connection_state::{ClientNetwork, Closing, ConnectionState};
use super::limits::ServerLimits;
use crate::state::metrics::CloseReason;

/// One in this many connections closes at once when room is needed, so that a flood is not scanned for each new connection.
const CLOSE_TOGETHER: usize = 64;

/// All connections of a server.
#[derive(Debug)]
pub(super) struct Connections {
    open_max: usize,
    unfinished_per_address_max: usize,
    bodies_bytes_max: usize,
    /// Orders events; a clock does not distinguish events of the same moment.
    ticks: AtomicU64,
    open: Mutex<HashMap<u64, Weak<ConnectionState>>>,
    /// By client: the numbers of connections with an unfinished request, by the tick since when.
    unfinished: Mutex<HashMap<ClientNetwork, BTreeMap<u64, u64>>>,
    /// Bytes of request bodies in memory.
    bodies_bytes: AtomicUsize,
    /// Connections closed to make room, by reason.
    closed: Option<IntCounterVec>,
}

impl Connections {
    pub(super) fn new(limits: &ServerLimits, closed: Option<IntCounterVec>) -> Arc<Self> {
        Arc::new(Self {
            open_max: limits.connections_max,
            unfinished_per_address_max: limits.unfinished_per_address_max.max(1),
            bodies_bytes_max: limits.bodies_bytes_max,
            ticks: AtomicU64::new(1),
            open: Mutex::default(),
            unfinished: Mutex::default(),
            bodies_bytes: AtomicUsize::new(0),
            closed,
        })
    }

    /// Registers a new connection.
    pub(super) fn open(&self) -> Arc<ConnectionState> {
        let number = self.tick();
        let state = Arc::new(ConnectionState::new(number));
        locked(&self.open).insert(number, Arc::downgrade(&state));
        state
    }

    /// Removes a connection.
    pub(super) fn closed(&self, number: u64) {
        locked(&self.open).remove(&number);
    }

    pub(super) fn count(&self) -> usize {
        locked(&self.open).len()
    }

    pub(super) fn tick(&self) -> u64 {
        self.ticks.fetch_add(1, Ordering::Relaxed)
    }

    /// Counts an unfinished request. The client's oldest one is closed when there are too many.
    pub(super) fn unfinished(&self, client: ClientNetwork, since: u64, number: u64) {
        let oldest = {
            let mut unfinished = locked(&self.unfinished);
            let of_client = unfinished.entry(client).or_default();
            of_client.insert(since, number);
            if of_client.len() <= self.unfinished_per_address_max {
                return;
            }
            of_client.pop_first()
        };
        if let Some((_, oldest)) = oldest {
            self.close_one(oldest, CloseReason::Unfinished);
        }
    }

    pub(super) fn finished(&self, client: ClientNetwork, since: u64) {
        let mut unfinished = locked(&self.unfinished);
        if let Some(of_client) = unfinished.get_mut(&client) {
            of_client.remove(&since);
            if of_client.is_empty() {
                unfinished.remove(&client);
            }
        }
    }

    /// Counts a part of a body. When all bodies are too much, the client that sends most loses its oldest one.
    pub(super) fn body_arrived(&self, bytes: usize) {
        let all = self.bodies_bytes.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if all <= self.bodies_bytes_max {
            return;
        }
        let heaviest = {
            let (unfinished, open) = (locked(&self.unfinished), locked(&self.open));
            // What is being closed gives its bytes back soon: to choose it once more would close nothing.
            let is_going = |state: &Arc<ConnectionState>| state.closing() == Closing::AtOnce;
            let bytes_of_state = |state: Arc<ConnectionState>| state.body_bytes.load(Ordering::Relaxed);
            let going: usize = open.values().filter_map(Weak::upgrade).filter(is_going).map(bytes_of_state).sum();
            if all.saturating_sub(going) <= self.bodies_bytes_max {
                return;
            }
            let bytes_of = |number: &u64| {
                let state = open.get(number).and_then(Weak::upgrade).filter(|state| !is_going(state));
                state.map_or(0, bytes_of_state)
            };
            let of_client = unfinished.values().max_by_key(|requests| requests.values().map(bytes_of).sum::<usize>());
            of_client.and_then(|requests| requests.values().find(|number| bytes_of(number) > 0).copied())
        };
        if let Some(number) = heaviest {
            self.close_one(number, CloseReason::Bodies);
        }
    }

    pub(super) fn body_released(&self, bytes: usize) {
        if bytes > 0 {
            self.bodies_bytes.fetch_sub(bytes, Ordering::Relaxed);
        }
    }

    /// Makes room for one more connection: closes the longest idle ones, or else the oldest unfinished request of the client with most. None is
    /// closed when all are being answered, or while idle ones that were told to close are still on their way: else a burst would close
    /// connections as fast as it arrives, and soon those that were accepted a moment ago and have not been read yet.
    pub(super) fn make_room(&self) {
        let idle: Vec<Arc<ConnectionState>> = self.all().into_iter().filter(|state| state.is_idle()).collect();
        if idle.iter().any(|state| state.closing() != Closing::No) {
            return;
        }
        let mut idle: Vec<_> =
            idle.into_iter().map(|state| (state.idle_since.load(Ordering::Relaxed), state)).collect();
        let together = (self.open_max / CLOSE_TOGETHER).max(1);
        if !idle.is_empty() {
            if idle.len() > together {
                idle.select_nth_unstable_by_key(together, |(since, _)| *since);
                idle.truncate(together);
            }
            for (_, state) in idle {
                self.count_closed(CloseReason::Idle);
                state.close(Closing::Gracefully);
            }
            return;
        }
        let oldest = {
            let mut unfinished = locked(&self.unfinished);
            unfinished.values_mut().max_by_key(|requests| requests.len()).and_then(BTreeMap::pop_first)
        };
        if let Some((_, number)) = oldest {
            self.close_one(number, CloseReason::Room);
        }
    }

    /// Closes all connections at once.
    pub(super) fn close_all(&self) {
        self.all().iter().for_each(|state| state.close(Closing::AtOnce));
    }

    /// Closes the connections that have brought a request, each after the one under way. The first request of the others may be under way.
    pub(super) fn close_used(&self) {
        self.all().iter().filter(|state| !state.is_unused()).for_each(|state| state.close(Closing::Gracefully));
    }

    /// Closes the connections at once that never brought a request.
    pub(super) fn close_unused(&self) {
        self.all().iter().filter(|state| state.is_unused()).for_each(|state| state.close(Closing::AtOnce));
    }

    fn all(&self) -> Vec<Arc<ConnectionState>> {
        locked(&self.open).values().filter_map(Weak::upgrade).collect()
    }

    fn close_one(&self, number: u64, reason: CloseReason) {
        let state = locked(&self.open).get(&number).and_then(Weak::upgrade);
        if let Some(state) = state {
            self.count_closed(reason);
            state.close(Closing::AtOnce);
        }
    }

    fn count_closed(&self, reason: CloseReason) {
        if let Some(closed) = &self.closed {
            closed.with_label_values(&[reason.as_str()]).inc();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which connections close depends on how fast the tasks of others run, which no client decides: so this asks the accounts themselves.
    #[test]
    fn room_is_made_once_until_those_told_to_close_have_gone() {
        let limits = ServerLimits { connections_max: 256, ..ServerLimits::default() };
        let connections = Connections::new(&limits, None);
        let open: Vec<_> = (0..256).map(|_| connections.open()).collect();
        let closing = || open.iter().filter(|state| state.closing() != Closing::No).count();
        connections.make_room();
        connections.make_room();
        assert_eq!(closing(), 4, "one in 64, and no more while these are open");
        assert!(open[..4].iter().all(|state| state.closing() == Closing::Gracefully), "the longest idle ones");
        open[..4].iter().for_each(|state| connections.closed(state.number));
        connections.make_room();
        assert_eq!(closing(), 8);
    }
}
