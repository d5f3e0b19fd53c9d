//! `refdesk-lab`: developers' tools over a store. Never installed and never published.
//!
//! What only measures the search or the router by itself are programs of their own, in `bin/`.

#[cfg(feature = "baselines")]
mod baselines;
mod constant;
mod generate;
mod known_items;
mod random;

#[cfg(feature = "baselines")]
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use refdesk::cli::Shared;
use refdesk::config::{Given, key};
use refdesk::exit::Exit;

/// The allocator of the program, so that the constant server is measured as refdesk is.
#[cfg(not(target_env = "msvc"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// Developers' tools of refdesk.
#[derive(Debug, Parser)]
#[command(name = "refdesk-lab", version, about, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    shared: Shared,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Fill the store with made-up rows.
    Generate(generate::Flags),
    /// Answer every request with a constant body, the limit that benchmarks compare with.
    ConstantServer {
        /// Size of the body in bytes.
        bytes: usize,
    },
    /// Score search by generated queries for the items of the store: whole names, their beginnings, and with a typing error.
    KnownItems {
        /// Number of queries.
        #[arg(long, default_value_t = 2000)]
        queries: usize,
        /// Also list the queries whose item is not first.
        #[arg(long)]
        misses: bool,
    },
    /// Score plain tantivy and SQLite FTS5 on labelled sets, as `refdesk eval search` scores ours.
    #[cfg(feature = "baselines")]
    Baselines {
        /// Folders with corpus.jsonl, queries.jsonl and qrels.tsv.
        #[arg(required = true)]
        sets: Vec<PathBuf>,
    },
}

fn main() -> ExitCode {
    refdesk::ended(run(Cli::parse()))
}

fn run(cli: Cli) -> anyhow::Result<Exit> {
    let json = cli.shared.json;
    let unlimited = vec![Given::by_set(key::RATE_LIMIT_ANON.row, "0")];
    let config = refdesk::app::configure(&cli.shared, unlimited, false)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async move {
        match cli.command {
            Command::Generate(flags) => generate::run(config, &flags, json).await,
            Command::ConstantServer { bytes } => constant::run(&config, bytes).await,
            Command::KnownItems { queries, misses } => known_items::run(config, queries, misses, json).await,
            #[cfg(feature = "baselines")]
            Command::Baselines { sets } => baselines::run(&sets, json).await,
        }
    })
}
