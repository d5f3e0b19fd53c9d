//! Ranges: `between $1 and $3`, `200k to 1M context`.

use rust_decimal::Decimal;

use super::INPUT;
use super::clause::is_price_of_batch;
use super::cursor::{Cursor, LEAST, MOST, Per, Quantity};
use super::limit::{of_batch, price_limit, set_per_million, tokens_limit, tokens_of};
use super::number::{Amount, Currency};
use crate::understand::reading::Reading;
use crate::understand::words::{TOKENS, Words as _};

/// What a range begins with, if it does not begin with its first number.
const INTRODUCED: [&str; 2] = ["between", "from"];
/// What stands between its numbers; `and` only if something introduced it: `5 and 10` alone is no range.
const JOINED: [&str; 7] = ["to", "-", "–", "through", "upto", "till", "until"];
/// What links a range with what is said in front: `for $1 to $2`.
const LINKING: [&str; 5] = ["for", "at", "of", "anywhere", "somewhere"];
/// Words before the first number.
const OF: [&str; 2] = ["of", "tokens"];
/// Words between what is bounded and its bounds: `output prices in the range of $2 to $6`.
const IN_RANGE: [&str; 9] = ["is", "are", "in", "the", "range", "at", "for", "anywhere", "somewhere"];
/// Words between the beginning of a range and a number of it.
const RANGE_WORDS_MAX: usize = 4;

/// Whether a position is within a range that was not understood: none of its numbers is a limit.
pub fn is_within(reading: &Reading<'_>, at: usize) -> bool {
    (at.saturating_sub(RANGE_WORDS_MAX)..=at).any(|before| reading.is(before, &["between"]))
}

/// What a range is of, as far as that is said in front of it, and its ends.
struct Ends {
    meter: Option<&'static str>,
    quantity: Option<Quantity>,
    first: Amount,
    last: Amount,
}

impl Ends {
    /// Reads them, with the words for them.
    fn parse(cursor: &mut Cursor<'_, '_>) -> Option<Self> {
        if !cursor.amount_follows() {
            cursor.skip(&["a", "an"]);
        }
        while cursor.skip_unless_bound(&LINKING) {}
        let meter = cursor.meters();
        let quantity = cursor.quantity();
        let is_named = meter.is_some() || quantity.is_some();
        while cursor.skip(&OF) || is_named && cursor.skip_unless_bound(&IN_RANGE) {}
        let is_introduced = cursor.skip(&INTRODUCED);
        // `at least $1 up to $5`
        if !is_introduced && cursor.bounds().is_some_and(|bounds| bounds != LEAST) {
            return None;
        }
        let first = cursor.amount().or_else(|| if is_introduced { cursor.bare_number_in_words() } else { None })?;
        cursor.skip(&TOKENS);
        if !(joins(cursor) || is_introduced && cursor.skip(&["and"])) {
            return None;
        }
        // `between one dollar and five`
        let in_words = |cursor: &mut Cursor<'_, '_>| first.currency.and_then(|_| cursor.bare_number_in_words());
        let last = cursor.amount().or_else(|| in_words(cursor))?;
        cursor.skip(&TOKENS);
        Some(Self { meter, quantity, first, last })
    }
}

/// Reads a range at a position.
pub fn parse(reading: &mut Reading<'_>, at: usize) -> bool {
    let is_of_batch = is_price_of_batch(reading, at);
    let mut cursor = Cursor { reading, at };
    let Some(Ends { mut meter, mut quantity, mut first, last }) = Ends::parse(&mut cursor) else { return false };
    let is_priced = first.currency.is_some() || last.currency.is_some() || quantity == Some(Quantity::Price);
    // `$3 up to 200k` has two things: nobody pays thousands.
    let is_count = |amount: &Amount| amount.is_rounded || amount.is_in_thousands();
    if is_priced && [&first, &last].into_iter().any(is_count) {
        return false;
    }
    let mut per = Per::default();
    if is_priced {
        per = cursor.per_tokens(meter.is_some());
        meter = meter.or(per.meter);
        if is_of_batch {
            meter = Some(of_batch(meter.unwrap_or(INPUT)));
        }
    } else {
        cursor.skip(&["of", "in"]);
        quantity = quantity.or(cursor.quantity());
    }
    let words = at - usize::from(is_of_batch)..cursor.at;
    // No filter leaves out what has two ends.
    if reading.negation_before(words.start) > 0 {
        return false;
    }
    share_unit(&mut first, &last);
    let is_turned = if is_priced { first.money > last.money } else { first.count > last.count };
    if is_turned || [&first, &last].iter().any(|amount| amount.currency == Some(Currency::Other)) {
        return false;
    }
    let is_read = reading.all_or_none(|reading| {
        if is_priced {
            return priced(reading, [first, last], per, meter);
        }
        let Some(field) = quantity.map(|quantity| tokens_of(Some(quantity))) else { return false };
        tokens_limit(reading, &first.count, LEAST, field) && tokens_limit(reading, &last.count, MOST, field)
    });
    if is_read {
        reading.is_of_models = true;
        reading.take(words);
    }
    is_read
}

/// Moves on over what stands between the numbers of a range.
fn joins(cursor: &mut Cursor<'_, '_>) -> bool {
    let is_up_to = cursor.reading.is_phrase(cursor.at, &["up", "to"]);
    cursor.at += usize::from(is_up_to);
    cursor.skip(&JOINED)
}

/// Sets the ends of a range of prices.
fn priced(reading: &mut Reading<'_>, [mut first, mut last]: [Amount; 2], per: Per, meter: Option<&str>) -> bool {
    let meter = meter.or(Some(INPUT));
    [&mut first, &mut last].into_iter().all(|amount| set_per_million(&mut amount.money, per))
        && price_limit(reading, &last.money, MOST, meter)
        && price_limit(reading, &first.money, LEAST, meter)
}

/// A unit that only the last number has is that of both: `100 to 200k`.
fn share_unit(first: &mut Amount, last: &Amount) {
    if last.is_of_cents && first.currency.is_none() {
        first.money = first.money.checked_div(Decimal::ONE_HUNDRED).unwrap_or(first.money);
        return;
    }
    for unit in [Decimal::from(1_000_000), Decimal::from(1_000)] {
        // A number so large that its unit overflows needs none.
        let scaled = first.count.checked_mul(unit).filter(|scaled| *scaled <= last.count);
        if let Some(scaled) = scaled.filter(|_| first.count < Decimal::from(1_000) && last.count >= unit) {
            (first.count, first.money) = (scaled, scaled);
            return;
        }
    }
}
