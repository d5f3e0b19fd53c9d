//! Which hosts are of the public internet, by their address alone: no name is resolved. What a source may reach is decided in
//! [`crate::fetch::guard`].

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

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

#[cfg(test)]
mod tests {
    use super::is_public;

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
}
