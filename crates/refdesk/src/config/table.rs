//! Every setting there is: one row each. The file, the environment, the flags, `config show`, `refdesk.example.toml` and
//! `docs/settings.md` all come from this table, and so do the [`key`]s by which code reads values: a wrong name does not compile.

use super::values::{AnySlot, Slot, TomlType, Value, typed};

/// A setting.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// Key in the file; the variable is `REFDESK_` and this in upper case.
    pub key: &'static str,
    /// What to write, for people.
    pub wanted: &'static str,
    /// How it is written in the file.
    pub toml: TomlType,
    /// When nothing sets it; lists comma-separated.
    pub default: &'static str,
    /// What it does, in a sentence.
    pub help: &'static str,
    /// Its value.
    pub slot: fn(&Values) -> &dyn AnySlot,
    /// The same, to be set.
    pub slot_mut: fn(&mut Values) -> &mut dyn AnySlot,
}

impl Setting {
    /// `REFDESK_BASE_URL`.
    pub fn variable(&self) -> String {
        format!("{VARIABLE_PREFIX}{}", self.key.to_ascii_uppercase())
    }
}

/// What the variables of settings begin with.
pub(super) const VARIABLE_PREFIX: &str = "REFDESK_";

/// A setting with the type of its value.
pub struct Key<T: 'static> {
    /// Its row.
    pub row: &'static Setting,
    slot: fn(&Values) -> &Slot<T>,
}

impl<T> Clone for Key<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Key<T> {}

impl<T: Value> Key<T> {
    /// The value.
    pub fn read(self, values: &Values) -> T::Read<'_> {
        (self.slot)(values).read()
    }
}

/// From rows `KEY key: Shape = default, help;`: a [`Key`] each, the row that people see, and the place of its value.
macro_rules! settings {
    ($($key:ident $name:ident: $shape:ident = $default:literal, $help:literal;)*) => {
        /// The key of every setting.
        pub mod key {
            use super::{Key, Setting, Value, typed};

            $(
                #[doc = concat!("The setting `", stringify!($name), "`.")]
                pub const $key: Key<typed::$shape> = Key {
                    row: &Setting {
                        key: stringify!($name),
                        wanted: <typed::$shape as Value>::WANTED,
                        toml: <typed::$shape as Value>::TOML,
                        default: $default,
                        help: $help,
                        slot: |values| &values.$name,
                        slot_mut: |values| &mut values.$name,
                    },
                    slot: |values| &values.$name,
                };
            )*
        }

        /// All settings, in the order in which they are shown.
        pub const SETTINGS: &[&Setting] = &[$(key::$key.row),*];

        /// The value of every setting.
        #[derive(Debug, Clone, Default)]
        pub struct Values {
            $($name: Slot<typed::$shape>,)*
        }
    };
}

settings! {
    DATA_DIR data_dir: Path = "",
        "Directory of the store; empty takes the platform's data directory.";
    DATABASE_URL database_url: Text = "",
        "PostgreSQL database of the store, postgres://USER:PASSWORD@HOST:PORT/DATABASE; empty keeps the store in the data directory.";
    DATABASE_READ_URL database_read_url: Text = "",
        "URL of a replica, from which full texts, records and histories are read first; empty reads everything from database_url.";
    DATABASE_MIGRATE database_migrate: Migrate = "auto",
        "auto upgrades the database schema at start; check refuses an older schema until you run `refdesk migrate`.";
    DATABASE_TIMEOUT database_timeout: Timeout = "5s",
        "Time the database has to answer a call; a statement over whole sources has twelve times as long.";
    OFFLINE offline: Flag = "false",
        "Never open a connection to an upstream.";
    LOG log: Text = "warn,refdesk=info,access=warn",
        "What is logged to stderr, as tracing directives; access=info logs every request.";
    LOG_FORMAT log_format: LogFormat = "text",
        "text or json.";
    ROLE role: Role = "all",
        "What this node does among several over one database: all answers and may sync; reader only answers; syncer may sync, and answers only health and metrics.";
    SEGMENT_STORE segment_store: Text = "",
        "Where several nodes share the built catalog: s3://BUCKET/FOLDER, gs://…, az://…, a directory that all reach, or postgres; empty is postgres.";
    LEASE_TTL lease_ttl: Timeout = "15s",
        "How long the node that syncs may be silent before another takes over; it renews three times in this time.";
    DRAIN_DELAY drain_delay: Duration = "5s",
        "Time at shutdown during which /readyz answers 503 and everything else still answers, so that a load balancer notices; without a database it is 0 unless set.";
    KEY_RING_AGE_MAX key_ring_age_max: Duration = "0s",
        "Refuse API keys with a 503 if they have not been compared with the database for longer than this; 0s never refuses.";
    ACCESS_LOG access_log: Flag = "false",
        "Log every request with the caller (address, or first characters of the key), the bytes of the answer and the client's name.";
    ASK_SERVICE ask_service: Flag = "true",
        "Look-ups from the command line ask the desk that runs on the same data directory, instead of reading the catalog from disk.";
    LISTEN listen: Text = "127.0.0.1:8787",
        "Address and port to serve on; port 0 takes a free one.";
    BASE_URL base_url: Text = "",
        "Public URL of the service for MCP clients and REST calls; used in links, and an allowed host.";
    API_URL api_url: Text = "",
        "Second public URL of the same service; an allowed host.";
    ALLOWED_HOSTS allowed_hosts: List = "",
        "Further host names that refdesk answers for.";
    RATE_LIMIT_ANON rate_limit_anon: Count = "120",
        "Requests a minute by address (IPv6 by /64); 0 is off.";
    RATE_LIMIT_KEY rate_limit_key: Count = "600",
        "Requests a minute by key, unless the key has its own limit; 0 is off.";
    RATE_LIMIT_ADDRESSES_MAX rate_limit_addresses_max: Positive = "100000",
        "Addresses and keys that are counted at once; beyond it the oldest are dropped.";
    REDIS_URL redis_url: Text = "",
        "Redis or Valkey server that counts the limits of all nodes together: redis://:PASSWORD@host:6379/0, rediss:// with TLS, or unix://; empty: each node counts by itself.";
    REDIS_TIMEOUT redis_timeout: Timeout = "50ms",
        "Longest wait for one count in redis_url; after three failures in a row, requests are counted without it until it answers again.";
    RATE_LIMIT_ON_FAILURE rate_limit_on_failure: OnFailure = "local",
        "While redis_url does not answer: local (each node counts by itself), open (nobody is limited) or closed (every request that counts is refused with a 429).";
    DEPLOYMENT deployment: Text = "",
        "Name of the deployment, the same on all its nodes; needed with redis_url, so that two deployments on one server do not count together.";
    REQUIRE_KEY require_key: Flag = "false",
        "Refuse requests without a key.";
    WEB web: Flag = "true",
        "Answer browsers with pages.";
    WEB_OPEN web_open: Flag = "false",
        "Show the pages without a key although require_key is set: a proxy in front decides who sees them.";
    WEB_INDEX web_index: Flag = "false",
        "Let search engines index the pages; needs base_url.";
    WEB_TITLE web_title: Text = "",
        "Title of the web pages; empty is refdesk.";
    TRUSTED_PROXIES trusted_proxies: List = "",
        "Networks (CIDR) whose X-Forwarded-For is believed.";
    CORS_ORIGINS cors_origins: List = "",
        "Origins (https://app.example) whose pages may read answers in a browser; * is any, for a public desk. Empty: none.";
    MAX_AGE max_age: Duration = "60s",
        "How long clients may reuse an answer without asking.";
    COMPRESS_FROM_BYTES compress_from_bytes: Count = "1024",
        "Answers smaller than this are not compressed.";
    EXPORT_ROWS_MAX export_rows_max: Positive = "200000",
        "Rows of one list as NDJSON or CSV; the last line says how many were left out.";
    ENCODED_CACHE_BYTES encoded_cache_bytes: Count = "67108864",
        "Size of the cache of compressed answers and of answers to questions, for one generation, in bytes.";
    DETAIL_CACHE_BYTES detail_cache_bytes: Count = "33554432",
        "Size of the cache of details, for one generation, in bytes.";
    PAGE_CACHE_BYTES page_cache_bytes: Count = "33554432",
        "Size of the cache of rendered full texts (text/html), in bytes.";
    CATALOG_IMAGE catalog_image: Flag = "true",
        "Keep the built catalog beside the store (it is about as large), so that a start reads it instead of building it.";
    HEADER_TIMEOUT header_timeout: Timeout = "10s",
        "Time a client has to send its request headers; also how long a connection may idle.";
    BODY_TIMEOUT body_timeout: Timeout = "5s",
        "Time a client has to send the body of an MCP request before it ends with a 408.";
    REQUEST_TIMEOUT request_timeout: Timeout = "10s",
        "Time to handle a request, from when its body is there, before it ends with a 503.";
    WRITE_TIMEOUT write_timeout: Timeout = "30s",
        "Time a client may leave an answer unread before its connection is closed; it restarts with every 64 KiB read.";
    CONNECTIONS_MAX connections_max: Positive = "4096",
        "Connections at once, fewer if the system allows fewer open files; beyond that, the connection idle for longest is closed.";
    UNFINISHED_PER_ADDRESS_MAX unfinished_per_address_max: Positive = "128",
        "Requests of one address (IPv6: /64) that are not complete or whose answers are not read; beyond that, the oldest is closed.";
    BODIES_BYTES_MAX bodies_bytes_max: Positive = "67108864",
        "Bytes of all request bodies in memory; beyond it, the oldest unfinished body of the client that sends most is closed.";
    REQUESTS_IN_FLIGHT_MAX requests_in_flight_max: Positive = "512",
        "Requests at once; further ones get 503 with Retry-After.";
    WORK_THREADS work_threads: Count = "0",
        "Threads for costly requests (long questions, compressed lists, full texts, MCP), beside those of look-ups, at most 16 for each processor; 0 is one for each.";
    DRAIN drain: Duration = "2s",
        "Time at shutdown in which new requests are still answered, each with Connection: close; it ends when no connection is left.";
    SHUTDOWN_GRACE shutdown_grace: Duration = "10s",
        "Time that running requests have to finish at shutdown.";
    MCP_BODY_BYTES_MAX mcp_body_bytes_max: Positive = "1048576",
        "Largest MCP request body.";
    MCP_PAGE_SIZE mcp_page_size: Positive = "500",
        "Entries on a page of MCP's resources/list and prompts/list.";
    MCP_RESOURCES_MAX mcp_resources_max: Count = "300",
        "Maximum entries of MCP's resources/list over all its pages; clients put such lists into a model's context.";
    MCP_PROMPTS_MAX mcp_prompts_max: Count = "200",
        "Maximum entries of MCP's prompts/list over all its pages; 0 offers none.";
    SYNC sync: Flag = "true",
        "Sync sources in the background while serving.";
    SYNC_CONCURRENCY sync_concurrency: Positive = "4",
        "Sources that are synced at once.";
    SYNC_JITTER_PERCENT sync_jitter_percent: Percent = "10",
        "A scheduled sync is delayed by a random share of its interval up to this percentage, at most 20 s.";
    SYNC_TIME_MAX sync_time_max: Timeout = "1h",
        "A scheduled sync that takes longer is stopped, reported in the source's status, and retried.";
    DISK_FREE_BYTES_MIN disk_free_bytes_min: Count = "1048576",
        "/health is degraded when the store's disk has less free space than this, in bytes; 0 disables the check.";
    IMPORT_BYTES_MAX import_bytes_max: Positive = "68719476736",
        "Largest archive that `refdesk import` receives from standard input or a pipe; it is received whole, into the data directory, before anything is imported.";
    CLOCK_OFFSET_FILE clock_offset_file: Path = "",
        "For rehearsals of wrong clocks: a file whose seconds are added to the machine's clock each time it is read; empty is off.";
    DEFAULT_SOURCES default_sources: Flag = "true",
        "Add the default sources to those of the file; false uses only the file's and the bundled cards.";
    DISABLED_SOURCES disabled_sources: List = "",
        "Sources that are off, by id, whatever their entry says: not synced, their facts hidden. `refdesk sources disable` writes it for default sources.";
    ENABLED_SOURCES enabled_sources: List = "",
        "Default sources to switch on although they are off by default, by id. `refdesk sources enable` writes it.";
    CONNECT_TIMEOUT connect_timeout: Timeout = "10s",
        "Time to connect to an upstream.";
    READ_TIMEOUT read_timeout: Timeout = "30s",
        "Time without a byte from an upstream.";
    TOTAL_TIMEOUT total_timeout: Timeout = "300s",
        "Time for one request to an upstream.";
    BODY_BYTES_MAX body_bytes_max: Positive = "268435456",
        "Largest decoded body of an upstream's answer.";
    PASS_BYTES_MAX pass_bytes_max: Positive = "536870912",
        "Largest sum of all bodies of one sync of a source.";
    PASS_REQUESTS_MAX pass_requests_max: Positive = "5000",
        "Maximum requests of one sync of a source.";
    PASS_TIMEOUT pass_timeout: Timeout = "30m",
        "Longest time for one sync of a source, not counting waits for memory.";
    SYNC_MEMORY_MAX sync_memory_max: Positive = "1073741824",
        "Memory of all syncs together, in bytes; a source that needs more than half of it plus its share of the rest fails.";
    SOURCE_CONCURRENCY source_concurrency: Positive = "4",
        "Requests at once to one source.";
    PROXY proxy: Text = "",
        "HTTP proxy for upstreams (http://proxy:3128); the proxy resolves names, so refdesk cannot guard against private addresses.";
    RETRIES_MAX retries_max: Count = "3",
        "Retries of one request to an upstream.";
    RETRY_BASE retry_base: Duration = "500ms",
        "First wait before a retry; doubles each time, with jitter.";
    RETRY_WAIT_MAX retry_wait_max: Duration = "30s",
        "Longest wait before a retry.";
    RETRY_AFTER_MAX retry_after_max: Duration = "60s",
        "Longest Retry-After of an upstream that is honoured.";
    REDIRECTS_MAX redirects_max: Count = "5",
        "Redirects followed for one request.";
    REMOVALS_PERCENT_MAX removals_percent_max: Percent = "20",
        "A sync that removes more than this share of a source's facts, in percent, is quarantined; 100 accepts any removal except of everything.";
    REMOVALS_NORMAL_SPAN removals_normal_span: Timeout = "30d",
        "Time without a good sync over which removals_percent_max applies; twice the time allows twice as much, up to 90 %.";
    ADDITIONS_PERCENT_MAX additions_percent_max: Count = "100",
        "A sync that adds more than this share of a source's facts, in percent, and more than 250, is quarantined; the share grows like removals_percent_max; 0 accepts any addition.";
    EMBEDDING_MODEL embedding_model: Path = "",
        "Directory of a local sentence-embedding model (BERT family: config.json, model.safetensors, tokenizer.json or vocab.txt) for mode=hybrid; empty is off.";
}

/// The setting with a key.
pub fn find(key: &str) -> Option<&'static Setting> {
    SETTINGS.iter().copied().find(|setting| setting.key == key)
}

#[cfg(test)]
mod tests {
    use super::{SETTINGS, Values, key};
    use crate::config::values::Origin;

    #[test]
    fn a_key_is_named_like_its_row_and_reads_what_was_set_there() {
        let table = include_str!("table.rs");
        let mut values = Values::default();
        for row in SETTINGS {
            assert!(table.contains(&format!("\n    {} {}: ", row.key.to_ascii_uppercase(), row.key)), "{}", row.key);
            assert!(
                (row.slot_mut)(&mut values).set(row.default, Origin::Default).is_ok(),
                "{}: its default is wrong",
                row.key
            );
        }
        assert_eq!((key::RETRIES_MAX.read(&values), key::LISTEN.read(&values)), (3, "127.0.0.1:8787"));
        assert_eq!((key::RETRIES_MAX.row.slot_mut)(&mut values).set(" 7 ", Origin::File), Ok(()));
        assert_eq!((key::RETRIES_MAX.row.slot_mut)(&mut values).set("many", Origin::File), Err(None), "no number");
        let slot = (key::RETRIES_MAX.row.slot)(&values);
        assert_eq!((key::RETRIES_MAX.read(&values), slot.written(), slot.origin()), (7, " 7 ", &Origin::File));
    }
}
