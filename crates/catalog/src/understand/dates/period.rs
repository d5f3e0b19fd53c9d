//! Periods of time: `2026-05`, `June`, `Q3 2026`, `this quarter`, `the last 30 days`, `between March and June 2025`, `2024 or 2025`.

use std::ops::RangeInclusive;

use crate::understand::reading::{Reading, Today, day_after};
use refdesk_core::Stamp;

/// What `soon` means.
const SOON_DAYS: i64 = 90;
/// Days of a month and of a year where so many of them are reckoned from today, as people round them: `the last 3 months` are 90 days.
const MONTH_DAYS: i64 = 30;
const YEAR_DAYS: i64 = 365;
/// Years that a number may be.
const YEARS: RangeInclusive<i32> = 1990..=2099;
const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

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
    const fn new(first: String, last: String, taken: usize) -> Self {
        Self { first, last, taken, is_of_any_year: false }
    }

    /// One year, month or day.
    fn only(text: String, taken: usize) -> Self {
        Self::new(text.clone(), text, taken)
    }

    /// Some months of a year, from one that is counted from 1.
    fn months(year: i32, first: i32, months: i32, taken: usize) -> Self {
        let month = |month: i32| format!("{year:04}-{month:02}");
        Self::new(month(first), month(first + months - 1), taken)
    }

    /// A quarter, counted from 0.
    fn quarter(year: i32, quarter: i32, taken: usize) -> Self {
        Self::months(year, quarter * 3 + 1, 3, taken)
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

/// The period that stands at a position; one without a year is the next of its name in the future, else the last.
pub fn at(reading: &Reading<'_>, at: usize, is_future: bool) -> Option<Period> {
    let word = unused(reading, at)?;
    let today = reading.today()?;
    if let Some(day) = day_at(reading, at, today, is_future) {
        return Some(day);
    }
    if word.starts_with(|c: char| c.is_ascii_digit()) {
        return is_date(word).then(|| Period::only(word.to_owned(), 1));
    }
    named(reading, at, word, today, is_future).or_else(|| relative(reading, at, word, today))
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

/// A period that goes on behind `or`: `2024 or 2025`. Nothing where time lies between the two: no list has both.
pub fn continued(reading: &Reading<'_>, period: Period, end: usize, is_future: bool) -> Option<Period> {
    let other = if reading.is(end, &["or", "and"]) { at(reading, end + 1, is_future) } else { None };
    let Some(other) = other else { return Some(period) };
    let period = period.in_year_of(&other);
    let taken = period.taken + 1 + other.taken;
    period.is_before(&other).then(|| Period::new(period.first, other.last, taken))
}

/// `1 July 2026`, `July 1st, 2026`, `the 1st of July`.
fn day_at(reading: &Reading<'_>, at: usize, today: &Today, is_future: bool) -> Option<Period> {
    let month = |at: usize| unused(reading, at).and_then(month_of);
    let number = |at: usize| unused(reading, at).and_then(day_of_month);
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

fn year_at(reading: &Reading<'_>, at: usize) -> Option<i32> {
    unused(reading, at).and_then(|word| word.parse().ok()).filter(|year| YEARS.contains(year))
}

fn unused<'r>(reading: &'r Reading<'_>, at: usize) -> Option<&'r str> {
    reading.words.get(at).filter(|word| !word.used).map(|word| word.folded.as_str())
}

/// A year, month or day in digits.
fn is_date(word: &str) -> bool {
    matches!(word.len(), 4 | 7 | 10)
        && word.split('-').all(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
        && Stamp::parse(&first_day(word)).is_some()
        && word.get(..4).and_then(|year| year.parse().ok()).is_some_and(|year| YEARS.contains(&year))
}

/// `June`, `June 2025`, `Q3`, `H1 2025`, `yesterday`, `soon`.
fn named(reading: &Reading<'_>, at: usize, word: &str, today: &Today, is_future: bool) -> Option<Period> {
    let said_year = year_at(reading, at + 1);
    if let Some(month) = month_of(word) {
        let (year, taken) = said_year.map_or((today.year_of(month, is_future), 1), |year| (year, 2));
        let period = Period::only(format!("{year:04}-{month:02}"), taken);
        return Some(Period { is_of_any_year: said_year.is_none(), ..period });
    }
    for (letter, parts) in [('q', 4), ('h', 2)] {
        let part = word.strip_prefix(letter).and_then(|part| part.parse::<i32>().ok());
        if let Some(part) = part.filter(|part| (1..=parts).contains(part)) {
            let (year, taken) = said_year.map_or((today.year, 1), |year| (year, 2));
            let period = Period::months(year, (part - 1) * (12 / parts) + 1, 12 / parts, taken);
            return Some(Period { is_of_any_year: said_year.is_none(), ..period });
        }
    }
    match word {
        "today" => Some(Period::only(today.day.clone(), 1)),
        "yesterday" => Some(Period::only(today.plus(-1), 1)),
        "soon" if is_future => Some(Period::new(today.day.clone(), today.plus(SOON_DAYS), 1)),
        _ => None,
    }
}

/// `this year`, `next quarter`, `last 30 days`.
fn relative(reading: &Reading<'_>, at: usize, word: &str, today: &Today) -> Option<Period> {
    let step: i32 = match word {
        "this" | "current" => 0,
        "last" | "past" | "previous" => -1,
        "next" | "coming" => 1,
        _ => return None,
    };
    let from_today = |days: i64, taken: usize| match days {
        0.. => Period::new(today.day.clone(), today.plus(days), taken),
        _ => Period::new(today.plus(days), today.day.clone(), taken),
    };
    let unit = unused(reading, at + 1)?;
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
        "week" => return Some(from_today(if step > 0 { 7 } else { -7 }, 2)),
        _ => {}
    }
    let count = match unit {
        "two" => 2,
        "three" | "few" | "couple" => 3,
        "six" => 6,
        number => number.parse::<i64>().ok().filter(|count| (1..=1_000).contains(count))?,
    };
    let days = match unused(reading, at + 2)? {
        "day" | "days" => 1,
        "week" | "weeks" => 7,
        "month" | "months" => MONTH_DAYS,
        "year" | "years" => YEAR_DAYS,
        _ => return None,
    };
    Some(from_today(count * days * if step > 0 { 1 } else { -1 }, 3))
}

/// The first day of a year, month or day.
pub fn first_day(text: &str) -> String {
    match text.len() {
        4 => format!("{text}-01-01"),
        7 => format!("{text}-01"),
        _ => text.to_owned(),
    }
}

/// Number of a month by its name or the first three letters of it.
fn month_of(word: &str) -> Option<i32> {
    let word = if word == "sept" { "sep" } else { word };
    let is_meant = |month: &str| month == word || (word.len() == 3 && month.starts_with(word));
    (1..).zip(MONTHS).find(|(_, month)| is_meant(month)).map(|(number, _)| number)
}
