//! The server on a real socket: slow clients, full houses, timeouts, and a shutdown that finishes what runs. `docs/api.md#http`.

mod crowds;
mod refusals;

use std::time::{Duration, Instant};

use crate::common::socket::{Answered, PATIENCE, Running, SLOW, metric, request};
use crate::common::{Mood, limited, unlimited};
use refdesk_serve::{ServerLimits, Settings};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

fn short(header: u64) -> ServerLimits {
    ServerLimits { header_timeout: Duration::from_millis(header), ..ServerLimits::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_that_never_finish_their_headers_stop_nobody_and_are_cut_off() {
    let server = Running::start(short(1_500)).await;
    let mut loris = Vec::new();
    for _ in 0..300 {
        let mut stream = server.connect().await;
        stream.write_all(b"GET /v1/models/list HTTP/1.1\r\nhost: localhost\r\nx-slow: ").await.unwrap();
        loris.push(stream);
    }
    server.answers_others().await;
    let started = Instant::now();
    for stream in &mut loris {
        let _ = stream.write_all(b"a").await;
    }
    server.answers_others().await;
    for stream in loris {
        let answered = Answered::read(stream).await;
        assert!([0, 400, 408].contains(&answered.status), "{answered:?}");
    }
    assert!(started.elapsed() < PATIENCE, "a byte now and then does not prolong the time: {:?}", started.elapsed());
    server.answers_others().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_idle_connection_is_closed() {
    let server = Running::start(short(1_500)).await;
    let mut stream = server.connect().await;
    stream.write_all(request("/livez", "keep-alive").as_bytes()).await.unwrap();
    let answered = Answered::read(stream).await;
    assert_eq!((answered.status, answered.body.as_str()), (200, "ok\n"), "answered, then closed for being idle");
    let silent = Answered::read(server.connect().await).await;
    assert!([0, 408].contains(&silent.status), "{silent:?}");
}

/// A cache takes over the headers of a 304: a length of 0 would become that of the answer it holds. Only a socket shows what is sent:
/// the router of the other tests adds a length to whatever has none.
#[tokio::test(flavor = "multi_thread")]
async fn a_304_tells_no_length() {
    let server = Running::start(ServerLimits::default()).await;
    for target in ["/v1/models/list", "/v1/models/nova-2", "/v1/sources/status", "/models"] {
        for method in ["GET", "HEAD"] {
            let mut stream = server.connect().await;
            let headers = "host: localhost\r\nif-none-match: *\r\nconnection: close";
            stream.write_all(format!("{method} {target} HTTP/1.1\r\n{headers}\r\n\r\n").as_bytes()).await.unwrap();
            let answered = Answered::read(stream).await;
            assert_eq!(answered.status, 304, "{method} {target}: {answered:?}");
            assert!(!answered.head.contains("content-length"), "{method} {target}: {answered:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn beyond_the_requests_in_flight_503_comes_at_once() {
    let limits = ServerLimits { requests_in_flight_max: 2, ..ServerLimits::default() };
    let server = Running::start(limits).await;
    server.bench.bodies.set(Mood::Waits);
    let waiting = [server.connect().await, server.connect().await];
    let mut running = Vec::new();
    for mut stream in waiting {
        stream.write_all(request(SLOW, "close").as_bytes()).await.unwrap();
        running.push(tokio::spawn(Answered::read(stream)));
    }
    server.bench.bodies.wait_for_reads(2).await;
    // Both are still running, so this answer did not wait for either.
    let shed = server.get("/v1/models/list").await;
    shed.is_busy();
    server.bench.bodies.release();
    for answered in running {
        assert_eq!(answered.await.unwrap().status, 200, "what runs is finished");
    }
    server.answers_others().await;
    assert!(metric(&server.get("/metrics").await.body, "refdesk_shed_total") >= 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_takes_too_long_ends_with_503() {
    let limits = ServerLimits { request_timeout: Duration::from_millis(200), ..ServerLimits::default() };
    let server = Running::start(limits).await;
    server.bench.bodies.set(Mood::Hangs);
    let answered = server.get(SLOW).await;
    answered.is_busy();
    assert!(answered.body.contains("took too long"), "{answered:?}");
    server.answers_others().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_never_reads_its_answers_is_cut_off() {
    // More than all buffers between the two hold.
    const REQUESTS: usize = 400;
    let limits = ServerLimits { write_timeout: Duration::from_millis(500), ..ServerLimits::default() };
    let server = Running::start(limits).await;
    let mut unread = server.connect().await;
    let requests = request("/openapi.json", "keep-alive").repeat(REQUESTS);
    let asked = unread.write_all(requests.as_bytes());
    let _ = tokio::time::timeout(Duration::from_secs(1), asked).await;
    server.answers_others().await;
    let deadline = Instant::now() + PATIENCE;
    while unread.try_write(b"G").is_ok() || server.get("/livez").await.status != 200 {
        assert!(Instant::now() < deadline, "its connection is closed");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let mut got = Vec::new();
    let _ = tokio::time::timeout(PATIENCE, unread.read_to_end(&mut got)).await.expect("its connection is closed");
    let whole = got.windows(15).filter(|window| window == b"HTTP/1.1 200 OK").count();
    assert!((1..REQUESTS).contains(&whole), "{whole} answers: raise REQUESTS");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_does_not_come_is_a_408_after_body_timeout() {
    let settings = Settings { body_timeout: Duration::from_millis(300), ..unlimited() };
    let server = Running::with(ServerLimits::default(), settings).await;
    let mut stream = server.connect().await;
    let head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\naccept: application/json, text/event-stream\r\n\
        content-type: application/json\r\ncontent-length: 100\r\n\r\n{\"jsonrpc\"";
    // From before the service can have any of it.
    let started = Instant::now();
    stream.write_all(head.as_bytes()).await.unwrap();
    let answered = Answered::read(stream).await;
    assert_eq!(answered.status, 408, "{answered:?}");
    assert!(started.elapsed() >= Duration::from_millis(300), "{:?}", started.elapsed());
    let problem: Value = serde_json::from_str(&answered.body).unwrap();
    assert!(problem["error"]["message"].as_str().unwrap().contains("did not come in time"), "{problem}");
    server.answers_others().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shutdown_finishes_what_runs_and_takes_no_more() {
    let server = Running::start(ServerLimits::default()).await;
    server.bench.bodies.set(Mood::Waits);
    let mut stream = server.connect().await;
    stream.write_all(request(SLOW, "keep-alive").as_bytes()).await.unwrap();
    server.bench.bodies.wait_for_reads(1).await;
    server.stop.cancel();
    // Time for the shutdown to begin.
    tokio::time::sleep(Duration::from_millis(100)).await;
    server.bench.bodies.release();
    let answered = Answered::read(stream).await;
    assert_eq!(answered.status, 200, "{answered:?}");
    assert!(answered.body.contains("Getting started"), "whole");
    tokio::time::timeout(PATIENCE, server.served).await.expect("the server ends").unwrap();
    assert!(TcpStream::connect(server.address).await.is_err(), "nobody is taken any more");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shutdown_does_not_wait_for_ever() {
    let limits = ServerLimits { shutdown_grace: Duration::from_millis(300), ..ServerLimits::default() };
    let server = Running::start(limits).await;
    server.bench.bodies.set(Mood::Hangs);
    let mut stream = server.connect().await;
    stream.write_all(request(SLOW, "close").as_bytes()).await.unwrap();
    let idle = server.connect().await;
    server.stop.cancel();
    tokio::time::timeout(Duration::from_secs(5), server.served).await.expect("the grace time ends").unwrap();
    drop(idle);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_requests_follow_on_one_connection() {
    let server = Running::start(ServerLimits::default()).await;
    let mut stream = server.connect().await;
    for _ in 0..50 {
        stream.write_all(request("/livez", "keep-alive").as_bytes()).await.unwrap();
    }
    stream.write_all(request("/v1/models/nova-2", "close").as_bytes()).await.unwrap();
    let answered = Answered::read(stream).await;
    assert_eq!(answered.body.matches("HTTP/1.1 200 OK").count(), 50, "pipelined requests are answered in order");
    assert!(answered.body.contains("\"id\":\"nova-2\""));
}

#[tokio::test(flavor = "multi_thread")]
async fn bytes_that_are_no_http_end_their_connection_only() {
    let server = Running::start(short(500)).await;
    let long_uri = format!("GET /{} HTTP/1.1\r\nhost: localhost\r\n\r\n", "x".repeat(200_000));
    let many_headers = format!("GET / HTTP/1.1\r\nhost: localhost\r\n{}\r\n", "a: b\r\n".repeat(5_000));
    let wide_header = format!("GET / HTTP/1.1\r\nhost: localhost\r\na: {}\r\n\r\n", "x".repeat(2_000_000));
    for (bytes, statuses) in [
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".as_slice(), &[0, 400][..]),
        (b"\0\0\0\0\r\n\r\n", &[0, 400]),
        (b"GET\r\n\r\n", &[0, 400]),
        (b"GET / HTTP/9.9\r\n\r\n", &[0, 400, 505]),
        (b"GET /\xff\xfe HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n", &[0, 400, 404]),
        (b"GET /v1/models/list HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n", &[400]),
        (
            b"GET /v1/models/list HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n",
            &[0, 400, 403],
        ),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", &[0, 400, 404, 505]),
        (long_uri.as_bytes(), &[0, 400, 414]),
        (many_headers.as_bytes(), &[0, 400, 431]),
        (wide_header.as_bytes(), &[0, 400, 431]),
    ] {
        let mut stream = server.connect().await;
        let _ = stream.write_all(bytes).await;
        let answered = Answered::read(stream).await;
        assert!(
            statuses.contains(&answered.status),
            "{:?}: {answered:?}",
            String::from_utf8_lossy(&bytes[..bytes.len().min(40)])
        );
    }
    server.answers_others().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_limit_counts_the_address_of_the_socket() {
    let server = Running::with(ServerLimits::default(), limited(2, 0)).await;
    let mut statuses = Vec::new();
    for _ in 0..3 {
        statuses.push(server.get("/v1/models/list").await.status);
    }
    assert_eq!(statuses, [200, 200, 429]);
    assert_eq!(server.get("/health").await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_panic_ends_its_request_and_not_its_connection() {
    let server = Running::start(ServerLimits::default()).await;
    server.bench.bodies.set(Mood::Panics);
    let mut stream = server.connect().await;
    stream.write_all(request(SLOW, "keep-alive").as_bytes()).await.unwrap();
    stream.write_all(request("/livez", "close").as_bytes()).await.unwrap();
    let answered = Answered::read(stream).await;
    assert_eq!(answered.status, 500);
    assert!(answered.body.contains("internal_error") && answered.body.contains("HTTP/1.1 200 OK"), "{answered:?}");
}
