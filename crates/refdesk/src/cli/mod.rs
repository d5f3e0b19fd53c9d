//! The command line: what can be typed. What each command does is in [`crate::commands`].

mod asked;
mod examples;
mod filters;
mod flag;
pub mod parameters;
mod questions;
mod sources;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use refdesk_core::Kind;

pub use asked::Asked;
pub use filters::with_joined_flags;
pub(crate) use flag::KIND;
pub use questions::{Compare, Conflicts, Cost, Get, List, Resolve, Route, Search};
pub use sources::{AddedSource, ReviewCommand, Reviewed, Sources, SourcesCommand};

/// A self-hosted, read-only reference desk for people and agents who build with AI.
#[derive(Debug, Parser)]
#[command(name = "refdesk", version, long_version = crate::LONG_VERSION, about, propagate_version = true, max_term_width = 100,
    after_help = examples::FIRST)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Options that all commands share.
    #[command(flatten)]
    pub shared: Shared,
}

/// Heading of these in the help.
const GLOBAL: &str = "Global options";

/// Options that all commands share.
#[derive(Debug, Clone, Args)]
pub struct Shared {
    /// Configuration file; default: the first `refdesk.toml` in the working directory, the user's or the system's configuration folder.
    #[arg(long, global = true, help_heading = GLOBAL, value_name = "FILE", env = "REFDESK_CONFIG")]
    pub config: Option<PathBuf>,
    /// Directory of the store.
    #[arg(long, global = true, help_heading = GLOBAL, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// Print JSON instead of text.
    #[arg(long, global = true, help_heading = GLOBAL)]
    pub json: bool,
    /// Never open a connection to an upstream.
    #[arg(long, global = true, help_heading = GLOBAL)]
    pub offline: bool,
    /// Set any setting: `--set KEY=VALUE`, repeatable; `refdesk config show` lists the keys.
    #[arg(long = "set", global = true, help_heading = GLOBAL, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve REST, MCP, web pages and metrics; sync sources in the background.
    #[command(after_help = examples::SERVE)]
    Serve(Serve),
    /// Speak MCP on standard input and output.
    #[command(after_help = examples::MCP)]
    Mcp(Mcp),
    /// Sync sources now.
    #[command(after_help = examples::SYNC)]
    Sync(Sync),
    /// Search the catalog by name or by need.
    // `--version` is that of documents here, as in lists.
    #[command(disable_version_flag = true, after_help = examples::SEARCH)]
    Search(Asked<Search>),
    /// Show one item with its evidence.
    #[command(after_help = examples::GET)]
    Get(Get),
    /// List the items of a kind: filtered, sorted, counted.
    // `--version` is that of documents here.
    #[command(disable_version_flag = true, after_help = examples::LIST)]
    List(Asked<List>),
    /// Compare 2 to 10 items of one kind.
    #[command(after_help = examples::COMPARE)]
    Compare(Asked<Compare>),
    /// Estimate what requests to a model cost, seller by seller.
    #[command(after_help = examples::COST)]
    Cost(Asked<Cost>),
    /// Find the item that a name means, in any spelling.
    #[command(after_help = examples::RESOLVE)]
    Resolve(Asked<Resolve>),
    /// List where sources disagree, widest apart first.
    #[command(after_help = examples::CONFLICTS)]
    Conflicts(Asked<Conflicts>),
    /// Find the framework that fits a problem.
    #[command(after_help = examples::ROUTE)]
    Route(Asked<Route>),
    /// Show the status of every source.
    Sources(Sources),
    /// Recompute content hashes, read every record again, and report every difference.
    Verify(Verify),
    /// Check framework cards.
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
    /// Write the catalog with its evidence to one compressed file, or its rows as tables.
    #[command(after_help = examples::EXPORT)]
    Export(Export),
    /// Load a catalog that `export` wrote.
    Import {
        /// File to read; `-` for standard input.
        file: PathBuf,
    },
    /// Upgrade the schema of the store; needed with `database_migrate = "check"`.
    Migrate {
        /// Also lock out nodes of earlier versions: the last step of a rolling upgrade.
        #[arg(long)]
        finish: bool,
    },
    /// Check configuration, store and catalog, and say what to do.
    Doctor,
    /// Print a shell completion script.
    #[command(after_help = examples::COMPLETIONS)]
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Write the manual pages, one for each command.
    Man {
        /// Folder to write them into, such as ~/.local/share/man/man1; created if missing.
        dir: PathBuf,
    },
}

impl Command {
    /// Whether it writes the configuration file.
    pub const fn writes_file(&self) -> bool {
        matches!(self, Self::Sources(flags) if flags.writes_file())
    }

    /// Whether it writes what look-ups show.
    pub const fn writes_store(&self) -> bool {
        match self {
            Self::Sync(_) | Self::Import { .. } => true,
            Self::Sources(flags) => flags.writes_store(),
            _ => false,
        }
    }

    /// Whether who runs it should hear what is odd about the settings.
    pub const fn is_about_settings(&self) -> bool {
        matches!(
            self,
            Self::Serve(_) | Self::Mcp(_) | Self::Sync(_) | Self::Sources(_) | Self::Doctor | Self::Config(_)
        )
    }
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
    /// Further host names that refdesk answers for, comma-separated.
    #[arg(long, value_name = "HOSTS")]
    pub allowed_hosts: Option<String>,
    /// Requests a minute by address; 0 is off.
    #[arg(long, value_name = "N", value_parser = whole_number, allow_negative_numbers = true)]
    pub rate_limit_anon: Option<u32>,
    /// Requests a minute by key; 0 is off.
    #[arg(long, value_name = "N", value_parser = whole_number, allow_negative_numbers = true)]
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
    /// What this node does among several: all, reader or syncer.
    #[arg(long, value_name = "ROLE")]
    pub role: Option<String>,
    /// Open the web page in a browser.
    #[arg(long)]
    pub open: bool,
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
    /// Same as the argument; repeatable.
    #[arg(long, value_name = "SOURCE")]
    pub source: Vec<String>,
    /// Take this source's new state even if it would be quarantined; repeatable.
    #[arg(long, value_name = "SOURCE")]
    pub force: Vec<String>,
}

/// Flags of `export`.
#[derive(Debug, Clone, Args)]
pub struct Export {
    /// File to write; `-` for standard output. For csv and ndjson of all kinds a folder, which gets a file for each.
    pub file: PathBuf,
    /// `archive` holds everything and can be imported; `csv`, `ndjson` and `sqlite` hold the rows as they are shown.
    #[arg(long, value_enum, default_value_t)]
    pub format: ExportFormat,
    /// Only this kind; not for archives.
    #[arg(long = "type", alias = KIND, value_name = "TYPE")]
    pub kind: Option<String>,
    /// Include records and texts that are normally withheld, because their license forbids sharing them or they hold a secret. For archives.
    #[arg(long)]
    pub with_withheld: bool,
    /// Overwrite existing files.
    #[arg(long)]
    pub force: bool,
}

/// A form of an export.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// Facts, records, evidence and states of all sources, for `refdesk import`.
    #[default]
    Archive,
    /// A table of rows, with a column for each field.
    Csv,
    /// A JSON object on each line.
    Ndjson,
    /// A database with a table for each kind.
    Sqlite,
}

/// Flags of `verify`.
#[derive(Debug, Clone, Args)]
pub struct Verify {
    /// Only facts of this kind.
    pub kind: Option<String>,
    /// Only this item of the kind: its id, or any spelling of it.
    pub id: Option<String>,
}

/// Check framework cards.
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
        /// Questions to score; those of the repository when left out.
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
    #[command(after_help = examples::KEYS_CREATE)]
    Create {
        /// What the key is for.
        #[arg(long)]
        name: String,
        /// How long it works from now: 90d, 12h.
        #[arg(long)]
        expires: Option<String>,
        /// Requests a minute with this key; 0 is no limit.
        #[arg(long, value_parser = whole_number, allow_negative_numbers = true)]
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

/// A kind as the command line spells it: `mcp-server`.
pub fn kind_word(kind: Kind) -> String {
    kind.singular().replace('_', "-")
}

/// A whole number, or what to write in words.
fn whole_number(text: &str) -> Result<u32, String> {
    text.trim().parse().map_err(|_| format!("write a whole number from 0 to {}", u32::MAX))
}

/// Write or show the configuration.
#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Write a commented configuration file with every setting and its default.
    Init {
        /// File to write; never overwrites [default: that of --config, else refdesk.toml].
        file: Option<PathBuf>,
    },
    /// Show every value and where it came from.
    Show,
}
