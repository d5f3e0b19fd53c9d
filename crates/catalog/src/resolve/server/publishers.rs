//! Who publishes an entry of a registry of MCP servers: the owner of the code, somebody else, or a gateway that runs the servers of many
//! owners. Of several entries of one server the owner's speaks first and a gateway's last.

use std::collections::{HashMap, HashSet};

use crate::resolve::group::{is_common_word, repository_key};
use refdesk_core::fact::StoredFact;

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
        let Some(namespace) = namespace(entry) else { return Publisher::Other };
        if owner_and_repository(entry).is_some_and(|(owner, repository)| is_of(&namespace, &owner, &repository)) {
            return Publisher::Owner;
        }
        if self.0.contains(&namespace) { Publisher::Gateway } else { Publisher::Other }
    }
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
