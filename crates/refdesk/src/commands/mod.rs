//! The commands, one file or folder for each group.

mod admin;
mod bad_request;
mod doctor;
pub mod evaluate;
mod export;
mod import;
mod keys;
mod lookup;
mod mcp;
mod questions;
mod serve;
mod sources;
pub mod sync;
mod syncs;
mod tables;

use std::pin::Pin;
use std::time::Duration;

use refdesk_ingest::store::Store;

use crate::app;
use crate::cli::{Cli, Command, ConfigCommand, ExportFormat, Frameworks};
use crate::complete;
use crate::config::{Config, Given, key};
use crate::exit::Exit;
use crate::output;

/// How long a command waits in the end for threads that are still at something, which nobody waits for any more.
const LEFT_BEHIND_AFTER: Duration = Duration::from_secs(5);

/// Runs a command.
///
/// # Errors
/// Whatever made it fail, worded for the person who typed it.
pub fn run(cli: Cli) -> anyhow::Result<Exit> {
    let shared = cli.shared;
    // What needs neither the configuration nor the store.
    match &cli.command {
        Command::Completions { shell } => return complete::script(*shell),
        Command::Man { dir } => return admin::man(dir, shared.json),
        Command::Config(ConfigCommand::Init { file }) => {
            return admin::config_init(file.as_deref(), shared.config.as_deref(), shared.json);
        }
        Command::Frameworks(Frameworks::Lint { dir }) => return admin::lint(dir, shared.json),
        _ => {}
    }
    let flags = match &cli.command {
        Command::Serve(flags) => serve::settings(flags),
        Command::Eval(_) => vec![Given::by_set(key::RATE_LIMIT_ANON.row, "0")],
        _ => Vec::new(),
    };
    let config = app::configure(&shared, flags, cli.command.writes_file())?;
    if cli.command.is_about_settings() {
        config.warnings().iter().for_each(|warning| output::say(&format!("warning: {warning}")));
    }
    let json = shared.json;
    let writer = cli.command.writes_store().then(|| config.clone());
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    // Boxed as one type: `block_on` polls at three places, and each would compile all commands once more.
    let work: Pin<Box<dyn Future<Output = anyhow::Result<Exit>>>> = Box::pin(carry_out(cli.command, config, json));
    let outcome = runtime.block_on(work);
    end(runtime);
    // Also where it failed halfway: some of it may be in the store.
    let noted = writer.map_or(Ok(()), |config| crate::service::note_change(&config));
    outcome.and_then(|exit| noted.map(|()| exit))
}

/// What a command does with its configuration.
async fn carry_out(command: Command, config: Config, json: bool) -> anyhow::Result<Exit> {
    match command {
        Command::Serve(flags) => serve::run(config, &flags).await,
        Command::Mcp(flags) => mcp::run(config, flags).await,
        Command::Sync(flags) => sync::run(config, &flags, json).await,
        Command::Search(flags) => lookup::search(config, &flags, json).await,
        Command::Get(flags) => lookup::get(config, &flags, json).await,
        Command::List(flags) => lookup::list(config, &flags, json).await,
        Command::Compare(flags) => questions::compare(config, &flags, json).await,
        Command::Cost(flags) => questions::cost(config, &flags, json).await,
        Command::Resolve(flags) => questions::resolve(config, &flags, json).await,
        Command::Conflicts(flags) => questions::conflicts(config, &flags, json).await,
        Command::Route(flags) => lookup::route(config, &flags, json).await,
        Command::Sources(flags) => sources::run(config, flags, json).await,
        Command::Verify(flags) => export::verify(config, &flags, json).await,
        Command::Eval(command) => evaluate::run(config, command, json).await,
        Command::Keys(command) => keys::run(config, command, json).await,
        Command::Config(ConfigCommand::Show) => {
            // Valid as a file, and yet nothing that a service starts with.
            let faults = serve::faults(&config).await;
            faults.iter().for_each(|fault| output::say(&format!("warning: {}", output::told(fault))));
            Ok(admin::config_show(&config, json))
        }
        Command::Export(flags) if flags.format == ExportFormat::Archive => export::export(config, &flags, json).await,
        Command::Export(flags) => tables::export(config, &flags, json).await,
        Command::Import { file } => import::import(config, &file, json).await,
        Command::Migrate { finish } => admin::migrate(config, finish, json).await,
        Command::Doctor => doctor::run(config, json).await,
        Command::Completions { .. }
        | Command::Man { .. }
        | Command::Config(ConfigCommand::Init { .. })
        | Command::Frameworks(_) => {
            anyhow::bail!("this command needs no configuration and is run before one is read")
        }
    }
}

/// Does work that writes to a store, and then moves what was written into the store's file: whoever copies the file alone has all of it. Where
/// that fails, it stays in the journal beside the file, as after a kill.
async fn settled<T>(store: &Store, work: impl Future<Output = T>) -> T {
    let done = work.await;
    if let Err(error) = store.checkpoint().await {
        tracing::debug!(%error, "what was written stays in the journal");
    }
    done
}

/// Ends the runtime. Dropping it would wait for every thread, also for one that reads of a network file system whose server is gone.
fn end(runtime: tokio::runtime::Runtime) {
    runtime.shutdown_timeout(LEFT_BEHIND_AFTER);
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failing unwrap is a failing test")]
mod tests {
    use std::time::{Duration, Instant};

    use super::{LEFT_BEHIND_AFTER, end};

    /// Before, a node whose segment store hung did not end when it was told to.
    #[test]
    fn a_thread_that_hangs_does_not_keep_a_command_from_its_end() {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        let (hangs, begun) = std::sync::mpsc::channel();
        runtime.spawn_blocking(move || {
            hangs.send(()).unwrap();
            std::thread::sleep(Duration::from_mins(10));
        });
        begun.recv().unwrap();
        let told = Instant::now();
        end(runtime);
        assert!(told.elapsed() < LEFT_BEHIND_AFTER * 6, "{:?}", told.elapsed());
    }
}
