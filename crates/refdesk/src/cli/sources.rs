//! `refdesk sources`: where the sources stand, and the review of what they changed.

use clap::{Args, Subcommand};

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
