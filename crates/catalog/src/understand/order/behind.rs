//! What stands behind an order and belongs to it: `latest 5 models`, `latest version of gemini`.

use super::{Said, is_count, length_of, order_at, sign_at};
use crate::understand::reading::Reading;
use crate::understand::words;
use refdesk_core::Kind;

/// What the models of a line are called in an order.
pub const VERSIONS: [&str; 4] = ["version", "versions", "variant", "variants"];

/// Where the words end that say how many are wanted, or that these come first, behind an order: `latest 5 models`, `cheapest first`.
pub fn counted_behind(reading: &Reading<'_>, at: usize) -> usize {
    if reading.is(at, &["first"]) {
        return at + 1;
    }
    // `from cheapest to most expensive`
    let ends = [Said::Dearest, Said::Cheapest, Said::Newest, Said::Oldest];
    if reading.is(at, &["to"])
        && let Some(length) = length_of(reading, at + 1, &ends)
    {
        return at + 1 + length;
    }
    // `smallest context to largest`
    if reading.is(at, &["to"]) && sign_at(reading, at + 1).is_some() {
        return at + 2;
    }
    let is_before_head = reading.head_end.is_some_and(|end| at + 1 < end);
    at + usize::from(is_before_head && is_count(reading, at))
}

/// Where the words end that say behind an order of what it is a version: `latest version of gemini`, `gemini cheapest version`.
pub fn version_behind(reading: &Reading<'_>, at: usize) -> usize {
    if reading.kind != Kind::Model || !reading.is(at, &VERSIONS) {
        return at;
    }
    let end = at + 1;
    let is_of = reading.is(end, &["of"]);
    if is_of || end == reading.words.len() { end + usize::from(is_of) } else { at }
}

/// Reads an order that only says again what was said, `newest mistral models, latest first`, or that names the other end of it: `oldest and newest`.
pub fn said_again(reading: &mut Reading<'_>, at: usize) -> bool {
    let said = reading.param("sort").map(str::to_owned);
    let (Some(said), Some((sort, taken))) = (said, order_at(reading, at)) else { return false };
    if sort.trim_start_matches('-') != said.trim_start_matches('-') {
        return false;
    }
    let end = at + taken;
    // `cheapest first, most expensive last`
    let is_end = sort != said && reading.is(end, &["last"]);
    if sort != said && !is_end {
        let shown = words::text(&reading.words[at..end]);
        reading.warn(format!("`{shown}` is the other end of the same list: it is in the order `{said}`"));
    }
    reading.take(at..if is_end { end + 1 } else { counted_behind(reading, end) });
    true
}
