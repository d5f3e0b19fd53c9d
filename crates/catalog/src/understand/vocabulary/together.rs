//! How several values of a field hold together: `german or french`, `both stdio and http`, `with or without a login`, `sse only`.

use super::IN_TOPIC;
use crate::understand::reading::Reading;
use crate::understand::words::{ONLY, Words as _};
use refdesk_search::text::word_array;
use std::ops::Range;

/// Where the words begin that say of what is negated at a position that it is as good as its opposite: `with or without`.
pub(super) fn either_way(reading: &Reading<'_>, negation: usize) -> Option<usize> {
    let with = negation.checked_sub(2)?;
    let is_said =
        reading.is(negation, &["without"]) && reading.is(with + 1, &["or", "and"]) && reading.is(with, &["with"]);
    is_said.then(|| reading.back(with, &["both", "either"]))
}

/// Whether `or` joins what stands at a position to something that was read: `in german or french`.
pub(super) fn is_alternative(reading: &Reading<'_>, at: usize) -> bool {
    at > 1 && reading.is(at - 1, &["or"]) && reading.words[at - 2].used
}

/// What says that something may be so or not.
const CAN: [&str; 8] = ["can", "could", "may", "might", "cannot", "can't", "can’t", "couldn't"];

/// Where the words begin that say of a state at a position only that things can be put into it: `reasoning can be turned off`.
pub(super) fn possible(reading: &Reading<'_>, at: usize, params: &[(&str, &str)]) -> Option<usize> {
    let can = at.checked_sub(2).filter(|can| reading.is(can + 1, &["be"]) && reading.is(*can, &CAN))?;
    params.iter().any(|(name, _)| *name == "status").then_some(can)
}

/// Fields of which a thing may have several values.
const OF_SEVERAL: [&str; 3] = ["transport", "install_type", "registry_type"];

/// `both stdio and http`: a filter of such a field wants any of the values that it names. Says so.
pub(super) fn warn_of_both_values(reading: &mut Reading<'_>, at: usize, params: &[(&str, &str)]) {
    let [(name, _)] = params else { return };
    let is_joined = |before: usize| reading.words[before].used || reading.is(before, &IN_TOPIC);
    let both = (0..at).rev().find(|before| !is_joined(*before)).filter(|both| reading.is(*both, &["both"]));
    if OF_SEVERAL.contains(name) && reading.has(name) && both.is_some() {
        reading.warn(format!("`both` is read as either: no filter asks for several values of `{name}`"));
    }
}

/// What may stand between what says that something is so only and how: `only published on npm`.
const BEFORE_VALUE: [&str; 22] = word_array(
    "on via over through with in as a an the available published distributed offered support supports use uses speak speaks accept accepts",
);

/// `sse only`, `servers only on npm`: what has another value of the field, too, is left out. Tells where the words for it begin and end, around
/// those of the value from `at` to `end`.
pub(super) fn leave_out_others(
    reading: &mut Reading<'_>,
    at: usize,
    end: usize,
    params: &[(&'static str, &'static str)],
) -> Option<Range<usize>> {
    let [(name, value)] = params else { return None };
    if !OF_SEVERAL.contains(name) {
        return None;
    }
    // In front of the word for the kind it is all that is asked for: `only remote servers`.
    let before = reading.start_of(at, &BEFORE_VALUE).checked_sub(1);
    let ahead = before.filter(|only| reading.is(*only, &ONLY) && reading.head_end.is_some_and(|end| end <= *only));
    if ahead.is_none() && !reading.is(end, &ONLY) {
        return None;
    }
    let others: Vec<&str> = reading.values(name).filter(|other| other != value).collect();
    reading.filter(name, true, &others);
    Some(ahead.unwrap_or(at)..end + usize::from(reading.is(end, &ONLY)))
}
