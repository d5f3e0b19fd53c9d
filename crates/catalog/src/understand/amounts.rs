//! Numbers with units: `1M context`, `at least 128k tokens`, `under $0.10 per million input tokens`.

use rust_decimal::Decimal;

use super::reading::Reading;
use refdesk_core::Kind;
use refdesk_core::field::{Shape, Side};

/// Where values end.
const MOST: [&[&str]; 15] = [
    &["no", "more", "than"],
    &["not", "more", "than"],
    &["cheaper", "than"],
    &["less", "than"],
    &["lower", "than"],
    &["smaller", "than"],
    &["at", "most"],
    &["up", "to"],
    &["under"],
    &["below"],
    &["within"],
    &["max"],
    &["maximum"],
    &["<="],
    &["<"],
];
/// Where values begin.
const LEAST: [&[&str]; 13] = [
    &["no", "less", "than"],
    &["not", "less", "than"],
    &["more", "than"],
    &["greater", "than"],
    &["larger", "than"],
    &["at", "least"],
    &["over"],
    &["above"],
    &["exceeding"],
    &["min"],
    &["minimum"],
    &[">="],
    &[">"],
];

/// Those that leave the number itself out.
const STRICT: [&[&str]; 13] = [
    &["less", "than"],
    &["lower", "than"],
    &["smaller", "than"],
    &["under"],
    &["below"],
    &["<"],
    &["more", "than"],
    &["greater", "than"],
    &["larger", "than"],
    &["over"],
    &["above"],
    &["exceeding"],
    &[">"],
];

/// What a number is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quantity {
    Context,
    Output,
    Price,
}

/// Names of quantities. `output` alone is of tokens or of prices.
const QUANTITIES: [(&[&str], Quantity); 14] = [
    (&["context", "window", "size"], Quantity::Context),
    (&["context", "window"], Quantity::Context),
    (&["context", "length"], Quantity::Context),
    (&["context", "size"], Quantity::Context),
    (&["context"], Quantity::Context),
    (&["window"], Quantity::Context),
    (&["output", "limit"], Quantity::Output),
    (&["output", "length"], Quantity::Output),
    (&["max", "output"], Quantity::Output),
    (&["output"], Quantity::Output),
    (&["price"], Quantity::Price),
    (&["priced"], Quantity::Price),
    (&["cost"], Quantity::Price),
    (&["costs"], Quantity::Price),
];

/// A number, as it was typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Amount {
    value: Decimal,
    currency: Option<Currency>,
    /// `128k+`
    or_more: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Currency {
    Dollars,
    Other,
}

/// A place in a question that moves on as it is read.
struct Cursor<'r, 'a> {
    reading: &'r Reading<'a>,
    at: usize,
}

impl Cursor<'_, '_> {
    fn word(&self) -> Option<&str> {
        self.reading.words.get(self.at).filter(|word| !word.used).map(|word| word.folded.as_str())
    }

    fn skip(&mut self, any: &[&str]) -> bool {
        let is_there = self.reading.is(self.at, any);
        self.at += usize::from(is_there);
        is_there
    }

    fn skip_all(&mut self, phrase: &[&str]) -> bool {
        let is_there = phrase.iter().enumerate().all(|(offset, part)| self.reading.is(self.at + offset, &[part]));
        if is_there {
            self.at += phrase.len();
        }
        is_there
    }

    /// The side of a bound, and whether the bound itself is beyond it: `more than`.
    fn side(&mut self) -> Option<(Side, bool)> {
        for (phrases, side) in [(&MOST[..], Side::Most), (&LEAST[..], Side::Least)] {
            if let Some(phrase) = phrases.iter().find(|phrase| self.skip_all(phrase)) {
                return Some((side, STRICT.contains(phrase)));
            }
        }
        None
    }

    fn quantity(&mut self) -> Option<Quantity> {
        QUANTITIES.iter().find(|(phrase, _)| self.skip_all(phrase)).map(|(_, quantity)| *quantity)
    }

    fn amount(&mut self) -> Option<Amount> {
        let word = self.word()?;
        let (mut text, mut currency) = (word, None);
        if let Some(rest) = text.strip_prefix('$') {
            (text, currency) = (rest, Some(Currency::Dollars));
        } else if let Some(rest) = text.strip_prefix(['€', '£', '¥']) {
            (text, currency) = (rest, Some(Currency::Other));
        }
        let or_more = text.ends_with('+');
        text = text.trim_end_matches('+');
        if let Some(rest) = text.strip_suffix('$') {
            (text, currency) = (rest, Some(Currency::Dollars));
        }
        let (digits, unit) = match text.as_bytes().last()? {
            b'k' => (&text[..text.len() - 1], 1_000),
            b'm' => (&text[..text.len() - 1], 1_000_000),
            _ => (text, 1),
        };
        let mut value = match text {
            "a" | "one" | "million" | "thousand" => Decimal::ONE,
            "half" => Decimal::new(5, 1),
            "two" => Decimal::TWO,
            _ if digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') => {
                digits.replace(',', "").parse::<Decimal>().ok()?.checked_mul(Decimal::from(unit))?
            }
            _ => return None,
        };
        // `a million`: the word that scales is the number.
        let is_scale = matches!(text, "million" | "thousand");
        let is_word = matches!(text, "a" | "one" | "half" | "two");
        self.at += usize::from(!is_scale);
        self.skip(&["a"]);
        let scale: u32 = match self.word() {
            Some("thousand" | "k") => 1_000,
            Some("million" | "millions" | "mio" | "m") => 1_000_000,
            _ => 1,
        };
        if scale > 1 {
            self.at += 1;
            value = value.checked_mul(Decimal::from(scale))?;
        } else if is_word && !matches!(self.word(), Some("dollar" | "dollars" | "cent" | "cents")) {
            return None;
        }
        if self.skip(&["dollar", "dollars", "usd", "bucks", "us-dollars"]) {
            currency = Some(Currency::Dollars);
        } else if self.skip(&["cent", "cents", "¢"]) {
            (value, currency) = (value.checked_div(Decimal::ONE_HUNDRED)?, Some(Currency::Dollars));
        } else if self.skip(&["euro", "euros", "eur", "pounds", "gbp", "yen", "yuan", "rmb"]) {
            currency = Some(Currency::Other);
        }
        Some(Amount { value: value.normalize(), currency, or_more })
    }

    /// `per million input tokens`: which of the two, if it is said.
    fn per_tokens(&mut self) -> Option<&'static str> {
        let start = self.at;
        let per = self.skip(&["per", "a", "/", "for", "each"]);
        self.skip(&["1"]);
        let million = self.skip(&["million", "1m", "m", "mtok", "mtokens", "1mtok", "/m", "/mtok", "/1m"]);
        let mut meter = self.meter();
        let tokens = self.skip(&["tokens", "token", "tok"]);
        if !(million || tokens || meter.is_some() && per || meter.is_some()) {
            self.at = start;
            return None;
        }
        let before = self.at;
        self.skip(&["of", "for", "on"]);
        meter = meter.or_else(|| self.meter());
        if meter.is_none() {
            self.at = before;
        }
        self.skip(&["price", "prices", "tokens"]);
        meter
    }

    fn meter(&mut self) -> Option<&'static str> {
        for (verbs, meter) in [(["read", "reads"], "cache_read"), (["write", "writes"], "cache_write")] {
            if verbs.iter().any(|verb| self.skip_all(&["cache", verb])) {
                return Some(meter);
            }
        }
        if self.skip(&["input", "prompt"]) {
            return Some("input");
        }
        self.skip(&["output", "completion"]).then_some("output")
    }
}

/// Reads a limit at a position.
pub fn read(reading: &mut Reading<'_>, at: usize) -> bool {
    if reading.kind != Kind::Model {
        return false;
    }
    let mut cursor = Cursor { reading, at };
    let mut side = cursor.side();
    cursor.skip(&["a", "an"]);
    let leading_meter = cursor.meter();
    let mut quantity = cursor.quantity();
    cursor.skip(&["of", "is", "tokens"]);
    side = side.or_else(|| cursor.side());
    let Some(amount) = cursor.amount() else { return false };
    let tokens = cursor.skip(&["tokens", "token"]);
    let end = cursor.at;
    let mut meter = leading_meter;
    if amount.currency.is_some() || quantity == Some(Quantity::Price) {
        meter = meter.or(cursor.per_tokens());
    }
    let end_of_price = cursor.at;
    cursor.at = end;
    cursor.skip(&["of", "in"]);
    cursor.skip(&["input", "max"]);
    let trailing = cursor.quantity();
    let end_with_quantity = if trailing.is_some() { cursor.at } else { end };
    quantity =
        quantity.or(trailing).or_else(|| (leading_meter == Some("output") && tokens).then_some(Quantity::Output));
    let is_limit = matches!(quantity, Some(Quantity::Context | Quantity::Output));
    match amount.currency {
        Some(Currency::Dollars) if !is_limit || quantity == Some(Quantity::Output) && trailing.is_some() => {
            let meter = if trailing == Some(Quantity::Output) { Some("output") } else { meter };
            price(reading, at..end_of_price.max(end_with_quantity), &amount, side.map(|(side, _)| side), meter)
        }
        None if quantity == Some(Quantity::Price) => {
            price(reading, at..end_of_price, &amount, side.map(|(side, _)| side), meter)
        }
        None if is_limit => {
            let field = if quantity == Some(Quantity::Output) { "output_tokens" } else { "context_tokens" };
            tokens_limit(reading, at..end_with_quantity, &amount, side, field)
        }
        Some(_) => {
            let shown = reading.words[at..end].iter().map(|word| word.text).collect::<Vec<_>>().join(" ");
            reading.warnings.push(if is_limit {
                format!("`{shown}` was not understood: a limit of tokens is no sum of money")
            } else {
                format!("`{shown}` was not understood: prices are in USD")
            });
            false
        }
        None => false,
    }
}

fn price(
    reading: &mut Reading<'_>,
    range: std::ops::Range<usize>,
    amount: &Amount,
    side: Option<Side>,
    meter: Option<&str>,
) -> bool {
    let least = side == Some(Side::Least) || amount.or_more;
    let operator = if least { "gte" } else { "lte" };
    let value = amount.value.to_string();
    if Shape::Price.bound(&value, Side::Most).is_none() {
        reading.warnings.push(format!("`{value}` was not understood: it is no price in USD per 1M tokens"));
        return false;
    }
    // Who names neither means both; what is embedded has no output.
    let has_output = !reading.params.iter().any(|(name, value)| name == "model_mode" && value != "chat");
    let meters: &[&str] = match meter {
        Some("input") => &["input"],
        Some("cache_read") => &["cache_read"],
        Some("cache_write") => &["cache_write"],
        Some(_) => &["output"],
        None if least || !has_output => &["input"],
        None => &["input", "output"],
    };
    for meter in meters {
        reading.set(&format!("price_{meter}__{operator}"), &value);
    }
    reading.is_of_models = true;
    reading.take(range);
    true
}

fn tokens_limit(
    reading: &mut Reading<'_>,
    range: std::ops::Range<usize>,
    amount: &Amount,
    side: Option<(Side, bool)>,
    field: &str,
) -> bool {
    /// No model has so many.
    const TOKENS_MAX: u64 = 1_000_000_000_000;
    let value = amount.value.to_string();
    if !value.parse::<u64>().is_ok_and(|tokens| (1..=TOKENS_MAX).contains(&tokens)) {
        reading.warnings.push(format!("`{value}` was not understood: it is no number of tokens that a model may have"));
        return false;
    }
    let (side, strict) = side.filter(|_| !amount.or_more).unwrap_or((Side::Least, false));
    let beyond = if strict { Decimal::ONE } else { Decimal::ZERO };
    let (operator, bound) = match side {
        Side::Most => ("lte", amount.value - beyond),
        Side::Least => ("gte", amount.value + beyond),
    };
    reading.set(&format!("{field}__{operator}"), &bound.to_string());
    reading.is_of_models = true;
    reading.take(range);
    true
}
