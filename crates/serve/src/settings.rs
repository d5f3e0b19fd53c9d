//! Settings of the reading side and their defaults. The binary fills them from its configuration; limits of connections are
//! [`crate::ServerLimits`].

use std::time::Duration;

use refdesk_catalog::collections::Collection;

/// How the service answers. The binary validates the values.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Public URL without a trailing slash, used in links. Empty: links are relative.
    pub base_url: String,
    /// Parts of the catalog that have addresses of their own.
    pub collections: Vec<Collection>,
    /// Second public URL of the same service.
    pub api_url: String,
    /// Further values of `Host` that are accepted, besides loopback and the two public URLs.
    pub allowed_hosts: Vec<String>,
    /// Accepts any `Host`: set when the service listens beyond loopback and no host is configured.
    pub any_host: bool,
    /// Name of the store's engine, shown by `/health`.
    pub store: &'static str,
    /// The commit that the program is built of, shown by `/version`.
    pub commit: &'static str,
    /// When that commit was made.
    pub commit_date: &'static str,
    /// Most bytes of a path before 414.
    pub path_bytes_max: usize,
    /// Most bytes of a URI before 414.
    pub uri_bytes_max: usize,
    /// Most bytes of all headers before 431.
    pub header_bytes_max: usize,
    /// Most bytes of one MCP message before 413.
    pub mcp_body_bytes_max: usize,
    /// Entries on a page of MCP's `resources/list` and `prompts/list`; at least 1.
    pub mcp_page_size: usize,
    /// Most entries of MCP's `resources/list` over all its pages.
    pub mcp_resources_max: usize,
    /// Most entries of `prompts/list`.
    pub mcp_prompts_max: usize,
    /// Time a client has to send the body of an MCP message before 408.
    pub body_timeout: Duration,
    /// Freshness lifetime of answers, in seconds; bounded by the next moment at which a fact turns stale.
    pub max_age_secs: u32,
    /// Bodies smaller than this are not compressed, in bytes.
    pub compress_from_bytes: usize,
    /// Most rows of a list that is written as NDJSON or CSV.
    pub export_rows_max: usize,
    /// Size of the cache of compressed bodies for one generation, in bytes.
    pub encoded_cache_bytes: usize,
    /// Size of the response cache of details for one generation, in bytes.
    pub detail_cache_bytes: usize,
    /// Size of the cache of rendered pages, in bytes.
    pub page_cache_bytes: usize,
    /// Requests a minute for each address; 0 turns the limit off.
    pub anon_per_minute: u32,
    /// Lets callers without a key on this machine call without a limit; who came through a proxy is none of them.
    pub loopback_unlimited: bool,
    /// Requests a minute for each key that has no limit of its own; 0 turns the limit off.
    pub key_per_minute: u32,
    /// Most addresses and keys counted at once; beyond it the oldest are dropped.
    pub callers_max: usize,
    /// Refuses requests without a key.
    pub require_key: bool,
    /// Networks of proxies whose `X-Forwarded-For` is trusted.
    pub trusted_proxies: Vec<ipnet::IpNet>,
    /// Origins whose pages may read answers in a browser, as [`crate::parse_origin`] reads them; `*` is any.
    pub cors_origins: Vec<String>,
    /// Answers browsers with pages.
    pub web: bool,
    /// Shows the pages without a key where [`Self::require_key`] asks for one: a proxy in front decides who sees them.
    pub web_open: bool,
    /// Lets search engines index the pages; needs [`Self::base_url`].
    pub web_index: bool,
    /// What the pages call the desk; empty is `refdesk`.
    pub web_title: String,
    /// Threads of the worker pool for expensive requests; 0 means one for each processor.
    pub work_threads: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            base_url: String::new(),
            collections: Vec::new(),
            api_url: String::new(),
            allowed_hosts: Vec::new(),
            any_host: false,
            store: "sqlite",
            commit: "unknown",
            commit_date: "unknown",
            path_bytes_max: 8 * 1024,
            uri_bytes_max: 32 * 1024,
            header_bytes_max: 32 * 1024,
            mcp_body_bytes_max: 1024 * 1024,
            mcp_page_size: 500,
            mcp_resources_max: 300,
            mcp_prompts_max: 200,
            body_timeout: Duration::from_secs(5),
            max_age_secs: 60,
            compress_from_bytes: 1024,
            export_rows_max: 200_000,
            encoded_cache_bytes: 64 * 1024 * 1024,
            detail_cache_bytes: 32 * 1024 * 1024,
            page_cache_bytes: 32 * 1024 * 1024,
            anon_per_minute: 120,
            loopback_unlimited: false,
            key_per_minute: 600,
            callers_max: 100_000,
            require_key: false,
            trusted_proxies: Vec::new(),
            cors_origins: Vec::new(),
            web: true,
            web_open: false,
            web_index: false,
            web_title: String::new(),
            work_threads: 0,
        }
    }
}

impl Settings {
    /// The path of the public URL, which links of pages begin with: `/desk` of `https://example.org/desk`, mostly empty.
    pub(crate) fn path_prefix(&self) -> &str {
        let after_scheme = self.base_url.find("://").map_or("", |at| &self.base_url[at + 3..]);
        after_scheme.find('/').map_or("", |at| &after_scheme[at..])
    }
}
