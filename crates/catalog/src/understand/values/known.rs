//! Whether sources state something at all: `with unknown price`, `knowledge cutoff unknown`, `with a known context window`.

use crate::understand::amounts::METERS;
use crate::understand::measures::Measure;
use crate::understand::reading::Reading;
use crate::understand::words::{PRICES, Words as _};
use refdesk_core::Kind;
use refdesk_core::field;
use refdesk_search::text::is_stop_word;

const UNKNOWN: [&str; 6] = ["unknown", "unstated", "undisclosed", "undocumented", "unspecified", "missing"];
const KNOWN: [&str; 5] = ["known", "stated", "disclosed", "documented", "specified"];
/// What stands behind the name of something that is told.
const TOLD: [&str; 6] = ["published", "listed", "stated", "given", "known", "available"];

/// The price of one meter that is named at a position, and how many words name it: `cache read price`.
fn metered_at(reading: &Reading<'_>, at: usize) -> Option<(usize, &'static str)> {
    let (taken, field) = METERS.at(&reading.words, at).filter(|(taken, _)| reading.is(at + taken, &PRICES))?;
    Some((taken + 1, field))
}

/// The field that is named at a position, and how many words name it. Of licences sources tell for things of several kinds.
fn field_at(reading: &Reading<'_>, at: usize) -> Option<(usize, &'static str)> {
    if reading.is(at, &["license", "licence"]) {
        return field::named(reading.kind, "license").map(|_| (1, "license"));
    }
    let measured = || Measure::at(&reading.words, at).map(|(taken, measure)| (taken, measure.fields()[0]));
    if reading.kind == Kind::Model { metered_at(reading, at).or_else(measured) } else { None }
}

/// Reads it of the price of one meter, whose name says something else without the word for a price: `unknown batch output price`.
pub fn metered(reading: &mut Reading<'_>, at: usize) -> bool {
    let is_in_front = reading.is(at, &KNOWN) || reading.is(at, &UNKNOWN);
    metered_at(reading, at + usize::from(is_in_front)).is_some() && parse(reading, at)
}

/// Reads it at a position, where the name of a field or a word for known or unknown is.
pub fn parse(reading: &mut Reading<'_>, at: usize) -> bool {
    let said = in_front(reading, at).or_else(|| behind(reading, at)).or_else(|| lacking(reading, at));
    let Some((field, is_known, end)) = said else { return false };
    let start = reading.start_of(at, &["a", "an", "the", "whose", "with"]);
    // `without a known price`
    let negation = reading.negation_before(start);
    // Other things than models may be about licences: `skill to find missing license headers`.
    let begins = start - negation;
    let is_of_thing = || reading.head_end == Some(begins) || begins > 0 && reading.words[begins - 1].used;
    if reading.kind != Kind::Model && !(begins < at && is_of_thing()) {
        return false;
    }
    reading.set(&format!("{field}__isnull"), if is_known == (negation > 0) { "true" } else { "false" });
    reading.take(start - negation..end);
    true
}

/// `unknown price`
fn in_front(reading: &Reading<'_>, at: usize) -> Option<(&'static str, bool, usize)> {
    let is_known = reading.is(at, &KNOWN);
    if !is_known && !reading.is(at, &UNKNOWN) {
        return None;
    }
    let (taken, field) = field_at(reading, at + 1)?;
    Some((field, is_known, at + 1 + taken))
}

/// `without a price`, `with no price published`: what is not stated is not known.
fn lacking(reading: &Reading<'_>, at: usize) -> Option<(&'static str, bool, usize)> {
    let (taken, field) = field_at(reading, at)?;
    let end = at + taken;
    let is_told = reading.is(end, &TOLD);
    let goes_on = reading.words.get(end).is_some_and(|next| !next.used && !is_stop_word(&next.folded));
    // What has no cost is free.
    let is_cost = reading.is(end - 1, &["cost", "costs"]);
    let is_lacking = reading.negation_before(at) > 0 && !field.ends_with("_tokens") && !is_cost;
    (is_lacking && (is_told || !goes_on)).then_some((field, true, end + usize::from(is_told)))
}

/// `price is unknown`
fn behind(reading: &Reading<'_>, at: usize) -> Option<(&'static str, bool, usize)> {
    let (taken, field) = field_at(reading, at)?;
    let said = at + taken + usize::from(reading.is(at + taken, &["is", "are"]));
    let negation = usize::from(reading.is(said, &["not"]));
    let is_known = reading.is(said + negation, &KNOWN);
    (is_known || reading.is(said + negation, &UNKNOWN)).then_some((
        field,
        is_known == (negation == 0),
        said + negation + 1,
    ))
}
