//! Superlatives: `cheapest`, `newest`, `longest context`.

use super::reading::Reading;
use refdesk_core::Kind;

/// Phrases for the lowest and the highest price.
const CHEAPEST: [&[&str]; 9] = [
    &["cheapest"],
    &["most", "affordable"],
    &["most", "inexpensive"],
    &["least", "expensive"],
    &["lowest", "priced"],
    &["lowest", "price"],
    &["lowest", "prices"],
    &["lowest", "cost"],
    &["lowest-cost"],
];
const DEAREST: [&[&str]; 4] = [&["most", "expensive"], &["priciest"], &["costliest"], &["highest", "price"]];
/// … and for the latest and the first day.
const NEWEST: [&[&str]; 5] =
    [&["most", "recently", "released"], &["most", "recent"], &["newest"], &["latest", "released"], &["latest"]];
const OLDEST: [&[&str]; 2] = [&["oldest"], &["earliest"]];
const MOST: [&str; 9] = ["largest", "longest", "biggest", "highest", "most", "greatest", "maximum", "widest", "max"];
const LEAST: [&str; 4] = ["smallest", "shortest", "lowest", "least"];

/// Reads a superlative at a position.
pub fn read(reading: &mut Reading<'_>, at: usize) -> bool {
    if reading.has("sort") {
        return false;
    }
    let Some((sort, taken)) = order_at(reading, at) else { return false };
    reading.set("sort", &sort);
    reading.is_of_models |= reading.kind == Kind::Model;
    reading.take(at..at + taken);
    true
}

fn order_at(reading: &Reading<'_>, at: usize) -> Option<(String, usize)> {
    let phrase =
        |phrases: &[&[&str]]| phrases.iter().find(|phrase| reading.is_phrase(at, phrase)).map(|phrase| phrase.len());
    let date = match reading.kind {
        Kind::Model => Some("released_on"),
        Kind::Tutorial => Some("published_on"),
        _ => None,
    };
    if let (Some(field), Some(taken)) = (date, phrase(&NEWEST)) {
        return Some((format!("-{field}"), taken));
    }
    if let (Some(field), Some(taken)) = (date, phrase(&OLDEST)) {
        return Some((field.to_owned(), taken));
    }
    if reading.kind != Kind::Model {
        return None;
    }
    for (phrases, sign) in [(&CHEAPEST[..], ""), (&DEAREST[..], "-")] {
        if let Some(taken) = phrase(phrases) {
            let (meter, more) = if reading.is(at + taken, &["input"]) {
                ("price_input", 1)
            } else if reading.is(at + taken, &["output"]) {
                ("price_output", 1)
            } else {
                ("price_blended", 0)
            };
            let end = at + taken + more;
            return Some((
                format!("{sign}{meter}"),
                taken + more + usize::from(reading.is(end, &["price", "prices", "tokens"])),
            ));
        }
    }
    let sign = if reading.is(at, &MOST) {
        "-"
    } else if reading.is(at, &LEAST) {
        ""
    } else {
        return None;
    };
    let next = at + 1;
    if reading.is(next, &["offers", "sellers", "providers"]) {
        return Some((format!("{sign}offers"), 2));
    }
    let field = if reading.is(next, &["output"]) {
        "output_tokens"
    } else if reading.is(next, &["context", "window"])
        || reading.is(next, &["input"]) && reading.is(next + 1, &["context"])
    {
        "context_tokens"
    } else {
        return None;
    };
    let is_more =
        |at: &usize| reading.is(*at, &["context", "window", "windows", "length", "size", "limit", "output", "tokens"]);
    let end = (next + 1..reading.words.len()).take_while(is_more).last().unwrap_or(next);
    Some((format!("{sign}{field}"), end + 1 - at))
}
