//! Comparisons whose words stand behind the name: `like gpt-4o but cheaper`, `beats o3 on price`; and those that go on with the same thing:
//! `cheaper than gpt-4o with at least as much context`.

use super::{
    ADJECTIVES, BOTH, COMPARATIVES, Comparative, Fields, LEAST, MOST, MULTIPLE_BOUNDS, PRICES, Strictness, measured_at,
    side,
};
use crate::understand::things::factor::{Factor, factor};
use crate::understand::words::{PhraseRows, Word, Words};
use refdesk_core::field::Side;

/// What stands before the name of a model that others are to be like: `like gpt-4o but cheaper`.
pub static LIKE: PhraseRows<()> = PhraseRows::new(&[("similar to,comparable to,equivalent to,as good as,like", ())]);

/// `beats sonnet 4.5 on price`, `undercuts gpt-4o`
pub fn beats(words: &[Word<'_>], at: usize) -> Option<Comparative> {
    let plain = Comparative::beyond(MOST, PRICES, at + 1);
    if words.is(at, &["undercut", "undercuts", "undercutting"]) {
        return Some(plain);
    }
    let is_said = words.is(at, &["beat", "beats", "beating"]);
    let on = (at + 2..words.len()).find(|on| words.is(*on, &["on", "in"])).filter(|_| is_said)?;
    let (fields, end) = measured_at(words, on + 1)?;
    let is_of_price = fields.iter().all(|field| field.starts_with("price_"));
    let sides = if is_of_price { MOST } else { LEAST };
    Some(Comparative { sides, fields, end_behind_name: Some(end), ..plain })
}

/// Words between comparisons: `cheaper than gpt-4o and with a larger context`.
const JOINING: [&str; 18] = [
    "with", "at", "the", "and", "but", "only", "just", "also", "plus", "a", "an", "much", "has", "have", "having",
    "that", "is", "are",
];

/// Whether another name stands behind a comparison, which is with that one: `with more context than claude opus 4.5`.
fn has_own_name(words: &[Word<'_>], end: usize) -> bool {
    words.is(end, &["than", "as", "of"])
}

/// Another comparison with the same model that is joined behind it: `at half the price`, `with at least as much context`.
pub fn joined(words: &[Word<'_>], at: usize) -> Option<(Comparative, usize)> {
    joined_at(words, at).filter(|(_, end)| !has_own_name(words, *end))
}

fn joined_at(words: &[Word<'_>], at: usize) -> Option<(Comparative, usize)> {
    let begins = |at: &usize| !words.is(*at, &JOINING) || MULTIPLE_BOUNDS.at(words, *at).is_some();
    let start = (at..words.len()).find(begins).filter(|start| *start > at)?;
    let bounds = MULTIPLE_BOUNDS.at(words, start);
    let bounded = bounds.map_or(0, |(taken, _)| taken);
    let plain = Comparative::beyond(MOST, PRICES, at);
    // `at least as much context`, `as much output`
    if words.is(start + bounded, &["as"]) {
        let (taken, (said, fields)) = ADJECTIVES.at(words, start + bounded + 1)?;
        let behind = start + bounded + 1 + taken;
        let named = measured_at(words, behind).filter(|_| fields.is_empty());
        let (fields, end) = named.unwrap_or((*fields, behind));
        let joined = Comparative { sides: side(*said), strictness: Strictness::UpTo, fields, ..plain };
        return (!fields.is_empty()).then_some((joined, end));
    }
    // `the same context`, `at least the same context`
    let article = usize::from(words.is(start + bounded, &["the"]));
    let is_same = words.is(start + bounded + article, &["same", "equal", "identical"]);
    let multiplied = factor(words, start + bounded);
    if let Some((factor, taken)) = multiplied.or_else(|| is_same.then_some((Factor::default(), article + 1))) {
        let start = words.past(start + bounded + taken, &["the", "as", "of"]);
        let (fields, end) = measured_at(words, words.past(start, &["much", "the"]))?;
        // `the same context or more`
        let or_more = words.is(end, &["or"]) && words.is(end + 1, &["more", "larger", "bigger", "longer"]);
        let sides = match bounds {
            Some((_, (sides, _))) => sides,
            None if is_same && !or_more => BOTH,
            None if factor.is_less_than_one() => MOST,
            None => LEAST,
        };
        let joined = Comparative { sides, strictness: Strictness::UpTo, factor, fields, ..plain };
        return Some((joined, end + 2 * usize::from(or_more)));
    }
    let (said, fields, end) = further(words, at)?;
    Some((plain.further(said, fields), end))
}

/// Another comparison that is joined at a position: its side, its fields, and where its words end.
pub fn further(words: &[Word<'_>], at: usize) -> Option<(Side, Fields, usize)> {
    let start = (at..words.len()).find(|at| !words.is(*at, &JOINING)).filter(|start| *start > at)?;
    let (taken, (said, fields)) = COMPARATIVES.at(words, start)?;
    let end = start + taken;
    match measured_at(words, end).filter(|_| fields.is_empty()) {
        Some((named, end)) => Some((*said, named, end)),
        None => (!fields.is_empty()).then_some((*said, *fields, end)),
    }
}

/// `like gpt-4o but cheaper`, `similar to o3 but with a bigger context`: the name stands before the comparison.
pub fn similar_but(words: &[Word<'_>], at: usize) -> Option<Comparative> {
    let end = LIKE.end_at(words, at)?;
    let but = (end + 1..words.len()).find(|at| words.is(*at, &["but", "only", "just"]))?;
    let (said, fields, behind) = further(words, but).filter(|(.., behind)| !has_own_name(words, *behind))?;
    Some(Comparative { end_behind_name: Some(behind), ..Comparative::beyond(side(said), fields, end) })
}
