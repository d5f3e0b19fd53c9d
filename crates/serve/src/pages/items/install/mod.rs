//! How a server or a skill is installed: what its source states, as lines to copy for each client. They name secrets and never hold their
//! values. What an upstream wrote is quoted for the shell and for the files of clients.

mod client_name;
mod clients;
mod inputs;
mod package;
mod skill;

use maud::{Markup, html};
use serde_json::Value;

use crate::pages::layout::table::{copied, copied_lines};
use crate::pages::layout::{freshness, values};

pub(super) use skill::{has_folder, skill};

/// One way to get a server.
struct InstallWay {
    label: String,
    means: Means,
    /// What its source states beyond that and no line has.
    left_out: Vec<String>,
}

/// What has to be done.
enum Means {
    /// A client starts the program.
    Command(Command),
    /// Clients connect to an address, where a program listens once somebody started it.
    Remote { remote: Remote, start: Option<Command> },
    /// Clients open a file.
    Bundle { url: String, sha256: Option<String> },
    /// A package of a registry that no line is known for.
    Unknown,
}

/// A program with its arguments, and what it reads from the environment.
struct Command {
    program: &'static str,
    arguments: Vec<String>,
    environment: Vec<(String, String)>,
}

/// An address with the headers that it asks for.
struct Remote {
    url: String,
    transport: &'static str,
    headers: Vec<(String, String)>,
}

/// The ways to install a server; the first one is open.
pub(super) fn server(item: &Value) -> Markup {
    let name = values::text(item, "name").or_else(|| values::text(item, "id")).unwrap_or_default();
    let name = client_name::of_server(name);
    let packages = values::list(item, "packages").iter().filter_map(package::way);
    let ways: Vec<InstallWay> = packages.chain(values::list(item, "remotes").iter().filter_map(remote)).collect();
    html! {
        h2 #install { "Install" (freshness::stale_fields(item, &["packages", "remotes"])) }
        @if ways.is_empty() { p { "Its source states neither a package nor an address to connect to. " @if values::text(&item["repository"], "url").is_some() { "Its repository may say how to run it." } } }
        @for (at, InstallWay { label, means, left_out }) in ways.iter().enumerate() {
            details open[at == 0] { summary { (label) } (shown(&name, means)) (incomplete(left_out)) }
        }
    }
}

/// That the lines do less than the source states.
fn incomplete(left_out: &[String]) -> Markup {
    html! {
        @if !left_out.is_empty() {
            p.soft { "These lines are incomplete. The source also states " code { (left_out.join(", ")) } ", which they leave out." }
        }
    }
}

fn shown(name: &str, means: &Means) -> Markup {
    match means {
        Means::Command(command) => clients::lines(name, &clients::Launch::Command(command)),
        Means::Remote { remote, start } => html! {
            @if let Some(start) = start {
                p { "Start it first; clients then connect to " code { (remote.url) } "." }
                (copied_lines(&start.line()))
            }
            (clients::lines(name, &clients::Launch::Remote(remote)))
        },
        Means::Bundle { url, sha256 } => html! {
            p { "An MCP bundle, which Claude Desktop and other clients open: " (values::outside(url)) }
            @if let Some(sha256) = sha256 { p { "SHA-256 of the file: " (copied(sha256)) } }
        },
        Means::Unknown => html! { p { "refdesk has no install command for this registry." } },
    }
}

fn remote(remote: &Value) -> Option<InstallWay> {
    let url = inputs::filled(&values::shown(remote["url"].as_str()?), &remote["variables"]);
    let transport = transport(&remote["type"]);
    let label = format!("remote at {url}");
    let remote = Remote { url, transport, headers: inputs::settings(&remote["headers"]) };
    Some(InstallWay { label, means: Means::Remote { remote, start: None }, left_out: Vec::new() })
}

/// What clients call a transport of the registry.
fn transport(stated: &Value) -> &'static str {
    if stated == "sse" { "sse" } else { "http" }
}

impl Command {
    /// The words of the program and its arguments.
    fn words(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.program).chain(self.arguments.iter().map(String::as_str))
    }

    /// A line that starts it in a shell.
    fn line(&self) -> String {
        // A shell assigns to its own names only; `env` sets any other, which then is one quoted word with its value.
        let env = if self.environment.iter().all(|(name, _)| is_shell_name(name)) { "" } else { "env -- " };
        let environment = self.environment.iter().map(|(name, value)| {
            if is_shell_name(name) {
                format!("{name}={}", shell_word(value))
            } else {
                shell_word(&format!("{name}={value}"))
            }
        });
        env.to_owned() + &environment.chain(self.words().map(shell_word)).collect::<Vec<_>>().join(" ")
    }
}

/// Whether a POSIX shell takes `name=value` for an assignment.
fn is_shell_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// A word as a POSIX shell takes it.
fn shell_word(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "@%+=:,./_-".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}
