//! Points in time as the desk keeps and shows them: RFC 3339, UTC, `Z`, whole seconds.
//! There is no `now()` here on purpose: the clock is an argument everywhere in this crate.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Seconds since the Unix epoch, UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Stamp(pub i64);

/// A stored time further ahead of the clock than this is no time that can be: the clock was wrong when it was written, or is now.
pub const CLOCK_AHEAD_SECS_MAX: i64 = 300;

impl Stamp {
    /// The first moment that RFC 3339 can write: `0000-01-01T00:00:00Z`.
    pub const MIN: Self = Self(-62_167_219_200);
    /// The last one: `9999-12-31T23:59:59Z`.
    pub const MAX: Self = Self(253_402_300_799);

    /// The stamp of a jiff timestamp, cut to whole seconds.
    pub fn from_timestamp(timestamp: jiff::Timestamp) -> Self {
        Self(timestamp.as_second())
    }

    /// This moment and `secs` more, at most [`Stamp::MAX`] and at least [`Stamp::MIN`].
    #[must_use]
    pub const fn plus_secs(self, secs: i64) -> Self {
        Self(self.0.saturating_add(secs)).written_as()
    }

    /// The moment that is written for this one: itself, or the nearest that RFC 3339 can write.
    #[must_use]
    pub const fn written_as(self) -> Self {
        if self.0 > Self::MAX.0 {
            Self::MAX
        } else if self.0 < Self::MIN.0 {
            Self::MIN
        } else {
            self
        }
    }

    /// Seconds from `earlier` to this moment; negative when `earlier` is later.
    pub const fn secs_since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }

    /// True when this moment cannot have been yet at `now`, however the clock may differ a little.
    pub const fn is_ahead_of(self, now: Self) -> bool {
        self.secs_since(now) > CLOCK_AHEAD_SECS_MAX
    }

    /// The moment from which a stated date has passed: the start of a day (UTC), or the end of a month or year of which no day is stated.
    pub fn date_passed_at(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.len() == "YYYY".len() && text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Self::date_passed_at(&format!("{text}-12"));
        }
        let Some((year, month)) = text.split_once('-').filter(|(_, month)| month.len() == 2) else {
            return Self::from_date(text);
        };
        let (year, month): (i32, u8) = (year.parse().ok()?, month.parse().ok()?);
        if !(1..=12).contains(&month) {
            return None;
        }
        let next = if month == 12 { (year.checked_add(1)?, 1) } else { (year, month + 1) };
        Self::from_date(&format!("{:04}-{:02}-01", next.0, next.1))
    }

    /// Midnight UTC of a `YYYY-MM-DD` date.
    pub fn from_date(text: &str) -> Option<Self> {
        let date = jiff::civil::Date::from_str(text.trim()).ok()?;
        Self::of_civil(date.to_datetime(jiff::civil::Time::midnight()), 0)
    }

    /// Reads an RFC 3339 timestamp with any offset, one without as UTC, or a bare date. Reads whatever [`fmt::Display`] writes.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let read = jiff::Timestamp::from_str(text).map(Self::from_timestamp).ok();
        read.or_else(|| Self::of_pieces(text)).or_else(|| Self::from_date(text))
    }

    /// What a `jiff::Timestamp` leaves out: the last hours of the year 9999, for the sake of local times, and a moment without an offset. As a
    /// mere date, that would lose its time of day.
    fn of_pieces(text: &str) -> Option<Self> {
        let pieces = jiff::fmt::temporal::Pieces::parse(text).ok()?;
        let moment = pieces.date().to_datetime(pieces.time()?);
        Self::of_civil(moment, pieces.to_numeric_offset().map_or(0, |offset| i64::from(offset.seconds())))
    }

    /// A date and a time at so many seconds east of UTC; `None` when RFC 3339 cannot write it in UTC.
    fn of_civil(moment: jiff::civil::DateTime, offset_secs: i64) -> Option<Self> {
        let since_epoch =
            moment.duration_since(jiff::civil::date(1970, 1, 1).to_datetime(jiff::civil::Time::midnight()));
        // A fraction is cut off towards the past, before the epoch, too.
        let secs = since_epoch.as_secs() - i64::from(since_epoch.subsec_nanos() < 0) - offset_secs;
        Some(Self(secs)).filter(|stamp| *stamp == stamp.written_as())
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(std::str::from_utf8(&self.written()).map_err(|_| fmt::Error)?)
    }
}

impl Stamp {
    /// The text of a moment, or of the nearest that RFC 3339 can write. A search answer holds fifty, so it is written without a formatter;
    /// the day is H. Hinnant's `civil_from_days` (<https://howardhinnant.github.io/date_algorithms.html>).
    pub fn written(self) -> [u8; 20] {
        const DAY_SECS: u64 = 86_400;
        // Its calendar begins with March of a year that 400 divides; the one before the year 0 makes every number positive.
        const YEARS_BEFORE: u64 = 400;
        const DAYS_BEFORE: i64 = 719_468 + 146_097;
        let secs = (self.written_as().0 + DAYS_BEFORE * 86_400).unsigned_abs();
        let (days, second) = (secs / DAY_SECS, secs % DAY_SECS);
        let (era, day_of_era) = (days / 146_097, days % 146_097);
        let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * shifted + 2) / 5 + 1;
        let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
        let year = year_of_era + era * 400 + u64::from(month <= 2) - YEARS_BEFORE;
        let mut text = *b"0000-00-00T00:00:00Z";
        for (at, number) in [
            (0, year / 100),
            (2, year % 100),
            (5, month),
            (8, day),
            (11, second / 3_600),
            (14, second / 60 % 60),
            (17, second % 60),
        ] {
            text[at] += (number / 10) as u8;
            text[at + 1] += (number % 10) as u8;
        }
        text
    }
}

impl Serialize for Stamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // A format for machines has no use for the text.
        if serializer.is_human_readable() { serializer.collect_str(self) } else { serializer.serialize_i64(self.0) }
    }
}

impl<'de> Deserialize<'de> for Stamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if !deserializer.is_human_readable() {
            return i64::deserialize(deserializer).map(Self);
        }
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom(format!("{text:?} is not an RFC 3339 time")))
    }
}

impl utoipa::PartialSchema for Stamp {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        utoipa::openapi::ObjectBuilder::new()
            .schema_type(utoipa::openapi::Type::String)
            .format(Some(utoipa::openapi::SchemaFormat::KnownFormat(utoipa::openapi::KnownFormat::DateTime)))
            .description(Some("RFC 3339, UTC, whole seconds"))
            .into()
    }
}
impl utoipa::ToSchema for Stamp {}

#[cfg(test)]
mod tests {
    use super::Stamp;

    #[test]
    fn a_stamp_reads_offsets_and_dates_and_shows_utc_seconds() {
        let shown = |text: &str| Stamp::parse(text).map(|stamp| stamp.to_string());
        assert_eq!(shown("2026-08-01T17:18:48.9+05:30").as_deref(), Some("2026-08-01T11:48:48Z"));
        assert_eq!(shown("2026-08-01").as_deref(), Some("2026-08-01T00:00:00Z"));
        assert_eq!(shown("2026-08-01T17:18:48.9").as_deref(), Some("2026-08-01T17:18:48Z"), "its time of day is kept");
        assert_eq!(shown("2026-08-01 17:18").as_deref(), Some("2026-08-01T17:18:00Z"));
        assert_eq!(shown("2026-13-01"), None);
    }

    #[test]
    fn a_date_has_passed_from_its_day_on_and_a_month_or_year_when_it_is_over() {
        let passed = |text: &str| Stamp::date_passed_at(text).map(|stamp| stamp.to_string());
        assert_eq!(passed("2026-08-01").as_deref(), Some("2026-08-01T00:00:00Z"));
        assert_eq!(passed("2026-08").as_deref(), Some("2026-09-01T00:00:00Z"));
        assert_eq!(passed("2026-12").as_deref(), Some("2027-01-01T00:00:00Z"));
        assert_eq!(passed("2026").as_deref(), Some("2027-01-01T00:00:00Z"));
        for no_date in ["2026-02-30", "2026-13", "202", "soon", ""] {
            assert_eq!(passed(no_date), None, "{no_date}");
        }
    }

    #[test]
    fn a_stamp_is_written_as_jiff_writes_it() {
        // Steps of eleven days and some, over leap years and centuries from the year 0 on, and the last second of the year 9999.
        let steps = (Stamp::MIN.0..253_402_300_800).step_by(987_654);
        for secs in steps.chain([253_402_300_799, 253_402_300_800, -1, 0]) {
            let known = jiff::Timestamp::from_second(secs).map(|timestamp| timestamp.to_string());
            assert_eq!(Stamp(secs).to_string(), known.unwrap_or_else(|_| "9999-12-31T23:59:59Z".into()), "{secs}");
        }
    }

    #[test]
    fn the_ends_of_time_are_read_as_they_are_written() {
        for (secs, text) in [
            (Stamp::MIN.0, "0000-01-01T00:00:00Z"),
            (i64::MIN, "0000-01-01T00:00:00Z"),
            (-1, "1969-12-31T23:59:59Z"),
            (Stamp::MAX.0, "9999-12-31T23:59:59Z"),
            (i64::MAX, "9999-12-31T23:59:59Z"),
        ] {
            assert_eq!(Stamp(secs).to_string(), text);
            assert_eq!(Stamp::parse(text), Some(Stamp(secs).written_as()), "{text}");
        }
        assert_eq!(Stamp::parse("9999-12-31T23:59:59.999+00:00"), Some(Stamp::MAX));
        assert_eq!(Stamp::from_date("9999-12-31"), Some(Stamp(Stamp::MAX.0 - 86_399)));
        assert_eq!(
            Stamp::parse("-000001-12-31T23:59:59Z").map(|stamp| stamp.to_string()),
            Some("0000-01-01T00:00:00Z".into())
        );
        assert_eq!(Stamp::date_passed_at("2147483647-12"), None);
        assert_eq!(Stamp(0).plus_secs(i64::MAX), Stamp::MAX);
    }

    proptest::proptest! {
        #[test]
        fn writing_and_reading_a_stamp_are_inverse(secs in Stamp::MIN.0..=Stamp::MAX.0, any in proptest::num::i64::ANY) {
            for stamp in [Stamp(secs), Stamp(any)] {
                let text = stamp.to_string();
                proptest::prop_assert_eq!(Stamp::parse(&text), Some(stamp.written_as()), "{}", text);
                let json = serde_json::to_string(&stamp).unwrap_or_default();
                proptest::prop_assert_eq!(serde_json::from_str::<Stamp>(&json).ok(), Some(stamp.written_as()));
            }
        }
    }
}
