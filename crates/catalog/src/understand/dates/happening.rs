//! An event at a position, or a period alone, and when it happens: the period that is read of it, as bounds of its field.

use super::digits::first_day;
use super::period::Period;
use super::{
    IS_OVER, OTHER_UNITS, PeriodRelation, aged, before_event, digits, open_end, period, relation_at, set, set_from,
    taken, to_come, turned,
};
use crate::understand::reading::{Provisional, Reading, day_after};
use crate::understand::words::Words as _;
use std::ops::Range;

/// What happens, and where its words stand.
pub struct Happening {
    /// The field of its day.
    field: &'static str,
    /// The position.
    at: usize,
    /// Whether an event is named there, and not a period alone.
    is_event: bool,
    /// Where the words begin that belong to it.
    start: usize,
    /// Where those of its period do.
    next: usize,
    /// It is said to come.
    is_to_be: bool,
    /// It has happened, or is said of what has.
    is_over: bool,
    /// A period without a year is the next one.
    is_future: bool,
}

impl Happening {
    /// What happens at a position; `event` is how many words name it.
    pub(super) fn new(reading: &Reading<'_>, at: usize, field: &'static str, event: Option<usize>) -> Self {
        let is_event = event.is_some();
        // `release date of`, `came out`, `released so far`
        let behind =
            |taken: usize| reading.end_of(at + taken, &["out", "dates", "date", "is", "are", "of", "so", "far"]);
        let next = event.map_or(at, behind);
        // What has happened by a day that is to come is not what will happen until then.
        let (start, is_to_be) = if is_event { to_come::beginning(reading, at) } else { (at, false) };
        let is_over = !is_event || !is_to_be && reading.is(at, &IS_OVER);
        // `retired in june` was so in the last one; `get retired in june` is to be so.
        let gets = reading.is_behind(at, &["get", "gets"]);
        let is_future = field == "retires_on" && (!is_over || gets);
        Self { field, at, is_event, start, next, is_to_be, is_over, is_future }
    }

    /// Reads a range of periods behind it; nothing where there is none.
    pub(super) fn within_range(&self, reading: &mut Reading<'_>) -> Option<bool> {
        let range = period::range_at(reading, self.next, self.is_future)?;
        // `2024 to 2025` alone may be of anything.
        let end = self.next + range.taken;
        let is_introduced = reading.is(self.next, &["between", "from"]) && !reading.is(end, &OTHER_UNITS);
        let params = reading.params.len();
        let is_read = (self.is_event || is_introduced)
            && turned(reading, PeriodRelation::Within, self.start, end).is_some()
            && set(reading, self.field, PeriodRelation::Within, &range)
            && self.taken(reading, self.start..end, params);
        Some(is_read)
    }

    /// Reads a single period behind it.
    pub(super) fn in_period(&self, reading: &mut Reading<'_>) -> bool {
        let (said, after) = relation_at(reading, self.next);
        // What is going to happen does not lie back.
        let may_be_aged = !self.is_event || self.field != "retires_on" && reading.negation_before(self.start) == 0;
        if may_be_aged && aged(reading, self.field, self.next, said, after) {
            reading.take(self.start..self.next);
            return true;
        }
        let within = || period::within(reading, after, self.is_future).filter(|_| self.is_event);
        let Some(period) = period::at(reading, after, self.is_future).or_else(within) else {
            return self.without_period(reading, said.is_some(), after);
        };
        let end = after + period.taken;
        if !self.is_event && reading.is(end, &OTHER_UNITS) {
            return false;
        }
        let Some(relation) = self.relation(reading, said) else {
            // A period alone says too little: `2026`, `this year`. Not in front of what happens then: `2025 released models`.
            return before_event(reading, self.at);
        };
        // Nothing came out in days to come: something else is said to happen until then, in words that are not known.
        if !self.is_event && is_to_come(reading, relation, &period) {
            reading.warn_of_words(self.at..end, "say what happens then, as in `retires before 2030`");
            return false;
        }
        let Some((relation, end, period)) = self.whole(reading, relation, after, period) else { return false };
        self.set(reading, relation, &period, end)
    }

    /// How it stands to its period, where that is said or goes without saying.
    fn relation(&self, reading: &Reading<'_>, said: Option<PeriodRelation>) -> Option<PeriodRelation> {
        let goes_without_saying = self.is_event || sorted_by(reading, self.field);
        said.or_else(|| goes_without_saying.then_some(PeriodRelation::Within))
    }

    /// Warns of a day that is none; what retires may do so without one.
    fn without_period(&self, reading: &mut Reading<'_>, is_related: bool, after: usize) -> bool {
        if self.is_event || is_related {
            digits::warn_of_no_day(reading, after);
        }
        self.field == "retires_on" && self.is_event && to_come::retiring(reading, self.at, self.next)
    }

    /// A period from `after` on with what goes on behind it, `or later`, `or 2025`, and where its words end.
    fn whole(
        &self,
        reading: &Reading<'_>,
        relation: PeriodRelation,
        after: usize,
        period: Period,
    ) -> Option<(PeriodRelation, usize, Period)> {
        let end = after + period.taken;
        if let Some((relation, end)) = open_end(reading, end, reading.is(self.next, &["from"])) {
            return Some((relation, end, period));
        }
        if relation != PeriodRelation::Within {
            return Some((relation, end, period));
        }
        let period = period::continued(reading, period, end, self.is_future)?;
        Some((relation, after + period.taken, period))
    }

    /// Sets the bounds of the period, or of all other days.
    fn set(&self, reading: &mut Reading<'_>, relation: PeriodRelation, period: &Period, end: usize) -> bool {
        let Some((relation, negation)) = turned(reading, relation, self.start, end) else { return false };
        let is_to_come = self.is_future && !self.is_over;
        let from = if is_to_come { to_come::from_today(reading, relation, period, self.is_to_be) } else { None };
        let params = reading.params.len();
        set_from(reading, self.field, relation, period, from) && self.taken(reading, self.start - negation..end, params)
    }

    /// Marks its words as understood. Of a period alone it notes which they are, and which parameters it set behind so many others.
    fn taken(&self, reading: &mut Reading<'_>, words: Range<usize>, params: usize) -> bool {
        if !self.is_event && reading.bare_period.is_none() {
            let params = reading.params.get(params..).unwrap_or_default().to_vec();
            reading.bare_period = Some(Provisional { words: words.clone(), params });
        }
        taken(reading, words.start, words.end)
    }
}

/// Whether a bound is a day that is to come.
fn is_to_come(reading: &Reading<'_>, relation: PeriodRelation, period: &Period) -> bool {
    let Some(today) = reading.today().map(|today| today.day.as_str()) else { return false };
    match relation {
        PeriodRelation::Until => day_after(&period.last) > day_after(today),
        _ => first_day(&period.first).as_str() > today,
    }
}

/// Whether the order that was read is one by a field: `new models last week`.
fn sorted_by(reading: &Reading<'_>, field: &str) -> bool {
    reading.param("sort").is_some_and(|order| order.trim_start_matches('-') == field)
}
