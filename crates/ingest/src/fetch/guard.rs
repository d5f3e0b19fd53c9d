//! Which addresses may be reached: public ones, and beyond them only what the configuration of a source itself names.
//!
//! Checked on the resolved address of every connection, so that neither a redirect nor a changed DNS answer leads inside.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::{Host, Url};

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

/// True when the url itself names a loopback, private or otherwise not public host.
pub fn names_private_host(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.').to_ascii_lowercase();
            name == "localhost" || name.ends_with(".localhost")
        }
        Some(Host::Ipv4(address)) => !is_public(IpAddr::V4(address)),
        Some(Host::Ipv6(address)) => !is_public(IpAddr::V6(address)),
        None => false,
    }
}

/// True for addresses of the public internet. The ranges are those of the IANA special-purpose registries.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let special = address.is_unspecified()
        || a == 0
        || address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || (a == 100 && (64..128).contains(&b)) // shared address space of carriers (RFC 6598)
        || (a == 192 && b == 0 && (c == 0 || c == 2)) // protocol assignments, documentation
        || (a == 192 && b == 88 && c == 99) // 6to4 relays
        || (a == 198 && (b == 18 || b == 19)) // benchmarks
        || (a == 198 && b == 51 && c == 100)
        || (a == 203 && b == 0 && c == 113)
        || address.is_multicast()
        || a >= 240; // reserved and broadcast
    !special
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    if let Some(v4) = address.to_ipv4_mapped() {
        return is_public_v4(v4);
    }
    let segments = address.segments();
    let embedded = |high: u16, low: u16| {
        let [a, b] = high.to_be_bytes();
        let [c, d] = low.to_be_bytes();
        is_public_v4(Ipv4Addr::new(a, b, c, d))
    };
    if segments[0] == 0x2002 {
        return embedded(segments[1], segments[2]); // 6to4 carries an IPv4 address
    }
    if segments[0] == 0x64 && segments[1] == 0xff9b && segments[2..6] == [0; 4] {
        return embedded(segments[6], segments[7]); // NAT64
    }
    // Global unicast is 2000::/3; what is special inside of it goes too.
    (segments[0] & 0xe000) == 0x2000
        && !(segments[0] == 0x2001 && segments[1] < 0x0200) // protocol assignments, Teredo, ORCHID
        && !(segments[0] == 0x2001 && segments[1] == 0x0db8) // documentation
        && !(segments[0] == 0x3fff && segments[1] < 0x1000) // documentation
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

    use super::{Permission, is_public};

    #[test]
    fn only_addresses_of_the_public_internet_are_public() {
        let public = [
            "1.1.1.1",
            "140.82.121.4",
            "100.63.255.255",
            "100.128.0.0",
            "2606:4700::1111",
            "::ffff:1.1.1.1",
            "2002:101:101::1",
        ];
        let inside = [
            "0.0.0.0",
            "0.1.2.3",
            "127.0.0.1",
            "127.9.9.9",
            "10.0.0.1",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "100.127.255.255",
            "224.0.0.1",
            "255.255.255.255",
            "240.0.0.1",
            "192.0.2.1",
            "198.18.0.1",
            "203.0.113.9",
            "::",
            "::1",
            "fe80::1",
            "fc00::1",
            "fd12::1",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "2001:db8::1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
            "2001::1",
            "::127.0.0.1",
        ];
        for text in public {
            assert!(is_public(text.parse().unwrap()), "{text}");
        }
        for text in inside {
            assert!(!is_public(text.parse().unwrap()), "{text}");
        }
    }

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
