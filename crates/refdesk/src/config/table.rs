//! Every setting there is: one row each. The file, the environment, the flags, `config show`, `refdesk.example.toml` and
//! `docs/settings.md` all come from this table.

/// What a setting's value looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Any text.
    Text,
    /// A path.
    Path,
    /// `true` or `false`.
    Flag,
    /// A whole number from 0.
    Count,
    /// `90d`, `12h`, `30m`, `10s`, `500ms`.
    Duration,
    /// Several texts: an array in the file, comma-separated elsewhere.
    List,
}

impl Shape {
    /// What to write, for people.
    pub const fn wanted(self) -> &'static str {
        match self {
            Self::Text => "a text",
            Self::Path => "a path",
            Self::Flag => "true or false",
            Self::Count => "a whole number from 0",
            Self::Duration => "a duration such as 90d, 12h, 30m, 10s or 500ms",
            Self::List => "a list of texts",
        }
    }
}

/// A setting.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// Key in the file; the variable is `REFDESK_` and this in upper case.
    pub key: &'static str,
    /// What it looks like.
    pub shape: Shape,
    /// When nothing sets it; lists comma-separated.
    pub default: &'static str,
    /// What it does, in a sentence.
    pub help: &'static str,
}

impl Setting {
    /// `REFDESK_BASE_URL`.
    pub fn variable(&self) -> String {
        format!("REFDESK_{}", self.key.to_ascii_uppercase())
    }
}

const fn setting(key: &'static str, shape: Shape, default: &'static str, help: &'static str) -> Setting {
    Setting { key, shape, default, help }
}

/// All settings, in the order in which they are shown.
pub const SETTINGS: &[Setting] = &[
    setting("data_dir", Shape::Path, "", "Directory of the store; empty takes the platform's data directory."),
    setting(
        "database_url",
        Shape::Text,
        "",
        "PostgreSQL database of the store, postgres://USER:PASSWORD@HOST:PORT/DATABASE; empty keeps the store in the data directory.",
    ),
    setting(
        "database_read_url",
        Shape::Text,
        "",
        "The same of a replica, off which full texts, records and histories are read first; empty reads all off database_url.",
    ),
    setting(
        "database_migrate",
        Shape::Text,
        "auto",
        "auto brings the schema of the database up to date at the start, check refuses one that is older: run `refdesk migrate`.",
    ),
    setting(
        "database_timeout",
        Shape::Duration,
        "5s",
        "Time the database has to answer a call; a statement over whole sources has twelve times as long.",
    ),
    setting("offline", Shape::Flag, "false", "Never open a connection to an upstream."),
    setting(
        "log",
        Shape::Text,
        "warn,refdesk=info,access=warn",
        "What is logged to stderr, as tracing directives; access=info logs every request.",
    ),
    setting("log_format", Shape::Text, "text", "text or json."),
    setting(
        "role",
        Shape::Text,
        "all",
        "What this node does among several over one database: all answers and may be the one that syncs; reader only answers; syncer may be the one that syncs, and answers health and metrics alone.",
    ),
    setting(
        "segment_store",
        Shape::Text,
        "",
        "Where several nodes share the built catalog: s3://BUCKET/FOLDER, gs://…, az://…, a directory that all reach, or postgres; empty is postgres.",
    ),
    setting(
        "lease_ttl",
        Shape::Duration,
        "15s",
        "How long the node that syncs may be silent before another takes over; it renews three times in this time.",
    ),
    setting(
        "drain_delay",
        Shape::Duration,
        "5s",
        "Time at shutdown in which /readyz answers 503 and all else is still answered, so that a load balancer notices; without a database it is 0 unless set.",
    ),
    setting(
        "key_ring_age_max",
        Shape::Duration,
        "0s",
        "API keys are refused with a 503 when they could not be compared with the database for longer than this; 0s never refuses.",
    ),
    setting(
        "access_log",
        Shape::Flag,
        "false",
        "Log every request with who called (address, or beginning of the key), the bytes of the answer and the client's name.",
    ),
    setting(
        "ask_service",
        Shape::Flag,
        "true",
        "Look-ups from the command line ask the desk that runs on the same data directory, instead of reading the catalog from disk.",
    ),
    setting("listen", Shape::Text, "127.0.0.1:8787", "Address and port to serve on; port 0 takes a free one."),
    setting(
        "base_url",
        Shape::Text,
        "",
        "Public URL of the service for MCP clients and REST calls; used in links, and an allowed host.",
    ),
    setting("api_url", Shape::Text, "", "Second public URL of the same service; an allowed host."),
    setting("allowed_hosts", Shape::List, "", "Further host names that are answered."),
    setting("rate_limit_anon", Shape::Count, "120", "Requests a minute by address (IPv6 by /64); 0 is off."),
    setting(
        "rate_limit_key",
        Shape::Count,
        "600",
        "Requests a minute by key, unless the key has its own limit; 0 is off.",
    ),
    setting(
        "rate_limit_addresses_max",
        Shape::Count,
        "100000",
        "Addresses and keys that are counted at once; beyond it the oldest are dropped.",
    ),
    setting(
        "redis_url",
        Shape::Text,
        "",
        "Redis or Valkey server that counts the limits of all nodes together: redis://:PASSWORD@host:6379/0, rediss:// with TLS, or unix://; empty: each node counts by itself.",
    ),
    setting(
        "redis_timeout",
        Shape::Duration,
        "50ms",
        "Longest wait for one count of redis_url; after three failures in a row requests go on without it until it answers again.",
    ),
    setting(
        "rate_limit_on_failure",
        Shape::Text,
        "local",
        "While redis_url does not answer: local (each node counts by itself), open (nobody is limited) or closed (every request that counts is refused with a 429).",
    ),
    setting(
        "deployment",
        Shape::Text,
        "",
        "Name of the deployment, the same on all its nodes; needed with redis_url, so that two deployments on one server do not count together.",
    ),
    setting("require_key", Shape::Flag, "false", "Refuse requests without a key."),
    setting("web", Shape::Flag, "true", "Answer browsers with pages."),
    setting(
        "web_open",
        Shape::Flag,
        "false",
        "Show the pages without a key although require_key is set: a proxy in front decides who sees them.",
    ),
    setting("web_index", Shape::Flag, "false", "Let search engines index the pages; needs base_url."),
    setting("web_title", Shape::Text, "", "What the pages call the desk; empty is refdesk."),
    setting("trusted_proxies", Shape::List, "", "Networks (CIDR) whose X-Forwarded-For is believed."),
    setting(
        "cors_origins",
        Shape::List,
        "",
        "Origins (https://app.example) whose pages may read answers in a browser; * is any, for a public desk. Empty: none.",
    ),
    setting("max_age", Shape::Duration, "60s", "How long clients may reuse an answer without asking."),
    setting("compress_from_bytes", Shape::Count, "1024", "Smaller answers are not compressed."),
    setting(
        "export_rows_max",
        Shape::Count,
        "200000",
        "Rows of one list as NDJSON or CSV; the last line says how many were left out.",
    ),
    setting("encoded_cache_bytes", Shape::Count, "67108864", "Compressed answers kept for one generation, in bytes."),
    setting("detail_cache_bytes", Shape::Count, "33554432", "Details kept ready for one generation, in bytes."),
    setting("page_cache_bytes", Shape::Count, "33554432", "Pages of full texts (text/html) that are kept, in bytes."),
    setting(
        "catalog_image",
        Shape::Flag,
        "true",
        "Keep the built catalog beside the store, about as large as that, so that a start reads it instead of building it.",
    ),
    setting(
        "header_timeout",
        Shape::Duration,
        "10s",
        "Time a client has to send its request headers; also how long a connection may idle.",
    ),
    setting(
        "body_timeout",
        Shape::Duration,
        "5s",
        "Time a client has to send the body of an MCP request before it ends with a 408.",
    ),
    setting(
        "request_timeout",
        Shape::Duration,
        "10s",
        "Time to handle a request, from when its body is there, before it ends with a 503.",
    ),
    setting(
        "write_timeout",
        Shape::Duration,
        "30s",
        "Time a client may leave an answer unread before its connection is closed; it restarts with every 64 KiB read.",
    ),
    setting(
        "connections_max",
        Shape::Count,
        "4096",
        "Connections at once, less where the system allows fewer files; beyond it the one that is idle the longest is closed.",
    ),
    setting(
        "unfinished_per_address_max",
        Shape::Count,
        "128",
        "Requests of one address (IPv6: /64) that are not complete or whose answers are not read; beyond it the oldest is closed.",
    ),
    setting(
        "bodies_bytes_max",
        Shape::Count,
        "67108864",
        "Bytes of all request bodies in memory; beyond it the oldest unfinished one of whoever sends most is closed.",
    ),
    setting("requests_in_flight_max", Shape::Count, "512", "Requests at once; further ones get 503 with Retry-After."),
    setting(
        "work_threads",
        Shape::Count,
        "0",
        "Threads for costly requests (long questions, compressed lists, full texts, MCP), beside those of look-ups; 0 is one for each processor.",
    ),
    setting(
        "drain",
        Shape::Duration,
        "2s",
        "Time at shutdown in which new requests are still answered, each with Connection: close; it ends when no connection is left.",
    ),
    setting("shutdown_grace", Shape::Duration, "10s", "Time that running requests have to finish at shutdown."),
    setting("mcp_body_bytes_max", Shape::Count, "1048576", "Largest MCP request body."),
    setting("mcp_page_size", Shape::Count, "500", "Entries on a page of MCP's resources/list and prompts/list."),
    setting(
        "mcp_resources_max",
        Shape::Count,
        "300",
        "Most entries of MCP's resources/list over all its pages; clients put such lists into a model's context.",
    ),
    setting(
        "mcp_prompts_max",
        Shape::Count,
        "200",
        "Most entries of MCP's prompts/list over all its pages; 0 offers none.",
    ),
    setting("sync", Shape::Flag, "true", "Sync sources in the background while serving."),
    setting("sync_concurrency", Shape::Count, "4", "Sources that are synced at once."),
    setting(
        "sync_jitter_percent",
        Shape::Count,
        "10",
        "A scheduled sync starts late by a random share of its interval up to this, at most 20 s.",
    ),
    setting(
        "sync_time_max",
        Shape::Duration,
        "1h",
        "A scheduled sync of a source that takes longer is given up, told in its status, and tried again.",
    ),
    setting(
        "disk_free_bytes_min",
        Shape::Count,
        "1048576",
        "Less free room on the store's disk than this, in bytes, makes /health degraded; 0 does not look.",
    ),
    setting(
        "clock_offset_file",
        Shape::Path,
        "",
        "For rehearsals of wrong clocks: a file whose seconds are added to the machine's clock at every look; empty is off.",
    ),
    setting(
        "default_sources",
        Shape::Flag,
        "true",
        "Add the default sources to those of the file; false uses only the file's and the bundled cards.",
    ),
    setting(
        "disabled_sources",
        Shape::List,
        "",
        "Sources that are off, by id, whatever their entry says: not synced, their facts hidden. `refdesk sources disable` writes it for default sources.",
    ),
    setting(
        "enabled_sources",
        Shape::List,
        "",
        "Sources that are on though they ship off, by id. `refdesk sources enable` writes it.",
    ),
    setting("connect_timeout", Shape::Duration, "10s", "Time to connect to an upstream."),
    setting("read_timeout", Shape::Duration, "30s", "Time without a byte from an upstream."),
    setting("total_timeout", Shape::Duration, "300s", "Time for one request to an upstream."),
    setting("body_bytes_max", Shape::Count, "268435456", "Largest decoded body of an upstream's answer."),
    setting("pass_bytes_max", Shape::Count, "536870912", "Largest sum of all bodies of one sync of a source."),
    setting("pass_requests_max", Shape::Count, "5000", "Most requests of one sync of a source."),
    setting(
        "pass_timeout",
        Shape::Duration,
        "30m",
        "Longest time for one sync of a source, less what it waits for memory.",
    ),
    setting(
        "sync_memory_max",
        Shape::Count,
        "1073741824",
        "Memory of all syncs together, in bytes; a source that needs more than half of it and its share of the rest fails.",
    ),
    setting("source_concurrency", Shape::Count, "4", "Requests at once to one source."),
    setting(
        "proxy",
        Shape::Text,
        "",
        "HTTP proxy for upstreams (http://proxy:3128); with one, it resolves addresses and the guard against private ones cannot.",
    ),
    setting("retries_max", Shape::Count, "3", "Retries of one request to an upstream."),
    setting("retry_base", Shape::Duration, "500ms", "First wait before a retry; doubles each time, with jitter."),
    setting("retry_wait_max", Shape::Duration, "30s", "Longest wait before a retry."),
    setting("retry_after_max", Shape::Duration, "60s", "Longest wait that an upstream's Retry-After is granted."),
    setting("redirects_max", Shape::Count, "5", "Redirects followed for one request."),
    setting(
        "removals_percent_max",
        Shape::Count,
        "20",
        "A sync that removes more than this share of a source's facts, in percent, is quarantined; 100 takes all but an empty one.",
    ),
    setting(
        "removals_normal_span",
        Shape::Duration,
        "30d",
        "In this time without a good sync removals_percent_max may go; in twice the time twice as much, never more than 90 % by itself.",
    ),
    setting(
        "additions_percent_max",
        Shape::Count,
        "100",
        "A sync that adds more than this share of a source's facts, in percent, and more than 250, is quarantined; it grows as removals_percent_max does; 0 takes all.",
    ),
    setting(
        "embedding_model",
        Shape::Path,
        "",
        "Directory of a local sentence-embedding model (BERT family: config.json, model.safetensors, tokenizer.json or vocab.txt) for mode=hybrid; empty is off.",
    ),
];

/// The setting with a key.
pub fn find(key: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.key == key)
}
