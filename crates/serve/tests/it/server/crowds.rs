//! Many clients at once, and clients that finish nothing: whose connection goes, and that nobody else waits.

use std::time::{Duration, Instant};

use crate::common::socket::{Answered, PATIENCE, Running, SLOW, metric, request};
use crate::common::{Mood, unlimited};
use refdesk_serve::{ServerLimits, Settings};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A message of which the body does not come whole.
fn unfinished(headers: &str) -> String {
    format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\naccept: application/json\r\ncontent-type: application/json\r\n{headers}\
         content-length: 100\r\n\r\n{{\"jsonrpc\""
    )
}

/// What a server says that is asked whether it takes a body.
const CONTINUE: &[u8; 25] = b"HTTP/1.1 100 Continue\r\n\r\n";

async fn connected(server: &Running, bytes: &str) -> TcpStream {
    let mut stream = server.connect().await;
    stream.write_all(bytes.as_bytes()).await.unwrap();
    stream
}

/// A connection whose client waits to be asked for the body: once it is, its request is the youngest unfinished one.
async fn asked_for_its_body(server: &Running, head: &str) -> TcpStream {
    let mut stream = connected(server, head).await;
    let mut asked = [0; CONTINUE.len()];
    tokio::time::timeout(PATIENCE, stream.read_exact(&mut asked)).await.unwrap().unwrap();
    assert_eq!(&asked, CONTINUE);
    stream
}

/// Waits until the server has closed a connection of which no answer is due.
async fn is_closed(stream: &mut TcpStream) {
    let read = tokio::time::timeout(PATIENCE, stream.read(&mut [0; 64])).await.expect("the connection is closed");
    assert!(matches!(read, Ok(0) | Err(_)), "{read:?}");
}

/// Whether a connection is open, and nothing came on it.
fn is_open(stream: &TcpStream) -> bool {
    matches!(stream.try_read(&mut [0; 64]), Err(error) if error.kind() == std::io::ErrorKind::WouldBlock)
}

/// Sends a request on a connection that stays open, and reads its small answer.
async fn asked_again(stream: &mut TcpStream) -> String {
    stream.write_all(request("/livez", "keep-alive").as_bytes()).await.unwrap();
    let mut answer = String::new();
    let deadline = Instant::now() + PATIENCE;
    while !answer.ends_with("ok\n") {
        let mut bytes = [0; 1024];
        let read = tokio::time::timeout(deadline - Instant::now(), stream.read(&mut bytes)).await.unwrap().unwrap();
        assert!(read > 0, "closed after {answer:?}");
        answer.push_str(&String::from_utf8_lossy(&bytes[..read]));
    }
    answer
}

#[tokio::test(flavor = "multi_thread")]
async fn unfinished_bodies_hold_no_room_and_beyond_the_bound_the_oldest_goes() {
    let limits = ServerLimits { unfinished_per_address_max: 20, requests_in_flight_max: 4, ..ServerLimits::default() };
    let settings = Settings { body_timeout: Duration::from_mins(1), ..unlimited() };
    let server = Running::with(limits, settings).await;
    let mut streams = Vec::new();
    for _ in 0..60 {
        streams.push(connected(&server, &unfinished("")).await);
        // In order, so that the test knows which is the oldest.
        server.answers_others().await;
    }
    for stream in &mut streams[..40] {
        is_closed(stream).await;
    }
    assert!(streams[40..].iter().all(is_open), "the youngest twenty may go on");
    let metrics = server.get("/metrics").await.body;
    assert_eq!(metric(&metrics, "refdesk_connections_closed_total{reason=\"unfinished\"}"), 40);
    assert_eq!(metric(&metrics, "refdesk_shed_total"), 0, "none of them took room from a request");
}

#[tokio::test(flavor = "multi_thread")]
async fn unfinished_headers_count_like_unfinished_bodies() {
    let limits = ServerLimits { unfinished_per_address_max: 5, ..ServerLimits::default() };
    let server = Running::start(limits).await;
    let mut streams = Vec::new();
    for _ in 0..8 {
        streams.push(connected(&server, "GET /v1/models/list HTTP/1.1\r\nhost: local").await);
        server.answers_others().await;
    }
    for stream in &mut streams[..3] {
        is_closed(stream).await;
    }
    let last = streams.last_mut().unwrap();
    last.write_all(b"host\r\nconnection: close\r\n\r\n").await.unwrap();
    assert_eq!(Answered::read(streams.pop().unwrap()).await.status, 200, "who finishes in time is answered");
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_behind_a_trusted_proxy_lose_only_their_own() {
    let limits = ServerLimits { unfinished_per_address_max: 3, ..ServerLimits::default() };
    let settings = Settings {
        body_timeout: Duration::from_mins(1),
        trusted_proxies: vec!["127.0.0.0/8".parse().unwrap()],
        ..unlimited()
    };
    let server = Running::with(limits, settings).await;
    let other = connected(&server, &unfinished("x-forwarded-for: 198.51.100.7\r\n")).await;
    server.answers_others().await;
    let mut greedy = Vec::new();
    for _ in 0..6 {
        greedy.push(connected(&server, &unfinished("x-forwarded-for: 203.0.113.9\r\n")).await);
        server.answers_others().await;
    }
    for stream in &mut greedy[..3] {
        is_closed(stream).await;
    }
    assert!(is_open(&other), "the oldest of all, but of another client");
    assert!(greedy[3..].iter().all(is_open));
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_in_memory_have_a_bound_together() {
    let limits = ServerLimits { bodies_bytes_max: 1_000_000, ..ServerLimits::default() };
    let settings = Settings { body_timeout: Duration::from_mins(1), ..unlimited() };
    let server = Running::with(limits, settings).await;
    let head = unfinished("expect: 100-continue\r\n").replace("content-length: 100", "content-length: 900000");
    let mut streams = Vec::new();
    for _ in 0..3 {
        let mut stream = asked_for_its_body(&server, &head).await;
        let _ = stream.write_all(&vec![b' '; 600_000]).await;
        streams.push(stream);
        server.answers_others().await;
    }
    is_closed(&mut streams[0]).await;
    is_closed(&mut streams[1]).await;
    assert!(is_open(&streams[2]), "it is within the bound alone");
}

#[tokio::test(flavor = "multi_thread")]
async fn beyond_the_connections_the_longest_idle_goes() {
    let server = Running::start(ServerLimits { connections_max: 3, ..ServerLimits::default() }).await;
    let mut streams = Vec::new();
    for _ in 0..3 {
        let mut stream = server.connect().await;
        asked_again(&mut stream).await;
        streams.push(stream);
    }
    // The first is used again: now the second is idle the longest.
    asked_again(&mut streams[0]).await;
    let mut fourth = server.connect().await;
    asked_again(&mut fourth).await;
    is_closed(&mut streams[1]).await;
    for index in [0, 2] {
        asked_again(&mut streams[index]).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn idle_sockets_make_nobody_wait() {
    let server = Running::start(ServerLimits { connections_max: 64, ..ServerLimits::default() }).await;
    let mut idle = Vec::new();
    for _ in 0..200 {
        idle.push(server.connect().await);
        if idle.len() % 20 == 0 {
            let started = Instant::now();
            server.answers_others().await;
            assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
        }
    }
    is_closed(&mut idle[0]).await;
    assert!(is_open(&idle[199]), "the youngest may stay");
}

#[tokio::test(flavor = "multi_thread")]
async fn where_all_are_unfinished_the_oldest_makes_room() {
    let limits = ServerLimits { connections_max: 4, unfinished_per_address_max: 100, ..ServerLimits::default() };
    let settings = Settings { body_timeout: Duration::from_mins(1), ..unlimited() };
    let server = Running::with(limits, settings).await;
    let mut streams = Vec::new();
    for _ in 0..4 {
        streams.push(asked_for_its_body(&server, &unfinished("expect: 100-continue\r\n")).await);
    }
    server.answers_others().await;
    is_closed(&mut streams[0]).await;
    assert!(streams[1..].iter().all(is_open));
}

#[tokio::test(flavor = "multi_thread")]
async fn probes_are_never_shed() {
    let limits = ServerLimits { requests_in_flight_max: 1, ..ServerLimits::default() };
    let server = Running::start(limits).await;
    server.bench.bodies.set(Mood::Hangs);
    let _held = connected(&server, &request(SLOW, "close")).await;
    // Nobody else asks before it runs: it is the one that there is room for.
    server.bench.bodies.wait_for_reads(1).await;
    server.get("/v1/models/list").await.is_busy();
    for probe in ["/livez", "/readyz", "/health", "/metrics"] {
        assert_eq!(server.get(probe).await.status, 200, "{probe}");
    }
    server.get("/v1/models/list").await.is_busy();
}

#[tokio::test(flavor = "multi_thread")]
async fn reading_a_trickle_does_not_prolong_the_time_for_unread_answers() {
    let limits = ServerLimits { write_timeout: Duration::from_millis(500), ..ServerLimits::default() };
    let server = Running::start(limits).await;
    let mut stream = server.connect().await;
    let requests = request("/openapi.json", "keep-alive").repeat(400);
    let _ = tokio::time::timeout(Duration::from_secs(1), stream.write_all(requests.as_bytes())).await;
    let deadline = Instant::now() + PATIENCE;
    let mut got = 0;
    let closed = loop {
        assert!(Instant::now() < deadline, "it is cut off, though it reads a little now and then: {got}");
        tokio::time::sleep(Duration::from_millis(100)).await;
        match stream.try_read(&mut [0; 256]) {
            Ok(0) => break true,
            Ok(bytes) => got += bytes,
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            Err(_) => break true,
        }
        let metrics = server.get("/metrics").await;
        assert_eq!(metrics.status, 200);
        // What lies in the buffers of the system can be read long after the end; a write tells sooner.
        if stream.try_write(b"GET").is_err_and(|error| error.kind() != std::io::ErrorKind::WouldBlock) {
            break true;
        }
    };
    assert!(closed);
}

#[tokio::test(flavor = "multi_thread")]
async fn at_shutdown_clients_with_open_connections_lose_no_request() {
    // It ends when no connection is left.
    let limits = ServerLimits { drain: PATIENCE, ..ServerLimits::default() };
    let server = Running::start(limits).await;
    // Still open when the others have gone: without any the service ends at once.
    let mut slow = server.connect().await;
    asked_again(&mut slow).await;
    let mut open = server.connect().await;
    assert!(!asked_again(&mut open).await.contains("connection: close"));
    server.stop.cancel();
    let last = asked_again(&mut open).await;
    assert!(last.starts_with("HTTP/1.1 200 OK") && last.contains("connection: close\r\n"), "{last}");
    is_closed(&mut open).await;
    // Whoever does not know yet is still taken, and told.
    let mut late = server.connect().await;
    assert!(asked_again(&mut late).await.contains("connection: close\r\n"));
    assert!(asked_again(&mut slow).await.contains("connection: close\r\n"));
    tokio::time::timeout(PATIENCE, server.served).await.expect("the server ends").unwrap();
    assert!(TcpStream::connect(server.address).await.is_err(), "nobody is taken any more");
}
