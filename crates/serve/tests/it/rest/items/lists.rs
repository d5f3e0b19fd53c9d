//! Lists: `GET /v1/<kind>/list`. `docs/api.md#lists-and-details`.

use super::sellers::sold;
use crate::common::{Bench, ids, unlimited};
use http::StatusCode;
use refdesk_core::Kind;
use refdesk_core::item::Status;
use refdesk_serve::Settings;
use serde_json::{Value, json};

#[tokio::test]
async fn every_kind_lists_its_rows_by_id_under_its_own_name() {
    let bench = Bench::new();
    for (kind, wanted) in [
        (Kind::Model, vec!["alto-1", "nova-2", "orbit-1", "pulsar-1", "zenith-9"]),
        (Kind::Tool, vec!["hammer", "saw"]),
        (Kind::Skill, vec!["pdf-forms"]),
        (Kind::Tutorial, vec!["evals", "first-agent"]),
        (Kind::McpServer, vec!["files", "io.github.one-maps", "io.github.two-maps"]),
        (Kind::Document, vec!["guide-bare", "guide-start"]),
        (Kind::Framework, vec!["five-whys", "premortem"]),
    ] {
        let page = bench.json(&format!("/v1/{}/list", kind.path_segment())).await;
        assert_eq!(ids(&page[kind.collection()]), wanted, "{kind}");
        assert_eq!(page["total"], wanted.len(), "{kind}");
        assert_eq!(page["offset"], 0, "{kind}");
        assert_eq!(page["limit"], if kind == Kind::Framework { 25 } else { 100 }, "{kind}");
        assert_eq!(page["next_offset"], Value::Null, "{kind}");
        assert_eq!(page.as_object().unwrap().len(), 5, "{kind}: no member beyond the documented ones");
        for row in page[kind.collection()].as_array().unwrap() {
            assert!(row[kind.name_key()].is_string(), "{kind}: {row}");
            for body in ["markdown", "body_markdown", "body", "prompt", "evidence", "field_evidence"] {
                assert!(row.get(body).is_none(), "{kind}: a row has no {body}");
            }
        }
    }
}

#[tokio::test]
async fn a_row_holds_the_documented_fields_with_exact_prices_and_null_for_unknown() {
    let bench = Bench::new();
    let answer = bench.get("/v1/models/list?limit=1&offset=1").await;
    let row = &answer.json()["models"][0];
    assert_eq!(row["id"], "nova-2");
    assert_eq!(row["display_name"], "Nova 2");
    assert_eq!(row["source_url"], "https://acme.example/acme/nova-2");
    assert_eq!(row["limits"]["context_tokens"], 200_000);
    assert_eq!(row["limits"]["input_tokens"], Value::Null, "unknown is null");
    assert_eq!(row["capabilities"]["reasoning"], false);
    assert_eq!(row["capabilities"]["batch"], Value::Null, "unknown is not false");
    assert_eq!(row["last_synced_at"], "2026-09-20T14:13:20Z");
    assert_eq!(row["first_seen_at"], "2026-08-22T14:13:20Z");
    assert_eq!(row["stale"], false);
    let text = answer.text();
    assert!(text.contains(r#""input":0.15,"output":0,"#), "prices are the decimals they are: {text}");
    assert_eq!(row["offers"][0]["provider"], "market");
}

#[tokio::test]
async fn limits_are_clamped_and_offsets_may_lie_anywhere() {
    let bench = Bench::new();
    for (query, limit, offset, shown, next) in [
        ("limit=2", 2, json!(0), vec!["alto-1", "nova-2"], json!(2)),
        ("limit=2&offset=2", 2, json!(2), vec!["orbit-1", "pulsar-1"], json!(4)),
        ("limit=2&offset=4", 2, json!(4), vec!["zenith-9"], Value::Null),
        ("limit=1&offset=5", 1, json!(5), vec![], Value::Null),
        ("offset=1000000", 100, json!(1_000_000), vec![], Value::Null),
        ("limit=500&offset=4", 500, json!(4), vec!["zenith-9"], Value::Null),
        ("limit=501&offset=4", 500, json!(4), vec!["zenith-9"], Value::Null),
        ("limit=99999999999999999999999999&offset=4", 500, json!(4), vec!["zenith-9"], Value::Null),
        ("limit=%2B3&offset=3", 3, json!(3), vec!["pulsar-1", "zenith-9"], Value::Null),
        ("offset=9223372036854775807", 100, json!(i64::MAX), vec![], Value::Null),
        ("limit=500&offset=99999999999999999999", 500, json!(i64::MAX), vec![], Value::Null),
    ] {
        let page = bench.json(&format!("/v1/models/list?{query}")).await;
        assert_eq!(ids(&page["models"]), shown, "{query}");
        assert_eq!((&page["limit"], &page["offset"]), (&json!(limit), &offset), "{query}");
        assert_eq!(page["next_offset"], next, "{query}");
        assert_eq!(page["total"], 5, "{query}");
    }
}

#[tokio::test]
async fn wrong_numbers_are_400_and_name_the_parameter() {
    let bench = Bench::new();
    for path in ["models", "tools", "skills", "tutorials", "mcp-servers", "documents", "frameworks"] {
        for (query, param) in [
            ("limit=0", "limit"),
            ("limit=-1", "limit"),
            ("limit=-99999999999999999999", "limit"),
            ("limit=", "limit"),
            ("limit=ten", "limit"),
            ("limit=1.5", "limit"),
            ("limit=1e3", "limit"),
            ("limit=0x10", "limit"),
            ("limit=%D9%A3", "limit"),
            ("limit=+-1", "limit"),
            ("offset=-1", "offset"),
            ("offset=x", "offset"),
            ("offset=", "offset"),
        ] {
            let problem = bench.get(&format!("/v1/{path}/list?{query}")).await.problem(400, "invalid_query");
            assert_eq!(problem["param"], param, "{path} {query}");
            assert_eq!(problem["error"], format!("invalid {param}"), "{path} {query}");
            assert!(problem["hint"].as_str().unwrap().contains(param), "{problem}");
        }
    }
}

#[tokio::test]
async fn a_page_links_to_the_next_and_the_links_lead_through_all_rows() {
    let bench = Bench::with(Settings { base_url: "https://desk.example.org".into(), ..unlimited() });
    let (mut target, mut seen, mut pages) = ("/v1/models/list?limit=2".to_owned(), Vec::new(), 0);
    loop {
        let answer = bench.get(&target).await;
        let page = answer.json();
        seen.extend(ids(&page["models"]).into_iter().map(str::to_owned));
        pages += 1;
        let link = answer.header("link").to_owned();
        if link.is_empty() {
            assert_eq!(page["next_offset"], Value::Null);
            break;
        }
        let next = link.strip_prefix("<https://desk.example.org").unwrap().strip_suffix(">; rel=\"next\"").unwrap();
        assert_eq!(next, format!("/v1/models/list?limit=2&offset={}", page["next_offset"]));
        target = next.to_owned();
    }
    assert_eq!((pages, seen.len()), (3, 5));
    assert!(seen.windows(2).all(|pair| pair[0] < pair[1]), "{seen:?}");
    let relative = Bench::new().get("/v1/models/list?limit=4").await;
    assert_eq!(relative.header("link"), "</v1/models/list?limit=4&offset=4>; rel=\"next\"");
}

#[tokio::test]
async fn unknown_and_repeated_parameters_are_named_in_warnings() {
    let bench = Bench::new();
    let page = bench.json("/v1/skills/list?limit=1&limit=3&page=2&page=3&LIMIT=9").await;
    assert_eq!(page["limit"], 1, "the first counts");
    let known = "limit, offset, fresh_only, collection, q, ids, include_removed, stale, sort, fields, facets, facet_size, format, \
                 vendor, status, trust_tier, source, license, has_files, has_conflicts, updated_since, verified_since, \
                 and forms of them with __not, __gte, __lte, __isnull";
    assert_eq!(
        page["warnings"],
        json!([
            "`limit` was given more than once; the first value counts",
            format!("unknown query parameter `page` was ignored; known: {known}"),
            format!("unknown query parameter `LIMIT` was ignored; known: {known}"),
        ])
    );
    let clean = bench.json("/v1/models/list").await;
    assert!(clean.get("warnings").is_none());
}

#[tokio::test]
async fn candidates_are_listed_only_when_asked_for_and_the_next_link_keeps_asking() {
    let bench = Bench::new();
    let with = bench.json("/v1/frameworks/list?include_candidates=true").await;
    assert_eq!(ids(&with["frameworks"]), ["draft-canvas", "five-whys", "premortem"]);
    assert_eq!(with["frameworks"][0]["status"], "candidate");
    let by_status = bench.json("/v1/frameworks/list?status=candidate").await;
    assert_eq!(ids(&by_status["frameworks"]), ["draft-canvas"], "who filters by it asks for it");
    let first = bench.get("/v1/frameworks/list?include_candidates=1&limit=2").await;
    assert_eq!(first.header("link"), "</v1/frameworks/list?limit=2&offset=2&include_candidates=1>; rel=\"next\"");
    let problem = bench.get("/v1/frameworks/list?include_candidates=maybe").await.problem(400, "invalid_query");
    assert_eq!(problem["param"], "include_candidates");
    let ignored = bench.json("/v1/models/list?include_candidates=maybe").await;
    assert!(ignored["warnings"][0].as_str().unwrap().contains("include_candidates"), "no parameter of other lists");
}

#[tokio::test]
async fn stale_and_removed_items_stay_listed_and_say_so() {
    let bench = Bench::new();
    let rows = bench.json("/v1/models/list").await;
    let row = |id: &str| rows["models"].as_array().unwrap().iter().find(|row| row["id"] == id).unwrap().clone();
    assert_eq!((row("orbit-1")["stale"].clone(), row("orbit-1")["status"].clone()), (json!(true), json!("active")));
    assert_eq!((row("pulsar-1")["stale"].clone(), row("pulsar-1")["status"].clone()), (json!(true), json!("removed")));
    let servers = bench.json("/v1/mcp-servers/list").await;
    assert_eq!(servers["mcp_servers"][1]["stale"], true, "its last parse failed");
}

#[tokio::test]
async fn what_is_stale_and_what_is_not_can_be_listed_alone() {
    let bench = Bench::new();
    let stale = bench.json("/v1/models/list?stale=true").await;
    assert_eq!(ids(&stale["models"]), ["orbit-1", "pulsar-1"]);
    assert_eq!(stale["models"][0], bench.json("/v1/models/list?ids=orbit-1").await["models"][0], "rows are as ever");
    let fresh = bench.json("/v1/models/list?stale=false").await;
    let all = bench.json("/v1/models/list").await;
    assert_eq!(fresh["total"].as_u64(), all["total"].as_u64().map(|total| total - 2));
    assert!(fresh["models"].as_array().unwrap().iter().all(|row| row["stale"] == false), "{fresh}");
    for (query, total) in [("stale=true", 1), ("stale=false", 0)] {
        let found = bench.json(&format!("/v1/search?q=orbit-1&type=MODEL&ids=orbit-1&{query}")).await;
        assert_eq!(found["total"], total, "{query}: {found}");
    }
    let nothing = bench.json("/v1/models/list?stale=true&fresh_only=true").await;
    assert_eq!((&nothing["total"], &nothing["excluded_stale"]), (&json!(0), &json!(2)));
    let told = "`fresh_only` leaves out all that `stale` asks for: nothing can be left";
    assert_eq!(nothing["warnings"], json!([told]));
    bench.get("/v1/models/list?stale=maybe").await.problem(400, "invalid_query");
}

#[tokio::test]
async fn an_empty_catalog_lists_nothing_and_answers_200() {
    let bench = Bench::over(unlimited(), &[]);
    for kind in Kind::ALL {
        let answer = bench.get(&format!("/v1/{}/list", kind.path_segment())).await;
        assert_eq!(answer.status, StatusCode::OK);
        assert_eq!(answer.json()[kind.collection()], json!([]), "{kind}");
        assert_eq!(answer.json()["total"], 0, "{kind}");
    }
}

/// Neither words nor filters are at fault where there is nothing to find.
#[tokio::test]
async fn what_the_catalog_has_nothing_of_is_told_with_where_to_look() {
    let empty = Bench::over(unlimited(), &[]);
    let one_kind = Bench::over(unlimited(), &[sold("heron-4", "acme", "2", Status::Active)]);
    for (bench, target, told) in [
        (&empty, "/v1/models/list", Some("the catalog has no models: see")),
        (&empty, "/v1/mcp-servers/list?vendor=acme", Some("the catalog has no MCP servers: see")),
        (&empty, "/v1/search?q=heron", Some("the catalog is empty: see")),
        (&empty, "/v1/frameworks/route?q=heron", Some("the catalog has no frameworks: see")),
        (&one_kind, "/v1/search?q=heron&type=tool", Some("the catalog has no tools: see")),
        (&one_kind, "/v1/frameworks/search?q=heron", Some("the catalog has no frameworks: see")),
        (&one_kind, "/v1/search?q=nothing", None),
        (&one_kind, "/v1/models/list?vendor=acme&q=zzz", None),
    ] {
        let answer = bench.json(target).await;
        let said = answer["warnings"].to_string();
        assert_eq!(said.contains("the catalog "), told.is_some(), "{target}: {answer}");
        let told = told.map_or_else(String::new, |told| format!("{told} /v1/sources/status\""));
        assert!(said.contains(&told), "{target}: {answer}");
    }
}

/// Details understood these spellings, and lists and searches called them unresolved.
#[tokio::test]
async fn ids_are_understood_as_on_detail_paths() {
    let bench = Bench::over(unlimited(), &["heron-4", "tern"].map(|id| sold(id, "acme", "2", Status::Active)));
    for spelling in [
        "openrouter/acme/heron-4:free",
        "openrouter:acme/heron-4",
        "heron-4-latest",
        "%22heron-4%22",
        "refdesk://model/heron-4",
        "/v1/models/heron-4",
        "publishers/acme/models/heron-4",
    ] {
        let page = bench.json(&format!("/v1/models/list?ids={spelling}")).await;
        assert_eq!((ids(&page["models"]), &page["unresolved"]), (vec!["heron-4"], &json!([])), "{spelling}");
        let query = format!("q=heron&type=model&understand=false&ids={spelling}");
        let found = bench.json(&format!("/v1/search?{query}")).await;
        assert_eq!((ids(&found["results"]), &found["unresolved"]), (vec!["heron-4"], &json!([])), "{spelling}");
        let lines = bench.get(&format!("/v1/models/list?format=ndjson&ids={spelling}")).await.text();
        let rows: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(rows.iter().map(|row| &row["id"]).collect::<Vec<_>>(), ["heron-4"], "{spelling}");
    }
    let page = bench.json("/v1/models/list?ids=tern,heron-5,hreon-4,heron-4-latest").await;
    assert_eq!(ids(&page["models"]), ["heron-4", "tern"]);
    assert_eq!(page["unresolved"], json!(["heron-5", "hreon-4"]), "only what is surely meant");
}
