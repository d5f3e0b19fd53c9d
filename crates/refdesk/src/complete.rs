//! Completions of the shell that know the catalog: kinds, ids, sources, connectors, collections, settings.
//!
//! The script that `refdesk completions` prints calls the program at each completion, with the line in its arguments and a variable that
//! asks for it; `clap_complete` speaks with the shell. Which values an argument takes is said here rather than beside the argument, so
//! that the command line stays below the configuration. A completion never makes a data directory, opens the store or builds anything:
//! ids are those of the catalog on disk.

use std::ffi::{OsStr, OsString};

use clap::{ArgMatches, Command, CommandFactory as _, FromArgMatches as _};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use clap_complete::env::{CompleteEnv, Shells};
use refdesk_core::Kind;
use refdesk_core::item::{Domain, TrustTier};
use refdesk_core::query::{FilterParam, Mode, Operator, filters};
use refdesk_ingest::connectors::REGISTRY;
use refdesk_serve::Role;

use crate::app;
use crate::cli::{Cli, Shared, kind_word};
use crate::config::Config;
use crate::config::table::SETTINGS;
use crate::exit::Exit;
use crate::output;

/// Asks for completions: the name of a shell.
const VARIABLE: &str = "REFDESK_COMPLETE";
const PROGRAM: &str = "refdesk";
/// Most ids that are offered: more than a terminal shows.
const IDS_MAX: usize = 200;
/// zsh loads a script from its folder of completions when it first needs it, and expects an answer then; clap's script only registers itself.
const ZSH_FIRST_CALL: &str =
    "[[ \"${funcstack[1]-}\" = \"_refdesk\" ]] && _clap_dynamic_completer_refdesk \"$@\"\ntrue\n";

/// Answers the shell when it asks for completions; whether it did.
pub fn answered() -> bool {
    let asked = CompleteEnv::with_factory(command).var(VARIABLE).bin(PROGRAM).completer(PROGRAM);
    let directory = std::env::current_dir().ok();
    asked.try_complete(std::env::args_os(), directory.as_deref()).unwrap_or_else(|error| error.exit())
}

/// `refdesk completions`: the script that a shell reads at its start.
///
/// # Errors
/// When the shell is one that this program was not built for.
pub fn script(shell: clap_complete::Shell) -> anyhow::Result<Exit> {
    let name = shell.to_string();
    let shells = Shells::builtins();
    let Some(completer) = shells.completer(&name) else {
        anyhow::bail!("no completions for {name}; name bash, zsh, fish, elvish or powershell");
    };
    let mut script = Vec::new();
    completer.write_registration(VARIABLE, PROGRAM, PROGRAM, PROGRAM, &mut script)?;
    let mut script = String::from_utf8(script)?;
    if name == "zsh" {
        script.push_str(ZSH_FIRST_CALL);
    }
    output::print(&script);
    Ok(Exit::Done)
}

/// The command line with the values of its arguments.
fn command() -> Command {
    with_values(Cli::command(), "")
}

/// Adds them to a command and those below it; `parent` is the name of the one above it.
fn with_values(command: Command, parent: &str) -> Command {
    let name = command.get_name().to_owned();
    let command = command.mut_args(|arg| match values(parent, &name, arg.get_id().as_str()) {
        Some(words) => arg.add(ArgValueCompleter::new(move |typed: &OsStr| offered(&*words, typed))),
        None => arg,
    });
    command.mut_subcommands(|inner| with_values(inner, &name))
}

/// Gives the words that an argument takes, when so much of one is typed.
type Words = Box<dyn Fn(&str) -> Vec<String> + Send + Sync>;

/// What an argument takes.
fn values(parent: &str, command: &str, arg: &str) -> Option<Words> {
    let words: Words = match (parent, command, arg) {
        // `route` finds frameworks.
        (_, "search", "type") => Box::new(|_| Kind::SEARCHED.map(kind_word).to_vec()),
        (_, _, "kind" | "type") => Box::new(|_| Kind::ALL.map(kind_word).to_vec()),
        ("sources", _, "id" | "source")
        | (_, "sync", "sources" | "source" | "force")
        | (_, "accept" | "refuse", "source") => Box::new(|_| of_line(TypedLine::sources)),
        (_, "get" | "verify", "id") | (_, "compare" | "resolve", "ids") => {
            Box::new(|typed| of_line(|line| line.ids(typed)))
        }
        (_, "cost", "model") => Box::new(|typed| of_line(|line| line.ids_of(&[Kind::Model], typed))),
        (_, _, "connector") => Box::new(|_| REGISTRY.iter().map(|connector| connector.name.to_owned()).collect()),
        (_, _, "collection") => Box::new(|_| of_line(TypedLine::collections)),
        (_, _, "set") => Box::new(|_| SETTINGS.iter().map(|row| format!("{}=", row.key)).collect()),
        (_, _, "mode") => fixed(&Mode::WORDS),
        (_, "serve", "role") => fixed(&Role::WORDS),
        (_, _, "understand" | "stale") => fixed(&["true", "false"]),
        (_, "search" | "list", "format") => fixed(&["ndjson", "csv"]),
        (_, "cost", "sort") => fixed(&["total", "seller"]),
        (_, "route", "domain") => fixed(&Domain::WORDS),
        (_, _, "trust_tier") => fixed(&TrustTier::WORDS),
        (_, "search" | "list", filter) => return allowed(filter),
        _ => return None,
    };
    Some(words)
}

fn fixed(words: &'static [&'static str]) -> Words {
    Box::new(move |_| words.iter().map(|word| (*word).to_owned()).collect())
}

/// What a filter takes, if that is a closed set: of the first kind that has it.
fn allowed(filter: &str) -> Option<Words> {
    let takes_words = |known: &FilterParam| {
        matches!(known.operator, Operator::Equals | Operator::Not) && !known.field.allowed.is_empty()
    };
    let mut all = Kind::ALL.into_iter().flat_map(filters);
    let known = all.find(|known| known.name == filter && takes_words(known))?;
    Some(fixed(known.field.allowed))
}

fn offered(words: &dyn Fn(&str) -> Vec<String>, typed: &OsStr) -> Vec<CompletionCandidate> {
    let Some(typed) = typed.to_str() else { return Vec::new() };
    words(typed).into_iter().filter(|word| word.starts_with(typed)).map(CompletionCandidate::new).collect()
}

/// Words that depend on the line that is being typed.
fn of_line(words: impl FnOnce(&TypedLine) -> Vec<String>) -> Vec<String> {
    TypedLine::read().map(|line| words(&line)).unwrap_or_default()
}

/// The line that is being typed, with the configuration that it would run with.
struct TypedLine {
    config: Config,
    kind: Option<Kind>,
}

impl TypedLine {
    /// Reads it off the arguments, where it stands behind `--`. `None` when there is no configuration that reads: a completion tells no
    /// errors.
    fn read() -> Option<Self> {
        let words: Vec<OsString> = std::env::args_os().skip_while(|word| word != "--").skip(1).collect();
        // It is unfinished: what cannot be parsed of it is left out.
        let matches = Cli::command().ignore_errors(true).try_get_matches_from(words).ok()?;
        let shared = Shared::from_arg_matches(innermost(&matches)).ok()?;
        Some(Self { config: app::configure(&shared, Vec::new(), true).ok()?, kind: kind_of(&matches) })
    }

    /// Ids of the kind that the line names, else of all kinds.
    fn ids(&self, typed: &str) -> Vec<String> {
        self.ids_of(self.kind.as_ref().map_or(&Kind::ALL[..], std::slice::from_ref), typed)
    }

    fn ids_of(&self, kinds: &[Kind], typed: &str) -> Vec<String> {
        let Ok(data_dir) = self.config.data_dir() else { return Vec::new() };
        let kept = |kind: &Kind| {
            refdesk_ingest::generation::kept_segment(&data_dir, &self.config.sources, *kind).ok().flatten()
        };
        let mut ids = Vec::new();
        for segment in kinds.iter().filter_map(kept) {
            let (_, rows) = segment.rows_with_prefix(typed);
            ids.extend(rows.take(IDS_MAX).map(|row| segment.id(row).to_owned()));
        }
        ids
    }

    fn sources(&self) -> Vec<String> {
        self.config.sources.iter().map(|source| source.id.clone()).collect()
    }

    fn collections(&self) -> Vec<String> {
        self.config.collections.iter().map(|collection| collection.id.clone()).collect()
    }
}

/// The matches of the command that was typed; they have the options that all commands share, too.
fn innermost(matches: &ArgMatches) -> &ArgMatches {
    matches.subcommand().map_or(matches, |(_, inner)| innermost(inner))
}

/// The kind that the line names, as an argument or by `--type`.
fn kind_of(matches: &ArgMatches) -> Option<Kind> {
    let named = |arg| innermost(matches).try_get_one::<String>(arg).ok().flatten();
    Kind::parse(named("kind").or_else(|| named("type"))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_argument_that_is_given_values_is_there() {
        let mut root = Cli::command();
        root.build();
        let has = |path: &[&str], arg: &str| {
            let found = path.iter().try_fold(&root, |command, name| command.find_subcommand(name));
            found.is_some_and(|command| command.get_arguments().any(|it| it.get_id() == arg))
        };
        for (path, arg) in [
            (&["get"][..], "kind"),
            (&["get"], "id"),
            (&["list"], "kind"),
            (&["search"], "type"),
            (&["compare"], "ids"),
            (&["resolve"], "ids"),
            (&["cost"], "model"),
            (&["cost"], "sort"),
            (&["sync"], "sources"),
            (&["sync"], "force"),
            (&["sources", "show"], "id"),
            (&["sources", "remove"], "id"),
            (&["sources", "add"], "connector"),
            (&["sources", "add"], "trust_tier"),
            (&["sources", "review"], "source"),
            (&["sources", "review", "accept"], "source"),
            (&["search"], "collection"),
            (&["route"], "mode"),
            (&["serve"], "role"),
            (&["search"], "understand"),
            (&["search"], "stale"),
            (&["list"], "stale"),
            (&["list"], "format"),
            (&["list"], "status"),
            (&["search"], "capability__not"),
            (&["route"], "domain"),
            (&[], "set"),
        ] {
            let command = path.last().copied().unwrap_or("refdesk");
            let parent = path.len().checked_sub(2).map_or("refdesk", |at| path[at]);
            assert!(has(path, arg), "{path:?} has no {arg}");
            assert!(values(parent, command, arg).is_some(), "{path:?} {arg} is offered nothing");
        }
    }
}
