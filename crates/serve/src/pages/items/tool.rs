//! What only tools have: how they are installed, their commands, and what they read from the environment.

use maud::{Markup, html};
use refdesk_catalog::answer::{self, DetailExtras};
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::Kind;
use serde_json::Value;

use super::{Shown, facts};
use crate::pages::answer::read;
use crate::pages::layout::table::{copied_lines, heads, tabular};
use crate::pages::layout::target::Target;
use crate::pages::layout::{freshness, values};

/// The member of a tool with the environment variables that it reads.
const ENVIRONMENT: &str = "environment_variables";

pub(super) fn sections(shown: &Shown<'_>) -> Markup {
    let item = shown.item;
    let (install, commands) = (values::list(item, "install"), values::list(item, "commands"));
    html! {
        (server(item, &shown.request.snapshot))
        (links(item))
        (facts::table(Kind::Tool, "About", item, &[
            ("category", "Category"), ("license", "License"), ("platforms", "Platforms"), ("supported_models", "Models"), ("mcp_support", "MCP"),
            ("annotations", "Hints about side effects"),
        ]))
        @if !install.is_empty() {
            h2 #install { "Install" (freshness::stale_field(item, "install")) }
            @for way in install { h3 { (values::any(&way["manager"])) } (copied_lines(&values::shown(way["command"].as_str().unwrap_or_default()))) }
        }
        @if !commands.is_empty() {
            h2 #commands { "Commands" (freshness::stale_field(item, "commands")) }
            (tabular("Commands", heads(&["Command", "Summary", "Usage"]), html! { @for command in commands {
                tr { th scope="row" { code { (values::any(&command["name"])) } } td { (values::any(&command["summary"])) } td { @if let Some(usage) = values::text(command, "usage") { code { (values::shown(usage)) } } } }
            } }))
        }
        (inputs("Environment variables", values::list(item, ENVIRONMENT), &freshness::stale_field(item, ENVIRONMENT)))
        (schema("Input schema", item, "input_schema"))
        (schema("Output schema", item, "output_schema"))
    }
}

/// A schema to copy, where there is one.
pub(super) fn schema(title: &str, item: &Value, member: &str) -> Markup {
    html! {
        @if let Some(schema) = item.get(member).filter(|schema| !schema.is_null()) {
            h2 { (title) (freshness::stale_field(item, member)) }
            (copied_lines(&values::pretty(schema)))
        }
    }
}

/// The MCP server that the tool is a function of: the one before the tool's name in its key, if that lists the tool.
fn server(item: &Value, snapshot: &Snapshot) -> Markup {
    let name = values::text(item, "display_name").unwrap_or_default();
    let keys = values::list(item, "aliases").iter().filter_map(Value::as_str);
    let mut servers = keys.filter_map(|key| {
        let ordinal = snapshot.find(Kind::McpServer, key.strip_suffix(name)?.strip_suffix('/')?).item()?;
        let server =
            read(&answer::detail(snapshot, ordinal, &DetailExtras::default()))[Kind::McpServer.singular()].take();
        values::list(&server, "tools").iter().any(|tool| tool["name"] == name).then_some(ordinal)
    });
    html! {
        @if let Some(ordinal) = servers.next() {
            p { "A function of the MCP server " a href=(Target::item(Kind::McpServer, snapshot.id(ordinal)).href()) { (values::shown(&snapshot.name(ordinal))) } "." }
        }
    }
}

/// Where it lives, one address a line. The repository of a server is an object.
pub(super) fn links(item: &Value) -> Markup {
    let repository = if values::text(item, "repository_url").is_some() { "repository_url" } else { "repository.url" };
    let links = [("Homepage", "homepage_url"), ("Website", "website_url"), ("Repository", repository)];
    let url = |path: &str| answer::at(item, path).and_then(Value::as_str).filter(|url| !url.is_empty());
    html! {
        @for (label, path) in links {
            @if let Some(url) = url(path) { p { (label) ": " (values::outside(url)) (freshness::stale_field(item, path)) } }
        }
    }
}

/// What its user sets, by name: environment variables or headers, and the mark of what is stale. The desk knows no values.
pub(super) fn inputs(title: &str, inputs: &[Value], stale: &Markup) -> Markup {
    let has_defaults = inputs.iter().any(|input| values::text(input, "default").is_some());
    let labels: &[&str] = if has_defaults {
        &["Name", "Required", "Secret", "Default", "What for"]
    } else {
        &["Name", "Required", "Secret", "What for"]
    };
    html! {
        @if !inputs.is_empty() {
            h2 { (title) (stale) }
            (tabular(title, heads(labels), html! {
                @for input in inputs {
                    tr {
                        th scope="row" { code { (values::any(&input["name"])) } }
                        td { (values::flag(input["required"].as_bool().or(input["isRequired"].as_bool()))) }
                        td { (values::flag(input["secret"].as_bool().or(input["isSecret"].as_bool()))) }
                        @if has_defaults { td { (values::any(&input["default"])) } }
                        td { (values::any(&input["description"])) }
                    }
                }
            }))
        }
    }
}
