//! Days and periods: `released since June`, `retires this quarter`, `in the last 30 days`.

mod period;

use super::reading::{DAY_SECS, Reading, day, day_after};
use period::{Period, first_day};
use refdesk_core::{Kind, Stamp};

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
    let event = event_at(reading, at);
    // An event that the kind knows nothing of does not leave its period to another.
    if event.is_none() && at > 0 && event_at(reading, at - 1).is_some() {
        return false;
    }
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
    let end = after + period.taken;
    let (relation, end) = open_end(reading, end).unwrap_or((relation, end));
    if !set(reading, field, relation, &period) {
        return false;
    }
    // `knowledge cutoff`
    let is_named_before = field == "knowledge_cutoff" && at > 0 && reading.is(at - 1, &["knowledge", "training"]);
    reading.take(at - usize::from(is_named_before)..end);
    true
}

/// The field of the event that a position speaks of.
fn event_at(reading: &Reading<'_>, at: usize) -> Option<&'static str> {
    EVENTS.iter().find(|(words, _)| reading.is(at, words)).map(|(_, field)| *field)
}

/// Behind a period: `or later`, `or earlier`.
fn open_end(reading: &Reading<'_>, at: usize) -> Option<(Relation, usize)> {
    if reading.is(at, &["onwards", "onward"]) {
        return Some((Relation::Since, at + 1));
    }
    if !reading.is(at, &["or", "and"]) {
        return None;
    }
    if reading.is(at + 1, &["later", "newer", "after", "since", "onwards"]) {
        return Some((Relation::Since, at + 2));
    }
    reading.is(at + 1, &["earlier", "before", "older"]).then_some((Relation::Until, at + 2))
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
    // What is retired already is told by its status, unless it is `about to be retired`.
    let is_to_be = at >= 2 && reading.is(at - 1, &["be", "get"]) && reading.is(at - 2, &["to"]);
    if reading.is(at, &["retired"]) && !is_to_be {
        return false;
    }
    let mut start = if is_to_be { at - 2 } else { at };
    start -= usize::from(start > 0 && is_to_be && reading.is(start - 1, &["about", "soon", "going"]));
    let today = reading.today();
    reading.set("retires_on__gte", &today);
    reading.set("sort", "retires_on");
    reading.is_of_models = true;
    let end = at + 1 + usize::from(reading.is(at + 1, &["next", "soon"]));
    reading.take(start..end);
    true
}

/// Sets the bounds of a period, where the field can say them.
fn set(reading: &mut Reading<'_>, field: &str, relation: Relation, period: &Period) -> bool {
    let day_before = || Stamp::parse(&first_day(&period.first)).map(|first| day(Stamp(first.0 - DAY_SECS)));
    let (first, last) = match relation {
        Relation::Since => (Some(period.first.clone()), None),
        Relation::After => (day_after(&period.last), None),
        Relation::Before => (None, day_before()),
        Relation::Until => (None, Some(period.last.clone())),
        Relation::Within => (Some(period.first.clone()), Some(period.last.clone())),
    };
    if field.ends_with("_since") {
        // Times have no end among the filters; a period that goes on until now needs none.
        let is_open = last.as_ref().is_none_or(|last| **last >= reading.today()[..last.len()]);
        let Some(first) = first.filter(|_| is_open) else { return false };
        reading.set(field, &first_day(&first));
        return true;
    }
    for (operator, bound) in [("gte", first), ("lte", last)] {
        if let Some(bound) = bound {
            reading.set(&format!("{field}__{operator}"), &bound);
        }
    }
    reading.is_of_models |= reading.kind == Kind::Model;
    true
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
