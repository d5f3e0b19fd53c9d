//! Command line, configuration, wiring, shutdown. What the desk knows and does is in the other crates.
//!
//! A library for two users only: the program `refdesk`, and the developers' tools of `crates/lab`. Nothing here is a stable interface.

pub mod app;
mod background;
pub mod cli;
mod cluster;
pub mod commands;
mod complete;
pub mod config;
pub mod desk;
mod evaluation;
pub mod exit;
mod log;
pub mod output;
mod reference;
mod semantic;
mod service;
mod view;

use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use refdesk_core::Kind;

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
            hint_at_commands(&mut error);
            hint_at_kinds(&mut error);
            hint_at_empty_variable(&mut error);
            if let Some(version) = asked_for_version(&error) {
                output::line(&version);
                return ended(Ok(Exit::Done));
            }
            let failed = error.use_stderr();
            if failed && std::env::args_os().any(|word| word == "--json") {
                output::speak_json();
                return output::failed(&refusal(&error).into()).into();
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

/// Names what does here what `status`, `list` or a bare name do elsewhere.
fn hint_at_commands(error: &mut clap::Error) {
    let word = |kind| match error.get(kind) {
        Some(ContextValue::String(word)) => Some(word.as_str()),
        _ => None,
    };
    let is_of = |command: &str| {
        let usage = error.get(ContextKind::Usage);
        matches!(usage, Some(ContextValue::StyledStr(usage)) if usage.to_string().contains(command))
    };
    let hint = match (word(ContextKind::InvalidSubcommand), word(ContextKind::InvalidArg)) {
        (Some("status"), _) => {
            "`refdesk sources` shows where the sources stand, `refdesk doctor` checks this desk".to_owned()
        }
        (Some("list"), _) if is_of("refdesk sources ") => "`refdesk sources` by itself lists them".to_owned(),
        (_, Some(name)) if is_of("refdesk keys create ") && !name.starts_with('-') => {
            format!("the name of a key has a flag: `--name {name}`")
        }
        _ => return,
    };
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![hint.into()]));
}

/// Says what comes first where `get` was given only one word, as after a search that shows an id, and which kinds there are where `list` was
/// given none.
fn hint_at_kinds(error: &mut clap::Error) {
    let is_of = |command: &str| {
        let usage = error.get(ContextKind::Usage);
        matches!(usage, Some(ContextValue::StyledStr(usage)) if usage.to_string().contains(command))
    };
    let lacks = |word: &str| {
        let missing = error.get(ContextKind::InvalidArg);
        matches!(missing, Some(ContextValue::Strings(missing)) if missing.iter().any(|one| one == word))
    };
    let hint = if is_of("refdesk get ") && lacks("<ID>") {
        "the kind comes first: `refdesk get model gpt-5`; `refdesk resolve NAME` tells the kind of a name".to_owned()
    } else if is_of("refdesk list ") && lacks("<KIND>") {
        format!("the kinds are {}", Kind::ALL.map(cli::kind_word).join(", "))
    } else {
        return;
    };
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![hint.into()]));
}

/// What clap refuses, for programs: in a sentence, without the usage, and with what may have been meant.
fn refusal(error: &clap::Error) -> output::Refusal {
    let told = error.to_string();
    let is_general = |part: &&str| part.starts_with("Usage:") || part.starts_with("For more information");
    let parts = told.trim_start_matches("error: ").split("\n\n").take_while(|part| !is_general(part));
    let parts: Vec<String> = parts.map(|part| part.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    let meant = |kind| match error.get(kind) {
        Some(ContextValue::String(one)) => vec![one.clone()],
        // The nearest is the last.
        Some(ContextValue::Strings(some)) => some.iter().rev().cloned().collect(),
        _ => Vec::new(),
    };
    let kinds = [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg, ContextKind::SuggestedValue];
    let suggestions = kinds.into_iter().flat_map(meant).collect();
    output::Refusal { suggestions, ..output::Refusal::invalid_argument(parts.join("; ")) }
}

/// Names the variable where that is empty, and no flag was typed.
fn hint_at_empty_variable(error: &mut clap::Error) {
    const VARIABLE: &str = "REFDESK_CONFIG";
    let is_of_flag = matches!(
        error.get(ContextKind::InvalidArg),
        Some(ContextValue::String(flag)) if flag.starts_with("--config ")
    );
    let is_empty = std::env::var_os(VARIABLE).is_some_and(|value| value.is_empty());
    if error.kind() == ErrorKind::InvalidValue && is_of_flag && is_empty {
        let hint = format!("{VARIABLE} is set and empty: unset it, or give it the path of a file");
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![hint.into()]));
    }
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
