//! What `or` joins: values of one field are alternatives, and filters of different fields hold together. `docs/api.md#search`.

use crate::common::catalog::fact;
use crate::common::{Bench, unlimited};
use crate::rest::searching::reading::understanding::{asked, made_by};
use crate::rest::searching::reading::wording::check;
use refdesk_core::item::{Item, McpServer, Model, Tutorial};
use serde_json::json;

fn shelf() -> Bench {
    let facts = [
        made_by("OpenAI", "falcon", Model::default()),
        made_by("Google", "heron", Model::default()),
        fact("gull", "gull", "Gull", &Item::McpServer(McpServer::default())),
        fact("stilt", "stilt", "Stilt", &Item::Tutorial(Tutorial::default())),
    ];
    Bench::over(unlimited(), &facts)
}

#[tokio::test]
async fn or_between_different_fields_is_told_whatever_they_are() {
    let bench = shelf();
    for (question, joined) in [
        ("models by openai or under $1", "under $1"),
        ("models from google or with 1m context", "with 1m context"),
        ("free or open source models", "open source"),
        ("models released in 2026 or with vision", "with vision"),
        ("vision or audio models", "audio"),
        ("models with reasoning or with tool calling", "with tool calling"),
        ("official or remote mcp servers", "remote"),
    ] {
        let answer = asked(&bench, question).await;
        let told = json!(format!("`or {joined}` is read as `and`: no filter asks for either"));
        assert!(answer["warnings"].as_array().unwrap().contains(&told), "{question}: {}", answer["warnings"]);
    }
    for question in ["models by openai or google", "models released in 2024 or later", "models without vision or tools"]
    {
        assert_eq!(asked(&bench, question).await["warnings"], json!([]), "{question}");
    }
}

#[tokio::test]
async fn values_of_one_field_are_alternatives_in_either_order() {
    check(
        &shelf(),
        &[
            ("local or remote mcp servers", json!({"install_type": "package,remote"})),
            ("remote or local mcp servers", json!({"install_type": "remote,package"})),
            ("npm or pypi mcp servers", json!({"registry_type": "npm,pypi"})),
            ("german or french tutorials", json!({"language": "de,fr"})),
        ],
    )
    .await;
}

#[tokio::test]
async fn who_names_both_halves_of_a_yes_or_no_asks_for_neither() {
    check(
        &shelf(),
        &[
            ("open or closed models", json!({})),
            ("closed or open models", json!({})),
            ("open and closed models", json!({})),
            ("open source or proprietary models from openai", json!({"vendor": "OpenAI"})),
        ],
    )
    .await;
}
