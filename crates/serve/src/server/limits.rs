//! Limits of the server: connections, time, and memory for what is under way.

use std::time::Duration;

refdesk_core::with_defaults! {
    /// Limits of the server. The binary sets them from its configuration.
    #[derive(Debug, Clone)]
    pub struct ServerLimits {
        /// Time to send the headers of a request; also how long a connection may idle between requests.
        pub header_timeout: Duration = Duration::from_secs(10),
        /// Time to handle a request, counted from the end of its body, before it ends with a 503.
        pub request_timeout: Duration = Duration::from_secs(10),
        /// Time a client may leave an answer unread before its connection is closed.
        pub write_timeout: Duration = Duration::from_secs(30),
        /// Most connections at once; beyond it the one that has been idle longest is closed.
        pub connections_max: usize = 4096,
        /// Most requests of one address that are incomplete or whose answers are unread; beyond it the oldest is closed.
        pub unfinished_per_address_max: usize = 128,
        /// Most bytes of all request bodies in memory; beyond it the client that sends most loses its oldest unfinished request.
        pub bodies_bytes_max: usize = 64 * 1024 * 1024,
        /// Most bytes of a request line and headers before hyper refuses them; at least 8 KiB.
        pub head_buffer_bytes: usize = 96 * 1024,
        /// Most requests at once; further ones get a 503 immediately.
        pub requests_in_flight_max: usize = 512,
        /// Time at shutdown in which new requests are still answered, each with `Connection: close`.
        pub drain: Duration = Duration::from_secs(2),
        /// Time after that for running requests to end.
        pub shutdown_grace: Duration = Duration::from_secs(10),
    }
}
