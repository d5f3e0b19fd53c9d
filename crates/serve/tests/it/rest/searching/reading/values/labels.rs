//! Values behind the names of their fields, and values that are adjectives. `docs/api.md#search`.

use super::super::wording::{check, read};
use crate::common::catalog::fact;
use crate::common::{Bench, unlimited};
use refdesk_core::fact::StoredFact;
use refdesk_core::item::{Document, Item, McpServer, Model, Skill, Status, Tool, TrustTier};
use serde_json::json;

/// A server of a category with tags.
fn server_in(id: &str, category: &str, tags: &[&str]) -> StoredFact {
    let tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
    let server = McpServer { category: Some(category.to_owned()), tags, ..McpServer::default() };
    fact(id, id, id, &Item::McpServer(server))
}

fn labelled() -> Bench {
    Bench::over(
        unlimited(),
        &[
            server_in("heron", "Web Search MCP Servers", &["llm", "web"]),
            server_in("tern", "Web", &["documentation"]),
            server_in("wren", "Database & Messaging Mcp Servers", &["web"]),
            server_in("lark", "RAG & Retrieval", &[]),
            server_in("stork", "Official Integrations", &[]),
            server_in("crane", "official-integrations", &["real-time"]),
            server_in("eider", "Web", &["realtime"]),
            fact("gull", "gull", "Gull", &Item::Model(Model::default())),
            fact("page", "page", "Tags", &Item::Document(Document::default())),
        ],
    )
}

#[tokio::test]
async fn behind_the_name_of_a_field_the_longest_value_is_read_before_all_else() {
    check(
        &labelled(),
        &[
            ("mcp servers in the category Web Search MCP Servers", json!({"category": "Web Search MCP Servers"})),
            ("mcp servers in the category web", json!({"category": "Web"})),
            (
                "mcp servers of category Database & Messaging Mcp Servers",
                json!({"category": "Database & Messaging Mcp Servers"}),
            ),
            (
                "mcp servers in the category database and messaging mcp servers",
                json!({"category": "Database & Messaging Mcp Servers"}),
            ),
            ("mcp servers in the category RAG & Retrieval", json!({"category": "RAG & Retrieval"})),
            (
                "mcp servers in the category Official Integrations",
                json!({"category": "Official Integrations,official-integrations"}),
            ),
            (
                "mcp servers not in the category official integrations",
                json!({"category__not": "Official Integrations,official-integrations"}),
            ),
            // Of several tags a server has to have all: spellings are no alternatives there.
            ("mcp servers tagged real-time", json!({"tag": "real-time"})),
            ("mcp servers tagged realtime", json!({"tag": "realtime"})),
            ("mcp servers tagged llm", json!({"tag": "llm"})),
            ("mcp servers tagged documentation", json!({"tag": "documentation"})),
            (
                "mcp servers tagged web in the category web search mcp servers",
                json!({"tag": "web", "category": "Web Search MCP Servers"}),
            ),
        ],
    )
    .await;
    // What is no value of the kind that is asked for stays what it says.
    let (filters, _, rest) = read(&labelled(), "mcp servers tagged falconry").await;
    assert_eq!((filters, rest), (json!({}), json!("tagged falconry")));
}

/// A thing in a state, from a source that is trusted so far.
fn standing(id: &str, item: &Item, status: Status, trust: TrustTier) -> StoredFact {
    let mut stored = fact(id, id, id, item);
    (stored.head.status, stored.head.trust_tier) = (status, Some(trust));
    stored
}

#[tokio::test]
async fn states_and_trust_are_adjectives_of_servers_tools_and_skills() {
    let (tool, skill) = (Item::Tool(Tool::default()), Item::Skill(Skill::default()));
    let says = Some("Reads issues of github.".to_owned());
    let server = Item::McpServer(McpServer { description: says, ..McpServer::default() });
    let bench = Bench::over(
        unlimited(),
        &[
            standing("old-hammer", &tool, Status::Deprecated, TrustTier::Community),
            standing("hammer", &tool, Status::Active, TrustTier::Community),
            standing("early-forms", &skill, Status::Preview, TrustTier::Official),
            standing("forms", &skill, Status::Active, TrustTier::Community),
            standing("harbor", &server, Status::Active, TrustTier::Verified),
        ],
    );
    check(
        &bench,
        &[
            ("deprecated tools", json!({"status": "deprecated"})),
            ("show me all deprecated tools", json!({"status": "deprecated"})),
            ("non deprecated tools", json!({"status__not": "deprecated"})),
            ("preview skills", json!({"status": "preview"})),
            ("official skills", json!({"trust_tier": "official"})),
            ("verified mcp servers", json!({"trust_tier": "verified"})),
        ],
    )
    .await;
    for (question, rest) in [
        ("verified mcp servers for github", "github"),
        // No tool is in preview, and an address may be verified.
        ("preview tools", "preview"),
        ("email verified mcp servers", "email verified"),
        ("markdown preview skills", "markdown preview"),
    ] {
        let (filters, _, left) = read(&bench, question).await;
        let expected = if rest == "github" { json!({"trust_tier": "verified"}) } else { json!({}) };
        assert_eq!((filters, left), (expected, json!(rest)), "{question}");
    }
}
