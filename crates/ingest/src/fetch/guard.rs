//! Which addresses may be reached: public ones, and beyond them only what the configuration of a source itself names.
//!
//! Checked on the resolved address of every connection, so that neither a redirect nor a changed DNS answer leads inside.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::Url;

use crate::connectors::repository::public_host::{is_public, names_private_host};

/// What a source may reach beside public addresses.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Permission {
    /// Public addresses only.
    Public,
    /// Also this one host and port, because the source's url names it.
    Origin(String, u16),
    /// Any address: `allow_private = true`.
    Any,
}

impl Permission {
    /// What the configured url of a source permits.
    pub fn of_source(url: &Url, allow_private: bool) -> Self {
        if allow_private {
            return Self::Any;
        }
        match (url.host_str(), url.port_or_known_default()) {
            (Some(host), Some(port)) if names_private_host(url) => Self::Origin(host.to_owned(), port),
            _ => Self::Public,
        }
    }

    /// Checks a url before it is asked for: literal addresses here, names when they are resolved.
    ///
    /// # Errors
    /// When the url names an address that this source may not reach.
    pub fn check(&self, url: &Url) -> Result<(), BlockedAddress> {
        let named = match (url.host_str(), url.port_or_known_default()) {
            (Some(host), Some(port)) => *self == Self::Origin(host.to_owned(), port),
            _ => false,
        };
        if *self == Self::Any || named || !names_private_host(url) {
            return Ok(());
        }
        Err(BlockedAddress { host: url.host_str().unwrap_or_default().to_owned() })
    }

    fn allows_resolved(&self, host: &str, address: IpAddr) -> bool {
        match self {
            Self::Any => true,
            Self::Origin(named, _) if named == host => true,
            _ => is_public(address),
        }
    }
}

/// An address that must not be reached.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{host}` is a loopback, private or otherwise not public address; if that is meant, set allow_private = true for the source"
)]
pub struct BlockedAddress {
    /// The host as it was named.
    pub host: String,
}

/// No address was found for a name.
#[derive(Debug, Clone, thiserror::Error)]
#[error("the name `{host}` could not be resolved: {reason}")]
pub struct Unresolved {
    host: String,
    reason: String,
}

/// Resolves names with the system's resolver and drops what a source may not reach.
pub(super) struct GuardedResolver(pub(super) Arc<Permission>);

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let permission = Arc::clone(&self.0);
        Box::pin(async move {
            let host = name.as_str().to_owned();
            let found = tokio::net::lookup_host((host.as_str(), 0))
                .await
                .map_err(|error| Unresolved { host: host.clone(), reason: error.to_string() })?;
            let found: Vec<SocketAddr> = found.collect();
            if found.is_empty() {
                return Err(Unresolved { host, reason: "it has no address".into() }.into());
            }
            let allowed: Vec<SocketAddr> =
                found.into_iter().filter(|address| permission.allows_resolved(&host, address.ip())).collect();
            if allowed.is_empty() {
                return Err(BlockedAddress { host }.into());
            }
            Ok(Box::new(allowed.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::Permission;

    #[test]
    fn a_source_that_names_a_private_origin_may_reach_that_one_only() {
        let url = |text: &str| Url::parse(text).unwrap();
        let permission = Permission::of_source(&url("http://127.0.0.1:9900/a"), false);
        assert!(permission.check(&url("http://127.0.0.1:9900/b?c=d")).is_ok());
        assert!(permission.check(&url("https://e.example/")).is_ok());
        for blocked in [
            "http://127.0.0.1:1/",
            "http://localhost:9900/",
            "http://10.0.0.1/",
            "http://[::1]:9900/",
            "http://2130706433:1/",
        ] {
            assert!(permission.check(&url(blocked)).is_err(), "{blocked}");
        }
        let public = Permission::of_source(&url("https://e.example/a"), false);
        assert!(public.check(&url("http://127.0.0.1:9900/")).is_err());
        assert!(Permission::of_source(&url("https://e.example/a"), true).check(&url("http://10.0.0.1/")).is_ok());
    }
}
