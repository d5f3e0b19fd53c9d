//! Packages that a command starts or installs: `npx -y @playwright/mcp@latest`, `claude mcp add browser npx @playwright/mcp`. The words
//! around one are those of the command.

use crate::segment::without_version;
use crate::snapshot::Snapshot;
use refdesk_core::Kind;

/// Programs that start the package which is named behind them …
const RUNNERS: [&str; 5] = ["npx", "bunx", "pnpx", "uvx", "pipx"];
/// … and those that do so, or install it, behind one of some words.
const MANAGERS: [&str; 9] = ["npm", "pnpm", "yarn", "bun", "uv", "pip", "pip3", "docker", "podman"];
const MANAGING: [&str; 9] = ["install", "i", "add", "exec", "dlx", "run", "tool", "x", "pull"];
/// Clients that are told of a server with `mcp add`.
const CLIENTS: [&str; 4] = ["claude", "codex", "gemini", "code"];

/// The id of the server that comes in the package which a command names, or which is all of a text with a version behind it.
pub fn packaged(snapshot: &Snapshot, text: &str) -> Option<String> {
    let parts: Vec<&str> = text.split_whitespace().collect();
    let is = |at: usize, any: &[&str]| parts.get(at).is_some_and(|part| any.contains(part));
    let is_command = is(0, &RUNNERS) || is(0, &MANAGERS) && is(1, &MANAGING) || is(0, &CLIENTS) && is(1, &["mcp"]);
    let is_versioned = matches!(&parts[..], [part] if part.starts_with('@') && without_version(part) != *part);
    if !is_command && !is_versioned {
        return None;
    }
    let server = parts.iter().skip(usize::from(is_command)).find_map(|part| {
        let bare = without_version(part.trim_matches(|c: char| c.is_ascii_punctuation() && !"@/".contains(c)));
        if bare.contains(['/', '-']) { server_of(snapshot, bare) } else { None }
    });
    server.map(|ordinal| snapshot.id(ordinal).to_owned())
}

/// The server that is called like a package, or else the one that comes in it.
fn server_of(snapshot: &Snapshot, package: &str) -> Option<u32> {
    let only = || match snapshot.short_named(Kind::McpServer, package).as_slice() {
        [only] => Some(*only),
        _ => None,
    };
    snapshot.find(Kind::McpServer, package).item().or_else(only)
}
