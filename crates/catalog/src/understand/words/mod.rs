//! The words of a question, and what is asked of them by their positions. `split` tells where words begin and end, `phrases` looks several up
//! at once.

mod phrases;
mod split;

use std::ops::Range;

pub use phrases::{PhraseRows, Phrases, marked, table};
use refdesk_search::text::{WordSet, is_stop_word, word_array};
pub use split::{around_hyphen, lacked, words};

/// Words that a thing is spoken of with.
pub const DETERMINERS: [&str; 7] = ["a", "an", "the", "my", "our", "your", "their"];

/// What models take and give is counted in these.
pub const TOKENS: [&str; 2] = ["tokens", "token"];
/// What says that something is so and not otherwise as well.
pub const ONLY: [&str; 3] = ["only", "solely", "exclusively"];
/// What is asked for a model.
pub const PRICES: [&str; 5] = ["price", "prices", "pricing", "cost", "costs"];
/// What who sells a model does.
pub const SELLS: [&str; 11] =
    ["charge", "charges", "sell", "sells", "offer", "offers", "host", "hosts", "serve", "serves", "asks"];

/// Participles that end otherwise than most do.
const PARTICIPLES: [&str; 12] = word_array("made built written sold run given held kept taught sent put driven");

/// Whether a folded word may be a participle: `maintained`, `written`.
pub fn is_participle(word: &str) -> bool {
    PARTICIPLES.contains(&word) || word.len() > 4 && word.ends_with("ed") && !word.ends_with("eed")
}

/// A word of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word<'a> {
    /// As it was typed, without punctuation around it.
    pub text: &'a str,
    /// Lower case, without accents.
    pub folded: String,
    /// It was understood and is not searched for.
    pub used: bool,
    /// A comma or semicolon stands behind it.
    pub ends_clause: bool,
}

impl Word<'_> {
    /// Whether it is one of some, understood or not.
    pub fn is(&self, any: &[&str]) -> bool {
        any.contains(&self.folded.as_str())
    }

    /// Whether it is one of a longer list, understood or not.
    pub fn is_in(&self, any: &WordSet) -> bool {
        any.contains(self.folded.as_str())
    }

    /// Whether it goes on with something else than what was named in front of it: it was understood, or binds a sentence together.
    pub fn goes_on(&self) -> bool {
        self.used || is_stop_word(&self.folded)
    }

    /// Whether it says whose something is: `alibaba's`.
    pub fn is_possessive(&self) -> bool {
        self.folded.ends_with("'s") || self.folded.ends_with("’s")
    }
}

/// What is asked of the words of a question by their positions.
pub trait Words {
    /// Whether an unused word at a position is one of some.
    fn is(&self, at: usize, any: &[&str]) -> bool;

    /// Whether the unused words from a position on are those of a phrase.
    fn is_phrase(&self, at: usize, phrase: &[&str]) -> bool {
        phrase.iter().enumerate().all(|(offset, part)| self.is(at + offset, &[part]))
    }

    /// Whether an unused word directly in front of a position is one of some.
    fn is_behind(&self, at: usize, any: &[&str]) -> bool {
        at > 0 && self.is(at - 1, any)
    }

    /// A position, or that behind the word there if it is one of some.
    fn past(&self, at: usize, any: &[&str]) -> usize {
        at + usize::from(self.is(at, any))
    }

    /// A position, or that of the word in front of it if it is one of some.
    fn back(&self, at: usize, any: &[&str]) -> usize {
        at - usize::from(self.is_behind(at, any))
    }

    /// The start of the run of words from `any` that ends right before a position; the position itself without one.
    fn start_of(&self, at: usize, any: &[&str]) -> usize {
        (0..at).rev().take_while(|before| self.is(*before, any)).last().unwrap_or(at)
    }

    /// The end of the run of words from `any` that starts at a position; the position itself without one.
    fn end_of(&self, at: usize, any: &[&str]) -> usize {
        let mut end = at;
        while self.is(end, any) {
            end += 1;
        }
        end
    }
}

impl Words for [Word<'_>] {
    fn is(&self, at: usize, any: &[&str]) -> bool {
        self.get(at).is_some_and(|word| !word.used && word.is(any))
    }
}

/// The folded words with hyphens between, as names have them.
pub fn hyphenated(words: &[Word<'_>]) -> String {
    words.iter().map(|word| word.folded.as_str()).collect::<Vec<_>>().join("-")
}

/// Whether a text looks like a name: it has several words, or a number.
pub fn is_more_than_a_word(text: &str) -> bool {
    text.contains([' ', '-', '.']) || has_digit(text)
}

/// Whether a text has a digit.
pub fn has_digit(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
}

/// Whether a text has nothing but digits, or is empty.
pub fn only_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Marks words as understood.
pub fn take(words: &mut [Word<'_>], range: Range<usize>) {
    words[range].iter_mut().for_each(|word| word.used = true);
}

/// A text without the ending that says whose something is: `gpt-4o` of `gpt-4o's successor`.
pub fn without_possessive(text: &str) -> &str {
    ["'s", "’s"].iter().find_map(|ending| text.strip_suffix(ending)).unwrap_or(text)
}

/// Words as they were typed, with blanks between.
pub fn text<'w, 'a: 'w>(words: impl IntoIterator<Item = &'w Word<'a>>) -> String {
    words.into_iter().map(|word| word.text).collect::<Vec<_>>().join(" ")
}
