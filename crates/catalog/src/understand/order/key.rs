//! What an order is said to go by, `by price`, `by output tokens`, `by the context window`, and the direction behind it: `descending`, `from high to
//! low`, `cheapest first`.

use super::PRICE_WORDS;
use crate::understand::measures::Measure;
use crate::understand::reading::Reading;
use crate::understand::words::{PhraseRows, TOKENS, Words as _};

/// What else an order is said to go by, beside what models are measured by.
const KEYS: [(&str, &str); 3] = [("date", "-released_on"), ("newest", "-released_on"), ("popularity", "-offers")];

/// The field that an order is said to go by at a position, with the sign of its usual order, and where its name ends.
pub fn key_at(reading: &Reading<'_>, at: usize) -> Option<(&'static str, usize)> {
    let at = reading.past(at, &["the", "their"]);
    if let Some((taken, measure)) = Measure::at(&reading.words, at) {
        return Some((measure.order(), at + taken));
    }
    let (_, sort) = KEYS.iter().find(|(key, _)| reading.is(at, &[key]))?;
    Some((sort, at + 1))
}

/// The price of tokens that are named alone at a position, as a field, and where their name ends: `output tokens`, but not `output length`.
pub fn tokens_at(reading: &Reading<'_>, at: usize) -> Option<(&'static str, usize)> {
    let priced = Measure::priced(&reading.words, at)?;
    let end = reading.past(at + 1, &TOKENS);
    let goes_on = reading.is(end, &PRICE_WORDS) || reading.is(end, &["length", "limit", "size", "context"]);
    (!goes_on).then_some((priced.order(), end))
}

/// Directions behind what is ordered, and their signs.
static DIRECTIONS: PhraseRows<&str> = PhraseRows::new(&[
    (
        "descending order,descending,desc,high to low,highest to lowest,highest first,newest first,latest first,\
         largest first,longest first,biggest first,most expensive first",
        "-",
    ),
    (
        "ascending order,ascending,asc,low to high,lowest to highest,lowest first,oldest first,cheapest first,\
         smallest first,shortest first",
        "",
    ),
]);

/// The sign of an order that says its direction, and where its words end.
pub fn direction_at(reading: &Reading<'_>, at: usize) -> Option<(&'static str, usize)> {
    let start = reading.past(at, &["in", "from"]);
    let (taken, sign) = DIRECTIONS.at(&reading.words, start)?;
    Some((*sign, start + taken))
}
