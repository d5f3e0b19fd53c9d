//! One spelling for the many ways to write a name: folded, squashed to letters and digits, cut at every other character
//! and at letter/digit borders; the provider in front and the date behind are set apart.

use super::analyze::fold;
use std::ops::Range;

/// Longer names and queries are cut here for the names channel.
const SQUASHED_BYTES_MAX: usize = 240;
/// Pieces of a name that are looked at.
const PIECES_MAX: usize = 32;

/// A piece of a name: letters or digits only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    /// Bytes in [`Spelling::squashed`].
    pub range: Range<usize>,
    pub number: bool,
    pub gap: Gap,
}

/// What stands before a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gap {
    /// Nothing: letters turn into digits or digits into letters.
    Glued,
    Dot,
    Other,
}

/// A name in its one spelling.
#[derive(Debug, Clone, Default)]
pub(super) struct Spelling {
    /// Letters and digits only.
    pub squashed: String,
    pub pieces: Vec<Piece>,
    /// The pieces without provider and date.
    pub core: Range<usize>,
}

impl Spelling {
    pub(super) fn of(text: &str) -> Self {
        let mut folded = String::new();
        fold(text.trim(), &mut folded);
        let mut spelling = Self::default();
        let (mut provider_end, mut gap) = (0, Gap::Other);
        let mut before = ' ';
        for (at, c) in folded.char_indices() {
            if !c.is_alphanumeric() {
                let next = folded[at + c.len_utf8()..].chars().next().unwrap_or(' ');
                let parts = c == '/'
                    || (matches!(c, ':') && next == ' ')
                    || (c == '.' && before.is_alphabetic() && next.is_alphabetic());
                let first = spelling.pieces.len() <= 2 && !folded[..at].contains(' ');
                if parts && first && next != '/' {
                    provider_end = spelling.pieces.len();
                }
                gap = if c == '.' && gap == Gap::Glued { Gap::Dot } else { Gap::Other };
                before = c;
                continue;
            }
            if spelling.squashed.len() + c.len_utf8() > SQUASHED_BYTES_MAX {
                break;
            }
            let number = c.is_ascii_digit();
            let start = spelling.squashed.len();
            spelling.squashed.push(c);
            let end = spelling.squashed.len();
            let full = spelling.pieces.len() == PIECES_MAX;
            match spelling.pieces.last_mut() {
                Some(last) if gap == Gap::Glued && last.number == number => last.range.end = end,
                _ if full => {
                    spelling.squashed.truncate(start);
                    break;
                }
                _ => spelling.pieces.push(Piece { range: start..end, number, gap }),
            }
            gap = Gap::Glued;
            before = c;
        }
        let count = spelling.pieces.len();
        let dated = count - spelling.date_pieces();
        spelling.core = if provider_end < dated { provider_end..dated } else { 0..count };
        spelling
    }

    pub(super) fn text(&self, piece: &Piece) -> &str {
        &self.squashed[piece.range.clone()]
    }

    /// The squashed name without provider and date.
    pub(super) fn core_text(&self) -> &str {
        let (Some(first), Some(last)) =
            (self.pieces.get(self.core.start), self.pieces.get(self.core.end.wrapping_sub(1)))
        else {
            return &self.squashed;
        };
        &self.squashed[first.range.start..last.range.end]
    }

    /// Number of pieces at the end that are a date: `20250929` or `2025-09-29`; a name that is a date keeps it.
    fn date_pieces(&self) -> usize {
        let texts: Vec<&str> = self.pieces.iter().map(|piece| self.text(piece)).collect();
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

    /// Versions: two short numbers in a row, as `4.5`. `3-8b` is none: its second number belongs to what follows.
    pub(super) fn versions(&self) -> impl Iterator<Item = String> {
        self.pieces.windows(2).enumerate().filter_map(|(at, pair)| {
            let short = pair.iter().all(|piece| piece.number && piece.range.len() <= 2);
            let unit = self.pieces.get(at + 2).is_some_and(|next| next.gap == Gap::Glued);
            let version = short && (pair[1].gap == Gap::Dot || !unit);
            version.then(|| format!("{}.{}", self.text(&pair[0]), self.text(&pair[1])))
        })
    }

    /// Where separators stood: bit `i` for one before byte `i` of the squashed text, bit `32 + i` when it was a dot
    /// (the first 31 bytes).
    pub(super) fn breaks(&self) -> u64 {
        let separated =
            self.pieces.iter().filter(|piece| piece.gap != Gap::Glued && (1..32).contains(&piece.range.start));
        separated.fold(0, |bits, piece| {
            let dot = if piece.gap == Gap::Dot { 1 << (32 + piece.range.start) } else { 0 };
            bits | 1 << piece.range.start | dot
        })
    }
}

/// The three-character windows of a squashed name, its start marked; sorted, each once.
pub(super) fn trigrams(squashed: &str) -> Vec<[char; 3]> {
    let chars: Vec<char> = std::iter::once('^').chain(squashed.chars()).collect();
    let mut all: Vec<[char; 3]> = chars.windows(3).map(|window| [window[0], window[1], window[2]]).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Dice similarity of two sorted sets, 0 to 1.
pub(super) fn dice(a: &[[char; 3]], b: &[[char; 3]]) -> f32 {
    if a.is_empty() || b.is_empty() {
        return 0.0;
    }
    let (mut i, mut j, mut both) = (0, 0, 0_u32);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                both += 1;
                i += 1;
                j += 1;
            }
        }
    }
    2.0 * both as f32 / (a.len() + b.len()) as f32
}
