//! Days, months and years in digits: `2026-05-31`, `2026-05`, `2026`, `2024-2025`, `07.08.2025`, `31/12/2025`, `07/2026`.

use std::ops::RangeInclusive;

use super::part_of_year::MONTHS;
use crate::understand::reading::Reading;
use crate::understand::words::only_digits;
use refdesk_core::Stamp;

/// Years that a number may be.
const YEARS: RangeInclusive<i32> = 1990..=2099;

/// The year that a number is.
pub fn year(word: &str) -> Option<i32> {
    word.parse().ok().filter(|year| YEARS.contains(year))
}

/// The first and the last day, month or year of what a word says in digits.
pub fn in_digits(word: &str) -> Option<[String; 2]> {
    if !word.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let whole = || if is_date(word) { Some(word.to_owned()) } else { year_last(word).filter(|day| is_date(day)) };
    whole().map(|date| [date.clone(), date]).or_else(|| years(word))
}

/// `2024-2025`
fn years(word: &str) -> Option<[String; 2]> {
    let (first, last) = word.split_once(['-', '–'])?;
    (year(first)? < year(last)?).then(|| [first, last].map(str::to_owned))
}

/// A day or month whose year stands last, as a list takes it. With dots the day comes first; with slashes either may, and only a number beyond
/// all months tells which.
fn year_last(word: &str) -> Option<String> {
    let (rest, year) = word.rsplit_once(['.', '/'])?;
    let number = |part: &str| if part.len() <= 2 { part.parse::<usize>().ok() } else { None };
    let whole = year.len() == "YYYY".len();
    let (day, month) = match rest.split_once(['.', '/']) {
        None => return number(rest).filter(|_| whole && word.contains('/')).map(|month| format!("{year}-{month:02}")),
        Some((first, second)) => match (number(first)?, number(second)?) {
            (month, day) if word.contains('/') && day > MONTHS.len() => (day, month),
            (day, month) if !word.contains('/') || day > MONTHS.len() || day == month => (day, month),
            _ => return None,
        },
    };
    whole.then(|| format!("{year}-{month:02}-{day:02}"))
}

/// A year, month or day in digits.
fn is_date(word: &str) -> bool {
    matches!(word.len(), 4 | 7 | 10)
        && word.split('-').all(only_digits)
        && Stamp::parse(&first_day(word)).is_some()
        && word.get(..4).and_then(year).is_some()
}

/// Warns of what is written as a day at a position and is none: `2026-02-31`.
pub fn warn_of_no_day(reading: &mut Reading<'_>, at: usize) {
    let is_written_so = |word: &&str| word.len() == "YYYY-MM-DD".len() && word.split('-').count() == 3;
    let is_no_day = |word: &&str| word.split('-').all(only_digits) && !is_date(word);
    let day = reading.word(at).filter(is_written_so).filter(is_no_day);
    if let Some(day) = day.map(str::to_owned) {
        reading.warn_of(day, "there is no such day");
    }
    let is_ambiguous =
        |word: &&str| word.split('/').count() == 3 && word.split('/').all(|part| part.parse::<u32>().is_ok());
    if let Some(day) = reading.word(at).filter(is_ambiguous).map(str::to_owned) {
        reading.warn_of(day, "it may be of two months; say `2026-05-31`");
    }
}

/// The first day of a year, month or day.
pub fn first_day(text: &str) -> String {
    match text.len() {
        4 => format!("{text}-01-01"),
        7 => format!("{text}-01"),
        _ => text.to_owned(),
    }
}
