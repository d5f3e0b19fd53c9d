//! MCP through the router: every tool against the REST answer for the same question, schemas, both eras, resources, prompts,
//! completions, limits, and what happens to bytes that are no message.

mod full_texts;
mod lengths;
mod mistakes;
mod protocol;
mod resources;
mod shown;
mod tools;

use crate::common::{Answer, Bench, catalog, unlimited};
use axum::body::Body;
use axum::extract::ConnectInfo;
use http::Request;
use refdesk_core::fact::StoredFact;
use refdesk_core::item::{Document, Item, Model};
use serde_json::{Value, json};

const LEGACY: &str = "2025-11-25";

const MODERN: &str = "2026-07-28";

/// Sends bytes with the headers of a well-behaved client and others on top.
async fn post(bench: &Bench, bytes: impl Into<Body>, headers: &[(&str, &str)]) -> Answer {
    let mut request = Request::post("/mcp");
    for (name, value) in [("content-type", "application/json"), ("accept", "application/json, text/event-stream")] {
        if !headers.iter().any(|(sent, _)| *sent == name) {
            request = request.header(name, value);
        }
    }
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let mut request = request.body(bytes.into()).unwrap();
    request.extensions_mut().insert(ConnectInfo(std::net::SocketAddr::from(([203, 0, 113, 9], 4000))));
    bench.ask(request).await
}

/// A request of the older era; gives the whole message.
async fn ask(bench: &Bench, method: &str, params: Value) -> Value {
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
    post(bench, message, &[("mcp-protocol-version", LEGACY)]).await.json()
}

/// A request of the newer era with its headers; gives the whole answer.
async fn ask_modern(bench: &Bench, method: &str, mut params: Value, name: Option<&str>) -> Answer {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {}
    });
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
    let mut headers = vec![("mcp-protocol-version", MODERN), ("mcp-method", method)];
    headers.extend(name.map(|name| ("mcp-name", name)));
    post(bench, message, &headers).await
}

async fn call(bench: &Bench, tool: &str, arguments: Value) -> Value {
    ask(bench, "tools/call", json!({"name": tool, "arguments": arguments})).await["result"].take()
}

/// The structured content of a call that succeeds, after checking that the text says the same.
pub async fn structured(bench: &Bench, tool: &str, arguments: Value) -> Value {
    let mut result = call(bench, tool, arguments).await;
    assert_eq!(result["isError"], false, "{tool}: {result}");
    let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text, result["structuredContent"], "{tool}: the text is the same JSON");
    result["structuredContent"].take()
}

/// The JSON of a tool error, which tells the model how to correct its call.
async fn mistake(bench: &Bench, tool: &str, arguments: Value) -> Value {
    let result = call(bench, tool, arguments.clone()).await;
    assert_eq!(result["isError"], true, "{tool} {arguments}: {result}");
    assert_eq!(result["structuredContent"], Value::Null, "an error has no structured content, so no schema to break");
    serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap()
}

/// The questions that both surfaces are asked: tool, arguments, REST path.
fn questions() -> Vec<(&'static str, Value, &'static str)> {
    vec![
        ("search_catalog", json!({"q": "nova"}), "/v1/search?q=nova"),
        ("search_catalog", json!({"q": "NOVA", "type": "model", "limit": 2}), "/v1/search?q=NOVA&type=MODEL&limit=2"),
        ("search_catalog", json!({"query": "pdf", "kind": "skills"}), "/v1/search?q=pdf&type=SKILL"),
        ("search_catalog", json!({"q": "orbit", "fresh_only": true}), "/v1/search?q=orbit&fresh_only=true"),
        (
            "search_catalog",
            json!({"q": "started", "include_markdown": true}),
            "/v1/search?q=started&include_markdown=true",
        ),
        ("search_catalog", json!({"q": "zzzz nothing"}), "/v1/search?q=zzzz%20nothing"),
        ("get_item", json!({"id": "nova-2", "type": "MODEL"}), "/v1/models/nova-2"),
        ("get_item", json!({"model_id": "acme/nova-2"}), "/v1/models/acme/nova-2"),
        // As people paste them: the address of the page, also of a collection, and that of the API below a path.
        ("get_item", json!({"id": "https://desk.example.org/models/nova-2"}), "/v1/models/nova-2"),
        ("get_item", json!({"id": "/c/team/models/nova-2?x=1#prices"}), "/v1/models/nova-2"),
        ("get_item", json!({"id": "https://example.org/desk/v1/models/nova-2"}), "/v1/models/nova-2"),
        ("get_item", json!({"id": "refdesk://tool/hammer"}), "/v1/tools/hammer"),
        ("get_item", json!({"id": "/v1/skills/pdf-forms"}), "/v1/skills/pdf-forms"),
        (
            "get_item",
            json!({"id": "https://desk.example.org/v1/skills/pdf-forms?fresh_only=true"}),
            "/v1/skills/pdf-forms",
        ),
        ("get_item", json!({"id": "evals", "type": "TUTORIAL"}), "/v1/tutorials/evals"),
        ("get_item", json!({"name": "io.github.acme/files"}), "/v1/mcp-servers/io.github.acme%2Ffiles"),
        ("get_item", json!({"id": "guide-start", "type": "DOC"}), "/v1/documents/guide-start"),
        ("get_item", json!({"id": "draft-canvas"}), "/v1/frameworks/draft-canvas"),
        ("list_items", json!({"type": "MODEL"}), "/v1/models/list?limit=20"),
        ("list_items", json!({"type": "mcp-server", "limit": 2, "offset": 1}), "/v1/mcp-servers/list?limit=2&offset=1"),
        ("list_items", json!({"type": "DOC", "offset": 99}), "/v1/documents/list?offset=99&limit=20"),
        ("list_items", json!({"type": "TOOL"}), "/v1/tools/list?limit=20"),
        ("list_items", json!({"type": "SKILL"}), "/v1/skills/list?limit=20"),
        ("list_items", json!({"type": "TUTORIAL"}), "/v1/tutorials/list?limit=20"),
        (
            "list_items",
            json!({"type": "FRAMEWORK", "include_candidates": true}),
            "/v1/frameworks/list?include_candidates=true&limit=20",
        ),
        (
            "search_frameworks",
            json!({"q": "premortem", "include_prompt": true}),
            "/v1/frameworks/search?q=premortem&include_prompt=true",
        ),
        (
            "search_frameworks",
            json!({"text": "root cause", "domain": "problem-solving"}),
            "/v1/frameworks/search?q=root%20cause&domain=problem-solving",
        ),
        (
            "route_framework",
            json!({"q": "what could go wrong with our launch"}),
            "/v1/frameworks/route?q=what%20could%20go%20wrong%20with%20our%20launch",
        ),
        ("route_framework", json!({"task": "hello there"}), "/v1/frameworks/route?q=hello%20there"),
        ("route_framework", json!({"situation": "hello there"}), "/v1/frameworks/route?q=hello%20there"),
        (
            "get_framework",
            json!({"id": "pre-mortem analysis", "include_prompt": true}),
            "/v1/frameworks/pre-mortem%20analysis?include_prompt=true",
        ),
        ("get_framework", json!({"framework": "five-whys"}), "/v1/frameworks/five-whys"),
        ("source_status", json!({}), "/v1/sources/status"),
        ("compare_items", json!({"ids": ["nova-2", "orbit-1"]}), "/v1/models/compare?ids=nova-2,orbit-1"),
        ("compare_items", json!({"ids": "nova-2, orbit-1", "type": "MODEL"}), "/v1/models/compare?ids=nova-2,orbit-1"),
        (
            "estimate_cost",
            json!({"model": "acme/nova-2", "input_tokens": 1000, "output_tokens": "2k"}),
            "/v1/cost?model=acme/nova-2&input_tokens=1000&output_tokens=2k",
        ),
        (
            "estimate_cost",
            json!({"model": "acme/nova-2", "input": 1000, "output": "2k"}),
            "/v1/cost?model=acme/nova-2&input_tokens=1000&output_tokens=2k",
        ),
        ("get_item", json!({"id": "acme/nova-2", "resolve": true}), "/v1/resolve?id=acme/nova-2"),
        (
            "list_items",
            json!({"type": "MODEL", "filters": {"context_tokens__gte": "1k"}, "sort": "-name"}),
            "/v1/models/list?context_tokens__gte=1k&sort=-name&limit=20",
        ),
        ("list_items", json!({"type": "MODEL", "filters": {"stale": "true"}}), "/v1/models/list?stale=true&limit=20"),
        (
            "search_catalog",
            json!({"q": "nova", "type": "MODEL", "filters": {"vendor": "Acme"}}),
            "/v1/search?q=nova&type=MODEL&vendor=Acme",
        ),
    ]
}

/// A catalog whose answers are far too long for a model.
fn long_facts() -> Vec<StoredFact> {
    let mut facts = catalog::facts();
    for number in 0..400 {
        let description = Some(format!("A long model \u{202e}{} ", "word ".repeat(200)));
        let model = Model { description, ..Model::default() };
        facts.push(catalog::fact(
            &format!("acme/long-{number:03}"),
            &format!("long-{number:03}"),
            &format!("Long {number}"),
            &Item::Model(model),
        ));
    }
    let mut page = catalog::fact("long.md", "long-page", "Long page", &Item::Document(Document::default()));
    page.has_body = true;
    page.body_text = "long page".into();
    facts.push(page);
    facts
}

#[tokio::test]
async fn a_list_without_a_limit_has_twenty_rows_and_says_where_the_next_begin() {
    let bench = Bench::over(unlimited(), &long_facts());
    let page = structured(&bench, "list_items", json!({"type": "MODEL"})).await;
    assert_eq!(page["models"].as_array().map(Vec::len), Some(20));
    assert_eq!((&page["limit"], &page["next_offset"]), (&json!(20), &json!(20)));
    let next = structured(&bench, "list_items", json!({"type": "MODEL", "offset": 20})).await;
    let whole = bench.json("/v1/models/list?limit=40").await;
    let both: Vec<_> = [&page, &next].iter().flat_map(|page| crate::common::ids(&page["models"])).collect();
    assert_eq!(both, crate::common::ids(&whole["models"]));
}
