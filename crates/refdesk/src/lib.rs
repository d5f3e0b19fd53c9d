//! Command line, configuration, wiring, shutdown. What the desk knows and does is in the other crates.
//!
//! A library for two users only: the program `refdesk`, and the developers' tools of `crates/lab`. Nothing here is a stable interface.

pub mod app;
mod background;
pub mod cli;
pub mod commands;
pub mod config;
pub mod desk;
mod evaluation;
pub mod exit;
pub mod output;
mod reference;
mod semantic;
mod view;

use std::process::ExitCode;

use clap::Parser;

use cli::Cli;
use exit::Exit;

/// Runs what was typed.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let failed = error.use_stderr();
            if failed && std::env::args_os().any(|word| word == "--json") {
                output::speak_json();
                return output::failed(error.to_string().trim_start_matches("error: ").trim()).into();
            }
            // Nobody is left to tell when the message cannot be written.
            let _ = error.print();
            return if failed { Exit::Failed } else { Exit::Done }.into();
        }
    };
    if cli.shared.json {
        output::speak_json();
    }
    ended(commands::run(cli))
}

/// The exit code of a command, after its error was told.
pub fn ended(outcome: anyhow::Result<Exit>) -> ExitCode {
    outcome.unwrap_or_else(|error| output::failed(&app::told(&error))).into()
}
