//! Numbers with units: `1M context`, `at least 128k tokens`, `under $0.10 per million input tokens`.

mod cursor;

use std::ops::Range;

use rust_decimal::Decimal;

use super::reading::Reading;
use cursor::{Amount, Currency, Cursor, Quantity};
use refdesk_core::Kind;
use refdesk_core::field::{Shape, Side};

/// Reads a limit at a position.
pub fn read(reading: &mut Reading<'_>, at: usize) -> bool {
    if reading.kind != Kind::Model {
        return false;
    }
    let mut cursor = Cursor { reading, at };
    let mut side = cursor.side();
    cursor.skip(&["a", "an"]);
    let leading_meter = cursor.meter();
    let mut quantity = cursor.quantity();
    cursor.skip(&["of", "is", "tokens"]);
    side = side.or_else(|| cursor.side());
    let Some(amount) = cursor.amount() else { return false };
    let tokens = cursor.skip(&["tokens", "token"]);
    let end = cursor.at;
    let mut meter = leading_meter;
    if amount.currency.is_some() || quantity == Some(Quantity::Price) {
        meter = meter.or(cursor.per_tokens());
    }
    let end_of_price = cursor.at;
    cursor.at = end;
    cursor.skip(&["of", "in"]);
    cursor.skip(&["input", "max"]);
    let trailing = cursor.quantity();
    let end_with_quantity = if trailing.is_some() { cursor.at } else { end };
    quantity =
        quantity.or(trailing).or_else(|| (leading_meter == Some("output") && tokens).then_some(Quantity::Output));
    let is_limit = matches!(quantity, Some(Quantity::Context | Quantity::Output));
    match amount.currency {
        Some(Currency::Dollars) if !is_limit || quantity == Some(Quantity::Output) && trailing.is_some() => {
            let meter = if trailing == Some(Quantity::Output) { Some("output") } else { meter };
            price(reading, at..end_of_price.max(end_with_quantity), &amount, side, meter)
        }
        None if quantity == Some(Quantity::Price) => price(reading, at..end_of_price, &amount, side, meter),
        None if is_limit => {
            let field = if quantity == Some(Quantity::Output) { "output_tokens" } else { "context_tokens" };
            tokens_limit(reading, at..end_with_quantity, &amount, side, field)
        }
        Some(_) => {
            let shown = reading.words[at..end].iter().map(|word| word.text).collect::<Vec<_>>().join(" ");
            reading.warnings.push(if is_limit {
                format!("`{shown}` was not understood: a limit of tokens is no sum of money")
            } else {
                format!("`{shown}` was not understood: prices are in USD")
            });
            false
        }
        None => false,
    }
}

fn price(
    reading: &mut Reading<'_>,
    range: Range<usize>,
    amount: &Amount,
    side: Option<(Side, bool)>,
    meter: Option<&str>,
) -> bool {
    // There is no next price, as there is a next number of tokens: `under $5` admits $5.
    let least = amount.or_more || matches!(side, Some((Side::Least, _)));
    let operator = if least { "gte" } else { "lte" };
    let value = amount.value.to_string();
    if Shape::Price.bound(&value, Side::Most).is_none() {
        reading.warnings.push(format!("`{value}` was not understood: it is no price in USD per 1M tokens"));
        return false;
    }
    reading.set(&format!("price_{}__{operator}", meter.unwrap_or("input")), &value);
    if meter.is_none() && !least {
        // Who names neither means both.
        let both = format!("price_output__{operator}");
        reading.set(&both, &value);
        reading.implied = Some(both);
    }
    reading.is_of_models = true;
    reading.take(range);
    true
}

fn tokens_limit(
    reading: &mut Reading<'_>,
    range: Range<usize>,
    amount: &Amount,
    side: Option<(Side, bool)>,
    field: &str,
) -> bool {
    /// No model has so many.
    const TOKENS_MAX: u64 = 1_000_000_000_000;
    let value = amount.value.to_string();
    if !value.parse::<u64>().is_ok_and(|tokens| (1..=TOKENS_MAX).contains(&tokens)) {
        reading.warnings.push(format!("`{value}` was not understood: no model has this many tokens"));
        return false;
    }
    let (side, strict) = side.filter(|_| !amount.or_more).unwrap_or((Side::Least, false));
    let beyond = if strict { Decimal::ONE } else { Decimal::ZERO };
    let (operator, bound) = match side {
        Side::Most => ("lte", amount.value - beyond),
        Side::Least => ("gte", amount.value + beyond),
    };
    reading.set(&format!("{field}__{operator}"), &bound.to_string());
    reading.is_of_models = true;
    reading.take(range);
    true
}
