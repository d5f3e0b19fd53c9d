//! The binary: command line, configuration, wiring, shutdown. What the desk knows and does is in the other crates.

mod app;
mod background;
mod cli;
mod commands;
mod config;
mod exit;
mod image;
mod output;
mod reference;
mod semantic;
mod texts;
mod view;

use std::process::ExitCode;

use clap::Parser;

use cli::Cli;
use exit::Exit;

#[cfg(not(target_env = "msvc"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let failed = error.use_stderr();
            let _ = error.print();
            return if failed { Exit::Failed } else { Exit::Done }.into();
        }
    };
    let exit = match commands::run(cli) {
        Ok(exit) => exit,
        Err(error) => {
            output::say(&format!("error: {}", app::told(&error)));
            Exit::Failed
        }
    };
    exit.into()
}
