//! The day that periods of a question are reckoned from, and days around others.

use refdesk_core::Stamp;

/// The day that periods are reckoned from.
#[derive(Debug)]
pub struct Today {
    stamp: Stamp,
    /// `YYYY-MM-DD`
    pub day: String,
    /// Its year.
    pub year: i32,
    /// Its month, counted from 1.
    pub month: i32,
}

impl Today {
    pub(super) fn new(moment: Stamp) -> Option<Self> {
        let day = day(moment);
        Some(Self {
            stamp: Stamp::parse(&day)?,
            year: day.get(..4)?.parse().ok()?,
            month: day.get(5..7)?.parse().ok()?,
            day,
        })
    }

    /// The year of the next month of a number, or of the last.
    pub const fn year_of(&self, month: i32, is_future: bool) -> i32 {
        if is_future { self.year + (month < self.month) as i32 } else { self.year - (month > self.month) as i32 }
    }

    /// The day so many days later.
    pub fn plus(&self, days: i64) -> String {
        day(Stamp(self.stamp.0 + days * DAY_SECS))
    }

    /// The same day of another month, or the last that this month has.
    pub fn plus_months(&self, months: i32) -> String {
        let month = self.year * 12 + self.month - 1 + months;
        let (year, month) = (month.div_euclid(12), month.rem_euclid(12) + 1);
        let of_month: u32 = self.day.get("YYYY-MM-".len()..).and_then(|day| day.parse().ok()).unwrap_or(1);
        let days = (1..=of_month).rev().map(|day| format!("{year:04}-{month:02}-{day:02}"));
        days.into_iter().find(|day| Stamp::parse(day).is_some()).unwrap_or_else(|| self.day.clone())
    }
}

/// Seconds of a day.
const DAY_SECS: i64 = 86_400;

/// The day after a day, or after the last of a month or year: `2025-01-01` of `2024-12` and of `2024`.
pub fn day_after(date: &str) -> Option<String> {
    let passed = Stamp::date_passed_at(date)?;
    Some(day(if date.len() < "YYYY-MM-DD".len() { passed } else { Stamp(passed.0 + DAY_SECS) }))
}

/// The day before a day, or before the first of a month or year: `2023-12-31` of `2024-01` and of `2024`.
pub fn day_before(date: &str) -> Option<String> {
    const FIRST: &str = "0000-01-01";
    let whole = format!("{date}{}", FIRST.get(date.len()..)?);
    Some(day(Stamp(Stamp::parse(&whole)?.0 - DAY_SECS)))
}

/// The day of a moment, `YYYY-MM-DD`.
pub fn day(moment: Stamp) -> String {
    let mut text = moment.to_string();
    text.truncate("YYYY-MM-DD".len());
    text
}
