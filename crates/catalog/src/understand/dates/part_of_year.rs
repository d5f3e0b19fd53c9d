//! Months, quarters, halves and seasons: parts of a year that one word says.

use crate::understand::reading::Today;
use refdesk_search::text::word_array;

/// Their English names, in their order.
pub const MONTHS: [&str; 12] =
    word_array("january february march april may june july august september october november december");

/// Some months of a year: the first, counted from 1, and how many. A season may go on into the next year.
#[derive(Debug, Clone, Copy)]
pub struct PartOfYear {
    pub first: i32,
    pub months: i32,
}

impl PartOfYear {
    /// Its first and last month in a year: `2026-04`.
    pub fn in_year(self, year: i32) -> [String; 2] {
        [self.first - 1, self.first + self.months - 2].map(|at| format!("{:04}-{:02}", year + at / 12, at % 12 + 1))
    }

    /// The year of the last of it that has ended, of this year's, or of the next that has not begun. A winter is that of its December.
    pub fn year_beside(self, today: &Today, step: i32) -> i32 {
        let month = today.year * 12 + today.month;
        let begins = |year: i32| year * 12 + self.first;
        match step {
            0 => today.year - i32::from(begins(today.year) > month && begins(today.year - 1) + self.months > month),
            ..0 if begins(today.year) + self.months <= month => today.year,
            ..0 if begins(today.year - 1) + self.months <= month => today.year - 1,
            ..0 => today.year - 2,
            _ => today.year + i32::from(begins(today.year) <= month),
        }
    }
}

/// The three months of a season.
pub fn season(word: &str) -> Option<PartOfYear> {
    let first = match word {
        "spring" => 3,
        "summer" => 6,
        "autumn" | "fall" => 9,
        "winter" => 12,
        _ => return None,
    };
    Some(PartOfYear { first, months: 3 })
}

/// The part of a year that one word says: `june`, `q3`, `h1`, `spring`.
pub fn part_of_year(word: &str) -> Option<PartOfYear> {
    if let Some(first) = month_of(word) {
        return Some(PartOfYear { first, months: 1 });
    }
    if let Some(season) = season(word) {
        return Some(season);
    }
    [('q', 4), ('h', 2)].into_iter().find_map(|(letter, parts)| {
        let part = word.strip_prefix(letter)?.parse::<i32>().ok().filter(|part| (1..=parts).contains(part))?;
        Some(PartOfYear { first: (part - 1) * (12 / parts) + 1, months: 12 / parts })
    })
}

/// Number of a month by its name or the first three letters of it.
pub fn month_of(word: &str) -> Option<i32> {
    let word = if word == "sept" { "sep" } else { word };
    let is_meant = |month: &str| month == word || (word.len() == 3 && month.starts_with(word));
    (1..).zip(MONTHS).find(|(_, month)| is_meant(month)).map(|(number, _)| number)
}
