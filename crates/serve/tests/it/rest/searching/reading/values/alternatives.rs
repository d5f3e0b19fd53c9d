//! What `or` joins, and what `only` leaves out: values of one field are alternatives, and filters of different fields hold together.
//! `docs/api.md#search`.

use super::packaged;
use crate::common::catalog::fact;
use crate::common::{Bench, unlimited};
use crate::rest::searching::reading::offered_by;
use crate::rest::searching::reading::understanding::{asked, made_by};
use crate::rest::searching::reading::wording::{check, read};
use refdesk_core::fact::StoredFact;
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
        let warnings = asked(&bench, question).await["warnings"].to_string();
        assert!(!warnings.contains("is read as `and`"), "{question}: {warnings}");
    }
}

#[tokio::test]
async fn values_of_one_field_are_alternatives_in_either_order() {
    check(
        &shelf(),
        &[
            ("remote and local mcp servers", json!({"install_type": "remote,package"})),
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
            ("local or remote mcp servers", json!({})),
            ("closed or open models", json!({})),
            ("open and closed models", json!({})),
            ("free or paid models", json!({})),
            ("paid or free models", json!({})),
            ("open source or proprietary models from openai", json!({"vendor": "OpenAI"})),
        ],
    )
    .await;
}

#[tokio::test]
async fn bounds_that_lie_apart_are_no_filter_and_a_warning_says_so() {
    for (question, unread) in [
        ("models under $1 or over $10", "under $1 or over $10"),
        ("models released before 2023 or after 2025", "released before 2023 or after 2025"),
    ] {
        let (filters, _, rest) = read(&shelf(), question).await;
        assert_eq!((filters, rest), (json!({}), json!("")), "{question}");
        let told = format!("`{unread}` was not understood: no filter leaves out what lies between");
        let answer = asked(&shelf(), question).await;
        assert!(answer["warnings"].as_array().unwrap().contains(&json!(told)), "{question}: {}", answer["warnings"]);
    }
}

#[tokio::test]
async fn an_alternative_that_no_filter_says_is_not_asked_for_beside_the_filter() {
    let bench = Bench::over(unlimited(), &[packaged("gull", "npm"), made_by("OpenAI", "falcon", Model::default())]);
    for (question, filters, unread) in [
        ("mcp servers on npm or conda", json!({"registry_type": "npm"}), "or conda"),
        ("models by openai or by gannet", json!({"vendor": "OpenAI"}), "or by gannet"),
    ] {
        let (read, _, rest) = read(&bench, question).await;
        assert_eq!((read, rest), (filters, json!("")), "{question}");
        let told =
            format!("`{unread}` was not understood: no filter can say it, so only the other alternative is shown");
        let answer = asked(&bench, question).await;
        assert!(answer["warnings"].as_array().unwrap().contains(&json!(told)), "{question}: {}", answer["warnings"]);
    }
}

/// A model that somebody else sells.
fn sold(seller: &str, name: &str) -> StoredFact {
    offered_by(seller, "Meta", name, Model::default())
}

#[tokio::test]
async fn only_leaves_out_what_others_have_too_on_either_side_of_a_value() {
    let facts = [sold("azure", "robin"), sold("groq", "finch"), packaged("gull", "npm"), packaged("tern", "oci")];
    let bench = Bench::over(unlimited(), &facts);
    let only_azure = || json!({"seller": "azure", "offers__lte": "1"});
    let only_npm = || json!({"registry_type": "npm", "registry_type__not": "oci"});
    check(
        &bench,
        &[
            ("models only available on azure", only_azure()),
            ("models available only on azure", only_azure()),
            ("models which are only offered by azure", only_azure()),
            ("models offered exclusively by azure", only_azure()),
            ("models on azure only", only_azure()),
            ("models not only on azure", json!({"seller": "azure", "offers__gte": "2"})),
            ("only models on azure", json!({"seller": "azure"})),
            ("mcp servers on npm only", only_npm()),
            ("mcp servers only on npm", only_npm()),
            ("mcp servers only published on npm", only_npm()),
            ("only mcp servers on npm", json!({"registry_type": "npm"})),
        ],
    )
    .await;
    let told = "`only` is read by the number of offers, in which that of a model's own maker does not count";
    let answer = asked(&bench, "models only on azure").await;
    assert!(answer["warnings"].as_array().unwrap().contains(&json!(told)), "{}", answer["warnings"]);
    let answer = asked(&bench, "models only on azure or groq").await;
    let told = "`only` beside several sellers was not understood: no filter leaves out what others sell, too";
    assert!(answer["warnings"].as_array().unwrap().contains(&json!(told)), "{}", answer["warnings"]);
    assert_eq!(answer["understood"]["filters"]["seller"], "azure,groq");
}
