//! Questions for a text about something, whatever kind of text that is: `guide to prompt caching`, `is there an example of function calling`.

use super::Head;
use crate::understand::vocabulary::language_said;
use crate::understand::words::{Word, Words};
use refdesk_core::Kind;
use refdesk_search::text::word_array;

/// What a text is called that tells something, before or behind what it is about …
const GUIDES: [&str; 13] = word_array(
    "guide guides article articles explanation explained introduction intro overview reference basics fundamentals \
     concepts",
);
/// … and what asks for one that shows it.
const EXAMPLES: [&str; 3] = ["example", "examples", "learn"];
/// What stands between these and what they are about.
const ABOUT: [&str; 6] = ["to", "on", "for", "about", "of", "how"];
/// Words that may come before them and are not searched for.
const BEFORE: [&str; 17] = [
    "is", "are", "there", "a", "an", "the", "any", "some", "good", "show", "me", "give", "find", "i", "need", "want",
    "to",
];

/// The word for a text that a question begins with. It stands for documents, or for tutorials where it is an example; either may be it.
pub fn guide(words: &[Word<'_>]) -> Option<Head> {
    if let Some(at) = in_language(words) {
        return Some(Head { kind: Kind::Document, at, taken: 1, topical: false });
    }
    let at = words.iter().position(|word| !word.is(&BEFORE))?;
    let kind = text_at(words, at)?;
    let is_about = at + 2 < words.len() && words.is(at + 1, &ABOUT);
    is_about.then_some(Head { kind, at, taken: 1, topical: false })
}

/// The longest phrase that says a language: `in german`.
const LANGUAGE_WORDS: usize = 2;

/// Where the word for a text stands whose language is said behind it: `prompt guide in german`.
fn in_language(words: &[Word<'_>]) -> Option<usize> {
    (0..words.len()).find(|at| {
        let behind = words.get(at + 1..at + 1 + LANGUAGE_WORDS);
        words.is(*at, &GUIDES) && behind.is_some_and(|behind| language_said(behind).is_some())
    })
}

/// Whether all words from a position on say only that somebody wants to read about what stands before them: `mcp explained`.
pub fn only_explains(words: &[Word<'_>], at: usize) -> bool {
    (at..words.len()).all(|at| words.is(at, &GUIDES))
}

/// Where the words end that begin a question about what they are followed by: `introduction to`, `basics of`. An `overview of` things is a list.
pub fn introduced(words: &[Word<'_>]) -> Option<usize> {
    let is_text = words.is(0, &GUIDES) && !words.is(0, &["overview"]);
    (is_text && words.is(1, &["to", "of"])).then_some(2)
}

/// Which kind of text the word at a position stands for before others.
fn text_at(words: &[Word<'_>], at: usize) -> Option<Kind> {
    if words.is(at, &GUIDES) {
        return Some(Kind::Document);
    }
    words.is(at, &EXAMPLES).then_some(Kind::Tutorial)
}

/// The other kind of text that the words of a head may stand for.
pub fn other_text(words: &[Word<'_>], head: Head) -> Option<Kind> {
    match text_at(words, head.at)? {
        Kind::Document => Some(Kind::Tutorial),
        _ => Some(Kind::Document),
    }
}
