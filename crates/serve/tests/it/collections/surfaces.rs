//! Collections on every surface that shows them: MCP, pages, searches of frameworks, and addresses that take none.

use super::bench;
use crate::common::{Answer, Bench, NOW, ids};
use axum::body::Body;
use http::Request;
use refdesk_catalog::answer::RouterEval;
use refdesk_serve::state::Evaluated;
use serde_json::{Value, json};

async fn mcp(bench: &Bench, path: &str, method: &str, params: Value) -> Answer {
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
    let request = Request::post(path)
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", "2025-11-25");
    bench.ask(request.body(Body::from(message)).unwrap()).await
}

#[tokio::test]
async fn mcp_below_a_collection_shows_its_members_alone() {
    let bench = bench();
    let call = async |tool: &str, arguments: Value| {
        let params = json!({"name": tool, "arguments": arguments});
        mcp(&bench, "/c/team/mcp", "tools/call", params).await.json()["result"].take()
    };
    let listed = call("list_items", json!({"type": "MODEL"})).await;
    assert_eq!(ids(&listed["structuredContent"]["models"]), ["nova-2"]);
    assert_eq!(call("get_item", json!({"id": "nova-2"})).await["isError"], false);
    assert_eq!(call("get_item", json!({"id": "orbit-1"})).await["isError"], true);
    let resources = mcp(&bench, "/c/team/mcp", "resources/list", json!({})).await.json();
    let uris: Vec<&str> =
        resources["result"]["resources"].as_array().unwrap().iter().map(|one| one["uri"].as_str().unwrap()).collect();
    assert_eq!(
        uris,
        [
            "refdesk://document/guide-start",
            "refdesk://framework/premortem",
            "refdesk://model/nova-2",
            "refdesk://mcp_server/files"
        ]
    );
    let prompts = mcp(&bench, "/c/team/mcp", "prompts/list", json!({})).await.json();
    assert_eq!(prompts["result"]["prompts"].as_array().unwrap().len(), 1);
    let params =
        json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let begun = mcp(&bench, "/c/team/mcp", "initialize", params).await.json();
    let instructions = begun["result"]["instructions"].as_str().unwrap();
    assert!(
        instructions.contains("\"What the team may use\"") && instructions.contains("https://desk.example/c/team/v1/"),
        "{instructions}"
    );
    assert!(instructions.contains("; 0 of 4 items are stale."), "of the members alone: {instructions}");
    let completed = json!({"ref": {"type": "ref/resource", "uri": "refdesk://{kind}/{id}"}, "argument": {"name": "id", "value": ""}, "context": {"arguments": {"kind": "model"}}});
    let completed = mcp(&bench, "/c/team/mcp", "completion/complete", completed).await.json();
    assert_eq!(completed["result"]["completion"]["values"], json!(["nova-2"]));
    let whole = mcp(
        &bench,
        "/mcp",
        "tools/call",
        json!({"name": "list_items", "arguments": {"type": "MODEL", "filters": {"collection": "team"}}}),
    )
    .await;
    assert_eq!(ids(&whole.json()["result"]["structuredContent"]["models"]), ["nova-2"]);
    let figures = RouterEval { n: 10, top1: 0.9, top3: 1.0, evaluated_at: NOW };
    let cards_hash = bench.desk.snapshot().router().cards_hash().to_owned();
    bench.desk.set_evaluated(Some(Evaluated { cards_hash, figures }));
    let asked = json!({"q": "What could go wrong with our launch"});
    let routed = call("route_framework", asked.clone()).await;
    assert_eq!(routed["structuredContent"]["router"]["eval"], Value::Null, "the figures are of all cards");
    let params = json!({"name": "route_framework", "arguments": asked});
    let whole = mcp(&bench, "/mcp", "tools/call", params).await.json();
    assert_eq!(whole["result"]["structuredContent"]["router"]["eval"]["n"], 10);
    let wrong = mcp(&bench, "/c/nobody/mcp", "ping", json!({})).await;
    wrong.problem(404, "not_found");
    bench.get("/c/team/mcp").await;
    assert_eq!(bench.get("/c/team/mcp").await.status, 405);
}

#[tokio::test]
async fn pages_show_what_a_collection_shows() {
    use crate::pages::Page;
    let bench = bench();
    for target in [
        "/models?collection=team",
        "/search?q=nova&type=MODEL&collection=team",
        "/search?q=nova&type=MODEL&collection=+team+",
    ] {
        let page = Page::of(&bench, target).await;
        let items: Vec<String> = page.links().into_iter().filter(|link| link.starts_with("/models/")).collect();
        assert_eq!(items, ["/models/nova-2"], "{target}");
    }
    let page = Page::of(&bench, "/search?q=nova&collection=team").await;
    let tab = "/search?q=nova&collection=team&type=TOOL".to_owned();
    assert!(page.links().contains(&tab), "{:?}", page.links());
    for target in ["/models?collection=nobody", "/search?q=nova&collection=nobody"] {
        Page::refused(&bench, target, http::StatusCode::NOT_FOUND).await;
    }
}

/// Passed over, it would leave nothing out.
#[tokio::test]
async fn what_is_no_list_says_where_a_collection_is_asked() {
    let bench = bench();
    for target in [
        "/v1/resolve?id=nova-2&collection=team",
        "/v1/conflicts?collection=team",
        "/v1/models/nova-2?collection=team",
        "/v1/models/compare?ids=nova-2,alto-1&collection=team",
        "/v1/frameworks/route?q=a&collection=team",
        "/v1/sources/status?collection=team",
        "/compare?ids=nova-2,alto-1&collection=team",
        "/models/nova-2?collection=team",
        "/frameworks/premortem?collection=team",
        "/frameworks/route?q=a&collection=team",
        "/conflicts?collection=team",
        "/sources?collection=team",
        "/connect?collection=team",
        "/c/team?collection=team",
        "/?collection=team",
    ] {
        let problem = bench.get(target).await.problem(400, "invalid_query");
        assert_eq!(problem["param"], "collection", "{target}");
        assert!(problem["hint"].as_str().unwrap().contains("/c/ID/"), "{target}: {problem}");
        if !target.starts_with("/v1/") {
            let page = crate::pages::Page::refused(&bench, target, http::StatusCode::BAD_REQUEST).await;
            assert!(page.words().contains("collection"), "{target}: {}", page.words());
        }
    }
    let key = bench.json("/v1/models/nova-2").await["evidence"]["key"].as_str().unwrap().to_owned();
    for target in ["/v1/evidence/KEY?collection=team", "/evidence/KEY?collection=team"] {
        bench.get(&target.replace("KEY", &key)).await.problem(400, "invalid_query");
    }
}

#[tokio::test]
async fn a_search_of_frameworks_is_one_of_a_collection_too() {
    let bench = bench();
    let found = async |collection: &str| {
        let answer = bench.json(&format!("/v1/frameworks/search?q=premortem{collection}")).await;
        ids(&answer["frameworks"]).iter().map(|id| (*id).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(found("&collection=team").await, ["premortem"]);
    assert_eq!(found("&collection=tools").await, [""; 0], "no member is a framework");
    bench.get("/v1/frameworks/search?q=premortem&collection=nobody").await.problem(404, "not_found");
    let page = crate::pages::Page::of(&bench, "/search?q=premortem&type=FRAMEWORK&collection=team").await;
    let data = "/v1/frameworks/search?q=premortem&collection=team&limit=20".to_owned();
    assert!(page.links().contains(&data), "{:?}", page.links());
}

/// What an answer advises leads to the same members as the answer.
#[tokio::test]
async fn advice_stays_in_the_collection() {
    let bench = bench();
    let problem = bench.get("/c/team/v1/models/nothing-such").await.problem(404, "not_found");
    assert!(problem["hint"].as_str().unwrap().contains("/c/team/v1/search?q=…&type=MODEL"), "{problem}");
    let found = bench.json("/c/team/v1/search?q=price+of+nova-2").await;
    let path = "https://desk.example/c/team/v1/cost?model=nova-2&input_tokens=1M";
    assert_eq!(found["warnings"], json!([format!("for the prices of every seller of `nova-2`: {path}")]));
}
