//! What `or` joins that no filter says. Values of one field are alternatives; those of different fields hold together: `by openai or under $1`.

use std::ops::Range;

use super::reading::Reading;
use super::rest::says_no_more;
use super::words;
use refdesk_core::field::{self, Shape};

/// What a field of yes or no is set to by who names both.
const YES_OR_NO: [&str; 2] = ["true,false", "false,true"];

/// Takes back filters of which both halves were named, `open or closed models`, `local or remote mcp servers`, and warns where `or` joins
/// filters that hold together.
pub fn weigh(reading: &mut Reading<'_>) {
    let filters = reading.params.len();
    reading.params.retain(|(_, values)| !YES_OR_NO.contains(&values.as_str()));
    reading.is_taken_back |= reading.params.len() < filters;
    let Some(said) = reading.said.take() else { return };
    for at in 0..reading.words.len() {
        let Some((before, behind)) = said.around(at).filter(|_| reading.is(at, &["or"])) else { continue };
        let mut between = before.words.end..behind.words.start;
        if !between.all(|at| says_no_more(&reading.words[at])) {
            continue;
        }
        let shared = || behind.fields.iter().filter(|field| before.fields.contains(field));
        if let Some(whole) = shared().find(|field| has_every_value(reading, field)) {
            reading.params.retain(|(name, _)| name != whole);
            reading.is_taken_back = true;
        } else if shared().next().is_none() || shared().any(|field| wants_all(reading, field)) {
            warn_of_both(reading, at + 1..behind.words.end);
        }
    }
}

/// Whether a filter of a field wants all values that it names.
fn wants_all(reading: &Reading<'_>, name: &str) -> bool {
    field::named(reading.kind, name).is_some_and(|field| field.shape == Shape::Words { all: true })
}

/// Whether a filter names every value that its field has.
fn has_every_value(reading: &Reading<'_>, name: &str) -> bool {
    let allowed = field::named(reading.kind, name).map_or(&[][..], |field| field.allowed);
    !allowed.is_empty() && allowed.iter().all(|value| reading.asks_for(name, value))
}

/// Warns that what `or` joins, in some words, is asked for together.
pub fn warn_of_both(reading: &mut Reading<'_>, joined: Range<usize>) {
    let joined = words::text(&reading.words[joined]);
    reading.warn(format!("`or {joined}` is read as `and`: no filter asks for either"));
}
