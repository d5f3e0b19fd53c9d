//! How many things are wanted: `top 5 cheapest`, `second cheapest`, `3 cheap vision models`. A list has its own length.

use crate::understand::leaning::leans;
use crate::understand::reading::Reading;
use crate::understand::rest::is_said_anyway;
use crate::understand::words::only_digits;

/// Words in front of a number of things: `top 5`.
pub const TOP: [&str; 2] = ["top", "first"];
/// Numbers in words, before a superlative: `three cheapest`.
const COUNTS: [&str; 9] = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
/// Which of an order is wanted, before a superlative: `second cheapest`.
pub const ORDINALS: [&str; 8] = ["second", "2nd", "third", "3rd", "fourth", "4th", "fifth", "5th"];

/// Whether a word says how many are wanted.
pub fn is_count(reading: &Reading<'_>, at: usize) -> bool {
    let word = reading.word(at).unwrap_or_default();
    COUNTS.contains(&word) || (!word.is_empty() && word.len() < 3 && only_digits(word))
}

/// Where the words begin that say how many are wanted, if some do: `top 5 cheapest`, `3 newest`.
pub fn counted_before(reading: &Reading<'_>, at: usize) -> usize {
    if reading.is_behind(at, &ORDINALS) {
        return at - 1;
    }
    let Some(count) = at.checked_sub(1).filter(|before| is_count(reading, *before)) else { return at };
    reading.back(count, &TOP)
}

/// Takes the number of things that a question begins with, where nothing but what was read of them stands behind it: `give me five mcp servers
/// for slack`, but neither `2 factor authentication servers` nor `claude 4 models`.
pub fn take_count(reading: &mut Reading<'_>) {
    let Some(end) = reading.head_end.filter(|_| reading.is_of_several()) else { return };
    let only_asks = |at: &usize| !reading.words[*at].used && is_said_anyway(&reading.words[*at]);
    let Some(count) = (0..end).find(|at| !only_asks(at)).filter(|at| is_count(reading, *at)) else { return };
    let is_of_things = |at: usize| reading.words[at].used || leans(&reading.words[at].folded);
    if (count + 1..end).all(is_of_things) {
        reading.take(count..count + 1);
    }
}
