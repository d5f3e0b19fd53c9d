//! Hosts that requests may name, against DNS rebinding: a page of a foreign site must not reach a service on loopback by a name of its own.

use std::net::{IpAddr, Ipv6Addr};

use crate::settings::Settings;

/// The host without its port: `[::1]:8787` gives `::1`, `example.org:443` gives `example.org`. `None` when it is not a host and a port.
pub(crate) fn host_without_port(named: &str) -> Option<&str> {
    let named = named.trim();
    let (host, port) = match named.strip_prefix('[') {
        Some(rest) => rest.split_once(']').filter(|(inside, _)| inside.parse::<Ipv6Addr>().is_ok())?,
        None => named.find(':').map_or((named, ""), |at| named.split_at(at)),
    };
    let is_port =
        |port: &str| port.bytes().all(|byte| byte.is_ascii_digit()) && (port.is_empty() || port.parse::<u16>().is_ok());
    let has_port = port.is_empty() || port.strip_prefix(':').is_some_and(is_port);
    (has_port && !host.is_empty()).then_some(host.trim_end_matches('.'))
}

/// Whether requests for a host are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HostVerdict {
    Allowed,
    NotAllowed,
    /// The text is not a host.
    Malformed,
}

/// The hosts that requests may name, besides loopback.
#[derive(Debug)]
pub(crate) struct AllowedHosts {
    any: bool,
    /// Hosts of both public URLs and of the settings, without ports.
    known: Vec<String>,
}

impl AllowedHosts {
    pub(crate) fn new(settings: &Settings) -> Self {
        let public = [&settings.base_url, &settings.api_url].into_iter().filter_map(|base| url::Url::parse(base).ok());
        let public = public.filter_map(|base| host_without_port(base.host_str()?).map(str::to_owned));
        let further = settings.allowed_hosts.iter().filter_map(|host| host_without_port(host).map(str::to_owned));
        Self { any: settings.any_host, known: public.chain(further).collect() }
    }

    /// Whether a request for this host is answered: one of ours, or any where the settings allow any.
    pub(crate) fn check(&self, named: &str) -> HostVerdict {
        let Some(host) = host_without_port(named) else { return HostVerdict::Malformed };
        if self.knows(host) {
            return HostVerdict::Allowed;
        }
        match (host.parse::<Ipv6Addr>().is_err() && url::Host::parse(host).is_err(), self.any) {
            (true, _) => HostVerdict::Malformed,
            (false, true) => HostVerdict::Allowed,
            (false, false) => HostVerdict::NotAllowed,
        }
    }

    /// Whether this is a loopback name or a configured host, even where any host is answered.
    pub(crate) fn is_own(&self, named: &str) -> bool {
        host_without_port(named).is_some_and(|host| self.knows(host))
    }

    fn knows(&self, host: &str) -> bool {
        is_loopback_name(host) || self.known.iter().any(|known| known.eq_ignore_ascii_case(host))
    }
}

/// `localhost`, `127.0.0.0/8` and `::1`.
fn is_loopback_name(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost") || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::{AllowedHosts, HostVerdict};
    use crate::settings::Settings;

    #[test]
    fn only_loopback_and_configured_hosts_are_answered() {
        let settings = Settings {
            base_url: "https://desk.example.org".into(),
            allowed_hosts: vec!["api.example.org:8443".into()],
            ..Settings::default()
        };
        for (host, answered) in [
            ("localhost:8787", HostVerdict::Allowed),
            ("localhost.", HostVerdict::Allowed),
            ("127.0.0.1", HostVerdict::Allowed),
            ("[::1]:80", HostVerdict::Allowed),
            ("DESK.example.org", HostVerdict::Allowed),
            ("api.example.org", HostVerdict::Allowed),
            ("evil.example", HostVerdict::NotAllowed),
            ("localhost.evil.example", HostVerdict::NotAllowed),
            ("0.0.0.0:8787", HostVerdict::NotAllowed),
            ("[2001:db8::1]", HostVerdict::NotAllowed),
            ("[::1].evil.example", HostVerdict::Malformed),
            ("[::1]evil.example", HostVerdict::Malformed),
            ("[::1", HostVerdict::Malformed),
            ("::1", HostVerdict::Malformed),
            ("[localhost]", HostVerdict::Malformed),
            ("localhost:http", HostVerdict::Malformed),
            ("localhost:99999", HostVerdict::Malformed),
            ("localhost:80:80", HostVerdict::Malformed),
            ("user@localhost", HostVerdict::Malformed),
            ("local host", HostVerdict::Malformed),
            ("localhost/evil", HostVerdict::Malformed),
            ("", HostVerdict::Malformed),
            (":80", HostVerdict::Malformed),
        ] {
            assert_eq!(AllowedHosts::new(&settings).check(host), answered, "{host}");
            let anywhere = AllowedHosts::new(&Settings { any_host: true, ..settings.clone() }).check(host);
            assert_eq!(
                anywhere == HostVerdict::Malformed,
                answered == HostVerdict::Malformed,
                "{host}: allowing any host does not allow what is not a host"
            );
        }
    }
}
