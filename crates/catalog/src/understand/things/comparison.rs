//! Questions about named things side by side: `compare A and B`, `A vs B`, `difference between A and B`, `is A better than B`.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::about::is_attribute;
use crate::understand::words::{self, Word, is_phrase};
use refdesk_search::text::is_stop_word;

/// Most things that are compared.
const COMPARED_MAX: usize = 4;
/// Words that stand between two things.
const VERSUS: [&str; 4] = ["vs", "versus", "vs.", "compared"];
/// Phrases before two things with `and`, `with`, `or`, `to` between them.
const COMPARE: [&[&str]; 9] = [
    &["what", "is", "the", "difference", "between"],
    &["what's", "the", "difference", "between"],
    &["the", "difference", "between"],
    &["difference", "between"],
    &["differences", "between"],
    &["comparison", "between"],
    &["comparison", "of"],
    &["comparing"],
    &["compare"],
];
/// Words of asking in front of these.
const ASKING: [&str; 18] = [
    "whats", "what's", "what’s", "show", "tell", "give", "explain", "please", "price", "prices", "pricing", "cost",
    "context", "main", "key", "biggest", "exact", "quick",
];
/// Words between things that are weighed against each other, if they are nothing but names.
const WEIGHED: [&str; 4] = ["or", "over", "than", "instead"];
/// What else such a question has.
static WEIGHING: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    words::set(
        "has have bigger longer costs less more smarter which what is are one better best cheaper faster newer larger smaller good should i \
         we use choose pick take prefer why when to with the a it of value worth cheap expensive money",
    )
});
/// Longer names are none.
const NAME_WORDS_MAX: usize = 4;

/// The things that are compared, as they were typed: names, with whatever else stands among these left out. Nothing when the question is no
/// comparison of named things.
pub fn things(words: &[Word<'_>], is_name: impl Fn(&str) -> bool) -> Vec<String> {
    let introduced = introduced(words);
    let is_between = |word: &Word<'_>| {
        let word = word.folded.as_str();
        VERSUS.contains(&word)
            || (introduced.is_some() && matches!(word, "and" | "with" | "to" | "or" | "against" | "&"))
    };
    let parts = words[introduced.unwrap_or_default()..].split(is_between);
    if introduced.is_none() && parts.clone().count() < 2 {
        return Vec::new();
    }
    // `compare A, B and C`
    let listed = parts.flat_map(|part| part.split_inclusive(|word| word.ends_clause));
    let mut names: Vec<String> = Vec::new();
    for part in listed {
        let said = name(trimmed(part), names.last().map(String::as_str), &is_name);
        names.extend(said);
    }
    several(names.into_iter())
}

/// A name of which only the end is said behind another: `nano` in `gpt-5 mini vs nano`.
fn completed(before: &str, said: &str) -> Option<String> {
    let words: Vec<&str> = before.split(' ').collect();
    let shared = words.len().checked_sub(said.split(' ').count()).filter(|shared| *shared > 0)?;
    Some(format!("{} {said}", words[..shared].join(" ")))
}

/// Where the phrase ends that introduces a comparison, whatever it is of: `what's the price difference between`.
fn introduced(words: &[Word<'_>]) -> Option<usize> {
    let is_asking = |word: &Word<'_>| is_stop_word(&word.folded) || ASKING.contains(&word.folded.as_str());
    let begin = words.iter().position(|word| !is_asking(word)).unwrap_or_default();
    let at =
        |begin: usize| COMPARE.iter().find(|phrase| is_phrase(words, begin, phrase)).map(|phrase| begin + phrase.len());
    at(0).or_else(|| at(begin))
}

/// The longest name that some words begin with, if the sentence ends or goes on behind it; behind another name the end of it may be meant.
fn name(words: &[Word<'_>], before: Option<&str>, is_name: impl Fn(&str) -> bool) -> Option<String> {
    let goes_on = |next: &Word<'_>| is_stop_word(&next.folded) || is_attribute(&next.folded);
    let ends = (1..=words.len()).rev().filter(|end| words.get(*end).is_none_or(goes_on));
    ends.map(|end| words::text(&words[..end])).find_map(|said| {
        let whole = before.and_then(|before| completed(before, &said));
        whole.into_iter().chain([said]).find(|name| is_name(name))
    })
}

/// Some words without those at either end that only weigh.
fn trimmed<'w, 'a>(words: &'w [Word<'a>]) -> &'w [Word<'a>] {
    let is_weighing = |word: &Word<'_>| WEIGHING.contains(word.folded.as_str()) || is_attribute(&word.folded);
    let first = words.iter().position(|word| !is_weighing(word)).unwrap_or(words.len());
    let end = words.iter().rposition(|word| !is_weighing(word)).map_or(first, |last| last + 1);
    &words[first..end]
}

/// The things that are weighed against each other: `is A better than B`, `A or B`. Nothing unless all are names.
pub fn weighed(words: &[Word<'_>], is_name: impl Fn(&str) -> bool) -> Vec<String> {
    let is_between = |word: &Word<'_>| WEIGHED.contains(&word.folded.as_str());
    if !words.iter().any(is_between) {
        return Vec::new();
    }
    let parts: Vec<&[Word<'_>]> =
        words.split(is_between).map(before_purpose).map(trimmed).filter(|part| !part.is_empty()).collect();
    if parts.iter().any(|part| part.len() > NAME_WORDS_MAX) {
        return Vec::new();
    }
    let things = several(parts.into_iter().map(words::text));
    if things.iter().all(|thing| is_name(thing)) { things } else { Vec::new() }
}

/// Some words without what the things are weighed for: `puppeteer for my agent`.
fn before_purpose<'w, 'a>(words: &'w [Word<'a>]) -> &'w [Word<'a>] {
    let end = words.iter().skip(1).position(|word| word.folded == "for").map_or(words.len(), |at| at + 1);
    &words[..end]
}

/// Two things or more.
fn several(things: impl Iterator<Item = String>) -> Vec<String> {
    let things: Vec<String> = things.collect();
    if (2..=COMPARED_MAX).contains(&things.len()) { things } else { Vec::new() }
}
