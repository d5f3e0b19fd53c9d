//! Names that a question misspells (approximate dictionary matching by edit distance): `eisenhauer matrix`, `a premortum for the festival`,
//! `6 thinking hats`.
//!
//! Only a word that neither the cards nor the everyday requests have is taken for a misspelt one. Where the name is all that a question says,
//! or has several words that agree, more edits are allowed than for one word among others, which is rather another word.

use std::cmp::Reverse;

use super::mention::{Name, NameMention, is_all_of, is_method_word};
use crate::text::{Token, TokenizedText};

/// Shorter words are not taken for misspelt ones.
const LETTERS_MIN: usize = 5;
/// Shorter words of names are not taken for those that are meant.
const STEM_LETTERS_MIN: usize = 4;
/// A question of one word, shorter than this, is rather another word: `stripe`.
const LONE_LETTERS_MIN: usize = 7;
/// From so many letters on, a word may be two edits away; a shorter one, one.
const TWO_EDITS_LETTERS_MIN: usize = 8;
/// The same for a name of one word among other words.
const AMONG_OTHERS_TWO_EDITS_LETTERS_MIN: usize = 10;
/// Words of a question that are compared with those of the names.
const MISSPELT_MAX: usize = 24;
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

/// The one card whose name a question says with the fewest edits; of those with as many, the longest name. No word is changed that is known
/// (`is_known`).
pub(super) fn find<'n>(
    names: impl Iterator<Item = &'n Name>,
    text: &TokenizedText,
    is_known: &dyn Fn(&str) -> bool,
) -> Option<NameMention> {
    let may_change = |at: &usize| may_be_misspelt(&text.tokens[*at], is_known);
    let misspelt: Vec<usize> = (0..text.tokens.len()).filter(may_change).take(MISSPELT_MAX).collect();
    if misspelt.is_empty() {
        return None;
    }
    let mut best: Option<((usize, Reverse<usize>), NameMention)> = None;
    let mut is_of_several = false;
    for name in names.filter(|name| !name.ordinary) {
        for (at, (place, stem)) in misspelt.iter().flat_map(|at| name.stems.iter().enumerate().map(move |it| (*at, it)))
        {
            let word = &text.tokens[at];
            let to = at + name.stems.len() - place;
            if at < place || to > text.tokens.len() || word.stem == *stem || edits_between(word, stem).is_none() {
                continue;
            }
            let mention = NameMention { card: name.card, strength: 1.0, from: at - place, to, everyday: name.everyday };
            let Some(edits) = edits_of(text, &mention, name, &misspelt) else { continue };
            let rank = (edits, Reverse(name.stems.len()));
            match &best {
                Some((least, _)) if *least < rank => {}
                Some((least, found)) if *least == rank => is_of_several |= found.card != name.card,
                _ => (best, is_of_several) = (Some((rank, mention)), false),
            }
        }
    }
    best.filter(|_| !is_of_several).map(|(_, mention)| mention)
}

/// Whether a word may be one of a name that is written otherwise: a number, or a long word that nobody else uses.
fn may_be_misspelt(word: &Token, is_known: &dyn Fn(&str) -> bool) -> bool {
    let is_number = NUMBERS.iter().any(|(digits, name)| word.folded == *digits || word.folded == *name);
    let is_long = word.folded.len() >= LETTERS_MIN && is_of_letters(&word.folded);
    is_number || is_long && !word.stop && !is_method_word(word) && !is_known(&word.stem)
}

fn is_of_letters(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// How many edits make a name of the words of a mention, of which only some may be misspelt; none where they are other words.
fn edits_of(text: &TokenizedText, mention: &NameMention, name: &Name, misspelt: &[usize]) -> Option<usize> {
    let of_word = |(at, stem): (usize, &String)| {
        let word = &text.tokens[at];
        if word.stem == *stem { Some(0) } else { misspelt.contains(&at).then(|| edits_between(word, stem))? }
    };
    let edits = (mention.from..mention.to).zip(&name.stems).map(of_word).sum::<Option<usize>>()?;
    let [word] = &text.tokens[mention.from..mention.to] else { return Some(edits) };
    let letters = word.folded.len();
    let says_more = text.tokens.iter().filter(|token| !token.stop).count() > 1;
    let is_plain = letters >= LONE_LETTERS_MIN && (edits <= 1 || letters >= AMONG_OTHERS_TWO_EDITS_LETTERS_MIN);
    let is_all = is_all_of(mention, text) && (says_more || letters >= LONE_LETTERS_MIN);
    (is_plain || is_all).then_some(edits)
}

/// How many edits make the stem of a name of a misspelt word.
fn edits_between(word: &Token, stem: &str) -> Option<usize> {
    let written = word.folded.as_str();
    if written.as_bytes().first() != stem.as_bytes().first() {
        // Numbers are stop words: few words are compared with the list.
        let is_number = word.stop && (NUMBERS.contains(&(written, stem)) || NUMBERS.contains(&(stem, written)));
        return is_number.then_some(0);
    }
    if stem.len() < STEM_LETTERS_MIN || !is_of_letters(stem) || !is_of_letters(written) {
        return None;
    }
    let edits_max = if written.len() < TWO_EDITS_LETTERS_MIN { 1 } else { 2 };
    // The stemmer may take the end of a misspelt word for an ending.
    let edits = [word.stem.as_str(), written]
        .into_iter()
        .filter(|form| form.len().abs_diff(stem.len()) <= edits_max)
        .map(|form| strsim::generic_damerau_levenshtein(form.as_bytes(), stem.as_bytes()));
    edits.min().filter(|edits| *edits <= edits_max)
}
