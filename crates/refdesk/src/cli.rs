//! The command line: what can be typed. What each command does is in [`crate::commands`].

pub mod filters;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// A self-hosted, read-only reference desk for people and agents who build with AI.
#[derive(Debug, Parser)]
#[command(name = "refdesk", version, about, propagate_version = true, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Options that all commands share.
    #[command(flatten)]
    pub shared: Shared,
}

/// Options that all commands share.
#[derive(Debug, Clone, Args)]
pub struct Shared {
    /// Configuration file; else `refdesk.toml` in the working directory, when there is one.
    #[arg(long, global = true, value_name = "FILE", env = "REFDESK_CONFIG")]
    pub config: Option<PathBuf>,
    /// Directory of the store.
    #[arg(long, global = true, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// Print JSON instead of text.
    #[arg(long, global = true)]
    pub json: bool,
    /// Never open a connection to an upstream.
    #[arg(long, global = true)]
    pub offline: bool,
    /// Set any setting: `--set KEY=VALUE`, repeatable; `refdesk config show` lists the keys.
    #[arg(long = "set", global = true, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve REST, MCP and metrics; sync sources in the background.
    Serve(Serve),
    /// Speak MCP on standard input and output.
    Mcp(Mcp),
    /// Sync sources now.
    Sync(Sync),
    /// Search the catalog by name or by need.
    Search(Search),
    /// Show one item with its evidence.
    Get(Get),
    /// List the items of a kind: filtered, sorted, counted.
    // `--version` is that of documents here.
    #[command(disable_version_flag = true)]
    List(List),
    /// Put 2 to 10 items of a kind side by side.
    Compare(Compare),
    /// Tell what requests to a model cost at every seller.
    Cost(Cost),
    /// Tell which item a name means, in any spelling.
    Resolve(Resolve),
    /// List where sources disagree, the widest apart first.
    Conflicts(Conflicts),
    /// Find the framework that fits a problem.
    Route(Route),
    /// Show where the sources stand.
    Sources(Sources),
    /// Recompute content hashes, read every record again, and report every difference.
    Verify(Verify),
    /// Work on framework cards.
    #[command(subcommand)]
    Frameworks(Frameworks),
    /// Measure search and routing.
    #[command(subcommand)]
    Eval(Eval),
    /// Make, list and revoke API keys.
    #[command(subcommand)]
    Keys(Keys),
    /// Write or show the configuration.
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Write the catalog with its evidence to one compressed file.
    Export {
        /// File to write; `-` for standard output.
        file: PathBuf,
        /// Include records and texts that may not be given out: their licence forbids it, or they hold a secret.
        #[arg(long)]
        with_withheld: bool,
    },
    /// Load a catalog that `export` wrote.
    Import {
        /// File to read; `-` for standard input.
        file: PathBuf,
    },
    /// Check configuration, store and catalog, and say what to mend.
    Doctor,
    /// Print a shell completion script.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

/// Flags of `serve`; each is a setting of the configuration, too.
#[derive(Debug, Clone, Args)]
pub struct Serve {
    /// Address and port; port 0 takes a free one [default: 127.0.0.1:8787].
    #[arg(long, value_name = "ADDR")]
    pub listen: Option<String>,
    /// Public URL of the service.
    #[arg(long, value_name = "URL")]
    pub base_url: Option<String>,
    /// Second public URL of the same service.
    #[arg(long, value_name = "URL")]
    pub api_url: Option<String>,
    /// Further host names that are answered, comma-separated.
    #[arg(long, value_name = "HOSTS")]
    pub allowed_hosts: Option<String>,
    /// Requests a minute by address; 0 is off.
    #[arg(long, value_name = "N")]
    pub rate_limit_anon: Option<u32>,
    /// Requests a minute by key; 0 is off.
    #[arg(long, value_name = "N")]
    pub rate_limit_key: Option<u32>,
    /// Refuse requests without a key.
    #[arg(long)]
    pub require_key: bool,
    /// Networks (CIDR) whose X-Forwarded-For is believed, comma-separated.
    #[arg(long, value_name = "NETS")]
    pub trusted_proxies: Option<String>,
    /// Origins whose pages may read answers in a browser, comma-separated; * is any.
    #[arg(long, value_name = "ORIGINS")]
    pub cors_origins: Option<String>,
}

/// Flags of `mcp`.
#[derive(Debug, Clone, Args)]
pub struct Mcp {
    /// Answer from a running service instead of the local store.
    #[arg(long, value_name = "URL")]
    pub url: Option<String>,
    /// API key for the running service.
    #[arg(long, env = "REFDESK_API_KEY", hide_env_values = true, value_name = "KEY")]
    pub key: Option<String>,
}

/// Flags of `sync`.
#[derive(Debug, Clone, Args)]
pub struct Sync {
    /// Only these sources; all enabled ones when none is named.
    pub sources: Vec<String>,
    /// Take this source's new state even if it would be quarantined; repeatable.
    #[arg(long, value_name = "SOURCE")]
    pub force: Vec<String>,
}

/// Flags of `search`.
#[derive(Debug, Clone, Args)]
pub struct Search {
    /// What to look for.
    #[arg(required = true)]
    pub query: Vec<String>,
    /// Only this kind: DOC, `MCP_SERVER`, MODEL, SKILL, TOOL, TUTORIAL.
    #[arg(long = "type", value_name = "TYPE")]
    pub kind: Option<String>,
    /// Leave stale facts out.
    #[arg(long)]
    pub fresh_only: bool,
    /// Most hits [default: 10, maximum 50].
    #[arg(long)]
    pub limit: Option<String>,
    /// `lexical` or `hybrid`.
    #[arg(long)]
    pub mode: Option<String>,
    /// Read limits, orders and kinds in the question: true or false [default: true].
    #[arg(long, value_name = "BOOL")]
    pub understand: Option<String>,
}

/// Flags of `get`.
#[derive(Debug, Clone, Args)]
pub struct Get {
    /// model, tool, skill, tutorial, mcp-server, document or framework.
    pub kind: String,
    /// Id, or any upstream spelling of it.
    pub id: String,
    /// Frameworks: the prompt too.
    #[arg(long)]
    pub prompt: bool,
    /// Only what is fresh: a stale item is not found, stale fields of others are null.
    #[arg(long)]
    pub fresh_only: bool,
    /// Models: the offers of the undated name and of all its dated snapshots, too.
    #[arg(long)]
    pub all_offers: bool,
    /// Print only the raw body, whose SHA-256 is `content_hash` where `hash_basis` is `bytes`.
    #[arg(long, conflicts_with = "record")]
    pub raw: bool,
    /// Print only the record behind the item: the exact bytes that hash to `content_hash`.
    #[arg(long)]
    pub record: bool,
    /// With --record: the record of this evidence key instead of the leading one.
    #[arg(long, value_name = "KEY", requires = "record")]
    pub evidence: Option<String>,
}

/// Flags of `list`.
#[derive(Debug, Clone, Args)]
pub struct List {
    /// model, tool, skill, tutorial, mcp-server, document or framework.
    pub kind: String,
    /// Page size [default: 100, frameworks 25, maximum 500].
    #[arg(long)]
    pub limit: Option<String>,
    /// Start position.
    #[arg(long)]
    pub offset: Option<String>,
    /// Leave stale items out, and show stale fields of others as null.
    #[arg(long)]
    pub fresh_only: bool,
    /// Frameworks: candidates too.
    #[arg(long)]
    pub include_candidates: bool,
    /// Only what matches this text.
    #[arg(long, value_name = "TEXT")]
    pub q: Option<String>,
    /// Only these ids or spellings, comma-separated.
    #[arg(long)]
    pub ids: Option<String>,
    /// Leave out what no source lists any more.
    #[arg(long)]
    pub without_removed: bool,
    /// Models: whose prices count: maker, cheapest, or a seller.
    #[arg(long, value_name = "SELLER")]
    pub price_of: Option<String>,
    /// Order: fields, comma-separated; `-` before one is descending.
    #[arg(long, value_name = "FIELDS", allow_hyphen_values = true)]
    pub sort: Option<String>,
    /// Only these members of the rows: dotted paths, comma-separated.
    #[arg(long, value_name = "PATHS")]
    pub fields: Option<String>,
    /// Count the values of these fields, comma-separated.
    #[arg(long, value_name = "FIELDS")]
    pub facets: Option<String>,
    /// Most values of each facet [default: 30, maximum 1000].
    #[arg(long, value_name = "N")]
    pub facet_size: Option<String>,
    /// Write the whole list as `ndjson` or `csv`.
    #[arg(long)]
    pub format: Option<String>,
    /// Filters of the fields.
    #[command(flatten)]
    pub filters: filters::Filters,
}

/// Flags of `compare`.
#[derive(Debug, Clone, Args)]
pub struct Compare {
    /// 2 to 10 ids, or any spellings of them.
    #[arg(required = true)]
    pub ids: Vec<String>,
    /// Their kind; that of the first id when it is left out.
    #[arg(long = "type", value_name = "TYPE")]
    pub kind: Option<String>,
}

/// Flags of `cost`.
#[derive(Debug, Clone, Args)]
pub struct Cost {
    /// Id of the model, or any spelling of it.
    pub model: String,
    /// Tokens of a request that are read and not cached: 200000, 200k, 1m.
    #[arg(long, value_name = "TOKENS")]
    pub input: Option<String>,
    /// Tokens of a request that are written, reasoning among them.
    #[arg(long, value_name = "TOKENS")]
    pub output: Option<String>,
    /// Tokens read from the cache.
    #[arg(long, value_name = "TOKENS")]
    pub cache_read: Option<String>,
    /// Tokens written to the cache.
    #[arg(long, value_name = "TOKENS")]
    pub cache_write: Option<String>,
    /// Those of the output that are reasoning.
    #[arg(long, value_name = "TOKENS")]
    pub reasoning: Option<String>,
    /// How many such requests [default: 1].
    #[arg(long, value_name = "N")]
    pub requests: Option<String>,
    /// At batch prices.
    #[arg(long)]
    pub batch: bool,
    /// Only this seller.
    #[arg(long)]
    pub seller: Option<String>,
    /// `total` or `seller`.
    #[arg(long)]
    pub sort: Option<String>,
}

/// Flags of `resolve`.
#[derive(Debug, Clone, Args)]
pub struct Resolve {
    /// Names in any spelling.
    #[arg(required = true)]
    pub names: Vec<String>,
    /// Only this kind.
    #[arg(long = "type", value_name = "TYPE")]
    pub kind: Option<String>,
}

/// Flags of `conflicts`.
#[derive(Debug, Clone, Args)]
pub struct Conflicts {
    /// Only this kind.
    #[arg(long = "type", value_name = "TYPE")]
    pub kind: Option<String>,
    /// Only this dotted path, and those below it.
    #[arg(long)]
    pub path: Option<String>,
    /// Only numbers that differ by so many percent.
    #[arg(long, value_name = "PERCENT")]
    pub min_percent: Option<String>,
    /// Page size [default: 100, maximum 500].
    #[arg(long)]
    pub limit: Option<String>,
    /// Start position.
    #[arg(long)]
    pub offset: Option<String>,
}

/// Flags of `route`.
#[derive(Debug, Clone, Args)]
pub struct Route {
    /// The problem, in your own words.
    #[arg(required = true)]
    pub question: Vec<String>,
    /// Only this domain.
    #[arg(long)]
    pub domain: Option<String>,
    /// Candidates too.
    #[arg(long)]
    pub include_candidates: bool,
    /// `lexical` or `hybrid`.
    #[arg(long)]
    pub mode: Option<String>,
}

/// `sources` and what can be done with one.
#[derive(Debug, Clone, Args)]
pub struct Sources {
    /// What to do with a source.
    #[command(subcommand)]
    pub command: Option<SourcesCommand>,
}

impl Sources {
    /// Whether it writes the configuration file.
    pub const fn writes_file(&self) -> bool {
        matches!(
            self.command,
            Some(SourcesCommand::Disable { .. } | SourcesCommand::Enable { .. } | SourcesCommand::Remove { .. })
        )
    }
}

/// What to do with a source.
#[derive(Debug, Clone, Subcommand)]
pub enum SourcesCommand {
    /// Show one source: state, last runs, counts.
    Show {
        /// Id of the source.
        id: String,
        /// List what could not become a fact, with the reasons.
        #[arg(long)]
        rejects: bool,
    },
    /// Switch a source off in the configuration file: it is not synced, and its facts are hidden at once.
    Disable {
        /// Id of the source.
        id: String,
    },
    /// Switch a source on in the configuration file: its facts are shown again, and it is synced.
    Enable {
        /// Id of the source.
        id: String,
    },
    /// Delete all that the store has of a source, and switch it off in the configuration file.
    Remove {
        /// Id of the source; also of one that is not configured any more.
        id: String,
        /// Do not ask.
        #[arg(long)]
        yes: bool,
    },
    /// List what is withheld or quarantined; `accept` and `refuse` decide on it.
    Review {
        /// Decide instead of listing.
        #[command(subcommand)]
        verdict: Option<ReviewCommand>,
        /// Only of this source.
        #[arg(long, value_name = "SOURCE")]
        source: Option<String>,
    },
}

/// Decide on what is withheld or quarantined.
#[derive(Debug, Clone, Subcommand)]
pub enum ReviewCommand {
    /// Show a withheld value from now on, or take a quarantined state.
    Accept(Reviewed),
    /// Withhold a value for as long as it is stated, or leave a quarantined state alone until the source changes.
    Refuse(Reviewed),
}

/// What is decided on.
#[derive(Debug, Clone, Args)]
pub struct Reviewed {
    /// Ids of entries, as `sources review` lists them.
    #[arg(required_unless_present = "all", conflicts_with = "all")]
    pub entries: Vec<String>,
    /// Everything that was not refused before.
    #[arg(long)]
    pub all: bool,
    /// With --all: only of this source.
    #[arg(long, value_name = "SOURCE", requires = "all")]
    pub source: Option<String>,
}

/// Flags of `verify`.
#[derive(Debug, Clone, Args)]
pub struct Verify {
    /// Only this kind …
    #[arg(requires = "id")]
    pub kind: Option<String>,
    /// … and this id.
    pub id: Option<String>,
}

/// Work on framework cards.
#[derive(Debug, Subcommand)]
pub enum Frameworks {
    /// Check a folder of framework cards.
    Lint {
        /// The folder.
        dir: PathBuf,
    },
}

/// Measure search and routing.
#[derive(Debug, Subcommand)]
pub enum Eval {
    /// Score search on labelled sets.
    Search {
        /// Folders with corpus.jsonl, queries.jsonl and qrels.tsv.
        #[arg(required = true)]
        sets: Vec<PathBuf>,
        /// Score hybrid search too, with the sentence-embedding model in this directory.
        #[arg(long, value_name = "DIR")]
        model: Option<PathBuf>,
    },
    /// Score the router on a question set and keep the figures for /health.
    Routing {
        /// The questions; the set of the repository when left out.
        #[arg(long, value_name = "FILE")]
        questions: Option<PathBuf>,
        /// Fail when a figure is below the one in this file.
        #[arg(long, value_name = "FILE")]
        baseline: Option<PathBuf>,
        /// Write the figures to this file.
        #[arg(long, value_name = "FILE")]
        write: Option<PathBuf>,
    },
}

/// Make, list and revoke API keys.
#[derive(Debug, Subcommand)]
pub enum Keys {
    /// Make a key; it is shown once.
    Create {
        /// What the key is for.
        #[arg(long)]
        name: String,
        /// When it stops working, from now: 90d, 12h.
        #[arg(long)]
        expires: Option<String>,
        /// Its own limit a minute; 0 is off.
        #[arg(long)]
        limit: Option<u32>,
    },
    /// List all keys, without their secrets.
    List,
    /// Revoke a key by id, display prefix or name.
    Revoke {
        /// Id, display prefix or name.
        key: String,
    },
}

/// Write or show the configuration.
#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Write a commented configuration file with every setting and its default.
    Init {
        /// File to write; never overwrites [default: refdesk.toml].
        file: Option<PathBuf>,
    },
    /// Show every value and where it came from.
    Show,
}
