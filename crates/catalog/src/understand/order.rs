//! Superlatives and orders: `cheapest`, `top 5 newest`, `longest context`, `sorted by price`.

use super::amounts::Cursor;
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
const RECENT: [&[&str]; 3] = [&["recent"], &["new"], &["recently", "released"]];
const OLDEST: [&[&str]; 2] = [&["oldest"], &["earliest"]];
const MOST: [&str; 9] = ["largest", "longest", "biggest", "highest", "most", "greatest", "maximum", "widest", "max"];
const LEAST: [&str; 4] = ["smallest", "shortest", "lowest", "least"];
const PRICES: [&str; 5] = ["price", "prices", "pricing", "cost", "tokens"];

/// `sorted by price`, and what an order is said to go by.
const SORTED: [&[&str]; 5] =
    [&["sorted", "by"], &["ordered", "by"], &["order", "by"], &["sort", "by"], &["ranked", "by"]];
const KEYS: [(&[&str], &str); 12] = [
    (&["input", "price"], "price_input"),
    (&["output", "price"], "price_output"),
    (&["price"], "price_blended"),
    (&["cost"], "price_blended"),
    (&["context", "window"], "-context_tokens"),
    (&["context", "length"], "-context_tokens"),
    (&["context"], "-context_tokens"),
    (&["release", "date"], "-released_on"),
    (&["date"], "-released_on"),
    (&["newest"], "-released_on"),
    (&["popularity"], "-offers"),
    (&["retirement", "date"], "retires_on"),
];
/// Words in front of a number of things: `top 5`.
const TOP: [&str; 2] = ["top", "first"];
/// Numbers in words, before a superlative: `three cheapest`.
const COUNTS: [&str; 5] = ["two", "three", "four", "five", "ten"];

/// Reads a superlative, or what to sort by, at a position.
pub fn read(reading: &mut Reading<'_>, at: usize) -> bool {
    if reading.has("sort") {
        return false;
    }
    let Some((sort, taken)) = order_at(reading, at).or_else(|| sorted_by(reading, at)) else { return false };
    reading.set("sort", &sort);
    reading.is_of_models |= reading.kind == Kind::Model;
    reading.take(counted_before(reading, at)..at + taken);
    true
}

/// Where the words begin that say how many are wanted, if some do: `top 5 cheapest`, `3 newest`.
fn counted_before(reading: &Reading<'_>, at: usize) -> usize {
    let is_count = |at: usize| {
        let word = reading.words.get(at).filter(|word| !word.used).map_or("", |word| word.folded.as_str());
        COUNTS.contains(&word) || (!word.is_empty() && word.len() < 3 && word.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let Some(count) = at.checked_sub(1).filter(|before| is_count(*before)) else { return at };
    count - usize::from(count > 0 && reading.is(count - 1, &TOP))
}

fn sorted_by(reading: &Reading<'_>, at: usize) -> Option<(String, usize)> {
    let phrase = SORTED.iter().find(|phrase| reading.is_phrase(at, phrase))?;
    let mut next = at + phrase.len();
    next += usize::from(reading.is(next, &["the", "their"]));
    let (key, sort) = KEYS.iter().find(|(key, _)| reading.is_phrase(next, key))?;
    (reading.kind == Kind::Model).then(|| ((*sort).to_owned(), next + key.len() - at))
}

fn order_at(reading: &Reading<'_>, at: usize) -> Option<(String, usize)> {
    let phrase =
        |phrases: &[&[&str]]| phrases.iter().find(|phrase| reading.is_phrase(at, phrase)).map(|phrase| phrase.len());
    let date = match reading.kind {
        Kind::Model => Some("released_on"),
        Kind::Tutorial => Some("published_on"),
        _ => None,
    };
    // `new` and `recent` ask for the newest only directly before the word for the kind: `New Relic server` does not.
    let is_before_kind = reading.words.get(at + 1).is_some_and(|next| next.used) && reading.head_end > Some(at);
    let newest = phrase(&NEWEST).or_else(|| phrase(&RECENT).filter(|_| is_before_kind));
    if let (Some(field), Some(taken)) = (date, newest) {
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
            return Some(priced(reading, at, taken, sign, "price_blended"));
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
    if let Some((meter, _)) = meter_at(reading, next).filter(|(_, length)| reading.is(next + length, &PRICES)) {
        return Some(priced(reading, at, 1, sign, meter));
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

/// An order by the price that is named behind some words, else by `otherwise`.
fn priced(reading: &Reading<'_>, at: usize, taken: usize, sign: &str, otherwise: &str) -> (String, usize) {
    let (meter, length) = meter_at(reading, at + taken).unwrap_or((otherwise, 0));
    let end = at + taken + length;
    (format!("{sign}{meter}"), taken + length + usize::from(reading.is(end, &PRICES)))
}

/// The price that is named at a position, as a field, and how many words name it.
fn meter_at(reading: &Reading<'_>, at: usize) -> Option<(&'static str, usize)> {
    let mut cursor = Cursor { reading, at };
    let meter = cursor.meter()?;
    let length = cursor.at - at;
    // `cheapest prompt caching`
    let is_price = !reading.is(at, &["prompt", "completion"]) || reading.is(cursor.at, &PRICES);
    is_price.then_some((meter, length))
}
