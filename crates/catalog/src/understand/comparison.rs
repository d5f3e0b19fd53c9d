//! Questions about named things side by side: `compare A and B`, `A vs B`, `difference between A and B`.

use super::words::{Word, is_phrase};

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

/// The things that are compared, as they were typed; nothing when the question is no comparison.
pub fn things(words: &[Word<'_>]) -> Vec<String> {
    let introduced = COMPARE.iter().find(|phrase| is_phrase(words, 0, phrase)).map(|phrase| phrase.len());
    let is_between = |word: &Word<'_>| {
        let word = word.folded.as_str();
        VERSUS.contains(&word)
            || (introduced.is_some() && matches!(word, "and" | "with" | "to" | "or" | "against" | "&"))
    };
    let words = &words[introduced.unwrap_or_default()..];
    let things = words.split(is_between).map(|words| words.iter().map(|word| word.text).collect::<Vec<_>>().join(" "));
    let things: Vec<String> = things.filter(|thing| !thing.is_empty()).collect();
    if (2..=COMPARED_MAX).contains(&things.len()) { things } else { Vec::new() }
}
