//! What was done with models at a time, and is no coming out: `benchmarked in 2025`, `unchanged since January`.

use super::{period, relation_at};
use crate::understand::reading::Reading;
use crate::understand::words;
use refdesk_core::Kind;
use refdesk_search::text::word_array;

/// What is done with a model until it is there.
const COMING_OUT: [&str; 12] = word_array(
    "created developed trained introduced unveiled presented revealed shipped dropped debuted open-sourced started",
);
/// Shorter words that end so are no participles: `embed`.
const PARTICIPLE_LETTERS_MIN: usize = 6;

/// Whether the period at a position is that of a participle in front of it, of which no field knows the day. Says that it was not understood.
pub fn is_another(reading: &mut Reading<'_>, at: usize) -> bool {
    let Some(verb) = at.checked_sub(1).and_then(|before| reading.word(before)) else { return false };
    let is_participle = verb.len() >= PARTICIPLE_LETTERS_MIN && verb.ends_with("ed") && !verb.ends_with("eed");
    if reading.kind != Kind::Model || !is_participle || COMING_OUT.contains(&verb) {
        return false;
    }
    let (relation, after) = relation_at(reading, at);
    let Some(period) = relation.and_then(|_| period::at(reading, after, false)) else { return false };
    let shown = words::text(&reading.words[at - 1..after + period.taken]);
    reading.warn_of(shown, "no field has that day; say `released in 2025` for the day of release");
    true
}
