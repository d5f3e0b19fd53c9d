//! API keys and limits per minute. `docs/api.md#keys-and-limits`.

use crate::common::{Bench, NOW, key, key_record as record, limited, targets, unlimited};
use axum::body::Body;
use http::{HeaderValue, Request, StatusCode};
use refdesk_core::Stamp;
use refdesk_core::key::KeyRecord;
use refdesk_serve::Settings;
use serde_json::json;

#[tokio::test]
async fn every_wrong_key_is_401_on_every_path_and_says_why() {
    let bench = Bench::new();
    let (good, revoked, expired, unknown) = (key(1), key(2), key(3), key(4));
    bench.desk.keys.replace(vec![
        record(&good),
        KeyRecord { revoked_at: Some(NOW.plus_secs(-1)), ..record(&revoked) },
        KeyRecord { expires_at: Some(NOW), ..record(&expired) },
    ]);
    let mut typo = good.clone();
    typo.replace_range(10..11, if &good[10..11] == "a" { "b" } else { "a" });
    let bearer = |key: &str| ("authorization", format!("Bearer {key}"));
    let cases = [
        (bearer(&unknown), "unknown_key", "invalid API key"),
        (bearer(&revoked), "revoked_key", "revoked API key"),
        (bearer(&expired), "expired_key", "expired API key"),
        (bearer(&typo), "malformed_key", "invalid API key"),
        (bearer("sk-something-else"), "malformed_key", "invalid API key"),
        (bearer(""), "malformed_key", "invalid API key"),
        (("authorization", good.clone()), "malformed_key", "invalid API key"),
        (("authorization", "Basic dXNlcjpwYXNz".into()), "malformed_key", "invalid API key"),
        (("authorization", String::new()), "malformed_key", "invalid API key"),
        (("x-api-key", unknown.clone()), "unknown_key", "invalid API key"),
        (("x-api-key", String::new()), "malformed_key", "invalid API key"),
        (("x-api-key", format!("Bearer {good}")), "malformed_key", "invalid API key"),
    ];
    for (_, target) in targets() {
        for ((name, value), code, error) in &cases {
            let answer = bench.get_with(&target, &[(name, value)]).await;
            let problem = answer.problem(401, code);
            assert_eq!(problem["error"], *error, "{target} {value}");
            assert!(problem["hint"].is_string(), "{target}");
            let challenge = answer.header("www-authenticate");
            assert!(challenge.starts_with("Bearer ") && challenge.contains("invalid_token"), "{challenge}");
            assert!(
                !answer.text().contains(&good[4..]) && !answer.text().contains(&revoked[4..]),
                "no key is repeated"
            );
        }
    }
}

#[tokio::test]
async fn both_headers_carry_a_key_and_bearer_wins() {
    let bench = Bench::new();
    let (good, unknown) = (key(1), key(2));
    bench.desk.keys.replace(vec![record(&good)]);
    let bearer = format!("Bearer {good}");
    for headers in [
        vec![("authorization", bearer.as_str())],
        vec![("authorization", &*format!("bearer   {good} "))],
        vec![("x-api-key", good.as_str())],
        vec![("x-api-key", unknown.as_str()), ("authorization", bearer.as_str())],
    ] {
        let answer = bench.get_with("/v1/models/list", &headers).await;
        assert_eq!(answer.status, StatusCode::OK, "{headers:?}");
        assert!(answer.header("cache-control").starts_with("private"), "{headers:?}");
    }
    let wrong = format!("Bearer {unknown}");
    bench
        .get_with("/v1/models/list", &[("x-api-key", &good), ("authorization", &wrong)])
        .await
        .problem(401, "unknown_key");
    let mut request = Request::builder().uri("/v1/models/list").body(Body::empty()).unwrap();
    request.headers_mut().insert("x-api-key", HeaderValue::from_bytes(b"rdk_\xff\xfe").unwrap());
    bench.ask(request).await.problem(401, "malformed_key");
}

#[tokio::test]
async fn two_authorization_headers_are_refused_however_they_are_ordered() {
    let bench = Bench::new();
    let good = key(1);
    bench.desk.keys.replace(vec![record(&good)]);
    let bearer = format!("Bearer {good}");
    for headers in [
        [("authorization", bearer.as_str()), ("authorization", "Bearer nonsense")],
        [("authorization", "Bearer nonsense"), ("authorization", bearer.as_str())],
        [("x-api-key", good.as_str()), ("x-api-key", "nonsense")],
    ] {
        bench.get_with("/v1/models/list", &headers).await.problem(401, "malformed_key");
    }
}

#[tokio::test]
async fn a_revocation_and_an_expiry_take_effect_while_the_service_runs() {
    let bench = Bench::new();
    let secret = key(9);
    let expires = NOW.plus_secs(10);
    bench.desk.keys.replace(vec![KeyRecord { expires_at: Some(expires), ..record(&secret) }]);
    let ask = async || bench.get_with("/v1/models/list", &[("x-api-key", &secret)]).await;
    assert_eq!(ask().await.status, StatusCode::OK);
    bench.set_clock(NOW.plus_secs(9));
    assert_eq!(ask().await.status, StatusCode::OK);
    bench.set_clock(expires);
    ask().await.problem(401, "expired_key");
    bench.set_clock(NOW);
    assert_eq!(ask().await.status, StatusCode::OK);
    bench.desk.keys.replace(vec![KeyRecord { revoked_at: Some(NOW), ..record(&secret) }]);
    ask().await.problem(401, "revoked_key");
    bench.desk.keys.replace(Vec::new());
    ask().await.problem(401, "unknown_key");
}

#[tokio::test]
async fn the_time_of_last_use_is_kept_for_the_store_without_a_write_per_request() {
    let bench = Bench::new();
    let secret = key(5);
    bench.desk.keys.replace(vec![record(&secret)]);
    for at in [1, 2, 3] {
        bench.set_clock(NOW.plus_secs(at));
        bench.get_with("/v1/models/list", &[("x-api-key", &secret)]).await;
    }
    assert_eq!(bench.desk.keys.take_used(), [(secret[..12].to_owned(), NOW.plus_secs(3))]);
    assert!(bench.desk.keys.take_used().is_empty());
}

#[tokio::test]
async fn require_key_closes_the_reads_and_leaves_the_operations_open() {
    let bench = Bench::with(Settings { require_key: true, ..unlimited() });
    let secret = key(7);
    bench.desk.keys.replace(vec![record(&secret)]);
    for (path, target) in targets() {
        let answer = bench.get(&target).await;
        if path.starts_with("/v1/") {
            let problem = answer.problem(401, "key_required");
            assert_eq!(problem["error"], "API key required", "{target}");
            assert!(answer.header("www-authenticate").starts_with("Bearer"), "{target}");
        } else {
            assert_eq!(answer.status, StatusCode::OK, "{target}");
        }
        assert_eq!(bench.get_with(&target, &[("x-api-key", &secret)]).await.status, StatusCode::OK, "{target}");
    }
    let unknown = key(8);
    let hint = async |bench: &Bench| {
        let answer = bench.get_with("/v1/models/list", &[("x-api-key", &unknown)]).await;
        answer.problem(401, "unknown_key")["hint"].take()
    };
    assert_eq!(hint(&bench).await, "Ask the operator for a key.", "without one nothing is answered here");
    assert_eq!(hint(&Bench::new()).await, "Ask the operator for a key, or send none.");
}

#[tokio::test]
async fn the_call_over_the_limit_is_429_and_told_when_to_come_back() {
    let bench = Bench::with(limited(3, 0));
    for left in [2, 1, 0] {
        let answer = bench.get_from("203.0.113.1", "/v1/models/list", &[]).await;
        assert_eq!(answer.status, StatusCode::OK);
        assert_eq!(answer.header("ratelimit-policy"), "\"anon\";q=3;w=60");
        let state = answer.header("ratelimit");
        assert!(state.starts_with(&format!("\"anon\";r={left};t=")), "{state}");
    }
    let answer = bench.get_from("203.0.113.1", "/v1/models/nova-2", &[]).await;
    let problem = answer.problem(429, "rate_limited");
    assert_eq!(problem["error"], "rate limit exceeded");
    assert_eq!((&problem["limit_per_minute"], &problem["scope"]), (&json!(3), &json!("anon")));
    let wait: u64 = answer.header("retry-after").parse().unwrap();
    assert!((15..=20).contains(&wait), "a third of a minute: {wait}");
    assert_eq!(problem["retry_after_seconds"], wait);
    assert!(answer.header("ratelimit").starts_with("\"anon\";r=0;t="), "{}", answer.header("ratelimit"));
    assert_eq!(bench.get_from("203.0.113.2", "/v1/models/list", &[]).await.status, StatusCode::OK, "another address");
    let metrics = bench.get("/metrics").await.text();
    assert!(metrics.contains("refdesk_limited_total{scope=\"anon\"} 1"), "{metrics}");
}

#[tokio::test]
async fn errors_count_and_operations_do_not() {
    let bench = Bench::with(limited(2, 0));
    for (path, target) in targets() {
        if !path.starts_with("/v1/") {
            let answer = bench.get_from("203.0.113.1", &target, &[]).await;
            assert_eq!((answer.status, answer.header("ratelimit")), (StatusCode::OK, ""), "{target}");
        }
    }
    bench.get_from("203.0.113.1", "/v1/models/none", &[]).await.problem(404, "not_found");
    let unknown = bench.get_from("203.0.113.1", "/v1/nothing/here", &[]).await;
    unknown.problem(404, "unknown_endpoint");
    assert!(unknown.header("ratelimit").starts_with("\"anon\";r=0"), "a guess counts too");
    bench.get_from("203.0.113.1", "/v1/models/list", &[]).await.problem(429, "rate_limited");
    assert_eq!(bench.get_from("203.0.113.1", "/health", &[]).await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_key_has_its_own_limit_and_does_not_use_up_the_address() {
    let bench = Bench::with(limited(1, 2));
    let (default, own, off) = (key(1), key(2), key(3));
    bench.desk.keys.replace(vec![
        record(&default),
        KeyRecord { limit_per_minute: Some(3), ..record(&own) },
        KeyRecord { limit_per_minute: Some(0), ..record(&off) },
    ]);
    for (secret, calls) in [(&default, 2), (&own, 3)] {
        for _ in 0..calls {
            let answer = bench.get_from("203.0.113.1", "/v1/models/list", &[("x-api-key", secret)]).await;
            assert_eq!(answer.status, StatusCode::OK);
            assert_eq!(answer.header("ratelimit-policy"), format!("\"key\";q={calls};w=60"));
        }
        let refused = bench.get_from("203.0.113.1", "/v1/models/list", &[("x-api-key", secret)]).await;
        let problem = refused.problem(429, "rate_limited");
        assert_eq!((&problem["scope"], &problem["limit_per_minute"]), (&json!("key"), &json!(calls)));
    }
    for _ in 0..5 {
        let answer = bench.get_from("203.0.113.1", "/v1/models/list", &[("x-api-key", &off)]).await;
        assert_eq!((answer.status, answer.header("ratelimit")), (StatusCode::OK, ""), "0 is off");
    }
    assert_eq!(
        bench.get_from("203.0.113.1", "/v1/models/list", &[]).await.status,
        StatusCode::OK,
        "the address has its own"
    );
}

#[tokio::test]
async fn a_failed_key_counts_against_the_address() {
    let bench = Bench::with(limited(3, 600));
    for _ in 0..3 {
        let answer = bench.get_from("203.0.113.1", "/health", &[("x-api-key", "guess")]).await;
        answer.problem(401, "malformed_key");
        assert!(answer.header("ratelimit").starts_with("\"anon\""), "{}", answer.header("ratelimit"));
    }
    bench.get_from("203.0.113.1", "/health", &[("x-api-key", "guess")]).await.problem(429, "rate_limited");
    bench.get_from("203.0.113.1", "/v1/models/list", &[]).await.problem(429, "rate_limited");
    assert_eq!(bench.get_from("203.0.113.1", "/health", &[]).await.status, StatusCode::OK);
}

#[tokio::test]
async fn addresses_count_as_the_contract_says() {
    let trusted = vec!["10.0.0.0/8".parse().unwrap()];
    let bench = Bench::with(Settings { trusted_proxies: trusted, ..limited(1, 0) });
    for (peer, forwarded, status) in [
        ("2001:db8:1:2::1", "", 200),
        ("2001:db8:1:2:ffff::9", "", 429),
        ("2001:db8:1:3::1", "", 200),
        ("203.0.113.1", "198.51.100.1", 200),
        ("203.0.113.1", "198.51.100.2", 429),
        ("10.0.0.1", "198.51.100.3", 200),
        ("10.0.0.1", "198.51.100.4", 200),
        ("10.0.0.2", "192.0.2.1, 198.51.100.4", 429),
        ("::ffff:203.0.113.1", "", 429),
    ] {
        let answer = bench.get_from(peer, "/v1/models/list", &[("x-forwarded-for", forwarded)]).await;
        assert_eq!(answer.status.as_u16(), status, "{peer} for {forwarded:?}");
    }
}

#[tokio::test]
async fn without_limits_there_are_no_headers_of_limits() {
    let bench = Bench::new();
    let answer = bench.get("/v1/models/list").await;
    assert_eq!((answer.header("ratelimit"), answer.header("ratelimit-policy")), ("", ""));
    assert!(Stamp::default() < NOW);
}

#[tokio::test]
async fn callers_on_this_machine_are_not_limited_unless_a_proxy_brought_them_or_their_key_is_wrong() {
    let settings = || {
        let mut settings = limited(1, 1);
        settings.limits.loopback_unlimited = true;
        settings
    };
    let bench = Bench::with(settings());
    for _ in 0..3 {
        for peer in ["127.0.0.1", "::1", "::ffff:127.0.0.1"] {
            let answer = bench.get_from(peer, "/v1/models/list", &[]).await;
            assert_eq!(answer.status, StatusCode::OK, "{peer}");
            assert!(!answer.headers.contains_key("ratelimit"), "{peer}");
        }
    }
    for header in ["forwarded", "x-forwarded-for", "x-real-ip", "via"] {
        let bench = Bench::with(settings());
        let asked = async || bench.get_from("127.0.0.1", "/v1/models/list", &[(header, "for=198.51.100.1")]).await;
        assert_eq!(asked().await.status, StatusCode::OK, "{header}");
        assert_eq!(asked().await.status, StatusCode::TOO_MANY_REQUESTS, "{header}");
    }
    let bench = Bench::with(settings());
    bench.desk.keys.replace(vec![record(&key(1))]);
    let with_key =
        async |secret: &str| bench.get_from("127.0.0.1", "/v1/models/list", &[("x-api-key", secret)]).await.status;
    assert_eq!(with_key(&key(1)).await, StatusCode::OK);
    assert_eq!(with_key(&key(1)).await, StatusCode::TOO_MANY_REQUESTS, "keys always count");
    assert_eq!(with_key(&key(2)).await, StatusCode::UNAUTHORIZED);
    assert_eq!(with_key(&key(2)).await, StatusCode::TOO_MANY_REQUESTS, "keys cannot be guessed at will");
    let elsewhere = Bench::with(settings());
    let asked = async || elsewhere.get_from("192.0.2.7", "/v1/models/list", &[]).await.status;
    assert_eq!((asked().await, asked().await), (StatusCode::OK, StatusCode::TOO_MANY_REQUESTS));
}
