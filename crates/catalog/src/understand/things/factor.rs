//! By how much something is more or less than another: `half`, `twice`, `3 times`, `10x`, `20%`, `a third`.

use rust_decimal::Decimal;

use crate::understand::spoken;
use crate::understand::words::{Word, Words};
use refdesk_core::field::Side;

/// A factor, and how it was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Factor {
    /// `half`, `20%`: a part of the whole, or a difference of that part.
    Share(Decimal),
    /// `twice`, `3 times`
    Times(Decimal),
    /// What is divided by it: `twice as cheap`.
    Divided(Decimal),
}

impl Default for Factor {
    fn default() -> Self {
        Self::Times(Decimal::ONE)
    }
}

impl Factor {
    /// What it makes of a value.
    pub fn of(self, value: Decimal) -> Option<Decimal> {
        match self {
            Self::Share(factor) | Self::Times(factor) => value.checked_mul(factor),
            Self::Divided(divisor) => value.checked_div(divisor),
        }
        .map(|value| value.round_dp(DECIMALS))
    }

    pub fn is_less_than_one(self) -> bool {
        matches!(self, Self::Share(factor) | Self::Times(factor) if factor < Decimal::ONE)
    }

    /// As a difference, as `cheaper` and `more` say it: `20% cheaper` is 80 % of the price, `3 times cheaper` a third of it.
    pub fn beyond(self, side: Side) -> Self {
        match (self, side) {
            (Self::Share(share), Side::Most) => Self::Share((Decimal::ONE - share).max(Decimal::ZERO)),
            (Self::Share(share), Side::Least) => Self::Share(Decimal::ONE + share),
            (factor, Side::Least) => factor,
            (factor, Side::Most) => factor.as_little(),
        }
    }

    /// As `twice as cheap` says it.
    pub fn as_little(self) -> Self {
        match self {
            Self::Times(times) if times > Decimal::ONE => Self::Divided(times),
            factor => factor,
        }
    }
}

/// Decimals of a price that was multiplied.
const DECIMALS: u32 = 6;
/// Multiples in one word …
const MULTIPLES: [(&str, i64); 6] =
    [("twice", 2), ("double", 2), ("thrice", 3), ("triple", 3), ("quadruple", 4), ("tenfold", 10)];
/// … and parts.
const PARTS: [(&str, i64); 6] =
    [("half", 2), ("third", 3), ("quarter", 4), ("fifth", 5), ("tenth", 10), ("hundredth", 100)];

/// The factor at a position, and how many words say it.
pub fn factor(words: &[Word<'_>], at: usize) -> Option<(Factor, usize)> {
    let word = words.get(at).filter(|word| !word.used)?.folded.as_str();
    let value = |rows: &[(&str, i64)], word: &str| rows.iter().find(|(name, _)| *name == word).map(|(_, value)| *value);
    if let Some(times) = value(&MULTIPLES, word) {
        return Some((Factor::Times(times.into()), 1));
    }
    let behind_article = usize::from(words.is(at, &["a", "one"]));
    let part = words.get(at + behind_article).and_then(|word| value(&PARTS, &word.folded));
    if let Some(part) = part {
        return Some((Factor::Share(Decimal::ONE.checked_div(part.into())?), behind_article + 1));
    }
    if let Some(number) = word.strip_suffix('x').and_then(|number| number.parse().ok()) {
        return Some((Factor::Times(number), 1));
    }
    if let Some(percent) = word.strip_suffix('%').and_then(|number| number.parse::<Decimal>().ok()) {
        return Some((Factor::Share(percent.checked_div(Decimal::ONE_HUNDRED)?), 1));
    }
    let in_words = spoken(words, at).map(|said| (said.value, said.taken));
    let (number, taken) = word.parse().ok().map(|number| (number, 1)).or(in_words)?;
    if words.is(at + taken, &["times", "x"]) {
        return Some((Factor::Times(number), taken + 1));
    }
    words
        .is(at + taken, &["percent", "%"])
        .then_some((Factor::Share(number.checked_div(Decimal::ONE_HUNDRED)?), taken + 1))
}
