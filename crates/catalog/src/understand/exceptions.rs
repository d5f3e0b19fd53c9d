//! Exceptions that no filter says, `other than postgres`: what they name is not wanted, and searching for it would find just that.

use super::leaning::leans;
use super::reading::{BETWEEN, OTHER, Reading, VERB_NEGATIONS};
use super::words;
use refdesk_search::text::is_stop_word;

/// Words that leave out whatever follows …
const LEAVING_OUT: [&str; 7] = ["without", "lack", "lacks", "lacking", "except", "excluding", "exclude"];
/// … and verbs behind the others, which negate what things have: `do not support`. Not in `non profit`.
const VERBS_OF_HAVING: [&str; 10] =
    ["support", "supporting", "have", "having", "need", "needing", "require", "requiring", "offer", "accept"];
/// Those of them that say it of all that is asked for, whatever else is: `except` names what is not wanted, `without` may name how.
const EXCEPTING: [&str; 3] = ["except", "excluding", "exclude"];

/// Takes negations that were not understood out of the words to search for, each with what it negates: that is not wanted. Says so. Only
/// those that say what is not wanted, `other than postgres`, where others may say how: `without an account`.
pub fn leave_out(reading: &mut Reading<'_>, only_exceptions: bool) {
    for at in 0..reading.words.len() {
        let Some((object, is_exception)) = negated_at(reading, at) else { continue };
        let is_of_object = |at: &usize| {
            let word = &reading.words[*at];
            !word.used && !is_stop_word(&word.folded)
        };
        let end = (object..reading.words.len()).take_while(is_of_object).last().map_or(object, |last| last + 1);
        if end > object && (is_exception || !only_exceptions) {
            let start = at - usize::from(at > 0 && reading.is(at - 1, &["do", "does", "can", "did", "are", "is"]));
            let start = start - usize::from(start > 0 && reading.is(start - 1, &["that", "which"]));
            let shown = words::text(&reading.words[start..end]);
            reading.warnings.push(format!("`{shown}` was not understood: its words are not searched for"));
            reading.take(start..end);
        }
    }
}

/// Where what a negation at a position negates begins, and whether it says what is not wanted.
fn negated_at(reading: &Reading<'_>, at: usize) -> Option<(usize, bool)> {
    let is_pair = reading.is(at, &OTHER) && reading.is(at + 1, &["than"]);
    // `that are not opus`, `not about kubernetes`; what is `not working`, `not supported` or `not expensive` is wanted all the same.
    let is_linked = at > 0 && reading.is(at - 1, &["are", "is"]) || reading.is(at + 1, &BETWEEN);
    let is_bare = |at: usize| reading.negates(at) || reading.is(at, &BETWEEN);
    let object = (at + 1 + usize::from(is_pair)..reading.words.len()).find(|next| !is_bare(*next))?;
    let word = reading.words[object].folded.as_str();
    let is_state = leans(word) || ["ing", "ed", "able"].iter().any(|ending| word.ends_with(ending));
    let is_exception = is_pair
        || reading.is(at, &EXCEPTING)
        || reading.is(at, &VERB_NEGATIONS) && is_linked && !is_state && !reading.is(at + 1, &VERBS_OF_HAVING);
    let is_lack = reading.is(at, &LEAVING_OUT) || reading.negates(at) && reading.is(at + 1, &VERBS_OF_HAVING);
    (is_exception || is_lack).then_some((object, is_exception))
}
