//! Who sells a model, under which id, and for what.

use std::fmt::Write as _;

use refdesk_catalog::answer::{bills_no_tokens, has_token_price};
use refdesk_core::Usd;
use refdesk_core::field_names::words;
use refdesk_core::item::Status;
use serde_json::Value;

use super::questions::amount;
use super::{array, clean, text};
use crate::output::{Fit, Paint, STALE_END, columns, grouped};

/// Sellers of a model that are shown.
const OFFERS_MAX: usize = 20;

/// What the maker itself asks for a model, among the offers of the model and of those that it is linked with.
pub(super) fn own_offer<'a>(answer: &'a Value, item: &Value) -> Option<&'a Value> {
    array(answer, "all_offers").find(|offer| offer["first_party"] == true && offer["model_id"] == item["id"])
}

/// Who sells a model, and for what; a note tells what the terminal has no room for.
pub(super) fn offers(paint: Paint, item: &Value, own: Option<&Value>, out: &mut String) -> String {
    // The cheapest first, as on the page, and what is sold no longer last: what is cut of many is what nobody looks for.
    let input = |offer: &Value| offer["pricing"]["input"].as_f64().unwrap_or(f64::INFINITY);
    let is_over = |offer: &Value| Status::of(offer).is_some_and(Status::ends_sale);
    let mut others: Vec<&Value> = array(item, "offers").collect();
    others.sort_by(|one, other| input(one).total_cmp(&input(other)));
    let mut offers: Vec<&Value> = own.into_iter().chain(others).collect();
    offers.sort_by_key(|offer| is_over(offer));
    if offers.is_empty() {
        return String::new();
    }
    let shown = offers.iter().take(OFFERS_MAX);
    let told_status = |offer: &Value| Status::of(offer).filter(|status| status.is_told());
    let has_status = shown.clone().any(|offer| told_status(offer).is_some());
    // Beside prices of tokens the other meters are extras: they are told where somebody bills nothing else.
    let has_others = shown.clone().any(|offer| bills_no_tokens(&offer["pricing"]));
    let known = |value: &Value| if value.is_null() { "-".to_owned() } else { amount(value) };
    let id_of = |offer: &Value| Some(clean(text(offer, "api_model_id"))).filter(|id| !id.is_empty());
    let row = |offer: &Value, has_id: bool| {
        let price = &offer["pricing"];
        let checked = offer["last_verified_at"].as_str().or(offer["last_synced_at"].as_str());
        let day = checked.and_then(|at| at.get(..10)).unwrap_or("-");
        let maker = if offer["first_party"] == true { " (maker)" } else { "" };
        let mut cells = vec![known(&offer["provider"]) + maker];
        cells.extend(has_status.then(|| paint.warn(told_status(offer).map_or("", Status::as_str))));
        cells.extend(has_id.then(|| id_of(offer).unwrap_or_else(|| "-".to_owned())));
        cells.extend([
            known(&price["input"]),
            known(&price["output"]),
            known(&offer["limits"]["context_tokens"]),
            known(&price["cache_read"]),
            if offer["stale"] == true { paint.warn(&format!("{day}{STALE_END}")) } else { day.to_owned() },
        ]);
        cells.extend(has_others.then(|| array(price, "other").map(other_price).collect::<Vec<_>>().join("; ")));
        cells
    };
    let laid_out = |are_ids_beside: bool| {
        let mut heads = vec![("seller", Fit::Cut)];
        heads.extend(has_status.then_some(("status", Fit::Whole)));
        heads.extend(are_ids_beside.then_some(("id to send", Fit::Cut)));
        heads.extend([("in", Fit::Number), ("out", Fit::Number), ("context", Fit::Number)]);
        heads.extend([("cache", Fit::OptionalNumber), ("checked", Fit::Checked)]);
        heads.extend(has_others.then_some(("other prices", Fit::Folded)));
        let below = |offer: &Value| id_of(offer).filter(|_| !are_ids_beside).map(|id| vec![format!("    {id}")]);
        let rows = shown.clone().flat_map(|offer| std::iter::once(row(offer, are_ids_beside)).chain(below(offer)));
        columns(paint, &heads, rows.collect())
    };
    // An id that is cut cannot be sent.
    let beside = laid_out(true);
    let (table, ids) =
        if beside.text.contains('…') { (laid_out(false), "; the id to send below") } else { (beside, "") };
    let _ = writeln!(out, "\n{}  {}", paint.strong("Sellers"), paint.dim(&format!("USD per 1M tokens{ids}")));
    out.push_str(&table.text);
    if offers.len() > OFFERS_MAX {
        let left = crate::output::counted(offers.len() - OFFERS_MAX, "more seller");
        let told = if offers.iter().any(|offer| has_token_price(&offer["pricing"])) {
            format!("and {left}; `refdesk cost {}` and --json show all", text(item, "id"))
        } else {
            format!("and {left}; --json shows all")
        };
        let _ = writeln!(out, "{}", paint.dim(&told));
    }
    table.notes
}

/// A price of what is not counted in tokens: `output image 0.04 per image`.
fn other_price(meter: &Value) -> String {
    let price = Usd::from_json(&meter["price"]).map_or_else(|| "-".to_owned(), grouped);
    clean(&format!("{} {price} per {}", words(text(meter, "meter")), words(text(meter, "unit"))))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{OFFERS_MAX, Paint, offers};

    #[test]
    fn who_bills_no_tokens_has_its_other_prices_and_who_does_has_no_column_for_them() {
        let shown = |input: Value| {
            let other = [json!({"meter": "output_image", "unit": "image", "price": 0.04})];
            let offer = json!({"provider": "a", "pricing": {"input": input, "other": other}});
            let mut out = String::new();
            offers(Paint::plain(), &json!({"id": "m", "offers": [offer]}), None, &mut out);
            out
        };
        for nothing in [Value::Null, json!(0)] {
            let pictures = shown(nothing);
            assert!(
                pictures.contains("other prices") && pictures.contains("output image 0.04 per image"),
                "{pictures}"
            );
        }
        assert!(!shown(json!(2)).contains("image"), "{}", shown(json!(2)));
    }

    /// In the order of their names, the cheapest of many would be cut.
    #[test]
    fn sellers_are_in_the_order_of_their_price_and_those_without_one_last() {
        let offer = |name: &str, input: Value| json!({"provider": name, "pricing": {"input": input}});
        let offers_of =
            [offer("a", Value::Null), offer("b", json!(1.25)), offer("c", json!(1.07)), offer("d", json!(1.25))];
        let mut out = String::new();
        offers(Paint::plain(), &json!({"id": "m", "offers": offers_of}), None, &mut out);
        let order: Vec<&str> = out.lines().skip(3).filter_map(|line| line.split(' ').next()).collect();
        assert_eq!(order, ["c", "b", "d", "a"], "{out}");
    }

    #[test]
    fn what_a_seller_sells_no_longer_says_so_and_stands_last() {
        let offer = |name: &str, status: &str, input: f64| json!({"provider": name, "status": status, "pricing": {"input": input}});
        let offers_of = [offer("a", "retired", 0.5), offer("b", "active", 1.25), offer("c", "deprecated", 1.0)];
        let own = json!({"provider": "maker", "first_party": true, "status": "removed", "pricing": {"input": 0.1}});
        let mut out = String::new();
        offers(Paint::plain(), &json!({"id": "m", "offers": offers_of}), Some(&own), &mut out);
        let rows = out.lines().skip(3).map(|line| line.split_whitespace().collect::<Vec<_>>());
        let shown: Vec<String> = rows.map(|words| words[..3].join(" ")).collect();
        assert_eq!(shown, ["c deprecated -", "b - 1.25", "maker (maker) removed", "a retired -"], "{out}");
    }

    #[test]
    fn of_many_sellers_the_first_are_shown_and_the_rest_is_counted() {
        let shown = |count: usize| {
            let offer = |at: usize| json!({"provider": format!("seller-{at}"), "pricing": {"input": 1, "output": 2.5}});
            let item = json!({"id": "m", "offers": (0..count).map(offer).collect::<Vec<_>>()});
            let mut out = String::new();
            offers(Paint::plain(), &item, None, &mut out);
            out
        };
        assert_eq!(shown(0), "");
        assert!(shown(1).contains("seller-0  -            1  2.5        -"), "{}", shown(1));
        let id = "us-gov-west-1/anthropic.claude-3-7-sonnet-20250219-v1:0";
        let mut long = String::new();
        offers(Paint::plain(), &json!({"id": "m", "offers": [{"provider": "a", "api_model_id": id}]}), None, &mut long);
        assert!(long.contains(id), "what is sent is whole: {long}");
        let whole = shown(OFFERS_MAX);
        assert_eq!((whole.matches("seller-").count(), whole.contains("more seller")), (OFFERS_MAX, false));
        let pictures = |at: usize| {
            let other = [json!({"meter": "output_image", "unit": "image", "price": 0.04})];
            json!({"provider": format!("seller-{at}"), "pricing": {"other": other}})
        };
        let item = json!({"id": "m", "offers": (0..=OFFERS_MAX).map(pictures).collect::<Vec<_>>()});
        let mut out = String::new();
        offers(Paint::plain(), &item, None, &mut out);
        assert!(out.contains("and 1 more seller; --json shows all"), "`cost` counts tokens: {out}");
        let cut = shown(OFFERS_MAX + 2);
        assert_eq!(cut.matches("seller-").count(), OFFERS_MAX);
        assert!(cut.contains("and 2 more sellers; `refdesk cost m` and --json show all"), "{cut}");
    }
}
