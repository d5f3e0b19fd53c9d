//! What only MCP servers have: how each client is told of them, what they need to know, their tools and versions.

use std::collections::HashSet;

use maud::{Markup, html};
use refdesk_core::Kind;
use serde_json::{Value, json};

use super::{facts, install, tool};
use crate::pages::layout::table::{heads, tabular};
use crate::pages::layout::{freshness, values};

pub(super) fn sections(item: &Value) -> Markup {
    html! {
        (tool::links(item))
        // What most come for stands first.
        (install::server(item))
        (tool::inputs("Environment variables", &of_each(item, "packages", "environmentVariables"), &freshness::stale_field(item, "packages")))
        (tool::inputs("Headers", &of_each(item, "remotes", "headers"), &freshness::stale_field(item, "remotes")))
        (tool::inputs("Secrets", &secrets(item), &freshness::stale_field(item, "secrets")))
        (tools(item))
        h2 #details { "Details" }
        (facts::table(Kind::McpServer, "About", item, &[
            ("name", "Registry name"), ("version", "Version"), ("license", "License"), ("category", "Category"), ("tags", "Tags"), ("official", "Official"),
            ("published_at", "Published"), ("updated_at", "Updated"), ("supported_models", "Models"),
        ]))
        (versions(values::list(item, "versions")))
        (tool::schema("Settings", item, "config_schema"))
    }
}

/// What the packages or remotes of a server take under a name: each names again what the others take.
fn of_each(item: &Value, ways: &str, member: &str) -> Vec<Value> {
    let stated = values::list(item, ways).iter().flat_map(|way| values::list(way, member));
    let mut seen = HashSet::new();
    stated.filter(|input| seen.insert(input["name"].as_str())).cloned().collect()
}

/// Secrets that a catalog of servers names, and no package has in its environment: whoever installs the server needs them all the same.
fn secrets(item: &Value) -> Vec<Value> {
    let stated = of_each(item, "packages", "environmentVariables");
    let is_told = |secret: &&Value| stated.iter().any(|input| input["name"] == secret["env"]);
    let input = |secret: &Value| {
        let name = secret["env"].as_str().or(secret["name"].as_str());
        json!({"name": name, "required": secret["required"], "secret": true, "description": secret["description"]})
    };
    values::list(item, "secrets").iter().filter(|secret| !is_told(secret)).map(input).collect()
}

fn tools(item: &Value) -> Markup {
    let tools = values::list(item, "tools");
    html! {
        @if !tools.is_empty() {
            h2 #tools { "Tools (" (tools.len()) ")" (freshness::stale_field(item, "tools")) }
            (tabular("Tools", heads(&["Tool", "What it does"]), html! { @for tool in tools { tr { th scope="row" { code { (values::any(&tool["name"])) } } td { (values::any(&tool["description"])) } } } }))
        }
    }
}

fn versions(versions: &[Value]) -> Markup {
    html! {
        @if versions.len() > 1 {
            h2 { "Versions (" (versions.len()) ")" }
            (tabular("Versions", heads(&["Version", "Status", "Published"]), html! { @for version in versions {
                tr { th scope="row" { (values::any(&version["version"])) } td { (values::any(&version["status"])) } td { (values::at_path("published_at", &version["published_at"])) } }
            } }))
        }
    }
}
