//! The servers that makers publish under their own name: whoever types `stripe` means the one of Stripe, `com.stripe/mcp`, before those that
//! others call `Stripe`.

use serde_json::Value;

use crate::resolve::{CODE_HOSTS, ResolvedItem, letters, registry_name};
use refdesk_core::Kind;
use refdesk_core::text::words;

/// Words of names that say that something is an MCP server, and not which.
const OF_ANY_SERVER: [&str; 5] = ["mcp", "server", "servers", "remote", "official"];
/// A shorter word is no beginning of a maker's name.
const BEGINNING_CHARS_MIN: usize = 4;

/// The maker's name, when a registered server is called by nothing else: `figma` for `com.figma.mcp/mcp`, `redis` for
/// `io.github.redis/mcp-redis`. A registry has seen that a namespace is its publisher's, so nobody else is called so there.
///
/// Of servers that are official a name may be the beginning of the maker's: `mongodb` for `io.github.mongodb-js/mongodb-mcp-server`.
pub fn of(item: &ResolvedItem) -> Option<&str> {
    if item.kind != Kind::McpServer {
        return None;
    }
    let (namespace, name) = item.aliases.iter().find_map(|alias| registry_name(alias))?;
    let own: Vec<&str> = words(name).filter(|word| !is_of_any_server(word)).collect();
    let said = letters(&own.concat());
    // A domain is written backwards: its first label is `com` or the like.
    let (top, mut labels) = match CODE_HOSTS.iter().find_map(|host| namespace.strip_prefix(host)) {
        Some(account) => ("", account.split('.')),
        None => namespace.split_once('.').map(|(top, labels)| (top, labels.split('.')))?,
    };
    if said.is_empty() {
        return labels.rfind(|label| !is_of_any_server(label));
    }
    let is_called_so = |label: &&str| said == letters(label) || said == letters(label) + &letters(top);
    let is_official = item.fields.get("official") == Some(&Value::Bool(true));
    let begins_so = |label: &str| letters(label).starts_with(&said);
    labels.clone().find(is_called_so).or_else(|| match own[..] {
        [word] if is_official && word.chars().count() >= BEGINNING_CHARS_MIN && labels.any(begins_so) => Some(word),
        _ => None,
    })
}

fn is_of_any_server(word: &str) -> bool {
    OF_ANY_SERVER.iter().any(|known| known.eq_ignore_ascii_case(word))
}
