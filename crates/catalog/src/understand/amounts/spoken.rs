//! Numbers in words, as grammars of English numerals read them: `seven`, `twenty-five`, `two hundred and fifty`, `one and a half`,
//! `three quarters of a`.

use rust_decimal::Decimal;

use crate::understand::words::{Word, Words};

/// Parts of what stands behind them, in hundredths.
const PARTS: [(&str, i64); 2] = [("half", 50), ("quarter", 25)];
/// Several of one: `three quarters`.
const SEVERAL_PARTS: (&str, i64) = ("quarters", 25);

/// A number in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spoken {
    pub value: Decimal,
    /// How many words say it.
    pub taken: usize,
    /// It has a hundred in it, which only numbers have: `a hundred`.
    pub has_hundred: bool,
}

/// The number in words that begins at a position.
pub fn spoken(words: &[Word<'_>], at: usize) -> Option<Spoken> {
    if let Some(part) = part(words, at) {
        return Some(part);
    }
    let (whole, mut taken, has_hundred) = whole(words, at)?;
    let fraction = and_a_part(words, at + taken);
    taken += if fraction.is_zero() { 0 } else { AND_A_PART };
    Some(Spoken { value: Decimal::from(whole) + fraction, taken, has_hundred })
}

/// The whole number in words that begins at a position, and how many words say it: `a`, `ten`, `two hundred and fifty`. In `three quarters`
/// it is the three.
pub fn whole_number(words: &[Word<'_>], at: usize) -> Option<(u16, usize)> {
    whole(words, at).map(|(value, taken, _)| (value, taken))
}

/// The same, and whether it has a hundred in it.
fn whole(words: &[Word<'_>], at: usize) -> Option<(u16, usize, bool)> {
    let (mut value, mut taken) = if words.is(at, &["a", "an"]) { (1, 1) } else { below_hundred(words, at)? };
    let has_hundred = words.is(at + taken, &["hundred"]);
    if has_hundred {
        value *= 100;
        taken += 1;
        // `between one hundred and two hundred thousand` has two numbers.
        let joined = usize::from(words.is(at + taken, &["and"]));
        let is_range = joined > 0 && words.is_behind(at, &["between"]);
        let rest = below_hundred(words, at + taken + joined).filter(|_| !is_range);
        if let Some((rest, more)) = rest.filter(|(_, more)| !words.is(at + taken + joined + more, &["hundred"])) {
            value += rest;
            taken += joined + more;
        }
    }
    Some((value, taken, has_hundred))
}

/// Words of `and a half`.
pub const AND_A_PART: usize = 3;

/// What `and a half` adds to the number before it; zero where nothing of that kind stands at a position.
pub fn and_a_part(words: &[Word<'_>], at: usize) -> Decimal {
    let part = PARTS.iter().find(|(part, _)| words.is_phrase(at, &["and", "a", part]));
    part.map_or(Decimal::ZERO, |(_, hundredths)| Decimal::new(*hundredths, 2))
}

/// `half a`, `a quarter of a`, `three quarters of a`.
fn part(words: &[Word<'_>], at: usize) -> Option<Spoken> {
    let (count, counted) = match below_hundred(words, at) {
        Some(number) => number,
        None => (1, usize::from(words.is(at, &["a", "an"]))),
    };
    let (_, hundredths) = PARTS.iter().chain([&SEVERAL_PARTS]).find(|(part, _)| words.is(at + counted, &[part]))?;
    let mut taken = counted + 1;
    taken += usize::from(words.is(at + taken, &["of"]));
    taken += usize::from(words.is(at + taken, &["a", "an"]));
    Some(Spoken { value: Decimal::new(i64::from(count) * hundredths, 2), taken, has_hundred: false })
}

/// A number below a hundred, and how many words say it: `seven`, `twenty five`, `twenty-five`.
fn below_hundred(words: &[Word<'_>], at: usize) -> Option<(u16, usize)> {
    let word = words.get(at).filter(|word| !word.used)?.folded.as_str();
    if let Some(small) = small(word) {
        return Some((small, 1));
    }
    let (first, unit) = word.split_once('-').map_or((word, None), |(first, unit)| (first, Some(unit)));
    let tens = tens(first)?;
    let is_unit = |unit: &u16| (1..10).contains(unit);
    if let Some(unit) = unit {
        return Some((tens + small(unit).filter(is_unit)?, 1));
    }
    let next = words.get(at + 1).filter(|next| !next.used).and_then(|next| small(&next.folded)).filter(is_unit);
    Some(next.map_or((tens, 1), |unit| (tens + unit, 2)))
}

// Every word of a question is looked up in these: as a match, most are told apart by their length alone.
fn small(word: &str) -> Option<u16> {
    Some(match word {
        "zero" => 0,
        "one" => 1,
        "two" => 2,
        "three" => 3,
        "four" => 4,
        "five" => 5,
        "six" => 6,
        "seven" => 7,
        "eight" => 8,
        "nine" => 9,
        "ten" => 10,
        "eleven" => 11,
        "twelve" => 12,
        "thirteen" => 13,
        "fourteen" => 14,
        "fifteen" => 15,
        "sixteen" => 16,
        "seventeen" => 17,
        "eighteen" => 18,
        "nineteen" => 19,
        _ => return None,
    })
}

fn tens(word: &str) -> Option<u16> {
    Some(match word {
        "twenty" => 20,
        "thirty" => 30,
        "forty" => 40,
        "fifty" => 50,
        "sixty" => 60,
        "seventy" => 70,
        "eighty" => 80,
        "ninety" => 90,
        _ => return None,
    })
}
