//! The example configuration, and how each setting is typed, read off the real definitions (the settings table, clap's command tree).
//!
//! The pages of the reference are made in the tests below, which compare the files of the repository with them, and type every command and
//! flag that a document names. `REFDESK_WRITE_DOCS=1 cargo test -p refdesk reference` writes the files.

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
        "# Every setting of refdesk with its default; `refdesk config init` writes this file as refdesk.toml. Uncomment what you change.\n\
         # Flags override environment variables (REFDESK_…), and these override this file.\n",
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
    match row.toml {
        TomlType::Boolean | TomlType::Integer => row.default.to_owned(),
        TomlType::Array => {
            let texts = row.default.split(',').filter(|text| !text.is_empty()).map(|text| format!("{text:?}"));
            format!("[{}]", texts.collect::<Vec<_>>().join(", "))
        }
        TomlType::String => format!("{:?}", row.default),
    }
}
