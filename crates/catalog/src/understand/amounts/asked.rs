//! Numbers of tokens whose cost a question asks for: `how much is 3 million in and 500k out on gpt-4.1`.

use crate::understand::words::Words as _;
use rust_decimal::Decimal;

use super::Cursor;
use crate::snapshot::Snapshot;
use crate::understand::reading::Reading;
use crate::understand::words;
use refdesk_core::Kind;
use refdesk_core::query::TOKENS_MAX;
use refdesk_search::text::word_array;

/// Words between a number and what it is of.
const BETWEEN: [&str; 3] = ["tokens", "token", "of"];
/// What goes in …
const IN: [&str; 5] = ["in", "input", "inputs", "prompt", "prompts"];
/// … and what comes out.
const OUT: [&str; 11] =
    word_array("out output outputs completion completions reply replies response responses answer answers");
/// What is billed again and again.
const REQUESTS: [&str; 4] = ["requests", "request", "calls", "call"];
/// What a question about costs has.
const COSTS: [&str; 8] = ["cost", "costs", "price", "much", "pay", "spend", "bill", "charge"];

/// Whether a word says what tokens or requests are of: `with 2k tokens prompt and 300 tokens reply`.
pub fn is_of_tokens(word: &str) -> bool {
    [&IN[..], &OUT, &REQUESTS].iter().any(|words| words.contains(&word))
}

/// Tokens that go in and come out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TokensAsked {
    /// Whole tokens of input.
    pub input: Option<Decimal>,
    /// Whole tokens of output.
    pub output: Option<Decimal>,
    /// How often.
    pub requests: Option<Decimal>,
}

/// The numbers of tokens in a question about costs; `None` when it has none. A number that says neither is input tokens; a second one, output
/// tokens.
pub fn tokens_asked(snapshot: &Snapshot, text: &str) -> Option<TokensAsked> {
    // Most questions have no number, and need not be taken apart for it.
    if !words::has_digit(text) {
        return None;
    }
    let reading = Reading::new(snapshot, Kind::Model, words::words(text), None);
    if !(0..reading.words.len()).any(|at| reading.is(at, &COSTS)) {
        return None;
    }
    let (mut asked, mut at) = (TokensAsked::default(), 0);
    while at < reading.words.len() {
        let mut cursor = Cursor { reading: &reading, at };
        let amount = cursor.amount().filter(|amount| amount.currency.is_none());
        let Some(amount) = amount else {
            at += 1;
            continue;
        };
        let number_end = cursor.at;
        if amount.count.fract().is_zero() && cursor.skip(&REQUESTS) {
            asked.requests.get_or_insert(amount.count);
            at = cursor.at;
            continue;
        }
        while cursor.skip(&BETWEEN) {}
        let is_of_tokens = cursor.at > number_end;
        let (is_in, is_out) = (cursor.skip(&IN), cursor.skip(&OUT));
        // `4.1` is a version, `500k` and `3 million` are tokens.
        let is_scaled = amount.is_rounded || amount.count >= Decimal::ONE_THOUSAND || number_end > at + 1;
        let is_count = is_scaled || is_of_tokens || is_in || is_out;
        let is_possible = amount.count.fract().is_zero() && amount.count <= Decimal::from(TOKENS_MAX);
        if is_count && is_possible {
            let place = if is_out || !is_in && asked.input.is_some() { &mut asked.output } else { &mut asked.input };
            place.get_or_insert(amount.count);
        }
        at = cursor.at;
    }
    (asked.input.is_some() || asked.output.is_some()).then_some(asked)
}
