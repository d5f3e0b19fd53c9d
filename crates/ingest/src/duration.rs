//! Durations as people write them in the configuration: `90d`, `12h`, `1h30m`, `1s`, `500ms`.
//! Not a calendar: a day is 24 hours, a week is seven of them. That is why it is not read by jiff: its durations know no days, its spans take
//! them for days of a calendar, and both accept more spellings than the settings promise.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Longest duration that is accepted: a century, so that no sum with a clock overflows.
const DAYS_MAX: u64 = 36_525;

/// Units with their milliseconds, the largest first.
const UNITS: [(&str, u64); 6] =
    [("w", 604_800_000), ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];

/// A length of time that reads and shows as text (`12h`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span(pub Duration);

impl Span {
    /// So many seconds.
    pub const fn secs(secs: u64) -> Self {
        Self(Duration::from_secs(secs))
    }

    /// So many milliseconds.
    pub const fn millis(millis: u64) -> Self {
        Self(Duration::from_millis(millis))
    }

    /// So many days.
    pub const fn days(days: u64) -> Self {
        Self::secs(days * 86_400)
    }

    /// Whole seconds.
    pub const fn as_secs(self) -> u64 {
        self.0.as_secs()
    }

    /// Whole seconds as the signed number that stamps count in.
    pub fn as_stamp_secs(self) -> i64 {
        i64::try_from(self.0.as_secs()).unwrap_or(i64::MAX)
    }
}

/// A text that is no duration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not a duration: {reason}; write a number with a unit, such as `90d`, `12h`, `1h30m`, `1s` or `500ms`"
)]
pub struct SpanError {
    text: String,
    reason: &'static str,
}

impl SpanError {
    /// What is wrong with the text.
    pub const fn reason(&self) -> &'static str {
        self.reason
    }
}

impl FromStr for Span {
    type Err = SpanError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = |reason| SpanError { text: text.chars().take(40).collect(), reason };
        let mut rest = text.trim();
        if rest.is_empty() {
            return Err(wrong("it is empty"));
        }
        let mut millis: u64 = 0;
        while !rest.is_empty() {
            let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let number: u64 = match &rest[..digits] {
                "" => return Err(wrong("a number is missing")),
                number => number.parse().map_err(|_| wrong("the number is too large"))?,
            };
            rest = &rest[digits..];
            let letters = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_alphabetic()).len();
            let unit = UNITS.iter().find(|(name, _)| *name == &rest[..letters]);
            let (_, size) = unit.ok_or_else(|| wrong("the unit is missing or unknown (w, d, h, m, s, ms)"))?;
            let part = number.checked_mul(*size).ok_or_else(|| wrong("it is too long"))?;
            millis = millis.checked_add(part).ok_or_else(|| wrong("it is too long"))?;
            rest = rest[letters..].trim_start();
        }
        if millis > DAYS_MAX * 86_400_000 {
            return Err(wrong("it is longer than a century"));
        }
        Ok(Self::millis(millis))
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut millis = u64::try_from(self.0.as_millis()).unwrap_or(u64::MAX);
        if millis == 0 {
            return f.write_str("0s");
        }
        // Weeks are read but not written: `90d` should come back as it was.
        for (name, size) in &UNITS[1..] {
            if millis >= *size {
                write!(f, "{}{name}", millis / size)?;
                millis %= size;
            }
        }
        Ok(())
    }
}

impl Serialize for Span {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::Span;

    #[test]
    fn durations_read_as_people_write_them_and_come_back() {
        let check = |text: &str, millis: u64, shown: &str| {
            let span: Result<Span, _> = text.parse();
            assert_eq!(span, Ok(Span::millis(millis)), "{text}");
            assert_eq!(Span::millis(millis).to_string(), shown);
        };
        check("90d", 90 * 86_400_000, "90d");
        check("12h", 43_200_000, "12h");
        check("1h30m", 5_400_000, "1h30m");
        check(" 1h 30m ", 5_400_000, "1h30m");
        check("1s", 1_000, "1s");
        check("500ms", 500, "500ms");
        check("2w", 14 * 86_400_000, "14d");
        check("0s", 0, "0s");
    }

    #[test]
    fn what_is_no_duration_says_what_to_write() {
        for text in ["", "12", "h", "1y", "-1s", "1.5h", "99999999999999999999s", "99999999d", "1s2"] {
            let error = text.parse::<Span>().map_err(|error| error.to_string()).unwrap_err();
            assert!(error.contains("such as `90d`"), "{text}: {error}");
        }
    }
}
