//! Reads the parts of a limit one after another: its side, what it is of, the number with its unit.

use rust_decimal::Decimal;

use crate::understand::reading::Reading;
use refdesk_core::field::Side;

/// A phrase, the side of a limit that it says, and whether it leaves the number itself out.
type Bound = (&'static [&'static str], Side, bool);
const BOUNDS: [Bound; 28] = [
    (&["no", "more", "than"], Side::Most, false),
    (&["not", "more", "than"], Side::Most, false),
    (&["no", "less", "than"], Side::Least, false),
    (&["not", "less", "than"], Side::Least, false),
    (&["cheaper", "than"], Side::Most, true),
    (&["less", "than"], Side::Most, true),
    (&["lower", "than"], Side::Most, true),
    (&["smaller", "than"], Side::Most, true),
    (&["more", "than"], Side::Least, true),
    (&["greater", "than"], Side::Least, true),
    (&["larger", "than"], Side::Least, true),
    (&["at", "most"], Side::Most, false),
    (&["at", "least"], Side::Least, false),
    (&["up", "to"], Side::Most, false),
    (&["under"], Side::Most, true),
    (&["below"], Side::Most, true),
    (&["within"], Side::Most, false),
    (&["max"], Side::Most, false),
    (&["maximum"], Side::Most, false),
    (&["<="], Side::Most, false),
    (&["<"], Side::Most, true),
    (&["over"], Side::Least, true),
    (&["above"], Side::Least, true),
    (&["exceeding"], Side::Least, true),
    (&["min"], Side::Least, false),
    (&["minimum"], Side::Least, false),
    (&[">="], Side::Least, false),
    (&[">"], Side::Least, true),
];

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
const METERS: [(&[&str], &str); 14] = [
    (&["cache", "read"], "price_cache_read"),
    (&["cache", "reads"], "price_cache_read"),
    (&["cached", "input"], "price_cache_read"),
    (&["cached"], "price_cache_read"),
    (&["cache", "write"], "price_cache_write"),
    (&["cache", "writes"], "price_cache_write"),
    (&["batch", "input"], "price_batch_input"),
    (&["batch", "output"], "price_batch_output"),
    (&["batched", "input"], "price_batch_input"),
    (&["batched", "output"], "price_batch_output"),
    (&["input"], "price_input"),
    (&["prompt"], "price_input"),
    (&["output"], "price_output"),
    (&["completion"], "price_output"),
];

/// Names of quantities. `output` alone is of tokens or of prices.
const QUANTITIES: [(&[&str], Quantity); 16] = [
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
    (&["costing"], Quantity::Price),
    (&["pricing"], Quantity::Price),
];

/// A number, as it was typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Amount {
    /// Without its unit: tokens or money.
    pub value: Decimal,
    /// Of what money it is, if it was said.
    pub currency: Option<Currency>,
    /// `128k+`
    pub or_more: bool,
    /// It was typed with `k` or `m`, which are also said of 1,024 and 1,048,576 tokens.
    pub is_rounded: bool,
}

/// What a price is per.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Per {
    /// The price that is named behind it, as its field is named.
    pub meter: Option<&'static str>,
    /// It is of 1,000 tokens, and not of 1,000,000 as the prices of the catalog are.
    pub is_per_thousand: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Currency {
    /// Of the United States, as all prices are.
    Dollars,
    /// Any other.
    Other,
}

/// A place in a question that moves on as it is read.
pub struct Cursor<'r, 'a> {
    /// The question.
    pub reading: &'r Reading<'a>,
    /// The word that is read next.
    pub at: usize,
}

impl Cursor<'_, '_> {
    fn word(&self) -> Option<&str> {
        self.reading.words.get(self.at).filter(|word| !word.used).map(|word| word.folded.as_str())
    }

    /// Moves on over one of some words, if it is next.
    pub fn skip(&mut self, any: &[&str]) -> bool {
        let is_there = self.reading.is(self.at, any);
        self.at += usize::from(is_there);
        is_there
    }

    fn skip_all(&mut self, phrase: &[&str]) -> bool {
        let is_there = self.reading.is_phrase(self.at, phrase);
        if is_there {
            self.at += phrase.len();
        }
        is_there
    }

    /// The side of a bound, and whether the bound itself is beyond it: `more than`.
    pub fn side(&mut self) -> Option<(Side, bool)> {
        BOUNDS.iter().find(|(phrase, ..)| self.skip_all(phrase)).map(|(_, side, strict)| (*side, *strict))
    }

    /// What the number is of.
    pub fn quantity(&mut self) -> Option<Quantity> {
        QUANTITIES.iter().find(|(phrase, _)| self.skip_all(phrase)).map(|(_, quantity)| *quantity)
    }

    /// Whether `a` is the number here: `a dollar`, `a million`.
    pub fn amount_follows(&self) -> bool {
        self.reading.is(self.at + 1, &["dollar", "cent", "million", "thousand"])
    }

    /// The number with its unit.
    pub fn amount(&mut self) -> Option<Amount> {
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
        if let Some(cents) =
            text.strip_suffix(['c', '¢']).filter(|cents| cents.bytes().all(|byte| byte.is_ascii_digit()))
        {
            let value = cents.parse::<Decimal>().ok()?.checked_div(Decimal::ONE_HUNDRED)?;
            self.at += 1;
            let currency = Some(Currency::Dollars);
            return Some(Amount { value: value.normalize(), currency, or_more, is_rounded: false });
        }
        let (digits, unit) = match text.as_bytes().last()? {
            b'k' => (&text[..text.len() - 1], 1_000),
            b'm' => (&text[..text.len() - 1], 1_000_000),
            _ => (text, 1),
        };
        let is_rounded = unit > 1;
        let mut value = match text {
            "a" | "one" | "million" | "thousand" => Decimal::ONE,
            "half" => Decimal::new(5, 1),
            "two" => Decimal::TWO,
            _ if digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') => {
                number(digits)?.checked_mul(Decimal::from(unit))?
            }
            _ => return None,
        };
        // `a million`: the word that scales is the number.
        let is_scale = matches!(text, "million" | "thousand");
        let is_word = matches!(text, "a" | "one" | "half" | "two");
        self.at += usize::from(!is_scale);
        if is_word {
            self.skip(&["a"]);
        }
        // `$1 a million tokens`
        let scale: u32 = match self.word().filter(|_| currency.is_none()) {
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
        Some(Amount { value: value.normalize(), currency, or_more, is_rounded })
    }

    /// `per million input tokens`, `/M output`, `per 1k tokens`: which price it is, if it is said, and of how many tokens.
    pub fn per_tokens(&mut self) -> Per {
        let start = self.at;
        self.skip(&["per", "a", "/", "for", "each"]);
        self.skip(&["1"]);
        let million = self.skip(&[
            "million",
            "1m",
            "m",
            "mtok",
            "mtoken",
            "mtokens",
            "1mtok",
            "/m",
            "/mtok",
            "/1m",
            "1000000",
            "1,000,000",
        ]);
        let is_per_thousand =
            !million && self.skip(&["1k", "k", "ktok", "1ktok", "thousand", "1000", "1,000", "/k", "/1k", "/ktok"]);
        let mut meter = self.meter();
        let tokens = self.skip(&["tokens", "token", "tok"]);
        if !(million || is_per_thousand || tokens || meter.is_some()) {
            self.at = start;
            return Per::default();
        }
        let before = self.at;
        self.skip(&["of", "for", "on"]);
        meter = meter.or_else(|| self.meter());
        if meter.is_none() {
            self.at = before;
        }
        self.skip(&["price", "prices", "tokens"]);
        Per { meter, is_per_thousand }
    }

    /// The price that is meant, as its field is named.
    pub fn meter(&mut self) -> Option<&'static str> {
        METERS.iter().find(|(phrase, _)| self.skip_all(phrase)).map(|(_, field)| *field)
    }
}

/// A number in digits. Commas separate thousands (`128,000`). A single comma is a decimal point if fewer than three digits follow it, or
/// if only a zero precedes it (`0,50`). `None` for any other text.
fn number(digits: &str) -> Option<Decimal> {
    let Some((first, rest)) = digits.split_once(',') else { return digits.parse().ok() };
    let is_whole = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let (thousands, fraction) = rest.split_once('.').map_or((rest, None), |(rest, fraction)| (rest, Some(fraction)));
    let is_grouped = (1..=3).contains(&first.len())
        && !first.starts_with('0')
        && is_whole(first)
        && thousands.split(',').all(|group| group.len() == 3 && is_whole(group))
        && fraction.is_none_or(is_whole);
    if is_grouped {
        return digits.replace(',', "").parse().ok();
    }
    let is_decimal = is_whole(first) && is_whole(rest) && (rest.len() < 3 || first == "0");
    is_decimal.then(|| digits.replace(',', ".").parse().ok()).flatten()
}
