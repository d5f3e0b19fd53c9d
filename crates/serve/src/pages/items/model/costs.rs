//! What your usage costs at each seller: the form, and the bill with its parts.

use maud::{Markup, html};
use refdesk_catalog::answer;
use refdesk_core::query::{CostQuery, Params, QueryError};
use refdesk_core::{Kind, Usd};
use rust_decimal::Decimal;
use serde_json::Value;

use super::Shown;
use crate::pages::answer::read;
use crate::pages::layout::form::{Control, Hints};
use crate::pages::layout::table::{heads, number_heads, tabular};
use crate::pages::layout::target::Target;
use crate::pages::layout::{freshness, notices, values};

/// Sellers that the bill shows at once, besides the maker.
const SHOWN_AT_ONCE: usize = 10;
/// The parameters of the form, and their labels.
const USAGE: [(&str, &str); 5] = [
    ("input_tokens", "Input tokens"),
    ("output_tokens", "Output tokens"),
    ("cache_read_tokens", "Cache read tokens"),
    ("cache_write_tokens", "Cache write tokens"),
    ("requests", "Requests"),
];

/// The form of costs with what it was asked, and what of that could not be read.
pub(super) fn section(shown: &Shown<'_>) -> (Markup, Option<QueryError>) {
    let id = shown.item["id"].as_str().unwrap_or_default();
    let page = Target::item(Kind::Model, id).with_pairs(shown.request.pairs());
    let value = |name: &str| page.get(name);
    let is_asked = USAGE.iter().any(|(name, _)| value(name).is_some());
    if !is_asked && !can_be_told(shown.item) {
        // Searches lead here.
        return (
            html! { p.soft #cost { "No source states what its tokens cost, so your usage cannot be priced here." } },
            None,
        );
    }
    let bill = is_asked.then(|| {
        let query = asked(&page, id)?;
        let answer = read(&answer::cost(&shown.request.snapshot, shown.ordinal, &query, &[]));
        let data = of_form(&page)
            .fold(Target::new("/v1/cost").with("model", id), |data, (name, value)| data.with(name, value));
        // Without a key it would lead to a refusal.
        let is_open = !shown.request.state.settings.require_key;
        Ok(html! {
            (notices::warnings(&notices::of_answer(&answer), &page))
            (bill(&answer))
            @if is_open { p.soft { a href=(data.href()) { "These costs as JSON" } } }
        })
    });
    let (bill, wrong) = bill.transpose().map_or_else(|error| (None, Some(error)), |bill| (bill, None));
    let is_wrong = |name: &str| wrong.as_ref().is_some_and(|error: &QueryError| *error.param == *name);
    let label = USAGE.iter().find(|(name, _)| is_wrong(name)).map(|(_, label)| (*label).to_owned());
    let markup = html! {
        h2 #cost class=[(!is_asked).then_some("unprinted")] { "What your usage costs" }
        @if let Some(error) = &wrong {
            // It is wrong by being empty.
            @if value(&error.param).is_none() { (notices::problem(html! { "Fill in at least one number of tokens." })) }
            @else { (notices::refusal_of(label.clone(), error, &page, label.is_some())) }
        }
        form action={ (Target::item(Kind::Model, id).href()) "#cost" } {
            div.filters {
                @for (name, label) in USAGE {
                    @let control = Control { name, sent: value(name).unwrap_or_default(), is_wrong: is_wrong(name) };
                    @let placeholder = Some(if name == "requests" { "1" } else { "100k" });
                    (control.text(label, &Hints { placeholder, mode: Some("numeric"), ..Hints::default() }))
                }
                div { label { input type="checkbox" name="batch" value="true" checked[value("batch") == Some("true")]; " At batch prices" } }
                div { button { "Calculate" } }
            }
        }
        @if let Some(bill) = bill { (bill) }
    };
    (markup, wrong)
}

/// Whether somebody states what tokens of a model cost: else the form could give no answer.
pub(in crate::pages::items) fn can_be_told(item: &Value) -> bool {
    let of_offers = values::list(item, "offers").iter().map(|offer| &offer["pricing"]);
    std::iter::once(&item["pricing"]).chain(of_offers).any(answer::has_token_price)
}

/// What of the page's parameters asks for costs.
fn of_form(page: &Target) -> impl Iterator<Item = (&str, &str)> {
    page.pairs().filter(|(name, _)| CostQuery::USAGE.contains(name))
}

fn asked(page: &Target, id: &str) -> Result<CostQuery, QueryError> {
    CostQuery::parse(&Params::new(of_form(page).chain([("model", id)]), &CostQuery::NAMES))
}

/// Whether a price is missing that the usage needs.
fn is_incomplete(seller: &Value) -> bool {
    !values::list(seller, "missing").is_empty()
}

/// What a usage costs; of which a price is missing, what the others come to at least.
fn total(seller: &Value) -> Markup {
    let lines = values::list(seller, "lines").iter();
    let known = lines.filter_map(|line| Usd::from_json(&line["amount"])).map(Usd::decimal).sum::<Decimal>();
    match is_incomplete(seller).then(|| known.normalize()).filter(|known| !known.is_zero()) {
        Some(known) => html! { (values::price(&known.to_string().into())) " or more" },
        None => values::price(&seller["total"]),
    }
}

fn bill(answer: &Value) -> Markup {
    let sellers = values::list(answer, "sellers");
    let meters = meters(answer);
    // Who compares wants the maker's price beside the cheapest.
    let (mut shown, mut more): (Vec<&Value>, Vec<&Value>) = (Vec::new(), Vec::new());
    for (at, seller) in sellers.iter().enumerate() {
        if at < SHOWN_AT_ONCE || seller["first_party"] == true { shown.push(seller) } else { more.push(seller) }
    }
    html! {
        @if sellers.is_empty() { p { "No seller of it states a price." } } @else {
            (table("Costs", &meters, &shown))
            @if !more.is_empty() {
                details { summary { (more.len()) " more that cost more or lack a price" } (table("More costs", &meters, &more)) }
            }
        }
    }
}

/// The meters of the usage, as their members in the answer are called, in its order.
fn meters(answer: &Value) -> Vec<&'static str> {
    let asked = &answer["request"];
    let is_batch = asked["batch"] == true;
    let meters = [
        ("input_tokens", if is_batch { "batch_input" } else { "input" }),
        ("cache_read_tokens", "cache_read"),
        ("cache_write_tokens", "cache_write"),
        ("output_tokens", if is_batch { "batch_output" } else { "output" }),
    ];
    meters
        .into_iter()
        .filter(|(tokens, _)| asked[tokens].as_u64().is_some_and(|tokens| tokens > 0))
        .map(|(_, meter)| meter)
        .collect()
}

fn table(name: &str, meters: &[&'static str], sellers: &[&Value]) -> Markup {
    let above = |seller: &Value| seller["tier"]["above_context_tokens"].as_u64();
    // Where a seller bills by another meter, no column stands for it.
    let others = |seller: &Value| -> Vec<String> {
        let missing = values::list(seller, "missing").iter().filter_map(Value::as_str);
        missing.filter(|meter| !meters.contains(meter)).map(values::words).map(|meter| values::shown(&meter)).collect()
    };
    let has_tier = sellers.iter().any(|seller| above(seller).is_some());
    let has_others = sellers.iter().any(|seller| !others(seller).is_empty());
    let heads = html! {
        (heads(&["Seller", "Id to send"])) (number_heads(&["Total"]))
        @for meter in meters { (number_heads(&[&values::sentence(&values::words(meter))])) }
        @if has_tier { (heads(&["Tier"])) }
        @if has_others { (heads(&["Billed by"])) }
    };
    let rows = html! {
        @for seller in sellers {
            tr {
                th scope="row" {
                    (values::any(&seller["seller"])) @if seller["first_party"] == true { " " span.tag { "maker" } }
                    @if seller["stale"] == true { (freshness::mark()) }
                }
                td { code { (values::any(&seller["api_model_id"])) } }
                td.n { b { (total(seller)) } }
                @for meter in meters { td.n { (amount(seller, meter)) } }
                @if has_tier { td { @match above(seller) { Some(above) => { "above " (values::count(above)) " tokens" }, None => "base price" } } }
                @if has_others { td { (others(seller).join(", ")) } }
            }
        }
    };
    tabular(name, heads, rows)
}

/// What a meter adds to the total.
fn amount(seller: &Value, meter: &str) -> Markup {
    let mut lines = values::list(seller, "lines").iter();
    values::price(lines.find(|line| line["meter"] == meter).map_or(&Value::Null, |line| &line["amount"]))
}
