//! What cannot be read as a request of HTTP is refused like everything else: with a problem document and a request id.

use std::time::Duration;

use crate::common::socket::{Answered, Running, request};
use refdesk_serve::ServerLimits;
use serde_json::Value;
use tokio::io::AsyncWriteExt;

/// Asserts that an answer on the wire is the one problem, and that its document is whole.
#[track_caller]
fn is_problem(answered: &Answered, status: u16, code: &str, of: &str) {
    assert_eq!(answered.status, status, "{of}: {answered:?}");
    let header = |name: &str| {
        let found = answered.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        found.unwrap_or_else(|| panic!("{of}: no {name} in {answered:?}")).to_owned()
    };
    assert_eq!(header("content-type"), "application/problem+json", "{of}");
    assert_eq!(header("x-content-type-options"), "nosniff", "{of}");
    assert_eq!(header("content-length"), answered.body.len().to_string(), "{of}");
    assert!(header("date").ends_with(" gmt"), "{of}");
    let document: Value = serde_json::from_str(&answered.body).unwrap();
    assert_eq!((document["code"].as_str(), document["status"].as_u64()), (Some(code), Some(status.into())), "{of}");
    assert_eq!(document["request_id"], header("x-request-id"), "{of}");
    assert!(document["instance"].as_str().is_some_and(|instance| instance.starts_with('/')), "{of}: {document}");
    assert!(document["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "{of}: {document}");
}

/// Whoever types an address for curl does not encode it as a browser would.
#[tokio::test(flavor = "multi_thread")]
async fn an_address_with_what_it_cannot_hold_is_told_how_to_encode_it() {
    let server = Running::start(ServerLimits::default()).await;
    for (raw, encoded) in [("a b", "%20 for a blank"), ("\"a\"", "%22 for a quotation mark"), ("a<b", "%3C for <")] {
        let mut stream = server.connect().await;
        let asked = format!("GET /v1/search?q={raw} HTTP/1.1\r\nhost: localhost\r\n\r\n");
        stream.write_all(asked.as_bytes()).await.unwrap();
        let answered = Answered::read(stream).await;
        is_problem(&answered, 400, "malformed_request", raw);
        let document: Value = serde_json::from_str(&answered.body).unwrap();
        let hint = document["hint"].as_str().unwrap();
        assert!(hint.contains("percent-encode") && hint.contains(encoded), "{raw}: {hint}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_request_gets_a_problem_document_with_an_id() {
    let server = Running::start(ServerLimits::default()).await;
    let long_uri = format!("GET /{} HTTP/1.1\r\nhost: localhost\r\n\r\n", "x".repeat(60_000));
    let longer_uri = format!("GET /{} HTTP/1.1\r\nhost: localhost\r\n\r\n", "x".repeat(200_000));
    let many_headers = format!("GET / HTTP/1.1\r\nhost: localhost\r\n{}\r\n", "a: b\r\n".repeat(500));
    let wide_header = format!("GET / HTTP/1.1\r\nhost: localhost\r\na: {}\r\n\r\n", "x".repeat(2_000_000));
    for (bytes, status, code) in [
        ("GET\r\n\r\n", 400, "malformed_request"),
        ("GET / HTTP/9.9\r\n\r\n", 400, "malformed_request"),
        ("GET / HTTP/1.1\r\nno colon\r\n\r\n", 400, "malformed_request"),
        ("GET / HTTP/1.1\r\nhost: localhost\r\nx: a\0b\r\n\r\n", 400, "malformed_request"),
        (
            "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n",
            400,
            "malformed_request",
        ),
        (&long_uri, 414, "uri_too_long"),
        (&longer_uri, 414, "uri_too_long"),
        (&many_headers, 431, "headers_too_large"),
        (&wide_header, 431, "headers_too_large"),
    ] {
        let shown = &bytes[..bytes.len().min(40)];
        let mut stream = server.connect().await;
        let _ = stream.write_all(bytes.as_bytes()).await;
        is_problem(&Answered::read(stream).await, status, code, shown);
        // And as the second request of a connection.
        let mut stream = server.connect().await;
        stream.write_all(request("/livez", "keep-alive").as_bytes()).await.unwrap();
        let _ = stream.write_all(bytes.as_bytes()).await;
        let both = Answered::read(stream).await;
        let (first, second) = both.body.split_once("HTTP/1.1 ").unwrap_or((&both.body, ""));
        assert_eq!((both.status, first), (200, "ok\n"), "{shown}");
        assert!(second.starts_with(&status.to_string()), "{shown}: {second}");
    }
    server.answers_others().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_is_named_once_and_is_one() {
    let server = Running::start(ServerLimits::default()).await;
    for (headers, status, code) in [
        ("", 400, "malformed_request"),
        ("host: localhost\r\nhost: localhost\r\n", 400, "malformed_request"),
        ("host: localhost\r\nhost: evil.example\r\n", 400, "malformed_request"),
        ("host: [::1].evil.example\r\n", 400, "malformed_request"),
        ("host: localhost:80:80\r\n", 400, "malformed_request"),
        ("host:\r\n", 400, "malformed_request"),
        ("host: a b\r\n", 400, "malformed_request"),
        ("host: evil.example\r\n", 403, "host_not_allowed"),
    ] {
        for (method, path) in [("GET", "/v1/models/list"), ("GET", "/livez"), ("OPTIONS", "/mcp"), ("POST", "/mcp")] {
            let mut stream = server.connect().await;
            let text = format!("{method} {path} HTTP/1.1\r\n{headers}connection: close\r\n\r\n");
            stream.write_all(text.as_bytes()).await.unwrap();
            is_problem(&Answered::read(stream).await, status, code, &text);
        }
    }
    let mut stream = server.connect().await;
    stream
        .write_all(b"GET http://localhost/livez HTTP/1.1\r\nhost: [::1].evil.example\r\nconnection: close\r\n\r\n")
        .await
        .unwrap();
    is_problem(&Answered::read(stream).await, 400, "malformed_request", "a target of its own mends no header");
    let mut stream = server.connect().await;
    stream.write_all(b"GET livez HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").await.unwrap();
    is_problem(&Answered::read(stream).await, 403, "host_not_allowed", "a target that is a host has no path");
    server.answers_others().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn late_headers_are_told_and_silence_is_not() {
    let limits = ServerLimits { header_timeout: Duration::from_millis(300), ..ServerLimits::default() };
    let server = Running::start(limits).await;
    let mut stream = server.connect().await;
    stream.write_all(b"GET /livez HTTP/1.1\r\nhost: loc").await.unwrap();
    is_problem(&Answered::read(stream).await, 408, "request_timeout", "half a request");
    let silent = Answered::read(server.connect().await).await;
    assert_eq!((silent.status, silent.body.as_str()), (0, ""));
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_refusal_no_more_than_a_few_megabytes_are_read() {
    let server = Running::start(ServerLimits::default()).await;
    let mut stream = server.connect().await;
    stream.write_all(b"GET\r\n\r\n").await.unwrap();
    let (piece, mut sent) = (vec![b'x'; 1 << 20], 0);
    // What the buffers of the system hold is sent without being read.
    while sent < 64 && stream.write_all(&piece).await.is_ok() {
        sent += 1;
    }
    assert!(sent < 40, "{sent} MiB went after a refusal");
    server.answers_others().await;
}
