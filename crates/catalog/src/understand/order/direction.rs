//! Directions that stand behind what is ordered: `descending`, `from high to low`, `cheapest first`.

use crate::understand::reading::Reading;

/// Directions behind what is ordered, and their signs.
const DIRECTIONS: [(&[&str], &str); 22] = [
    (&["descending", "order"], "-"),
    (&["descending"], "-"),
    (&["desc"], "-"),
    (&["high", "to", "low"], "-"),
    (&["highest", "to", "lowest"], "-"),
    (&["highest", "first"], "-"),
    (&["ascending", "order"], ""),
    (&["ascending"], ""),
    (&["asc"], ""),
    (&["low", "to", "high"], ""),
    (&["lowest", "to", "highest"], ""),
    (&["lowest", "first"], ""),
    (&["newest", "first"], "-"),
    (&["latest", "first"], "-"),
    (&["largest", "first"], "-"),
    (&["longest", "first"], "-"),
    (&["biggest", "first"], "-"),
    (&["most", "expensive", "first"], "-"),
    (&["oldest", "first"], ""),
    (&["cheapest", "first"], ""),
    (&["smallest", "first"], ""),
    (&["shortest", "first"], ""),
];

/// The sign of an order that says its direction, and how many words say it.
pub fn direction_at(reading: &Reading<'_>, at: usize) -> Option<(&'static str, usize)> {
    let introduced = usize::from(reading.is(at, &["in", "from"]));
    let is_there = |phrase: &[&str]| reading.is_phrase(at + introduced, phrase);
    let (phrase, sign) = DIRECTIONS.iter().find(|(phrase, _)| is_there(phrase))?;
    Some((*sign, introduced + phrase.len()))
}
