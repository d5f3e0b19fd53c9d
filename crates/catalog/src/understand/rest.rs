//! What is left of a question to search for: its words without those that were understood, and without those at either end that say nothing.

use super::reading::{Reading, is_negation};
use super::words::{self, Word};
use refdesk_core::Kind;
use refdesk_search::text::{WordSet, is_stop_word};

/// Words of asking that say nothing of the thing, beside stop words.
static ASKING: WordSet = WordSet::new(
    "list show find give gimme get search available best supports support supporting accept accepts accepting offers one ones currently today \
     capable capabilities capability requires tokens released exist what's what’s whats who's which's",
);

/// Verbs and particles that only hold a question together once a filter or an order of it was understood: `servers that I can install with
/// npm`, `models still supported by Anthropic`.
static FILLING: WordSet = WordSet::new(
    "charge charges charging using use used uses usable install installs installed installing installable still already recently supported requiring required \
     require requires needing having per release releases transport registry run runs running do does doing work works working come comes let lets \
     sold offered trained talk talks talking speak speaks speaking communicate communicates among amongst \
     allow allows allowed published introduced unveiled revealed debuted packaged distributed provide provides make makes made handle handles take takes taking yet anymore both please far own myself ourselves right everything",
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
    is_stop_word(&word.folded) || is_negation(&word.folded) || ASKING.contains(&word.folded.as_str())
}

/// Whether a word at a position that else only asks belongs to the name of a thing: `web search server`, `server for web search`, `tool use`,
/// `tool to count tokens`.
fn names_thing(reading: &Reading<'_>, at: usize) -> bool {
    let is_before_kind = reading.words.get(at + 1).is_some_and(|next| next.used) && reading.head_end > Some(at + 1);
    let is_told = |word: &Word<'_>| !word.used && !word.ends_clause && !is_said_anyway(word);
    let says_which = at.checked_sub(1).is_some_and(|before| is_told(&reading.words[before]));
    let is_purpose = at > 0 && reading.is(at - 1, &["for", "on", "about"]);
    let is_search =
        reading.kind != Kind::Model && reading.is(at, &["search"]) && (is_before_kind || says_which || is_purpose);
    // Models are measured in tokens; what else speaks of them is about them.
    let is_about_tokens = || reading.kind != Kind::Model && reading.is(at, &["tokens"]);
    is_search || says_which && (reading.is(at, &["use"]) || is_about_tokens())
}

/// Whether a word says nothing more once something was understood; signs alone, `+`, never do.
pub fn is_filling(word: &Word<'_>) -> bool {
    FILLING.contains(&word.folded.as_str()) || !word.folded.contains(char::is_alphanumeric)
}

/// Whether a word only names what models are measured by.
pub fn is_measure(word: &Word<'_>) -> bool {
    MEASURES.contains(&word.folded.as_str())
}

/// What is left to search for: the words that were not understood, unless they all say nothing.
pub fn rest_of(reading: &Reading<'_>) -> String {
    let left: Vec<usize> = (0..reading.words.len()).filter(|at| !reading.words[*at].used).collect();
    let is_filtered = !reading.params.is_empty();
    let is_measure = |word: &Word<'_>| reading.kind == Kind::Model && is_measure(word);
    let says_nothing = |at: &usize| {
        let word = &reading.words[*at];
        let is_empty = is_said_anyway(word) || is_filtered && (is_filling(word) || is_measure(word));
        is_empty && !names_thing(reading, *at)
    };
    if left.iter().all(says_nothing) {
        return String::new();
    }
    let first = left.iter().position(|word| !says_nothing(word)).unwrap_or_default();
    let last = left.iter().rposition(|word| !says_nothing(word)).unwrap_or_default();
    words::text(left[first..=last].iter().map(|at| &reading.words[*at]))
}
