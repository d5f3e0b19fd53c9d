//! What only models have: prices and tiers, sellers, limits, modalities, capabilities, and what your usage costs.

mod chart;
pub(super) mod costs;
pub(in crate::pages) mod offers;

use maud::{Markup, html};
use refdesk_catalog::answer;
use refdesk_core::Kind;
use refdesk_core::item::Capabilities;
use refdesk_core::query::QueryError;
use serde_json::Value;

use super::{Shown, facts, provenance};
use crate::pages::layout::table::{heads, number_heads, scrolled, tabular};
use crate::pages::layout::target::Target;
use crate::pages::layout::{freshness, values};

const LIMITS: &[(&str, &str)] = &[
    ("limits.context_tokens", "Context, tokens"),
    ("limits.input_tokens", "Most input, tokens"),
    ("limits.output_tokens", "Most output, tokens"),
    ("modalities.input", "Input modalities"),
    ("modalities.output", "Output modalities"),
    ("mode", "Mode"),
];
const DATES: &[(&str, &str)] = &[
    ("released_on", "Released"),
    ("knowledge_cutoff", "Knowledge cutoff"),
    ("deprecated_on", "Deprecated"),
    ("retires_on", "Retires"),
    ("open_weights", "Open weights"),
    ("license", "License"),
    ("family", "Family"),
];
const PRICES: &[(&str, &str)] = &[
    ("pricing.input", "Input"),
    ("pricing.output", "Output"),
    ("pricing.cache_read", "Cache read"),
    ("pricing.cache_write", "Cache write"),
    ("pricing.reasoning", "Reasoning"),
    ("pricing.batch_input", "Batch input"),
    ("pricing.batch_output", "Batch output"),
    ("pricing.input_audio", "Audio input"),
    ("pricing.output_audio", "Audio output"),
];
/// The sections, and what of the form of costs could not be read.
pub(super) fn sections(shown: &Shown<'_>) -> (Markup, Option<QueryError>) {
    let item = shown.item;
    let (costs, refusal) = costs::section(shown);
    let sections = html! {
        (snapshots(item))
        h2 #price { "Maker's price" }
        (makers_price(item))
        (offers::sections(shown))
        (costs)
        div.beside {
            div { h2 #limits { "Limits and modalities" } (facts::table(Kind::Model, "Limit", item, LIMITS)) }
            div { h2 #capabilities { "Capabilities" } (capabilities(item)) }
            div { h2 #dates { "Dates and license" } (facts::table(Kind::Model, "About", item, DATES)) }
        }
    };
    (sections, refusal)
}

/// All capabilities, called as filters and facets call them.
fn capabilities(item: &Value) -> Markup {
    let named =
        Capabilities::WORDS.map(|word| (format!("capabilities.{word}"), values::sentence(&values::words(word))));
    let rows: Vec<(&str, &str)> = named.iter().map(|(path, label)| (path.as_str(), label.as_str())).collect();
    facts::table(Kind::Model, "Capability", item, &rows)
}

fn snapshots(item: &Value) -> Markup {
    let snapshots = values::list(item, "snapshots");
    let ids = snapshots.iter().filter_map(|snapshot| snapshot["id"].as_str());
    let links = ids.map(|id| html! { a href=(Target::item(Kind::Model, id).href()) { (id) } });
    html! { @if !snapshots.is_empty() { p { "Dated snapshots: " (values::joined(", ", links)) } } }
}

fn makers_price(item: &Value) -> Markup {
    let pricing = &item["pricing"];
    let known: Vec<(&str, &str)> = PRICES
        .iter()
        .copied()
        .filter(|(path, _)| {
            answer::at(item, path).is_some_and(|price| !price.is_null()) || provenance::is_withheld(item, path)
        })
        .collect();
    let tiers = values::list(pricing, "tiers");
    let other = values::list(pricing, "other");
    if known.is_empty() && tiers.is_empty() && other.is_empty() {
        let are_offers_priced = values::list(item, "offers").iter().any(|offer| offers::has_price(&offer["pricing"]));
        return html! { p { "No source states a price of the maker. " @if are_offers_priced { "The offers below have their own." } } };
    }
    html! {
        @if !known.is_empty() || !tiers.is_empty() { p.soft { "USD per 1,000,000 tokens." } }
        div.beside {
            @if !known.is_empty() { div { h3 { "Tokens" } (facts::table(Kind::Model, "Meter", item, &known)) } }
            @if !tiers.is_empty() { div { (self::tiers(tiers, &freshness::stale_field(item, "pricing.tiers"))) } }
            @if !other.is_empty() { div { (self::other_meters(other, &freshness::stale_field(item, "pricing.other"))) } }
        }
    }
}

/// Prices of what is not counted in tokens, or kept longer, and the mark of what is stale.
fn other_meters(meters: &[Value], stale: &Markup) -> Markup {
    html! {
        h3 { "Other meters" (stale) }
        (scrolled("Other meters", html! {
            table.facts {
                thead { tr { (heads(&["Meter"])) (number_heads(&["Price"])) (heads(&["Per"])) } }
                tbody {
                    @for meter in meters {
                        tr {
                            th scope="row" { (values::words(meter["meter"].as_str().unwrap_or_default())) }
                            td.n { (values::dollars(&meter["price"]).unwrap_or_default()) }
                            td { (values::words(meter["unit"].as_str().unwrap_or_default())) }
                        }
                    }
                }
            }
        }))
    }
}

/// Prices of long contexts, and the mark of what is stale.
fn tiers(tiers: &[Value], stale: &Markup) -> Markup {
    let meters =
        [("input", "Input"), ("output", "Output"), ("cache_read", "Cache read"), ("cache_write", "Cache write")];
    html! {
        h3 { "Tiers" (stale) }
        (tabular("Tiers", html! { (heads(&["Above (context tokens)"])) (number_heads(&meters.map(|(_, label)| label))) }, html! {
            @for tier in tiers {
                tr {
                    th scope="row" { (values::any(&tier["above_context_tokens"])) }
                    @for (name, _) in meters { td.n { (values::price(&tier[name])) } }
                }
            }
        }))
    }
}
