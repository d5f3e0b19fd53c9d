//! What the parser of the command line refuses: hints of what to type instead, and the refusal as programs read it.

use clap::CommandFactory as _;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use refdesk_core::Kind;
use refdesk_core::nearest::nearest_parameter;
use refdesk_core::query::{MeantFilter, called_filter, meant_filter};

use crate::cli::{Cli, kind_word, parameters};
use crate::output::Refusal;

/// Adds what to type instead, where the mistake is a common one.
pub fn add_hint(error: &mut clap::Error) {
    if error.kind() == ErrorKind::UnknownArgument {
        add_flag(error);
    }
    let hint = of_commands(error).or_else(|| of_kinds(error)).or_else(|| of_empty_variable(error));
    if let Some(hint) = hint {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![hint.into()]));
    }
}

/// Commands whose words are looked for, so that one of them may begin as a flag does.
const OF_FREE_TEXT: [&str; 2] = ["search", "route"];

/// Names the flag that is meant by one that there is not, or else where the flags are. That it may stand behind `--` helps only where any
/// word is taken.
fn add_flag(error: &mut clap::Error) {
    let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidArg) else { return };
    let (Some(name), Some(words)) = (typed.strip_prefix("--").map(str::to_owned), usage_words(error)) else { return };
    let mut cli = Cli::command();
    cli.build();
    let Some(command) = named_by(&cli, &words) else { return };
    if !OF_FREE_TEXT.contains(&command.get_name()) {
        error.remove(ContextKind::Suggested);
    }
    let name = name.replace('-', "_");
    let called = filter_told(command, &name, called_filter);
    // The parser goes by letters alone: it took `--modality` for `--domain`, and does not know that `--vision` is a filter with a value.
    if called.is_none() && error.get(ContextKind::SuggestedArg).is_some() {
        return;
    }
    if let Some(flag) = called.or_else(|| flag_meant(command, &name)) {
        error.insert(ContextKind::SuggestedArg, ContextValue::String(flag));
        return;
    }
    let filters = if takes_filters(command) { ", the filters of each kind among them" } else { "" };
    let hint = format!("`{} --help` lists the flags{filters}", words.join(" "));
    let mut hints = match error.remove(ContextKind::Suggested) {
        Some(ContextValue::StyledStrs(hints)) => hints,
        _ => Vec::new(),
    };
    hints.insert(0, hint.into());
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(hints));
}

fn takes_filters(command: &clap::Command) -> bool {
    matches!(command.get_name(), "list" | "search")
}

/// The filter of a command that a name is for, as `told` knows those of each kind: its flag, and the value that the name says.
fn filter_told(command: &clap::Command, name: &str, told: fn(Kind, &str) -> Option<MeantFilter>) -> Option<String> {
    let mut kinds = Kind::ALL.into_iter().filter(|_| takes_filters(command));
    let meant = kinds.find_map(|kind| told(kind, name))?;
    let value = meant.value.map(|value| format!(" {value}")).unwrap_or_default();
    Some(parameters::flag(meant.name) + &value)
}

/// The flag of a command that is spelt alike: a filter, or the flag whose words are nearest.
fn flag_meant(command: &clap::Command, name: &str) -> Option<String> {
    if let Some(filter) = filter_told(command, name, meant_filter) {
        return Some(filter);
    }
    let flags = command.get_arguments().filter(|flag| !flag.is_hide_set()).filter_map(clap::Arg::get_long);
    let flags: Vec<String> = flags.map(|long| long.replace('-', "_")).collect();
    let (nearest, is_near) = nearest_parameter(name, flags.iter().map(String::as_str))?;
    is_near.then(|| format!("--{}", nearest.replace('_', "-")))
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
        (Some(id), _) if of_sources(error) && error.get(ContextKind::SuggestedSubcommand).is_none() => {
            Some(format!("`refdesk sources show {id}` shows one source"))
        }
        (_, Some(name)) if is_of(error, "refdesk keys create ") && !name.starts_with('-') => {
            Some(format!("the name of a key has a flag: `--name {name}`"))
        }
        _ => None,
    }
}

/// Whether an error is one of `refdesk sources` itself.
fn of_sources(error: &clap::Error) -> bool {
    usage_words(error).is_some_and(|words| words == ["refdesk", "sources"])
}

/// Says what comes first where `get` was given only one word, as after a search that shows an id, and which kinds there are where `list` was
/// given none.
fn of_kinds(error: &clap::Error) -> Option<String> {
    let lacks = |word: &str| {
        let missing = error.get(ContextKind::InvalidArg);
        matches!(missing, Some(ContextValue::Strings(missing)) if missing.iter().any(|one| one == word))
    };
    if is_of(error, "refdesk get ") && lacks("<ID>") {
        let hint = "the kind comes first: `refdesk get model gpt-5`; `refdesk resolve NAME` shows the kind of a name";
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
    let lacks = match error.kind() {
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => lacks_command(&words_of_usage(&told)),
        ErrorKind::MissingSubcommand => usage_words(error).and_then(|words| lacks_command(&words)),
        _ => None,
    };
    if let Some(detail) = lacks {
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

/// The words of the command that an error is of, `refdesk` first.
fn usage_words(error: &clap::Error) -> Option<Vec<String>> {
    let Some(ContextValue::StyledStr(usage)) = error.get(ContextKind::Usage) else { return None };
    Some(words_of_usage(&usage.to_string()))
}

/// The words of the command whose usage a text tells, before its flags and arguments.
fn words_of_usage(told: &str) -> Vec<String> {
    let usage = told.lines().find_map(|line| line.strip_prefix("Usage: ")).unwrap_or_default();
    usage.split_whitespace().take_while(|word| !word.starts_with(['[', '<', '-'])).map(str::to_owned).collect()
}

fn named_by<'a>(cli: &'a clap::Command, words: &[String]) -> Option<&'a clap::Command> {
    words.iter().skip(1).try_fold(cli, |group, word| group.find_subcommand(word))
}

/// Which commands a group has, where it was named alone: of its help, which people get, a program would read what the group is for.
fn lacks_command(words: &[String]) -> Option<String> {
    let cli = Cli::command();
    let group = named_by(&cli, words)?;
    let names: Vec<&str> =
        group.get_subcommands().filter(|one| !one.is_hide_set()).map(clap::Command::get_name).collect();
    Some(format!("`{}` takes a command: {}", words.join(" "), names.join(", ")))
}
