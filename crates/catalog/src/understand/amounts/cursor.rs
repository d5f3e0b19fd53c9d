//! Reads the parts of a limit one after another: its bounds, what it is of, what a price is per. `number` reads the number.

use rust_decimal::Decimal;

use super::{INPUT, OUTPUT};
use crate::understand::reading::Reading;
use crate::understand::words::{PhraseRows, Phrases, Word, Words as _};
use refdesk_core::field::Side;
use refdesk_search::text::word_array;

/// What a comparison says of a number: the sides that it bounds, and whether the number itself is beyond the bound.
pub type Bounds = &'static [(Side, bool)];
pub const LEAST: Bounds = &[(Side::Least, false)];
pub const MOST: Bounds = &[(Side::Most, false)];
pub const OVER: Bounds = &[(Side::Least, true)];
pub const UNDER: Bounds = &[(Side::Most, true)];
pub const EXACT: Bounds = &[(Side::Least, false), (Side::Most, false)];

/// Comparisons in front of a number.
static COMPARISONS: PhraseRows<Bounds> = PhraseRows::new(&[
    (
        "no more than,not more than,no greater than,not greater than,no higher than,not higher than,no larger than,not larger than,\
         no bigger than,no longer than,at most,at max,at maximum,at the most,up to,upto,max,maximum,maximum of,max of,within,<=,≤,\
         not exceeding,less than or equal to,less or equal to,equal or less than,not above,not over,no higher,no larger,at or below,\
         at or under,capped at,limited to,does not exceed,do not exceed,doesn't exceed,doesn’t exceed,don't exceed,not exceed,\
         never exceeds,never exceed,not to exceed",
        MOST,
    ),
    (
        "no less than,not less than,no fewer than,not fewer than,no smaller than,no lower than,not lower than,at least,at minimum,\
         at a minimum,min,minimum,minimum of,min of,starting at,starting from,upwards of,upward of,>=,≥,greater than or equal to,\
         more than or equal to,greater or equal to,equal or more than,not below,not under,at or above,at or over,reaching,reaches,reach",
        LEAST,
    ),
    (
        "cheaper than,less than,lower than,smaller than,fewer than,shorter than,under,below,beneath,sub,south of,just under,\
         well under,well below,strictly under,strictly below,strictly less than,stays under,stays below,stay under,stay below,inferior to,<",
        UNDER,
    ),
    (
        "more than,greater than,larger than,bigger than,longer than,higher than,wider than,over,above,beyond,exceeding,exceeds,exceed,>,\
         in excess of,north of,just over,well over,well above,strictly over,strictly more than,superior to,surpassing,surpasses,surpass",
        OVER,
    ),
    ("exactly,precisely,equal to,equals", EXACT),
]);
/// Units of what a price is per.
const MILLION: [&str; 13] =
    word_array("million 1m m mtok mtoken mtokens 1mtok /m /mtok /1m 1000000 1,000,000 1.000.000");
/// The same for 1,000 of them.
const THOUSAND: [&str; 11] = word_array("1k k ktok 1ktok thousand 1000 1,000 1.000 /k /1k /ktok");
/// What a number of tokens stands behind that a price is per.
const PER: [&str; 4] = ["per", "/", "each", "every"];
/// Words between the name of a price and its number.
const OF_METER: [&str; 11] = ["price", "prices", "cost", "costs", "tokens", "token", "is", "at", "of", "=", "=="];
/// Words of a number that is not meant exactly.
const NEARLY: [&str; 9] = ["around", "about", "roughly", "approximately", "circa", "ca", "near", "nearly", "~"];
/// Behind the number.
static TRAILING: PhraseRows<Bounds> = PhraseRows::new(&[
    (
        "or less,or fewer,or lower,or below,or under,or cheaper,or smaller,or shorter,and below,and under,and less,at most,at max,\
         max,maximum,tops,or at most,at the most,and lower,or down",
        MOST,
    ),
    (
        "or more,or greater,or higher,or above,or over,or larger,or bigger,or longer,and up,and above,and over,and more,at least,\
         min,minimum,plus,or up,or better,or beyond,upwards,and beyond,and upwards,or at least",
        LEAST,
    ),
    ("exactly,precisely", EXACT),
]);

/// Bounds as they are said, or turned by a negation: `not under $5` is $5 or more.
pub fn turned(bounds: Bounds, is_negated: bool) -> Vec<(Side, bool)> {
    let turn = |(side, is_strict): &(Side, bool)| (side.opposite(), !is_strict);
    bounds.iter().map(|bound| if is_negated { turn(bound) } else { *bound }).collect()
}

/// What a number is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    /// Tokens of context.
    Context,
    /// Tokens of output.
    Output,
    /// Money.
    Price,
}

/// Names of prices, and their fields.
pub static METERS: PhraseRows<&'static str> = PhraseRows::new(&[
    ("cache read,cache reads,cached input,cached read,cached reads,cached", "price_cache_read"),
    ("cache write,cache writes", "price_cache_write"),
    ("batch input,batched input", "price_batch_input"),
    ("batch output,batched output", "price_batch_output"),
    ("input,inputs,prompt", "price_input"),
    ("output,outputs,completion", "price_output"),
]);
/// Both of these, where one number is said of both.
pub const BOTH: &str = "price_input,price_output";
/// What joins them: `$1 in and out`, `input/output under $2`.
const JOINING: [&str; 2] = ["and", "/"];
/// What may stand behind `in` where that is the price of the input: a preposition goes on with what it is of.
const BEHIND_IN: [&str; 12] =
    ["and", "or", "but", "with", "without", "per", "/", "&", "that", "which", "model", "models"];

/// Names of quantities. `output` alone is of tokens or of prices.
static QUANTITIES: PhraseRows<Quantity> = PhraseRows::new(&[
    (
        "context window size,context window,context windows,context length,context lengths,context limit,context limits,context size,\
         context sizes,context,token window,token windows,window,windows",
        Quantity::Context,
    ),
    ("maximum output,max completion,output limit,output length,max output,output", Quantity::Output),
    ("price,prices,priced,cost,costs,costing,pricing", Quantity::Price),
]);

/// What a price is per.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Per {
    /// The price that is named behind it, as its field is named.
    pub meter: Option<&'static str>,
    /// A number of tokens was named: only prices are per such.
    pub has_unit: bool,
    /// Of how many tokens it is, unless of 1,000,000 as the prices of the catalog are.
    pub tokens: Option<Decimal>,
    /// It is of one token, if the sum is that small.
    pub is_per_token: bool,
}

/// A place in a question that moves on as it is read. A copy looks ahead.
#[derive(Clone, Copy)]
pub struct Cursor<'r, 'a> {
    /// The question.
    pub reading: &'r Reading<'a>,
    /// The word that is read next.
    pub at: usize,
}

impl Cursor<'_, '_> {
    /// The word that is read next.
    pub fn word(&self) -> Option<&str> {
        self.reading.word(self.at)
    }

    /// Moves on over one of some words, if it is next.
    pub fn skip(&mut self, any: &[&str]) -> bool {
        let is_there = self.reading.is(self.at, any);
        self.at += usize::from(is_there);
        is_there
    }

    /// Reads something, or stays where it is.
    pub fn attempt<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let start = self.at;
        let found = read(self);
        if found.is_none() {
            self.at = start;
        }
        found
    }

    /// Moves on over the longest of some phrases that is next, and gives its meaning.
    fn phrase<T: Copy>(&mut self, phrases: &Phrases<T>) -> Option<T> {
        let (taken, meaning) = phrases.at(&self.reading.words, self.at)?;
        self.at += taken;
        Some(*meaning)
    }

    /// The bounds that stand in front of a number: `more than`.
    pub fn bounds(&mut self) -> Option<Bounds> {
        self.phrase(&COMPARISONS)
    }

    /// Moves on over one of some words, unless bounds begin with it: `at $1`, and not `at least $1`.
    pub fn skip_unless_bound(&mut self, any: &[&str]) -> bool {
        let mut ahead = *self;
        self.reading.is(self.at, any) && ahead.bounds().is_none() && self.skip(any)
    }

    /// Moves on over words that say that the number behind them is not meant exactly.
    pub fn nearly(&mut self) -> bool {
        self.attempt(|cursor| (cursor.skip(&NEARLY) && cursor.is_amount_ahead()).then_some(())).is_some()
    }

    /// Whether a number is next.
    pub fn is_amount_ahead(&self) -> bool {
        let mut ahead = *self;
        ahead.amount().is_some()
    }

    /// The bounds that stand behind a number: `or less`. Those that may also begin another limit do not: `$5, max output 8k`.
    pub fn bounds_behind(&mut self) -> Option<Bounds> {
        // `64k or more output tokens`: what follows is of this number, unless another one begins.
        let is_joined = self.reading.is(self.at, &["or", "and", "plus"]);
        self.attempt(|cursor| {
            let bounds = cursor.phrase(&TRAILING)?;
            let mut behind = *cursor;
            let is_named = behind.meter().is_some() || behind.quantity().is_some();
            let goes_on = is_named && !is_joined || behind.amount().is_some();
            (!goes_on).then_some(bounds)
        })
    }

    /// What the number is of.
    pub fn quantity(&mut self) -> Option<Quantity> {
        self.phrase(&QUANTITIES)
    }

    /// The limit of the output, which is a number of tokens and has no price: `output limit`.
    pub fn output_limit(&mut self) -> Option<Quantity> {
        let is_limit = self.reading.is(self.at, &["output"])
            && self
                .reading
                .is(self.at + 1, &["limit", "limits", "length", "lengths", "size", "sizes", "cap", "caps", "window"]);
        self.at += if is_limit { 2 } else { 0 };
        is_limit.then_some(Quantity::Output)
    }

    /// Whether `a` is the number here: `a dollar`, `a million`.
    pub fn amount_follows(&self) -> bool {
        self.reading.is(self.at + 1, &["dollar", "cent", "million", "thousand", "billion", "buck"])
    }

    /// `per million input tokens`, `/M output`, `per 1k tokens`, `per 5 million`: which price it is, if it is said, and of how many tokens. Where
    /// the price of a sum is named in front of it, a name behind it may be that of the next sum: `input < $1 output < $4`.
    pub fn per_tokens(&mut self, is_named: bool) -> Per {
        let start = self.at;
        let is_per = self.reading.is(start, &PER);
        self.skip(&["per", "a", "/", "for", "each", "every", "of", "on"]);
        let number = self.at;
        self.skip(&["1", "one"]);
        let million = self.skip(&MILLION);
        let mut tokens = (!million && self.skip(&THOUSAND)).then_some(Decimal::ONE_THOUSAND);
        if is_per && !million && tokens.is_none() {
            let behind_one = std::mem::replace(&mut self.at, number);
            tokens = self.tokens_of_unit();
            if tokens.is_none() {
                self.at = behind_one;
            }
        }
        let mut meter = self.meter_behind_money(is_named);
        let is_counted = million || tokens.is_some();
        let is_per_token = !is_counted && self.reading.is(self.at, &["token", "tok"]);
        let has_unit = self.skip(&["tokens", "token", "tok"]) || is_counted;
        if !has_unit && meter.is_none() {
            self.at = start;
            return Per::default();
        }
        meter = meter.or_else(|| {
            self.attempt(|cursor| {
                cursor.skip(&["of", "for", "on"]);
                cursor.meter_behind_money(is_named)
            })
        });
        self.skip(&["price", "prices", "tokens", "token"]);
        Per { meter, has_unit, tokens, is_per_token }
    }

    /// The number of tokens here that a price is per, where it counts nothing else: `5 million`, `250k`, `100 output tokens`.
    fn tokens_of_unit(&mut self) -> Option<Decimal> {
        self.attempt(|cursor| {
            let count = cursor.whole_count()?;
            let mut behind = *cursor;
            behind.meter_beside_money();
            let is_of_tokens = behind.skip(&["tokens", "token", "tok"]);
            let is_end = cursor.reading.ends_at(behind.at, Word::goes_on);
            (is_of_tokens || is_end && count >= Decimal::ONE_THOUSAND).then_some(count)
        })
    }

    /// The price that is meant, as its field is named.
    pub fn meter(&mut self) -> Option<&'static str> {
        self.phrase(&METERS)
    }

    /// The same in front of a number, which may be of both prices: `input and output under $2`.
    pub fn meters(&mut self) -> Option<&'static str> {
        let meter = self.meter()?;
        Some(self.both_with(meter, Self::meter))
    }

    /// The price that `in` or `out` names in front of money, where that opens a part of the question: `in: max $1, out: $5`.
    pub fn meter_before_money(&mut self) -> Option<&'static str> {
        let is_opening = self.at == 0 || {
            let before = &self.reading.words[self.at - 1];
            before.used || before.ends_clause || before.folded.ends_with(|c: char| c.is_ascii_digit())
        };
        let meter = [("in", "price_input"), ("out", "price_output")];
        let (_, meter) = meter.iter().find(|(word, _)| is_opening && self.reading.is(self.at, &[word]))?;
        let mut behind = Cursor { at: self.at + 1, ..*self };
        behind.bounds();
        let is_money = behind.amount().is_some_and(|amount| amount.currency.is_some());
        // `$1 in $5 out` names them behind.
        let ends = self.reading.words[behind.at - 1].ends_clause;
        let is_named_behind = !ends && behind.meter_behind_money(true).is_some();
        (is_money && !is_named_behind).then(|| {
            self.at += 1;
            *meter
        })
    }

    /// The price that is named behind money: no name of the next number, if the price of the money is named in front.
    fn meter_behind_money(&mut self, is_named: bool) -> Option<&'static str> {
        if is_named && self.opens_next() {
            return None;
        }
        // `over $3 in output`, but not `$1 in output $4`.
        let named = Cursor { at: self.at + 1, ..*self };
        let is_introduced = self.reading.is(self.at, &["in"]) && self.reading.is(named.at, &["input", "output"]);
        self.at += usize::from(is_introduced && !named.opens_next());
        let meter = self.meter_beside_money()?;
        // `$1 input and output`, but not `$1 input and output under $4`, nor `$1 input and output images`.
        Some(self.both_with(meter, |cursor| {
            let other = if cursor.opens_next() { None } else { cursor.meter_beside_money() };
            let end = cursor.reading.end_of(cursor.at, &OF_METER);
            other.filter(|_| cursor.reading.ends_at(end, Word::goes_on))
        }))
    }

    /// Both prices, where one that was named is joined to the other; else that price alone.
    fn both_with(
        &mut self,
        meter: &'static str,
        other: impl FnOnce(&mut Self) -> Option<&'static str>,
    ) -> &'static str {
        let both = self.attempt(|cursor| {
            let other = if cursor.skip(&JOINING) { other(cursor)? } else { return None };
            matches!((meter, other), (INPUT, OUTPUT) | (OUTPUT, INPUT)).then_some(BOTH)
        });
        both.unwrap_or(meter)
    }

    /// Whether the name of a price here is that of the next number: `output < $4`, `out $4`.
    fn opens_next(&self) -> bool {
        let mut ahead = *self;
        let is_side = ahead.skip(&["in", "out"]);
        if !is_side && ahead.meter().is_none() || self.reading.words[ahead.at - 1].ends_clause {
            return false;
        }
        while ahead.skip(&OF_METER) {}
        let is_bounded = ahead.bounds().is_some();
        let is_number = |count: Decimal| !is_side && (is_bounded || count >= Decimal::ONE_THOUSAND);
        ahead.amount().is_some_and(|amount| amount.currency.is_some() || is_number(amount.count))
    }

    /// The same beside money, where `in` and `out` are names of prices as well: `$1 in and $4 out`.
    fn meter_beside_money(&mut self) -> Option<&'static str> {
        if let Some(meter) = self.meter() {
            return Some(meter);
        }
        let next = self.reading.words.get(self.at + 1);
        let is_end = next.is_none_or(|next| next.used || next.is(&BEHIND_IN) || next.folded.starts_with('$'));
        if is_end && self.skip(&["in"]) {
            return Some("price_input");
        }
        let is_out = next.is_none_or(|next| next.folded != "of") && self.skip(&["out"]);
        is_out.then_some("price_output")
    }
}
