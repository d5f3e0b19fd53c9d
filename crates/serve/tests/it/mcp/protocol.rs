//! Both eras of the protocol, statuses, limits, standard input and output, and bytes that are no message.

use std::sync::Arc;

use super::{LEGACY, MODERN, ask, ask_modern, post};
use crate::common::{Bench, limited, unlimited};
use http::StatusCode;
use proptest::prelude::*;
use refdesk_serve::Settings;
use serde_json::{Value, json};

#[tokio::test]
async fn the_newer_era_carries_its_members_and_the_older_one_does_not() {
    let bench = Bench::new();
    for (method, params) in [
        ("server/discover", json!({})),
        ("tools/list", json!({})),
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("resources/read", json!({"uri": "refdesk://document/guide-start"})),
        ("prompts/list", json!({})),
    ] {
        let name = params["uri"].as_str().map(str::to_owned);
        let result = ask_modern(&bench, method, params.clone(), name.as_deref()).await.json()["result"].take();
        assert_eq!(result["resultType"], "complete", "{method}");
        assert_eq!(result["cacheScope"], "public", "{method}");
        assert!(result["ttlMs"].as_u64().is_some_and(|ttl| ttl > 0), "{method}");
        assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "refdesk", "{method}");
        if method != "server/discover" {
            let older = ask(&bench, method, params).await["result"].take();
            for member in ["resultType", "ttlMs", "cacheScope", "_meta"] {
                assert_eq!(older[member], Value::Null, "{method}");
            }
        }
    }
    let called = ask_modern(&bench, "tools/call", json!({"name": "source_status"}), Some("source_status")).await.json();
    assert_eq!(called["result"]["resultType"], "complete");
    let wrapped =
        ask_modern(&bench, "tools/call", json!({"name": "source_status"}), Some("=?base64?c291cmNlX3N0YXR1cw==?="))
            .await;
    assert_eq!(wrapped.status, StatusCode::OK, "{}", wrapped.text());
}

#[tokio::test]
async fn http_statuses_are_those_of_the_specification() {
    let bench = Bench::with(Settings { cors_origins: Vec::new(), ..unlimited() });
    let ping = || json!({"jsonrpc": "2.0", "id": "p", "method": "ping"}).to_string();
    let check = async |label: &str, headers: &[(&str, &str)], body: String, status: u16, code: i64| {
        let answer = post(&bench, body, headers).await;
        assert_eq!(answer.status.as_u16(), status, "{label}: {}", answer.text());
        let message = answer.json();
        assert_eq!(message["error"]["code"], code, "{label}");
        assert_eq!(answer.header("mcp-session-id"), "", "{label}");
        message
    };
    let v5 = ("mcp-protocol-version", LEGACY);
    check("batch", &[v5], format!("[{}]", ping()), 400, -32600).await;
    check("junk", &[v5], "{".into(), 400, -32700).await;
    let unknown = check(
        "unknown method",
        &[v5],
        json!({"jsonrpc": "2.0", "id": 9, "method": "no/such"}).to_string(),
        404,
        -32601,
    )
    .await;
    assert_eq!(unknown["id"], 9);
    let unknown = ask_modern(&bench, "no/such", json!({}), None).await;
    assert_eq!((unknown.status.as_u16(), &unknown.json()["error"]["code"]), (404, &json!(-32601)));
    check("media type", &[v5, ("content-type", "text/plain")], ping(), 415, 415).await;
    let coded = check("coding", &[v5, ("content-encoding", "gzip")], ping(), 415, 415).await;
    assert_eq!(coded["error"]["message"], "Send the message as it is, without Content-Encoding.");
    assert_eq!(post(&bench, ping(), &[v5, ("content-encoding", "identity")]).await.status, StatusCode::OK);
    check("accept", &[v5, ("accept", "text/html")], ping(), 406, 406).await;
    check("foreign origin", &[v5, ("origin", "http://evil.example")], ping(), 403, 403).await;
    check("null origin", &[v5, ("origin", "null")], ping(), 403, 403).await;
    check("length", &[v5], format!("\"{}\"", "a".repeat(1024 * 1024)), 413, 413).await;
    let version = check("version", &[("mcp-protocol-version", "1999-01-01")], ping(), 400, -32022).await;
    assert_eq!(version["error"]["data"]["supported"][0], MODERN);
    check("no _meta", &[("mcp-protocol-version", MODERN)], ping(), 400, -32602).await;
    let mismatch = ask_modern(&bench, "tools/call", json!({"name": "source_status"}), Some("get_item")).await;
    assert_eq!((mismatch.status.as_u16(), &mismatch.json()["error"]["code"]), (400, &json!(-32020)));
    for method in [http::Method::GET, http::Method::DELETE, http::Method::HEAD, http::Method::PUT] {
        let answer = bench.send(method.clone(), "/mcp", &[]).await;
        assert_eq!((answer.status.as_u16(), answer.header("allow")), (405, "POST"), "{method}");
    }
    for origin in ["http://localhost:3000", "http://127.0.0.1:8787", "http://[::1]:1"] {
        assert_eq!(post(&bench, ping(), &[v5, ("origin", origin)]).await.status, StatusCode::OK, "{origin}");
    }
    let open = Bench::with(Settings { any_host: true, cors_origins: Vec::new(), ..unlimited() });
    let rebound = post(&open, ping(), &[v5, ("host", "evil.example"), ("origin", "http://evil.example")]).await;
    assert_eq!(rebound.status, StatusCode::FORBIDDEN, "the Origin is checked also where any Host is answered");
    assert_eq!(
        post(&bench, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, &[v5]).await.status,
        StatusCode::ACCEPTED
    );
}

/// The message was only the name that had been sent.
#[tokio::test]
async fn an_unknown_method_is_told_what_to_send() {
    let bench = Bench::new();
    let both = "tools/list, tools/call, resources/list, resources/templates/list, resources/read, prompts/list, prompts/get \
                and completion/complete.";
    let legacy = async |method: &str| ask(&bench, method, json!({})).await["error"]["message"].take();
    let modern =
        async |method: &str| ask_modern(&bench, method, json!({}), None).await.json()["error"]["message"].take();
    for (told, start, end) in [
        (
            legacy("logging/setLevel").await,
            "Method not found: logging/setLevel. The methods are initialize, ping, ",
            both,
        ),
        (modern("no/such").await, "Method not found: no/such. The methods are server/discover, ", both),
        (
            modern("ping").await,
            "Method not found: ping. It is a method of protocol 2025-11-25 and 2025-06-18; ",
            "2026-07-28.",
        ),
        (
            legacy("server/discover").await,
            "Method not found: server/discover. ",
            "protocol 2026-07-28, whose requests state it in `_meta`.",
        ),
        (
            legacy("get_item").await,
            "Method not found: get_item. It is a tool: send tools/call with params {\"name\": \"get_item\", ",
            "}}.",
        ),
    ] {
        let told = told.as_str().unwrap_or_default();
        assert!(told.starts_with(start) && told.ends_with(end), "{told}");
    }
}

#[tokio::test]
async fn what_is_looked_up_counts_against_the_limit_and_the_429_is_json_rpc() {
    let bench = Bench::with(limited(2, 0));
    let v5 = [("mcp-protocol-version", LEGACY)];
    let called =
        json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "source_status"}}).to_string();
    for _ in 0..4 {
        assert_eq!(post(&bench, r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#, &v5).await.status, StatusCode::OK);
    }
    assert_eq!(post(&bench, called.clone(), &v5).await.header("ratelimit-policy"), "\"anon\";q=2;w=60");
    assert_eq!(post(&bench, called.clone(), &v5).await.status, StatusCode::OK);
    let refused = post(&bench, called, &v5).await;
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    assert!(refused.header("retry-after").parse::<u64>().is_ok_and(|secs| (1..=30).contains(&secs)));
    let message = refused.json();
    assert_eq!((&message["id"], &message["error"]["data"]["limit_per_minute"]), (&json!(5), &json!(2)));
    // Every method that costs something counts, with whatever it asks for; what lies ready does not; what is long does in any case.
    let long = "x".repeat(20_000);
    for (method, params, counts) in [
        ("ping", json!({}), false),
        ("tools/list", json!({}), false),
        ("resources/templates/list", json!({}), false),
        ("notifications/initialized", json!({}), false),
        ("notifications/initialized", json!({"long": long}), true),
        ("ping", json!({"long": long}), true),
        ("tools/call", json!({"name": "no such tool"}), true),
        ("resources/list", json!({}), true),
        ("resources/read", json!({"uri": "refdesk://document/guide-start"}), true),
        ("resources/read", json!({"uri": "nothing"}), true),
        ("prompts/list", json!({}), true),
        ("prompts/get", json!({"name": "premortem"}), true),
        ("completion/complete", json!({}), true),
        ("no/such/method", json!({}), true),
    ] {
        let bench = Bench::with(limited(3, 0));
        let mut message = json!({"jsonrpc": "2.0", "method": method, "params": params});
        if !method.starts_with("notifications/") {
            message["id"] = json!(1);
        }
        let mut last = StatusCode::OK;
        for _ in 0..4 {
            let answer = post(&bench, message.to_string(), &v5).await;
            assert_eq!(!answer.header("ratelimit").is_empty(), counts, "{method}");
            last = answer.status;
        }
        assert_eq!(last == StatusCode::TOO_MANY_REQUESTS, counts, "{method}: {last}");
    }
    // A failed key counts too, so a fresh address is asked with it.
    let keyed = post(&Bench::new(), "{}", &[("authorization", "Bearer rdk_wrong")]).await;
    assert_eq!(keyed.status, StatusCode::UNAUTHORIZED);
    assert!(keyed.header("www-authenticate").contains("invalid_token"));
}

#[tokio::test]
async fn stdio_speaks_the_same_in_single_lines() {
    let bench = Bench::new();
    let line = async |message: String| refdesk_serve::mcp::handle_message(&bench.desk, message.as_bytes()).await;
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}});
    let hello = line(hello.to_string()).await.unwrap();
    assert!(!hello.contains(&b'\n'));
    let hello: Value = serde_json::from_slice(&hello).unwrap();
    assert_eq!(hello["result"]["protocolVersion"], "2025-06-18");
    assert!(line(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.into()).await.is_none());
    let meta =
        json!({"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}});
    let discover = json!({"jsonrpc": "2.0", "id": 2, "method": "server/discover", "params": {"_meta": meta}});
    let discover: Value = serde_json::from_slice(&line(discover.to_string()).await.unwrap()).unwrap();
    assert_eq!(discover["result"]["supportedVersions"][0], MODERN);
    let called = json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "read_document", "arguments": {"id": "guide-start"}}});
    let called = line(called.to_string()).await.unwrap();
    assert!(!called.contains(&b'\n'));
    let junk: Value = serde_json::from_slice(&line("nope".into()).await.unwrap()).unwrap();
    assert_eq!(junk["error"]["code"], -32700);
}

#[test]
fn the_registry_entry_is_of_this_version_and_of_this_endpoint() {
    let entry: Value = serde_json::from_str(include_str!("../../../../../server.json")).unwrap();
    assert_eq!(entry["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(entry["remotes"][0]["type"], "streamable-http");
    assert!(entry["remotes"][0]["url"].as_str().is_some_and(|url| url.ends_with("/mcp")));
    assert!(
        entry["description"].as_str().is_some_and(|text| text.chars().count() <= 100),
        "the registry takes 100 characters"
    );
}

/// Bodies from random bytes to almost right messages.
fn bodies() -> impl Strategy<Value = Vec<u8>> {
    let method = prop_oneof![
        Just("tools/call"),
        Just("tools/list"),
        Just("resources/read"),
        Just("resources/list"),
        Just("prompts/get"),
        Just("completion/complete"),
        Just("initialize"),
        Just("server/discover"),
        Just("ping"),
        Just("no/such")
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,20}".prop_map(Value::from),
        Just(json!("search_catalog")),
        Just(json!("read_document")),
        Just(json!("guide-start")),
        Just(json!("refdesk://model/nova-2"))
    ];
    let name = prop_oneof![
        Just("name".to_owned()),
        Just("arguments".to_owned()),
        Just("uri".to_owned()),
        Just("cursor".to_owned()),
        Just("q".to_owned()),
        Just("id".to_owned()),
        Just("_meta".to_owned()),
        Just("ref".to_owned()),
        Just("argument".to_owned()),
        ".{0,8}"
    ];
    let tree = leaf.prop_recursive(3, 24, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(name.clone(), inner, 0..5)
                .prop_map(|map| Value::Object(map.into_iter().collect()))
        ]
    });
    let message = (method, tree.clone(), any::<u8>()).prop_map(|(method, params, id)| {
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string().into_bytes()
    });
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..200),
        tree.prop_map(|value| value.to_string().into_bytes()),
        message.clone(),
        (message, any::<prop::sample::Index>(), any::<u8>()).prop_map(|(mut bytes, at, byte)| {
            let at = at.index(bytes.len());
            bytes[at] = byte;
            bytes
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_get_an_answer_that_is_no_failure(body in bodies(), modern in any::<bool>()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let bench = shared();
        runtime.block_on(async {
            let version = if modern { MODERN } else { LEGACY };
            let answer = post(bench, body.clone(), &[("mcp-protocol-version", version), ("mcp-method", "tools/call")]).await;
            let status = answer.status.as_u16();
            assert!([200, 202, 400, 404].contains(&status), "{status} for {}", String::from_utf8_lossy(&body));
            if status != 202 {
                assert_eq!(answer.json()["jsonrpc"], "2.0");
            }
            let line = refdesk_serve::mcp::handle_message(&bench.desk, &body).await;
            assert!(line.is_none_or(|line| serde_json::from_slice::<Value>(&line).is_ok()));
        });
    }
}

/// One bench for all cases; nothing in it changes.
fn shared() -> &'static Bench {
    static SHARED: std::sync::OnceLock<Arc<Bench>> = std::sync::OnceLock::new();
    SHARED.get_or_init(|| Arc::new(Bench::new()))
}
