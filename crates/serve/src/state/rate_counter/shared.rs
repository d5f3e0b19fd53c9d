//! Counts in Redis or Valkey: GCRA as a Lua script (`gcra.lua`), one `EVALSHA` a counted request over one multiplexed connection.
//!
//! A circuit breaker stands before it: after [`FAILURES_MAX`] failures in a row the connection is given up and this process counts by
//! itself, with a local counter that was kept warm, until a look ([`SharedRateCounter::watch`]) finds a server that counts again. Whatever
//! happens a request gets a decision within the timeout, and never an error. The `ConnectionManager` of the `redis` crate is not used: it
//! keeps a connection whose other end went silent.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;
use prometheus::{IntCounter, IntGauge};
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, ErrorKind, RedisError, Script, ServerErrorKind};
use tokio::sync::Notify;

use super::recent::RecentMap;
use super::settings::{OnFailure, SharedRates, SharedRatesError};
use super::{Counted, LocalRateCounter, RATE_WINDOW_SECS, RateDecision, RateTaken};

/// Failures of the shared counter in a row, after which this process counts by itself.
const FAILURES_MAX: u32 = 3;
/// Time to connect to Redis and to find that it counts.
const LINK_TIMEOUT: Duration = Duration::from_secs(1);
/// How often is looked whether Redis counts.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// How long the local counter has a say after an outage: until then a caller has its whole quota again anyway.
const WINDOW: Duration = Duration::from_secs(RATE_WINDOW_SECS as u64);
/// What a look takes from: more a minute than there are looks of any number of nodes.
const LOOK_INTERVAL_MICROS: u64 = 1;

/// Counts in Redis. Cheap to clone.
#[derive(Clone)]
pub struct SharedRateCounter(Arc<Shared>);

struct Shared {
    client: redis::Client,
    /// What keys begin with.
    prefix: String,
    script: Script,
    timeout: Duration,
    on_failure: OnFailure,
    /// Counts what Redis let through, too, so that it can go on when that fails.
    local: LocalRateCounter,
    /// Until when a caller will be refused: a flood of one caller costs Redis one call an interval.
    refusals: RecentMap<Instant>,
    /// `None` while Redis does not count.
    link: ArcSwapOption<Link>,
    /// Whether this process has counted by itself since it last had a link.
    counted_alone: AtomicBool,
    /// Until when the local counter has a say after an outage, in milliseconds after `since`; 0 when there was none.
    settled_ms: AtomicU64,
    since: Instant,
    /// Why not.
    why: ArcSwapOption<String>,
    /// Wakes the watch when the link was given up.
    given_up: Notify,
    up: IntGauge,
    fallbacks: IntCounter,
}

/// A connection, and its failures since its last success.
struct Link {
    connection: MultiplexedConnection,
    failures: AtomicU32,
}

/// Why a call gave no decision.
enum CallError {
    Timeout,
    Redis(RedisError),
}

impl std::fmt::Debug for SharedRateCounter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The client has the password.
        f.debug_struct("SharedRateCounter").field("prefix", &self.0.prefix).finish_non_exhaustive()
    }
}

impl SharedRateCounter {
    /// A counter that is not connected yet: [`Self::look`] or [`Self::watch`] do that. `up` and `fallbacks` are its metrics.
    ///
    /// # Errors
    /// When the URL or the name of the deployment cannot be used.
    pub fn new(rates: SharedRates, up: IntGauge, fallbacks: IntCounter) -> Result<Self, SharedRatesError> {
        let client = rates.client()?;
        up.set(0);
        Ok(Self(Arc::new(Shared {
            client,
            prefix: format!("rd:{}:", rates.deployment),
            script: Script::new(include_str!("gcra.lua")),
            timeout: rates.timeout,
            on_failure: rates.on_failure,
            local: LocalRateCounter::new(rates.callers_max),
            refusals: RecentMap::new(rates.callers_max),
            link: ArcSwapOption::empty(),
            counted_alone: AtomicBool::new(false),
            settled_ms: AtomicU64::new(0),
            since: Instant::now(),
            why: ArcSwapOption::from_pointee("Redis was not reached yet".to_owned()),
            given_up: Notify::new(),
            up,
            fallbacks,
        })))
    }

    pub(super) fn take(&self, counted: Counted) -> RateTaken {
        let shared = &self.0;
        if let Some(wait) = shared.refused_for(&counted) {
            return RateTaken::Now(RateDecision::refused(wait));
        }
        let Some(link) = shared.link.load_full() else { return RateTaken::Now(shared.fall_back(counted)) };
        let is_after_outage = shared.is_after_outage();
        if is_after_outage {
            let local = shared.local.take(counted.clone());
            if !local.allowed {
                return RateTaken::Now(local);
            }
        }
        let shared = Arc::clone(shared);
        RateTaken::Later(Box::pin(async move { shared.ask(&link, counted, is_after_outage).await }))
    }

    /// Why it does not count in Redis, and what becomes of requests meanwhile.
    pub fn fault(&self) -> Option<String> {
        if self.0.link.load().is_some() {
            return None;
        }
        let why = self.0.why.load();
        let why = why.as_deref().map_or("Redis does not answer", String::as_str);
        let meanwhile = match self.0.on_failure {
            OnFailure::Local => "each node counts by itself",
            OnFailure::Open => "nobody is limited",
            OnFailure::Closed => "every rate-limited request is refused",
        };
        Some(format!("{why}; meanwhile {meanwhile} (rate_limit_on_failure)"))
    }

    /// Looks once whether Redis counts, and connects where there is no connection.
    pub async fn look(&self) {
        let shared = &self.0;
        if let Some(link) = shared.link.load_full() {
            // Without requests nobody else would notice that it is gone.
            if let Err(error) = shared.call(&link, "look", LOOK_INTERVAL_MICROS, u32::MAX).await {
                shared.failed(&link, &error);
            } else {
                link.failures.store(0, Ordering::Relaxed);
            }
            return;
        }
        match tokio::time::timeout(LINK_TIMEOUT, shared.connect()).await.unwrap_or(Err(CallError::Timeout)) {
            Ok(link) => {
                if shared.counted_alone.swap(false, Ordering::Relaxed) {
                    let settled = shared.since.elapsed() + WINDOW;
                    shared.settled_ms.store(u64::try_from(settled.as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
                }
                shared.link.store(Some(Arc::new(link)));
                shared.why.store(None);
                shared.up.set(1);
                tracing::info!(server = %shared.address(), "rate limits are counted in Redis");
            }
            Err(error) => {
                tracing::debug!(server = %shared.address(), cause = error.cause(), "Redis does not count yet");
                shared.why.store(Some(Arc::new(error.public_message())));
            }
        }
    }

    /// Looks once a second for ever, at once when requests found that Redis is gone, and calls `looked` after each look.
    pub async fn watch(&self, mut looked: impl FnMut()) {
        loop {
            self.look().await;
            looked();
            // Giving up wakes it, and failing to connect does not: then it is one try a second.
            tokio::select! {
                () = tokio::time::sleep(POLL_INTERVAL) => {}
                () = self.0.given_up.notified() => {}
            }
        }
    }
}

impl Shared {
    /// Server and port, for the log; never the password.
    fn address(&self) -> &redis::ConnectionAddr {
        self.client.get_connection_info().addr()
    }

    /// How long a refusal of Redis still holds.
    fn refused_for(&self, counted: &Counted) -> Option<Duration> {
        let until = self.refusals.get(counted)?;
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            self.refusals.remove(counted);
            return None;
        }
        Some(left)
    }

    /// Whether Redis may not know yet what this process let through while it was away: it may have come back empty. The local counter must
    /// then agree, so that over an outage and its end nobody gets more than each node's limit.
    fn is_after_outage(&self) -> bool {
        let settled = self.settled_ms.load(Ordering::Relaxed);
        if settled == 0 {
            return false;
        }
        if self.since.elapsed() < Duration::from_millis(settled) {
            return true;
        }
        self.settled_ms.store(0, Ordering::Relaxed);
        false
    }

    /// `is_taken`: the local counter has counted this request already.
    async fn ask(&self, link: &Arc<Link>, counted: Counted, is_taken: bool) -> RateDecision {
        let asked = Instant::now();
        let per_minute = counted.per_minute;
        let name = format!("{}:{}:{per_minute}", counted.scope.as_str(), counted.caller);
        let interval = (u64::from(RATE_WINDOW_SECS) * 1_000_000 / u64::from(per_minute.get())).max(1);
        match self.call(link, &name, interval, per_minute.get()).await {
            Ok((true, remaining, _)) => {
                link.failures.store(0, Ordering::Relaxed);
                if !is_taken {
                    self.local.take(counted);
                }
                RateDecision::allowed(per_minute, remaining)
            }
            Ok((false, _, wait)) => {
                link.failures.store(0, Ordering::Relaxed);
                // Counted from before the call: Redis is asked a little early rather than a caller refused a little long.
                self.refusals.insert(counted, asked + wait);
                RateDecision::refused(wait)
            }
            Err(error) => {
                self.failed(link, &error);
                if is_taken && self.on_failure == OnFailure::Local {
                    self.fallbacks.inc();
                    return RateDecision::allowed(per_minute, 0);
                }
                self.fall_back(counted)
            }
        }
    }

    /// Runs the script within the timeout: allowed, requests left, wait.
    async fn call(
        &self,
        link: &Link,
        name: &str,
        interval: u64,
        burst: u32,
    ) -> Result<(bool, u32, Duration), CallError> {
        let mut connection = link.connection.clone();
        let mut invocation = self.script.prepare_invoke();
        invocation.key([self.prefix.as_str(), name].concat()).arg(interval).arg(burst);
        let call = invocation.invoke_async::<(bool, u32, u64)>(&mut connection);
        let called = tokio::time::timeout(self.timeout, call).await.map_err(|_| CallError::Timeout)?;
        let (allowed, remaining, wait) = called.map_err(CallError::Redis)?;
        Ok((allowed, remaining, Duration::from_micros(wait)))
    }

    /// A connection over which the script was run: a replica that lets nothing be written is none.
    async fn connect(&self) -> Result<Link, CallError> {
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(LINK_TIMEOUT))
            .set_response_timeout(Some(LINK_TIMEOUT));
        let connected = self.client.get_multiplexed_async_connection_with_config(&config).await;
        let mut connection = connected.map_err(CallError::Redis)?;
        // Beforehand: what loads the script later would need two answers in the time of one.
        self.script.load_async(&mut connection).await.map_err(CallError::Redis)?;
        let link = Link { connection, failures: AtomicU32::new(0) };
        self.call(&link, "look", LOOK_INTERVAL_MICROS, u32::MAX).await?;
        Ok(link)
    }

    /// Counts a failure of a link, and gives it up after the last that is borne.
    fn failed(&self, link: &Arc<Link>, error: &CallError) {
        if link.failures.fetch_add(1, Ordering::Relaxed) + 1 != FAILURES_MAX {
            return;
        }
        self.why.store(Some(Arc::new(error.public_message())));
        let before = self.link.compare_and_swap(link, None);
        if before.as_ref().is_some_and(|before| Arc::ptr_eq(before, link)) {
            self.up.set(0);
            tracing::warn!(
                server = %self.address(), cause = error.cause(), on_failure = ?self.on_failure,
                "Redis does not count: requests are decided without it until it does"
            );
            self.given_up.notify_one();
        }
    }

    /// The decision without Redis.
    fn fall_back(&self, counted: Counted) -> RateDecision {
        self.fallbacks.inc();
        let per_minute = counted.per_minute;
        match self.on_failure {
            OnFailure::Local => {
                self.counted_alone.store(true, Ordering::Relaxed);
                self.local.take(counted)
            }
            OnFailure::Open => RateDecision::allowed(per_minute, per_minute.get()),
            OnFailure::Closed => RateDecision::refused(POLL_INTERVAL),
        }
    }
}

impl CallError {
    /// For clients: what is wrong, without host or text of the server.
    fn public_message(&self) -> String {
        let Self::Redis(error) = self else { return "Redis does not answer in time".to_owned() };
        match error.kind() {
            ErrorKind::Io if error.is_timeout() => "Redis does not answer in time",
            ErrorKind::Io => "Redis cannot be reached",
            ErrorKind::AuthenticationFailed => "Redis refuses the login of redis_url",
            ErrorKind::Server(ServerErrorKind::ReadOnly) => "Redis is a replica and lets nothing be written",
            ErrorKind::Server(ServerErrorKind::NoPerm) => {
                "Redis refuses the commands EVALSHA, SCRIPT, TIME, GET or SET"
            }
            ErrorKind::Server(ServerErrorKind::BusyLoading) => "Redis is loading its data",
            _ => "Redis answers with an error",
        }
        .to_owned()
    }

    /// For the log: kind and code, never what was sent.
    fn cause(&self) -> String {
        match self {
            Self::Timeout => "timeout".to_owned(),
            Self::Redis(error) => match error.code() {
                Some(code) => format!("{} ({code})", error.category()),
                None => error.category().to_owned(),
            },
        }
    }
}
