//! How many sell a model: `sold by at least five sellers`, `available from 3 or more providers`, `with a single seller`.

use rust_decimal::prelude::ToPrimitive;

use super::cursor::{Bounds, Cursor, EXACT, LEAST, MOST, turned};
use super::limit::count_limit;
use super::spoken::spoken;
use crate::understand::reading::Reading;
use crate::understand::words::{Word, Words as _};

/// The field of their number.
const FIELD: &str = "offers";
/// Who sells a model. `hosts` and `vendors` are also other things.
const SELLERS: [&str; 8] =
    ["seller", "sellers", "provider", "providers", "reseller", "resellers", "marketplaces", "offers"];
/// What stands in front of them and says nothing more.
const BEFORE: [&str; 6] = ["different", "distinct", "independent", "separate", "inference", "api"];
/// `only one seller`, `only sold by one provider`
const ONLY: [&str; 2] = ["only", "just"];
/// Words for more than one …
const SEVERAL: [&str; 3] = ["multiple", "several", "various"];
/// … and for one.
const ONE: [&str; 3] = ["single", "one", "1"];
/// What links a model with those who sell it …
const LINKS: [&str; 9] = ["by", "from", "at", "with", "through", "via", "on", "has", "have"];
/// … and what stands in front of that.
const SOLD: [&str; 7] = ["sold", "available", "offered", "hosted", "served", "provided", "carried"];
/// Nobody looks for a model by so many.
const COUNT_MAX: u64 = 10_000;

/// Reads such a number, or that there are none, at a position.
pub fn parse(reading: &mut Reading<'_>, at: usize) -> bool {
    let mut start = at;
    start = reading.back(start, &LINKS);
    start = reading.back(start, &SOLD);
    let is_only = reading.is_behind(start, &ONLY);
    start -= usize::from(is_only);
    let Some((bounds, count, end)) = counted(reading, at, is_only) else { return false };
    // `not sold by more than two sellers`
    let negation = reading.negation_before(start);
    let is_negated = negation > 0;
    if is_negated && bounds == EXACT {
        return false;
    }
    let bounds = turned(bounds, is_negated);
    if !reading.all_or_none(|reading| count_limit(reading, count, &bounds, FIELD)) {
        return false;
    }
    reading.is_of_models = true;
    reading.warn("sellers are counted by their offers; a seller may have several");
    reading.take(start - negation..end);
    true
}

/// The bounds of their number, the number, and where the words for it end.
fn counted(reading: &Reading<'_>, at: usize, is_only: bool) -> Option<(Bounds, u64, usize)> {
    let mut cursor = Cursor { reading, at };
    if cursor.skip(&SEVERAL) {
        return cursor.skip_sellers().then_some((LEAST, 2, cursor.at));
    }
    let is_only = cursor.skip(&ONLY) || is_only;
    cursor.skip(&["a"]);
    if (is_only || reading.is(cursor.at, &["single"])) && cursor.skip(&ONE) {
        return cursor.skip_sellers().then_some((EXACT, 1, cursor.at));
    }
    // `with no sellers`, but not `no provider lock-in`
    if cursor.skip(&["no"]) {
        let are_none = cursor.skip_sellers() && reading.ends_at(cursor.at, Word::goes_on);
        return are_none.then_some((MOST, 0, cursor.at));
    }
    let mut bounds = cursor.bounds();
    let in_words = spoken(&reading.words, cursor.at).filter(|said| said.value.fract().is_zero());
    let (count, or_more) = if let Some(said) = in_words {
        cursor.at += said.taken;
        (said.value.to_u64()?, false)
    } else {
        let word = cursor.word()?;
        let read = (word.trim_end_matches('+').parse().ok()?, word.ends_with('+'));
        cursor.at += 1;
        read
    };
    bounds = bounds.or_else(|| cursor.bounds_behind());
    let is_of_sellers = cursor.skip_sellers();
    bounds = bounds.or_else(|| cursor.bounds_behind());
    // `from one provider` says neither that it is the only one nor that there is any.
    if bounds.is_none() && count == 1 && !or_more {
        return None;
    }
    let bounds = bounds.filter(|_| !or_more).unwrap_or(if count == 0 { MOST } else { LEAST });
    (is_of_sellers && count <= COUNT_MAX).then_some((bounds, count, cursor.at))
}

impl Cursor<'_, '_> {
    /// Moves on over those who sell, if they are next.
    fn skip_sellers(&mut self) -> bool {
        self.skip(&BEFORE);
        self.skip(&["api"]);
        self.skip(&SELLERS)
    }
}
