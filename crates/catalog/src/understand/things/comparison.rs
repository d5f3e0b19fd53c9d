//! Questions about named things side by side: `compare A and B`, `A vs B`, `difference between A and B`, `is A better than B`.

use crate::understand::words::{Word, is_phrase};

/// Most things that are compared.
const COMPARED_MAX: usize = 4;
/// Words that stand between two things.
const VERSUS: [&str; 3] = ["vs", "versus", "vs."];
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
/// Words between things that are weighed against each other, if they are nothing but names.
const WEIGHED: [&str; 3] = ["or", "over", "than"];
/// What else such a question has.
const WEIGHING: [&str; 27] = [
    "which", "what", "is", "are", "one", "better", "best", "cheaper", "faster", "newer", "larger", "smaller", "good",
    "should", "i", "we", "use", "choose", "pick", "take", "prefer", "why", "when", "to", "the", "a", "it",
];
/// Longer names are none.
const NAME_WORDS_MAX: usize = 4;

/// The things that are compared, as they were typed; nothing when the question is no comparison.
pub fn things(words: &[Word<'_>]) -> Vec<String> {
    let introduced = COMPARE.iter().find(|phrase| is_phrase(words, 0, phrase)).map(|phrase| phrase.len());
    let is_between = |word: &Word<'_>| {
        let word = word.folded.as_str();
        VERSUS.contains(&word)
            || (introduced.is_some() && matches!(word, "and" | "with" | "to" | "or" | "against" | "&"))
    };
    several(words[introduced.unwrap_or_default()..].split(is_between))
}

/// The things that are weighed against each other: `is A better than B`, `A or B`. Nothing unless all are names.
pub fn weighed(words: &[Word<'_>], is_name: impl Fn(&str) -> bool) -> Vec<String> {
    let is_between = |word: &Word<'_>| WEIGHED.contains(&word.folded.as_str());
    if !words.iter().any(is_between) {
        return Vec::new();
    }
    let is_weighing = |word: &Word<'_>| WEIGHING.contains(&word.folded.as_str());
    let parts = words.split(is_between).map(|part| {
        let first = part.iter().position(|word| !is_weighing(word)).unwrap_or(part.len());
        let end = part.iter().rposition(|word| !is_weighing(word)).map_or(first, |last| last + 1);
        &part[first..end]
    });
    let parts: Vec<&[Word<'_>]> = parts.filter(|part| !part.is_empty()).collect();
    if parts.iter().any(|part| part.len() > NAME_WORDS_MAX) {
        return Vec::new();
    }
    let things = several(parts.into_iter());
    if things.iter().all(|thing| is_name(thing)) { things } else { Vec::new() }
}

/// Two things or more, as they were typed.
fn several<'w>(things: impl Iterator<Item = &'w [Word<'w>]>) -> Vec<String> {
    let things = things.map(|words| words.iter().map(|word| word.text).collect::<Vec<_>>().join(" "));
    let things: Vec<String> = things.filter(|thing| !thing.is_empty()).collect();
    if (2..=COMPARED_MAX).contains(&things.len()) { things } else { Vec::new() }
}
