//! Who sells a model, under which id, at which price: a table that sorts, and a chart of the same numbers.

use std::borrow::Cow;
use std::cmp::Ordering;

use maud::{Markup, html};
use refdesk_catalog::answer::{bills_no_tokens, blended, has_token_price, is_included_in_plan, makers_offer};
use refdesk_core::Usd;
use refdesk_core::item::Status;
use rust_decimal::Decimal;
use serde_json::Value;

use super::super::{Shown, provenance, standing};
use super::chart;
use crate::pages::layout::table::{copied, heads, number_heads, scrolled, tabular};
use crate::pages::layout::target::Target;
use crate::pages::layout::{freshness, values};

/// The parameter that sorts the table, and its values: by seller, or by the price of a meter. Each is named as its column.
const SORT: &str = "offers";
const BY_SELLER: &str = "seller";
const BY_PRICE: [&str; 2] = ["input", "output"];
/// The member of prices with those of what is not counted in tokens.
const OTHER: &str = "other";
/// The path of the context, which the maker's offer has of the model itself.
const CONTEXT: &str = "limits.context_tokens";
/// Sellers that the chart shows.
const CHARTED_MAX: usize = 12;
/// Offers that the table shows at once.
const SHOWN_AT_ONCE: usize = 100;

pub(super) fn sections(shown: &Shown<'_>) -> Markup {
    let id = shown.item["id"].as_str().unwrap_or_default();
    let target = Target::item(shown.kind, id).with_pairs(shown.request.pairs());
    let all = all(shown);
    let mut offers: Vec<&Value> = all.iter().map(Cow::as_ref).collect();
    let order = target.get(SORT).filter(|sent| *sent == BY_SELLER || BY_PRICE.contains(sent)).unwrap_or(BY_PRICE[0]);
    offers.sort_by(|a, b| compare(order, a, b));
    let sold: Vec<&Value> = offers.iter().copied().filter(|offer| may_be_cheapest(offer)).collect();
    let cheapest = sold.iter().filter_map(|offer| blended(&offer["pricing"])).min();
    // Beside prices of tokens the other meters are extras: they are told where somebody bills nothing else.
    let has_others = offers.iter().any(|offer| bills_no_tokens(&offer["pricing"]));
    html! {
        h2 #offers { "Offers (" (count(shown.item)) ")" }
        @if offers.is_empty() { p { "No source lists a seller." } } @else {
            p.soft {
                (whose(offers.len().saturating_sub(count(shown.item)), count(shown.item)))
                "What each seller charges, and the id to send to it, in USD per 1,000,000 tokens" @if has_others { "; other prices say what they are for" } "."
                @if cheapest.is_some() { " ✓ is the lowest blended price (3 parts input, 1 part output)." }
            }
            (tabular("Offers", html! {
                (header(BY_SELLER, order, &target)) (heads(&["Id to send"])) @for column in BY_PRICE { (header(column, order, &target)) }
                (number_heads(&["Cache read"])) @if has_others { (heads(&["Other prices"])) } (number_heads(&["Context"])) (heads(&["Freshness"]))
            }, html! { @for offer in offers.iter().take(SHOWN_AT_ONCE) { (row(shown.item, offer, cheapest, has_others)) } }))
            @if offers.len() > SHOWN_AT_ONCE { p { (offers.len() - SHOWN_AT_ONCE) " more are in the JSON of this page." } }
            (bars(&sold))
        }
    }
}

/// Whose offers the table has, where the maker's is among them: the heading counts only the others, as lists do.
fn whose(own: usize, others: usize) -> Markup {
    html! {
        @if own > 0 {
            @if others == 0 { "Only the maker sells it, as far as the sources say. " } @else { "The maker's offer and " (values::counted(others, "other")) ". " }
        }
    }
}

/// How many offers a model has, as lists and comparisons count them: those of others than its maker.
pub(in crate::pages) fn count(item: &Value) -> usize {
    values::list(item, "offers").len()
}

/// All offers of a model, the maker's own first.
fn all<'s>(shown: &'s Shown<'_>) -> Vec<Cow<'s, Value>> {
    let Shown { item, request, ordinal, .. } = *shown;
    let own = item.as_object().and_then(|item| makers_offer(&request.snapshot, ordinal, item));
    let own = own.map(|own| Cow::Owned(Value::Object(own)));
    let others = values::list(item, "offers").iter().map(Cow::Borrowed);
    own.into_iter().chain(others).collect()
}

/// What is no longer sold is no bargain, nor what a subscription includes.
pub(in crate::pages) fn may_be_cheapest(offer: &Value) -> bool {
    !ends_sale(offer) && !is_included_in_plan(offer)
}

fn row(item: &Value, offer: &Value, cheapest: Option<Decimal>, has_others: bool) -> Markup {
    let pricing = &offer["pricing"];
    let is_cheapest = cheapest.is_some() && blended(pricing) == cheapest && may_be_cheapest(offer);
    html! {
        tr {
            th scope="row" { (values::any(&offer["provider"])) @if is_of_maker(offer) { " " span.tag { "maker" } } @if let Some(status) = Status::of(offer).filter(|status| status.is_told()) { " " (standing::badge(status.as_str())) } }
            td { (copied(offer["api_model_id"].as_str().unwrap_or_default())) }
            td.n.cheapest[is_cheapest] { (price(item, offer, "input")) @if is_cheapest { span.hidden { " cheapest" } } }
            td.n { (price(item, offer, "output")) }
            td.n { (price(item, offer, "cache_read")) }
            @if has_others { td.words { (values::joined("; ", values::list(pricing, OTHER).iter().map(other_price))) } }
            td.n { (values::any(&offer["limits"]["context_tokens"])) @if is_of_maker(offer) { (freshness::stale_field(item, CONTEXT)) } }
            td { (freshness::cell(offer)) }
        }
    }
}

/// A price of another meter: `output image: $0.04 per image`.
fn other_price(meter: &Value) -> Markup {
    let words = |name: &str| values::words(meter[name].as_str().unwrap_or_default());
    html! { (words("meter")) ": " (values::price(&meter["price"])) " per " (words("unit")) }
}

/// Whether prices say anything, of tokens or of what else is counted.
pub(super) fn has_price(pricing: &Value) -> bool {
    has_token_price(pricing) || !values::list(pricing, OTHER).is_empty()
}

/// A price of an offer, unknown or withheld.
fn price(item: &Value, offer: &Value, meter: &str) -> Markup {
    let price = &offer["pricing"][meter];
    html! {
        (values::price(price))
        @if price.is_null() && is_withheld(item, offer, meter) { " " b.stale { "withheld" } }
    }
}

fn is_withheld(item: &Value, offer: &Value, meter: &str) -> bool {
    if is_of_maker(offer) {
        provenance::is_withheld(item, &format!("pricing.{meter}"))
    } else {
        provenance::is_withheld_of(item, offer, meter)
    }
}

/// Whether an offer is the maker's own.
fn is_of_maker(offer: &Value) -> bool {
    offer["first_party"] == true
}

/// Whether a model or an offer is sold no more.
pub(in crate::pages) fn ends_sale(of: &Value) -> bool {
    Status::of(of).is_some_and(Status::ends_sale)
}

fn header(column: &str, order: &str, target: &Target) -> Markup {
    html! {
        th scope="col" class=[(column != BY_SELLER).then_some("n")] aria-sort=[(column == order).then_some("ascending")] {
            a href={ (target.with(SORT, column).href()) "#offers" } { (values::sentence(column)) @if column == order { " ↑" } }
        }
    }
}

/// Unknown prices come last, and equal ones by seller.
fn compare(order: &str, a: &Value, b: &Value) -> Ordering {
    let seller = |offer: &Value| offer["provider"].as_str().unwrap_or_default().to_owned();
    // There is no price by the name of `seller`, so all are equal then.
    let price = |offer: &Value| Usd::from_json(&offer["pricing"][order]);
    let (price_a, price_b) = (price(a), price(b));
    let by_price = price_a.is_none().cmp(&price_b.is_none()).then(price_a.cmp(&price_b));
    by_price.then_with(|| seller(a).cmp(&seller(b)))
}

/// The chart of the cheapest sellers.
fn bars(offers: &[&Value]) -> Markup {
    let mut priced: Vec<(Decimal, &Value)> =
        offers.iter().filter_map(|offer| Some((blended(&offer["pricing"])?, *offer))).collect();
    priced.sort_by_key(|(blended, _)| *blended);
    let bars: Vec<chart::Bar> = priced
        .iter()
        .take(CHARTED_MAX)
        .map(|(_, offer)| chart::Bar {
            label: values::excerpt(offer["provider"].as_str().unwrap_or_default(), 24),
            input: offer["pricing"]["input"].as_f64().unwrap_or_default(),
            output: offer["pricing"]["output"].as_f64().unwrap_or_default(),
        })
        .collect();
    html! {
        @if bars.len() > 1 {
            details.unprinted {
                summary { "Chart of the cheapest " (bars.len()) }
                (scrolled("Chart of prices", chart::bars("Input and output prices of the cheapest sellers, as in the table above", &bars)))
            }
        }
    }
}
