//! What only framework cards have: when they fit and when not, their steps, and the prompt that runs them.

use maud::{Markup, html};
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::Kind;
use serde_json::Value;

use super::Shown;
use crate::pages::layout::ROUTER_PATH;
use crate::pages::layout::table::{copied_text, heads, tabular};
use crate::pages::layout::target::Target;
use crate::pages::layout::{freshness, values};

pub(super) fn sections(shown: &Shown<'_>) -> Markup {
    let item = shown.item;
    html! {
        p { "Domain: " a href=(Target::new("/frameworks").with("domain", item["domain"].as_str().unwrap_or_default()).href()) { (values::any(&item["domain"])) } (freshness::stale_field(item, "domain"))
            @if let Some(author) = values::text(&item["origin"], "author") { ", after " (values::shown(author)) @if let Some(year) = item["origin"]["year"].as_i64() { " (" (year) ")" } (freshness::stale_field(item, "origin")) }
            ". " a href=(ROUTER_PATH) { "Which framework fits my problem?" } }
        (points("When to use it", item, "when_to_use"))
        (points("When not to", item, "when_not_to_use"))
        (better(item, &shown.request.snapshot))
        (points("Questions that it answers", item, "example_questions"))
        (inputs(item))
        @let steps = values::list(item, "steps");
        @if !steps.is_empty() {
            h2 { "Steps" (freshness::stale_field(item, "steps")) }
            ol { @for step in steps { li { (sentence(step)) } } }
        }
        @if let Some(artifact) = values::text(&item["output"], "artifact") {
            h2 { "What comes out" (freshness::stale_field(item, "output")) }
            p { (values::shown(artifact)) }
            @if let Some(template) = values::text(&item["output"], "template_markdown") { (copied_text(template)) }
        }
        (points("Checks of quality", item, "quality_checks"))
        (points("How it fails", item, "failure_modes"))
        (prompt(&item["prompt"]))
    }
}

/// A sentence of a card, which may name other cards and words of a prompt as code.
fn sentence(text: &Value) -> Markup {
    values::coded(text.as_str().unwrap_or_default())
}

fn points(title: &str, item: &Value, member: &str) -> Markup {
    let points = values::list(item, member);
    html! {
        @if !points.is_empty() {
            h2 { (title) (freshness::stale_field(item, member)) }
            ul { @for point in points { li { (sentence(point)) } } }
        }
    }
}

/// Questions that another framework answers better, with a link to it; without one to a framework that this desk does not have.
fn better(item: &Value, snapshot: &Snapshot) -> Markup {
    let examples = values::list(item, "anti_examples");
    let linked = |id: &str| {
        let found = snapshot.find(Kind::Framework, id).item();
        found.map_or_else(
            || html! { (values::shown(id)) },
            |ordinal| {
                let href = Target::item(Kind::Framework, snapshot.id(ordinal)).href();
                html! { a href=(href) { (values::shown(&snapshot.name(ordinal))) } }
            },
        )
    };
    html! {
        @if !examples.is_empty() {
            h2 { "Better served by another framework" (freshness::stale_field(item, "anti_examples")) }
            ul {
                @for example in examples {
                    li { (sentence(&example["question"])) @if let Some(id) = values::text(example, "better") { " → " (linked(id)) } }
                }
            }
        }
    }
}

fn inputs(item: &Value) -> Markup {
    let inputs = values::list(item, "inputs");
    html! {
        @if !inputs.is_empty() {
            h2 { "What it needs" (freshness::stale_field(item, "inputs")) }
            (tabular("Inputs", heads(&["Input", "Needed", "What it is"]), html! { @for input in inputs {
                tr { th scope="row" { code { (values::any(&input["name"])) } } td { @if input["required"] == true { "required" } @else { "optional" } } td { (sentence(&input["description"])) } }
            } }))
        }
    }
}

/// The prompt, to copy.
pub(in crate::pages) fn prompt(prompt: &Value) -> Markup {
    html! {
        @if let Some(text) = values::text(prompt, "text") {
            h2 #prompt { "Prompt" }
            p.soft { "Version " (values::any(&prompt["version"])) @if !values::list(prompt, "variables").is_empty() { "; fill in " (values::any(&prompt["variables"])) } }
            (copied_text(text))
        }
    }
}
