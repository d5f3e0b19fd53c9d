//! Lines of models by a word that the families of one line alone have, and that is no other word: `opus`, and neither `flash` of several
//! lines nor `large` of many things.

use super::is_ordinary;
use crate::resolve::model::makers::is_family;
use crate::snapshot::Snapshot;
use crate::understand::measures::is_attribute;
use refdesk_core::Kind;

/// Shorter words are none of a line alone: `r` of `command-r`, `oss` of `gpt-oss`.
const LETTERS_MIN: usize = 4;
/// Of the models whose names have the word so many hundredths must be of these families.
const OF_LINE_PERCENT: usize = 66;

/// The families that one folded word names so.
pub fn families_by_word<'s>(snapshot: &'s Snapshot, word: &str) -> Option<Vec<&'s str>> {
    let is_word = word.len() >= LETTERS_MIN && word.chars().all(char::is_alphabetic);
    if !is_word || is_family(word) || is_attribute(word) {
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
