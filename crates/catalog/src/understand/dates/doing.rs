//! What was done with models at a time, and is no coming out: `benchmarked in 2025`, `that died in 2026`. A period without an event is read as that
//! of the release; once values and names are read, too, it is taken back where words that nobody knows say what happened then.

use crate::understand::leaning::leans;
use crate::understand::reading::Reading;
use crate::understand::rest::{is_measure, is_said_anyway};
use crate::understand::vocabulary::is_part_of_topic;
use refdesk_core::Kind;
use refdesk_search::text::word_array;

/// What is done with a model until it is there, and how it is then.
const COMING_OUT: [&str; 26] = word_array(
    "created developed trained introduced unveiled presented revealed shipped dropped debuted open-sourced started made built published \
     written appeared arrived come dated dating new recent live public usable",
);
/// What a name or a topic stands behind, of which nothing else is known.
const BEFORE_NAME: [&str; 13] = word_array("from by with on at via for about like through the a an");

/// Takes back such a period behind words that say what else happened then. Says that it was not understood.
pub fn take_back(reading: &mut Reading<'_>) {
    let Some(period) = reading.bare_period.take().filter(|_| reading.kind == Kind::Model) else { return };
    let Some(start) = deed_before(reading, period.words.start) else { return };
    reading.params.retain(|param| !period.params.contains(param));
    reading.said.iter_mut().for_each(|said| said.forget_words(&period.words));
    let said = start..period.words.end;
    reading.warn_of_words(said.clone(), "no field has that day; say `released in 2025` for the day of release");
    // Beside filters they are not looked for, either.
    if reading.params.is_empty() {
        reading.words[period.words].iter_mut().for_each(|word| word.used = false);
    } else {
        reading.take(said);
    }
}

/// Where the words begin that say what happened in a period from a position on: `lost support in 2026`. None behind the word for the kind, what
/// was read, and a name or topic.
fn deed_before(reading: &Reading<'_>, period: usize) -> Option<usize> {
    let words = &reading.words[..period];
    let is_known = |at: usize| words[at].used || words[at].ends_clause;
    let last = (0..period).rev().find(|at| is_known(*at) || !is_said_anyway(&words[*at]))?;
    let word = &words[last];
    if is_known(last) || word.is(&COMING_OUT) || is_measure(word) || leans(&word.folded) {
        return None;
    }
    let before = (0..last).rev().find(|at| is_known(*at) || is_said_anyway(&words[*at]))?;
    let is_named = words[before].is(&BEFORE_NAME) || is_part_of_topic(reading, before + 1);
    (!is_named).then_some(before + 1)
}
