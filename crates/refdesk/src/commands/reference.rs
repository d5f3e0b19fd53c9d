//! The generated reference pages: settings, command line, connectors, and the example configuration. A test compares them.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Context as _;
use clap::CommandFactory as _;

use crate::cli::Cli;
use crate::config;
use crate::exit::Exit;
use crate::output;

/// File names below the repository, and what stands in them.
pub fn pages() -> [(&'static str, String); 4] {
    [
        ("docs/settings.md", config::reference()),
        ("docs/cli.md", command_line()),
        ("docs/connectors.md", connectors()),
        ("refdesk.example.toml", config::example()),
    ]
}

/// Writes the pages below a folder.
pub fn write(dir: &Path) -> anyhow::Result<Exit> {
    for (name, text) in pages() {
        let file = dir.join(name);
        std::fs::write(&file, text).with_context(|| file.display().to_string())?;
        output::line(name);
    }
    Ok(Exit::Done)
}

/// The help of every command, as the program prints it.
fn command_line() -> String {
    let mut out = String::from(
        "# Command line\n\nGenerated from the program; a test compares. Exit codes: 0 found or done, 1 not found, 2 error.\n",
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

/// Every connector with its kinds and options.
fn connectors() -> String {
    let mut out = String::from(
        "# Connectors\n\nGenerated from the registry; a test compares. A source names one with `connector = \"…\"`; options stand under `[sources.options]`.\n",
    );
    for connector in refdesk_ingest::connectors::REGISTRY {
        let kinds: Vec<&str> = connector.kinds().iter().map(|kind| kind.singular()).collect();
        let _ = write!(out, "\n## `{}`\n\n{} Kinds: {}.\n", connector.name(), connector.describe(), kinds.join(", "));
        for (option, help) in connector.options() {
            let _ = write!(out, "\n- `{option}`: {help}");
        }
        if !connector.options().is_empty() {
            out.push('\n');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::pages;

    #[test]
    fn the_reference_pages_of_the_repository_are_what_the_program_writes() {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../");
        for (name, text) in pages() {
            let kept = std::fs::read_to_string(format!("{root}{name}")).unwrap_or_default();
            assert!(kept == text, "{name} is not up to date; run `cargo run -- reference .`");
        }
    }
}
