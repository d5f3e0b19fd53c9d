//! Prices of a number of tokens that is said first: `1000 output tokens cost less than one cent`.

use rust_decimal::Decimal;

use super::cursor::{Cursor, MOST};
use super::limit::price_limit;
use super::number::Currency;
use crate::understand::reading::Reading;

/// Reads such a price at a position.
pub fn parse(reading: &mut Reading<'_>, at: usize) -> bool {
    let mut cursor = Cursor { reading, at };
    let Some(tokens) = cursor.amount().filter(|tokens| tokens.currency.is_none()) else { return false };
    let meter = cursor.meter();
    if !cursor.skip(&["tokens", "token"]) || !cursor.skip(&["cost", "costs", "costing"]) {
        return false;
    }
    let bounds = cursor.bounds().unwrap_or(MOST);
    let Some(price) = cursor.amount().filter(|price| price.currency == Some(Currency::Dollars)) else { return false };
    let end = cursor.at;
    let per_million = price.money.checked_mul(Decimal::from(1_000_000)).and_then(|sum| sum.checked_div(tokens.count));
    let is_read = per_million.is_some_and(|price| price_limit(reading, &price.normalize(), bounds, meter));
    if is_read {
        reading.is_of_models = true;
        reading.take(at..end);
    }
    is_read
}
