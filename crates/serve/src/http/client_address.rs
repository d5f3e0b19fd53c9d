//! The address that a request is counted by: the socket's, or the one that a trusted proxy reports in `X-Forwarded-For`.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use http::{HeaderMap, HeaderName, header};

use crate::settings::Settings;

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
/// Hops of `X-Forwarded-For` that are read.
const FORWARDED_HOPS_MAX: usize = 32;

/// The network that an address is counted by: itself, and for IPv6 its /64, which one customer has.
pub(crate) fn client_network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let mut network = address.segments();
            network[4..].fill(0);
            IpAddr::V6(Ipv6Addr::from(network))
        }
        address @ IpAddr::V4(_) => address,
    }
}

/// Whether an address belongs to a trusted proxy.
pub(crate) fn is_trusted_proxy(settings: &Settings, address: IpAddr) -> bool {
    settings.trusted_proxies.iter().any(|network| network.contains(&address.to_canonical()))
}

/// Headers that a proxy on this machine adds: with one of them, who asks is not on this machine.
const OF_PROXIES: [HeaderName; 4] =
    [X_FORWARDED_FOR, header::FORWARDED, HeaderName::from_static("x-real-ip"), header::VIA];

/// Whether a request comes from a program of this machine, as far as its connection and headers tell.
pub(crate) fn is_local(peer: Option<IpAddr>, headers: &HeaderMap) -> bool {
    peer.is_some_and(|peer| peer.to_canonical().is_loopback())
        && !OF_PROXIES.iter().any(|name| headers.contains_key(name))
}

/// The address of the client: the peer's, or behind trusted proxies the first untrusted one of `X-Forwarded-For`, read from the right.
pub(crate) fn client_address(settings: &Settings, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
    let trusted = |address: &IpAddr| is_trusted_proxy(settings, *address);
    let mut client = peer.to_canonical();
    if trusted(&client) {
        let hops: Vec<&str> = headers
            .get_all(X_FORWARDED_FOR)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .collect();
        for hop in hops.iter().rev().take(FORWARDED_HOPS_MAX) {
            let Some(address) = parse_forwarded(hop) else { break };
            client = address;
            if !trusted(&client) {
                break;
            }
        }
    }
    client
}

/// Parses an address of `X-Forwarded-For`, with or without a port.
fn parse_forwarded(hop: &str) -> Option<IpAddr> {
    let hop = hop.trim().trim_matches('"');
    let address = hop.parse::<IpAddr>().ok().or_else(|| hop.parse::<SocketAddr>().ok().map(|socket| socket.ip()));
    let address = address.or_else(|| hop.strip_prefix('[')?.split(']').next()?.parse().ok())?;
    Some(address.to_canonical())
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use http::{HeaderMap, HeaderValue};

    use super::{client_address, client_network};
    use crate::settings::Settings;

    fn address(peer: &str, forwarded: &'static str) -> String {
        let settings = Settings {
            trusted_proxies: ["10.0.0.0/8", "fd00::/8"].iter().filter_map(|net| net.parse().ok()).collect(),
            ..Settings::default()
        };
        let mut headers = HeaderMap::new();
        headers.insert("x-forwarded-for", HeaderValue::from_static(forwarded));
        client_network(client_address(&settings, peer.parse().unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED)), &headers))
            .to_string()
    }

    #[test]
    fn no_more_hops_are_looked_at_than_the_limit() {
        for (proxies, counted) in [(31, "198.51.100.1"), (32, "10.0.0.2")] {
            let forwarded = format!("198.51.100.1{}", ", 10.0.0.2".repeat(proxies));
            assert_eq!(address("10.0.0.1", forwarded.leak()), counted, "{proxies}");
        }
    }

    #[test]
    fn forwarded_addresses_are_believed_only_from_trusted_proxies_and_from_the_right() {
        for (peer, forwarded, counted) in [
            ("203.0.113.9", "198.51.100.1", "203.0.113.9"),
            ("10.0.0.1", "198.51.100.1", "198.51.100.1"),
            ("10.0.0.1", "1.2.3.4, 198.51.100.1, 10.0.0.2", "198.51.100.1"),
            ("10.0.0.1", "junk, 10.0.0.2", "10.0.0.2"),
            ("10.0.0.1", "198.51.100.1:4711", "198.51.100.1"),
            ("fd00::1", "[2001:db8:1:2:3::4]:99", "2001:db8:1:2::"),
            ("::ffff:203.0.113.9", "", "203.0.113.9"),
            ("2001:db8:1:2:aaaa::1", "", "2001:db8:1:2::"),
        ] {
            assert_eq!(address(peer, forwarded), counted, "{peer} {forwarded}");
        }
    }
}
