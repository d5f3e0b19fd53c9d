//! What is known of one connection: where its request is, and how the connection is told to close. Plain atomics that know nothing of other
//! connections.
//!
//! Only the task of the connection changes where the request is; the accept loop and the shutdown read it from other threads.

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering};

use tokio::sync::Notify;

use crate::http::client_address::client_network;

/// The client that unfinished requests count for: an address, and for IPv6 its /64, as for the rate limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct ClientNetwork(IpAddr);

impl From<IpAddr> for ClientNetwork {
    fn from(address: IpAddr) -> Self {
        Self(client_network(address))
    }
}

/// How a connection is to close.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(super) enum Closing {
    /// Not yet.
    No,
    /// After the request that it has begun, or at once if it has begun none.
    Gracefully,
    /// At once, whatever is under way.
    AtOnce,
}

/// The state of one connection.
#[derive(Debug)]
pub(super) struct ConnectionState {
    pub(super) number: u64,
    /// Bytes of a request arrived that is not complete.
    pub(super) request_begun: AtomicBool,
    /// Bytes arrived while an answer was due: of the request's body, or of the next request.
    pub(super) bytes_ahead: AtomicBool,
    /// From the arrival of the headers to the end of the answer's body.
    pub(super) answering: AtomicBool,
    /// Everything was written and no answer is due: whatever is written now is hyper's own.
    pub(super) quiet: AtomicBool,
    /// Requests that arrived.
    pub(super) requests: AtomicU64,
    /// Bytes of the request's body that are in memory.
    pub(super) body_bytes: AtomicUsize,
    /// The tick since when its request is unfinished; 0 when it is not.
    pub(super) unfinished_since: AtomicU64,
    /// The tick since when nothing is under way.
    pub(super) idle_since: AtomicU64,
    closing: AtomicU8,
    told_to_close: Notify,
}

impl ConnectionState {
    pub(super) fn new(number: u64) -> Self {
        Self {
            number,
            request_begun: AtomicBool::new(false),
            bytes_ahead: AtomicBool::new(false),
            answering: AtomicBool::new(false),
            quiet: AtomicBool::new(true),
            requests: AtomicU64::new(0),
            body_bytes: AtomicUsize::new(0),
            unfinished_since: AtomicU64::new(0),
            idle_since: AtomicU64::new(number),
            closing: AtomicU8::new(Closing::No as u8),
            told_to_close: Notify::new(),
        }
    }

    /// Nothing is under way.
    pub(super) fn is_idle(&self) -> bool {
        !self.request_begun.load(Ordering::Relaxed)
            && !self.answering.load(Ordering::Relaxed)
            && self.unfinished_since.load(Ordering::Relaxed) == 0
    }

    /// No byte of a request ever arrived.
    pub(super) fn is_unused(&self) -> bool {
        self.requests.load(Ordering::Relaxed) == 0 && !self.request_begun.load(Ordering::Relaxed)
    }

    /// Tells the task of the connection to close it. A less urgent call has no effect.
    pub(super) fn close(&self, closing: Closing) {
        if self.closing.fetch_max(closing as u8, Ordering::Relaxed) < closing as u8 {
            self.told_to_close.notify_one();
        }
    }

    /// Waits until the connection is told to close.
    pub(super) async fn told_to_close(&self) -> Closing {
        self.told_to_close.notified().await;
        self.closing()
    }

    pub(super) fn closing(&self) -> Closing {
        match self.closing.load(Ordering::Relaxed) {
            0 => Closing::No,
            1 => Closing::Gracefully,
            _ => Closing::AtOnce,
        }
    }
}
