//! A line of models by a word of its families alone, where the question says that models are meant: directly before the word for them, and
//! where it begins with it and goes on with a limit, a value or a seller. `opus models under $20`, `sonnet with vision`, `haiku on bedrock`.

use crate::understand::reading::Reading;
use crate::understand::rest::is_said_anyway;
use crate::understand::things::line::families_by_word;
use crate::understand::vocabulary::is_part_of_topic;
use refdesk_core::Kind;

/// What begins that by which models of the line are told apart, or who sells them.
const GOING_ON: [&str; 9] = ["with", "that", "which", "having", "supporting", "on", "via", "through", "at"];

/// Reads such a word at a position.
pub fn parse(reading: &mut Reading<'_>, at: usize) -> bool {
    if reading.kind != Kind::Model || !(is_before_models(reading, at) || begins(reading, at)) {
        return false;
    }
    if reading.negation_before_name(at) > 0 || is_part_of_topic(reading, at) {
        return false;
    }
    let Some(families) = reading.word(at).and_then(|word| families_by_word(reading.snapshot, word)) else {
        return false;
    };
    reading.filter("family", false, &families);
    reading.take(at..at + 1);
    true
}

/// Whether the word for models stands behind a position. Who types no more than that gets the current models of the line first.
fn is_before_models(reading: &Reading<'_>, at: usize) -> bool {
    let says_more = at > 0 || reading.head_end.is_some_and(|end| end < reading.words.len());
    reading.is_before_kind(at + 1) && says_more
}

/// Whether a question without a word for models begins at a position, and goes on with what tells them apart.
fn begins(reading: &Reading<'_>, at: usize) -> bool {
    let says_nothing = || reading.words[..at].iter().all(|word| word.used || is_said_anyway(word));
    let goes_on = || !reading.params.is_empty() || reading.is(at + 1, &GOING_ON);
    reading.head_end.is_none() && goes_on() && says_nothing()
}
