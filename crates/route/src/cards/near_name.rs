//! Names that a question misspells (approximate dictionary matching by edit distance): `eisenhauer matrix`, `kannban board`,
//! `6 thinking hats`.
//!
//! Only where such a name is all that a question says: among other words, the one that is near a name is rather another word.

use super::mention::{Name, NameMention, is_all_of, is_method_word};
use crate::text::{Token, TokenizedText};

/// Longer questions say more than a name.
const WORDS_MAX: usize = 8;
/// Shorter words are not taken for misspelt ones.
const LETTERS_MIN: usize = 5;
/// Shorter words of names are not taken for those that are meant.
const STEM_LETTERS_MIN: usize = 4;
/// A question of one word, shorter than this, is rather another word: `stripe`.
const LONE_LETTERS_MIN: usize = 7;
/// From so many letters on, a word may be two edits away; a shorter one, one.
const TWO_EDITS_LETTERS_MIN: usize = 8;
/// Numbers that names have, as people write them.
const NUMBERS: [(&str, &str); 8] = [
    ("2", "two"),
    ("3", "three"),
    ("4", "four"),
    ("5", "five"),
    ("6", "six"),
    ("7", "seven"),
    ("8", "eight"),
    ("10", "ten"),
];

/// The one card whose name a question says with the fewest edits, if it says nothing else and no stem of the cards (`is_known`) has to be
/// changed for it.
pub(super) fn find<'n>(
    names: impl Iterator<Item = &'n Name>,
    text: &TokenizedText,
    is_known: &dyn Fn(&str) -> bool,
) -> Option<NameMention> {
    let mut content = text.tokens.iter().filter(|token| !token.stop);
    let is_lone = content.next().is_some_and(|first| first.folded.len() < LONE_LETTERS_MIN) && content.next().is_none();
    if text.tokens.len() > WORDS_MAX || is_lone {
        return None;
    }
    let mut best: Option<(usize, NameMention)> = None;
    let mut is_of_several = false;
    for name in names.filter(|name| !name.ordinary) {
        for (from, window) in text.tokens.windows(name.stems.len()).enumerate() {
            let mention = NameMention { card: name.card, strength: 1.0, from, to: from + window.len() };
            if !is_all_of(&mention, text) {
                continue;
            }
            let Some(edits) = edits_of(window, name, is_known) else { continue };
            match &best {
                Some((fewest, _)) if *fewest < edits => {}
                Some((fewest, found)) if *fewest == edits => is_of_several |= found.card != name.card,
                _ => (best, is_of_several) = (Some((edits, mention)), false),
            }
        }
    }
    best.filter(|_| !is_of_several).map(|(_, mention)| mention)
}

/// How many edits make a name of some words; none where it is another.
fn edits_of(words: &[Token], name: &Name, is_known: &dyn Fn(&str) -> bool) -> Option<usize> {
    let edits = words.iter().zip(&name.stems).map(|(word, stem)| edits_between(word, stem, is_known));
    edits.sum()
}

/// How many edits make the stem of a name of a word.
fn edits_between(word: &Token, stem: &str, is_known: &dyn Fn(&str) -> bool) -> Option<usize> {
    let written = word.folded.as_str();
    if word.stem == stem || NUMBERS.contains(&(written, stem)) || NUMBERS.contains(&(stem, written)) {
        return Some(0);
    }
    let is_word = |word: &str| word.bytes().all(|byte| byte.is_ascii_alphabetic());
    let begins_so = word.folded.as_bytes().first() == stem.as_bytes().first();
    if word.folded.len() < LETTERS_MIN
        || stem.len() < STEM_LETTERS_MIN
        || !(begins_so && is_word(&word.folded) && is_word(stem))
        || word.stop
        || is_method_word(word)
        || is_known(&word.stem)
    {
        return None;
    }
    let edits_max = if word.folded.len() < TWO_EDITS_LETTERS_MIN { 1 } else { 2 };
    // The stemmer may take the end of a misspelt word for an ending.
    let edits = [&word.stem, &word.folded]
        .into_iter()
        .map(|form| strsim::generic_damerau_levenshtein(form.as_bytes(), stem.as_bytes()));
    edits.min().filter(|edits| *edits <= edits_max)
}
