//! Adjectives that say no bound but lean to one end: `cheap vision models`, `long context models under $1`, `cheap models with long context`. They are
//! an order where the question says no other and nothing else is left of it: in `a cheap model for legal texts` the texts decide.

pub mod unmeasured;

use crate::understand::reading::{Reading, is_negation};
use crate::understand::rest::{is_filling, is_measure, is_said_anyway};
use refdesk_core::Kind;

/// Adjectives and the order that each leans to.
const ADJECTIVES: [(&[&str], &str); 3] = [
    (&["cheap", "inexpensive", "affordable", "budget", "low-cost", "economical"], "price_blended"),
    (&["expensive", "pricey", "costly"], "-price_blended"),
    (&["popular"], "-offers"),
];
/// Adjectives of size …
const BIG: [&str; 5] = ["long", "large", "big", "huge", "massive"];
/// … and what they are of, with its order.
const SIZES: [(&[&str], &str); 2] = [(&["context", "window"], "-context_tokens"), (&["output"], "-output_tokens")];

/// Whether a word leans to one end.
pub fn leans(word: &str) -> bool {
    ADJECTIVES.iter().any(|(words, _)| words.contains(&word)) || BIG.contains(&word)
}

/// Reads what is left of a question as an order, if all of it leans to one end.
pub fn parse(reading: &mut Reading<'_>) {
    if reading.kind != Kind::Model || reading.head_end.is_none() || reading.has("sort") {
        return;
    }
    let left = || reading.words.iter().filter(|word| !word.used);
    // `not too expensive`
    if left().any(|word| is_negation(&word.folded) || word.folded == "too") {
        return;
    }
    let has = |any: &[&str]| left().any(|word| word.is(any));
    let is_all = |any: &[&str], or: &[&str]| {
        left().all(|word| {
            let is_said = word.is(any) || word.is(or);
            is_said || is_said_anyway(word) || is_filling(word) || is_measure(word)
        })
    };
    let adjective = ADJECTIVES.iter().find(|(words, _)| has(words));
    let size = SIZES.iter().find(|(of, _)| has(of) && has(&BIG));
    let order = match (adjective, size) {
        (Some((words, order)), None) if is_all(words, &[]) => (*order).to_owned(),
        (None, Some((_, order))) if is_all(&BIG, &[]) => (*order).to_owned(),
        // Of equally long ones the cheaper first.
        (Some((words, order)), Some((_, size))) if is_all(words, &BIG) => format!("{size},{order}"),
        _ => return,
    };
    reading.set("sort", &order);
    reading.take(0..reading.words.len());
}
