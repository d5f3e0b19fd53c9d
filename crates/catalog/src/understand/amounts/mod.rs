//! Numbers with units: `1M context`, `at least 128k tokens`, `between $1 and $3`, `under $0.10 per million input tokens`.

mod cursor;
mod range;

use std::ops::Range;

use rust_decimal::Decimal;

use super::reading::Reading;
use super::words;
pub use cursor::Cursor;
use cursor::{Currency, Per, Quantity};
use refdesk_core::Kind;
use refdesk_core::field::{Shape, Side};
use refdesk_core::query::TOKENS_MAX;

/// Reads a limit, or a range, at a position.
pub fn read(reading: &mut Reading<'_>, at: usize) -> bool {
    // `PDF input` is of what a model takes, not of what it costs.
    let is_modality = at > 0 && reading.is(at - 1, &MODALITIES) && reading.is(at, &["input", "output"]);
    if reading.kind != Kind::Model || is_modality {
        return false;
    }
    unit_of_order(reading, at) || range::read(reading, at) || limit(reading, at)
}

/// Reads what the price is per that things are ordered by: `cheapest model per 1k output tokens`. Their order is the same per 1M.
fn unit_of_order(reading: &mut Reading<'_>, at: usize) -> bool {
    let is_by_price = |(name, order): &(String, String)| name == "sort" && order.contains("price_");
    let Some(order) = reading.params.iter().position(is_by_price).filter(|_| reading.is(at, &["per"])) else {
        return false;
    };
    let mut cursor = Cursor { reading, at };
    let (per, end) = (cursor.per_tokens(), cursor.at);
    if end == at {
        return false;
    }
    if let Some(meter) = per.meter {
        let order = &mut reading.params[order].1;
        *order = order.replace("price_blended", meter);
    }
    reading.take(at..end);
    true
}

/// What is put in or out.
const MODALITIES: [&str; 9] = ["text", "image", "images", "pdf", "pdfs", "audio", "video", "speech", "voice"];

/// Reads a limit at a position.
fn limit(reading: &mut Reading<'_>, at: usize) -> bool {
    if range::is_within(reading, at) {
        return false;
    }
    let negation = reading.negation_before(at);
    let mut cursor = Cursor { reading, at };
    let is_exact = cursor.skip(&["exactly", "precisely"]);
    // `max output at least 64k`: there `max` bounds nothing.
    let is_of_most = cursor.reading.is_phrase(cursor.at + 1, &["output"]) && cursor.skip(&["max", "maximum"]);
    let mut side = if is_of_most { None } else { cursor.side() };
    if !cursor.amount_follows() {
        cursor.skip(&["a", "an"]);
    }
    let leading_meter = cursor.meter();
    let mut quantity = cursor.quantity();
    cursor.skip(&["tokens", "length", "limit"]);
    cursor.skip(&["of", "is"]);
    side = side.or_else(|| cursor.side());
    let Some(amount) = cursor.amount() else { return false };
    let tokens = cursor.skip(&["tokens", "token"]);
    let end = cursor.at;
    if is_of_most && amount.currency.is_none() {
        quantity = quantity.or(Some(Quantity::Output));
    }
    let mut meter = leading_meter;
    let mut value = amount.value;
    if amount.currency.is_some() || quantity == Some(Quantity::Price) {
        let per = cursor.per_tokens();
        meter = meter.or(per.meter);
        if !set_per_million(&mut value, per) {
            return false;
        }
    }
    let end_of_price = cursor.at;
    cursor.at = end;
    cursor.skip(&["of", "in"]);
    cursor.skip(&["input", "max"]);
    let trailing = cursor.quantity();
    let end_with_quantity = if trailing.is_some() { cursor.at } else { end };
    // No price is in the thousands: `output at least 64k`.
    let is_of_tokens = tokens || amount.currency.is_none() && amount.is_rounded;
    quantity =
        quantity.or(trailing).or_else(|| (leading_meter == Some(OUTPUT) && is_of_tokens).then_some(Quantity::Output));
    if quantity.is_none() && tokens && side.is_some() && amount.currency.is_none() {
        quantity = Some(Quantity::Context);
    }
    // `structured output, 100k context`
    if leading_meter.is_some() && trailing == Some(Quantity::Context) {
        return false;
    }
    let is_limit = matches!(quantity, Some(Quantity::Context | Quantity::Output));
    // `not under $5`
    let is_negated = negation > 0 && side.is_some() && reading.is(at - negation, &["not"]);
    let start = if is_negated { at - negation } else { at };
    let bounds = match side.filter(|_| !amount.or_more) {
        _ if is_exact => vec![(Side::Least, false), (Side::Most, false)],
        Some(bound) if is_negated => vec![opposite(bound)],
        Some(bound) => vec![bound],
        None if amount.or_more || is_limit => vec![(Side::Least, false)],
        None => vec![(Side::Most, false)],
    };
    let is_read = match amount.currency {
        Some(Currency::Dollars) if !is_limit || quantity == Some(Quantity::Output) && trailing.is_some() => {
            let meter = if trailing == Some(Quantity::Output) { Some(OUTPUT) } else { meter };
            price(reading, start..end_of_price.max(end_with_quantity), &value, &bounds, meter)
        }
        None if quantity == Some(Quantity::Price) => price(reading, start..end_of_price, &value, &bounds, meter),
        None if is_limit => {
            let most = if amount.is_rounded { in_binary(value) } else { value };
            tokens_between(reading, start..end_with_quantity, [&value, &most], bounds, tokens_of(quantity))
        }
        Some(_) => {
            let why = if is_limit { "a limit of tokens is not a sum of money" } else { "prices are in USD" };
            let shown = words::text(&reading.words[at..end]);
            reading.warnings.push(format!("`{shown}` was not understood: {why}"));
            false
        }
        None => false,
    };
    if is_read && is_limit {
        other_side(reading, end_with_quantity, tokens_of(quantity));
    }
    is_read
}

/// Sets limits of tokens; that above, where it may be met, has a value of its own: `exactly 32k` and `up to 8k` mean 32,768 and 8,192 as well.
fn tokens_between(
    reading: &mut Reading<'_>,
    words: Range<usize>,
    [value, most]: [&Decimal; 2],
    mut bounds: Vec<(Side, bool)>,
    field: &'static str,
) -> bool {
    let above = bounds.pop_if(|bound| *bound == (Side::Most, false));
    tokens_limit(reading, words.clone(), value, &bounds, field)
        && above.is_none_or(|bound| tokens_limit(reading, words, most, &[bound], field))
}

/// Makes a price that is per 1,000 tokens one per 1,000,000; false if it is beyond all numbers.
fn set_per_million(value: &mut Decimal, per: Per) -> bool {
    let factor = if per.is_per_thousand { Decimal::ONE_THOUSAND } else { Decimal::ONE };
    let scaled = value.checked_mul(factor).map(|scaled| scaled.normalize());
    scaled.map(|scaled| *value = scaled).is_some()
}

/// As many tokens where `k` is 1,024 and `m` the square of that; the value itself if it is beyond all numbers.
fn in_binary(value: Decimal) -> Decimal {
    let binary = Decimal::from(1_024);
    let (count, unit) = if value < Decimal::from(1_000_000) {
        (value / Decimal::ONE_THOUSAND, Some(binary))
    } else {
        (value / Decimal::from(1_000_000), binary.checked_mul(binary))
    };
    unit.and_then(|unit| count.checked_mul(unit)).map_or(value, |tokens| tokens.floor().normalize())
}

/// The bound of whatever does not meet another one.
const fn opposite((side, strict): (Side, bool)) -> (Side, bool) {
    match side {
        Side::Least => (Side::Most, !strict),
        Side::Most => (Side::Least, !strict),
    }
}

/// Reads what goes on behind a limit of tokens: `and less than 500k`.
fn other_side(reading: &mut Reading<'_>, at: usize, field: &str) {
    let mut cursor = Cursor { reading, at };
    cursor.skip(&["and", "but"]);
    let Some(bound) = cursor.side() else { return };
    let Some(amount) = cursor.amount().filter(|amount| amount.currency.is_none()) else { return };
    cursor.skip(&["tokens", "token"]);
    let end = cursor.at;
    tokens_limit(reading, at..end, &amount.value, &[bound], field);
}

/// The price that a word `output` names.
const OUTPUT: &str = "price_output";

/// The field of a number of tokens.
const fn tokens_of(quantity: Option<Quantity>) -> &'static str {
    if matches!(quantity, Some(Quantity::Output)) { "output_tokens" } else { "context_tokens" }
}

/// Sets the bounds of a price; of both input and output where neither is named.
fn price(
    reading: &mut Reading<'_>,
    words: Range<usize>,
    value: &Decimal,
    bounds: &[(Side, bool)],
    meter: Option<&str>,
) -> bool {
    let value = value.to_string();
    if Shape::Price.bound(&value, Side::Most).is_none() {
        reading.warnings.push(format!("`{value}` was not understood: it is not a price in USD per 1M tokens"));
        return false;
    }
    for (side, _) in bounds {
        // There is no next price, as there is a next number of tokens: `under $5` admits $5.
        let operator = operator(*side);
        reading.set(&format!("{}__{operator}", meter.unwrap_or("price_input")), &value);
        if meter.is_none() && *side == Side::Most {
            // Who names neither means both.
            let both = format!("{OUTPUT}__{operator}");
            reading.set(&both, &value);
            reading.implied = Some(both);
        }
    }
    reading.is_of_models = true;
    reading.take(words);
    true
}

fn tokens_limit(
    reading: &mut Reading<'_>,
    words: Range<usize>,
    value: &Decimal,
    bounds: &[(Side, bool)],
    field: &str,
) -> bool {
    if !value.to_string().parse::<u64>().is_ok_and(|tokens| (1..=TOKENS_MAX).contains(&tokens)) {
        reading.warnings.push(format!("`{value}` was not understood: no model has this many tokens"));
        return false;
    }
    for (side, strict) in bounds {
        let beyond = if *strict { Decimal::ONE } else { Decimal::ZERO };
        let bound = if *side == Side::Most { value - beyond } else { value + beyond };
        reading.set(&format!("{field}__{}", operator(*side)), &bound.to_string());
    }
    reading.is_of_models = true;
    reading.take(words);
    true
}

const fn operator(side: Side) -> &'static str {
    match side {
        Side::Least => "gte",
        Side::Most => "lte",
    }
}
