//! All connections of a server, and who has to go when there are too many.
//!
//! A new connection is never refused for what others of its address hold: a proxy is one address. Beyond `connections_max` the one that
//! is idle the longest goes, then the oldest unfinished request of whoever has most of them. An address has at most so many unfinished
//! requests; beyond that its oldest one goes. The bodies that are on their way have a bound together.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use prometheus::IntCounterVec;

use super::ServerLimits;
use super::held::{Ending, Held, Holder};

/// One connection in so many goes at once when one has to, so that a flood of them is not looked through for each.
const GO_TOGETHER: usize = 64;

/// All connections of a server.
#[derive(Debug)]
pub(crate) struct Connections {
    open_max: usize,
    unfinished_per_address_max: usize,
    bodies_bytes_max: usize,
    /// Orders what happened; a clock would not tell apart what happens at once.
    ticks: AtomicU64,
    open: Mutex<HashMap<u64, Weak<Held>>>,
    /// By holder: the unfinished ones by the tick since when.
    unfinished: Mutex<HashMap<Holder, BTreeMap<u64, u64>>>,
    /// Bytes of bodies that are on their way.
    bodies_bytes: AtomicUsize,
    /// Connections that were closed for others, by reason.
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

    /// Takes a connection in.
    pub(super) fn open(self: &Arc<Self>, peer: IpAddr, proxy: bool) -> Arc<Held> {
        let number = self.tick();
        let held = Arc::new(Held::new(number, Arc::clone(self), peer, proxy, number));
        lock(&self.open).insert(number, Arc::downgrade(&held));
        held
    }

    /// The connection has ended.
    pub(super) fn closed(&self, held: &Held) {
        lock(&self.open).remove(&held.number);
    }

    pub(super) fn count(&self) -> usize {
        lock(&self.open).len()
    }

    pub(super) fn tick(&self) -> u64 {
        self.ticks.fetch_add(1, Ordering::Relaxed)
    }

    /// A request stands among the unfinished of its holder, of which the oldest goes when there are too many.
    pub(super) fn unfinished(&self, holder: Holder, since: u64, number: u64) {
        let oldest = {
            let mut unfinished = lock(&self.unfinished);
            let of_holder = unfinished.entry(holder).or_default();
            of_holder.insert(since, number);
            if of_holder.len() <= self.unfinished_per_address_max {
                return;
            }
            of_holder.pop_first()
        };
        if let Some((_, oldest)) = oldest {
            self.end_one(oldest, "unfinished");
        }
    }

    pub(super) fn finished(&self, holder: Holder, since: u64) {
        let mut unfinished = lock(&self.unfinished);
        if let Some(of_holder) = unfinished.get_mut(&holder) {
            of_holder.remove(&since);
            if of_holder.is_empty() {
                unfinished.remove(&holder);
            }
        }
    }

    /// A part of a body came. When all of them are too much, whoever sends most loses its oldest.
    pub(super) fn body_came(&self, bytes: usize) {
        let all = self.bodies_bytes.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if all <= self.bodies_bytes_max {
            return;
        }
        let heaviest = {
            let (unfinished, open) = (lock(&self.unfinished), lock(&self.open));
            let bytes_of = |number: &u64| open.get(number).and_then(Weak::upgrade).map_or(0, |held| held.body_bytes());
            let of_holder = unfinished.values().max_by_key(|ones| ones.values().map(bytes_of).sum::<usize>());
            of_holder.and_then(|ones| ones.values().find(|number| bytes_of(number) > 0).copied())
        };
        if let Some(number) = heaviest {
            self.end_one(number, "bodies");
        }
    }

    pub(super) fn body_left(&self, bytes: usize) {
        if bytes > 0 {
            self.bodies_bytes.fetch_sub(bytes, Ordering::Relaxed);
        }
    }

    /// Makes room for one more connection: those that are idle the longest go, else the oldest unfinished request of whoever has most.
    /// Nobody goes when all are being answered.
    pub(super) fn make_room(&self) {
        let mut idle: Vec<(u64, Arc<Held>)> = {
            let open = lock(&self.open);
            let held = open.values().filter_map(Weak::upgrade).filter(|held| held.ending() == Ending::None);
            held.filter(|held| held.is_idle()).map(|held| (held.idle_since.load(Ordering::Relaxed), held)).collect()
        };
        let going = (self.open_max / GO_TOGETHER).max(1);
        if !idle.is_empty() {
            if idle.len() > going {
                idle.select_nth_unstable_by_key(going, |(since, _)| *since);
                idle.truncate(going);
            }
            for (_, held) in idle {
                self.count_closed("idle");
                // hyper waits for the first request of a connection, however it is asked to end.
                held.end(if held.is_unused() { Ending::AtOnce } else { Ending::InOrder });
            }
            return;
        }
        let oldest = {
            let mut unfinished = lock(&self.unfinished);
            unfinished.values_mut().max_by_key(|ones| ones.len()).and_then(BTreeMap::pop_first)
        };
        if let Some((_, number)) = oldest {
            self.end_one(number, "room");
        }
    }

    /// Tells all to end at once.
    pub(super) fn end_all(&self) {
        self.all().iter().for_each(|held| held.end(Ending::AtOnce));
    }

    /// Tells those to end that have brought a request, each after the one under way. The others' first one may be on its way.
    pub(super) fn end_used(&self) {
        self.all().iter().filter(|held| !held.is_unused()).for_each(|held| held.end(Ending::InOrder));
    }

    /// Tells those to end at once that never brought a request.
    pub(super) fn end_unused(&self) {
        self.all().iter().filter(|held| held.is_unused()).for_each(|held| held.end(Ending::AtOnce));
    }

    fn all(&self) -> Vec<Arc<Held>> {
        lock(&self.open).values().filter_map(Weak::upgrade).collect()
    }

    fn end_one(&self, number: u64, why: &str) {
        let held = lock(&self.open).get(&number).and_then(Weak::upgrade);
        if let Some(held) = held {
            self.count_closed(why);
            held.end(Ending::AtOnce);
        }
    }

    fn count_closed(&self, why: &str) {
        if let Some(closed) = &self.closed {
            closed.with_label_values(&[why]).inc();
        }
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
