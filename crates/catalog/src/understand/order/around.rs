//! What stands around an order and belongs to it: of what it is, `latest version of gemini`, and how many things are wanted, `latest 5 models`,
//! `top 5 cheapest`, `second cheapest`, `3 cheap vision models`. A list has its own length.

use super::{Said, order_at, phrase_end, sign_at};
use crate::understand::leaning::leans;
use crate::understand::reading::Reading;
use crate::understand::rest::is_said_anyway;
use crate::understand::words::{self, Words as _, only_digits};
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
        && let Some(end) = phrase_end(reading, at + 1, &ends)
    {
        return end;
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
    let (Some(said), Some((sort, end))) = (said, order_at(reading, at)) else { return false };
    if sort.trim_start_matches('-') != said.trim_start_matches('-') {
        return false;
    }
    // `cheapest first, most expensive last`
    let is_end = sort != said && reading.is(end, &["last"]);
    if sort != said && !is_end {
        let shown = words::text(&reading.words[at..end]);
        reading.warn(format!("`{shown}` is the other end of the same list: it is in the order `{said}`"));
    }
    reading.take(at..if is_end { end + 1 } else { counted_behind(reading, end) });
    true
}

/// Words in front of a number of things: `top 5`.
pub const TOP: [&str; 2] = ["top", "first"];
/// Numbers in words, before a superlative: `three cheapest`.
const COUNTS: [&str; 9] = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
/// Which of an order is wanted, before a superlative: `second cheapest`.
pub const ORDINALS: [&str; 8] = ["second", "2nd", "third", "3rd", "fourth", "4th", "fifth", "5th"];

/// Whether a word says how many are wanted.
pub fn is_count(reading: &Reading<'_>, at: usize) -> bool {
    let word = reading.word(at).unwrap_or_default();
    COUNTS.contains(&word) || (!word.is_empty() && word.len() < 3 && only_digits(word))
}

/// Where the words begin that say how many are wanted, if some do: `top 5 cheapest`, `3 newest`.
pub fn counted_before(reading: &Reading<'_>, at: usize) -> usize {
    if reading.is_behind(at, &ORDINALS) {
        return at - 1;
    }
    let Some(count) = at.checked_sub(1).filter(|before| is_count(reading, *before)) else { return at };
    reading.back(count, &TOP)
}

/// Takes the number of things that a question begins with, where nothing but what was read of them stands behind it: `give me five mcp servers
/// for slack`, but neither `2 factor authentication servers` nor `claude 4 models`.
pub fn take_count(reading: &mut Reading<'_>) {
    let Some(end) = reading.head_end.filter(|_| reading.is_of_several()) else { return };
    let only_asks = |at: &usize| !reading.words[*at].used && is_said_anyway(&reading.words[*at]);
    let Some(count) = (0..end).find(|at| !only_asks(at)).filter(|at| is_count(reading, *at)) else { return };
    let is_of_things = |at: usize| reading.words[at].used || leans(&reading.words[at].folded);
    if (count + 1..end).all(is_of_things) {
        reading.take(count..count + 1);
    }
}
