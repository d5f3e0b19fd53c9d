//! What `or` joins that no filter says. Values of one field are alternatives; those of different fields hold together: `by openai or under $1`.

use crate::understand::words::Words as _;
use std::ops::Range;

use rust_decimal::Decimal;

use super::params::field_of;
use super::reading::{Reading, Said};
use super::rest::{BEFORE_READ, says_no_more};
use super::words;
use refdesk_core::field::{self, Shape};

/// What a field of yes or no is set to by who names both.
const YES_OR_NO: [&str; 2] = ["true,false", "false,true"];

/// The smallest step between two prices: what costs something costs as much more than what is free.
const PRICE_STEP: Decimal = Decimal::from_parts(1, 0, 0, false, 6);

/// Takes back filters of which both halves were named, `open or closed models`, `local or remote mcp servers`, and bounds that lie apart, `under
/// $1 or over $10`. Warns where `or` joins filters that hold together, or a filter and what none says.
pub fn weigh(reading: &mut Reading<'_>) {
    let filters = reading.params.len();
    reading.params.retain(|(_, values)| !YES_OR_NO.contains(&values.as_str()));
    reading.is_taken_back |= reading.params.len() < filters;
    let Some(said) = reading.said.take() else { return };
    for at in 0..reading.words.len() {
        if !reading.is(at, &["or"]) {
            continue;
        }
        leave_out_unread(reading, &said, at);
        let Some((before, behind)) = said.around(at) else { continue };
        let mut between = before.words.end..behind.words.start;
        if !between.all(|at| says_no_more(&reading.words[at])) {
            continue;
        }
        let shared = || behind.fields.iter().filter(|field| before.fields.contains(field));
        if let Some(whole) = shared().find(|field| has_every_value(reading, field)) {
            reading.params.retain(|(name, _)| name != whole);
            reading.is_taken_back = true;
        } else if let Some(gap) = shared().find_map(|field| gap_in(reading, field)) {
            let is_of_either =
                |name: &str| before.fields.iter().chain(&behind.fields).any(|field| *field == field_of(name));
            reading.params.retain(|(name, _)| !is_of_either(name));
            reading.is_taken_back = true;
            if gap > PRICE_STEP {
                reading.warn_of_words(before.words.start..behind.words.end, "no filter leaves out what lies between");
            }
        } else if shared().next().is_none() || shared().any(|field| wants_all(reading, field)) {
            warn_of_both(reading, at + 1..behind.words.end);
        }
    }
}

/// How far the least that is asked for of a field lies above the most; of days, that it does.
fn gap_in(reading: &Reading<'_>, field: &str) -> Option<Decimal> {
    let bound = |side: &str| reading.param(&format!("{field}__{side}"));
    let (least, most) = (bound("gte")?, bound("lte")?);
    match (least.parse::<Decimal>(), most.parse::<Decimal>()) {
        (Ok(least), Ok(most)) => least.checked_sub(most).filter(|gap| *gap > Decimal::ZERO),
        _ => (least > most).then_some(Decimal::ONE),
    }
}

/// Leaves out of the words to search for what `or` joins to a filter and no filter says, `on npm or conda`: beside the filter it would be asked for
/// as well. Says so.
fn leave_out_unread(reading: &mut Reading<'_>, said: &Said, at: usize) {
    let start = reading.past(at + 1, &BEFORE_READ);
    let is_said = |at: usize| reading.words.get(at).is_some_and(|word| !says_no_more(word));
    let mut end = start;
    while is_said(end) && (end == start || !reading.words[end - 1].ends_clause) {
        end += 1;
    }
    if end > start && said.ends_at(at) {
        reading.warn_of_words(at..end, "no filter can say it, so only the other alternative is shown");
        reading.take(at..end);
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
