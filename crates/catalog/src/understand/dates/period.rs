//! Periods of time: `2026-05`, `June`, `Q3 2026`, `this quarter`, `the last 30 days`, `between March and June 2025`, `2024 or 2025`.

use super::digits::{first_day, in_digits, year};
use super::part_of_year::{PartOfYear, month_of, part_of_year, season};
use crate::understand::amounts::whole_number;
use crate::understand::reading::{Reading, Today, day_after};
use crate::understand::words::{Word, Words as _, has_digit, without_possessive};
use refdesk_core::Stamp;
use refdesk_search::text::WordSet;

/// What `soon` means.
const SOON_DAYS: i64 = 90;
/// How many `a few` are.
const A_FEW: i64 = 3;

/// First and last day, as a list takes them: `2026`, `2026-05`, `2026-05-31`.
pub struct Period {
    /// The first day.
    pub first: String,
    /// The last day.
    pub last: String,
    /// How many words say it.
    pub taken: usize,
    /// Its year was not said, and is the nearest.
    is_of_any_year: bool,
}

impl Period {
    pub const fn new(first: String, last: String, taken: usize) -> Self {
        Self { first, last, taken, is_of_any_year: false }
    }

    /// A part of a year.
    fn of(part: PartOfYear, year: i32, taken: usize) -> Self {
        let [first, last] = part.in_year(year);
        Self::new(first, last, taken)
    }

    /// One year, month or day.
    fn only(text: String, taken: usize) -> Self {
        Self::new(text.clone(), text, taken)
    }

    /// A quarter, counted from 0.
    fn quarter(year: i32, quarter: i32, taken: usize) -> Self {
        Self::of(PartOfYear { first: quarter * 3 + 1, months: 3 }, year, taken)
    }

    /// Whether its year is sure: it was said, or is reckoned from today (`last month`).
    pub const fn has_year(&self) -> bool {
        !self.is_of_any_year
    }

    /// Whether it has begun by a day.
    pub fn has_begun(&self, today: &Today) -> bool {
        first_day(&self.first) <= today.day
    }

    /// Whether another one begins when this one has ended.
    fn is_before(&self, next: &Self) -> bool {
        day_after(&self.last).is_some_and(|after| after == first_day(&next.first))
    }

    /// This one in the year in which another begins that was said behind it: `March and June 2025`.
    fn in_year_of(mut self, last: &Self) -> Self {
        if self.is_of_any_year && !last.is_of_any_year {
            for text in [&mut self.first, &mut self.last] {
                text.replace_range(.."YYYY".len(), &last.first[.."YYYY".len()]);
            }
        }
        self
    }
}

/// What time is counted in.
#[derive(Debug, Clone, Copy)]
enum Unit {
    Days(i64),
    Months(i32),
}

impl Unit {
    fn of(word: &str) -> Option<Self> {
        Some(match word {
            "day" | "days" => Self::Days(1),
            "week" | "weeks" => Self::Days(7),
            "month" | "months" => Self::Months(1),
            "quarter" | "quarters" => Self::Months(3),
            "year" | "years" => Self::Months(12),
            _ => return None,
        })
    }

    /// The day that so many of them are away.
    fn away(self, today: &Today, count: i64) -> String {
        match self {
            Self::Days(days) => today.plus(count * days),
            Self::Months(months) => today.plus_months(i32::try_from(count).unwrap_or_default() * months),
        }
    }
}

/// Words that periods are said with, beside numbers, months and seasons: without any of them no period is said.
static SAID_WITH: WordSet = WordSet::new("today yesterday soon this current last past previous next coming recent end");

/// Whether a question speaks of times at all. Most do not, and need not be looked through for any.
pub fn are_said(words: &[Word<'_>]) -> bool {
    words
        .iter()
        .map(|word| without_possessive(&word.folded))
        .any(|word| has_digit(word) || SAID_WITH.contains(word) || part_of_year(word).is_some())
}

/// The period that stands at a position; one without a year is the next of its name in the future, else the last.
pub fn at(reading: &Reading<'_>, at: usize, is_future: bool) -> Option<Period> {
    let word = said(reading, at).filter(|_| reading.speaks_of_periods)?;
    let today = reading.today()?;
    if let Some(day) = day_at(reading, at, today, is_future) {
        return Some(day);
    }
    // `2025 March`, as other languages order it.
    if let Some(year) = year_at(reading, at)
        && let Some(part) = reading.word(at + 1).and_then(part_of_year)
        && year_at(reading, at + 2).is_none()
    {
        let day = reading.word(at + 2).and_then(day_of_month).filter(|_| part.months == 1);
        let day =
            day.map(|day| format!("{year:04}-{:02}-{day:02}", part.first)).filter(|day| Stamp::parse(day).is_some());
        return Some(day.map_or_else(|| Period::of(part, year, 2), |day| Period::only(day, 3)));
    }
    if let Some([first, last]) = in_digits(word) {
        return Some(Period::new(first, last, 1));
    }
    named(reading, at, word, today, is_future)
        .or_else(|| relative(reading, at, word, today))
        .or_else(|| stretch(reading, at, word))
}

/// The word before a range of periods, and the words between its ends.
const BETWEEN: [(&str, &[&str]); 3] = [
    ("between", &["and"]),
    ("from", &["to", "until", "till", "through", "-", "–"]),
    ("", &["to", "through", "-", "–"]),
];

/// The time from one period to the end of another: `between March and June 2025`, `from 2023 to 2024`.
pub fn range_at(reading: &Reading<'_>, start: usize, is_future: bool) -> Option<Period> {
    BETWEEN.iter().find_map(|(introduced, joined)| {
        let introducing = usize::from(!introduced.is_empty());
        if introducing > 0 && !reading.is(start, &[introduced]) {
            return None;
        }
        let first = at(reading, start + introducing, is_future)?;
        let next = start + introducing + first.taken;
        if !reading.is(next, joined) {
            return None;
        }
        let last = at(reading, next + 1, is_future)?;
        let first = first.in_year_of(&last);
        let is_in_order = first_day(&first.first) <= first_day(&last.first);
        let taken = introducing + first.taken + 1 + last.taken;
        is_in_order.then(|| Period::new(first.first, last.last, taken))
    })
}

/// A period that goes on behind `or`, `2024 or 2025`, `2024 or in 2025`, or in a list with one: `2023, 2024 or 2025`. Nothing where time lies
/// between two of them: no list has both.
pub fn continued(reading: &Reading<'_>, period: Period, end: usize, is_future: bool) -> Option<Period> {
    let is_last = reading.is(end, &["or", "and"]);
    if !is_last && !reading.words[end - 1].ends_clause {
        return Some(period);
    }
    let joining = if is_last { 1 + usize::from(reading.is(end + 1, &["in", "during", "from"])) } else { 0 };
    let Some(mut other) = at(reading, end + joining, is_future) else { return Some(period) };
    if !is_last {
        let alone = other.taken;
        other = continued(reading, other, end + alone, is_future)?;
        // Behind a comma alone something else begins: `released in 2024, 2025 cutoff`.
        if other.taken == alone {
            return Some(period);
        }
    }
    let period = period.in_year_of(&other);
    let taken = period.taken + joining + other.taken;
    let is_of_any_year = period.is_of_any_year && other.is_of_any_year;
    period.is_before(&other).then(|| Period { is_of_any_year, ..Period::new(period.first, other.last, taken) })
}

/// `1 July 2026`, `July 1st, 2026`, `the 1st of July`.
fn day_at(reading: &Reading<'_>, at: usize, today: &Today, is_future: bool) -> Option<Period> {
    let month = |at: usize| reading.word(at).and_then(month_of);
    let number = |at: usize| reading.word(at).and_then(day_of_month);
    let of = usize::from(reading.is(at + 1, &["of"]));
    let (day, month, taken) = match (number(at), month(at + 1 + of), month(at), number(at + 1)) {
        (Some(day), Some(month), _, _) => (day, month, 2 + of),
        (_, _, Some(month), Some(day)) => (day, month, 2),
        _ => return None,
    };
    let said_year = year_at(reading, at + taken);
    let year = said_year.unwrap_or_else(|| today.year_of(month, is_future));
    let text = format!("{year:04}-{month:02}-{day:02}");
    Stamp::parse(&text)?;
    let period = Period::only(text, taken + usize::from(said_year.is_some()));
    Some(Period { is_of_any_year: said_year.is_none(), ..period })
}

/// `1`, `1st`, `31st`.
fn day_of_month(word: &str) -> Option<i32> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let is_ordinal = matches!(&word[digits.len()..], "" | "st" | "nd" | "rd" | "th");
    digits.parse().ok().filter(|day| is_ordinal && (1..=31).contains(day))
}

/// The word at a position without the ending by which something is of that time: `last year's models`.
fn said<'r>(reading: &'r Reading<'_>, at: usize) -> Option<&'r str> {
    reading.word(at).map(without_possessive)
}

fn year_at(reading: &Reading<'_>, at: usize) -> Option<i32> {
    said(reading, at).and_then(year)
}

/// `early 2025`, `mid 2025`, `mid-2025`, `late 2025`: a third of the year; `the beginning of 2025`, `the end of 2025`: a month.
fn stretch(reading: &Reading<'_>, at: usize, word: &str) -> Option<Period> {
    let third = |word: &str| ["early", "mid", "late"].iter().position(|name| *name == word);
    let part = |third: usize| PartOfYear { first: i32::try_from(third).unwrap_or_default() * 4 + 1, months: 4 };
    if let Some((third, year)) = word.split_once('-').and_then(|(name, year)| Some((third(name)?, year))) {
        return Some(Period::of(part(third), super::digits::year(year)?, 1));
    }
    if let Some(third) = third(word) {
        return Some(Period::of(part(third), year_at(reading, at + 1)?, 2));
    }
    let start = reading.past(at, &["the"]);
    let first = match reading.word(start)? {
        "beginning" | "start" => 1,
        "middle" => 6,
        "end" => 12,
        _ => return None,
    };
    let year = year_at(reading, start + 2).filter(|_| reading.is(start + 1, &["of"]))?;
    Some(Period::of(PartOfYear { first, months: 1 }, year, start + 3 - at))
}

/// `first half`, `3rd quarter`: the part, and how many words say it.
fn counted_part(reading: &Reading<'_>, at: usize) -> Option<(PartOfYear, usize)> {
    let at = reading.past(at, &["the"]);
    let ordinal = match reading.word(at)? {
        "first" | "1st" => 1,
        "second" | "2nd" => 2,
        "third" | "3rd" => 3,
        "fourth" | "4th" | "last" => 4,
        _ => return None,
    };
    let (parts, ordinal) = match reading.word(at + 1)? {
        "half" => (2, ordinal.min(2)),
        "quarter" => (4, ordinal),
        _ => return None,
    };
    // `the last quarter` is that before this one.
    let end = at + 2 + usize::from(reading.is(at + 2, &["of"]));
    year_at(reading, end)?;
    Some((PartOfYear { first: (ordinal - 1) * (12 / parts) + 1, months: 12 / parts }, end))
}

/// `June`, `June 2025`, `Q3`, `H1 2025`, `spring 2026`, `first half of 2026`, `yesterday`, `soon`.
fn named(reading: &Reading<'_>, at: usize, word: &str, today: &Today, is_future: bool) -> Option<Period> {
    if let Some((part, end)) = counted_part(reading, at) {
        let year = year_at(reading, end)?;
        return Some(Period::of(part, year, end + 1 - at));
    }
    if let Some(part) = part_of_year(word) {
        // `summer of 2025`
        let of = usize::from(reading.is(at + 1, &["of"]));
        let said_year = year_at(reading, at + 1 + of);
        let year = match said_year {
            Some(year) => year,
            None if part.months == 1 => today.year_of(part.first, is_future),
            // A quarter or a half is of this year, whether it has passed or not; a season alone may be a name: `in Spring`.
            None if word.starts_with(['q', 'h']) => today.year,
            None => return None,
        };
        let taken = if said_year.is_some() { 2 + of } else { 1 };
        return Some(Period { is_of_any_year: said_year.is_none(), ..Period::of(part, year, taken) });
    }
    match word {
        "today" => Some(Period::only(today.day.clone(), 1)),
        "yesterday" => Some(Period::only(today.plus(-1), 1)),
        "soon" if is_future => Some(Period::new(today.day.clone(), today.plus(SOON_DAYS), 1)),
        _ => None,
    }
}

/// How many there are of what time is counted in, with the words that say it: `2 years`, `a month`, `six weeks`.
fn span(reading: &Reading<'_>, at: usize) -> Option<(i64, Unit, usize)> {
    let (count, taken) = match reading.word(at)? {
        "few" | "couple" => (A_FEW, 1),
        word => match word.parse() {
            Ok(number) => (number, 1),
            Err(_) => whole_number(&reading.words, at).map(|(number, taken)| (number.into(), taken))?,
        },
    };
    let end = at + taken + usize::from(reading.is(at + taken, &["of"]));
    let unit = Unit::of(reading.word(end)?)?;
    (1..=1_000).contains(&count).then_some((count, unit, end + 1 - at))
}

/// The day as long ago as a span says: `2 years`.
pub fn ago(reading: &Reading<'_>, at: usize) -> Option<Period> {
    let today = reading.today()?;
    let (count, unit, taken) = span(reading, at)?;
    Some(Period::only(unit.away(today, -count), taken + usize::from(reading.is(at + taken, &["old", "ago"]))))
}

/// So long from today, behind `within`: the time to come of what is to happen, else that which has passed.
pub fn within(reading: &Reading<'_>, at: usize, is_future: bool) -> Option<Period> {
    let before = at.checked_sub(1).filter(|before| reading.is(*before, &["within"]))?;
    let today = reading.today()?;
    let (count, unit, taken) = span(reading, before + 1)?;
    let (day, now) = (unit.away(today, if is_future { count } else { -count }), today.day.clone());
    let (first, last) = if is_future { (now, day) } else { (day, now) };
    Some(Period::new(first, last, taken))
}

/// `this year`, `next quarter`, `last 30 days`.
fn relative(reading: &Reading<'_>, at: usize, word: &str, today: &Today) -> Option<Period> {
    let step: i32 = match word {
        "this" | "current" => 0,
        // `before the end of the year`
        "the" if at > 1 && reading.is_phrase(at - 2, &["end", "of"]) => 0,
        "last" | "past" | "previous" => -1,
        "next" | "coming" => 1,
        "recent" if reading.word(at + 1).is_some_and(|unit| unit.ends_with('s')) => -1,
        _ => return None,
    };
    let from_today = |count: i64, unit: Unit, taken: usize| {
        let other = unit.away(today, count);
        let (first, last) = if count < 0 { (other, today.day.clone()) } else { (today.day.clone(), other) };
        Period::new(first, last, taken)
    };
    let unit = said(reading, at + 1)?;
    // `the past year` and `in the last year` go up to today, `last year` is that of the calendar.
    let is_span = at > 1 && reading.is(at - 1, &["the"]) && reading.is(at - 2, &["in", "within", "over", "during"]);
    if (word == "past" || word == "last" && is_span)
        && let Some(unit) = Unit::of(unit)
    {
        return Some(from_today(-1, unit, 2));
    }
    if let Some(season) = season(unit) {
        return Some(Period::of(season, season.year_beside(today, step), 2));
    }
    if unit == "half" && reading.is(at + 2, &["year"]) && step != 0 {
        return Some(from_today(i64::from(step), Unit::Months(6), 3));
    }
    match unit {
        "year" => return Some(Period::only(format!("{:04}", today.year + step), 2)),
        "quarter" => {
            let quarter = today.year * 4 + (today.month - 1) / 3 + step;
            return Some(Period::quarter(quarter.div_euclid(4), quarter.rem_euclid(4), 2));
        }
        "month" => {
            let month = today.year * 12 + today.month - 1 + step;
            let text = format!("{:04}-{:02}", month.div_euclid(12), month.rem_euclid(12) + 1);
            return Some(Period::only(text, 2));
        }
        "week" => return Some(from_today(if step > 0 { 1 } else { -1 }, Unit::Days(7), 2)),
        _ => {}
    }
    // `the next months`
    if let Some(several) = Unit::of(unit).filter(|_| step != 0 && unit.ends_with('s')) {
        return Some(from_today(i64::from(step) * A_FEW, several, 2));
    }
    let (count, unit, taken) = span(reading, at + 1)?;
    Some(from_today(if step > 0 { count } else { -count }, unit, taken + 1))
}
