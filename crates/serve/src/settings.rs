//! Settings of the reading side and their defaults. The binary fills them from its configuration; limits of connections are
//! [`crate::ServerLimits`].

use std::fmt;
use std::time::Duration;

use refdesk_catalog::collections::Collection;
use refdesk_core::hash;

refdesk_core::closed_set! {
    /// What a node does.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum Role {
        /// It answers, and may be the one that syncs and builds.
        #[default]
        All => "all",
        /// It answers, and never fetches from upstreams nor builds.
        Reader => "reader",
        /// It may be the one that syncs and builds, and answers health and metrics only.
        Syncer => "syncer",
    }
}

impl Role {
    /// Whether it may be elected to sync and build.
    pub const fn is_candidate(self) -> bool {
        matches!(self, Self::All | Self::Syncer)
    }

    /// Whether it answers from the catalog.
    pub const fn is_reader(self) -> bool {
        matches!(self, Self::All | Self::Reader)
    }
}

refdesk_core::with_defaults! {
    /// How the service answers. The binary validates the values.
    #[derive(Debug, Clone)]
    pub struct Settings {
        /// Public URL without a trailing slash, used in links. Empty: links are relative.
        pub base_url: String = String::new(),
        /// Parts of the catalog that have addresses of their own.
        pub collections: Vec<Collection> = Vec::new(),
        /// The router of a generation is there when the generation is, rather than trained by the first question for it.
        pub train_routers: bool = true,
        /// Second public URL of the same service.
        pub api_url: String = String::new(),
        /// Further values of `Host` that are accepted, besides loopback and the two public URLs.
        pub allowed_hosts: Vec<String> = Vec::new(),
        /// Accepts any `Host`: set when the service listens beyond loopback and no host is configured.
        pub any_host: bool = false,
        /// What this node does among several.
        pub role: Role = Role::All,
        /// Keys are refused when they could not be compared with the store for longer than this; zero never refuses.
        pub key_ring_age_max: Duration = Duration::ZERO,
        /// Name of the store's engine, shown by `/health`.
        pub store: &'static str = "sqlite",
        /// The commit that the program is built of, shown by `/version`.
        pub commit: &'static str = "unknown",
        /// When that commit was made.
        pub commit_date: &'static str = "unknown",
        /// Most bytes of a path before 414.
        pub path_bytes_max: usize = 8 * 1024,
        /// Most bytes of a URI before 414.
        pub uri_bytes_max: usize = 32 * 1024,
        /// Most bytes of all headers before 431.
        pub header_bytes_max: usize = 32 * 1024,
        /// Most bytes of one MCP message before 413.
        pub mcp_body_bytes_max: usize = 1024 * 1024,
        /// Entries on a page of MCP's `resources/list` and `prompts/list`; at least 1.
        pub mcp_page_size: usize = 500,
        /// Most entries of MCP's `resources/list` over all its pages.
        pub mcp_resources_max: usize = 300,
        /// Most entries of `prompts/list`.
        pub mcp_prompts_max: usize = 200,
        /// Time a client has to send the body of an MCP message before 408.
        pub body_timeout: Duration = Duration::from_secs(5),
        /// Freshness lifetime of answers, in seconds; bounded by the next moment at which a fact turns stale.
        pub max_age_secs: u32 = 60,
        /// Bodies smaller than this are not compressed, in bytes.
        pub compress_from_bytes: usize = 1024,
        /// Most rows of a list that is written as NDJSON or CSV.
        pub export_rows_max: usize = 200_000,
        /// Size of the cache of compressed bodies, and of answers to questions in any coding, for one generation, in bytes.
        pub encoded_cache_bytes: usize = 64 * 1024 * 1024,
        /// Size of the response cache of details for one generation, in bytes.
        pub detail_cache_bytes: usize = 32 * 1024 * 1024,
        /// Size of the cache of rendered pages, in bytes.
        pub page_cache_bytes: usize = 32 * 1024 * 1024,
        /// The limits of callers, until [`crate::AppState::set_limits`] gives others.
        pub limits: RateLimits = RateLimits::default(),
        /// Most addresses and keys counted at once; beyond it the oldest are dropped.
        pub callers_max: usize = 100_000,
        /// Refuses requests without a key.
        pub require_key: bool = false,
        /// Networks of proxies whose `X-Forwarded-For` is trusted.
        pub trusted_proxies: Vec<ipnet::IpNet> = Vec::new(),
        /// Origins whose pages may read answers in a browser, as [`crate::parse_origin`] reads them; `*` is any.
        pub cors_origins: Vec<String> = Vec::new(),
        /// Answers browsers with pages.
        pub web: bool = true,
        /// Shows the pages without a key where [`Self::require_key`] asks for one: a proxy in front decides who sees them.
        pub web_open: bool = false,
        /// Lets search engines index the pages; needs [`Self::base_url`].
        pub web_index: bool = false,
        /// What the pages call the desk; empty is `refdesk`.
        pub web_title: String = String::new(),
        /// Threads of the worker pool for expensive requests; 0 means one for each processor.
        pub work_threads: usize = 0,
        /// Logs who called, the bytes of the answer and the client's name with every request.
        pub access_log: bool = false,
        /// What the command line of this machine shows instead of a key; without one there is none.
        pub local_token: Option<LocalToken> = None,
    }
}

refdesk_core::with_defaults! {
    /// The limits of callers, which a running service may be given anew.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct RateLimits {
        /// Requests a minute for each address; 0 turns the limit off.
        pub anon_per_minute: u32 = 120,
        /// Lets callers without a key on this machine call without a limit; who came through a proxy is none of them.
        pub loopback_unlimited: bool = false,
        /// Requests a minute for each key that has no limit of its own; 0 turns the limit off.
        pub key_per_minute: u32 = 600,
    }
}

/// What the command line of the same machine shows instead of a key: valid on loopback only, and never counted.
#[derive(Clone, PartialEq, Eq)]
pub struct LocalToken(String);

impl LocalToken {
    /// What tells it from a key.
    pub const PREFIX: &'static str = "rdl_";
    /// Bytes of the system's generator in it.
    const BYTES: usize = 32;

    /// A new one.
    pub fn random() -> Self {
        Self([Self::PREFIX, &hash::hex(&rand::random::<[u8; Self::BYTES]>())].concat())
    }

    /// The token itself.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// What proves that somebody knows a token without telling it: its SHA-256, in hexadecimal digits.
    pub fn proof_of(token: &str) -> String {
        hash::hex(&hash::sha256(token.as_bytes()))
    }

    /// Whether it is the one that was sent. Hashes are compared, so the time that it takes tells nothing of the token.
    pub(crate) fn is(&self, sent: &str) -> bool {
        hash::sha256(self.0.as_bytes()) == hash::sha256(sent.as_bytes())
    }
}

impl fmt::Debug for LocalToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LocalToken(…)")
    }
}

impl Settings {
    /// The path of the public URL, which links of pages begin with: `/desk` of `https://example.org/desk`, mostly empty.
    pub(crate) fn path_prefix(&self) -> &str {
        let after_scheme = self.base_url.find("://").map_or("", |at| &self.base_url[at + 3..]);
        after_scheme.find('/').map_or("", |at| &after_scheme[at..])
    }
}
