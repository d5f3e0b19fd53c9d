//! Command line, configuration, wiring, shutdown. What the desk knows and does is in the other crates.
//!
//! A library for two users only: the program `refdesk`, and the developers' tools of `crates/lab`. Nothing here is a stable interface.

pub mod app;
mod background;
pub mod cli;
mod client;
mod cluster;
pub mod commands;
mod complete;
pub mod config;
pub mod desk;
mod evaluation;
pub mod exit;
mod log;
mod mistyped;
pub mod output;
mod reference;
mod semantic;
mod service;
mod skipped_rows;
mod view;

use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use cli::Cli;
use exit::Exit;

/// The commit that the program is built of; `unknown` where there was no repository.
pub const COMMIT: &str = env!("REFDESK_BUILD_COMMIT");
/// When that commit was made, or the moment of `SOURCE_DATE_EPOCH`; `unknown` where neither was there.
pub const COMMIT_DATE: &str = env!("REFDESK_BUILD_DATE");
/// What `--version` says beside the name.
const LONG_VERSION: &str =
    concat!(env!("CARGO_PKG_VERSION"), " (", env!("REFDESK_BUILD_COMMIT"), ", ", env!("REFDESK_BUILD_DATE"), ")");

/// Runs what was typed.
pub fn main() -> ExitCode {
    if complete::answered() {
        return Exit::Done.into();
    }
    let cli = match Cli::try_parse_from(cli::with_joined_flags(std::env::args_os())) {
        Ok(cli) => cli,
        Err(mut error) => {
            mistyped::add_hint(&mut error);
            if let Some(version) = asked_for_version(&error) {
                output::line(&version);
                return ended(Ok(Exit::Done));
            }
            let failed = error.use_stderr();
            if failed && std::env::args_os().any(|word| word == "--json") {
                output::speak_json();
                return output::failed(&mistyped::refusal(&error).into()).into();
            }
            let printed = error.print().and_then(|()| std::io::stdout().flush());
            return match printed {
                // Nobody is left to tell when the message cannot be written.
                _ if failed => Exit::Failed,
                Err(lost) if lost.kind() != std::io::ErrorKind::BrokenPipe => {
                    output::say(&format!("error: standard output cannot be written: {lost}"));
                    Exit::Failed
                }
                _ => Exit::Done,
            }
            .into();
        }
    };
    if cli.shared.json {
        output::speak_json();
    }
    ended(commands::run(cli))
}

/// The version, where that was asked for: of the program, whatever command was named before. In `list` and `search` a bare `--version` is the
/// filter of documents without its value, and means the same.
fn asked_for_version(error: &clap::Error) -> Option<String> {
    let is_last = std::env::args_os().next_back().is_some_and(|word| word == "--version");
    let is_bare = is_last && error.kind() == ErrorKind::InvalidValue;
    match error.kind() {
        // As clap words it, behind the name of the command.
        ErrorKind::DisplayVersion => {
            error.to_string().trim().split_once(' ').map(|(_, told)| format!("refdesk {told}"))
        }
        _ => is_bare.then(|| format!("refdesk {LONG_VERSION}")),
    }
}

/// The exit code of a command, after its error was told. One whose answer is lost failed.
pub fn ended(outcome: anyhow::Result<Exit>) -> ExitCode {
    let exit = outcome.unwrap_or_else(|error| output::failed(&error));
    if output::is_lost() { Exit::Failed.into() } else { exit.into() }
}
