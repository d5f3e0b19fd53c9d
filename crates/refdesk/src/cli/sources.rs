//! `refdesk sources`: the status of every source, and the review of what they changed.

use clap::{Args, Subcommand};
use serde::Serialize;

use super::examples;

/// `sources` and what can be done with one.
#[derive(Debug, Clone, Args)]
pub struct Sources {
    /// What to do with a source.
    #[command(subcommand)]
    pub command: Option<SourcesCommand>,
}

impl Sources {
    /// Whether it changes what look-ups show: sources, or what is believed of them.
    pub const fn writes_store(&self) -> bool {
        self.writes_file() || matches!(self.command, Some(SourcesCommand::Review { verdict: Some(_), .. }))
    }

    /// Whether it writes the configuration file.
    pub const fn writes_file(&self) -> bool {
        matches!(
            self.command,
            Some(
                SourcesCommand::Add(_)
                    | SourcesCommand::Disable { .. }
                    | SourcesCommand::Enable { .. }
                    | SourcesCommand::Remove { .. }
            )
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
        /// List records that could not become facts, with the reasons.
        #[arg(long)]
        rejects: bool,
    },
    /// Write a source into the configuration file, or change the named keys of an existing one.
    #[command(after_help = examples::SOURCES_ADD)]
    Add(Box<AddedSource>),
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
    /// Delete everything the store has of a source, and switch it off in the configuration file.
    Remove {
        /// Id of the source; also of one that is not configured any more.
        id: String,
        /// Do not ask for confirmation.
        #[arg(long)]
        yes: bool,
    },
    /// List withheld prices and quarantined sources; `accept` and `refuse` decide on them.
    Review {
        /// Decide instead of listing.
        #[command(subcommand)]
        verdict: Option<ReviewCommand>,
        /// Only this source.
        #[arg(long, value_name = "SOURCE")]
        source: Option<String>,
    },
}

/// A source to add. Its fields are the keys of its entry in the configuration file.
#[derive(Debug, Clone, Args, Serialize)]
pub struct AddedSource {
    /// Its id: lower-case letters, digits, single `-`, `.`, `_` inside. With the id of a default source, or of one in the file, only the keys that you name change.
    pub id: String,
    /// Name of a connector (see docs/connectors.md); required unless this is a default source.
    #[arg(long, value_name = "NAME")]
    pub connector: Option<String>,
    /// Address, or local path; required unless this is a default source.
    #[arg(long)]
    pub url: Option<String>,
    /// Name for people.
    #[arg(long)]
    pub name: Option<String>,
    /// How often it is synced: `6h`, `1d`.
    #[arg(long, value_name = "DURATION")]
    pub interval: Option<String>,
    /// How long its facts hold without verification: `14d`.
    #[arg(long, value_name = "DURATION")]
    pub stale_after: Option<String>,
    /// `official`, `verified`, `community` or `unverified`.
    #[arg(long, value_name = "TIER")]
    pub trust_tier: Option<String>,
    /// Priority when sources disagree; smaller wins.
    #[arg(long, value_parser = rank, allow_negative_numbers = true)]
    pub rank: Option<i32>,
    /// License of the data.
    #[arg(long)]
    pub license: Option<String>,
    /// How to credit the source.
    #[arg(long)]
    pub attribution: Option<String>,
    /// Environment variable that holds its token; the token itself is not written down.
    #[arg(long, value_name = "VARIABLE")]
    pub token_env: Option<String>,
    /// Header for the token; without one it is `Authorization: Bearer …`.
    #[arg(long, value_name = "HEADER")]
    pub token_header: Option<String>,
    /// Fetch from loopback and private addresses, too.
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub allow_private: bool,
    /// Option of the connector, repeatable.
    #[arg(long = "option", value_name = "KEY=VALUE")]
    #[serde(skip)]
    pub options: Vec<String>,
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
    /// Entry ids, as shown by `sources review`.
    #[arg(required_unless_present = "all", conflicts_with = "all")]
    pub entries: Vec<String>,
    /// Every entry not yet refused.
    #[arg(long)]
    pub all: bool,
    /// With --all: only of this source.
    #[arg(long, value_name = "SOURCE", requires = "all")]
    pub source: Option<String>,
}

/// A rank, or what to write in words.
fn rank(text: &str) -> Result<i32, String> {
    text.trim().parse().map_err(|_| "write a whole number, such as 5; the default is 50".to_owned())
}
