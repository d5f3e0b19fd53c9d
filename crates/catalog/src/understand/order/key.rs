//! What an order is said to go by: `by price`, `by output tokens`, `by the context window`.

use super::PRICE_WORDS;
use crate::understand::reading::Reading;

/// What an order is said to go by, and the field in its usual direction.
const KEYS: [(&[&str], &str); 31] = [
    (&["price", "of", "input"], "price_input"),
    (&["price", "of", "output"], "price_output"),
    (&["cost", "of", "input"], "price_input"),
    (&["cost", "of", "output"], "price_output"),
    (&["input", "price"], "price_input"),
    (&["input", "cost"], "price_input"),
    (&["output", "price"], "price_output"),
    (&["output", "cost"], "price_output"),
    // As other languages order it.
    (&["price", "input"], "price_input"),
    (&["price", "output"], "price_output"),
    (&["price"], "price_blended"),
    (&["prices"], "price_blended"),
    (&["pricing"], "price_blended"),
    (&["cost"], "price_blended"),
    (&["costs"], "price_blended"),
    (&["context", "window", "size"], "-context_tokens"),
    (&["context", "window"], "-context_tokens"),
    (&["context", "length"], "-context_tokens"),
    (&["context", "size"], "-context_tokens"),
    (&["context"], "-context_tokens"),
    (&["max", "output", "tokens"], "-output_tokens"),
    (&["max", "output"], "-output_tokens"),
    (&["output", "tokens"], "-output_tokens"),
    (&["output", "length"], "-output_tokens"),
    (&["knowledge", "cutoff"], "-knowledge_cutoff"),
    (&["release", "date"], "-released_on"),
    (&["date"], "-released_on"),
    (&["newest"], "-released_on"),
    (&["popularity"], "-offers"),
    (&["retirement", "date"], "retires_on"),
    (&["shutdown", "date"], "retires_on"),
];
/// What a price is said to be of behind an order of prices.
const METERS: [(&str, &str); 2] = [("input", "price_input"), ("output", "price_output")];

/// The field that an order is said to go by at a position, with the sign of its usual order, and where its name ends.
pub fn key_at(reading: &Reading<'_>, at: usize) -> Option<(&'static str, usize)> {
    let at = at + usize::from(reading.is(at, &["the", "their"]));
    let (key, sort) = KEYS.iter().find(|(key, _)| reading.is_phrase(at, key))?;
    Some((sort, at + key.len()))
}

/// The price of tokens that are named alone at a position, as a field, and where their name ends: `output tokens`, but not `output length`.
pub fn tokens_at(reading: &Reading<'_>, at: usize) -> Option<(&'static str, usize)> {
    let (_, key) = METERS.iter().find(|(meter, _)| reading.is(at, &[meter]))?;
    let end = at + 1 + usize::from(reading.is(at + 1, &["token", "tokens"]));
    let goes_on = reading.is(end, &PRICE_WORDS) || reading.is(end, &["length", "limit", "size", "context"]);
    (!goes_on).then_some((*key, end))
}
