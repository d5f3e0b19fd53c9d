//! Days and periods: `released since June`, `retires this quarter`, `in the last 30 days`.

mod period;

use super::reading::{Reading, day};
use period::{Period, first_day};
use refdesk_core::{Kind, Stamp};

const DAY_SECS: i64 = 86_400;
/// What happens on a day.
const EVENTS: [(&[&str], &str); 7] = [
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
];

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
    let event = EVENTS.iter().find(|(words, _)| reading.is(at, words)).map(|(_, field)| *field);
    let field = event.unwrap_or(match reading.kind {
        Kind::Model => "released_on",
        Kind::Tutorial => "published_on",
        _ => "updated_since",
    });
    if !takes(reading.kind, field) {
        return false;
    }
    let mut next = at + usize::from(event.is_some());
    while event.is_some() && reading.is(next, &["out", "dates", "date", "is", "are", "of"]) {
        next += 1;
    }
    let (relation, after) = relation_at(reading, next);
    let Some(period) = period::at(reading, after, field == "retires_on") else {
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
