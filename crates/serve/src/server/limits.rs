//! Limits of the server: connections, time, and memory for what is under way.

use std::time::Duration;

/// Limits of the server. The binary sets them from its configuration.
#[derive(Debug, Clone)]
pub struct ServerLimits {
    /// Time to send the headers of a request; also how long a connection may idle between requests.
    pub header_timeout: Duration,
    /// Time to handle a request, counted from the end of its body, before it ends with a 503.
    pub request_timeout: Duration,
    /// Time a client may leave an answer unread before its connection is closed.
    pub write_timeout: Duration,
    /// Most connections at once; beyond it the one that has been idle longest is closed.
    pub connections_max: usize,
    /// Most requests of one address that are incomplete or whose answers are unread; beyond it the oldest is closed.
    pub unfinished_per_address_max: usize,
    /// Most bytes of all request bodies in memory; beyond it the client that sends most loses its oldest unfinished request.
    pub bodies_bytes_max: usize,
    /// Most bytes of a request line and headers before hyper refuses them; at least 8 KiB.
    pub head_buffer_bytes: usize,
    /// Most requests at once; further ones get a 503 immediately.
    pub requests_in_flight_max: usize,
    /// Time at shutdown in which new requests are still answered, each with `Connection: close`.
    pub drain: Duration,
    /// Time after that for running requests to end.
    pub shutdown_grace: Duration,
}

impl Default for ServerLimits {
    fn default() -> Self {
        Self {
            header_timeout: Duration::from_secs(10),
            request_timeout: Duration::from_secs(10),
            write_timeout: Duration::from_secs(30),
            connections_max: 4096,
            unfinished_per_address_max: 128,
            bodies_bytes_max: 64 * 1024 * 1024,
            head_buffer_bytes: 96 * 1024,
            requests_in_flight_max: 512,
            drain: Duration::from_secs(2),
            shutdown_grace: Duration::from_secs(10),
        }
    }
}
