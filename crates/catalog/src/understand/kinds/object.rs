//! Things that a question only says something about: who looks for the `versioning of skills` looks for no skill.

use std::ops::Range;

use super::{Head, SEEKING, is_superlative, said_at};
use crate::understand::measures::{Measure, is_amount, is_attribute};
use crate::understand::vocabulary;
use crate::understand::words::{DETERMINERS, Word, Words, has_digit};
use refdesk_core::Kind;
use refdesk_search::text::is_stop_word;

/// Whether a preposition makes the thing that ends a question the object of what was said before: `error handling in mcp servers`,
/// `security of remote mcp servers`. Not where that only asks for the thing or for what it has: `list of models`, `price of vision models`.
pub fn is_of_object(words: &[Word<'_>], at: usize) -> bool {
    let ends_as_kind = |from: usize| {
        let said = said_at(words, from).filter(|(taken, said)| from + taken == words.len() && is_thing(said.kind));
        said.map(|(_, said)| said.kind)
    };
    let is_object = if words[at].folded == "of" {
        (at + 1..words.len()).any(|from| ends_as_kind(from).is_some_and(|kind| are_values(kind, words, at + 1..from)))
    } else {
        ends_as_kind(at + 1).is_some()
    };
    let mut before = words[..at].iter().enumerate().filter(|(_, word)| !is_stop_word(&word.folded)).peekable();
    is_object && before.peek().is_some() && before.all(|(at, _)| is_topic(words, at))
}

/// Whether some words are nothing but a determiner and values of things of a kind: `the open weight`.
fn are_values(kind: Kind, words: &[Word<'_>], range: Range<usize>) -> bool {
    let mut at = range.start + usize::from(words.is(range.start, &DETERMINERS) && !range.is_empty());
    while let Some(taken) = vocabulary::taken_at(kind, words, at).filter(|_| at < range.end) {
        at += taken;
    }
    at == range.end
}

/// Texts are asked for by what they are about, on whichever side of the word for them that stands.
const fn is_thing(kind: Kind) -> bool {
    !matches!(kind, Kind::Document | Kind::Tutorial)
}

/// Whether a word says what the question is about, and nothing that is asked of things.
fn is_topic(words: &[Word<'_>], at: usize) -> bool {
    let word = words[at].folded.as_str();
    !(SEEKING.contains(word)
        || is_superlative(word)
        || is_attribute(word)
        || is_amount(word)
        || has_digit(word)
        || Measure::at(words, at).is_some()
        || said_at(words, at).is_some()
        || Kind::ALL.into_iter().any(|kind| vocabulary::knows(kind, words, at)))
}

/// How many words a value takes of the thing that was named, where it is longer than the word for another kind that begins it.
pub fn value_beyond(words: &[Word<'_>], at: usize, taken: usize, head: Head) -> Option<usize> {
    let is_of_another = said_at(words, at).is_some_and(|(_, said)| said.kind != head.kind);
    vocabulary::taken_at(head.kind, words, at).filter(|value| is_of_another && *value > taken)
}
