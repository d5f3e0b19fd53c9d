//! Packages that a command starts or installs: `npx -y @playwright/mcp@latest`, `claude mcp add browser npx @playwright/mcp`. The words
//! around one are those of the command.

use crate::segment::without_version;
use crate::snapshot::Snapshot;
use refdesk_core::Kind;

/// Programs that start the package which is named behind them …
const RUNNERS: [&str; 6] = ["npx", "bunx", "pnpx", "uvx", "pipx", "dnx"];
/// … and those that do so, or install it, behind one of some words.
const MANAGERS: [&str; 10] = ["npm", "pnpm", "yarn", "bun", "uv", "pip", "pip3", "docker", "podman", "dotnet"];
const MANAGING: [&str; 9] = ["install", "i", "add", "exec", "dlx", "run", "tool", "x", "pull"];
/// Clients that are told of a server with `mcp add`.
const CLIENTS: [&str; 4] = ["claude", "codex", "gemini", "code"];

/// The package of a server that a command names, or that is all of a text with a version behind it.
pub fn packaged<'a>(snapshot: &Snapshot, text: &'a str) -> Option<&'a str> {
    let parts: Vec<&str> = text.split_whitespace().collect();
    let is = |at: usize, any: &[&str]| parts.get(at).is_some_and(|part| any.contains(part));
    let is_command = is(0, &RUNNERS) || is(0, &MANAGERS) && is(1, &MANAGING) || is(0, &CLIENTS) && is(1, &["mcp"]);
    let is_versioned = matches!(&parts[..], [part] if part.starts_with('@') && without_version(part) != *part);
    if !is_command && !is_versioned {
        return None;
    }
    let is_named = |at: usize| !parts[at].starts_with('-') && !is(at, &MANAGING);
    // What stands first behind a program that starts packages is one, whatever it is called.
    let started = (0..parts.len()).find(|at| is(*at, &RUNNERS)).map(|runner| runner + 1);
    let started = started.and_then(|behind| (behind..parts.len()).find(|at| is_named(*at)));
    let bare =
        |at: usize| without_version(parts[at].trim_matches(|c: char| c.is_ascii_punctuation() && !"@/".contains(c)));
    let is_package = |at: &usize| Some(*at) == started || bare(*at).contains(['/', '-', '.']);
    let named = (usize::from(is_command)..parts.len()).filter(|at| is_named(*at)).filter(is_package);
    named.map(bare).find(|package| has_server(snapshot, package))
}

/// Whether a server is called like a package, or comes in it.
fn has_server(snapshot: &Snapshot, package: &str) -> bool {
    let is_called_so = || snapshot.find(Kind::McpServer, package).item().is_some();
    !package.is_empty() && (is_called_so() || !snapshot.short_named(Kind::McpServer, package).is_empty())
}
