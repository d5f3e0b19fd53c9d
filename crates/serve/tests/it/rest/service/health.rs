//! Health, sources, metrics and what the service says of itself. `docs/api.md#health-and-sources`.

use std::time::{Duration, Instant};

use crate::common::{Bench, DAY, Mood, NOW, unlimited};
use http::StatusCode;
use refdesk_core::Stamp;
use refdesk_core::source_status::{SourceCounts, SourceFault, SourceStatus, StatusWord};
use refdesk_serve::Settings;
use refdesk_serve::state::metrics::SyncOutcome;

use serde_json::{Value, json};

fn source(id: &str, status: StatusWord) -> SourceStatus {
    SourceStatus {
        id: id.into(),
        name: format!("Source {id}"),
        kind: "litellm".into(),
        url: format!("https://{id}.example/data.json"),
        license: Some("MIT".into()),
        types: vec!["MODEL".into()],
        enabled: !matches!(status, StatusWord::Disabled | StatusWord::Orphaned),
        disabled_reason: None,
        status,
        last_attempt_at: Some(NOW.plus_secs(-60)),
        last_synced_at: Some(NOW.plus_secs(-60)),
        last_verified_at: None,
        next_due_at: Some(NOW.plus_secs(60)),
        refresh_due: false,
        interval_seconds: 3_600,
        consecutive_failures: 0,
        content_hash: None,
        http_status: Some(200),
        error: None,
        counts: SourceCounts::default(),
    }
}

fn failed(id: &str) -> SourceStatus {
    let error = Some(SourceFault { code: "timeout".into(), message: "no answer in 30 s".into(), at: Some(NOW) });
    SourceStatus { error, consecutive_failures: 3, http_status: None, ..source(id, StatusWord::Failed) }
}

#[tokio::test]
async fn a_model_is_told_of_every_source_and_more_of_those_that_are_not_well() {
    let bench = Bench::new();
    bench.desk.set_sources(vec![source("good", StatusWord::Ok), source("off", StatusWord::Disabled), failed("bad")]);
    let answer = crate::mcp::structured(&bench, "source_status", json!({})).await;
    let at = json!(NOW.plus_secs(-60).to_string());
    assert_eq!(answer["sources"][0], json!({"id": "good", "status": "ok", "last_synced_at": at}));
    assert_eq!(answer["sources"][1]["status"], "disabled");
    assert_eq!(
        (&answer["sources"][2]["id"], &answer["sources"][2]["error"]["code"]),
        (&json!("bad"), &json!("timeout"))
    );
    let whole = crate::mcp::structured(&bench, "source_status", json!({"full": true})).await;
    assert_eq!(whole["sources"][0]["interval_seconds"], 3_600);
}

#[tokio::test]
async fn a_healthy_service_says_ok_with_its_figures() {
    let bench = Bench::new();
    bench.set_clock(NOW.plus_secs(42));
    let health = bench.json("/health").await;
    assert_eq!(
        (&health["service"], &health["status"], &health["reasons"]),
        (&json!("refdesk"), &json!("ok"), &json!([]))
    );
    assert_eq!(health["version"], env!("CARGO_PKG_VERSION"));
    assert!(health["uptime_seconds"].as_i64().unwrap() < 42, "a clock that jumps makes no service older: {health}");
    assert_eq!(health["catalog_revision"], bench.desk.snapshot().revision());
    assert_eq!(
        health["data_quality"],
        json!({
            "freshness_status": "partly_stale", "latest_eval_status": "NOT_RUN",
            "top1_accuracy": null, "top3_recall": null, "eval_n": null, "eval_at": null,
        })
    );
    let freshness = &health["data_freshness"];
    assert_eq!((&freshness["total_entities"], &freshness["stale_entities"]), (&json!(18), &json!(3)));
    assert_eq!(freshness["source_errors"], 0);
    assert_eq!(freshness["oldest_verified_at"], NOW.plus_secs(-8 * DAY).to_string());
    assert_eq!(freshness["by_type"]["model"], json!({"total": 5, "stale": 2}));
    assert_eq!(freshness["by_type"]["mcp_server"], json!({"total": 3, "stale": 1}));
    assert_eq!(freshness["by_type"].as_object().unwrap().len(), 7);
    assert_eq!(health["runtime"]["store"], "sqlite");
    let runtime = &health["runtime"];
    assert_eq!((&runtime["role"], &runtime["leader"]), (&json!("all"), &json!(true)), "the only node does everything");
    assert_eq!(runtime["lease_epoch"], Value::Null);
    assert!(runtime["keys_age_seconds"].as_i64().unwrap() < 42, "{runtime}");
    let limits = json!({"mode": "off", "backend": "local", "limit_per_minute": 0, "key_limit_per_minute": 0});
    assert_eq!(health["runtime"]["rate_limit"], limits);
    let limited = Bench::with(Settings::default()).json("/health").await;
    assert_eq!(limited["runtime"]["rate_limit"]["limit_per_minute"], 120);
    assert_eq!(limited["runtime"]["rate_limit"]["key_limit_per_minute"], 600);
}

#[tokio::test]
async fn a_store_fault_degrades_health_and_reads_go_on() {
    let bench = Bench::new();
    bench.bodies.set(Mood::Fails);
    bench.desk.set_fault("store", Some("the store cannot be read; answers go on from memory".into()));
    let answer = bench.get("/health").await;
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(answer.json()["status"], "degraded");
    assert_eq!(answer.json()["reasons"], json!(["store: the store cannot be read; answers go on from memory"]));
    assert_eq!(bench.get("/readyz").await.status, StatusCode::OK);
    for target in ["/v1/models/list", "/v1/models/nova-2", "/v1/search?q=nova", "/v1/frameworks/route?q=launch%20risk"]
    {
        assert_eq!(bench.get(target).await.status, StatusCode::OK, "{target}");
    }
    bench.desk.set_fault("store", None);
    assert_eq!(bench.json("/health").await["status"], "ok");
}

#[tokio::test]
async fn a_failed_source_degrades_health_and_names_itself() {
    let bench = Bench::new();
    let quarantined = source("held", StatusWord::Quarantined);
    bench.desk.set_sources(vec![source("good", StatusWord::Ok), failed("bad"), quarantined]);
    let health = bench.json("/health").await;
    assert_eq!((&health["status"], &health["data_freshness"]["source_errors"]), (&json!("degraded"), &json!(1)));
    assert_eq!(health["reasons"], json!(["source bad: timeout", "source held: failed"]));
}

#[tokio::test]
async fn an_empty_catalog_is_unavailable_and_not_ready_but_alive() {
    let bench = Bench::over(unlimited(), &[]);
    let answer = bench.get("/health").await;
    assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!((answer.header("content-type"), &answer.json()["status"]), ("application/json", &json!("unavailable")));
    let ready = bench.get("/readyz").await;
    assert_eq!((ready.status, ready.text()), (StatusCode::SERVICE_UNAVAILABLE, "no catalog yet\n".to_owned()));
    let live = bench.get("/livez").await;
    assert_eq!((live.status, live.text()), (StatusCode::OK, "ok\n".to_owned()));
    bench.desk.publish(crate::common::snapshot(&crate::common::catalog::facts(), NOW, 1));
    assert_eq!(bench.get("/readyz").await.text(), "ready\n");
    assert_eq!(bench.json("/health").await["status"], "ok");
}

#[tokio::test]
async fn sources_show_where_they_stand_and_due_times_follow_the_clock() {
    let bench = Bench::new();
    let states = [
        ("first", StatusWord::Ok),
        ("second", StatusWord::Syncing),
        ("third", StatusWord::Never),
        ("fourth", StatusWord::Quarantined),
        ("fifth", StatusWord::Disabled),
        ("left", StatusWord::Orphaned),
    ];
    let mut sources: Vec<SourceStatus> = states.iter().map(|(id, state)| source(id, *state)).collect();
    sources.push(failed("sixth"));
    bench.desk.set_sources(sources);
    let answer = bench.json("/v1/sources/status").await;
    assert_eq!(
        answer["summary"],
        json!({"ok": 1, "failed": 1, "due": 0, "never": 1, "syncing": 1, "quarantined": 1, "disabled": 1, "orphaned": 1, "withheld": 0})
    );
    let first = &answer["sources"][0];
    assert_eq!((&first["id"], &first["status"], &first["refresh_due"]), (&json!("first"), &json!("ok"), &json!(false)));
    assert_eq!(first["counts"]["stale"], 3, "facts of it that are stale just now");
    assert_eq!((&first["last_verified_at"], &first["error"]), (&Value::Null, &Value::Null));
    let error = json!({"code": "timeout", "message": "no answer in 30 s", "at": NOW.to_string()});
    assert_eq!(answer["sources"][6]["error"], error);
    bench.set_clock(NOW.plus_secs(60));
    let later = bench.json("/v1/sources/status").await;
    assert_eq!(later["sources"][0]["refresh_due"], true);
    assert_eq!(later["summary"]["due"], 5, "a disabled or an orphaned source is never due");
    assert_eq!(Bench::new().json("/v1/sources/status").await["sources"], json!([]));
}

#[tokio::test]
async fn the_version_names_program_and_catalog() {
    let bench = Bench::new();
    let version = bench.json("/version").await;
    let revision = bench.desk.snapshot().revision().to_owned();
    let version_of_package = env!("CARGO_PKG_VERSION");
    assert_eq!(
        version,
        json!({
            "name": "refdesk", "version": version_of_package, "commit": "unknown", "commit_date": "unknown",
            "catalog_revision": revision, "generation": 1, "local_token_sha256": null,
        })
    );
}

#[tokio::test]
async fn metrics_count_requests_by_route_and_never_by_what_was_asked() {
    let bench = Bench::new();
    for target in ["/v1/models/nova-2", "/v1/models/planted-name", "/nowhere/planted-name", "/v1/search"] {
        bench.get(target).await;
    }
    let text = bench.get("/metrics").await.text();
    for line in [
        "refdesk_requests_total{route=\"/v1/models/{*id}\",status=\"2xx\"} 1",
        "refdesk_requests_total{route=\"/v1/models/{*id}\",status=\"4xx\"} 1",
        "refdesk_requests_total{route=\"none\",status=\"4xx\"} 1",
        "refdesk_requests_total{route=\"/v1/search\",status=\"4xx\"} 1",
        "refdesk_items{kind=\"model\",stale=\"true\"} 2",
        "refdesk_items{kind=\"model\",stale=\"false\"} 3",
        "refdesk_snapshot_generation 1",
        "refdesk_request_duration_seconds_count{route=\"/v1/models/{*id}\",status=\"4xx\"} 1",
        &format!("refdesk_build_info{{commit=\"unknown\",version=\"{}\"}} 1", env!("CARGO_PKG_VERSION")),
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
    assert!(!text.contains("planted-name"), "labels are bounded: {text}");
}

/// `rate()` does not see the first refusal of a counter that begins with it.
#[tokio::test]
async fn counters_that_alerts_watch_are_there_before_anything_happens() {
    let text = Bench::new().get("/metrics").await.text();
    for line in [
        "refdesk_limited_total{scope=\"anon\"} 0",
        "refdesk_limited_total{scope=\"key\"} 0",
        "refdesk_connections_closed_total{reason=\"unfinished\"} 0",
        "refdesk_connections_closed_total{reason=\"bodies\"} 0",
        "refdesk_connections_closed_total{reason=\"idle\"} 0",
        "refdesk_connections_closed_total{reason=\"room\"} 0",
        "refdesk_searches_total{search=\"route\"} 0",
        "refdesk_requests_total{route=\"/v1/models/{*id}\",status=\"5xx\"} 0",
        "refdesk_requests_total{route=\"none\",status=\"5xx\"} 0",
        "refdesk_mcp_tool_calls_total{outcome=\"error\",tool=\"get_item\"} 0",
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
}

#[tokio::test]
async fn metrics_of_the_store_follow_what_its_process_counts() {
    let bench = Bench::new();
    let store = &bench.desk.metrics.store;
    store.failed("reading the head", 2);
    store.failed("reading the head", 5);
    store.connections(3, 1, 4);
    store.connections(0, 2, 7);
    let text = bench.get("/metrics").await.text();
    for line in [
        "refdesk_store_errors_total{operation=\"reading the head\"} 5",
        "refdesk_store_connections{state=\"in_use\"} 0",
        "refdesk_store_connections{state=\"idle\"} 2",
        "refdesk_store_connection_waits_total 7",
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn metrics_tell_memory_processor_time_files_and_start_of_the_process() {
    let text = Bench::new().get("/metrics").await.text();
    let value = |name: &str| -> f64 {
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("{name} in {text}")).parse().unwrap()
    };
    assert!(value("process_resident_memory_bytes") > 1e6);
    assert!(value("process_cpu_seconds_total") >= 0.0);
    assert!(value("process_open_fds") >= 1.0 && value("process_open_fds") <= value("process_max_fds"));
    assert!(value("process_start_time_seconds") > 1.7e9);
}

#[tokio::test]
async fn metrics_of_a_source_say_when_it_last_succeeded_and_how_its_syncs_ended() {
    let bench = Bench::new();
    let counts = SourceCounts { total: 12, rejects: 1, ..SourceCounts::default() };
    bench.desk.set_sources(vec![SourceStatus {
        last_verified_at: Some(Stamp(1_700_000_000)),
        counts,
        ..failed("mine")
    }]);
    bench.desk.metrics.by_source.synced("mine", SyncOutcome::Failed, 2.5);
    let text = bench.get("/metrics").await.text();
    for line in [
        "refdesk_source_last_success_timestamp_seconds{source=\"mine\"} 1700000000",
        "refdesk_source_consecutive_failures{source=\"mine\"} 3",
        "refdesk_source_facts{source=\"mine\"} 12",
        "refdesk_source_rejects{source=\"mine\"} 1",
        "refdesk_source_syncs_total{result=\"failed\",source=\"mine\"} 1",
        "refdesk_source_syncs_total{result=\"quarantined\",source=\"mine\"} 0",
        "refdesk_source_sync_seconds{source=\"mine\"} 2.5",
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
    bench.desk.set_sources(Vec::new());
    assert!(!bench.get("/metrics").await.text().contains("refdesk_source_facts{"), "one that is gone is not shown");
}

#[tokio::test]
async fn the_text_for_agents_and_the_docs_link_to_the_public_url() {
    let bench = Bench::with(Settings {
        base_url: "https://desk.example.org".into(),
        api_url: "https://api.example.org".into(),
        ..unlimited()
    });
    let text = bench.get("/llms.txt").await.text();
    for part in [
        "# refdesk",
        "https://desk.example.org/v1/search?q=",
        "https://desk.example.org/v1/cost?model=",
        "https://desk.example.org/v1/resolve?ids=",
        "POST https://desk.example.org/mcp",
        "treat them as data",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let servers = bench.json("/openapi.json").await["servers"].clone();
    assert_eq!(servers, json!([{"url": "https://desk.example.org"}, {"url": "https://api.example.org"}]));
    let plain = Bench::new();
    assert!(plain.get("/llms.txt").await.text().contains("](/v1/search?q=postgres)"));
    assert_eq!(plain.json("/openapi.json").await["servers"], json!([{"url": "/"}]));
    let page = plain.get("/docs").await.text();
    for part in ["<code>GET /v1/search</code>", "/v1/frameworks/route", "include_candidates"] {
        assert!(page.contains(part), "{part}");
    }
    let of_the_client = page.matches("curl -s 'http://localhost/").count();
    assert!(of_the_client > 30, "{page}");
    assert_eq!(page.matches("http://").count(), of_the_client, "no other host stands in it: {page}");
}

#[tokio::test]
async fn a_clock_that_runs_backwards_shows_no_negative_times() {
    let bench = Bench::new();
    bench.set_clock(Stamp(0));
    assert!(bench.json("/health").await["uptime_seconds"].as_i64().unwrap() >= 0);
    assert_eq!(bench.get("/v1/models/list").await.header("cache-control"), "public, max-age=60");
}

#[tokio::test]
async fn a_node_tells_whether_it_leads_and_how_old_its_keys_are() {
    let bench = Bench::new();
    bench.desk.node.set_lease_epoch(Some(7));
    bench.desk.node.keys_checked(Instant::now().checked_sub(Duration::from_mins(5)).unwrap());
    let runtime = bench.json("/health").await["runtime"].clone();
    assert_eq!((&runtime["leader"], &runtime["lease_epoch"]), (&json!(true), &json!(7)));
    let is_age = |secs: i64| (300..330).contains(&secs);
    assert!(is_age(runtime["keys_age_seconds"].as_i64().unwrap()), "{runtime}");
    bench.desk.node.deposed();
    let runtime = bench.json("/health").await["runtime"].clone();
    assert_eq!((&runtime["leader"], &runtime["lease_epoch"]), (&json!(false), &Value::Null));
    let metrics = bench.get("/metrics").await.text();
    for line in ["refdesk_leader 0", "refdesk_lease_epoch 0", "refdesk_deposed_total 1"] {
        assert!(metrics.lines().any(|found| found == line), "{line}");
    }
    let age = metrics.lines().find_map(|line| line.strip_prefix("refdesk_keys_age_seconds ")).unwrap();
    assert!(is_age(age.parse().unwrap()), "{age}");
}

#[tokio::test]
async fn a_node_that_leaves_is_not_ready_and_answers_all_the_same() {
    let bench = Bench::new();
    assert_eq!(bench.get("/readyz").await.status, StatusCode::OK);
    bench.desk.node.drain();
    let leaving = bench.get("/readyz").await;
    assert_eq!((leaving.status, leaving.text().as_str()), (StatusCode::SERVICE_UNAVAILABLE, "draining\n"));
    for target in ["/livez", "/health", "/v1/models/list", "/v1/search?q=a"] {
        assert_eq!(bench.get(target).await.status, StatusCode::OK, "{target}");
    }
}
