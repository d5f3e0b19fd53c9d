//! Directions that stand behind what is ordered: `descending`, `from high to low`, `cheapest first`.

use crate::understand::reading::Reading;
use crate::understand::words::PhraseRows;

/// Directions behind what is ordered, and their signs.
static DIRECTIONS: PhraseRows<&str> = PhraseRows::new(&[
    (
        "descending order,descending,desc,high to low,highest to lowest,highest first,newest first,latest first,\
         largest first,longest first,biggest first,most expensive first",
        "-",
    ),
    (
        "ascending order,ascending,asc,low to high,lowest to highest,lowest first,oldest first,cheapest first,\
         smallest first,shortest first",
        "",
    ),
]);

/// The sign of an order that says its direction, and how many words say it.
pub fn direction_at(reading: &Reading<'_>, at: usize) -> Option<(&'static str, usize)> {
    let introduced = usize::from(reading.is(at, &["in", "from"]));
    let (taken, sign) = DIRECTIONS.at(&reading.words, at + introduced)?;
    Some((*sign, introduced + taken))
}
