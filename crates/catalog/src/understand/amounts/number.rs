//! Numbers as they are typed: `128,000`, `200.000`, `128 000`, `1.5M`, `20万`, `half a million`, `$0.10`, `5 cents`.

use rust_decimal::Decimal;

use super::Cursor;
use crate::understand::words::Word;

/// A number with its unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Amount {
    /// As a sum of money: `1.250` is a little more than one.
    pub money: Decimal,
    /// As a count: `1.250` is more than a thousand.
    pub count: Decimal,
    /// Of what money it is, if it was said.
    pub currency: Option<Currency>,
    /// `128k+`
    pub or_more: bool,
    /// It was typed with `k` or `m`, which are also said of 1,024 and 1,048,576 tokens.
    pub is_rounded: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Currency {
    /// Of the United States, as all prices are.
    Dollars,
    /// Any other.
    Other,
}

/// Words that multiply the number before them.
const SCALES: [(&[&str], u64); 10] = [
    (&["k"], 1_000),
    (&["m", "mio", "mln", "million", "millions"], 1_000_000),
    (&["hundred"], 100),
    (&["thousand", "thousands"], 1_000),
    (&["lakh", "lakhs"], 100_000),
    (&["crore", "crores"], 10_000_000),
    (&["billion", "billions", "bn"], 1_000_000_000),
    (&["trillion", "trillions"], 1_000_000_000_000),
    (&["dozen"], 12),
    (&["万", "萬", "만"], 10_000),
];
/// The same glued to the digits.
const SUFFIXES: [(&[&str], u64); 4] = [
    (&["k"], 1_000),
    (&["m", "mio", "mln"], 1_000_000),
    (&["万", "萬", "만"], 10_000),
    (&["億", "亿", "억"], 100_000_000),
];
/// Numbers in words, in hundredths. They count only in front of a scale or a coin: `two million`, `half a dollar`.
const IN_WORDS: [(&str, i64); 14] = [
    ("a", 100),
    ("an", 100),
    ("one", 100),
    ("half", 50),
    ("quarter", 25),
    ("two", 200),
    ("three", 300),
    ("four", 400),
    ("five", 500),
    ("six", 600),
    ("eight", 800),
    ("ten", 1_000),
    ("twenty", 2_000),
    ("fifty", 5_000),
];
/// Scales that are numbers by themselves: `a million` and `million`.
const ALONE: [&str; 2] = ["million", "thousand"];
const DOLLARS: [&str; 9] = ["dollar", "dollars", "usd", "buck", "bucks", "us-dollars", "us-dollar", "$", "us$"];
const CENTS: [&str; 3] = ["cent", "cents", "¢"];
const OTHER_MONEY: [&str; 14] =
    ["euro", "euros", "eur", "€", "pound", "pounds", "gbp", "£", "yen", "jpy", "yuan", "rmb", "cny", "¥"];
/// What stands in front of a unit that a price is per: the number behind it bounds nothing.
const PER: [&str; 3] = ["per", "/", "each"];

impl Cursor<'_, '_> {
    /// The number with its unit.
    pub fn amount(&mut self) -> Option<Amount> {
        // A sum of money after the slash is a second price, not a number of tokens: `$3/$15`.
        if self.is_behind_per() && !self.word().is_some_and(|word| word.starts_with('$')) {
            return None;
        }
        let start = self.at;
        let amount = self.number_with_unit();
        if amount.is_none() {
            self.at = start;
        }
        amount
    }

    fn number_with_unit(&mut self) -> Option<Amount> {
        let mut currency = self.skip(&["$", "us$", "usd"]).then_some(Currency::Dollars);
        let words = &self.reading.words;
        let word = words.get(self.at).filter(|word| !word.used)?.folded.as_str();
        let bare = word.trim_start_matches(['$', '€', '£', '¥']).trim_end_matches(['$', '€', '£', '¥', '+']);
        if let Some(sign) = word.chars().find(|c| "$€£¥".contains(*c)) {
            currency = Some(if sign == '$' { Currency::Dollars } else { Currency::Other });
        }
        let or_more = word.ends_with('+');
        let is_cents = bare.ends_with(['c', '¢']);
        let bare = bare.trim_end_matches(['c', '¢']);
        let digits = bare.trim_end_matches(|c: char| !c.is_ascii_digit());
        let said =
            IN_WORDS.iter().find(|(known, _)| *known == word).map(|(_, hundredths)| Decimal::new(*hundredths, 2));
        let is_in_words = said.is_some();
        let (mut money, mut count, mut is_rounded) = (said.unwrap_or(Decimal::ONE), None, false);
        if said.is_none() && !ALONE.contains(&word) {
            let suffix = &bare[digits.len()..];
            let (decimal, whole) = number(digits)?;
            (money, count) = (decimal, Some(whole));
            if !suffix.is_empty() {
                let (_, scale) = SUFFIXES.iter().find(|(suffixes, _)| suffixes.contains(&suffix))?;
                money = money.checked_mul(Decimal::from(*scale))?;
                is_rounded = matches!(suffix, "k" | "m");
                count = None;
            }
        }
        if !ALONE.contains(&word) {
            self.at += 1;
        }
        if is_in_words {
            self.skip(&["a", "an"]);
        }
        // `$1 a million tokens`: a price has no scale.
        let mut is_scaled = false;
        while currency.is_none()
            && let Some(scale) = self.scale()
        {
            // With commas between thousands a number is whole, whatever it is scaled by.
            money = count.filter(|_| !digits.contains('.')).unwrap_or(money).checked_mul(Decimal::from(scale))?;
            (count, is_scaled) = (None, true);
        }
        if self.skip(&DOLLARS) {
            currency = Some(Currency::Dollars);
        } else if is_cents || self.skip(&CENTS) {
            (money, currency) = (money.checked_div(Decimal::ONE_HUNDRED)?, Some(Currency::Dollars));
        } else if self.skip(&OTHER_MONEY) {
            currency = Some(Currency::Other);
        }
        if is_in_words && !is_scaled && currency.is_none() {
            return None;
        }
        let (money, count) = (money.normalize(), count.unwrap_or(money).normalize());
        Some(Amount { money, count, currency, or_more, is_rounded })
    }

    /// A word that multiplies the number before it. `ten` does only in front of another one: `20 ten thousand`, as Chinese counts.
    fn scale(&mut self) -> Option<u64> {
        let of = |word: Option<&Word<'_>>| {
            let word = word.filter(|word| !word.used)?.folded.as_str();
            SCALES.iter().find(|(words, _)| words.contains(&word)).map(|(_, scale)| *scale)
        };
        let words = &self.reading.words;
        let is_ten = self.reading.is(self.at, &["ten"]) && of(words.get(self.at + 1)).is_some();
        let scale = if is_ten { 10 } else { of(words.get(self.at))? };
        self.at += 1;
        Some(scale)
    }

    /// Whether what is here says what a price is per, as `million` does in `per 1 million`.
    fn is_behind_per(&self) -> bool {
        let mut before = self.reading.words[..self.at.min(self.reading.words.len())].iter().rev();
        let is_unit = |word: &&Word<'_>| !matches!(word.folded.as_str(), "1" | "one" | "a" | "million" | "thousand");
        before.find(is_unit).is_some_and(|word| PER.contains(&word.folded.as_str()))
    }
}

/// Whether a word is a number, whatever it counts: `-3`, `$0.10`, `200k`, `1.2.3`.
pub fn is_numeric(word: &str) -> bool {
    let digits =
        word.trim_start_matches(['-', '+', '$', '€', '£', '¥']).trim_end_matches(['+', '$', '€', 'k', 'm', 'c', '%']);
    digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.bytes().all(|c| c.is_ascii_digit() || matches!(c, b'.' | b','))
}

/// A number in digits, as a decimal and as a whole number. Separated groups of three are thousands, as in `128,000` and `1.000.000`; the last
/// separator begins decimals if another one precedes it, as in `1.234,56`. A single point is ambiguous: what is counted is whole, what is
/// paid is not. A single comma begins decimals if fewer than three digits follow, or a zero precedes it (`0,50`). `None` for other texts.
fn number(digits: &str) -> Option<(Decimal, Decimal)> {
    let both = |text: &str| text.parse().ok().map(|value: Decimal| (value, value));
    if !digits.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b',')) {
        return None;
    }
    let Some(last) = digits.rfind(['.', ',']) else { return both(digits) };
    let (before, separator, after) = (&digits[..last], &digits[last..=last], &digits[last + 1..]);
    if let Some(whole) = ungrouped(digits, separator) {
        let is_ambiguous = separator == "." && !before.contains('.');
        let whole: Decimal = whole.parse().ok()?;
        return Some((if is_ambiguous { digits.parse().ok()? } else { whole }, whole));
    }
    let is_short = separator == "." || after.len() < 3 || before == "0";
    let before = if before.contains(['.', ',']) {
        ungrouped(before, if separator == "." { "," } else { "." })?
    } else if is_short {
        before.to_owned()
    } else {
        return None;
    };
    both(&format!("{before}.{after}"))
}

/// The digits of a number whose thousands a separator stands between.
fn ungrouped(digits: &str, separator: &str) -> Option<String> {
    let mut groups = digits.split(separator);
    let is_whole = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let first = groups.next()?;
    let is_grouped = (1..=3).contains(&first.len())
        && !first.starts_with('0')
        && is_whole(first)
        && groups.all(|group| group.len() == 3 && is_whole(group));
    is_grouped.then(|| digits.replace(separator, ""))
}
