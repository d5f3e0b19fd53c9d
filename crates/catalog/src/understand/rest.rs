//! What is left of a question to search for: its words without those that were understood, and without those at either end that say nothing.

use super::reading::{Reading, VERBS, is_negation};
use super::words::{self, DETERMINERS, Word, Words, is_participle};
use refdesk_core::Kind;
use refdesk_search::text::{WordSet, is_stop_word, word_array};

/// Words of asking that say nothing of the thing, beside stop words.
static ASKING: WordSet = WordSet::new(
    "list show find give gimme get search available best supports support supporting accept accepts accepting offers one ones currently today \
     capable capabilities capability requires tokens released exist whats im ive",
);
/// Who is spoken of, or asked, …
const SPOKEN_OF: [&str; 19] =
    word_array("i you he she it we they that this there here who what which where how one somebody someone");
/// … and what follows in short: `I'm`, `what’s`.
const IN_SHORT: [&str; 6] = ["m", "re", "ve", "d", "ll", "s"];

/// Particles that only hold a question together, as verbs do, once a filter or an order of it was understood: `models still supported by
/// Anthropic`.
static PARTICLES: WordSet = WordSet::new(
    "usable installable still already recently per release releases transport registry among amongst yet anymore both please far own \
     myself ourselves yourself right everything",
);

/// Names of what models are measured by: without a number and an order they say nothing of the thing.
static MEASURES: WordSet = WordSet::new(
    "price prices priced pricing cost costs budget family families half context window input output license licence licensed date sorted ordered ranked",
);

/// The words that were left over beside an order and say something.
pub fn content_words(rest: &str) -> impl Iterator<Item = &str> {
    words::words(rest).into_iter().filter(|word| !is_said_anyway(word) && !is_filling(word)).map(|word| word.text)
}

/// Whether a word says nothing of the thing. What a negation turned that was not understood is no text to look for.
pub fn is_said_anyway(word: &Word<'_>) -> bool {
    let folded = word.folded.as_str();
    is_stop_word(folded) || is_negation(folded) || ASKING.contains(folded) || is_said_in_short(folded)
}

/// Whether a word contracts who asks, or what is asked for, with a verb: `I'm`, `we’d`.
pub fn is_said_in_short(folded: &str) -> bool {
    let parts = folded.split_once(['\'', '’']);
    parts.is_some_and(|(who, verb)| SPOKEN_OF.contains(&who) && IN_SHORT.contains(&verb))
}

/// What one does who looks for something …
const LOOKING: [&str; 5] = ["looking", "searching", "hunting", "shopping", "seeking"];
/// … or at something …
const SEEING: [&str; 6] = ["see", "browse", "view", "explore", "check", "compare"];
/// … and who that is.
const ASKERS: [&str; 3] = ["i", "we", "im"];
/// The same, and what `encrypt` stands behind as well.
const LET_US: [&str; 3] = ["let's", "let’s", "lets"];

/// Whether a verb at a position says only that somebody asks for the thing behind it: `I am searching for mcp servers`, `let's see models`,
/// but not `I want to see logs mcp server`.
fn only_seeks(reading: &Reading<'_>, at: usize) -> bool {
    let says_nothing = |word: &Word<'_>| is_understood(word) || word.is(&LET_US);
    let is_asker = |word: &Word<'_>| word.is(&ASKERS) || word.is(&LET_US) || is_said_in_short(&word.folded);
    let before = &reading.words[..at];
    let is_asked = before.iter().any(is_asker) && before.iter().all(says_nothing);
    let head = || reading.head_end.unwrap_or(reading.words.len());
    let sees = || reading.is(at, &SEEING) && reading.words[at + 1..head().max(at + 1)].iter().all(says_nothing);
    is_asked && (reading.is(at, &LOOKING) || sees())
}

/// Whether a verb at a position says only what one may do with the thing in front of it: `a model we can host`, but not `that I can ask
/// questions`.
fn is_said_of_user(reading: &Reading<'_>, at: usize) -> bool {
    let can = at.checked_sub(2).filter(|who| reading.head_end.is_some_and(|end| end <= *who));
    let is_done = can.is_some_and(|who| {
        reading.is(who, &["i", "we", "you", "one", "people"]) && reading.is(who + 1, &["can", "could", "may"])
    });
    is_done && reading.ends_at(at + 1, says_no_more)
}

/// What stands between the word for a kind and a participle …
const BEING: [&str; 11] = word_array("that which are is were was have has been be being");
/// … and between that and what was read.
pub const BEFORE_READ: [&str; 8] = ["on", "in", "at", "via", "with", "by", "from", "as"];

/// Whether a participle at a position, directly behind the word for the kind, belongs to what was read behind it: `skills authored by
/// anthropic`, `servers shipped as docker containers`.
fn is_of_what_follows(reading: &Reading<'_>, at: usize) -> bool {
    let begins = reading.head_end.is_some_and(|end| reading.end_of(end, &BEING) == at);
    if !begins || reading.words[at].ends_clause || !is_participle(&reading.words[at].folded) {
        return false;
    }
    let behind = reading.end_of(at + 1, &BEFORE_READ);
    let behind = behind + usize::from(behind > at + 1 && reading.words.is(behind, &DETERMINERS));
    reading.words.get(behind).is_some_and(|next| next.used)
}

/// Whether a word at a position that else only asks belongs to the name of a thing: `web search server`, `server for web search`, `tool use`,
/// `tool to count tokens`.
fn names_thing(reading: &Reading<'_>, at: usize) -> bool {
    let is_told = |word: &Word<'_>| !word.used && !word.ends_clause && !is_said_anyway(word);
    let says_which = at.checked_sub(1).is_some_and(|before| is_told(&reading.words[before]));
    let is_property = reading.is_behind(at, &["with"]);
    let is_purpose = reading.is_behind(at, &["for", "on", "about"]);
    let is_search = reading.is(at, &["search"])
        && (is_property || reading.kind != Kind::Model && (reading.is_before_kind(at + 1) || says_which || is_purpose));
    // Models are measured in tokens; what else speaks of them is about them.
    let is_about_tokens = || reading.kind != Kind::Model && reading.is(at, &["tokens"]);
    is_search || says_which && (reading.is(at, &["use"]) || is_about_tokens())
}

/// Whether a word says nothing more once something was understood; signs alone, `+`, never do.
pub fn is_filling(word: &Word<'_>) -> bool {
    let folded = word.folded.as_str();
    VERBS.contains(folded) || PARTICLES.contains(folded) || !word.folded.contains(char::is_alphanumeric)
}

/// Whether a word was understood, or says nothing more once something was.
pub fn says_no_more(word: &Word<'_>) -> bool {
    is_understood(word) || is_filling(word)
}

/// Whether a word was understood, or says nothing of the thing.
pub fn is_understood(word: &Word<'_>) -> bool {
    word.used || is_said_anyway(word)
}

/// Whether a word only names what models are measured by.
pub fn is_measure(word: &Word<'_>) -> bool {
    word.is_in(&MEASURES)
}

/// What is left to search for: the words that were not understood, unless they all say nothing.
pub fn rest_of(reading: &Reading<'_>) -> String {
    let left: Vec<usize> = (0..reading.words.len()).filter(|at| !reading.words[*at].used).collect();
    let is_filtered = !reading.params.is_empty();
    let is_measure = |word: &Word<'_>| reading.kind == Kind::Model && is_measure(word);
    let says_nothing = |at: &usize| {
        let word = &reading.words[*at];
        let holds_together = || {
            is_filling(word) || is_measure(word) || is_said_of_user(reading, *at) || is_of_what_follows(reading, *at)
        };
        let is_empty = is_said_anyway(word) || is_filtered && holds_together();
        let seeks = only_seeks(reading, *at) || reading.is(*at, &LET_US) && only_seeks(reading, at + 1);
        is_empty && !names_thing(reading, *at) || seeks
    };
    if left.iter().all(says_nothing) {
        return String::new();
    }
    let first = left.iter().position(|word| !says_nothing(word)).unwrap_or_default();
    let last = left.iter().rposition(|word| !says_nothing(word)).unwrap_or_default();
    words::text(left[first..=last].iter().map(|at| &reading.words[*at]))
}
