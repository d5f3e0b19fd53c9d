//! Days and periods: `released since June`, `retires this quarter`, `in the last 30 days`.

use super::reading::{Reading, day};
use refdesk_core::{Kind, Stamp};

const DAY_SECS: i64 = 86_400;
/// What `soon` means.
const SOON_DAYS: i64 = 90;
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

/// What happens on a day.
const EVENTS: [(&[&str], &str); 8] = [
    (
        &[
            "retire",
            "retires",
            "retiring",
            "retirement",
            "sunset",
            "sunsets",
            "sunsetting",
            "shutdown",
            "eol",
            "retired",
        ],
        "retires_on",
    ),
    (&["deprecated", "deprecation", "deprecations"], "deprecated_on"),
    (&["released", "release", "releases", "launched", "announced", "came", "new"], "released_on"),
    (&["published", "written"], "published_on"),
    (&["cutoff", "cut-off"], "knowledge_cutoff"),
    (&["updated", "changed", "modified"], "updated_since"),
    (&["verified", "checked"], "verified_since"),
    (&["from"], ""),
];

/// First and last day, as a list takes them: `2026`, `2026-05`, `2026-05-31`.
struct Period {
    first: String,
    last: String,
    taken: usize,
}

/// What stands between an event and its period.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Relation {
    Since,
    After,
    Before,
    Until,
    Within,
}

/// Reads an event with its period, or a period alone, at a position.
pub fn read(reading: &mut Reading<'_>, at: usize) -> bool {
    let event =
        EVENTS.iter().find(|(words, field)| !field.is_empty() && reading.is(at, words)).map(|(_, field)| *field);
    let field = event.or(match reading.kind {
        Kind::Model => Some("released_on"),
        Kind::Tutorial => Some("published_on"),
        _ => Some("updated_since"),
    });
    let mut next = at + usize::from(event.is_some());
    while event.is_some()
        && reading.is(next, &["out", "dates", "date", "is", "are", "of", "soon"])
        && !reading.is(next, &["soon"])
    {
        next += 1;
    }
    let (relation, after) = relation_at(reading, next);
    let is_future = field == Some("retires_on");
    let Some(field) = field.filter(|field| takes(reading.kind, field)) else { return false };
    let Some(period) = period_at(reading, after, is_future) else {
        return field == "retires_on" && event.is_some() && retiring(reading, at);
    };
    // A period alone says too little: `2026`, `this year`.
    let Some(relation) = relation.or(event.map(|_| Relation::Within)) else { return false };
    set(reading, field, relation, &period);
    reading.take(at..after + period.taken);
    true
}

/// Whether a kind has a field.
fn takes(kind: Kind, field: &str) -> bool {
    match field {
        "updated_since" | "verified_since" => true,
        _ => refdesk_core::field::named(kind, field).is_some(),
    }
}

/// `retiring models`: from today on.
fn retiring(reading: &mut Reading<'_>, at: usize) -> bool {
    // What is retired already is told by its status.
    if reading.is(at, &["retired"]) {
        return false;
    }
    let today = reading.today();
    reading.set("retires_on__gte", &today);
    reading.set("sort", "retires_on");
    let end = at + 1 + usize::from(reading.is(at + 1, &["next"]));
    reading.take(at..end);
    true
}

fn set(reading: &mut Reading<'_>, field: &str, relation: Relation, period: &Period) {
    let day_after = || Stamp::date_passed_at(&period.last).map(day);
    let day_before = || Stamp::parse(&first_day(&period.first)).map(|first| day(Stamp(first.0 - DAY_SECS)));
    let (first, last) = match relation {
        Relation::Since => (Some(period.first.clone()), None),
        Relation::After => (day_after(), None),
        Relation::Before => (None, day_before()),
        Relation::Until => (None, Some(period.last.clone())),
        Relation::Within => (Some(period.first.clone()), Some(period.last.clone())),
    };
    if field.ends_with("_since") {
        // Times have no end among the filters.
        if let Some(first) = first {
            reading.set(field, &first_day(&first));
        }
        return;
    }
    for (operator, bound) in [("gte", first), ("lte", last)] {
        if let Some(bound) = bound {
            reading.set(&format!("{field}__{operator}"), &bound);
        }
    }
    reading.is_of_models |= reading.kind == Kind::Model;
}

/// The first day of a year, month or day.
fn first_day(text: &str) -> String {
    match text.len() {
        4 => format!("{text}-01-01"),
        7 => format!("{text}-01"),
        _ => text.to_owned(),
    }
}

fn relation_at(reading: &Reading<'_>, at: usize) -> (Option<Relation>, usize) {
    let relations: [(&[&str], Relation); 5] = [
        (&["since", "from", "starting"], Relation::Since),
        (&["after"], Relation::After),
        (&["before"], Relation::Before),
        (&["until", "till", "by"], Relation::Until),
        (&["in", "during", "within", "on"], Relation::Within),
    ];
    match relations.iter().find(|(words, _)| reading.is(at, words)) {
        Some((_, relation)) => (Some(*relation), at + 1 + usize::from(reading.is(at + 1, &["the"]))),
        None => (None, at),
    }
}

fn period_at(reading: &Reading<'_>, at: usize, is_future: bool) -> Option<Period> {
    let today = reading.today();
    let now = Stamp::parse(&today)?;
    let word = reading.words.get(at).filter(|word| !word.used)?.folded.as_str();
    let (year, month) = (today.get(..4)?.parse::<i32>().ok()?, today.get(5..7)?.parse::<i32>().ok()?);
    let of = |first: String, last: String, taken: usize| Some(Period { first, last, taken });
    if word.starts_with(|c: char| c.is_ascii_digit()) {
        let is_date = matches!(word.len(), 4 | 7 | 10)
            && word.split('-').all(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
            && Stamp::parse(&first_day(word)).is_some()
            && word.get(..4).is_some_and(|year| (1990..2100).contains(&year.parse::<i32>().unwrap_or_default()));
        return is_date.then(|| Period { first: word.to_owned(), last: word.to_owned(), taken: 1 });
    }
    if let Some(named) = month_of(word) {
        let (year, taken) = match said_year(reading, at + 1) {
            Some(year) => (year, 2),
            None if is_future => (if named < month { year + 1 } else { year }, 1),
            None => (if named > month { year - 1 } else { year }, 1),
        };
        let text = format!("{year:04}-{named:02}");
        return of(text.clone(), text, taken);
    }
    if let Some(quarter) =
        word.strip_prefix('q').and_then(|quarter| quarter.parse::<i32>().ok()).filter(|q| (1..=4).contains(q))
    {
        let (year, taken) = said_year(reading, at + 1).map_or((year, 1), |year| (year, 2));
        let (first, last) = quarter_of(year, quarter - 1);
        return of(first, last, taken);
    }
    match word {
        "today" => return of(today.clone(), today, 1),
        "yesterday" => return of(day(Stamp(now.0 - DAY_SECS)), today, 1),
        "soon" if is_future => return of(today, day(Stamp(now.0 + SOON_DAYS * DAY_SECS)), 1),
        _ => {}
    }
    let step = match word {
        "this" | "current" => 0,
        "last" | "past" | "previous" => -1,
        "next" | "coming" => 1,
        _ => return None,
    };
    let unit = reading.words.get(at + 1).filter(|word| !word.used)?.folded.as_str();
    match unit {
        "year" => {
            let year = format!("{:04}", year + step);
            return of(year.clone(), year, 2);
        }
        "quarter" => {
            let quarter = year * 4 + (month - 1) / 3 + step;
            let (first, last) = quarter_of(quarter.div_euclid(4), quarter.rem_euclid(4));
            return of(first, last, 2);
        }
        "month" => {
            let month = year * 12 + month - 1 + step;
            let text = format!("{:04}-{:02}", month.div_euclid(12), month.rem_euclid(12) + 1);
            return of(text.clone(), text, 2);
        }
        "week" if step <= 0 => return of(day(Stamp(now.0 - 7 * DAY_SECS)), today, 2),
        "week" => return of(today, day(Stamp(now.0 + 7 * DAY_SECS)), 2),
        _ => {}
    }
    // `last 30 days`, `next two months`
    let count = match unit {
        "two" => 2,
        "three" => 3,
        "six" => 6,
        "few" | "couple" => 3,
        number => number.parse::<i64>().ok().filter(|count| (1..=1_000).contains(count))?,
    };
    let unit = reading.words.get(at + 2).filter(|word| !word.used)?.folded.as_str();
    let days = match unit {
        "day" | "days" => 1,
        "week" | "weeks" => 7,
        "month" | "months" => 30,
        "year" | "years" => 365,
        _ => return None,
    };
    let away = day(Stamp(now.0 + i64::from(step.signum()) * count * days * DAY_SECS));
    if step > 0 { of(today, away, 3) } else { of(away, today, 3) }
}

/// Number of a month by its name or the first three letters of it.
fn month_of(word: &str) -> Option<i32> {
    let word = if word == "sept" { "sep" } else { word };
    let is_meant = |month: &str| month == word || (word.len() == 3 && month.starts_with(word));
    (1..).zip(MONTHS).find(|(_, month)| is_meant(month)).map(|(number, _)| number)
}

fn said_year(reading: &Reading<'_>, at: usize) -> Option<i32> {
    let word = reading.words.get(at).filter(|word| !word.used)?;
    word.folded.parse().ok().filter(|year| (1990..2100).contains(year))
}

/// First and last month of a quarter, counted from 0.
fn quarter_of(year: i32, quarter: i32) -> (String, String) {
    (format!("{year:04}-{:02}", quarter * 3 + 1), format!("{year:04}-{:02}", quarter * 3 + 3))
}
