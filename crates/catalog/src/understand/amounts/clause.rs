//! One number with what is said around it: `at least 128k tokens of context`, `$4 out`, `an output price of $15 or less`.

use std::ops::Range;

use super::cursor::{BOTH, Bounds, Cursor, EXACT, LEAST, MOST, OVER, Per, Quantity, UNDER};
use super::number::{Amount, Currency, counts, is_numeric};
use super::{INPUT, OUTPUT};
use crate::understand::reading::Reading;
use crate::understand::words::{PRICES, TOKENS, Word, Words as _};
use crate::understand::{Comparative, Strictness, with_number};
use refdesk_core::field::Side;
use refdesk_search::text::word_array;

/// A number, and what is said of it.
#[derive(Debug)]
pub struct Clause {
    /// The words of it all.
    pub words: Range<usize>,
    /// The words of the number.
    pub number: Range<usize>,
    pub amount: Amount,
    pub bounds: Option<Bounds>,
    /// The number is not meant exactly: `around 200k`.
    pub is_nearly: bool,
    /// The price that is named, as its field is.
    pub meter: Option<&'static str>,
    /// It is the price of what is sent in a batch: `batch pricing below $1`.
    pub is_of_batch: bool,
    pub quantity: Option<Quantity>,
    /// `tokens` stands behind the number.
    pub is_of_tokens: bool,
    pub per: Per,
    /// It is per something that is no token: `per image`.
    pub is_per_other: bool,
}

/// The words before the number of a clause.
#[derive(Debug, Default)]
pub struct Front {
    bounds: Option<Bounds>,
    is_nearly: bool,
    meter: Option<&'static str>,
    quantity: Option<Quantity>,
    per: Per,
    /// `max output`, where `max` bounds nothing.
    is_of_most: bool,
    /// `output tokens`
    is_of_output: bool,
}

/// What says that a number behind it is of the thing.
pub const HAVING: [&str; 4] = ["with", "has", "have", "having"];
/// What a model does with tokens that it puts out …
pub const WRITING: [&str; 9] =
    ["write", "writes", "generate", "generates", "produce", "produces", "output", "outputs", "emit"];
/// … and with those that it takes in.
pub const TAKING: [&str; 21] = word_array(
    "take takes taking accept accepts accepting handle handles handling fit fits process read ingest ingests allow \
     allows allowing support supports supporting",
);
/// Words from the first of a comparison within which its `than` or `as` stands: `no less expensive in output price than`.
const LINKED_WITHIN: usize = 7;
/// What prices are per elsewhere.
const OTHER_UNITS: [&str; 30] = word_array(
    "request requests call calls image images picture pictures page pages second seconds minute minutes hour hours day \
     month year character characters word words search searches query queries video user seat",
);

/// Whether a price is per what is no token, `per image`, `per 1k requests`; of the latter the number may have been read.
fn is_other_unit(cursor: &Cursor<'_, '_>, has_number: bool) -> bool {
    let (reading, at) = (cursor.reading, cursor.at);
    let is_unit = |at: usize| reading.is(at, &OTHER_UNITS);
    let is_number = |at: usize| reading.words.get(at).is_some_and(|word| is_numeric(&word.folded));
    // `per dozen tokens`: how many are meant was not read.
    let is_unread = reading.is(at, &["per", "every"]) && at + 1 < reading.words.len() && counts(&reading.words, at + 1);
    !has_number && is_unread
        || has_number && is_unit(at)
        || reading.is(at, &["per", "a", "an", "each", "/"]) && (is_unit(at + 1) || is_number(at + 1) && is_unit(at + 2))
}

/// Whether a clause begins behind the word for a batch with that for its price; models `with batch, costing below $1` have both.
pub fn is_price_of_batch(reading: &Reading<'_>, start: usize) -> bool {
    let before = start.checked_sub(1).filter(|before| reading.is(*before, &["batch", "batched"]));
    before.is_some_and(|before| !reading.words[before].ends_clause) && reading.is(start, &PRICES)
}

impl Front {
    /// Reads what names the number and bounds it: `at least`, `an output price of`, `max output at least`.
    fn parse(cursor: &mut Cursor<'_, '_>) -> Self {
        let start = cursor.at;
        // `max output at least 64k`: there `max` bounds nothing.
        let is_of_most = cursor.reading.is_phrase(start + 1, &["output"]) && cursor.skip(&["max", "maximum"]);
        let mut bounds = if is_of_most { None } else { cursor.bounds() };
        let mut is_nearly = bounds.is_none() && cursor.nearly();
        if !cursor.amount_follows() {
            cursor.skip(&["a", "an"]);
        }
        let mut quantity = cursor.output_limit();
        let mut meter = cursor.meters().or_else(|| cursor.meter_before_money());
        quantity = quantity.or_else(|| cursor.quantity());
        let mut per = Per::default();
        if quantity == Some(Quantity::Price) {
            // `cost per output token`, `price of the output`
            per = cursor.per_tokens(false);
            meter = meter.or(per.meter);
        }
        let is_of_output = meter == Some(OUTPUT) && cursor.reading.is(cursor.at, &TOKENS);
        // `output token limits above 32k`
        while cursor.skip(&["tokens", "token", "length", "limit", "limits"]) {}
        bounds = bounds.or_else(|| cursor.bounds());
        cursor.skip(&["of", "is", "are", "at", "for"]);
        let is_equal = cursor.skip(&["=", "=="]);
        if !cursor.amount_follows() {
            cursor.skip(&["a", "an"]);
        }
        bounds = bounds.or_else(|| cursor.bounds());
        is_nearly |= bounds.is_none() && cursor.nearly();
        bounds = bounds.or_else(|| (is_equal && !is_nearly).then_some(EXACT));
        Self { bounds, is_nearly, meter, quantity, per, is_of_most, is_of_output }
    }

    /// Reads the comparison of a measure: `more expensive than`, `a higher output price than`.
    pub fn compared(cursor: &mut Cursor<'_, '_>) -> Option<Self> {
        let is_linked = (cursor.at + 1..=cursor.at + LINKED_WITHIN).any(|at| cursor.reading.is(at, &["than", "as"]));
        let Comparative { sides, strictness, fields, end, .. } =
            is_linked.then(|| with_number(&cursor.reading.words, cursor.at)).flatten()?;
        let bounds = match (sides, strictness) {
            ([Side::Least], Strictness::Beyond) => OVER,
            ([Side::Least], Strictness::UpTo) => LEAST,
            ([Side::Most], Strictness::Beyond) => UNDER,
            ([Side::Most], Strictness::UpTo) => MOST,
            _ => return None,
        };
        let (quantity, meter) = match *fields {
            ["context_tokens"] => (Quantity::Context, None),
            ["output_tokens"] => (Quantity::Output, None),
            [price] => (Quantity::Price, Some(price)),
            _ => (Quantity::Price, None),
        };
        cursor.at = end;
        Some(Self { bounds: Some(bounds), quantity: Some(quantity), meter, ..Self::default() })
    }

    /// Whether a number is surely of the measure that is compared: `more expensive than 3.5 sonnet` names a model.
    fn is_surely_of(&self, amount: &Amount) -> bool {
        match self.quantity {
            Some(Quantity::Price) => amount.currency.is_some(),
            _ => amount.is_in_thousands(),
        }
    }

    /// The words before the next number, the place of the number, and the number itself.
    fn with_number(cursor: &mut Cursor<'_, '_>) -> Option<(Self, Range<usize>, Amount)> {
        let start = cursor.at;
        let front = Self::parse(cursor);
        let before = cursor.at;
        if let Some(amount) = cursor.amount() {
            return Some((front, before..cursor.at, amount));
        }
        cursor.at = start;
        let front = Self::compared(cursor)?;
        let before = cursor.at;
        let amount = cursor.amount().filter(|amount| front.is_surely_of(amount))?;
        Some((front, before..cursor.at, amount))
    }
}

impl Clause {
    /// Reads a clause.
    pub fn parse(cursor: &mut Cursor<'_, '_>) -> Option<Self> {
        let start = cursor.at;
        let is_of_batch = is_price_of_batch(cursor.reading, start);
        let (front, number, amount) = Front::with_number(cursor)?;
        let Front { mut quantity, meter, per, is_nearly, is_of_most, is_of_output, .. } = front;
        let is_of_tokens = cursor.skip(&TOKENS);
        let bounds = front.bounds.or_else(|| cursor.bounds_behind());
        let is_named = quantity.is_some();
        if is_of_most && amount.currency.is_none() || is_of_output && amount.is_in_thousands() {
            quantity = quantity.or(Some(Quantity::Output));
        }
        let mut clause = Self {
            words: start - usize::from(is_of_batch)..cursor.at,
            number,
            amount,
            bounds,
            is_nearly,
            meter,
            is_of_batch,
            quantity,
            is_of_tokens,
            per,
            is_per_other: false,
        };
        if amount.currency.is_some() || quantity == Some(Quantity::Price) || !is_of_tokens && clause.is_priced(cursor) {
            clause.read_price(cursor);
        } else if !is_named {
            clause.read_quantity(cursor)?;
        }
        // `input and output of 64k tokens` are two things, of which only the second has the number.
        if clause.meter == Some(BOTH) && !clause.is_price() {
            return None;
        }
        clause.read_verb(cursor);
        cursor.at = clause.words.end;
        Some(clause)
    }

    /// Whether a number without a currency is a price by what it is per: `0.2 per MTok`.
    fn is_priced(&self, cursor: &Cursor<'_, '_>) -> bool {
        let mut behind = Cursor { at: self.words.end, ..*cursor };
        cursor.reading.is(behind.at, &["per", "/"]) && behind.per_tokens(false).has_unit
    }

    /// What stands behind a price.
    fn read_price(&mut self, cursor: &mut Cursor<'_, '_>) {
        self.quantity = self.quantity.or(Some(Quantity::Price));
        // Behind a comma the next price begins: `in: $1, out: $5`.
        let ends = cursor.reading.words[cursor.at - 1].ends_clause;
        let per = if ends { Per::default() } else { cursor.per_tokens(self.meter.is_some()) };
        self.meter = self.meter.or(per.meter);
        self.per.tokens = self.per.tokens.or(per.tokens);
        self.per.is_per_token |= per.is_per_token;
        self.bounds = self.bounds.or_else(|| cursor.bounds_behind());
        self.is_per_other = is_other_unit(cursor, self.per.has_unit || per.has_unit);
        self.words.end = cursor.at;
    }

    /// What the verb in front says that the tokens are of: `can write at least 16k tokens in one answer`.
    fn read_verb(&mut self, cursor: &Cursor<'_, '_>) {
        let reading = cursor.reading;
        let Some(verb) = self.words.start.checked_sub(1) else { return };
        // What a model can write up to is its limit: it may be higher.
        let is_capacity = reading.is(verb, &WRITING) || reading.is(verb, &TAKING);
        // In `that output up to 64k` the clause begins with the verb.
        let is_verb = reading.is(verb, &["that", "can", "which"]) && reading.is(self.words.start, &WRITING);
        let up_to = self.words.start + usize::from(is_verb);
        if (is_capacity || is_verb) && !self.is_price() && reading.is_phrase(up_to, &["up", "to"]) {
            self.bounds = Some(LEAST);
        }
        // `generate at least 100k tokens of output` says it twice.
        let is_writing = self.quantity == Some(Quantity::Output) && reading.is(verb, &WRITING);
        if self.quantity.is_some() && !is_writing || !self.is_of_tokens {
            return;
        }
        if reading.is(verb, &WRITING) {
            self.quantity = Some(Quantity::Output);
        } else if reading.is(verb, &TAKING) {
            self.quantity = Some(Quantity::Context);
        } else {
            return;
        }
        self.words.start = verb;
        let end = self.words.end;
        let is_at_once = reading.is(end, &["in", "per"])
            && reading.is(end + 1, &["one", "a", "single"])
            && reading.is(end + 2, &["answer", "response", "reply", "go"]);
        self.words.end += if is_at_once { 3 } else { 0 };
    }

    /// What stands behind a number of tokens. `None` when that shows that the words in front are of something else.
    fn read_quantity(&mut self, cursor: &mut Cursor<'_, '_>) -> Option<()> {
        cursor.skip(&["of", "in"]);
        let is_of_input = cursor.skip(&["input"]);
        cursor.skip(&["max"]);
        let named = cursor.quantity();
        // `64k input tokens`, `with 1m input`: what goes in is the context; of few models more is stated.
        let is_input = named.is_none() && is_of_input && self.amount.currency.is_none();
        if is_input && (cursor.skip(&TOKENS) || self.is_had(cursor)) {
            self.quantity = self.quantity.or(Some(Quantity::Context));
            self.words.end = cursor.at;
            return Some(());
        }
        // In `input 3 output 15` the word is of the next number.
        if let Some(named) = named.filter(|_| !cursor.is_amount_ahead()) {
            // `structured output, 100k context`
            if self.meter.is_some() && named == Quantity::Context {
                return None;
            }
            if named == Quantity::Price {
                return Some(());
            }
            cursor.skip(&TOKENS);
            self.bounds = self.bounds.or_else(|| cursor.bounds_behind());
            self.quantity = self.quantity.or(Some(named));
            self.words.end = cursor.at;
        }
        // No price is in the thousands: `output at least 64k`.
        let is_count = self.is_of_tokens || self.amount.is_rounded;
        if self.quantity.is_none() && is_count {
            self.quantity = match self.meter {
                Some(OUTPUT) => Some(Quantity::Output),
                Some(INPUT) => Some(Quantity::Context),
                _ => None,
            };
        }
        Some(())
    }

    /// Whether so many tokens are what a thing has, and nothing else is counted behind them: `with 1m input`, and not `with 1k input fields`.
    fn is_had(&self, cursor: &Cursor<'_, '_>) -> bool {
        let reading = cursor.reading;
        let is_said = reading.is_behind(self.words.start, &HAVING);
        self.amount.is_rounded && is_said && reading.ends_at(cursor.at, Word::goes_on)
    }

    /// Whether it goes on a list of limits by itself: it compares, or has a unit.
    pub fn goes_on(&self, reading: &Reading<'_>) -> bool {
        let has_unit = self.amount.currency.is_some() || self.quantity.is_some() || self.is_of_tokens;
        // `and less than 2 years old` is of no tokens and of no money.
        let next = reading.words.get(self.words.end);
        has_unit || self.bounds.is_some() && next.is_none_or(Word::goes_on)
    }

    /// Whether it is of money.
    pub fn is_price(&self) -> bool {
        self.amount.currency == Some(Currency::Dollars) || self.quantity == Some(Quantity::Price)
    }
}
