//! Sums without a bound, `models $5`: the most that is paid, unless words in front of them that no rule reads may compare, as in
//! `output price tops $50`. Whether they were read is known once the whole question is.

use crate::understand::words::Words as _;
use std::ops::Range;

use super::negated::is_of_verb;
use crate::understand::amounts::clause::Clause;
use crate::understand::amounts::cursor::{Cursor, Quantity};
use crate::understand::params::{self, Param};
use crate::understand::reading::{Provisional, Reading};
use crate::understand::rest::{is_filling, is_measure, is_said_anyway};
use refdesk_search::text::word_array;

/// What a sum is compared with in front of it, whatever is said before that: `steeper than $5`, `comparable to $5`.
const COMPARING: [&str; 2] = ["than", "to"];
/// What begins what is said of things: `models that top $50`.
const OF_THINGS: [&str; 3] = ["that", "which", "who"];
/// Words beside a price that leave a sum the most that is paid: `price cap $5`, `prices as low as $5`.
const NEUTRAL: [&str; 19] = word_array(
    "cap ceiling limit target tier tag point level rate ideally preferably maybe probably only just low little high much",
);
/// How many words in front of a sum may be of it.
const LOOKED_AT: usize = 5;

/// Whether nothing is said of the number of a clause but that it is a sum.
pub fn is_bare_sum(clause: &Clause) -> bool {
    let is_bounded = clause.bounds.is_some() || clause.is_nearly || clause.amount.or_more;
    clause.is_price() && !is_bounded && clause.number.start == clause.words.start
}

/// Notes the parameters that such a sum set, beside those that were known before.
pub fn note(reading: &mut Reading<'_>, words: Range<usize>, known: &[Param]) {
    let params = reading.params.iter().filter(|param| !known.contains(param)).cloned().collect();
    reading.presumed.push(Provisional { words, params });
}

/// Takes back the limits of sums that may be compared in words that no rule read, and warns of them.
pub fn take_back(reading: &mut Reading<'_>) {
    for Provisional { words, params } in std::mem::take(&mut reading.presumed) {
        let Some(start) = comparison_before(reading, words.start) else { continue };
        let said = start..words.end;
        reading.params.retain(|(name, _)| params::value(&params, name).is_none());
        reading.warn_of_words(said.clone(), "say `at most` or `at least` in front of the number");
        // Beside filters, what has none of these words would be hidden.
        if !reading.params.is_empty() {
            reading.take(said);
        }
    }
}

/// Where the words begin that may compare the sum at a position.
fn comparison_before(reading: &Reading<'_>, sum: usize) -> Option<usize> {
    let is_near = |at: &usize| !reading.words[*at].used && !reading.words[*at].ends_clause;
    let first = (sum.saturating_sub(LOOKED_AT)..sum).rev().take_while(is_near).last()?;
    if reading.is(sum - 1, &COMPARING) {
        return Some(first);
    }
    let says_something = |at: usize| {
        let word = &reading.words[at];
        let says_nothing = is_said_anyway(word) || is_filling(word) || is_measure(word) || is_of_verb(reading, at);
        !says_nothing && !word.is(&NEUTRAL)
    };
    // `output price tops $50`
    let is_price = |at: &usize| {
        let mut cursor = Cursor { reading, at: *at };
        cursor.meter().is_some() || cursor.quantity() == Some(Quantity::Price)
    };
    let price = (first..sum).find(is_price).filter(|price| (price + 1..sum).any(says_something));
    // `models topping $50`, `models that top $50`
    let verb = (sum - 1..sum).find(|verb| says_something(*verb));
    let is_of_things =
        |verb: &usize| reading.head_end == Some(*verb) || *verb > first && reading.is(verb - 1, &OF_THINGS);
    price.or_else(|| verb.filter(is_of_things))
}
