//! Who calls and how often: keys, addresses, limits per minute. `docs/api.md#keys-and-limits`.
//!
//! Counting is behind [`Counter`], so that several servers can share one (Redis); [`LocalCounter`] counts in this process,
//! in bounded memory.

use std::collections::HashMap;
use std::fmt;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use governor::clock::{Clock as _, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::{InMemoryState, NotKeyed};
use governor::{Quota, RateLimiter};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};

use crate::desk::{Desk, Settings};
use crate::guard::MCP_PATH;
use crate::keys::{KeyRecord, Refusal};
use crate::problem::{Code, Problem};

const X_API_KEY: HeaderName = HeaderName::from_static("x-api-key");
const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
/// The window of all limits, in seconds.
const WINDOW_SECS: u32 = 60;
/// Hops of `X-Forwarded-For` that are looked at.
const FORWARDED_HOPS_MAX: usize = 32;

/// Which limit a call counts against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// By address.
    Anon,
    /// By key.
    Key,
}

impl Scope {
    /// Name of the policy in the headers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Anon => "anon",
            Self::Key => "key",
        }
    }
}

/// What a counter says to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    /// Whether the call is within the limit.
    pub allowed: bool,
    /// Calls left just now.
    pub remaining: u32,
    /// Until the whole quota is there again, or for a refused call until the next one is allowed.
    pub wait: Duration,
}

/// Counts calls. A shared implementation lets several servers count as one.
pub trait Counter: Send + Sync {
    /// Takes one call of `who` from a quota per minute.
    fn take(&self, scope: Scope, who: &str, per_minute: NonZeroU32) -> Verdict;
}

/// By scope, caller and limit.
type Limiters = HashMap<(Scope, Box<str>, u32), Arc<Limiter>>;
type Limiter = RateLimiter<NotKeyed, InMemoryState, DefaultClock, StateInformationMiddleware>;

/// Counts in this process. Two maps of at most half the bound each: when the young one is full it becomes the old one, and what
/// nobody asked for since is dropped with the old one, the oldest first.
#[derive(Debug)]
pub struct LocalCounter {
    half: usize,
    maps: Mutex<[Limiters; 2]>,
    clock: DefaultClock,
}

impl LocalCounter {
    /// Counts at most `callers_max` callers at once.
    pub fn new(callers_max: usize) -> Self {
        Self { half: (callers_max / 2).max(1), maps: Mutex::default(), clock: DefaultClock::default() }
    }

    fn limiter(&self, scope: Scope, who: &str, per_minute: NonZeroU32) -> Arc<Limiter> {
        let name = (scope, Box::from(who), per_minute.get());
        let fresh = || Arc::new(RateLimiter::direct(Quota::per_minute(per_minute)).with_middleware());
        // A poisoned lock means a panic while counting; counting anew for this caller is the safe way on.
        let Ok(mut maps) = self.maps.lock() else { return fresh() };
        if let Some(known) = maps[0].get(&name) {
            return Arc::clone(known);
        }
        let limiter = maps[1].remove(&name).unwrap_or_else(fresh);
        if maps[0].len() >= self.half {
            maps[1] = std::mem::take(&mut maps[0]);
        }
        maps[0].insert(name, Arc::clone(&limiter));
        limiter
    }

    /// Callers that are counted just now.
    pub fn callers(&self) -> usize {
        self.maps.lock().map(|maps| maps[0].len() + maps[1].len()).unwrap_or_default()
    }
}

impl Counter for LocalCounter {
    fn take(&self, scope: Scope, who: &str, per_minute: NonZeroU32) -> Verdict {
        match self.limiter(scope, who, per_minute).check() {
            Ok(state) => {
                let remaining = state.remaining_burst_capacity();
                let used = per_minute.get().saturating_sub(remaining);
                let wait = Duration::from_secs(WINDOW_SECS.into()) * used / per_minute.get();
                Verdict { allowed: true, remaining, wait }
            }
            Err(refused) => Verdict { allowed: false, remaining: 0, wait: refused.wait_time_from(self.clock.now()) },
        }
    }
}

/// A caller whose identity is settled: what it is counted as.
#[derive(Debug, Clone)]
pub struct Identified {
    who: Who,
    per_minute: Option<NonZeroU32>,
}

/// What a caller is told apart by. Its text is what a [`Counter`] counts.
#[derive(Debug, Clone)]
enum Who {
    /// Nothing is known of it.
    Unknown,
    /// An address; one customer has a /64 of IPv6.
    Address(IpAddr),
    Key(Arc<KeyRecord>),
}

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str("unknown"),
            Self::Address(address) => match network(*address) {
                IpAddr::V6(network) => write!(f, "{network}/64"),
                address @ IpAddr::V4(_) => address.fmt(f),
            },
            Self::Key(key) => f.write_str(&key.id),
        }
    }
}

/// What an address counts as: itself, and of IPv6 its /64.
pub(crate) fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let mut network = address.segments();
            network[4..].fill(0);
            IpAddr::V6(Ipv6Addr::from(network))
        }
        address @ IpAddr::V4(_) => address,
    }
}

impl Identified {
    /// Authenticated with a key.
    pub fn keyed(&self) -> bool {
        self.scope() == Scope::Key
    }

    fn scope(&self) -> Scope {
        if matches!(self.who, Who::Key(_)) { Scope::Key } else { Scope::Anon }
    }

    /// Counts one call and gives the headers for its answer, or the 429.
    ///
    /// # Errors
    /// The 429, when the limit is exceeded.
    pub fn count(&self, desk: &Desk) -> Result<HeaderMap, Problem> {
        let Some(per_minute) = self.per_minute else { return Ok(HeaderMap::new()) };
        let scope = self.scope();
        let verdict = desk.counter.take(scope, &self.who.to_string(), per_minute);
        let headers = rate_headers(scope, per_minute, verdict);
        if verdict.allowed {
            return Ok(headers);
        }
        desk.metrics.limited.with_label_values(&[scope.as_str()]).inc();
        let mut problem = too_many(scope, per_minute, verdict);
        problem.headers.extend(headers);
        Err(problem)
    }
}

fn seconds_up(wait: Duration) -> u64 {
    wait.as_secs() + u64::from(wait.subsec_nanos() > 0)
}

fn rate_headers(scope: Scope, per_minute: NonZeroU32, verdict: Verdict) -> HeaderMap {
    let name = scope.as_str();
    let mut headers = HeaderMap::new();
    let policy = format!("\"{name}\";q={per_minute};w={WINDOW_SECS}");
    let state = format!("\"{name}\";r={};t={}", verdict.remaining, seconds_up(verdict.wait));
    for (header, text) in [(RATE_LIMIT_POLICY, policy), (RATE_LIMIT, state)] {
        if let Ok(value) = HeaderValue::from_str(&text) {
            headers.insert(header, value);
        }
    }
    headers
}

fn too_many(scope: Scope, per_minute: NonZeroU32, verdict: Verdict) -> Problem {
    let wait = seconds_up(verdict.wait).max(1);
    let hint = match scope {
        Scope::Anon => "Wait for Retry-After seconds, or ask the operator for an API key.",
        Scope::Key => "Wait for Retry-After seconds, or ask the operator for a higher limit.",
    };
    let detail = format!("The limit is {per_minute} calls a minute.");
    Problem::new(StatusCode::TOO_MANY_REQUESTS, Code::RateLimited, "rate limit exceeded", detail)
        .hint(hint)
        .with("limit_per_minute", per_minute.get())
        .with("retry_after_seconds", wait)
        .with("scope", scope.as_str())
        .header(header::RETRY_AFTER, HeaderValue::from(wait))
}

/// Identifies the caller on every path and counts the REST reads; with it come the headers of the limit.
pub(crate) fn admit(desk: &Desk, peer: Option<IpAddr>, parts: &Parts) -> Result<(Identified, HeaderMap), Problem> {
    let address = client_address(&desk.settings, peer, &parts.headers);
    let caller = identify(desk, address, &parts.headers)?;
    let path = parts.uri.path();
    let is_read = path.starts_with("/v1/") || path == "/v1";
    if desk.settings.require_key && !caller.keyed() && (is_read || path == MCP_PATH) {
        return Err(key_required());
    }
    let headers = if is_read { caller.count(desk)? } else { HeaderMap::new() };
    Ok((caller, headers))
}

/// The caller by its key, else by its address. A wrong key is refused and counts against the address.
fn identify(desk: &Desk, address: Who, headers: &HeaderMap) -> Result<Identified, Problem> {
    let anonymous = Identified { who: address, per_minute: NonZeroU32::new(desk.settings.anon_per_minute) };
    let Some(sent) = sent_key(headers) else { return Ok(anonymous) };
    let checked = sent.and_then(|sent| desk.keys.check(sent, desk.now()));
    match checked {
        Ok(key) => {
            let per_minute = key.limit_per_minute.unwrap_or(desk.settings.key_per_minute);
            Ok(Identified { who: Who::Key(key), per_minute: NonZeroU32::new(per_minute) })
        }
        Err(refusal) => {
            let rate = anonymous.count(desk)?;
            let mut problem = refused(refusal);
            problem.headers.extend(rate);
            Err(problem)
        }
    }
}

/// The key as it was sent: the bearer token wins over `x-api-key`. Malformed are an Authorization that holds no bearer token, and a
/// header that is sent twice, of which a proxy may have checked the other one.
fn sent_key(headers: &HeaderMap) -> Option<Result<&str, Refusal>> {
    let name = [header::AUTHORIZATION, X_API_KEY].into_iter().find(|name| headers.contains_key(name))?;
    let mut values = headers.get_all(&name).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return Some(Err(Refusal::Malformed)) };
    let text = value.to_str().map_err(|_| Refusal::Malformed).map(str::trim);
    if name == X_API_KEY {
        return Some(text);
    }
    Some(text.and_then(|text| {
        let (scheme, token) = text.split_once(' ').ok_or(Refusal::Malformed)?;
        if scheme.eq_ignore_ascii_case("bearer") { Ok(token.trim()) } else { Err(Refusal::Malformed) }
    }))
}

fn refused(refusal: Refusal) -> Problem {
    let (code, error, detail, hint) = match refusal {
        Refusal::Malformed => (
            Code::MalformedKey,
            "invalid API key",
            "The key has not the form of a key of this service, or a character of it is wrong.",
            "Send Authorization: Bearer rdk_… exactly as it was shown when the key was made, or no key at all.",
        ),
        Refusal::Unknown => (
            Code::UnknownKey,
            "invalid API key",
            "The key is not one of this service's.",
            "Ask the operator for a key, or send none.",
        ),
        Refusal::Revoked => (
            Code::RevokedKey,
            "revoked API key",
            "The key was revoked by the operator.",
            "Ask the operator for a new key, or send none.",
        ),
        Refusal::Expired => (
            Code::ExpiredKey,
            "expired API key",
            "The key is past its time.",
            "Ask the operator for a new key, or send none.",
        ),
    };
    let challenge = format!("Bearer realm=\"refdesk\", error=\"invalid_token\", error_description=\"{error}\"");
    unauthorized(code, error, detail, hint, &challenge)
}

fn key_required() -> Problem {
    let detail = "This service answers only with an API key.";
    let hint = "Send Authorization: Bearer rdk_…; the operator makes keys with `refdesk keys create`.";
    unauthorized(Code::KeyRequired, "API key required", detail, hint, "Bearer realm=\"refdesk\"")
}

fn unauthorized(code: Code, error: &str, detail: &str, hint: &str, challenge: &str) -> Problem {
    let problem = Problem::new(StatusCode::UNAUTHORIZED, code, error, detail).hint(hint);
    match HeaderValue::from_str(challenge) {
        Ok(challenge) => problem.header(header::WWW_AUTHENTICATE, challenge),
        Err(_) => problem,
    }
}

/// The address a call is counted by: the socket's, or behind trusted proxies the first untrusted one of `X-Forwarded-For`,
/// read from the right.
fn client_address(settings: &Settings, peer: Option<IpAddr>, headers: &HeaderMap) -> Who {
    peer.map_or(Who::Unknown, |peer| Who::Address(client_of(settings, peer, headers)))
}

/// Whether an address is a trusted proxy's.
pub(crate) fn is_proxy(settings: &Settings, address: IpAddr) -> bool {
    settings.trusted_proxies.iter().any(|network| network.contains(&address.to_canonical()))
}

/// The same as [`client_address`], of a peer that is known.
pub(crate) fn client_of(settings: &Settings, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
    let trusted = |address: &IpAddr| is_proxy(settings, *address);
    let mut client = peer.to_canonical();
    if trusted(&client) {
        let hops: Vec<&str> = headers
            .get_all(X_FORWARDED_FOR)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .collect();
        for hop in hops.iter().rev().take(FORWARDED_HOPS_MAX) {
            let Some(address) = forwarded_address(hop) else { break };
            client = address;
            if !trusted(&client) {
                break;
            }
        }
    }
    client
}

/// An address of `X-Forwarded-For`, with or without a port.
fn forwarded_address(hop: &str) -> Option<IpAddr> {
    let hop = hop.trim().trim_matches('"');
    let address = hop.parse::<IpAddr>().ok().or_else(|| hop.parse::<SocketAddr>().ok().map(|socket| socket.ip()));
    let address = address.or_else(|| hop.strip_prefix('[')?.split(']').next()?.parse().ok())?;
    Some(address.to_canonical())
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;
    use std::num::NonZeroU32;

    use http::{HeaderMap, HeaderValue};

    use super::{Counter, LocalCounter, Scope, client_address};
    use crate::desk::Settings;

    fn address(peer: &str, forwarded: &'static str) -> String {
        let settings = Settings {
            trusted_proxies: ["10.0.0.0/8", "fd00::/8"].iter().filter_map(|net| net.parse().ok()).collect(),
            ..Settings::default()
        };
        let mut headers = HeaderMap::new();
        headers.insert("x-forwarded-for", HeaderValue::from_static(forwarded));
        client_address(&settings, peer.parse::<IpAddr>().ok(), &headers).to_string()
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
            ("fd00::1", "[2001:db8:1:2:3::4]:99", "2001:db8:1:2::/64"),
            ("::ffff:203.0.113.9", "", "203.0.113.9"),
            ("2001:db8:1:2:aaaa::1", "", "2001:db8:1:2::/64"),
        ] {
            assert_eq!(address(peer, forwarded), counted, "{peer} {forwarded}");
        }
    }

    #[test]
    fn the_call_after_the_last_is_refused_and_told_when_to_come_back() {
        let counter = LocalCounter::new(100);
        let three = NonZeroU32::new(3).unwrap_or(NonZeroU32::MIN);
        let left: Vec<u32> = (0..3).map(|_| counter.take(Scope::Anon, "a", three).remaining).collect();
        assert_eq!(left, [2, 1, 0]);
        let refused = counter.take(Scope::Anon, "a", three);
        assert!(!refused.allowed && refused.wait.as_secs() >= 18 && refused.wait.as_secs() <= 20, "{refused:?}");
        assert!(counter.take(Scope::Anon, "b", three).allowed, "another address has its own quota");
        assert!(counter.take(Scope::Key, "a", three).allowed, "a key has its own quota");
    }

    #[test]
    fn a_flood_of_addresses_stays_within_the_bound_and_drops_the_oldest() {
        let counter = LocalCounter::new(1_000);
        for caller in 0..50_000_u32 {
            counter.take(Scope::Anon, &caller.to_string(), NonZeroU32::MIN);
        }
        assert!(counter.callers() <= 1_000, "{}", counter.callers());
        assert!(!counter.take(Scope::Anon, "49999", NonZeroU32::MIN).allowed, "the youngest is still counted");
        assert!(counter.take(Scope::Anon, "0", NonZeroU32::MIN).allowed, "the oldest was dropped");
    }
}
