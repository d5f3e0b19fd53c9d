//! Errors: one shape everywhere, and nothing of the inside. `docs/api.md#errors`.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use crate::common::{Answer, Bench, DAY, Mood, NOW, key, key_record as record, limited, snapshot, targets, unlimited};
use axum::body::Body;
use http::{HeaderValue, Method, Request, StatusCode};
use refdesk_core::fact::RecordWithheld;
use refdesk_core::key::KeyRecord;
use refdesk_serve::http::problem::ProblemCode;
use refdesk_serve::state::RecordRead;
use refdesk_serve::{Role, Settings};

/// What the page of errors says of a code of REST: status, and its row.
fn rows_of_the_page() -> Vec<(u16, String, String)> {
    let page = include_str!("../../../../../../docs/errors.md");
    let table = page.split("## Codes").nth(1).unwrap().split("## MCP").next().unwrap();
    let mut rows: Vec<(u16, String, String)> = Vec::new();
    for line in table.lines().filter(|line| line.starts_with("| ") && !line.contains("status |")) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        // What is the same as in the row above is written there.
        let above = rows.last().map(|(_, _, row)| row.as_str()).filter(|_| cells[4].starts_with("the same"));
        let row = format!("{line}{}", above.unwrap_or_default());
        rows.push((cells[1].parse().unwrap(), cells[2].trim_matches('`').to_owned(), row));
    }
    rows
}

/// Asserts that an error is what its row says: status, `error`, and each of the members and headers, which the row names.
#[track_caller]
fn is_as_the_page_says(answer: &Answer, code: ProblemCode, members: &[&str], headers: &[&str]) {
    let rows = rows_of_the_page();
    let (status, _, row) = rows.iter().find(|(_, named, _)| named == code.as_str()).unwrap();
    let problem = answer.problem(*status, code.as_str());
    let error = problem["error"].as_str().unwrap();
    let label = error.strip_suffix(" not found").map_or(error, |label| label);
    assert!(row.contains(&format!("`{error}`")) || row.contains(&format!("`{label}`")), "{error}: {row}");
    let further: BTreeSet<&str> = problem.as_object().unwrap().keys().map(String::as_str).collect();
    let standing = ["type", "title", "status", "detail", "instance", "code", "error", "request_id", "hint"];
    let further: Vec<&str> = further.into_iter().filter(|member| !standing.contains(member)).collect();
    assert_eq!(further, members, "{code:?}: {problem}");
    for name in members.iter().chain(headers) {
        assert!(row.contains(&format!("`{name}")), "{name} is not in {row}");
    }
    for header in headers {
        assert!(!answer.header(&header.to_ascii_lowercase()).is_empty(), "{code:?} has no {header}: {answer:?}");
    }
}

#[test]
fn the_page_of_errors_has_every_code_and_no_other() {
    let mut page: Vec<String> = rows_of_the_page().into_iter().map(|(_, code, _)| code).collect();
    page.push("invalid_argument".to_owned());
    page.sort();
    let mut codes: Vec<&str> = ProblemCode::ALL.iter().map(|code| code.as_str()).collect();
    codes.sort_unstable();
    assert_eq!(page, codes, "docs/errors.md");
    let mcp = include_str!("../../../../../../docs/errors.md").split("## MCP").nth(1).unwrap();
    assert!(mcp.contains("`invalid_argument`"), "the code that only tools have");
}

/// Those of connections, `request_timeout` and `busy`, are provoked over sockets.
#[tokio::test]
async fn each_code_comes_with_what_the_page_of_errors_says() {
    let bench = Bench::with(limited(1000, 1000));
    let (good, revoked, expired) = (key(1), key(2), key(3));
    bench.desk.keys.replace(vec![
        record(&good),
        KeyRecord { revoked_at: Some(NOW), ..record(&revoked) },
        KeyRecord { expires_at: Some(NOW), ..record(&expired) },
    ]);
    for (query, members) in [
        ("", &["param"][..]),
        ("q=a&price_input__lte=1", &["allowed_types", "param"]),
        ("q=a&type=x", &["allowed_types", "param"]),
        ("q=a&limit=x", &["param"]),
        ("q=a&mode=x", &["allowed", "param"]),
        ("q=a&fresh_only=x", &["param"]),
        ("q=a&include_markdown=x", &["param"]),
    ] {
        let answer = bench.get(&format!("/v1/search?{query}")).await;
        is_as_the_page_says(&answer, ProblemCode::InvalidQuery, members, &[]);
    }
    for (target, members) in [
        ("/v1/models/list?offset=x", &["param"][..]),
        ("/v1/frameworks/search?q=a&domain=x", &["allowed_domains", "param"]),
        ("/v1/frameworks/search?q=a&include_candidates=x", &["param"]),
        ("/v1/frameworks/search?q=a&include_prompt=x", &["param"]),
    ] {
        is_as_the_page_says(&bench.get(target).await, ProblemCode::InvalidQuery, members, &[]);
    }
    let hostless = bench.ask_as_is(Request::builder().uri("/livez").body(Body::empty()).unwrap()).await;
    is_as_the_page_says(&hostless, ProblemCode::MalformedRequest, &[], &[]);
    let signs = ["WWW-Authenticate", "RateLimit", "RateLimit-Policy"];
    for (sent, code) in [
        ("nonsense", ProblemCode::MalformedKey),
        (&key(4), ProblemCode::UnknownKey),
        (&revoked, ProblemCode::RevokedKey),
        (&expired, ProblemCode::ExpiredKey),
    ] {
        is_as_the_page_says(&bench.get_with("/v1/models/list", &[("x-api-key", sent)]).await, code, &[], &signs);
    }
    let closed = Bench::with(Settings { require_key: true, ..unlimited() });
    is_as_the_page_says(&closed.get("/v1/models/list").await, ProblemCode::KeyRequired, &[], &signs[..1]);
    let cut_off = Settings { key_ring_age_max: Duration::from_mins(1), ..unlimited() };
    let cut_off = Bench::with(cut_off);
    cut_off.desk.keys.replace(vec![record(&good)]);
    let ago = |secs| Instant::now().checked_sub(Duration::from_secs(secs)).unwrap();
    cut_off.desk.node.keys_checked(ago(30));
    cut_off.set_clock(NOW.plus_secs(3_600));
    assert_eq!(
        cut_off.get_with("/v1/models/list", &[("x-api-key", &good)]).await.status,
        200,
        "not older than it may be, whatever the clock says"
    );
    cut_off.desk.node.keys_checked(ago(61));
    let refused = cut_off.get_with("/v1/models/list", &[("x-api-key", &good)]).await;
    is_as_the_page_says(&refused, ProblemCode::KeysUnknown, &[], &[]);
    assert_eq!(cut_off.get("/v1/models/list").await.status, 200, "who sends no key is answered");
    let begun = Bench::with(unlimited());
    begun.desk.keys.await_store();
    let sent = [("x-api-key", good.as_str())];
    is_as_the_page_says(&begun.get_with("/v1/models/list", &sent).await, ProblemCode::KeysUnknown, &[], &[]);
    begun.desk.keys.replace(Vec::new());
    is_as_the_page_says(&begun.get_with("/v1/models/list", &sent).await, ProblemCode::UnknownKey, &[], &signs[..1]);
    let syncer = Bench::with(Settings { role: Role::Syncer, ..unlimited() });
    for target in ["/v1/models/list", "/", "/docs", "/v1/search?q=a"] {
        is_as_the_page_says(&syncer.get(target).await, ProblemCode::NotServing, &[], &[]);
    }
    for target in ["/health", "/livez", "/readyz", "/version", "/metrics"] {
        assert_eq!(syncer.get(target).await.status, 200, "{target}");
    }
    let foreign = bench.get_with("/livez", &[("host", "evil.example")]).await;
    is_as_the_page_says(&foreign, ProblemCode::HostNotAllowed, &[], &[]);
    for path in ["models", "tools", "skills", "tutorials", "mcp-servers", "documents", "frameworks"] {
        let answer = bench.get(&format!("/v1/{path}/nothing-is-called-so")).await;
        is_as_the_page_says(&answer, ProblemCode::NotFound, &["suggestions"], &[]);
        assert!(answer.json()["suggestions"].as_array().unwrap().len() <= 5);
    }
    is_as_the_page_says(&bench.get("/v1/evidence/none").await, ProblemCode::NotFound, &[], &[]);
    is_as_the_page_says(&bench.get("/v2").await, ProblemCode::UnknownEndpoint, &[], &[]);
    let posted = bench.send(Method::POST, "/v1/models/list", &[]).await;
    is_as_the_page_says(&posted, ProblemCode::MethodNotAllowed, &[], &["Allow"]);
    is_as_the_page_says(&bench.get(&format!("/{}", "x".repeat(8192))).await, ProblemCode::UriTooLong, &[], &[]);
    let wide = bench.get_with("/livez", &[("x", &"x".repeat(32 * 1024))]).await;
    is_as_the_page_says(&wide, ProblemCode::HeadersTooLarge, &[], &[]);
    for (mood, code) in
        [(Mood::Fails, ProblemCode::DocumentStoreUnavailable), (Mood::Panics, ProblemCode::InternalError)]
    {
        bench.bodies.set(mood);
        is_as_the_page_says(&bench.get("/v1/documents/guide-start").await, code, &[], &[]);
    }
    for (keyed, scope) in [(false, "anon"), (true, "key")] {
        let scarce = Bench::with(limited(1, 1));
        scarce.desk.keys.replace(vec![record(&good)]);
        let headers: &[(&str, &str)] = if keyed { &[("x-api-key", &good)] } else { &[] };
        scarce.get_with("/v1/models/list", headers).await;
        let limited = scarce.get_with("/v1/models/list", headers).await;
        let members = ["limit_per_minute", "retry_after_seconds", "scope"];
        is_as_the_page_says(
            &limited,
            ProblemCode::RateLimited,
            &members,
            &["Retry-After", "RateLimit", "RateLimit-Policy"],
        );
        assert_eq!(limited.json()["scope"], scope);
    }
}

#[tokio::test]
async fn what_is_withheld_or_only_stale_comes_with_what_the_page_of_errors_says() {
    let bench = Bench::new();
    let evidence = bench.json("/v1/models/nova-2").await["evidence"]["key"].as_str().unwrap().to_owned();
    let key = bench.desk.snapshot().evidence(&evidence).unwrap().key;
    for reason in [RecordWithheld::Licence, RecordWithheld::Secret] {
        bench.bodies.records.lock().unwrap().insert(key, RecordRead::Withheld(reason));
        let withheld = bench.get(&format!("/v1/evidence/{evidence}/record")).await;
        is_as_the_page_says(&withheld, ProblemCode::RecordWithheld, &["reason"], &[]);
    }
    // A year on nothing is fresh any more.
    let later = NOW.plus_secs(365 * DAY);
    bench.set_clock(later);
    bench.desk.publish(snapshot(&crate::common::catalog::facts(), later, 2));
    assert_eq!(bench.get("/v1/models/nova-2").await.status, StatusCode::OK);
    is_as_the_page_says(&bench.get("/v1/models/nova-2?fresh_only=true").await, ProblemCode::OnlyStale, &[], &[]);
}

#[tokio::test]
async fn a_path_that_is_none_is_404_and_says_where_the_paths_are() {
    let bench = Bench::new();
    for path in [
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
async fn a_path_that_is_spelt_another_way_or_ends_early_is_404_and_names_the_right_one() {
    let bench = Bench::new();
    for (path, near) in [
        ("/v1/mcp_servers/list", "/v1/mcp-servers/list"),
        ("/v1/docs/list?limit=1", "/v1/documents/list"),
        ("/v1/model/list", "/v1/models/list"),
        ("/v1/MODELS/gpt-5", "/v1/models/gpt-5"),
        ("/v1/models", "/v1/models/list"),
        ("/c/team/v1/doc/list", "/c/team/v1/documents/list"),
        ("/v1/sources", "/v1/sources/status"),
        ("/v1/source/status", "/v1/sources/status"),
        ("/v1/conflict", "/v1/conflicts"),
        ("/c/team/v1/resolv", "/c/team/v1/resolve"),
        ("/v1/models/list/", "/v1/models/list"),
        ("/c/team/v1/models/list/", "/c/team/v1/models/list"),
        ("/c/team/v1/frameworks/route/", "/c/team/v1/frameworks/route"),
        ("/c/team/mcp/", "/c/team/mcp"),
        ("/mcp/", "/mcp"),
        ("/v1/model/list/", "/v1/models/list"),
        ("/v1/search/?q=nova", "/v1/search"),
        ("/health/", "/health"),
    ] {
        let problem = bench.get(path).await.problem(404, "unknown_endpoint");
        assert_eq!(problem["suggestions"], serde_json::json!([near]), "{path}");
        assert!(problem["hint"].as_str().unwrap().starts_with(&format!("Use {near};")), "{problem}");
    }
    for path in ["/v1/lamps/list", "/v1", "/docs/list", "/v1/evidence", "/v1/price"] {
        assert!(bench.get(path).await.problem(404, "unknown_endpoint")["suggestions"].is_null(), "{path}");
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

#[tokio::test]
async fn who_sends_the_question_under_another_name_hears_which_is_right() {
    let problem = Bench::new().get("/v1/search?query=postgres").await.problem(400, "invalid_query");
    let said = "`q` is missing: what is looked for is sent as `q`, not as `query`.";
    assert_eq!(problem["detail"], said, "{problem}");
}

/// The answers have no member for it: a parameter that these paths do not know was passed over without a word.
#[tokio::test]
async fn a_path_without_parameters_tells_in_a_header_what_it_ignored() {
    let bench = Bench::new();
    let key = bench.json("/v1/documents/guide-start").await["evidence"]["key"].as_str().unwrap().to_owned();
    for path in ["/v1/sources/status", &format!("/v1/evidence/{key}"), &format!("/v1/evidence/{key}/record")] {
        let told = async |query: &str| bench.get(&format!("{path}{query}")).await.header("refdesk-warnings").to_owned();
        let ignored = r#"["unknown query parameter `source` was ignored; there are none here"]"#;
        assert_eq!((told("?source=litellm").await.as_str(), told("").await.as_str()), (ignored, ""), "{path}");
    }
}
