//! How much of a text an answer shows, and how many suggestions, links and completions it has. `docs/limits.md` names these tests.

use crate::common::{Bench, catalog, unlimited};
use refdesk_core::Kind;
use refdesk_core::fact::StoredFact;
use refdesk_core::item::{Document, Item, McpServer, Model};
use serde_json::{Value, json};

/// Many models of nearly one name and long words, and a long page.
fn facts() -> Vec<StoredFact> {
    let mut facts = catalog::facts();
    for number in 0..70 {
        let description = Some(format!("Lantern {}", "glimmer ".repeat(100)));
        let name = format!("Lantern {number:02} {}", "shine".repeat(30));
        let item = Item::Model(Model { description, ..Model::default() });
        facts.push(catalog::fact(&format!("k{number}"), &format!("lantern-{number:02}"), &name, &item));
    }
    let mut page = catalog::fact("long.md", "long-page", "Wicks", &Item::Document(Document::default()));
    page.has_body = true;
    page.body_text = format!("early word {} lateword follows", "filler ".repeat(400)).into();
    facts.push(page);
    for fact in facts.iter_mut().filter(|fact| fact.kind == Kind::Framework) {
        let mut fields = fact.fields.read().into_owned();
        fields.insert("summary".to_owned(), json!("glow ".repeat(200)));
        fact.fields = fields.into();
    }
    facts
}

async fn mcp(bench: &Bench, method: &str, params: Value) -> Value {
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
    let answer = refdesk_serve::mcp::handle_message(&bench.desk, message.as_bytes()).await.unwrap();
    serde_json::from_slice::<Value>(&answer).unwrap()["result"].take()
}

fn chars(value: &Value) -> usize {
    value.as_str().unwrap_or_else(|| panic!("{value} is not a text")).chars().count()
}

#[tokio::test]
async fn texts_of_a_hit_are_cut_and_show_that_they_are() {
    let bench = Bench::over(unlimited(), &facts());
    let answer = bench.json("/v1/search?q=lantern+glimmer&limit=50").await;
    let hits = answer["results"].as_array().unwrap();
    assert_eq!(hits.len(), 50);
    for hit in hits {
        assert!(chars(&hit["summary"]) <= 301 && hit["summary"].as_str().unwrap().ends_with('…'), "{hit}");
        let snippet = hit["snippet"].as_str().unwrap_or_default().replace("<mark>", "").replace("</mark>", "");
        assert!(snippet.chars().count() <= 242, "{snippet}");
    }
}

#[tokio::test]
async fn snippets_come_from_the_beginning_of_a_long_text() {
    let bench = Bench::over(unlimited(), &facts());
    let snippet = async |q: &str| {
        let answer = bench.json(&format!("/v1/search?q={q}&type=DOC")).await;
        assert_eq!(answer["results"][0]["id"], "long-page", "{q}: the whole text is searched");
        answer["results"][0]["snippet"].to_string()
    };
    assert!(snippet("early").await.contains("<mark>early</mark>"));
    assert!(!snippet("lateword").await.contains("lateword"));
}

#[tokio::test]
async fn rejected_addresses_are_cut_and_their_list_ends() {
    let remote = |n: usize| json!({"type": "http", "url": format!("javascript:{n}{}", "x".repeat(400))});
    let item = Item::McpServer(McpServer { remotes: (0..30).map(remote).collect(), ..McpServer::default() });
    let facts = [catalog::fact("odd", "odd", "Odd", &item)];
    let answer = Bench::over(unlimited(), &facts).json("/v1/mcp-servers/odd").await;
    let rejected = answer["mcp_server"]["rejected_urls"].as_array().unwrap();
    assert_eq!(rejected.len(), 20);
    for url in rejected {
        assert_eq!(chars(&url["value"]), 201, "{url}");
    }
}

#[tokio::test]
async fn no_more_names_are_suggested_than_the_limit() {
    let bench = Bench::over(unlimited(), &facts());
    let unknown = bench.get("/v1/models/lantern-9").await.problem(404, "not_found");
    assert_eq!(unknown["suggestions"].as_array().map(Vec::len), Some(5), "{unknown}");
}

#[tokio::test]
async fn links_citations_completions_and_ids_of_tools_end_at_their_limits() {
    let bench = Bench::over(unlimited(), &facts());
    let call = async |tool: &str, arguments: Value| {
        mcp(&bench, "tools/call", json!({"name": tool, "arguments": arguments})).await
    };
    let found = call("search_catalog", json!({"q": "lantern", "limit": 50})).await;
    let links = found["content"].as_array().unwrap().iter().filter(|block| block["type"] == "resource_link").count();
    assert_eq!(links, 24);
    let answer = &found["structuredContent"];
    assert!(answer["results"].as_array().unwrap().len() > 24 || answer["truncated"] == true);
    let cited = answer["results"][0]["cite_as"].as_str().unwrap();
    let name = cited.split(" — ").next().unwrap();
    assert!(name.ends_with('…') && name.chars().count() <= 81, "{cited}");

    let listed =
        call("list_items", json!({"type": "MODEL", "limit": 500, "full": true})).await["structuredContent"].take();
    assert!(listed.to_string().len() < 80_000 && listed["truncated"] == true, "{}", listed.to_string().len());

    let reference = json!({"type": "ref/resource", "uri": "refdesk://{kind}/{id}"});
    let params = json!({"ref": reference, "argument": {"name": "id", "value": "lantern"}, "context": {"arguments": {"kind": "model"}}});
    let completion = mcp(&bench, "completion/complete", params).await["completion"].take();
    assert_eq!(completion["values"].as_array().map(Vec::len), Some(50));
    assert_eq!((&completion["total"], &completion["hasMore"]), (&json!(70), &json!(true)));

    let prompts = mcp(&bench, "prompts/list", json!({})).await;
    let description = prompts["prompts"][0]["description"].as_str().unwrap();
    assert!(description.ends_with('…') && description.chars().count() <= 401, "{description}");

    for tool in ["get_item", "get_framework", "read_document"] {
        for (chars, error) in [(1_000, "not found"), (1_001, "id is too long")] {
            let told = call(tool, json!({"id": "ü".repeat(chars)})).await;
            let told = told["content"][0]["text"].as_str().unwrap().to_owned();
            assert!(told.contains(error), "{tool}: {told}");
        }
    }
}
