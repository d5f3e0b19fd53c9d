//! Limits that several nodes count together in Redis, and what becomes of them while it does not answer. `docs/manual/several-machines.md`.
//!
//! The tests of a real server are ignored unless they are asked for (`scripts/engines.py` with `--run-ignored all`); the others speak to
//! sockets of their own.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use crate::common::{Bench, limited};
use governor::clock::FakeRelativeClock;
use governor::middleware::StateInformationMiddleware;
use governor::{Quota, RateLimiter};
use http::StatusCode;
use prometheus::{IntCounter, IntGauge};
use proptest::prelude::*;
use refdesk_serve::state::rate_counter::{
    OnFailure, RateCounter, RateDecision, RateScope, RateTaken, SharedRateCounter, SharedRates, SharedRatesError,
};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// The URL of a Redis to test with.
fn redis() -> String {
    std::env::var("REFDESK_TEST_REDIS").expect("REFDESK_TEST_REDIS has the URL of a Redis server")
}

/// A name that no other test and no run before has counted under.
fn fresh_deployment() -> String {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    format!("test-{}-{}", std::process::id(), since.as_nanos())
}

fn rates(url: &str, deployment: &str) -> SharedRates {
    SharedRates {
        url: url.into(),
        deployment: deployment.into(),
        timeout: Duration::from_millis(50),
        on_failure: OnFailure::Local,
        callers_max: 1_000,
    }
}

struct Node {
    counter: RateCounter,
    shared: SharedRateCounter,
    up: IntGauge,
    fallbacks: IntCounter,
}

impl Node {
    async fn of(rates: SharedRates) -> Self {
        let up = IntGauge::new("up", "up").unwrap();
        let fallbacks = IntCounter::new("fallbacks", "fallbacks").unwrap();
        let shared = SharedRateCounter::new(rates, up.clone(), fallbacks.clone()).unwrap();
        shared.look().await;
        Self { counter: RateCounter::Shared(shared.clone()), shared, up, fallbacks }
    }

    async fn take(&self, caller: &str, per_minute: u32) -> RateDecision {
        let per_minute = NonZeroU32::new(per_minute).unwrap();
        self.counter.take(RateScope::Anon, caller, per_minute).decision().await
    }
}

#[tokio::test]
#[ignore = "needs a Redis server: scripts/engines.py"]
async fn three_nodes_count_as_one_and_their_answers_say_the_same_as_those_of_one() {
    let url = redis();
    let deployment = fresh_deployment();
    let nodes = [0, 1, 2].map(|_| Node::of(rates(&url, &deployment)));
    let nodes = futures::future::join_all(nodes).await;
    let mut left = Vec::new();
    for call in 0..6 {
        let decision = nodes[call % 3].take("198.51.100.7", 6).await;
        assert!(decision.allowed, "{call}");
        assert_eq!(decision.wait, Duration::from_secs(10) * (6 - decision.remaining), "as a node by itself says it");
        left.push(decision.remaining);
    }
    assert_eq!(left, [5, 4, 3, 2, 1, 0]);
    for node in &nodes {
        let refused = node.take("198.51.100.7", 6).await;
        assert!(!refused.allowed && refused.remaining == 0);
        assert!(refused.wait <= Duration::from_secs(10) && refused.wait > Duration::from_secs(8), "{refused:?}");
    }
    assert!(nodes[0].take("198.51.100.8", 6).await.allowed, "another caller has its own quota");
    let other = Node::of(rates(&url, &fresh_deployment())).await;
    assert_eq!(
        other.take("198.51.100.7", 6).await.remaining,
        5,
        "another deployment on the same server counts by itself"
    );
    assert!(nodes.iter().all(|node| node.fallbacks.get() == 0 && node.up.get() == 1));
}

#[tokio::test]
#[ignore = "needs a Redis server: scripts/engines.py"]
async fn a_refusal_is_remembered_and_costs_redis_nothing_until_its_time() {
    let url = redis();
    let deployment = fresh_deployment();
    let node = Node::of(rates(&url, &deployment)).await;
    assert!(node.take("flood", 1).await.allowed);
    assert!(!node.take("flood", 1).await.allowed);
    let client = redis::Client::open(url).unwrap();
    let mut connection = client.get_multiplexed_async_connection().await.unwrap();
    let key = format!("rd:{deployment}:anon:flood:1");
    let ttl: i64 = redis::cmd("PTTL").arg(&key).query_async(&mut connection).await.unwrap();
    assert!((1..=60_000).contains(&ttl), "a key goes when its caller has the whole quota again: {ttl}");
    let removed: u32 = redis::cmd("DEL").arg(&key).query_async(&mut connection).await.unwrap();
    assert_eq!(removed, 1);
    for _ in 0..100 {
        let refused = node.take("flood", 1).await;
        assert!(
            !refused.allowed && refused.wait > Duration::from_secs(50),
            "Redis would have let it through: {refused:?}"
        );
    }
}

/// The script, with the clock as its third argument and nothing that expires by the real one.
fn script_with_a_clock() -> redis::Script {
    let script = include_str!("../../src/state/rate_counter/gcra.lua");
    let clock = "local clock = redis.call('TIME')\nlocal now = clock[1] * 1000000 + clock[2]";
    let expiry = ", 'PX', math.ceil((arrival - now) / 1000))";
    assert!(script.contains(clock) && script.contains(expiry));
    redis::Script::new(&script.replace(clock, "local now = tonumber(ARGV[3])").replace(expiry, ")"))
}

/// The decisions of the script and of `governor` for calls at the same times.
fn both(url: &str, per_minute: u32, gaps_micros: &[u64]) -> Vec<[(bool, u32, u64); 2]> {
    let quota = Quota::per_minute(NonZeroU32::new(per_minute).unwrap());
    let clock = FakeRelativeClock::default();
    let limiter = RateLimiter::direct_with_clock(quota, clock.clone()).with_middleware::<StateInformationMiddleware>();
    let mut connection = redis::Client::open(url).unwrap().get_connection().unwrap();
    let (script, key) = (script_with_a_clock(), fresh_deployment());
    let interval = 60_000_000 / u64::from(per_minute);
    let mut now = 1_800_000_000_000_000_u64;
    let mut decisions = Vec::new();
    for gap in gaps_micros {
        now += gap;
        clock.advance(Duration::from_micros(*gap));
        let ours: (bool, u32, u64) =
            script.key(&key).arg(interval).arg(per_minute).arg(now).invoke(&mut connection).unwrap();
        let theirs = match limiter.check() {
            Ok(state) => (true, state.remaining_burst_capacity(), 0),
            Err(refused) => {
                let wait = refused.wait_time_from(governor::clock::Clock::now(&clock));
                (false, 0, u64::try_from(wait.as_micros()).unwrap())
            }
        };
        decisions.push([ours, theirs]);
    }
    redis::cmd("DEL").arg(&key).exec(&mut connection).unwrap();
    decisions
}

#[test]
#[ignore = "needs a Redis server: scripts/engines.py"]
fn the_script_decides_as_governor_does() {
    let url = redis();
    // Quotas whose interval is a whole number of microseconds: every value is the same.
    let quotas = prop::sample::select(vec![1_u32, 2, 3, 5, 6, 10, 60, 120, 600, 1_000, 6_000, 60_000]);
    let gap = prop_oneof![4 => Just(0_u64), 3 => 1_u64..2_000, 2 => 1_u64..2_000_000, 1 => 1_u64..90_000_000];
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(60)
    });
    runner
        .run(&(quotas, prop::collection::vec(gap.clone(), 1..150)), |(per_minute, gaps)| {
            for (call, [ours, theirs]) in both(&url, per_minute, &gaps).into_iter().enumerate() {
                prop_assert_eq!(ours, theirs, "call {}", call);
            }
            Ok(())
        })
        .unwrap();
    // Any quota: the interval is cut to a whole number, so a call may come through a microsecond earlier, and none is refused that should
    // not be.
    runner
        .run(&(1_u32..5_000, prop::collection::vec(gap, 1..150)), |(per_minute, gaps)| {
            let both = both(&url, per_minute, &gaps);
            let allowed = |side: usize| both.iter().filter(|decision| decision[side].0).count();
            prop_assert!(allowed(0).abs_diff(allowed(1)) <= 1, "{} and {}", allowed(0), allowed(1));
            Ok(())
        })
        .unwrap();
}

/// A server that answers every command with the same line, or never.
async fn server(answer: Option<&'static str>) -> (String, tokio::task::JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("redis://:planted-secret@{}", listener.local_addr().unwrap());
    let task = tokio::spawn(async move {
        let mut open = tokio::task::JoinSet::new();
        loop {
            let (mut socket, _) = listener.accept().await.unwrap();
            open.spawn(async move {
                let mut bytes = [0_u8; 4096];
                while let Ok(read @ 1..) = socket.read(&mut bytes).await {
                    let Some(answer) = answer else { continue };
                    // As many answers as there are commands in what came.
                    let sent = String::from_utf8_lossy(&bytes[..read]).into_owned();
                    for _ in sent.split("\r\n").filter(|line| line.starts_with('*')) {
                        if socket.write_all(answer.as_bytes()).await.is_err() {
                            return;
                        }
                    }
                }
            });
        }
    });
    (url, task)
}

#[tokio::test]
async fn a_server_that_cannot_count_is_told_and_each_node_counts_by_itself() {
    // A port that is taken and that nobody listens on.
    let taken = tokio::net::TcpSocket::new_v4().unwrap();
    taken.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let refused = format!("redis://:planted-secret@{}", taken.local_addr().unwrap());
    let (silent, _silent) = server(None).await;
    let (replica, _replica) = server(Some("-READONLY You can't write against a read only replica.\r\n")).await;
    let (login, _login) = server(Some("-WRONGPASS invalid username-password pair\r\n")).await;
    for (url, told) in [
        (refused, "Redis cannot be reached"),
        (silent, "Redis does not answer in time"),
        // Without a password: the login would be refused first.
        (replica.replace(":planted-secret@", ""), "Redis is a replica and lets nothing be written"),
        (login, "Redis refuses the login of redis_url"),
    ] {
        let node = Node::of(rates(&url, "d")).await;
        let fault = node.shared.fault().unwrap();
        assert!(fault.starts_with(told) && fault.contains("each node counts by itself"), "{fault}");
        assert!(!fault.contains("planted-secret") && !fault.contains("127.0.0.1"), "{fault}");
        assert!(!format!("{:?}", node.counter).contains("planted-secret"));
        let allowed = futures::future::join_all((0..5).map(|_| node.take("a", 3))).await;
        assert_eq!(allowed.iter().filter(|decision| decision.allowed).count(), 3, "{told}");
        assert_eq!((node.fallbacks.get(), node.up.get()), (5, 0));
    }
}

#[tokio::test]
async fn while_redis_is_down_requests_are_let_through_or_refused_where_the_operator_says_so_and_never_a_5xx() {
    let (silent, _task) = server(None).await;
    for (on_failure, status) in [
        (OnFailure::Local, [StatusCode::OK, StatusCode::TOO_MANY_REQUESTS]),
        (OnFailure::Open, [StatusCode::OK, StatusCode::OK]),
        (OnFailure::Closed, [StatusCode::TOO_MANY_REQUESTS, StatusCode::TOO_MANY_REQUESTS]),
    ] {
        let node = Node::of(SharedRates { on_failure, ..rates(&silent, "d") }).await;
        let bench = Bench::counting(limited(1, 0), node.counter);
        for status in status {
            let answer = bench.get("/v1/models/list").await;
            assert_eq!(answer.status, status, "{on_failure:?}");
            assert!(!answer.header("ratelimit").is_empty());
        }
        if on_failure == OnFailure::Closed {
            assert_eq!(bench.get("/v1/models/list").await.header("retry-after"), "1");
        }
        let health = bench.json("/health").await;
        assert_eq!(
            (&health["status"], &health["runtime"]["rate_limit"]["backend"]),
            (&json!("degraded"), &json!("redis"))
        );
        assert!(
            health["reasons"][0].as_str().unwrap().starts_with("rate_limit: Redis does not answer in time; meanwhile")
        );
        assert_eq!(bench.get("/readyz").await.status, StatusCode::OK, "a node without Redis still answers");
    }
}

/// A TCP proxy before a Redis whose connections a test can let go silent.
struct Proxy {
    url: String,
    silent: Arc<std::sync::atomic::AtomicBool>,
    _task: tokio::task::JoinHandle<()>,
}

impl Proxy {
    async fn before(url: &str) -> Self {
        let target = redis::Client::open(url).unwrap().get_connection_info().addr().to_string();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let at = listener.local_addr().unwrap();
        let silent = Arc::new(std::sync::atomic::AtomicBool::new(false));
        let blocked = Arc::clone(&silent);
        let task = tokio::spawn(async move {
            let mut open = tokio::task::JoinSet::new();
            loop {
                let (mut client, _) = listener.accept().await.unwrap();
                let (target, blocked) = (target.clone(), Arc::clone(&blocked));
                open.spawn(async move {
                    let Ok(mut server) = tokio::net::TcpStream::connect(target).await else { return };
                    let (mut up, mut down) = ([0_u8; 4096], [0_u8; 4096]);
                    loop {
                        let done = tokio::select! {
                            read = client.read(&mut up) => match read {
                                Ok(read @ 1..) if !blocked.load(std::sync::atomic::Ordering::SeqCst) => {
                                    server.write_all(&up[..read]).await.is_err()
                                }
                                Ok(1..) => false,
                                _ => true,
                            },
                            read = server.read(&mut down) => match read {
                                Ok(read @ 1..) => client.write_all(&down[..read]).await.is_err(),
                                _ => true,
                            },
                        };
                        if done {
                            return;
                        }
                    }
                });
            }
        });
        Self { url: format!("redis://{at}"), silent, _task: task }
    }

    fn silence(&self, silent: bool) {
        self.silent.store(silent, std::sync::atomic::Ordering::SeqCst);
    }
}

#[tokio::test]
#[ignore = "needs a Redis server: scripts/engines.py"]
async fn after_three_failures_in_a_row_nobody_waits_for_redis_and_when_it_answers_again_it_counts() {
    let url = redis();
    let proxy = Proxy::before(&url).await;
    let node = Node::of(rates(&proxy.url, &fresh_deployment())).await;
    let left = |decision: RateDecision| (decision.allowed, decision.remaining);
    assert_eq!(left(node.take("a", 10).await), (true, 9));
    assert_eq!(left(node.take("a", 10).await), (true, 8));
    proxy.silence(true);
    for (failure, remaining) in [(1, 7), (2, 6), (3, 5)] {
        let per_minute = NonZeroU32::new(10).unwrap();
        let taken = node.counter.take(RateScope::Anon, "a", per_minute);
        assert!(matches!(taken, RateTaken::Later(_)), "failure {failure}: Redis is still asked");
        assert_eq!(
            left(taken.decision().await),
            (true, remaining),
            "the local counter knew what Redis had let through"
        );
    }
    let taken = node.counter.take(RateScope::Anon, "a", NonZeroU32::new(10).unwrap());
    assert!(matches!(taken, RateTaken::Now(_)), "Redis is not asked");
    assert_eq!((node.fallbacks.get(), node.up.get()), (4, 0));
    node.shared.look().await;
    assert!(node.shared.fault().unwrap().starts_with("Redis does not answer in time"));
    proxy.silence(false);
    node.shared.look().await;
    assert_eq!((node.shared.fault(), node.up.get()), (None, 1));
    assert_eq!(left(node.take("a", 10).await), (true, 7), "Redis counts on from what it knew");
    for remaining in [6, 5, 4] {
        assert_eq!(left(node.take("a", 10).await), (true, remaining));
    }
    let refused = node.take("a", 10).await;
    assert!(!refused.allowed, "Redis knows nothing of the four calls meanwhile, and this node does: {refused:?}");
    assert_eq!(left(node.take("b", 10).await), (true, 9), "who did not call meanwhile has the whole quota");
}

#[test]
fn settings_that_cannot_work_are_told_without_the_password() {
    let made = |rates| {
        let (up, fallbacks) = (IntGauge::new("up", "up").unwrap(), IntCounter::new("f", "f").unwrap());
        SharedRateCounter::new(rates, up, fallbacks).map(|_| ())
    };
    for url in ["", "planted-secret", "http://:planted-secret@h", "redis://:planted-secret@h:x", "redis://"] {
        let error = made(rates(url, "d")).unwrap_err();
        assert_eq!(error, SharedRatesError::Url, "{url}");
        assert!(!error.to_string().contains("planted-secret"));
    }
    for url in ["redis://h", "rediss://:p@h:6380/2", "valkey://h", "unix:///run/redis.sock"] {
        assert_eq!(made(rates(url, "d")), Ok(()), "{url}");
    }
    for deployment in ["", "a:b", "a b", "ü", &"a".repeat(65)] {
        assert_eq!(made(rates("redis://h", deployment)), Err(SharedRatesError::Deployment), "{deployment}");
    }
    assert_eq!((OnFailure::parse("closed"), OnFailure::parse("always")), (Some(OnFailure::Closed), None));
}
