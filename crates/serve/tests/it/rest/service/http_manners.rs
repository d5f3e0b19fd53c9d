//! HTTP manners: entity tags, caching, encodings, HEAD, CORS, security headers. `docs/api.md#http`.

use std::io::Read;

use crate::common::{Answer, Bench, DAY, Mood, NOW, catalog, key, limited, targets, unlimited};
use axum::body::Body;
use http::{HeaderValue, Method, Request, StatusCode};
use refdesk_serve::Settings;

/// Paths whose answers are data of the catalog: they have entity tags.
fn data_targets() -> Vec<String> {
    let uncached = ["/v1/sources/status", "/health", "/livez", "/readyz", "/version", "/metrics"];
    targets().into_iter().filter(|(path, _)| !uncached.contains(path)).map(|(_, target)| target).collect()
}

#[tokio::test]
async fn data_has_a_strong_entity_tag_and_304_for_who_has_it() {
    let bench = Bench::new();
    for target in data_targets() {
        for encoding in ["identity", "gzip", "br", "zstd"] {
            let answer = bench.get_with(&target, &[("accept-encoding", encoding)]).await;
            assert_eq!(answer.status, StatusCode::OK, "{target}");
            let tag = answer.header("etag").to_owned();
            assert!(tag.starts_with('"') && tag.ends_with('"') && tag.len() > 20, "{target}: {tag}");
            for held in [tag.clone(), format!("\"other\", {tag}"), format!("W/{tag}"), "*".to_owned()] {
                let again = bench.get_with(&target, &[("accept-encoding", encoding), ("if-none-match", &held)]).await;
                assert_eq!(again.status, StatusCode::NOT_MODIFIED, "{target} {held}");
                assert!(again.body.is_empty(), "{target}");
                if held != "*" {
                    assert_eq!(again.header("etag"), tag, "{target}");
                }
                assert_eq!(again.header("cache-control"), answer.header("cache-control"), "{target}");
                assert_eq!(again.header("vary"), answer.header("vary"), "{target}");
            }
            let other = bench.get_with(&target, &[("accept-encoding", encoding), ("if-none-match", "\"other\"")]).await;
            assert_eq!((other.status, other.body), (StatusCode::OK, answer.body), "{target}");
        }
    }
}

#[tokio::test]
async fn each_representation_and_each_target_has_its_own_tag() {
    let bench = Bench::new();
    let mut tags = Vec::new();
    for (target, accept, encoding) in [
        ("/v1/documents/guide-start", "*/*", "identity"),
        ("/v1/documents/guide-start", "*/*", "gzip"),
        ("/v1/documents/guide-start", "*/*", "br"),
        ("/v1/documents/guide-start", "*/*", "zstd"),
        ("/v1/documents/guide-start", "text/markdown", "identity"),
        ("/v1/documents/guide-start", "text/html", "identity"),
        ("/v1/documents/guide-start?x=1", "*/*", "identity"),
        ("/v1/documents/guide-bare", "*/*", "identity"),
        ("/v1/models/list", "*/*", "identity"),
        ("/v1/models/list?limit=1", "*/*", "identity"),
    ] {
        let answer = bench.get_with(target, &[("accept", accept), ("accept-encoding", encoding)]).await;
        tags.push(answer.header("etag").to_owned());
    }
    let count = tags.len();
    tags.sort();
    tags.dedup();
    assert_eq!(tags.len(), count, "{tags:?}");
}

#[tokio::test]
async fn a_tag_lasts_while_the_facts_do_and_ends_with_any_change_of_them() {
    let bench = Bench::new();
    let before = bench.get("/v1/models/nova-2").await;
    bench.desk.publish(crate::common::snapshot(&catalog::facts(), NOW, 2));
    assert_eq!(
        bench.get("/v1/models/nova-2").await.header("etag"),
        before.header("etag"),
        "same facts, next generation"
    );
    let second = catalog::facts().iter().position(|fact| fact.key == "acme/nova-2-listing").unwrap();
    let mut verified = catalog::facts();
    verified[second].standing.last_verified_at = Some(NOW);
    let mut licensed = catalog::facts();
    let mut fields = licensed[second].fields.read().into_owned();
    fields.insert("limits".into(), serde_json::json!({"context_tokens": 170_000}));
    licensed[second].fields = fields.into();
    let mut prompted = catalog::facts();
    let card = prompted.iter().position(|fact| fact.key == "premortem").unwrap();
    let mut fields = prompted[card].fields.read().into_owned();
    fields["prompt"]["text"] = "Another prompt".into();
    prompted[card].fields = fields.into();
    for (at, facts) in [verified, licensed, prompted].iter().enumerate() {
        bench.desk.publish(crate::common::snapshot(facts, NOW, 3));
        let after = bench.get_with("/v1/models/nova-2", &[("if-none-match", before.header("etag"))]).await;
        assert_eq!(after.status, StatusCode::OK, "change {at} of what a second source says shows");
    }
}

fn decoded(answer: &Answer) -> Vec<u8> {
    let mut out = Vec::new();
    match answer.header("content-encoding") {
        "gzip" => drop(flate2::read::GzDecoder::new(&*answer.body).read_to_end(&mut out).unwrap()),
        "br" => drop(brotli::Decompressor::new(&*answer.body, 4096).read_to_end(&mut out).unwrap()),
        "zstd" => out = zstd::decode_all(&*answer.body).unwrap(),
        other => panic!("{}: content-encoding {other:?}", answer.target),
    }
    out
}

#[tokio::test]
async fn every_encoding_decodes_to_the_plain_body_also_the_second_time() {
    let bench = Bench::new();
    let exports = ["/v1/models/list?format=ndjson", "/v1/models/list?format=csv", "/v1/documents/list?format=ndjson"];
    for target in data_targets().into_iter().chain(exports.map(str::to_owned)) {
        let plain = bench.get(&target).await;
        assert_eq!(plain.header("content-encoding"), "", "{target}");
        for encoding in ["gzip", "br", "zstd"] {
            for round in ["made", "kept"] {
                let answer = bench.get_with(&target, &[("accept-encoding", encoding)]).await;
                assert_eq!(answer.header("content-encoding"), encoding, "{target} {round}");
                assert_eq!(answer.header("content-type"), plain.header("content-type"), "{target}");
                assert_eq!(decoded(&answer), plain.body, "{target} {encoding} {round}");
            }
        }
    }
}

#[tokio::test]
async fn who_asks_again_gets_the_same_answer_whoever_asked_before() {
    let secret = key(1);
    let keyed = [("x-api-key", secret.as_str())];
    let ways: [(Method, &[(&str, &str)]); 5] = [
        (Method::GET, &[]),
        (Method::GET, &keyed),
        (Method::GET, &[("accept-encoding", "gzip")]),
        (Method::GET, &[("accept", "text/markdown")]),
        (Method::HEAD, &[]),
    ];
    let fresh = || {
        let bench = Bench::with(limited(1000, 2000));
        bench.admit(&secret);
        bench
    };
    let kept = fresh();
    for target in data_targets() {
        for (method, headers) in ways.iter().chain(&ways) {
            let [first, again] = [
                fresh().send(method.clone(), &target, headers).await,
                kept.send(method.clone(), &target, headers).await,
            ];
            assert_eq!((again.status, &again.body), (first.status, &first.body), "{target} {headers:?}");
            for name in [
                "etag",
                "cache-control",
                "content-type",
                "content-encoding",
                "content-length",
                "vary",
                "ratelimit-policy",
            ] {
                assert_eq!(again.header(name), first.header(name), "{target} {headers:?} {name}");
            }
            assert_eq!(again.header("x-request-id").len(), 16, "{target}");
        }
    }
    let left = |answer: &Answer| {
        answer.header("ratelimit").split("r=").nth(1).unwrap().split(';').next().unwrap().parse::<u32>().unwrap()
    };
    // So few a minute that none comes back between two requests.
    let counted = Bench::with(limited(6, 0));
    let [first, again] = [counted.get("/v1/models/nova-2").await, counted.get("/v1/models/nova-2").await];
    assert_eq!((left(&first), left(&again)), (5, 4), "what is kept counts too");
}

#[tokio::test]
async fn an_answer_of_the_generation_before_that_comes_late_is_not_kept_for_the_next_one() {
    let bench = Bench::new();
    let ask = || bench.get_with("/v1/documents/guide-start", &[("accept-encoding", "gzip")]);
    let mut renamed = catalog::facts();
    renamed.iter_mut().find(|fact| fact.key == "guide/start.md").unwrap().head.name = "Getting going".into();
    bench.bodies.set(Mood::Waits);
    let publish = async {
        bench.bodies.wait_for_reads(1).await;
        bench.desk.publish(crate::common::snapshot(&renamed, NOW, 2));
        bench.bodies.release();
    };
    let (late, ()) = tokio::join!(ask(), publish);
    let title = |answer: &Answer| {
        serde_json::from_slice::<serde_json::Value>(&decoded(answer)).unwrap()["document"]["title"].clone()
    };
    assert_eq!(title(&late), "Getting started", "a request keeps the generation that it took");
    assert_eq!(title(&ask().await), "Getting going");
}

#[tokio::test]
async fn the_client_s_wish_decides_the_encoding() {
    let bench = Bench::new();
    for (accept, encoding) in [
        ("gzip, deflate, br, zstd", "zstd"),
        ("gzip, br", "br"),
        ("gzip;q=1, br;q=0.1", "gzip"),
        ("gzip;q=0", ""),
        ("identity", ""),
        ("deflate", ""),
        ("GZIP", "gzip"),
        ("gzip;q=abc", ""),
        ("", ""),
    ] {
        let answer = bench.get_with("/v1/models/list", &[("accept-encoding", accept)]).await;
        assert_eq!(answer.header("content-encoding"), encoding, "{accept}");
    }
    let small = Bench::with(Settings { compress_from_bytes: 1_000_000, ..unlimited() });
    let answer = small.get_with("/v1/models/list", &[("accept-encoding", "gzip")]).await;
    assert_eq!(answer.header("content-encoding"), "", "a small body is sent as it is");
    let again = small
        .get_with("/v1/models/list", &[("accept-encoding", "gzip"), ("if-none-match", answer.header("etag"))])
        .await;
    assert_eq!(again.status, StatusCode::NOT_MODIFIED);
}

#[tokio::test]
async fn caching_ends_where_the_first_fact_turns_stale() {
    let bench = Bench::new();
    assert_eq!(bench.get("/v1/models/list").await.header("cache-control"), "public, max-age=60");
    let turns = bench.desk.snapshot().next_change_at().unwrap();
    assert_eq!(turns, NOW.plus_secs(6 * DAY));
    for (before, age) in [(61, 60), (60, 60), (59, 59), (7, 7), (0, 0), (-5, 0)] {
        bench.set_clock(turns.plus_secs(-before));
        let answer = bench.get("/v1/models/list").await;
        assert_eq!(answer.header("cache-control"), format!("public, max-age={age}"), "{before} seconds before");
    }
}

#[tokio::test]
async fn an_answer_to_a_key_is_private() {
    let bench = Bench::new();
    let secret = key(1);
    bench.admit(&secret);
    let answer = bench.get_with("/v1/models/list", &[("x-api-key", &secret)]).await;
    assert_eq!(answer.header("cache-control"), "private, max-age=60");
    let of_sources = bench.get_with("/v1/sources/status", &[("x-api-key", &secret)]).await;
    assert_eq!(of_sources.header("cache-control"), "private, no-cache");
    for name in ["Accept", "Accept-Encoding", "Authorization", "X-Api-Key"] {
        assert!(answer.header("vary").split(", ").any(|varied| varied == name), "{name} in {}", answer.header("vary"));
    }
}

#[tokio::test]
async fn operations_are_never_cached() {
    let bench = Bench::new();
    for target in ["/health", "/livez", "/readyz", "/version", "/metrics"] {
        let answer = bench.get(target).await;
        assert_eq!((answer.header("cache-control"), answer.header("etag")), ("no-store", ""), "{target}");
    }
}

#[tokio::test]
async fn head_has_the_headers_of_get_and_no_body() {
    let bench = Bench::new();
    for (_, target) in targets() {
        let get = bench.get(&target).await;
        let head = bench.send(Method::HEAD, &target, &[]).await;
        assert_eq!(head.status, get.status, "{target}");
        assert!(head.body.is_empty(), "{target}");
        for name in ["content-type", "etag", "cache-control", "vary", "link"] {
            assert_eq!(head.header(name), get.header(name), "{target} {name}");
        }
        if !target.starts_with("/metrics") {
            assert_eq!(head.header("content-length"), get.body.len().to_string(), "{target}");
        }
    }
}

#[tokio::test]
async fn on_a_public_desk_browsers_of_any_origin_may_read_and_see_the_headers() {
    let bench = Bench::with(Settings { cors_origins: vec!["*".into()], ..unlimited() });
    for (_, target) in targets() {
        let answer = bench.get_with(&target, &[("origin", "https://page.example")]).await;
        assert_eq!(answer.header("access-control-allow-origin"), "*", "{target}");
        assert_eq!(answer.header("access-control-allow-credentials"), "", "{target}");
        let exposed = answer.header("access-control-expose-headers");
        for name in ["ETag", "Link", "RateLimit", "RateLimit-Policy", "Retry-After", "X-Request-Id", "WWW-Authenticate"]
        {
            assert!(exposed.split(", ").any(|shown| shown == name), "{target}: {name} in {exposed}");
        }
        let preflight = bench
            .send(
                Method::OPTIONS,
                &target,
                &[
                    ("origin", "https://page.example"),
                    ("access-control-request-method", "GET"),
                    ("access-control-request-headers", "authorization,x-api-key"),
                ],
            )
            .await;
        assert_eq!(preflight.status, StatusCode::NO_CONTENT, "{target}");
        assert!(preflight.header("access-control-allow-methods").contains("GET"), "{target}");
        let allowed = preflight.header("access-control-allow-headers").to_lowercase();
        for name in ["authorization", "x-api-key", "accept", "if-none-match"] {
            assert!(allowed.split(", ").any(|shown| shown == name), "{target}: {name} in {allowed}");
        }
    }
}

#[tokio::test]
async fn without_origins_no_page_of_another_origin_may_read() {
    for require_key in [false, true] {
        let bench = Bench::with(Settings { require_key, cors_origins: Vec::new(), ..unlimited() });
        for (_, target) in targets() {
            for origin in ["https://page.example", "http://localhost:3000", "null"] {
                for method in [Method::GET, Method::OPTIONS] {
                    let answer = bench.send(method, &target, &[("origin", origin)]).await;
                    let of_cors = answer.headers.keys().filter(|name| name.as_str().starts_with("access-control-"));
                    assert_eq!(of_cors.count(), 0, "{target} {origin}");
                    assert_eq!(answer.header("cross-origin-resource-policy"), "same-origin", "{target}");
                }
            }
        }
        let message = http::Request::post("/mcp").header("origin", "https://page.example").body(Body::empty()).unwrap();
        assert_eq!(bench.ask(message).await.header("access-control-allow-origin"), "");
    }
}

#[tokio::test]
async fn pages_of_the_configured_origins_may_read_and_no_others() {
    let bench = Bench::with(Settings { cors_origins: vec!["https://App.example/".into()], ..unlimited() });
    for (_, target) in targets() {
        let answer = bench.get_with(&target, &[("origin", "https://app.example")]).await;
        assert_eq!(answer.header("access-control-allow-origin"), "https://app.example", "{target}");
        assert!(answer.header("access-control-expose-headers").contains("ETag"), "{target}");
        let varies = |answer: &Answer| answer.headers.get_all("vary").iter().any(|value| value == "Origin");
        assert!(varies(&answer), "{target}");
        let other = bench.get_with(&target, &[("origin", "https://app.example.evil.example")]).await;
        assert_eq!(other.header("access-control-allow-origin"), "", "{target}");
        assert!(varies(&other), "{target}: a cache must not give one the answer of the other");
    }
    let asked = [("origin", "https://app.example"), ("access-control-request-method", "POST")];
    let preflight = bench.send(Method::OPTIONS, "/mcp", &asked).await;
    assert_eq!(preflight.header("access-control-allow-origin"), "https://app.example");
    assert!(preflight.header("access-control-allow-methods").contains("POST"));
    for (origin, allowed) in
        [("https://app.example", true), ("https://other.example", false), ("http://localhost:1", true)]
    {
        let message = http::Request::post("/mcp").header("origin", origin).body(Body::empty()).unwrap();
        let status = bench.ask(message).await.status;
        assert_eq!(status != StatusCode::FORBIDDEN, allowed, "{origin}: {status}");
    }
}

#[tokio::test]
async fn states_of_sources_have_an_entity_tag_and_are_asked_for_each_time() {
    let bench = Bench::new();
    let first = bench.get("/v1/sources/status").await;
    assert_eq!(first.header("cache-control"), "no-cache");
    let tag = first.header("etag").to_owned();
    assert!(tag.starts_with("\"sha256:"), "{tag}");
    let again = bench.get_with("/v1/sources/status", &[("if-none-match", &tag)]).await;
    assert_eq!((again.status, again.body.len()), (StatusCode::NOT_MODIFIED, 0));
    bench.set_clock(refdesk_core::Stamp(NOW.0 + 1));
    assert_eq!(bench.get_with("/v1/sources/status", &[("if-none-match", &tag)]).await.status, StatusCode::NOT_MODIFIED);
}

#[tokio::test]
async fn every_answer_is_typed_framed_by_nobody_and_traceable() {
    let bench = Bench::new();
    for (path, target) in targets() {
        let answer = bench.get(&target).await;
        let media = match path {
            "/livez" | "/readyz" | "/llms.txt" => "text/plain; charset=utf-8",
            "/metrics" => "text/plain; version=0.0.4; charset=utf-8",
            // The target is a page: raw bytes.
            "/v1/evidence/{key}/record" => "application/octet-stream",
            _ => "application/json",
        };
        assert_eq!(answer.header("content-type"), media, "{target}");
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{target}");
        assert_eq!(answer.header("referrer-policy"), "no-referrer", "{target}");
        assert_eq!(answer.header("x-frame-options"), "DENY", "{target}");
        let policy = answer.header("content-security-policy");
        assert!(
            policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"),
            "{target}: {policy}"
        );
        assert!(!policy.contains("script-src"), "{target}: nothing of ours runs scripts");
        assert_eq!(answer.header("x-request-id").len(), 16, "{target}");
        assert_eq!(answer.header("set-cookie"), "", "{target}: no session that a page of others could use");
    }
}

#[tokio::test]
async fn headers_that_are_no_text_are_tolerated() {
    let bench = Bench::new();
    for name in ["accept", "accept-encoding", "if-none-match", "x-request-id", "origin", "user-agent", "cookie"] {
        let mut request = Request::builder().uri("/v1/models/list").body(Body::empty()).unwrap();
        request.headers_mut().insert(name, HeaderValue::from_bytes(b"\xff\xfe\x80, gzip;q=\xff").unwrap());
        assert_eq!(bench.ask(request).await.status, StatusCode::OK, "{name}");
    }
}
