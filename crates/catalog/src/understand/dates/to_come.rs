//! What is to come: `are going to be retired`, `retiring models`, `being shut down soon`.

use super::digits::first_day;
use super::period::Period;
use super::{BEGINS_TO_BE_OVER, IS_OVER, PeriodRelation, TO_COME, taken};
use crate::understand::reading::{Reading, day_after};
use crate::understand::words::Words as _;

/// What was done with an end that has come.
const REACHED: [&str; 4] = ["reached", "hit", "passed", "past"];

/// Where the words begin that belong to an event at a position, and whether some of them say that it is to come.
pub(super) fn beginning(reading: &Reading<'_>, at: usize) -> (usize, bool) {
    let to_be = to_be_before(reading, at);
    let start = at - to_be;
    (reading.back(start, &TO_COME), to_be > 0)
}

/// How many words in front of an event say that it is to come: `are going to be retired`, `will be discontinued`, `about to retire`, `soon retired`.
fn to_be_before(reading: &Reading<'_>, at: usize) -> usize {
    let is_said = |length: usize, any: &[&str]| length < at && reading.is(at - 1 - length, any);
    let mut length = usize::from(is_said(0, &["be", "get", "being", "getting"]));
    if is_said(length, &["soon"]) {
        return length + 1;
    }
    if is_said(length, &["will", "gonna"]) {
        return length + 1;
    }
    if !is_said(length, &["to"]) {
        // `being retired`
        return usize::from(reading.is_behind(at, &["being", "getting"]));
    }
    length += 1;
    length + usize::from(is_said(length, &["going", "about", "soon", "scheduled", "planned", "due", "set"]))
}

/// The day from which on what retires until a day that is to come does so: what has retired before does not retire then.
pub(super) fn from_today(
    reading: &Reading<'_>,
    relation: PeriodRelation,
    period: &Period,
    is_to_be: bool,
) -> Option<String> {
    let today = reading.today()?;
    let over = match relation {
        PeriodRelation::Until => day_after(&period.last),
        PeriodRelation::Before => Some(first_day(&period.first)),
        PeriodRelation::Within if is_to_be && period.has_begun(today) => day_after(&period.last),
        PeriodRelation::Since | PeriodRelation::After | PeriodRelation::Within => None,
    };
    over.filter(|over| *over > today.day).map(|_| today.day.clone())
}

/// `retiring models`: from today on. The event begins at `at` and ends before `end`.
pub(super) fn retiring(reading: &mut Reading<'_>, at: usize, end: usize) -> bool {
    let (start, is_to_be) = beginning(reading, at);
    // `that have reached their end of life`: the status tells that, too.
    let reached = at.checked_sub(1 + usize::from(reading.is_behind(at, &["the", "their", "its"])));
    if reached.is_some_and(|reached| reading.is(reached, &REACHED)) {
        return false;
    }
    // `which models get retired next`
    let is_next = reading.is(end, &["next", "soon"]);
    // What is retired already is told by its status.
    let is_over = reading.is(at, &IS_OVER) || reading.is(at, &BEGINS_TO_BE_OVER);
    if is_over && !is_to_be && !is_next {
        return false;
    }
    let start = start - usize::from(is_next && !is_to_be && reading.is_behind(start, &["get", "gets"]));
    let Some(today) = reading.today().map(|today| today.day.clone()) else { return false };
    reading.set("retires_on__gte", &today);
    reading.set("sort", "retires_on");
    reading.is_of_models = true;
    taken(reading, start, end + usize::from(is_next))
}
