//! Spelling normalisation of names (as in record linkage): a folded key of letters and digits only, cut into tokens at every other
//! character and between letters and digits; the vendor prefix and a trailing date are set apart from the base name.

use crate::text::folded;
use std::ops::Range;

/// Longer names and queries are cut here: lengths are stored in one byte.
const KEY_BYTES_MAX: usize = 240;
/// Tokens of a name that are used; coverage is tracked in 64 bits.
const TOKENS_MAX: usize = 32;

/// A token of a name: letters only or digits only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NameToken {
    /// Byte range in [`NormalisedName::key`].
    pub range: Range<usize>,
    pub is_number: bool,
    pub separator: Separator,
}

/// What stands in front of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Separator {
    /// Nothing: a border between letters and digits.
    None,
    Dot,
    Other,
}

/// A plus at the end of a word is a word of the name: `r+` is `r plus`.
fn with_plus(folded: &str) -> String {
    let ends_word = |rest: &str| rest.chars().next().is_none_or(|c| !c.is_alphanumeric());
    let mut spelled = String::with_capacity(folded.len() + 5);
    for (at, c) in folded.char_indices() {
        if c == '+' && ends_word(&folded[at + 1..]) && spelled.ends_with(|c: char| c.is_alphanumeric()) {
            spelled.push_str(" plus");
        } else {
            spelled.push(c);
        }
    }
    spelled
}

/// The key of a name: spellings of one name have the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NormalForm(String);

impl NormalForm {
    /// The key of a spelling.
    pub fn new(text: &str) -> Self {
        Self(NormalisedName::new(text).key)
    }
}

/// A name in normal form.
#[derive(Debug, Clone, Default)]
pub(crate) struct NormalisedName {
    /// Letters and digits only.
    pub key: String,
    pub tokens: Vec<NameToken>,
    /// The tokens of the base name: without vendor prefix and date.
    pub base: Range<usize>,
}

impl NormalisedName {
    pub(crate) fn new(text: &str) -> Self {
        let mut folded = folded(text.trim());
        if folded.contains('+') {
            folded = with_plus(&folded);
        }
        let mut name = Self::default();
        let (mut vendor_end, mut separator) = (0, Separator::Other);
        // The tokens before a dot are a vendor's where the name goes on behind another sign: `amazon.nova-pro`, and not `Next.js`.
        let mut before_dot = None;
        let mut before = ' ';
        for (at, c) in folded.char_indices() {
            if !c.is_alphanumeric() {
                let next = folded[at + c.len_utf8()..].chars().next().unwrap_or(' ');
                let is_dot = c == '.' && before.is_alphabetic() && next.is_alphabetic();
                let ends_vendor = c == '/' || (c == ':' && next == ' ');
                if c.is_whitespace() {
                    before_dot = None;
                } else if !is_dot && (ends_vendor || next.is_alphanumeric()) {
                    vendor_end = before_dot.take().unwrap_or(vendor_end);
                }
                let first = name.tokens.len() <= 2 && !folded[..at].contains(' ');
                if is_dot && first {
                    before_dot = Some(name.tokens.len());
                } else if ends_vendor && first && next != '/' {
                    vendor_end = name.tokens.len();
                }
                let directly = separator == Separator::None;
                separator = if c == '.' && directly { Separator::Dot } else { Separator::Other };
                before = c;
                continue;
            }
            if name.key.len() + c.len_utf8() > KEY_BYTES_MAX {
                break;
            }
            let is_number = c.is_ascii_digit();
            let start = name.key.len();
            name.key.push(c);
            let end = name.key.len();
            let full = name.tokens.len() == TOKENS_MAX;
            match name.tokens.last_mut() {
                Some(last) if separator == Separator::None && last.is_number == is_number => last.range.end = end,
                _ if full => {
                    name.key.truncate(start);
                    break;
                }
                _ => name.tokens.push(NameToken { range: start..end, is_number, separator }),
            }
            separator = Separator::None;
            before = c;
        }
        let count = name.tokens.len();
        let date_start = count - name.date_tokens();
        name.base = if vendor_end < date_start { vendor_end..date_start } else { 0..count };
        name
    }

    pub(super) fn text(&self, token: &NameToken) -> &str {
        &self.key[token.range.clone()]
    }

    pub(super) fn base_key(&self) -> &str {
        let (Some(first), Some(last)) =
            (self.tokens.get(self.base.start), self.tokens.get(self.base.end.wrapping_sub(1)))
        else {
            return &self.key;
        };
        &self.key[first.range.start..last.range.end]
    }

    /// Its key, and that of its base name where that is another.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &str> {
        let (whole, base) = (self.key.as_str(), self.base_key());
        std::iter::once(whole).chain((base != whole).then_some(base))
    }

    /// Number of trailing tokens that are a date: `20250929` or `2025-09-29`. A name that is nothing else keeps it.
    fn date_tokens(&self) -> usize {
        let texts: Vec<&str> = self.tokens.iter().map(|token| self.text(token)).collect();
        let year = |text: &str| text.len() == 4 && text.starts_with("20") && text.bytes().all(|b| b.is_ascii_digit());
        let two = |text: &str, max: u32| text.len() == 2 && text.parse::<u32>().is_ok_and(|n| (1..=max).contains(&n));
        match texts.as_slice() {
            [_, .., last]
                if last.len() == 8
                    && last.is_ascii()
                    && year(&last[..4])
                    && two(&last[4..6], 12)
                    && two(&last[6..], 31) =>
            {
                1
            }
            [_, .., y, m, d] if year(y) && two(m, 12) && two(d, 31) => 3,
            _ => 0,
        }
    }

    /// Versions: two short numbers in a row, as in `4.5`. Not `3-8b`, where the second number belongs to what follows.
    pub(super) fn versions(&self) -> impl Iterator<Item = String> {
        self.tokens.windows(2).enumerate().filter_map(|(at, pair)| {
            let short = pair.iter().all(|token| token.is_number && token.range.len() <= 2);
            let unit = self.tokens.get(at + 2).is_some_and(|next| next.separator == Separator::None);
            let version = short && (pair[1].separator == Separator::Dot || !unit);
            version.then(|| format!("{}.{}", self.text(&pair[0]), self.text(&pair[1])))
        })
    }

    /// Where its separators stand.
    pub(super) fn separators(&self) -> Separators {
        let separated = self
            .tokens
            .iter()
            .filter(|token| token.separator != Separator::None && (1..Separators::BYTES).contains(&token.range.start));
        Separators(separated.fold(0, |bits, token| {
            let is_dot = u64::from(token.separator == Separator::Dot);
            bits | (1 | is_dot << Separators::BYTES) << token.range.start
        }))
    }
}

/// Where separators stand in the first 32 bytes of a key: bit `i` for one in front of byte `i`, and bit `32 + i` if it is a dot.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Separators(pub u64);

impl Separators {
    const BYTES: usize = 32;
    /// A dot in place of another separator differs by a third of what a separator does in place of none.
    const DOT_SHARE: f32 = 3.0;

    /// Whether a separator stands in front of a byte, and whether it is a dot.
    pub(super) const fn at(self, byte: usize) -> (bool, bool) {
        if byte >= Self::BYTES {
            return (false, false);
        }
        let here = self.0 >> byte;
        (here & 1 == 1, here >> Self::BYTES & 1 == 1)
    }

    /// Number of separators that only one of two spellings has within the first bytes.
    pub(super) fn differences(self, other: Self, bytes: usize) -> f32 {
        let within = if bytes >= Self::BYTES { u32::MAX } else { (1 << bytes) - 1 };
        let differing = |shift: usize| (((self.0 ^ other.0) >> shift) as u32 & within).count_ones() as f32;
        differing(0) + differing(Self::BYTES) / Self::DOT_SHARE
    }
}
