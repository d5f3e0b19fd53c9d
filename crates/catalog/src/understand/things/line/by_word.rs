//! Lines of models by a word that the families of one line alone have, and that is no other word: `opus`, and neither `flash` of several
//! lines nor `large` of many things. It counts where the question says that models are meant: directly before the word for them, and where
//! the question begins with it and goes on with a limit, a value or a seller. `opus models under $20`, `sonnet with vision`, `haiku on bedrock`.

use super::is_ordinary;
use crate::resolve::model::makers::is_family;
use crate::snapshot::Snapshot;
use crate::understand::measures::is_attribute;
use crate::understand::modalities::is_noun;
use crate::understand::reading::Reading;
use crate::understand::rest::is_understood;
use crate::understand::vocabulary::is_part_of_topic;
use crate::understand::words::Words as _;
use refdesk_core::Kind;

/// Shorter words are none of a line alone: `r` of `command-r`, `oss` of `gpt-oss`.
const LETTERS_MIN: usize = 4;
/// Of the models whose names have the word so many hundredths must be of these families.
const OF_LINE_PERCENT: usize = 66;

/// What begins that by which models of the line are told apart, or who sells them.
const GOING_ON: [&str; 9] = ["with", "that", "which", "having", "supporting", "on", "via", "through", "at"];

/// Reads such a word at a position.
pub fn by_word(reading: &mut Reading<'_>, at: usize) -> bool {
    if reading.kind != Kind::Model || !(is_before_models(reading, at) || begins(reading, at)) {
        return false;
    }
    // Where a line was read, a word behind it is one of its own or none: `newest gemini image`.
    let is_of_line = reading.has("series") || reading.has("family");
    if is_of_line || reading.negation_before_name(at) > 0 || is_part_of_topic(reading, at) {
        return false;
    }
    let Some(families) = reading.word(at).and_then(|word| families_by_word(reading.snapshot, word)) else {
        return false;
    };
    reading.filter("family", false, &families);
    reading.take(at..at + 1);
    true
}

/// Whether the word for models stands behind a position. Who types no more than that gets the current models of the line first.
fn is_before_models(reading: &Reading<'_>, at: usize) -> bool {
    let says_more = at > 0 || reading.head_end.is_some_and(|end| end < reading.words.len());
    reading.is_before_kind(at + 1) && says_more
}

/// Whether a question without a word for models begins at a position, and goes on with what tells them apart.
fn begins(reading: &Reading<'_>, at: usize) -> bool {
    let says_nothing = || reading.words[..at].iter().all(is_understood);
    let goes_on = || !reading.params.is_empty() || reading.is(at + 1, &GOING_ON);
    reading.head_end.is_none() && goes_on() && says_nothing()
}

/// The families that one folded word names so.
pub fn families_by_word<'s>(snapshot: &'s Snapshot, word: &str) -> Option<Vec<&'s str>> {
    let is_word = word.len() >= LETTERS_MIN && word.chars().all(char::is_alphabetic);
    if !is_word || is_family(word) || is_attribute(word) || is_noun(word) {
        return None;
    }
    let has_word = |family: &&str| family.split('-').any(|part| part.eq_ignore_ascii_case(word));
    let families: Vec<&str> = snapshot.segment(Kind::Model).values("family").filter(has_word).collect();
    let own = line(families.first()?);
    let are_of_line = families.iter().all(|family| line(family).eq_ignore_ascii_case(own));
    let is_told = are_of_line && !own.eq_ignore_ascii_case(word) && names_mostly(snapshot, word, &families);
    (is_told && !is_ordinary(snapshot, word)).then_some(families)
}

/// What the name of a family begins with.
fn line(family: &str) -> &str {
    family.split('-').next().unwrap_or(family)
}

/// Whether most models with a word in their names are of some families: `coder` is in the names of many lines, and the family of one.
fn names_mostly(snapshot: &Snapshot, word: &str, families: &[&str]) -> bool {
    let segment = snapshot.segment(Kind::Model);
    let Some(column) = segment.column("family") else { return false };
    let has_word = |row: &u32| segment.id(*row).split(|c: char| !c.is_alphanumeric()).any(|part| part == word);
    let named: Vec<u32> = (0..segment.len()).filter(has_word).collect();
    let of_line = named.iter().filter(|row| column.value(**row).is_some_and(|family| families.contains(&family)));
    of_line.count() * 100 >= named.len() * OF_LINE_PERCENT
}
