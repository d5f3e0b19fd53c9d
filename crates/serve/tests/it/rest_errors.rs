//! Errors: one shape everywhere, and nothing of the inside. Contract section 7.

use crate::common::{Bench, Mood, targets, unlimited};
use axum::body::Body;
use http::{HeaderValue, Method, Request, StatusCode};
use refdesk_serve::Settings;

#[tokio::test]
async fn a_path_that_is_none_is_404_and_says_where_the_paths_are() {
    let bench = Bench::new();
    for path in [
        "/",
        "/v1",
        "/v1/",
        "/v2/models/list",
        "/v1/Models/list",
        "/v1/models",
        "/v1//models/list",
        "/health/",
        "/favicon.ico",
        "/%2e%2e/etc/passwd",
    ] {
        let problem = bench.get(path).await.problem(404, "unknown_endpoint");
        assert!(problem["hint"].as_str().unwrap().contains("/docs"), "{path}");
        assert_eq!(problem["instance"], path);
    }
}

#[tokio::test]
async fn other_methods_are_405_with_allow_on_every_path() {
    let bench = Bench::new();
    for (_, target) in targets() {
        for method in ["POST", "PUT", "PATCH", "DELETE", "TRACE", "CONNECT", "QUERY", "BREW"] {
            let answer = bench.send(Method::from_bytes(method.as_bytes()).unwrap(), &target, &[]).await;
            answer.problem(405, "method_not_allowed");
            assert_eq!(answer.header("allow"), "GET, HEAD, OPTIONS", "{method} {target}");
        }
    }
}

#[tokio::test]
async fn long_paths_uris_and_headers_are_refused_by_their_own_status() {
    let bench = Bench::new();
    let path = |bytes: usize| format!("/v1/models/{}", "x".repeat(bytes - "/v1/models/".len()));
    bench.get(&path(8 * 1024)).await.problem(404, "not_found");
    bench.get(&path(8 * 1024 + 1)).await.problem(414, "uri_too_long");
    let uri = |bytes: usize| format!("/v1/models/list?x={}", "x".repeat(bytes - "/v1/models/list?x=".len()));
    assert_eq!(bench.get(&uri(32 * 1024)).await.status, StatusCode::OK);
    bench.get(&uri(32 * 1024 + 1)).await.problem(414, "uri_too_long");
    let host = "host".len() + "localhost".len() + 4;
    let header = "y".repeat(32 * 1024 - host - "x-long".len() - 4);
    assert_eq!(bench.get_with("/livez", &[("x-long", &header)]).await.status, StatusCode::OK);
    bench.get_with("/livez", &[("x-long", &format!("{header}y"))]).await.problem(431, "headers_too_large");
    let many: Vec<(String, String)> = (0..900).map(|at| (format!("x-{at}"), "z".repeat(40))).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    bench.get_with("/v1/models/list", &many).await.problem(431, "headers_too_large");
}

#[tokio::test]
async fn a_foreign_host_is_403_and_the_configured_ones_are_answered() {
    let bench = Bench::with(Settings {
        base_url: "https://desk.example.org".into(),
        api_url: "https://api.example.org:8443/".into(),
        allowed_hosts: vec!["inner.example".into()],
        ..unlimited()
    });
    for (host, status) in [
        ("localhost:8787", 200),
        ("127.0.0.1:8787", 200),
        ("[::1]:8787", 200),
        ("desk.example.org", 200),
        ("DESK.EXAMPLE.ORG:443", 200),
        ("api.example.org", 200),
        ("inner.example:80", 200),
        ("evil.example", 403),
        ("desk.example.org.evil.example", 403),
        ("evil.example:8787", 403),
        ("localhost.evil.example", 403),
        ("", 400),
        ("desk.example.org@evil.example", 400),
        ("[::1].evil.example", 400),
    ] {
        let answer = bench.get_with("/v1/models/list", &[("host", host)]).await;
        match status {
            403 => drop(answer.problem(403, "host_not_allowed")),
            400 => drop(answer.problem(400, "malformed_request")),
            _ => assert_eq!(answer.status.as_u16(), status, "{host}"),
        }
    }
    let mut request = Request::builder().uri("/livez").body(Body::empty()).unwrap();
    request.headers_mut().insert("host", HeaderValue::from_bytes(b"\xff\xfe.example").unwrap());
    bench.ask(request).await.problem(400, "malformed_request");
    bench
        .ask_as_is(Request::builder().uri("/livez").body(Body::empty()).unwrap())
        .await
        .problem(400, "malformed_request");
    let open = Bench::with(Settings { any_host: true, ..unlimited() });
    assert_eq!(open.get_with("/livez", &[("host", "anything.example")]).await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_panic_is_a_500_for_that_request_alone() {
    let bench = Bench::new();
    let before = bench.get("/metrics").await.text();
    bench.bodies.set(Mood::Panics);
    let problem = bench.get("/v1/documents/guide-start").await.problem(500, "internal_error");
    assert_eq!(problem["error"], "internal error");
    assert!(bench.get("/v1/models/list").await.status.is_success());
    bench.bodies.set(Mood::Works);
    assert!(bench.get("/v1/documents/guide-start").await.status.is_success());
    let after = bench.get("/metrics").await.text();
    assert!(before.contains("refdesk_panics_total 0") && after.contains("refdesk_panics_total 1"), "{after}");
}

#[tokio::test]
async fn the_request_id_is_the_client_s_when_it_is_plain_and_ours_otherwise() {
    let bench = Bench::new();
    let taken = bench.get_with("/v1/models/none", &[("x-request-id", "Trace-1.a_b")]).await;
    assert_eq!(taken.header("x-request-id"), "Trace-1.a_b");
    taken.problem(404, "not_found");
    let long = "a".repeat(65);
    for odd in ["", "a b", "<script>", "a\"b", &long] {
        let answer = bench.get_with("/v1/models/none", &[("x-request-id", odd)]).await;
        let id = answer.header("x-request-id");
        assert!(id.len() == 16 && id.bytes().all(|byte| byte.is_ascii_hexdigit()), "{odd:?}: {id}");
        answer.problem(404, "not_found");
    }
    let (one, two) = (bench.get("/livez").await, bench.get("/livez").await);
    assert_ne!(one.header("x-request-id"), two.header("x-request-id"));
}

#[tokio::test]
async fn what_was_asked_is_shown_short_and_without_hidden_characters() {
    let bench = Bench::new();
    let answer = bench.get(&format!("/v1/models/{}", "%E2%80%AE%00x".repeat(300))).await;
    let problem = answer.problem(404, "not_found");
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.chars().count() < 200 && !detail.contains('\u{202e}') && !detail.contains('\0'), "{detail}");
}

#[tokio::test]
async fn a_problem_to_a_head_request_has_no_body() {
    let bench = Bench::new();
    let answer = bench.send(Method::HEAD, "/v1/models/none", &[]).await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
    assert_eq!(answer.header("content-type"), "application/problem+json");
    assert!(answer.body.is_empty(), "{}", answer.text());
}
