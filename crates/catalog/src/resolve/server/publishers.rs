//! Who publishes an entry of a registry of MCP servers: the owner of the code, somebody else, or a gateway that runs the servers of many
//! owners. Of several entries of one server the owner's speaks first and a gateway's last; where the owner speaks, what others published
//! ([`foreign`]) never says how the server is run.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::resolve::names::{is_common_word, letters};
use crate::resolve::repository::repository_key;
use refdesk_core::Kind;
use refdesk_core::fact::{StatedBy, StoredFact};

/// The front of namespaces that belong to an account of a code host. All others are domains, backwards.
pub const CODE_HOSTS: [&str; 3] = ["io.github.", "io.gitlab.", "com.github."];
/// A namespace whose entries point to repositories of so many owners is a gateway.
const GATEWAY_OWNERS_MIN: usize = 3;

/// What the publisher of an entry is to the code, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Publisher {
    /// The entry is in the namespace of the owner of its repository.
    Owner,
    /// Nothing is known, or it is somebody else.
    Other,
    /// Its namespace has servers of many owners.
    Gateway,
}

/// The namespaces that are gateways, in lower case.
#[derive(Debug, Default)]
pub struct Gateways(HashSet<String>);

impl Gateways {
    /// Those among the entries of some servers.
    pub fn new<'a>(servers: impl Iterator<Item = &'a StoredFact>) -> Self {
        let mut owners: HashMap<String, HashSet<String>> = HashMap::new();
        for server in servers {
            if let (Some(namespace), Some((owner, _))) = (namespace(server), owner_and_repository(server)) {
                owners.entry(namespace).or_default().insert(owner);
            }
        }
        owners.retain(|_, of| of.len() >= GATEWAY_OWNERS_MIN);
        Self(owners.into_keys().collect())
    }

    /// What the publisher of an entry is to its code.
    pub fn publisher(&self, entry: &StoredFact) -> Publisher {
        match namespace(entry) {
            Some(_) if is_owners(entry) => Publisher::Owner,
            Some(namespace) if self.0.contains(&namespace) => Publisher::Gateway,
            _ => Publisher::Other,
        }
    }

    /// Who publishes what a fact speaks of: for an entry of a gateway, which runs what others wrote, the owner of the repository.
    pub fn vendor(&self, fact: &StoredFact) -> Option<String> {
        let is_gateways = fact.kind == Kind::McpServer && self.publisher(fact) == Publisher::Gateway;
        let owner = fact.identity.repository.as_deref().filter(|_| is_gateways && owner_and_repository(fact).is_some());
        owner.and_then(owner_of).or_else(|| fact.head.vendor.clone())
    }
}

/// The entries of registries among the facts of one server that somebody else than its owner published, where the owner speaks, too: by an
/// entry of its own, or on a card that says so. A registry knows whose a namespace is, and not whose a repository: anybody may state one.
pub fn foreign(facts: &[StoredFact], members: &[usize]) -> HashSet<usize> {
    if members.len() < 2 || facts[members[0]].kind != Kind::McpServer {
        return HashSet::new();
    }
    let live = || members.iter().map(|at| &facts[*at]).filter(|fact| fact.standing.removed_at.is_none());
    let cards: Vec<&StoredFact> = live().filter(|fact| is_official_card(fact)).collect();
    if cards.is_empty() && !live().any(is_owners) {
        return HashSet::new();
    }
    let is_known = |entry: &StoredFact, namespace: &str| {
        let name = format!("mcp:{}", entry.key);
        cards.iter().any(|card| {
            let vendor = card.head.vendor.as_deref().map(letters).unwrap_or_default();
            card.identity.same_as.iter().any(|known| known.eq_ignore_ascii_case(&name))
                || namespace.split('.').any(|label| letters(label) == vendor)
        })
    };
    let is_foreign = |at: &usize| {
        let entry = &facts[*at];
        namespace(entry).is_some_and(|namespace| !is_owners(entry) && !is_known(entry, &namespace))
    };
    members.iter().copied().filter(is_foreign).collect()
}

/// Whether an entry is in the namespace of the owner of its repository.
fn is_owners(entry: &StoredFact) -> bool {
    let (Some(namespace), Some((owner, repository))) = (namespace(entry), owner_and_repository(entry)) else {
        return false;
    };
    is_of(&namespace, &owner, &repository)
}

/// Whether a person states on a card that the server is its vendor's own.
fn is_official_card(fact: &StoredFact) -> bool {
    fact.provenance.stated_by == Some(StatedBy::Card) && fact.fields.read().get("official") == Some(&Value::Bool(true))
}

/// The namespace and the name in a name of a registry: `io.github.somebody` and `weather` of `io.github.somebody/weather`.
pub fn registry_name(name: &str) -> Option<(&str, &str)> {
    let (namespace, name) = name.split_once('/')?;
    (namespace.contains('.') && !namespace.contains(':') && !name.contains('/')).then_some((namespace, name))
}

/// The namespace of an entry, in lower case.
fn namespace(entry: &StoredFact) -> Option<String> {
    registry_name(&entry.key).map(|(namespace, _)| namespace.to_lowercase())
}

/// The owner and the name of an entry's repository, in lower case.
fn owner_and_repository(entry: &StoredFact) -> Option<(String, String)> {
    let key = entry.identity.repository.as_deref().and_then(repository_key)?;
    let mut parts = key.split('#').next()?.split('/').skip(1);
    Some((parts.next()?.to_owned(), parts.next()?.to_owned()))
}

/// The owner in the address of a repository, as it is spelt there.
fn owner_of(repository: &str) -> Option<String> {
    let (_, path) = repository.split_once("://")?;
    path.split('/').nth(1).map(str::to_owned)
}

/// Whether a namespace is the owner's: their account, or a domain that is called like them or like the repository.
fn is_of(namespace: &str, owner: &str, repository: &str) -> bool {
    match CODE_HOSTS.iter().find_map(|host| namespace.strip_prefix(host)) {
        Some(account) => account == owner,
        None => {
            namespace.split('.').skip(1).any(|label| (label == owner || label == repository) && !is_common_word(label))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{is_of, registry_name};

    #[test]
    fn a_registry_name_ends_with_the_name_of_its_server() {
        for (name, expected) in [
            ("io.github.github/github-mcp-server", Some(("io.github.github", "github-mcp-server"))),
            ("data/lamp/lamp.yml", None),
            ("acme/lamp", None),
            ("https://acme.example/lamp", None),
            ("lamp", None),
        ] {
            assert_eq!(registry_name(name), expected, "{name}");
        }
    }

    #[test]
    fn a_namespace_is_the_owners_by_account_or_by_domain() {
        for (namespace, owner, repository, expected) in [
            ("io.github.acme", "acme", "lamp", true),
            ("io.github.other", "acme", "lamp", false),
            ("io.github.lamp", "acme", "lamp", false),
            ("com.acme.mcp", "acme", "lamp", true),
            ("com.lamp", "acme", "lamp", true),
            ("com.other.mcp", "acme", "mcp", false),
            ("ai.gateway", "acme", "lamp", false),
            ("acme.gateway", "acme", "lamp", false),
        ] {
            assert_eq!(is_of(namespace, owner, repository), expected, "{namespace} {owner}/{repository}");
        }
    }
}
