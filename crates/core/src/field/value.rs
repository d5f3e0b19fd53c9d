//! What the values of fields are: how a parameter's value is read, how two stored values compare, and whether one is within a bound.
//! Stored values are texts as rows show them: `200000`, `0.15`, `2026-05`, `true`.

use std::cmp::Ordering;

use rust_decimal::Decimal;

use crate::{Stamp, Usd};

/// What the values of a field are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// One word of many, compared without regard to case.
    Word,
    /// Several words.
    Words {
        /// Whether an item has to have all the words that are asked for, or one of them.
        all: bool,
    },
    /// True or false.
    Flag,
    /// A whole number; `200k` and `1m` are understood.
    Count,
    /// An exact decimal.
    Price,
    /// A day, month or year: `2026-05-31`, `2026-05`, `2026`.
    Date,
    /// A moment (RFC 3339), or a day.
    Time,
    /// Only an order.
    Rank,
}

/// A bound that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ParsedValue {
    /// A whole number.
    Count(u64),
    /// An exact decimal.
    Price(Decimal),
    /// A day, `YYYY-MM-DD`.
    Day(String),
    /// A moment as rows show it.
    Moment(String),
}

/// Which side of a range a bound is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Values from it on.
    Least,
    /// Values up to it.
    Most,
}

impl Side {
    /// The other side.
    #[must_use]
    pub const fn opposite(self) -> Self {
        match self {
            Self::Least => Self::Most,
            Self::Most => Self::Least,
        }
    }

    /// The operator of a parameter that bounds it: `lte` of `price_input__lte`.
    pub const fn operator(self) -> &'static str {
        match self {
            Self::Least => "gte",
            Self::Most => "lte",
        }
    }
}

impl Shape {
    /// What a parameter of this shape takes, in words.
    pub const fn expected(self) -> &'static str {
        match self {
            Self::Word | Self::Words { .. } => "one or more values, separated by commas",
            Self::Flag => "true or false",
            Self::Count => "a whole number such as 200000, 200k or 1m",
            Self::Price => "a price in USD per 1M tokens such as 0.15; 0 is free",
            Self::Date => "a day, month or year: 2026-05-31, 2026-05 or 2026",
            Self::Time => "a moment or a day: 2026-05-31T12:00:00Z or 2026-05-31",
            Self::Rank => "nothing",
        }
    }

    /// Values that a bound of this shape takes.
    pub const fn examples(self) -> &'static [&'static str] {
        match self {
            Self::Count => &["200000", "200k", "1m", "1.5m"],
            Self::Price => &["0.15", "0"],
            Self::Date => &["2026-05-31", "2026-05", "2026", "2024-02-29"],
            Self::Time => &["2026-05-31T12:00:00Z", "2026-05-31T12:00:00.5+02:00", "2026-05-31"],
            Self::Word | Self::Words { .. } | Self::Flag | Self::Rank => &[],
        }
    }

    /// Reads the bound of a range. A month or year counts as its first day where values begin, as its last where they end.
    pub fn bound(self, text: &str, side: Side) -> Option<ParsedValue> {
        let text = text.trim();
        match self {
            Self::Count => count(text).map(ParsedValue::Count),
            Self::Price => {
                Usd::parse(text).filter(|price| !price.is_negative()).map(|price| ParsedValue::Price(price.decimal()))
            }
            Self::Date => day(text, side).map(ParsedValue::Day),
            Self::Time => moment(text).map(|stamp| ParsedValue::Moment(stamp.to_string())),
            Self::Word | Self::Words { .. } | Self::Flag | Self::Rank => None,
        }
    }

    /// The order of two stored values.
    pub fn compare(self, a: &str, b: &str) -> Ordering {
        let by_value = match self {
            Self::Count => a.parse::<u64>().ok().cmp(&b.parse().ok()),
            Self::Price => decimal(a).cmp(&decimal(b)),
            Self::Word | Self::Words { .. } => a.to_lowercase().cmp(&b.to_lowercase()),
            Self::Flag | Self::Date | Self::Time | Self::Rank => Ordering::Equal,
        };
        by_value.then_with(|| a.cmp(b))
    }
}

impl ParsedValue {
    /// Whether a stored value is on the inner side of this bound. A stored month or year is only when all its days are.
    pub fn admits(&self, stored: &str, side: Side) -> bool {
        let order = match self {
            Self::Count(bound) => stored.parse::<u64>().ok().map(|value| value.cmp(bound)),
            Self::Price(bound) => decimal(stored).map(|value| value.cmp(bound)),
            Self::Day(bound) => day(stored, side).map(|value| value.cmp(bound)),
            Self::Moment(bound) => Some(stored.cmp(bound)),
        };
        match side {
            Side::Least => order.is_some_and(Ordering::is_ge),
            Side::Most => order.is_some_and(Ordering::is_le),
        }
    }
}

fn decimal(text: &str) -> Option<Decimal> {
    Usd::parse(text).map(Usd::decimal)
}

/// `200000`, `200,000`, `200.000`, `200k`, `1m`, `1.5m`.
fn count(text: &str) -> Option<u64> {
    let lower = text.to_ascii_lowercase();
    let (number, unit) = match lower.as_bytes().last()? {
        b'k' => (&lower[..lower.len() - 1], 1_000),
        b'm' => (&lower[..lower.len() - 1], 1_000_000),
        _ => (lower.as_str(), 1),
    };
    let mut number = without_thousands(number, ',')?;
    // A whole number has no fraction, so three digits behind a point are thousands; those of a unit may be a fraction.
    if unit == 1
        && !number.starts_with('0')
        && let Some(whole) = without_thousands(&number, '.')
    {
        number = whole;
    }
    if !number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return None;
    }
    let value = number.parse::<Decimal>().ok()?.checked_mul(Decimal::from(unit))?.normalize();
    if value.scale() > 0 { None } else { value.to_string().parse().ok() }
}

/// A number without the signs that set its thousands apart, as pages and tables show it; none with such signs elsewhere.
fn without_thousands(number: &str, sign: char) -> Option<String> {
    let Some((first, groups)) = number.split_once(sign) else { return Some(number.to_owned()) };
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_first = (1..=3).contains(&first.len()) && is_digits(first);
    let is_grouped = groups.split(sign).all(|group| group.len() == 3 && is_digits(group));
    (is_first && is_grouped).then(|| number.replace(sign, ""))
}

/// A moment or a day. A `+` that a URL does not escape arrives as a blank: `2026-05-31T12:00:00 02:00`.
fn moment(text: &str) -> Option<Stamp> {
    Stamp::parse(text).or_else(|| {
        let (moment, offset) = text.split_once(' ').filter(|(moment, _)| moment.contains(['T', 't']))?;
        Stamp::parse(&format!("{moment}+{offset}"))
    })
}

/// The first or last day of a day, month or year.
fn day(text: &str, side: Side) -> Option<String> {
    let full = match (text.len(), side) {
        (4, Side::Least) => format!("{text}-01-01"),
        (4, Side::Most) => format!("{text}-12-31"),
        (7, Side::Least) => format!("{text}-01"),
        (7, Side::Most) => {
            return (28..=31).rev().map(|day| format!("{text}-{day}")).find(|day| Stamp::from_date(day).is_some());
        }
        _ => text.to_owned(),
    };
    (full.len() == 10 && Stamp::from_date(&full).is_some()).then_some(full)
}

#[cfg(test)]
mod tests {
    use super::{ParsedValue, Shape, Side};

    fn count(text: &str) -> Option<u64> {
        match Shape::Count.bound(text, Side::Least) {
            Some(ParsedValue::Count(count)) => Some(count),
            _ => None,
        }
    }

    #[test]
    fn counts_have_units() {
        assert_eq!(count("200k"), Some(200_000));
        assert_eq!(count("1M"), Some(1_000_000));
        assert_eq!(count("1.5m"), Some(1_500_000));
        assert_eq!(count("8192"), Some(8_192));
        assert_eq!((count("1.5"), count("-1"), count("k"), count("")), (None, None, None, None));
        assert_eq!(
            (count("200,000"), count("1,048,576"), count("1,000k")),
            (Some(200_000), Some(1_048_576), Some(1_000_000))
        );
        assert_eq!(
            (count("200.000"), count("1.048.576")),
            (Some(200_000), Some(1_048_576)),
            "points as in many countries"
        );
        assert_eq!(
            (count("1.250"), count("1.250k"), count("5.0"), count("0.000")),
            (Some(1_250), Some(1_250), Some(5), Some(0))
        );
        for wrong in [
            "1,00",
            "1,0000",
            ",000",
            "1000,000",
            "1,000,",
            "1,,000",
            "1.0,000",
            "-1,000",
            "1,000.5",
            "1,000.500",
            "0.500",
            "1.000.00",
        ] {
            assert_eq!(count(wrong), None, "{wrong}");
        }
        assert_eq!(count("99999999999999999999999m"), None);
    }

    #[test]
    fn a_moment_is_of_any_year() {
        let moment = |text| Shape::Time.bound(text, Side::Least);
        assert_eq!(moment("1000-01-01"), Some(ParsedValue::Moment("1000-01-01T00:00:00Z".to_owned())));
        assert_eq!(moment("2026-05-31T12:00:00+02:00"), Some(ParsedValue::Moment("2026-05-31T10:00:00Z".to_owned())));
        assert_eq!(moment("2026-05-31T12:00:00 02:00"), moment("2026-05-31T12:00:00+02:00"), "`+` not escaped");
        for wrong in ["yesterday", "2026-05-31T12:00:00  02:00", "2026-05-31T12:00:00 later"] {
            assert_eq!(moment(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_month_counts_as_its_first_or_last_day() {
        let day = |text, side| match Shape::Date.bound(text, side) {
            Some(ParsedValue::Day(day)) => day,
            other => format!("{other:?}"),
        };
        assert_eq!(day("2024-02", Side::Least), "2024-02-01");
        assert_eq!(day("2024-02", Side::Most), "2024-02-29");
        assert_eq!(day("2025", Side::Most), "2025-12-31");
        assert_eq!(day("2025-02-30", Side::Most), "None");
        assert_eq!(day("soon", Side::Least), "None");
    }

    #[test]
    fn a_month_is_within_a_range_when_all_its_days_are() {
        let Some(bound) = Shape::Date.bound("2025-05-15", Side::Least) else { panic!("a day") };
        assert!(!bound.admits("2025-05", Side::Least) && bound.admits("2025-06", Side::Least));
        assert!(!bound.admits("2025-05", Side::Most) && bound.admits("2025-04", Side::Most));
    }

    #[test]
    fn prices_compare_by_value() {
        use std::cmp::Ordering;
        assert_eq!(Shape::Price.compare("0.10", "0.2"), Ordering::Less);
        assert_eq!(Shape::Price.compare("10", "9.5"), Ordering::Greater);
        let Some(bound) = Shape::Price.bound("0.1", Side::Most) else { panic!("a price") };
        assert!(bound.admits("0.100", Side::Most) && !bound.admits("0.1000001", Side::Most));
        assert_eq!(Shape::Price.bound("-1", Side::Most), None);
    }
}
