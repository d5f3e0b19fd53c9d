//! Limits and manners of the fetcher.

use serde::{Deserialize, Serialize};

use crate::duration::Span;

/// Limits of fetching: the `[fetch]` table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FetchSettings {
    /// Longest wait for a connection.
    pub connect_timeout: Span,
    /// Longest silence while reading.
    pub read_timeout: Span,
    /// Longest time for one attempt, from connecting to the last byte.
    pub total_timeout: Span,
    /// Largest decoded body, in bytes.
    pub body_bytes_max: u64,
    /// Most bytes of all bodies of one pass together.
    pub pass_bytes_max: u64,
    /// Most requests of one pass.
    pub pass_requests_max: usize,
    /// Longest time for one pass, less what it waited for memory.
    pub pass_timeout: Span,
    /// Memory of all syncs of the process together, in bytes: what upstreams can make large is counted.
    pub sync_memory_max: u64,
    /// Attempts after the first one.
    pub retries_max: u32,
    /// Wait before the first retry; doubles each time, with jitter.
    pub backoff_base: Span,
    /// Longest wait before a retry.
    pub backoff_max: Span,
    /// Longest `Retry-After` that is waited for; a longer one ends the attempt and moves the next sync.
    pub retry_after_max: Span,
    /// Most redirects that are followed.
    pub redirects_max: usize,
    /// Most sources that are synced at once.
    pub concurrency_max: usize,
    /// Most requests at once to one source.
    pub source_concurrency_max: usize,
    /// Proxy for all requests (`http://proxy:3128`). With a proxy the addresses are resolved by it, not checked here.
    pub proxy: Option<String>,
    /// `User-Agent` header.
    pub user_agent: String,
}

impl Default for FetchSettings {
    fn default() -> Self {
        Self {
            connect_timeout: Span::secs(10),
            read_timeout: Span::secs(30),
            total_timeout: Span::secs(300),
            body_bytes_max: 256 << 20,
            pass_bytes_max: 512 << 20,
            pass_requests_max: 5_000,
            pass_timeout: Span::secs(1_800),
            sync_memory_max: crate::memory_budget::SYNC_MEMORY_MAX,
            retries_max: 3,
            backoff_base: Span::millis(500),
            backoff_max: Span::secs(30),
            retry_after_max: Span::secs(60),
            redirects_max: 5,
            concurrency_max: 4,
            source_concurrency_max: 4,
            proxy: None,
            user_agent: concat!("refdesk/", env!("CARGO_PKG_VERSION"), " (+", env!("CARGO_PKG_REPOSITORY"), ")")
                .to_owned(),
        }
    }
}
