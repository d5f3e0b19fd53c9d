//! MCP clients, and the lines that tell each of a desk. They stand in `clients.toml`, of which the manual and the README are made, too:
//! `scripts/clients.py` writes those, and connects real clients with exactly these lines.
//!
//! Here the example's address and way become those of the desk that shows the page.

use std::sync::LazyLock;

use serde::Deserialize;

/// What stands in the data for the address of a desk.
const ADDRESS: &str = "http://127.0.0.1:8787";

static CLIENTS: LazyLock<Result<Vec<Client>, String>> = LazyLock::new(|| {
    let read: Result<Clients, _> = toml::from_str(include_str!("clients.toml"));
    read.map(|clients| clients.client).map_err(|error| format!("clients.toml: {error}"))
});

#[derive(Deserialize)]
struct Clients {
    client: Vec<Client>,
}

/// A client and its ways.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Client {
    pub(super) name: String,
    pub(super) check: String,
    pub(super) note: Option<String>,
    pub(super) note_keyed: Option<String>,
    pub(super) http: Option<Way>,
    pub(super) stdio: Option<Way>,
}

/// What a client is told, and where.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Way {
    pub(super) place: String,
    /// Of the lines; the manual names it, the page does not.
    #[serde(rename = "language")]
    _language: String,
    open: String,
    keyed: Option<String>,
}

/// All of them, in the order of the page; an error is a mistake in the data, which the tests find.
pub(super) fn clients() -> Result<&'static [Client], String> {
    CLIENTS.as_deref().map_err(Clone::clone)
}

impl Client {
    /// The part of the page's address that leads to it: `claude-code`.
    pub(super) fn anchor(&self) -> String {
        self.name.to_lowercase().replace(' ', "-")
    }
}

impl Way {
    /// The lines for a desk at an address; `None` where a client has none for a desk that asks for a key.
    pub(super) fn lines(&self, origin: &str, needs_key: bool) -> Option<String> {
        let lines = if needs_key { self.keyed.as_deref()? } else { self.open.as_str() };
        Some(lines.trim().replace(ADDRESS, origin))
    }

    /// The same for a client that starts a program, which is to answer from this desk and not from a store of its own.
    pub(super) fn bridge(&self, origin: &str, needs_key: bool) -> Option<String> {
        let lines = self.lines(origin, needs_key)?;
        if needs_key {
            return Some(lines);
        }
        let bridged = lines
            .replace("\"mcp\"]", &format!("\"mcp\", \"--url\", \"{origin}\"]"))
            .replace("refdesk mcp", &format!("refdesk mcp --url {origin}"))
            .replace("--arg mcp", &format!("--arg mcp --arg --url --arg {origin}"));
        Some(bridged)
    }
}
