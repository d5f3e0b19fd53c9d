//! Prices that are said in another way than a sum of money with a bound: of nothing, `free input`, `zero output price`, `whose input tokens are
//! free`, and of a number of tokens that is said first, `1000 output tokens cost less than one cent`.

use super::cursor::{Cursor, MOST};
use super::limit::price_limit;
use super::number::Currency;
use crate::understand::reading::Reading;
use crate::understand::words::{TOKENS, Word, Words as _};
use rust_decimal::Decimal;

/// Words for nothing in front of the price that is nothing …
const NOTHING_BEFORE: [&str; 5] = ["zero", "no", "free", "0", "$0"];
/// … and behind it.
const NOTHING_BEHIND: [&str; 5] = ["free", "zero", "nothing", "0", "$0"];
/// Words for what is paid.
const COSTS: [&str; 4] = ["cost", "costs", "charge", "fee"];
/// The same where it is told. What has `no price` has one that nobody states.
const PRICES: [&str; 3] = ["price", "prices", "pricing"];
/// What stands between a price and what it is.
const IS: [&str; 10] = ["is", "are", "be", "of", "for", "at", "=", "costs", "cost", "come"];

/// Reads a price of nothing at a position.
pub fn of_nothing(reading: &mut Reading<'_>, at: usize) -> bool {
    let Some((meter, end)) = named_behind(reading, at).or_else(|| named_before(reading, at)) else { return false };
    let start = reading.back(at, &["with", "at", "for", "has", "have"]);
    if reading.negation_before(at) > 0 || !price_limit(reading, &Decimal::ZERO, MOST, meter) {
        return false;
    }
    reading.is_of_models = true;
    reading.take(start..end);
    true
}

/// A price that is found nothing, and where the words for it end; none is both of input and output.
type FreePrice = Option<(Option<&'static str>, usize)>;

/// `free input`, `zero output price`, `no cost`
fn named_behind(reading: &Reading<'_>, at: usize) -> FreePrice {
    if !reading.is(at, &NOTHING_BEFORE) {
        return None;
    }
    let mut cursor = Cursor { reading, at: at + 1 };
    let meter = cursor.meters();
    cursor.skip(&TOKENS);
    let (is_free, is_unstated) = (reading.is(at, &["free"]), reading.is(at, &["no"]));
    let is_price = cursor.skip(&COSTS) || !is_unstated && cursor.skip(&PRICES);
    // `free prompt library` has no price of prompts.
    // `no cost tracking` is of something else.
    let is_end = |at: usize| reading.words.get(at).is_none_or(Word::goes_on);
    let is_price = is_price && (meter.is_some() || is_end(cursor.at) || reading.is_before_kind(cursor.at));
    // `free output formatting` has no price of output.
    let is_of_meter = is_free
        && meter.is_some()
        && (is_end(cursor.at) || reading.is_before_kind(cursor.at))
        && !reading.is(at + 1, &["prompt", "completion", "batch", "cached"]);
    (is_price && !(is_free && meter.is_none()) || is_of_meter).then_some((meter, cursor.at))
}

/// `input tokens are free`, `output price of zero`, `costs nothing`
fn named_before(reading: &Reading<'_>, at: usize) -> FreePrice {
    let mut cursor = Cursor { reading, at };
    let meter = cursor.meters();
    cursor.skip(&TOKENS);
    let is_price = cursor.skip(&COSTS) || cursor.skip(&PRICES);
    let is_linked = cursor.skip(&IS);
    let is_nothing = cursor.skip(&["nothing"]) && is_price;
    let is_zero = (is_price || meter.is_some() && is_linked) && cursor.skip(&NOTHING_BEHIND);
    // `cost 0.5` is another number, `price 0 to 5` a range, and `output is free of watermarks` no price.
    let goes_on = || reading.is(cursor.at, &["to", "-", "–", "cent", "cents", "dollars", "dollar", "of", "from"]);
    let is_free = is_nothing || is_zero && !goes_on();
    let end = cursor.at;
    // `cost nothing for input`
    let behind = if is_free && meter.is_none() && cursor.skip(&["for", "on"]) { cursor.meter() } else { None };
    cursor.skip(&TOKENS);
    is_free.then_some(if behind.is_some() { (behind, cursor.at) } else { (meter, end) })
}

/// Reads the price of a number of tokens that begins at a position.
pub fn per_count(reading: &mut Reading<'_>, at: usize) -> bool {
    let mut cursor = Cursor { reading, at };
    let Some(tokens) = cursor.amount().filter(|tokens| tokens.currency.is_none()) else { return false };
    let meter = cursor.meter();
    if !cursor.skip(&TOKENS) || !cursor.skip(&["cost", "costs", "costing"]) {
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
