//! Periods beside the word for the kind, with nothing between but values: `march 2025 models`, `2025 openai models`, `last year's open weights
//! models`, `models 2024-2025`. What is said of a period otherwise is read in `happening`.

use super::part_of_year::part_of_year;
use super::period::{self, Period};
use super::{PeriodRelation, own_day, set, taken, turned};
use crate::understand::reading::Reading;
use crate::understand::words::Words as _;
use refdesk_search::text::word_array;

/// What else a year is of, which is not read without it.
const PARTS: [&str; 9] = word_array("half quarter early mid late beginning start middle end");
/// Days that say when the question is asked.
const NOW: [&str; 2] = ["today", "soon"];
/// What goes on behind a period that stands behind the kind.
const GOING_ON: [&str; 7] = ["with", "without", "from", "by", "that", "which", "under"];

/// Reads such a period at a position, as the time in which the things came out.
pub fn parse(reading: &mut Reading<'_>, at: usize) -> bool {
    let field = own_day(reading.kind);
    if reading.head_end.is_none()
        || field.ends_with("_since")
        || is_part_of_year_in_front(reading, at)
        || reading.is(at, &NOW)
    {
        return false;
    }
    let period = period::range_at(reading, at, false).or_else(|| period::at(reading, at, false));
    let Some(period) = period.filter(Period::has_year) else { return false };
    let behind = at + period.taken;
    let has_begun = reading.today().is_some_and(|today| period.has_begun(today));
    if !has_begun || !(reading.leads_to_kind(behind, |word| word.used) || is_behind(reading, at, &period)) {
        return false;
    }
    turned(reading, PeriodRelation::Within, at, behind).is_some()
        && set(reading, field, PeriodRelation::Within, &period)
        && taken(reading, at, behind)
}

/// Whether a year or a part of it, or a time up to today, stands directly behind the word for the kind: `modelos de 2025`, `models last 30
/// days`. A day may be the end of a name.
fn is_behind(reading: &Reading<'_>, at: usize, period: &Period) -> bool {
    let end = at + period.taken;
    let is_end = reading.ends_at(end, |next| next.used || next.is(&GOING_ON));
    let is_time = period.first.len() < "YYYY-MM-DD".len() || reading.is(at, &["last", "past"]);
    reading.head_end == Some(at) && is_end && is_time
}

/// Whether a position is behind a part of a year that was not read, as in `fall, 2025 models`: the whole year is not what is meant.
fn is_part_of_year_in_front(reading: &Reading<'_>, at: usize) -> bool {
    let before = at.checked_sub(1).map(|before| before.saturating_sub(usize::from(reading.is(before, &["of", "in"]))));
    before.is_some_and(|before| {
        reading.is(before, &PARTS) || reading.word(before).is_some_and(|word| part_of_year(word).is_some())
    })
}
