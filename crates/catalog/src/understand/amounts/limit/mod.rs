//! Limits: one clause, or several that are joined and share what only one of them names: `at least 200k and at most 1M context`.

mod negated;
mod presumed;

use std::ops::Range;

use rust_decimal::Decimal;

use super::clause::{Clause, HAVING};
use super::cursor::{BOTH, Cursor, LEAST, MOST, Per, Quantity, turned};
use super::number::Currency;
use super::{INPUT, OUTPUT};
use crate::understand::reading::Reading;
use crate::understand::vocabulary;
use crate::understand::words::{Word, Words as _};
use negated::negated_by;
pub use presumed::take_back as take_back_presumed;
use refdesk_core::field::{Shape, Side};
use refdesk_core::query::TOKENS_MAX;

/// What joins limits.
const JOINING: [&str; 5] = ["and", "but", "&", "/", "+"];

/// Reads a limit at a position, with those that it is joined to: all of them, or none.
pub fn parse(reading: &mut Reading<'_>, at: usize) -> bool {
    let mut clauses = joined(reading, at);
    share(&mut clauses);
    let Some(negation) = clauses.first().map_or(Some(0), |first| negated_by(reading, first)) else { return false };
    let is_negated = negation > 0;
    if is_negated {
        clauses[0].words.start -= negation;
    }
    if clauses.is_empty() || !clauses.iter().all(|clause| is_limit(reading, clause)) {
        return false;
    }
    let known = (!is_negated && presumed::is_bare_sum(&clauses[0])).then(|| reading.params.clone());
    let are_set = reading.all_or_none(|reading| {
        clauses.iter().enumerate().all(|(at, clause)| set(reading, clause, is_negated && at == 0))
    });
    if !are_set {
        return false;
    }
    reading.is_of_models = true;
    let end = clauses.last().map_or(at, |last| last.words.end);
    let words = clauses[0].words.start..end;
    if let Some(known) = known {
        presumed::note(reading, words.clone(), &known);
    }
    reading.take(words);
    true
}

/// The clauses from a position on.
fn joined(reading: &Reading<'_>, at: usize) -> Vec<Clause> {
    let mut cursor = Cursor { reading, at };
    let mut clauses: Vec<Clause> = Clause::parse(&mut cursor).into_iter().collect();
    while !clauses.is_empty() {
        // A list of prices needs no word: `$3 input, $15 output`.
        if !cursor.skip(&JOINING) && !cursor.word().is_some_and(|word| word.starts_with('$')) {
            break;
        }
        let Some(mut next) = Clause::parse(&mut cursor).filter(|next| next.goes_on(reading)) else { break };
        let is_pair = reading.words[next.words.start - 1].folded == "/";
        if let [first] = clauses.as_mut_slice()
            && is_pair
            && [&*first, &next].iter().all(|price| price.is_price() && price.meter.is_none())
        {
            // The field writes prices so: `$3/$15`.
            (first.meter, next.meter) = (Some(INPUT), Some(OUTPUT));
        }
        clauses.push(next);
    }
    clauses
}

/// Gives each clause what only its neighbours name.
fn share(clauses: &mut [Clause]) {
    for at in 1..clauses.len() {
        let (before, next) = clauses.split_at_mut(at);
        let (before, next) = (&before[at - 1], &mut next[0]);
        if next.quantity.is_none() && !next.is_price() {
            // No price is in the thousands: `at most $5 and at least 128k`.
            let is_of_tokens = before.is_price() && next.amount.is_rounded;
            next.quantity = if is_of_tokens { Some(Quantity::Context) } else { before.quantity };
        }
        if before.is_price() && next.is_price() {
            next.meter = next.meter.or(before.meter);
            next.bounds = next.bounds.or(before.bounds);
            next.is_of_batch |= before.is_of_batch;
        }
    }
    for at in (1..clauses.len()).rev() {
        let (before, next) = clauses.split_at_mut(at);
        let (before, next) = (&mut before[at - 1], &next[0]);
        if before.bounds.is_some() && before.quantity.is_none() && !next.is_price() {
            before.quantity = next.quantity;
        }
        if before.is_price() && next.is_price() && before.bounds.is_some() {
            before.meter = before.meter.or(next.meter);
        }
    }
}

/// What tokens are per where they tell how fast a model is, or how many one may send.
const TIMES: [&str; 9] = ["second", "seconds", "sec", "s", "minute", "min", "hour", "day", "month"];

/// Whether a clause is of tokens in some time, `200 tokens per second`: they are no window.
fn is_rate(reading: &Reading<'_>, clause: &Clause) -> bool {
    let end = clause.words.end;
    clause.is_of_tokens && reading.is(end, &["per", "a", "each", "/"]) && reading.is(end + 1, &TIMES)
}

/// Whether a clause limits something; a warning says why one with a currency does not.
fn is_limit(reading: &mut Reading<'_>, clause: &Clause) -> bool {
    if is_rate(reading, clause) {
        let words = clause.words.start..clause.words.end + 2;
        reading.warn_of_words(words.clone(), "no field says how many tokens there are in some time");
        reading.take(words);
        return false;
    }
    let is_of_tokens = matches!(clause.quantity, Some(Quantity::Context | Quantity::Output));
    let is_behind_tokens = reading.is_behind(clause.words.start, &["context", "window", "length"]);
    let why = match clause.amount.currency {
        Some(_) if is_of_tokens || is_behind_tokens => "a limit of tokens is not a sum of money",
        Some(Currency::Other) => "prices are in USD",
        _ if clause.is_per_other => "prices are per tokens",
        Some(Currency::Dollars) => return true,
        None => {
            // `with 100,000 tokens`
            let is_had = reading.is_behind(clause.words.start, &HAVING) && clause.meter.is_none();
            // `llm, 200k+`, `models >= 200k`: so many dollars nobody pays, and nothing else is counted.
            let is_at_least = clause.amount.is_rounded && is_least_of_models(reading, clause);
            return clause.quantity.is_some() && !is_version(clause)
                || clause.is_of_tokens && (clause.bounds.is_some() || is_had)
                || is_at_least
                || is_listed(reading, clause);
        }
    };
    reading.warn_of_words(clause.number.clone(), why);
    false
}

/// Whether models shall have at least a number of what is not said, and of nothing that is: `models over 100k downloads`.
fn is_least_of_models(reading: &Reading<'_>, clause: &Clause) -> bool {
    let end = clause.words.end;
    let is_least = clause.bounds.is_some_and(|bounds| bounds.iter().all(|(side, _)| *side == Side::Least));
    let is_alone = || reading.ends_at(end, Word::goes_on) || vocabulary::knows(reading.kind, &reading.words, end);
    reading.head_end.is_some() && (clause.amount.or_more || is_least && is_alone())
}

/// Whether a rounded number stands alone in a list of what models can do: `vision, 128k, cheapest`. It is their context.
fn is_listed(reading: &Reading<'_>, clause: &Clause) -> bool {
    let Range { start, end } = clause.words;
    let ends = |end: usize| end == 0 || end == reading.words.len() || reading.words[end - 1].ends_clause;
    clause.amount.is_rounded && ends(start) && ends(end) && vocabulary::abilities(&reading.words).next().is_some()
}

/// Numbers of tokens below are none of a window: `llama 4 context`.
const VERSION_MAX: Decimal = Decimal::from_parts(32, 0, 0, false, 0);

/// Whether a bare number before the name of a limit is the version of what is named in front of it: `claude 4 context`.
fn is_version(clause: &Clause) -> bool {
    let amount = &clause.amount;
    let is_bare = amount.currency.is_none() && !amount.is_rounded && !clause.is_of_tokens && clause.bounds.is_none();
    is_bare
        && !clause.is_price()
        && (amount.money < VERSION_MAX || !amount.money.fract().is_zero())
        && clause.number.start == clause.words.start
}

/// Sets the parameters of a clause.
fn set(reading: &mut Reading<'_>, clause: &Clause, is_negated: bool) -> bool {
    if clause.is_nearly && !clause.amount.or_more {
        return nearly(reading, clause);
    }
    let bounds = clause.bounds.filter(|_| !clause.amount.or_more);
    let bounds = bounds.unwrap_or(if clause.is_price() && !clause.amount.or_more { MOST } else { LEAST });
    let bounds = turned(bounds, is_negated);
    if clause.is_price() {
        let mut price = clause.amount.money;
        return set_per_million(&mut price, clause.per) && price_limit(reading, &price, &bounds, meter_of(clause));
    }
    let (count, field) = (clause.amount.count, tokens_of(clause.quantity));
    // A rounded most, where it may be met, is also what it is of powers of two: `up to 8k` means 8,192 as well.
    bounds.into_iter().all(|bound| {
        let is_binary = clause.amount.is_rounded && bound == MOST[0];
        tokens_limit(reading, &if is_binary { in_binary(count) } else { count }, &[bound], field)
    })
}

/// The price that a clause limits, as its field is named.
fn meter_of(clause: &Clause) -> Option<&'static str> {
    if clause.is_of_batch { Some(of_batch(clause.meter.unwrap_or(BOTH))) } else { clause.meter }
}

/// The price in a batch of what a price is of.
pub fn of_batch(meter: &'static str) -> &'static str {
    match meter {
        INPUT => "price_batch_input",
        OUTPUT => "price_batch_output",
        BOTH => "price_batch_input,price_batch_output",
        other => other,
    }
}

/// Percent that `around` means at most and at least.
const NEARLY_PERCENT: [i64; 2] = [120, 80];

/// Sets both bounds of what is not meant exactly: a fifth less and a fifth more.
fn nearly(reading: &mut Reading<'_>, clause: &Clause) -> bool {
    let (mut price, is_price) = (clause.amount.money, clause.is_price());
    if is_price && !set_per_million(&mut price, clause.per) {
        return false;
    }
    let field = tokens_of(clause.quantity);
    NEARLY_PERCENT.into_iter().zip([MOST, LEAST]).all(|(percent, bounds)| {
        let share = |value: Decimal| value.checked_mul(Decimal::new(percent, 2)).map(|value| value.normalize());
        if is_price {
            let meter = clause.meter.unwrap_or(INPUT);
            let meter = if clause.is_of_batch { of_batch(meter) } else { meter };
            share(price).is_some_and(|price| price_limit(reading, &price, bounds, Some(meter)))
        } else {
            share(clause.amount.count).is_some_and(|count| tokens_limit(reading, &count.round(), bounds, field))
        }
    })
}

/// A sum below is one per token where it is said so, in USD.
const PRICE_OF_TOKEN_MAX: Decimal = Decimal::from_parts(1, 0, 0, false, 3);

/// Decimals of a price that was divided.
const PRICE_DECIMALS: u32 = 9;

/// Makes a price that is per another number of tokens one per 1,000,000; false if it is beyond all numbers.
pub fn set_per_million(value: &mut Decimal, per: Per) -> bool {
    // Who says `$3 per token` means a million of them; no model takes a tenth of a cent for one.
    let is_of_one = per.is_per_token && *value < PRICE_OF_TOKEN_MAX;
    let tokens = per.tokens.or_else(|| is_of_one.then_some(Decimal::ONE));
    let Some(tokens) = tokens else {
        *value = value.normalize();
        return true;
    };
    let scaled = value.checked_mul(Decimal::from(1_000_000)).and_then(|sum| sum.checked_div(tokens));
    scaled.map(|scaled| *value = scaled.round_dp(PRICE_DECIMALS).normalize()).is_some()
}

/// As many tokens where `k` is 1,024 and `m` the square of that; the value itself if it is beyond all numbers.
fn in_binary(value: Decimal) -> Decimal {
    let binary = Decimal::from(1_024);
    let (count, unit) = if value < Decimal::from(1_000_000) {
        (value / Decimal::ONE_THOUSAND, Some(binary))
    } else {
        (value / Decimal::from(1_000_000), binary.checked_mul(binary))
    };
    unit.and_then(|unit| count.checked_mul(unit)).map_or(value, |tokens| tokens.floor().normalize())
}

/// The field of a number of tokens.
pub const fn tokens_of(quantity: Option<Quantity>) -> &'static str {
    if matches!(quantity, Some(Quantity::Output)) { "output_tokens" } else { "context_tokens" }
}

/// Sets the bounds of a price, or of both that are named; the most of both input and output where neither is.
pub fn price_limit(reading: &mut Reading<'_>, value: &Decimal, bounds: &[(Side, bool)], meter: Option<&str>) -> bool {
    let value = value.to_string();
    if Shape::Price.bound(&value, Side::Most).is_none() {
        reading.warn_of(value, "it is not a price in USD per 1M tokens");
        return false;
    }
    for (side, _) in bounds {
        // There is no next price, as there is a next number of tokens: `under $5` admits $5.
        let operator = side.operator();
        let mut fields = meter.unwrap_or(INPUT).split(',');
        if !fields.all(|field| reading.bound(&format!("{field}__{operator}"), &value)) {
            return false;
        }
        if meter.is_none() && *side == Side::Most {
            // Who names neither means both.
            let both = format!("{OUTPUT}__{operator}");
            if !reading.has(&both) {
                reading.set(&both, &value);
                reading.implied = Some(both);
            }
        }
    }
    true
}

/// Sets the bounds of a number of tokens.
pub fn tokens_limit(reading: &mut Reading<'_>, value: &Decimal, bounds: &[(Side, bool)], field: &str) -> bool {
    let tokens = value.to_string().parse::<u64>().ok().filter(|tokens| (1..=TOKENS_MAX).contains(tokens));
    let Some(tokens) = tokens else {
        reading.warn_of(value.to_string(), "no model has this many tokens");
        return false;
    };
    count_limit(reading, tokens, bounds, field)
}

/// Sets the bounds of a whole number.
pub fn count_limit(reading: &mut Reading<'_>, count: u64, bounds: &[(Side, bool)], field: &str) -> bool {
    bounds.iter().all(|(side, is_strict)| {
        let beyond = u64::from(*is_strict);
        let bound = match side {
            Side::Least => count.saturating_add(beyond),
            Side::Most => count.saturating_sub(beyond),
        };
        reading.bound(&format!("{field}__{}", side.operator()), &bound.to_string())
    })
}
