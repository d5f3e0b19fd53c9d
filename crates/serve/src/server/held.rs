//! What the server knows of one connection: where its request stands, whom it counts for, and how it is told to end.
//!
//! Only the task of the connection changes where the request stands; the accept loop and the shutdown read it from their own threads.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering};

use tokio::sync::Notify;

use super::connections::Connections;

/// Whom unfinished requests count for: an address, of IPv6 its /64, as for the limits per minute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Holder(IpAddr);

impl Holder {
    pub(crate) fn of(address: IpAddr) -> Self {
        Self(crate::limits::network(address))
    }
}

/// How a connection is to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Ending {
    /// Not yet.
    None,
    /// After the request that it has begun, if any.
    InOrder,
    /// At once, whatever is under way.
    AtOnce,
}

/// One connection.
///
/// A request is *unfinished* while its client owes something: bytes of it, or the reading of its answer.
#[derive(Debug)]
pub(crate) struct Held {
    pub(super) number: u64,
    connections: Arc<Connections>,
    /// The socket's address.
    peer: Holder,
    /// Whose request this is: the peer, or whom a trusted proxy names.
    holder: std::sync::Mutex<Holder>,
    /// The peer is a trusted proxy: what it sends before the headers are complete counts for nobody.
    proxy: bool,
    /// Bytes of a request came that is not complete.
    begun: AtomicBool,
    /// Bytes came while an answer was due: of its own body, or of the next request.
    ahead: AtomicBool,
    /// From the arrival of the headers to the end of the answer's body.
    answering: AtomicBool,
    /// All that was written has left, and no answer is due: what is written now is hyper's own.
    quiet: AtomicBool,
    /// Requests that came.
    requests: AtomicU64,
    /// Bytes of the body that are kept.
    body_bytes: AtomicUsize,
    /// Standing among the unfinished since this tick; 0 when it does not.
    unfinished_since: AtomicU64,
    /// Nothing is under way since this tick.
    pub(super) idle_since: AtomicU64,
    ending: AtomicU8,
    told: Notify,
}

impl Held {
    pub(super) fn new(number: u64, connections: Arc<Connections>, peer: IpAddr, proxy: bool, tick: u64) -> Self {
        let peer = Holder::of(peer);
        Self {
            number,
            connections,
            peer,
            holder: std::sync::Mutex::new(peer),
            proxy,
            begun: AtomicBool::new(false),
            ahead: AtomicBool::new(false),
            answering: AtomicBool::new(false),
            quiet: AtomicBool::new(true),
            requests: AtomicU64::new(0),
            body_bytes: AtomicUsize::new(0),
            unfinished_since: AtomicU64::new(0),
            idle_since: AtomicU64::new(tick),
            ending: AtomicU8::new(Ending::None as u8),
            told: Notify::new(),
        }
    }

    /// Bytes came from the client.
    pub(super) fn bytes_came(&self) {
        let flag = if self.answering.load(Ordering::Relaxed) { &self.ahead } else { &self.begun };
        flag.store(true, Ordering::Relaxed);
    }

    /// The server waits for more bytes. In the middle of a request that makes it unfinished; most requests come whole and never do.
    pub(super) fn waits_for_bytes(&self) {
        let counts = !self.proxy || self.answering.load(Ordering::Relaxed);
        if counts && self.begun.load(Ordering::Relaxed) {
            self.owes();
        }
    }

    /// The server waits for the client to read.
    pub(super) fn waits_for_reader(&self) {
        self.owes();
    }

    /// All that was to be written has left.
    pub(super) fn all_written(&self) {
        if !self.answering.load(Ordering::Relaxed) {
            self.quiet.store(true, Ordering::Relaxed);
            if !self.begun.load(Ordering::Relaxed) {
                self.owes_nothing();
                self.idle_since.store(self.connections.tick(), Ordering::Relaxed);
            }
        }
    }

    /// The headers of a request are complete. `client` is whom a trusted proxy names.
    pub(crate) fn headers_came(&self, client: Option<IpAddr>) {
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.answering.store(true, Ordering::Relaxed);
        self.quiet.store(false, Ordering::Relaxed);
        let holder = client.map_or(self.peer, Holder::of);
        let mut held = self.holder.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if *held != holder {
            self.owes_nothing_as(*held);
            *held = holder;
        }
    }

    /// A part of the body came.
    pub(crate) fn body_came(&self, bytes: usize) {
        self.body_bytes.fetch_add(bytes, Ordering::Relaxed);
        self.connections.body_came(bytes);
    }

    /// The request is complete, or what is left of it is of no interest.
    pub(crate) fn request_came(&self) {
        self.begun.store(false, Ordering::Relaxed);
        self.ahead.store(false, Ordering::Relaxed);
        self.owes_nothing();
    }

    /// The answer is in hyper's hands, and the body of the request is forgotten.
    pub(crate) fn answered(&self) {
        self.answering.store(false, Ordering::Relaxed);
        self.begun.store(self.ahead.swap(false, Ordering::Relaxed), Ordering::Relaxed);
        self.connections.body_left(self.body_bytes.swap(0, Ordering::Relaxed));
    }

    /// Whether what is written now is hyper's own answer to what it could not read.
    pub(super) fn is_quiet(&self) -> bool {
        self.quiet.load(Ordering::Relaxed)
    }

    /// A request was begun and its headers are not complete.
    pub(super) fn has_begun(&self) -> bool {
        self.begun.load(Ordering::Relaxed)
    }

    /// Nothing is under way.
    pub(super) fn is_idle(&self) -> bool {
        !self.begun.load(Ordering::Relaxed)
            && !self.answering.load(Ordering::Relaxed)
            && self.unfinished_since.load(Ordering::Relaxed) == 0
    }

    /// Bytes of a body that are kept.
    pub(super) fn body_bytes(&self) -> usize {
        self.body_bytes.load(Ordering::Relaxed)
    }

    fn owes(&self) {
        if self.unfinished_since.load(Ordering::Relaxed) == 0 {
            let since = self.connections.tick();
            self.unfinished_since.store(since, Ordering::Relaxed);
            let holder = *self.holder.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            self.connections.unfinished(holder, since, self.number);
        }
    }

    fn owes_nothing(&self) {
        if self.unfinished_since.load(Ordering::Relaxed) != 0 {
            let holder = *self.holder.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            self.owes_nothing_as(holder);
        }
    }

    fn owes_nothing_as(&self, holder: Holder) {
        let since = self.unfinished_since.swap(0, Ordering::Relaxed);
        if since != 0 {
            self.connections.finished(holder, since);
        }
    }

    /// No byte of a request ever came.
    pub(super) fn is_unused(&self) -> bool {
        self.requests.load(Ordering::Relaxed) == 0 && !self.begun.load(Ordering::Relaxed)
    }

    /// Tells the connection's task to end.
    pub(super) fn end(&self, ending: Ending) {
        if self.ending.fetch_max(ending as u8, Ordering::Relaxed) < ending as u8 {
            self.told.notify_one();
        }
    }

    /// Waits until it is told to end, and how.
    pub(super) async fn told_to_end(&self) -> Ending {
        self.told.notified().await;
        self.ending()
    }

    pub(super) fn ending(&self) -> Ending {
        match self.ending.load(Ordering::Relaxed) {
            0 => Ending::None,
            1 => Ending::InOrder,
            _ => Ending::AtOnce,
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.request_came();
        self.answered();
    }
}
