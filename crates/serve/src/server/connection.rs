//! One connection as its own task sees it: the events of its request, which update its state and the accounts of all connections.

use std::net::IpAddr;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use refdesk_core::parallel::locked;

use super::connection_state::{ClientNetwork, ConnectionState};
use super::connections::Connections;

/// One connection.
///
/// A request is *unfinished* while its client owes something: bytes of the request, or reading the answer.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) state: Arc<ConnectionState>,
    connections: Arc<Connections>,
    /// The client behind the socket's address.
    peer: ClientNetwork,
    /// The client of the current request: the peer, or the one that a trusted proxy reports.
    client: Mutex<ClientNetwork>,
    /// The peer is a trusted proxy: what it sends before the headers are complete counts for no client.
    is_proxy: bool,
}

impl Connection {
    /// Registers a connection that was accepted.
    pub(super) fn open(connections: &Arc<Connections>, peer: IpAddr, is_proxy: bool) -> Arc<Self> {
        let peer = ClientNetwork::from(peer);
        let state = connections.open();
        Arc::new(Self { state, connections: Arc::clone(connections), peer, client: Mutex::new(peer), is_proxy })
    }

    /// Removes the connection from the accounts.
    pub(super) fn closed(&self) {
        self.connections.closed(self.state.number);
    }

    /// Bytes arrived from the client.
    pub(super) fn bytes_arrived(&self) {
        let answering = self.state.answering.load(Ordering::Relaxed);
        let flag = if answering { &self.state.bytes_ahead } else { &self.state.request_begun };
        flag.store(true, Ordering::Relaxed);
    }

    /// The server waits for more bytes. In the middle of a request this makes it unfinished; most requests arrive whole and never are.
    pub(super) fn waits_for_bytes(&self) {
        let counts = !self.is_proxy || self.state.answering.load(Ordering::Relaxed);
        if counts && self.has_begun() {
            self.mark_unfinished();
        }
    }

    /// The server waits for the client to read.
    pub(super) fn waits_for_reader(&self) {
        self.mark_unfinished();
    }

    /// Everything that was to be written has left.
    pub(super) fn all_written(&self) {
        if !self.state.answering.load(Ordering::Relaxed) {
            self.state.quiet.store(true, Ordering::Relaxed);
            if !self.has_begun() {
                self.mark_finished();
                self.state.idle_since.store(self.connections.tick(), Ordering::Relaxed);
            }
        }
    }

    /// The headers of a request are complete. `client` is the one that a trusted proxy reports.
    pub(super) fn headers_arrived(&self, client: Option<IpAddr>) {
        self.state.requests.fetch_add(1, Ordering::Relaxed);
        self.state.answering.store(true, Ordering::Relaxed);
        self.state.quiet.store(false, Ordering::Relaxed);
        let client = client.map_or(self.peer, ClientNetwork::from);
        let mut current = locked(&self.client);
        if *current != client {
            self.mark_finished_for(*current);
            *current = client;
        }
    }

    /// A part of the request's body arrived.
    pub(super) fn body_arrived(&self, bytes: usize) {
        self.state.body_bytes.fetch_add(bytes, Ordering::Relaxed);
        self.connections.body_arrived(bytes);
    }

    /// The request is complete, or the rest of it is of no interest.
    pub(super) fn request_arrived(&self) {
        self.state.request_begun.store(false, Ordering::Relaxed);
        self.state.bytes_ahead.store(false, Ordering::Relaxed);
        self.mark_finished();
    }

    /// hyper has the whole answer, and the request's body is no longer in memory.
    pub(super) fn answered(&self) {
        self.state.answering.store(false, Ordering::Relaxed);
        let ahead = self.state.bytes_ahead.swap(false, Ordering::Relaxed);
        self.state.request_begun.store(ahead, Ordering::Relaxed);
        self.connections.body_released(self.state.body_bytes.swap(0, Ordering::Relaxed));
    }

    /// Whatever is written now is hyper's own answer to bytes that it could not parse.
    pub(super) fn is_quiet(&self) -> bool {
        self.state.quiet.load(Ordering::Relaxed)
    }

    /// A request was begun and its headers are not complete.
    pub(super) fn has_begun(&self) -> bool {
        self.state.request_begun.load(Ordering::Relaxed)
    }

    fn mark_unfinished(&self) {
        if self.state.unfinished_since.load(Ordering::Relaxed) == 0 {
            let since = self.connections.tick();
            self.state.unfinished_since.store(since, Ordering::Relaxed);
            let client = *locked(&self.client);
            self.connections.unfinished(client, since, self.state.number);
        }
    }

    fn mark_finished(&self) {
        if self.state.unfinished_since.load(Ordering::Relaxed) != 0 {
            let client = *locked(&self.client);
            self.mark_finished_for(client);
        }
    }

    fn mark_finished_for(&self, client: ClientNetwork) {
        let since = self.state.unfinished_since.swap(0, Ordering::Relaxed);
        if since != 0 {
            self.connections.finished(client, since);
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.request_arrived();
        self.answered();
    }
}
