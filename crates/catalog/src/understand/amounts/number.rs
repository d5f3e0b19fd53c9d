//! Numbers as they are typed: `128,000`, `200.000`, `128 000`, `1.5M`, `20万`, `half a million`, `$0.10`, `5 cents`.

use rust_decimal::Decimal;

use super::Cursor;
use super::spoken::{AND_A_PART, and_a_part, spoken};
use crate::understand::words::{Word, Words as _, only_digits};

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
    /// It was said in cents, as those may be that share its unit: `10 to 50 cents`.
    pub is_of_cents: bool,
    /// It was typed with `k` or `m`, which are also said of 1,024 and 1,048,576 tokens.
    pub is_rounded: bool,
}

impl Amount {
    /// Whether it counts thousands, as no price does.
    pub fn is_in_thousands(&self) -> bool {
        self.currency.is_none() && self.count >= Decimal::ONE_THOUSAND
    }
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
    (&["k", "к"], 1_000),
    (&["m", "mio", "mln", "м", "млн"], 1_000_000),
    (&["万", "萬", "만"], 10_000),
    (&["億", "亿", "억"], 100_000_000),
];
/// Scales that are numbers by themselves: `a million` and `million`.
const ALONE: [&str; 2] = ["million", "thousand"];
pub const DOLLARS: [&str; 9] = ["dollar", "dollars", "usd", "buck", "bucks", "us-dollars", "us-dollar", "$", "us$"];
const CENTS: [&str; 5] = ["cent", "cents", "ct", "cts", "¢"];
const OTHER_MONEY: [&str; 14] =
    ["euro", "euros", "eur", "€", "pound", "pounds", "gbp", "£", "yen", "jpy", "yuan", "rmb", "cny", "¥"];
/// Digits of cents behind dollars …
const CENT_DIGITS: usize = 2;
/// … and what may stand behind those: else they are a number of something else.
const BEHIND_CENTS: [&str; 10] = ["per", "/", "a", "for", "in", "out", "input", "output", "or", "and"];
/// Numbers of `mil` from here on are no millions.
const MIL_MAX: Decimal = Decimal::from_parts(20, 0, 0, false, 0);
/// What stands in front of a unit that a price is per: the number behind it bounds nothing.
const PER: [&str; 3] = ["per", "/", "each"];
/// The country whose dollars prices are in.
const US: [&str; 2] = ["us", "u.s"];

impl Cursor<'_, '_> {
    /// The number with its unit.
    pub fn amount(&mut self) -> Option<Amount> {
        let is_behind_per = self.is_behind_per();
        // A sum of money after the slash is a second price, not a number of tokens: `$3/$15`, `20 cents in / 80 cents out`.
        let is_read = |amount: &Amount| amount.currency.is_some() || !is_behind_per;
        self.attempt(|cursor| cursor.number_with_unit().filter(is_read))
    }

    /// A number in words without a unit, as the first of two may be: `between one and two million`.
    pub fn bare_number_in_words(&mut self) -> Option<Amount> {
        let said = spoken(&self.reading.words, self.at)?;
        self.at += said.taken;
        let (money, count) = (said.value, said.value);
        Some(Amount { money, count, currency: None, or_more: false, is_of_cents: false, is_rounded: false })
    }

    /// A whole number of more than one, as prices are per: `5 million`, `ten million`, `billion`, `250k`.
    pub fn whole_count(&mut self) -> Option<Decimal> {
        self.attempt(|cursor| {
            let is_ten = cursor.reading.is(cursor.at, &["ten"]);
            let scale = if is_ten { None } else { cursor.scale(Decimal::ONE).map(Decimal::from) };
            let count = scale.or_else(|| {
                let amount = cursor.number_with_unit().filter(|amount| amount.currency.is_none() && !amount.or_more);
                amount.map(|amount| amount.count)
            });
            count.filter(|count| count.fract().is_zero() && *count > Decimal::ONE)
        })
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
        let said = spoken(words, self.at);
        let mut money = said.map_or(Decimal::ONE, |said| said.value);
        let (mut count, mut is_rounded) = (None, false);
        if said.is_none() && !ALONE.contains(&word) {
            (money, count, is_rounded) = suffixed(digits, &bare[digits.len()..])?;
        }
        if !ALONE.contains(&word) {
            self.at += said.map_or(1, |said| said.taken);
        }
        let part = if said.is_none() && count.is_some() { and_a_part(words, self.at) } else { Decimal::ZERO };
        if !part.is_zero() {
            (money, count) = (money.checked_add(part)?, None);
            self.at += AND_A_PART;
        }
        // `$1 a million tokens`: a price has no scale.
        let mut is_scaled = said.is_some_and(|said| said.has_hundred);
        while currency.is_none()
            && let Some(scale) = self.scale(money)
        {
            // With commas between thousands a number is whole, whatever it is scaled by.
            money = count.filter(|_| !digits.contains('.')).unwrap_or(money).checked_mul(Decimal::from(scale))?;
            (count, is_scaled) = (None, true);
        }
        let mut is_of_cents = is_cents;
        let is_whole = money.fract().is_zero() && currency.is_none() && !is_cents;
        // `3 US dollars`
        self.at += usize::from(self.reading.is(self.at, &US) && self.reading.is(self.at + 1, &DOLLARS));
        if self.skip(&DOLLARS) {
            currency = Some(Currency::Dollars);
            let cents = if is_whole { self.cents_behind() } else { None };
            if let Some(cents) = cents {
                (money, count) = (money.checked_add(cents)?, None);
            }
        } else if is_cents || self.skip(&CENTS) {
            is_of_cents = true;
            (money, currency) = (money.checked_div(Decimal::ONE_HUNDRED)?, Some(Currency::Dollars));
        } else if self.skip(&OTHER_MONEY) {
            currency = Some(Currency::Other);
        }
        if said.is_some() && !is_scaled && currency.is_none() {
            return None;
        }
        let (money, count) = (money.normalize(), count.unwrap_or(money).normalize());
        Some(Amount { money, count, currency, or_more, is_of_cents, is_rounded })
    }

    /// The cents behind a whole number of dollars: `one dollar fifty`, `2 dollars and 50 cents`. In dollars.
    fn cents_behind(&mut self) -> Option<Decimal> {
        let (words, start) = (&self.reading.words, self.at);
        // `under 2 dollars a model`, `2 dollars, one seller`
        if self.reading.is(start, &["a", "an"]) || start > 0 && words[start - 1].ends_clause {
            return None;
        }
        self.attempt(|cursor| {
            // `between one dollar and five` has two numbers.
            let is_joined = cursor.skip(&["and"]);
            let in_words = spoken(words, cursor.at).map(|said| (said.value, said.taken));
            let (cents, taken) = in_words.or_else(|| {
                let digits = cursor.word().filter(|word| word.len() == CENT_DIGITS)?;
                Some((digits.parse::<u8>().ok()?.into(), 1))
            })?;
            cursor.at += taken;
            let is_said = cursor.skip(&CENTS);
            let is_end = words.get(cursor.at).is_none_or(|next| next.used || next.is(&BEHIND_CENTS));
            let is_sum = cents < Decimal::ONE_HUNDRED && (is_said || is_end && !is_joined);
            cents.checked_div(Decimal::ONE_HUNDRED).filter(|_| is_sum)
        })
    }

    /// A word that multiplies the number before it. `ten` does only in front of another one: `20 ten thousand`, as Chinese counts.
    fn scale(&mut self, number: Decimal) -> Option<u64> {
        let of = |word: Option<&Word<'_>>| {
            let word = word.filter(|word| !word.used)?.folded.as_str();
            SCALES.iter().find(|(words, _)| words.contains(&word)).map(|(_, scale)| *scale)
        };
        let words = &self.reading.words;
        // `1 mil` is a million, but `200 mil` is 200 thousand in Spanish, and no context of today in English.
        if number < MIL_MAX && self.skip(&["mil"]) {
            return Some(1_000_000);
        }
        let is_ten = self.reading.is(self.at, &["ten"]) && of(words.get(self.at + 1)).is_some();
        let scale = if is_ten { 10 } else { of(words.get(self.at))? };
        self.at += 1;
        Some(scale)
    }

    /// Whether what is here says what a price is per, as `million` does in `per 1 million`.
    fn is_behind_per(&self) -> bool {
        let words = &self.reading.words;
        // What was read with its unit is none of this number: `$5 per million 128k context`.
        let is_open = |before: &usize| !words[*before].used && !words[*before].ends_clause;
        let mut before = (0..self.at.min(words.len())).rev().take_while(is_open);
        before.find(|before| !counts(words, *before)).is_some_and(|before| words[before].is(&PER))
    }
}

/// Whether the word at a position counts what stands behind it: `5`, `ten`, `million`.
pub fn counts(words: &[Word<'_>], at: usize) -> bool {
    let word = words[at].folded.as_str();
    let is_scale = || SCALES.iter().any(|(scales, _)| scales.contains(&word));
    is_numeric(word) || is_scale() || spoken(words, at).is_some()
}

/// Whether a word is a number, whatever it counts: `-3`, `$0.10`, `200k`, `1.2.3`.
pub fn is_numeric(word: &str) -> bool {
    let digits =
        word.trim_start_matches(['-', '+', '$', '€', '£', '¥']).trim_end_matches(['+', '$', '€', 'k', 'm', 'c', '%']);
    digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.bytes().all(|c| c.is_ascii_digit() || matches!(c, b'.' | b','))
}

/// A number in digits with the scale that is written onto it (`128k`): for money, for what is counted where no scale makes both the same, and
/// whether it may be rounded.
fn suffixed(digits: &str, suffix: &str) -> Option<(Decimal, Option<Decimal>, bool)> {
    let (money, count) = number(digits)?;
    if suffix.is_empty() {
        return Some((money, Some(count), false));
    }
    let (_, scale) = SUFFIXES.iter().find(|(suffixes, _)| suffixes.contains(&suffix))?;
    Some((money.checked_mul(Decimal::from(*scale))?, None, matches!(suffix, "k" | "m")))
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
    let first = groups.next()?;
    let is_grouped = (1..=3).contains(&first.len())
        && !first.starts_with('0')
        && only_digits(first)
        && groups.all(|group| group.len() == 3 && only_digits(group));
    is_grouped.then(|| digits.replace(separator, ""))
}
