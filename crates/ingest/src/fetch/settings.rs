//! Limits and manners of the fetcher.

use std::time::Duration;

refdesk_core::with_defaults! {
    /// Limits of fetching. The binary sets them from its configuration.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct FetchSettings {
        /// Longest wait for a connection.
        pub connect_timeout: Duration = Duration::from_secs(10),
        /// Longest silence while reading.
        pub read_timeout: Duration = Duration::from_secs(30),
        /// Longest time for one attempt, from connecting to the last byte.
        pub total_timeout: Duration = Duration::from_mins(5),
        /// Largest decoded body, in bytes.
        pub body_bytes_max: u64 = 256 << 20,
        /// Most bytes of all bodies of one pass together.
        pub pass_bytes_max: u64 = 512 << 20,
        /// Most requests of one pass.
        pub pass_requests_max: usize = 5_000,
        /// Longest time for one pass, less what it waited for memory.
        pub pass_timeout: Duration = Duration::from_mins(30),
        /// Memory of all syncs of the process together, in bytes: what upstreams can make large is counted.
        pub sync_memory_max: u64 = crate::memory_budget::SYNC_MEMORY_MAX,
        /// Attempts after the first one.
        pub retries_max: u32 = 3,
        /// Wait before the first retry; doubles each time, with jitter.
        pub backoff_base: Duration = Duration::from_millis(500),
        /// Longest wait before a retry.
        pub backoff_max: Duration = Duration::from_secs(30),
        /// Longest `Retry-After` that is waited for; a longer one ends the attempt and moves the next sync.
        pub retry_after_max: Duration = Duration::from_mins(1),
        /// Most redirects that are followed.
        pub redirects_max: usize = 5,
        /// Most sources that are synced at once.
        pub concurrency_max: usize = 4,
        /// Most requests at once to one source.
        pub source_concurrency_max: usize = 4,
        /// Proxy for all requests (`http://proxy:3128`). With a proxy the addresses are resolved by it, not checked here.
        pub proxy: Option<String> = None,
        /// `User-Agent` header.
        pub user_agent: String =
            concat!("refdesk/", env!("CARGO_PKG_VERSION"), " (+", env!("CARGO_PKG_REPOSITORY"), ")").to_owned(),
    }
}
