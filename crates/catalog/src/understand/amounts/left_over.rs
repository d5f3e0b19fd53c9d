//! Numbers that look like limits and were read as none: `more than 20 tools`, `-3 dollars`, `8192 dimensions`.

use std::ops::Range;

use super::clause::{Front, HAVING};
use super::cursor::Cursor;
use super::number::is_numeric;
use crate::understand::params::Param;
use crate::understand::reading::Reading;
use crate::understand::words::{self, TOKENS, Word, Words as _};
use refdesk_search::text::is_stop_word;

/// Words of the longest comparison.
const COMPARISON_WORDS_MAX: usize = 6;

/// A number that was not understood.
#[derive(Debug)]
struct Unread {
    /// The words of it, with the comparison in front and the word behind.
    text: String,
    /// The number itself.
    number: String,
    /// It is of money or of tokens: a limit that was understood beside it may be of the same.
    is_limit: bool,
}

/// Warns of numbers that look like limits and were not understood. True where one may change the meaning of a limit that was, as in
/// `under $1 foo $4`: then no part of the question is used as a filter.
pub fn is_doubtful(reading: &mut Reading<'_>) -> bool {
    let unread: Vec<Unread> = (0..reading.words.len()).filter_map(|at| unread_at(reading, at)).collect();
    let is_bound = |(name, _): &Param| name.starts_with("price_") || name.contains("_tokens__");
    let is_doubtful = unread.iter().any(|unread| unread.is_limit) && reading.params.iter().any(is_bound);
    let consequence = if is_doubtful { "no part of the question is used as a filter" } else { "it is not a filter" };
    for unread in unread {
        let is_told = |words: &String| format!(" {words} ").contains(&format!(" {} ", unread.number));
        if is_doubtful || !reading.not_understood.iter().any(is_told) {
            reading.warn_of(unread.text, consequence);
        }
    }
    is_doubtful
}

/// What the size of a model is counted in.
const PARAMETERS: [&str; 4] = ["parameters", "parameter", "params", "param"];

/// Warns of limits of a number of parameters, which no field states. Beside filters they are not searched for either: hardly a name has
/// them as they were typed, and what has none of their words would be hidden.
pub fn leave_out_sizes(reading: &mut Reading<'_>) {
    for at in 0..reading.words.len() {
        let Some(size) = size_at(reading, at) else { continue };
        reading.warn_of_words(size.clone(), "no field says how many parameters a model has");
        if !reading.params.is_empty() {
            reading.take(size);
        }
    }
}

/// The words of a limit of parameters whose number stands at a position: `under 10B parameters`, `70b or more`. A number without a bound
/// is a word of names: `70b models`.
fn size_at(reading: &Reading<'_>, at: usize) -> Option<Range<usize>> {
    let number = reading.word(at)?.strip_suffix('b')?;
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return None;
    }
    if reading.is(at + 1, &TOKENS) {
        return None;
    }
    let end = reading.end_of(at + 1, &PARAMETERS);
    // `8b max` may be a name.
    let may_be_bounded = end > at + 1 || reading.is(end, &["or", "and"]);
    let mut cursor = Cursor { reading, at: end };
    let is_bounded_behind = may_be_bounded && cursor.bounds_behind().is_some();
    let end = reading.end_of(cursor.at, &PARAMETERS);
    let comparison = comparison_before(reading, at);
    (is_bounded_behind || comparison.is_some()).then(|| comparison.unwrap_or(at)..end)
}

/// Where the comparison begins that ends in front of a position.
fn comparison_before(reading: &Reading<'_>, at: usize) -> Option<usize> {
    (at.saturating_sub(COMPARISON_WORDS_MAX)..at).find(|from| {
        let mut cursor = Cursor { reading, at: *from };
        (cursor.bounds().is_some() || Front::compared(&mut cursor).is_some()) && cursor.at == at
    })
}

fn unread_at(reading: &Reading<'_>, at: usize) -> Option<Unread> {
    let word = reading.words.get(at).filter(|word| !word.used && is_numeric(&word.folded))?;
    let mut cursor = Cursor { reading, at };
    let amount = cursor.amount();
    let end = if amount.is_some() { cursor.at } else { at + 1 };
    let comparison = comparison_before(reading, at);
    let is_money = word.folded.contains(['$', '€', '£', '¥']) || amount.is_some_and(|amount| amount.currency.is_some());
    let is_of_tokens = amount.is_some_and(|amount| amount.is_rounded) || reading.is(end, &TOKENS);
    let is_compared = comparison.is_some() || Cursor { reading, at: end }.bounds_behind().is_some();
    // A single digit counts or versions; `with 8192 dimensions` measures.
    let is_had = reading.is_behind(at, &HAVING) && word.folded.len() > 1;
    // `128,000 or 200,000 context`
    let is_number = |next: &Word<'_>| next.used && is_numeric(&next.folded);
    let is_joined = reading.is(end, &["or"]) && reading.words.get(end + 1).is_some_and(is_number);
    if !(is_money || is_of_tokens || is_compared || is_had || is_joined || word.folded.starts_with('-')) {
        return None;
    }
    let is_noun =
        |word: &&Word<'_>| !word.used && word.folded.chars().all(char::is_alphabetic) && !is_stop_word(&word.folded);
    let last = end + usize::from(reading.words.get(end).as_ref().is_some_and(is_noun));
    let text = words::text(&reading.words[comparison.unwrap_or(at)..last]);
    let number = words::text(&reading.words[at..end]);
    Some(Unread { text, number, is_limit: is_money || is_of_tokens || is_joined })
}
