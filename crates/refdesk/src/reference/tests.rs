//! Makes the reference pages (settings, command line, connectors), holds them to the program, and the program to what documents, the example and messages tell people to type.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{CommandFactory as _, Parser as _};

use super::typed;
use crate::cli::Cli;
use crate::config::table::{SETTINGS, find};
use crate::config::values::TomlType;

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// What clap says of a command whose arguments or subcommand were left out, and that is right otherwise.
const SHORT: [ErrorKind; 2] = [ErrorKind::MissingRequiredArgument, ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Files with an extension below a folder.
fn files(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files(&path, extension, found)?;
        } else if path.extension().is_some_and(|it| it == extension) {
            found.push(path);
        }
    }
    Ok(())
}

/// The documents that people read, and their texts.
fn documents() -> std::io::Result<Vec<(PathBuf, String)>> {
    let names = ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "SECURITY.md", "CHANGELOG.md"];
    let mut found: Vec<PathBuf> = names.iter().map(|name| root().join(name)).collect();
    files(&root().join("docs"), "md", &mut found)?;
    found.into_iter().map(|path| std::fs::read_to_string(&path).map(|text| (path, text))).collect()
}

/// Words as a shell splits them: at blanks outside of quotes.
fn words(command: &str) -> Vec<String> {
    let parts = command.split(['\'', '"']).enumerate();
    let words = parts.flat_map(|(at, part)| match at % 2 {
        // A document's `N` stands for a number.
        0 => part.split_whitespace().map(|word| if word == "N" { "1" } else { word }.to_owned()).collect(),
        _ => vec![part.to_owned()],
    });
    words.collect()
}

/// Every long flag that some command has.
fn flags(command: &clap::Command, found: &mut BTreeSet<String>) {
    let names = |arg: &clap::Arg| -> Vec<String> {
        let aliases = arg.get_all_aliases().unwrap_or_default();
        arg.get_long().into_iter().chain(aliases).map(|long| format!("--{long}")).collect()
    };
    found.extend(command.get_arguments().flat_map(names));
    command.get_subcommands().for_each(|inner| flags(inner, found));
}

fn known_flags() -> BTreeSet<String> {
    let mut command = Cli::command();
    command.build();
    let mut found = BTreeSet::new();
    flags(&command, &mut found);
    found
}

/// The refdesk commands of a page: lines of shell examples, and code within sentences.
fn commands(page: &str) -> Vec<&str> {
    let examples = page.split("\n```").skip(1).step_by(2).filter_map(|block| block.strip_prefix("sh\n"));
    let lines = examples.flat_map(str::lines).filter_map(|line| {
        let variables = line.split(' ').take_while(|word| word.contains('='));
        line.get(variables.map(|word| word.len() + 1).sum()..)
    });
    let all = lines.chain(spans(page)).filter(|command| command.starts_with("refdesk "));
    all.map(|command| command.split(" #").next().and_then(|line| line.split(" |").next()).unwrap_or(command)).collect()
}

/// Code within sentences. Blocks are left out, and so is a span that runs over a line.
fn spans(page: &str) -> impl Iterator<Item = &str> {
    let prose = page.split("\n```").step_by(2);
    prose.flat_map(|text| text.split('`').skip(1).step_by(2)).filter(|span| !span.contains('\n'))
}

/// `docs/settings.md`.
fn settings() -> String {
    let root = Cli::command();
    let mut out = String::from(
        "# Settings\n\nGenerated from the settings table and the command line; a test compares. Flags override environment variables, and\n\
         these override the configuration file. `--set KEY=VALUE` sets any setting on any command; the flag column shows the shorter flag where\n\
         there is one.\n\n| key | variable | flag | default | what it does |\n|---|---|---|---|---|\n",
    );
    for row in SETTINGS {
        let default = if row.default.is_empty() { "(empty)".to_owned() } else { format!("`{}`", row.default) };
        let (flag, variable) = (typed(&root, row), row.variable());
        let _ = writeln!(out, "| `{}` | `{variable}` | `{flag}` | {default} | {} |", row.key, row.help);
    }
    out
}

/// `docs/cli.md`: the help of every command, as the program prints it.
fn command_line() -> String {
    let mut out = String::from(
        "# Command line\n\nGenerated from the program; a test compares. Exit codes: 0 found or done; 1 nothing found, not all names found \
         (`compare`, `resolve`), or a check found a problem; 2 error.\n",
    );
    let mut root = Cli::command().term_width(100);
    root.build();
    describe(&mut root, &mut out);
    out
}

fn describe(command: &mut clap::Command, out: &mut String) {
    let name = command.get_bin_name().unwrap_or("refdesk").to_owned();
    let help = command.render_long_help().to_string();
    let help: Vec<&str> = help.lines().map(str::trim_end).collect();
    let _ = write!(out, "\n## `{name}`\n\n```text\n{}\n```\n", help.join("\n").trim_end());
    for inner in command.get_subcommands_mut() {
        if inner.get_name() != "help" && !inner.is_hide_set() {
            describe(inner, out);
        }
    }
}

/// `docs/connectors.md`: every connector with its kinds and options.
fn connectors() -> String {
    let mut out = String::from(
        "# Connectors\n\nGenerated from the registry; a test compares. A source names one with `connector = \"…\"`; options stand under `[sources.options]`.\n",
    );
    for connector in refdesk_ingest::connectors::REGISTRY {
        let kinds: Vec<&str> = connector.kinds.iter().map(|kind| kind.singular()).collect();
        let _ = write!(out, "\n## `{}`\n\n{}. Kinds: {}.\n", connector.name, connector.description, kinds.join(", "));
        for (option, help) in connector.options {
            let _ = write!(out, "\n- `{option}`: {help}");
        }
        if !connector.options.is_empty() {
            out.push('\n');
        }
    }
    out
}

#[test]
fn the_reference_pages_of_the_repository_are_what_the_program_writes() -> Outcome {
    let pages = [
        ("docs/settings.md", settings()),
        ("docs/cli.md", command_line()),
        ("docs/connectors.md", connectors()),
        ("refdesk.example.toml", super::example()),
    ];
    for (name, text) in pages {
        let file = root().join(name);
        if std::env::var_os("REFDESK_WRITE_DOCS").is_some() {
            std::fs::write(&file, &text)?;
        }
        let kept = std::fs::read_to_string(&file)?;
        assert!(kept == text, "{name} is out of date; run `REFDESK_WRITE_DOCS=1 cargo test -p refdesk reference`");
    }
    Ok(())
}

#[test]
fn the_manual_names_every_field_that_lists_filter_or_sort_by() -> Outcome {
    let page = std::fs::read_to_string(root().join("docs/manual/filters.md"))?;
    for field in refdesk_core::field::FIELDS {
        let name = format!("`{}`", field.name);
        assert!(page.contains(&name), "docs/manual/filters.md does not name {name}");
    }
    Ok(())
}

/// `clock_offset_file` is for rehearsals; only contributors read about it.
#[test]
fn the_manual_names_every_setting() -> Outcome {
    let manual = root().join("docs/manual");
    let pages: Vec<String> =
        documents()?.into_iter().filter(|(path, _)| path.starts_with(&manual)).map(|(_, page)| page).collect();
    for setting in SETTINGS.iter().filter(|setting| setting.key != "clock_offset_file") {
        let name = format!("`{}`", setting.key);
        assert!(pages.iter().any(|page| page.contains(&name)), "no page of the manual names {name}");
    }
    Ok(())
}

#[test]
fn every_command_that_a_document_shows_can_be_typed() -> Outcome {
    let mut typed = 0;
    for (path, page) in documents()? {
        for command in commands(&page) {
            // Outside of the manual a sentence may name a command without its arguments: `refdesk sources disable`.
            let may_be_short = !path.starts_with(root().join("docs/manual"));
            match Cli::try_parse_from(words(command)) {
                Err(error) if may_be_short && SHORT.contains(&error.kind()) => {}
                parsed => drop(parsed.map_err(|error| format!("{}: {command}: {error}", path.display()))?),
            }
            typed += 1;
        }
    }
    assert!(typed >= 80, "{typed} commands were found");
    Ok(())
}

#[test]
fn every_flag_that_a_document_names_can_be_typed() -> Outcome {
    let known = known_flags();
    for (path, page) in documents()? {
        for span in spans(&page).filter(|span| span.starts_with("--")) {
            let flag = span.split([' ', '=']).next().unwrap_or(span);
            assert!(known.contains(flag), "{}: no command takes `{span}`", path.display());
            check_set(span).map_err(|error| format!("{}: {error}", path.display()))?;
        }
    }
    Ok(())
}

/// The examples below the help of a command and of those below it.
fn examples(command: &clap::Command, found: &mut Vec<String>) {
    let below = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    found.extend(below.lines().map(str::to_owned).filter(|line| line.contains("refdesk ")));
    command.get_subcommands().for_each(|inner| examples(inner, found));
}

#[test]
fn every_example_of_the_help_can_be_typed_and_fits_80_columns() -> Outcome {
    let mut found = Vec::new();
    examples(&Cli::command(), &mut found);
    for example in &found {
        let from = example.find("refdesk ").unwrap_or_default();
        let command = example[from..].split(['|', '>', ')', '#']).next().unwrap_or_default();
        Cli::try_parse_from(words(command)).map_err(|error| format!("{example}: {error}"))?;
        assert!(example.chars().count() <= 80, "{example}");
    }
    assert!(found.len() >= 30, "{found:?}");
    Ok(())
}

/// `--set KEY=…` names a setting; KEY in capitals or an ellipsis stands for any.
fn check_set(typed: &str) -> Result<(), String> {
    let Some(pair) = typed.strip_prefix("--set ") else { return Ok(()) };
    let key = pair.split('=').next().unwrap_or(pair);
    if key == "KEY" || key.starts_with('…') || find(key).is_some() {
        Ok(())
    } else {
        Err(format!("`{typed}` names no setting"))
    }
}

#[test]
fn every_flag_of_the_settings_page_and_of_the_example_can_be_typed() {
    for (at, row) in SETTINGS.iter().enumerate() {
        let typed = super::typed(&Cli::command(), row);
        let value = match row.toml {
            TomlType::Integer => "1",
            TomlType::Boolean => "true",
            _ => "x",
        };
        let mut line: Vec<String> = vec!["refdesk".to_owned()];
        line.extend(typed.replace('…', value).split(' ').map(str::to_owned));
        let has_value = typed.contains('=') || row.toml == TomlType::Boolean;
        line.extend((!has_value).then(|| value.to_owned()));
        line.extend((!typed.starts_with("serve")).then(|| "doctor".to_owned()));
        let parsed = Cli::try_parse_from(&line);
        assert!(parsed.is_ok(), "setting {at}, `{}`: {line:?} cannot be typed", row.key);
        assert!(super::example().contains(&format!("# {typed}, {}\n# {} = ", row.variable(), row.key)));
    }
}

#[test]
fn every_flag_of_serve_is_the_setting_of_that_name() {
    // What is done once, at the start, is no setting.
    const DONE_ONCE: [&str; 1] = ["open"];
    let root = Cli::command();
    let serve = root.get_subcommands().find(|command| command.get_name() == "serve");
    let own: Vec<&str> =
        serve.into_iter().flat_map(clap::Command::get_arguments).map(|arg| arg.get_id().as_str()).collect();
    assert!(own.len() >= 9, "{own:?}");
    for name in own.into_iter().filter(|name| !DONE_ONCE.contains(name)) {
        assert!(find(name).is_some(), "`serve` takes {name}, which is no setting");
    }
}

/// Words such as `--data-dir` in a text.
fn flags_in(text: &str) -> impl Iterator<Item = &str> {
    let is_of_flag = |c: char| c.is_ascii_lowercase() || c == '-';
    text.match_indices("--").filter_map(move |(at, _)| {
        let before = text[..at].chars().next_back();
        let word = text[at..].split(|c| !is_of_flag(c)).next().unwrap_or_default();
        let is_word = word[2..].starts_with(|c: char| c.is_ascii_lowercase()) && !word.ends_with('-');
        (is_word && before.is_none_or(|c| " `\"'(".contains(c))).then_some(word)
    })
}

#[test]
fn every_flag_that_a_message_of_the_program_names_can_be_typed() -> Outcome {
    let known = known_flags();
    let mut sources = Vec::new();
    for folder in ["refdesk/src", "serve/src", "ingest/src", "catalog/src", "core/src"] {
        files(&root().join("crates").join(folder), "rs", &mut sources)?;
    }
    let mut named = 0;
    // Those write command lines of other programs.
    let others = [
        "reference/tests.rs",
        "pages/items/install/",
        "desk/connect/mod.rs",
        "desk/connect/clients.rs",
        "docker_mcp/run.rs",
    ];
    for path in sources.iter().filter(|path| !others.iter().any(|other| path.to_string_lossy().contains(other))) {
        let text = std::fs::read_to_string(path)?;
        let product = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        for line in product.lines().filter(|line| !line.trim_start().starts_with("//")) {
            for flag in flags_in(line) {
                assert!(known.contains(flag), "{}: no command takes {flag}: {line}", path.display());
                named += 1;
            }
        }
    }
    assert!(named >= 20, "{named} flags were found");
    Ok(())
}
