//! What `or` joins that no filter says. Values of one field are alternatives; those of different fields hold together: `by openai or under $1`.

use std::ops::Range;

use super::reading::Reading;
use super::rest::{is_filling, is_said_anyway};
use super::words::{self, Word};

/// Fields of which a filter wants all values that it names.
const ALL_OF: [&str; 3] = ["capability", "input_modalities", "output_modalities"];
/// What a field of yes or no is set to by who names both.
const YES_OR_NO: [&str; 2] = ["true,false", "false,true"];

/// Takes back filters of which both halves were named, `open or closed models`, and warns where `or` joins filters that hold together.
pub fn weigh(reading: &mut Reading<'_>) {
    let filters = reading.params.len();
    reading.params.retain(|(_, values)| !YES_OR_NO.contains(&values.as_str()));
    reading.is_taken_back |= reading.params.len() < filters;
    let Some(said) = reading.said.take() else { return };
    let says_nothing = |word: &Word<'_>| word.used || is_said_anyway(word) || is_filling(word);
    for at in 0..reading.words.len() {
        let Some((before, behind)) = said.around(at).filter(|_| reading.is(at, &["or"])) else { continue };
        let mut between = before.words.end..behind.words.start;
        let hold_together = behind.fields.iter().all(|field| !before.fields.contains(field))
            || behind.fields.iter().any(|field| before.fields.contains(field) && ALL_OF.contains(&field.as_str()));
        if hold_together && between.all(|at| says_nothing(&reading.words[at])) {
            warn_of_both(reading, at + 1..behind.words.end);
        }
    }
}

/// Warns that what `or` joins, in some words, is asked for together.
pub fn warn_of_both(reading: &mut Reading<'_>, joined: Range<usize>) {
    let joined = words::text(&reading.words[joined]);
    reading.warn(format!("`or {joined}` is read as `and`: no filter asks for either"));
}
