//! Words for a kind that ask for no thing of it: a question only says something about such things, as who looks for the `versioning of skills`
//! looks for no skill; it tells what is wrong with one, `mcp server not found`, `tools are not showing up`, `mcp error -32602`, and looks for what
//! explains that; or they name the kind only where a question begins, or is asked for such things, `documents in german`, but not
//! `sign documents`.

use std::ops::Range;

use super::{Head, OWN, SEEKING, is_superlative, said_at};
use crate::understand::measures::{Measure, is_amount, is_attribute};
use crate::understand::reading::negates_verb;
use crate::understand::vocabulary;
use crate::understand::words::{DETERMINERS, Word, Words, has_digit, is_participle};
use refdesk_core::Kind;
use refdesk_search::text::{is_stop_word, word_array};

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

/// What asks which things are so, and reports of none.
const ASKING_WHICH: [&str; 5] = ["which", "what", "list", "show", "find"];
/// What stands between a thing and what it does not do.
const AUXILIARIES: [&str; 7] = ["is", "are", "was", "were", "do", "does", "did"];
/// What a thing should do and does not …
const WORKING: [&str; 26] = word_array(
    "found work works working respond responding recognized recognised show showing shown load loading start starting \
     connect connecting appear appearing detected invoked executed visible reachable exist existing",
);
/// … and what it does in place of that.
const FAILING: [&str; 10] =
    ["fails", "failed", "failing", "crashes", "crashed", "crashing", "hangs", "disconnects", "disconnected", "exits"];
/// What it ends with, if nothing follows that it is a part of: an `mcp error` is one, `mcp error handling` is a topic …
const ERRORS: [&str; 5] = ["error", "errors", "exception", "timeout", "timeouts"];
/// … as these do not.
const BEHIND_ERROR: [&str; 12] =
    ["code", "message", "when", "while", "after", "with", "on", "in", "from", "because", "but", "and"];

/// Whether what stands behind the words for a kind tells what is wrong with it.
pub fn is_in_trouble(words: &[Word<'_>], end: usize) -> bool {
    if words.is(0, &ASKING_WHICH) {
        return false;
    }
    let verb = words.past(end, &AUXILIARIES);
    let is_called = || words.is(verb + 1, &["called"]) && words.is(verb + 2, &["by"]);
    let is_idle = words.get(verb).is_some_and(|verb| !verb.used && negates_verb(&verb.folded))
        && (words.is(verb + 1, &WORKING) || is_called());
    let is_number = |word: &Word<'_>| word.folded.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit());
    let ends = |next: Option<&Word<'_>>| next.is_none_or(|next| is_number(next) || next.is(&BEHIND_ERROR));
    let is_error = words.is(end, &ERRORS) && (words[end].ends_clause || ends(words.get(end + 1)));
    is_idle || words.is(verb, &FAILING) || is_error
}

/// Whether the words in front of a thing, the last of them first, say that one's own is not found: `does not see my`.
pub fn is_missed<'w>(mut before: impl Iterator<Item = &'w str>) -> bool {
    before.next().is_some_and(|word| OWN.contains(&word)) && before.nth(1).is_some_and(negates_verb)
}

/// Words before a kind where the question begins all the same. Verbs are none: `search documents` asks for what does it.
const LEADING: [&str; 3] = ["which", "all", "the"];
/// Verbs of asking that are also what a thing does with texts, and words for whom it does that.
const DOING: [&str; 8] = ["search", "searching", "ask", "asking", "compare", "for", "to", "with"];

/// Whether words like `documents` name a kind from `at` to `end`: only what may lead stands before them, or what asks for a thing, and a filter of
/// these texts behind them: `give me documents in german`. `search documents` asks for what does it.
pub fn is_led(words: &[Word<'_>], at: usize, end: usize, kind: Kind) -> bool {
    let asks = |word: &Word<'_>| (word.is_in(&SEEKING) || is_stop_word(&word.folded)) && !word.is(&DOING);
    // `documents that are written in german`
    let links = |word: &Word<'_>| word.is(&["that", "which", "are", "available"]) || is_participle(&word.folded);
    let filter = end + words[end..].iter().take_while(|word| links(word)).count();
    (0..at).all(|before| may_lead(words, before, kind))
        || vocabulary::knows(kind, words, filter)
            && (0..at).all(|before| may_lead(words, before, kind) || asks(&words[before]))
}

/// Whether a word may come before one like `documents`, which names a kind only at the start of a question: `all documents`,
/// `japanese documents`, `newest documents`.
fn may_lead(words: &[Word<'_>], at: usize, kind: Kind) -> bool {
    words.is(at, &LEADING) || is_superlative(&words[at].folded) || vocabulary::knows(kind, words, at)
}
