//! Negations in front of a limit: `not under $5`, `nothing over $5`, `I can't pay more than $2`, `models that won't run me over $1`.

use crate::understand::amounts::clause::{Clause, TAKING, WRITING};
use crate::understand::amounts::cursor::EXACT;
use crate::understand::reading::{Reading, negates_being};
use crate::understand::rest::is_measure;
use crate::understand::vocabulary;
use crate::understand::words::Words as _;
use refdesk_core::field::Side;
use refdesk_search::text::word_array;

/// What is not needed may be there all the same.
const NEEDING: [&str; 6] = ["need", "needs", "needing", "require", "requires", "requiring"];
/// Words that negate the clause behind them, beside the negations: `nothing over $5`.
const NOTHING: [&str; 2] = ["nothing", "none"];
/// Most words from a negation of a verb to the limit that the verb is of: `don't want it to cost me any more than`.
const VERB_WORDS_MAX: usize = 9;
/// Who will not do something negates it.
const REFUSING: [&str; 5] = ["refuse", "refuses", "refusing", "unwilling", "unable"];
/// What a verb stands behind where `not` negates it: `do not pay`.
const AUXILIARIES: [&str; 10] = word_array("do does did can could will would should must may");
/// What is done up to a limit, and in what frame of mind.
const VERBS: [&str; 69] = word_array(
    "pay pays paying spend spends spending afford go goes going run runs running cost costs costing charge charges charging bill bills \
     budget invest burn lay shell fork hold holds work works working deal deals cope copes remember keep keeps get gets use uses set \
     want wants wanting like prefer willing able ready looking planning hoping trying try let lets see exceed exceeds rise rises climb \
     do does been consume",
);
/// What such a verb is said of and with.
const AROUND_VERBS: [&str; 32] = word_array(
    "i we you they it us me them my our your their its this to up out on in at money much anything one higher further \
     something somebody someone what even ever",
);
/// Verbs of what comes down to a limit: behind another verb, `under $2` says what the thing costs.
const FALLING: [&str; 10] = word_array("go goes going fall falls drop drops dip dips sink");
/// Words that something else begins with than what a negated verb is of.
const SEPARATING: [&str; 5] = ["and", "but", "with", "without", "whose"];

/// How many words in front of a clause negate it: `not under $5`, `without prices over $1`. Nothing where they leave open what is wanted:
/// `not around $5`, `do not need 1M context`.
pub(super) fn negated_by(reading: &mut Reading<'_>, clause: &Clause) -> Option<usize> {
    let start = clause.words.start;
    let is_nothing = reading.is_behind(start, &NOTHING);
    // What lacks a window of some size has a smaller one; of a price nobody says so.
    let turns = clause.bounds.is_some() || !clause.is_nearly && !clause.is_price();
    let negation = match reading.negation_before(start).max(usize::from(is_nothing)) {
        0 if turns => by_verb(reading, clause)?,
        said => said,
    };
    // `no price exactly $5`
    if negation == 0 || clause.bounds == Some(EXACT) {
        return Some(0);
    }
    let is_waived = (start - negation..start).any(|at| reading.is(at, &NEEDING));
    (turns && !is_waived).then_some(negation)
}

/// How many words in front of a clause negate the verb that it is of: `can't pay`, `don't want it to cost`. Nothing where that verb is not known:
/// a warning says that the limit was not understood, because a wrong guess would be its opposite.
fn by_verb(reading: &mut Reading<'_>, clause: &Clause) -> Option<usize> {
    let start = clause.words.start;
    let is_most = clause.bounds.is_some_and(|bounds| bounds.iter().any(|(side, _)| *side == Side::Most));
    if is_most && !reading.is_behind(start, &FALLING) {
        return Some(0);
    }
    let Some(negation) = negation_of_verb(reading, start) else { return Some(0) };
    if (negation + 1..start).all(|at| is_of_verb(reading, at)) {
        return Some(start - negation);
    }
    let is_done = reading.is_behind(start, &VERBS);
    if clause.bounds.is_none() || !is_done && !is_surely_of_verb(reading, negation) {
        return Some(0);
    }
    reading.warn_of_words(negation..clause.words.end, "say `at most` or `at least` in front of the number");
    reading.take(clause.words.clone());
    None
}

/// The negation of a verb in front of a position, with nothing between that something else begins with.
fn negation_of_verb(reading: &Reading<'_>, start: usize) -> Option<usize> {
    let is_verb = |at: usize| reading.is(at, &VERBS) || reading.is(at, &TAKING) || reading.is(at, &WRITING);
    for at in (start.saturating_sub(VERB_WORDS_MAX)..start).rev() {
        if reading.words[at].ends_clause {
            return None;
        }
        if reading.denies(at) || reading.is(at, &REFUSING) {
            return Some(at);
        }
        // `can't work with more than 32k`
        let is_behind_verb = at > 0 && is_verb(at - 1);
        let is_value = !is_verb(at) && vocabulary::knows(reading.kind, &reading.words, at);
        if is_value || reading.is(at, &SEPARATING) && !is_behind_verb {
            return None;
        }
    }
    None
}

/// Whether a word is a verb that is done up to a limit, or is said around one.
pub(super) fn is_of_verb(reading: &Reading<'_>, at: usize) -> bool {
    let is = |any: &[&str]| reading.is(at, any);
    is(&VERBS) || is(&TAKING) || is(&WRITING) || is(&AROUND_VERBS) || is(&["with"]) || reading.is_between(at) || {
        let word = &reading.words[at];
        !word.used && is_measure(word)
    }
}

/// Whether a negation is one of a verb and of nothing else: `can't`, `do not`, `not paying`, and not `not openai`.
fn is_surely_of_verb(reading: &Reading<'_>, at: usize) -> bool {
    let is_auxiliary = reading.is_behind(at, &AUXILIARIES);
    let is_participle = || reading.word(at + 1).is_some_and(|next| next.ends_with("ing"));
    // `not openai`, `aren't openai`
    let is_of_anything = reading.word(at).is_some_and(|word| word == "not" || negates_being(word));
    !is_of_anything || is_auxiliary || is_participle() || reading.is(at + 2, &["to"])
}
