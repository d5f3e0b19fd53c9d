//! What only models have: prices and tiers, sellers, limits, modalities, capabilities, and what your usage costs.

use maud::{Markup, html};
use refdesk_catalog::answer;
use refdesk_core::query::{CostQuery, Params, QueryError};
use refdesk_core::{Kind, Usd};
use rust_decimal::Decimal;
use serde_json::Value;

use super::{Shown, facts, offers, provenance};
use crate::pages::answer::read;
use crate::pages::layout::table::scrolled;
use crate::pages::layout::target::Target;
use crate::pages::layout::{notices, values};

/// Sellers that the form of costs shows.
const COSTS_MAX: usize = 10;
const LIMITS: &[(&str, &str)] = &[
    ("limits.context_tokens", "Context, tokens"),
    ("limits.input_tokens", "Most input, tokens"),
    ("limits.output_tokens", "Most output, tokens"),
    ("modalities.input", "Takes"),
    ("modalities.output", "Gives"),
    ("mode", "Mode"),
];
const CAPABILITIES: &[(&str, &str)] = &[
    ("capabilities.tool_call", "Tool calls"),
    ("capabilities.reasoning", "Reasoning"),
    ("capabilities.structured_output", "Structured output"),
    ("capabilities.attachments", "Attachments"),
    ("capabilities.prompt_caching", "Prompt caching"),
    ("capabilities.batch", "Batch"),
    ("capabilities.streaming", "Streaming"),
    ("capabilities.temperature", "Temperature"),
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
/// The parameters of the form, and their labels.
const USAGE: [(&str, &str); 5] = [
    ("input_tokens", "Input tokens"),
    ("output_tokens", "Output tokens"),
    ("cache_read_tokens", "Cache read tokens"),
    ("cache_write_tokens", "Cache write tokens"),
    ("requests", "Requests"),
];

/// The sections, and what of the form of costs could not be read.
pub(super) fn sections(shown: &Shown<'_>) -> (Markup, Option<QueryError>) {
    let item = shown.item;
    let (costs, refusal) = costs(shown);
    let sections = html! {
        (snapshots(item))
        h2 #price { "Maker's price" }
        (makers_price(item))
        (offers::sections(shown))
        (costs)
        h2 #limits { "Limits and modalities" }
        (facts::table(Kind::Model, "Limit", item, LIMITS))
        h2 #capabilities { "Capabilities" }
        (facts::table(Kind::Model, "Capability", item, CAPABILITIES))
        h2 #dates { "Dates and license" }
        (facts::table(Kind::Model, "Date", item, DATES))
    };
    (sections, refusal)
}

fn snapshots(item: &Value) -> Markup {
    let snapshots = item["snapshots"].as_array().map_or(&[][..], Vec::as_slice);
    html! {
        @if !snapshots.is_empty() {
            p {
                "Dated snapshots: "
                @for (at, id) in snapshots.iter().filter_map(|snapshot| snapshot["id"].as_str()).enumerate() {
                    @if at > 0 { ", " }
                    a href=(Target::item(Kind::Model, id).href()) { (id) }
                }
            }
        }
    }
}

fn makers_price(item: &Value) -> Markup {
    let pricing = &item["pricing"];
    if pricing.is_null() {
        return html! { p { "No source states a price of the maker. " @if item["offers"].as_array().is_some_and(|offers| !offers.is_empty()) { "The sellers below have their own." } } };
    }
    let known: Vec<(&str, &str)> = PRICES
        .iter()
        .copied()
        .filter(|(path, _)| {
            answer::at(item, path).is_some_and(|price| !price.is_null()) || provenance::is_withheld(item, path)
        })
        .collect();
    let tiers = pricing["tiers"].as_array().map_or(&[][..], Vec::as_slice);
    let other = pricing["other"].as_array().map_or(&[][..], Vec::as_slice);
    html! {
        p.soft { "USD per 1,000,000 tokens." }
        (facts::table(Kind::Model, "Meter", item, &known))
        @if !tiers.is_empty() { (self::tiers(tiers)) }
        @if !other.is_empty() {
            h3 { "Other meters" }
            (scrolled("Other meters", html! {
                table.facts {
                    thead { tr { th scope="col" { "Meter" } th.n scope="col" { "Price" } th scope="col" { "Per" } } }
                    tbody {
                        @for meter in other {
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
}

/// Prices of long contexts.
fn tiers(tiers: &[Value]) -> Markup {
    let meters =
        [("input", "Input"), ("output", "Output"), ("cache_read", "Cache read"), ("cache_write", "Cache write")];
    html! {
        h3 { "Tiers" }
        (scrolled("Tiers", html! {
            table {
                thead { tr { th scope="col" { "Above, tokens of context" } @for (_, label) in meters { th.n scope="col" { (label) } } } }
                tbody {
                    @for tier in tiers {
                        tr {
                            th scope="row" { (values::any(&tier["above_context_tokens"])) }
                            @for (name, _) in meters { td.n { (values::price(&tier[name])) } }
                        }
                    }
                }
            }
        }))
    }
}

/// The form of costs with what it was asked, and what of that could not be read.
fn costs(shown: &Shown<'_>) -> (Markup, Option<QueryError>) {
    let id = shown.item["id"].as_str().unwrap_or_default();
    let page = Target::item(Kind::Model, id).with_pairs(shown.request.pairs());
    let value = |name: &str| page.get(name);
    let is_asked = USAGE.iter().any(|(name, _)| value(name).is_some());
    let bill = is_asked.then(|| {
        let query = asked(&page, id)?;
        Ok(bill(&read(&answer::cost(&shown.request.snapshot, shown.ordinal, &query, &[]))))
    });
    let (bill, wrong) = match bill {
        Some(Ok(bill)) => (Some(bill), None),
        Some(Err(error)) => (None, Some(error)),
        None => (None, None),
    };
    let is_wrong = |name: &str| wrong.as_ref().is_some_and(|error: &QueryError| error.param == name);
    let label = USAGE.iter().find(|(name, _)| is_wrong(name)).map(|(_, label)| (*label).to_owned());
    let markup = html! {
        h2 #cost { "What your usage costs" }
        @if let Some(error) = &wrong { (notices::refusal_of(label.clone(), error, &page, label.is_some())) }
        form action={ (Target::item(Kind::Model, id).href()) "#cost" } {
            div.filters {
                @for (name, label) in USAGE {
                    div {
                        label for={ "f-" (name) } { (label) }
                        input id={ "f-" (name) } name=(name) value=(value(name).unwrap_or_default()) inputmode="numeric"
                            placeholder=(if name == "requests" { "1" } else { "1M" })
                            aria-invalid=[is_wrong(name).then_some("true")] aria-describedby=[is_wrong(name).then_some(notices::PROBLEM)];
                    }
                }
                div { label { input type="checkbox" name="batch" value="true" checked[value("batch") == Some("true")]; " At batch prices" } }
                div { button { "Calculate" } }
            }
        }
        @if let Some(bill) = bill { (bill) }
    };
    (markup, wrong)
}

fn asked(page: &Target, id: &str) -> Result<CostQuery, QueryError> {
    let of_form =
        page.pairs().filter(|(name, _)| CostQuery::NAMES.contains(name) && *name != "model" && *name != "sort");
    CostQuery::parse(&Params::new(of_form.chain([("model", id)]), &CostQuery::NAMES))
}

/// Whether a price is missing that the usage needs.
fn missing(seller: &Value) -> bool {
    seller["missing"].as_array().is_some_and(|missing| !missing.is_empty())
}

/// What a usage costs; of which a price is missing, what the others come to at least.
fn total(seller: &Value) -> Markup {
    let lines = seller["lines"].as_array().into_iter().flatten();
    let known = lines.filter_map(|line| Usd::from_json(&line["amount"])).map(Usd::decimal).sum::<Decimal>();
    match missing(seller).then(|| known.normalize()).filter(|known| !known.is_zero()) {
        Some(known) => html! { "$" (known) " or more" },
        None => values::price(&seller["total"]),
    }
}

fn bill(answer: &Value) -> Markup {
    let sellers = answer["sellers"].as_array().map_or(&[][..], Vec::as_slice);
    html! {
        @if sellers.is_empty() { p { "No seller of it states a price." } } @else {
            (scrolled("Costs", html! {
                table {
                    thead { tr { th scope="col" { "Seller" } th.n scope="col" { "Total" } th scope="col" { "Missing prices" } } }
                    tbody {
                        @for seller in sellers.iter().take(COSTS_MAX) {
                            tr {
                                th scope="row" { (values::any(&seller["seller"])) @if seller["stale"] == true { " " b.stale { "stale" } } }
                                td.n { (total(seller)) }
                                td { @if missing(seller) { (values::any(&seller["missing"])) } @else { span.none { "none" } } }
                            }
                        }
                    }
                }
            }))
            @if sellers.len() > COSTS_MAX { p.soft { "The " (COSTS_MAX) " cheapest of " (sellers.len()) " sellers." } }
        }
    }
}
