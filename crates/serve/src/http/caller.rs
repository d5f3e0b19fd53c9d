//! The caller of a request: an API key, or else an address.

use std::fmt;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::Arc;

use refdesk_core::key::KeyRecord;

use super::client_address::client_network;
use crate::state::rate_counter::RateScope;

/// A caller and its limit.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    pub(super) identity: CallerIdentity,
    /// Requests a minute; `None` without a limit.
    pub(super) per_minute: Option<NonZeroU32>,
}

/// What distinguishes a caller from others. Its text is the name under which a rate counter counts it.
#[derive(Debug, Clone)]
pub(super) enum CallerIdentity {
    /// Neither a key nor an address is known: a request that came without a socket.
    Unknown,
    /// An address, counted with its network.
    Address(IpAddr),
    /// A valid API key.
    Key(Arc<KeyRecord>),
    /// The command line of this machine, by the token of this desk.
    CommandLine,
}

impl fmt::Display for CallerIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str("unknown"),
            Self::Address(address) => match client_network(*address) {
                IpAddr::V6(network) => write!(f, "{network}/64"),
                address @ IpAddr::V4(_) => address.fmt(f),
            },
            Self::Key(key) => f.write_str(&key.id),
            Self::CommandLine => f.write_str("command line"),
        }
    }
}

/// As the access log names it: the address, or what is shown of a key.
impl fmt::Display for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.identity {
            CallerIdentity::Address(address) => address.fmt(f),
            CallerIdentity::Key(key) => write!(f, "{}…", key.prefix),
            other => other.fmt(f),
        }
    }
}

impl Caller {
    /// Whether the request was authenticated, with a key or as the command line of this machine.
    pub(crate) fn has_key(&self) -> bool {
        matches!(self.identity, CallerIdentity::Key(_)) || self.is_command_line()
    }

    /// Whether it is the command line of this machine.
    pub(crate) fn is_command_line(&self) -> bool {
        matches!(self.identity, CallerIdentity::CommandLine)
    }

    pub(super) fn scope(&self) -> RateScope {
        if matches!(self.identity, CallerIdentity::Key(_)) { RateScope::Key } else { RateScope::Anon }
    }
}
