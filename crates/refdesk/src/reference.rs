//! The generated reference: settings, command line, connectors, and the example configuration.
//!
//! All of it is read off the real definitions (the settings table, clap's command tree, the registry of connectors). The tests below
//! compare the files of the repository with it, and type every command and flag that a document names. `REFDESK_WRITE_DOCS=1 cargo test
//! -p refdesk reference` writes the files.

use std::fmt::Write as _;

use clap::CommandFactory as _;
use refdesk_ingest::config::default_sources_text;

use crate::cli::Cli;
use crate::config::table::{SETTINGS, Setting};
use crate::config::values::TomlType;

#[cfg(test)]
mod tests;

/// How a setting is typed: by a flag of its own where clap knows one, else by `--set`, which takes every setting.
fn typed(root: &clap::Command, row: &Setting) -> String {
    let flag_of = |command: &clap::Command| {
        let arg = command.get_arguments().find(|arg| arg.get_id() == row.key)?;
        arg.get_long().map(|long| format!("--{long}"))
    };
    let of_serve = || root.find_subcommand("serve").and_then(flag_of).map(|flag| format!("serve {flag}"));
    flag_of(root).or_else(of_serve).unwrap_or_else(|| format!("--set {}=…", row.key))
}

/// `refdesk.example.toml`: every setting with its default and what it does, then the default sources.
pub fn example() -> String {
    let root = Cli::command();
    let mut out = String::from(
        "# refdesk.example.toml: every setting with its default. Written by `refdesk config init`.\n\
         # Flags override environment variables (REFDESK_…), and these override this file. Copy it to refdesk.toml and keep what you change.\n",
    );
    for row in SETTINGS {
        let (flag, variable) = (typed(&root, row), row.variable());
        let _ = write!(out, "\n# {}\n# {flag}, {variable}\n# {} = {}\n", row.help, row.key, as_toml(row));
    }
    out.push_str(EXAMPLE_COLLECTION);
    out.push_str(
        "\n# Sources. These are the defaults; a file adds to them unless it says default_sources = false.\n\n",
    );
    for line in default_sources_text().lines() {
        let _ = writeln!(out, "{}", format!("# {line}").trim_end());
    }
    out
}

const EXAMPLE_COLLECTION: &str = r#"
# Collections: parts of the catalog with addresses of their own, here /c/team/v1/… and /c/team/mcp. Members meet `filter` (the query string
# of a list) or are in `ids`, and are not in `exclude`.
# [[collections]]
# id = "team"
# title = "Models our team may use"
# kinds = ["model"]
# filter = "capability=tool_call&price_input__lte=3"
# ids = []
# exclude = []
"#;

/// The default as it is written in the file.
fn as_toml(row: &Setting) -> String {
    match row.shape.toml_type() {
        TomlType::Boolean | TomlType::Integer => row.default.to_owned(),
        TomlType::Array => {
            let texts = row.default.split(',').filter(|text| !text.is_empty()).map(|text| format!("{text:?}"));
            format!("[{}]", texts.collect::<Vec<_>>().join(", "))
        }
        TomlType::String => format!("{:?}", row.default),
    }
}

/// `docs/settings.md`.
#[cfg(test)]
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
#[cfg(test)]
fn command_line() -> String {
    let mut out = String::from(
        "# Command line\n\nGenerated from the program; a test compares. Exit codes: 0 found or done, 1 not found, 2 error.\n",
    );
    let mut root = Cli::command().term_width(100);
    root.build();
    describe(&mut root, &mut out);
    out
}

#[cfg(test)]
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
#[cfg(test)]
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
