//! What the parser of the command line refuses: hints of what to type instead, and the refusal as programs read it.

use clap::CommandFactory as _;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use refdesk_core::Kind;

use crate::cli::{Cli, kind_word};
use crate::output::Refusal;

/// Adds what to type instead, where the mistake is a common one.
pub fn add_hint(error: &mut clap::Error) {
    let hint = of_commands(error).or_else(|| of_kinds(error)).or_else(|| of_empty_variable(error));
    if let Some(hint) = hint {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![hint.into()]));
    }
}

/// Names what does here what `status`, `list` or a bare name do elsewhere.
fn of_commands(error: &clap::Error) -> Option<String> {
    let word = |kind| match error.get(kind) {
        Some(ContextValue::String(word)) => Some(word.as_str()),
        _ => None,
    };
    match (word(ContextKind::InvalidSubcommand), word(ContextKind::InvalidArg)) {
        (Some("status"), _) => {
            Some("`refdesk sources` shows where the sources stand, `refdesk doctor` checks this desk".to_owned())
        }
        (Some("list"), _) if is_of(error, "refdesk sources ") => {
            Some("`refdesk sources` by itself lists them".to_owned())
        }
        (_, Some(name)) if is_of(error, "refdesk keys create ") && !name.starts_with('-') => {
            Some(format!("the name of a key has a flag: `--name {name}`"))
        }
        _ => None,
    }
}

/// Says what comes first where `get` was given only one word, as after a search that shows an id, and which kinds there are where `list` was
/// given none.
fn of_kinds(error: &clap::Error) -> Option<String> {
    let lacks = |word: &str| {
        let missing = error.get(ContextKind::InvalidArg);
        matches!(missing, Some(ContextValue::Strings(missing)) if missing.iter().any(|one| one == word))
    };
    if is_of(error, "refdesk get ") && lacks("<ID>") {
        let hint = "the kind comes first: `refdesk get model gpt-5`; `refdesk resolve NAME` tells the kind of a name";
        return Some(hint.to_owned());
    }
    let lacks_kind = is_of(error, "refdesk list ") && lacks("<KIND>");
    lacks_kind.then(|| format!("the kinds are {}", Kind::ALL.map(kind_word).join(", ")))
}

/// Names the variable where that is empty, and no flag was typed.
fn of_empty_variable(error: &clap::Error) -> Option<String> {
    const VARIABLE: &str = "REFDESK_CONFIG";
    let is_of_flag = matches!(
        error.get(ContextKind::InvalidArg),
        Some(ContextValue::String(flag)) if flag.starts_with("--config ")
    );
    let is_empty = std::env::var_os(VARIABLE).is_some_and(|value| value.is_empty());
    (error.kind() == ErrorKind::InvalidValue && is_of_flag && is_empty)
        .then(|| format!("{VARIABLE} is set and empty: unset it, or give it the path of a file"))
}

/// Whether an error is one of a command, which its usage names.
fn is_of(error: &clap::Error, command: &str) -> bool {
    let usage = error.get(ContextKind::Usage);
    matches!(usage, Some(ContextValue::StyledStr(usage)) if usage.to_string().contains(command))
}

/// The refusal for programs: in a sentence, without the usage, and with what may have been meant.
pub fn refusal(error: &clap::Error) -> Refusal {
    let told = error.to_string();
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
        && let Some(detail) = lacks_command(&told)
    {
        return Refusal::invalid_argument(detail);
    }
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
    Refusal { suggestions, ..Refusal::invalid_argument(parts.join("; ")) }
}

/// Which commands a group has, where it was named alone: of its help, which people get, a program would read what the group is for.
fn lacks_command(help: &str) -> Option<String> {
    let usage = help.lines().find_map(|line| line.strip_prefix("Usage: "))?;
    let words: Vec<&str> = usage.split_whitespace().take_while(|word| !word.starts_with(['[', '<'])).collect();
    let cli = Cli::command();
    let group = words.iter().skip(1).try_fold(&cli, |group, word| group.find_subcommand(word))?;
    let names: Vec<&str> =
        group.get_subcommands().filter(|one| !one.is_hide_set()).map(clap::Command::get_name).collect();
    Some(format!("`{}` takes a command: {}", words.join(" "), names.join(", ")))
}
