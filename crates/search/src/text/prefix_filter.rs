//! A vectorised prefilter over word prefixes: skips the parts of a text in which no wanted word can start, before anything is tokenised.
//! The idea is that of the prefilters in Rust's `memchr` and `aho-corasick`: a cheap test without false negatives in front of an exact one.

use std::ops::Range;

use smallvec::SmallVec;

/// Bytes tested together: without a branch between them, so that the compiler emits vector instructions.
const CHUNK_BYTES: usize = 64;
/// Bytes of a prefix that are compared: fewer give more false positives, more cost more comparisons.
const PREFIX_BYTES: usize = 3;
/// Bytes that are looked at together when a chunk was tested.
const WORD_BYTES: usize = 8;
/// Most queries have no more words, so their prefixes need no allocation.
const PREFIXES_INLINE: usize = 8;

/// The first bytes of a word and a mask that ignores the bytes a shorter word does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Prefix {
    bytes: [u8; PREFIX_BYTES],
    masks: [u8; PREFIX_BYTES],
}

impl Prefix {
    fn new(text: &[u8]) -> Self {
        let mut prefix = Self { bytes: [0; PREFIX_BYTES], masks: [0; PREFIX_BYTES] };
        for (at, byte) in text.iter().take(PREFIX_BYTES).enumerate() {
            (prefix.bytes[at], prefix.masks[at]) = (fold_ascii_case(*byte), u8::MAX);
        }
        prefix
    }

    /// Whether whatever begins with `other` begins with this.
    fn covers(self, other: Self) -> bool {
        (0..PREFIX_BYTES).all(|at| {
            other.masks[at] & self.masks[at] == self.masks[at] && other.bytes[at] & self.masks[at] == self.bytes[at]
        })
    }
}

/// A set of word prefixes, matched without regard to case.
#[derive(Debug, Default)]
pub(super) struct PrefixFilter(SmallVec<[Prefix; PREFIXES_INLINE]>);

/// Maps a letter and its capital to one byte; few other word characters collide.
const fn fold_ascii_case(byte: u8) -> u8 {
    byte | 0x20
}

impl PrefixFilter {
    /// Adds a prefix; only its first bytes are compared.
    pub(super) fn add(&mut self, prefix: &[u8]) {
        let prefix = Prefix::new(prefix);
        if !self.0.iter().any(|known| known.covers(prefix)) {
            self.0.retain(|known| !prefix.covers(*known));
            self.0.push(prefix);
        }
    }

    /// The places of a text at which a word may begin as wanted.
    pub(super) const fn candidates<'a>(&'a self, text: &'a [u8]) -> Candidates<'a> {
        Candidates { filter: self, text, tested: 0..0, found: [0; CHUNK_BYTES / WORD_BYTES] }
    }

    /// For each byte of a chunk 1 where a word with a prefix may start, or what is no ASCII; `before` is the byte before the chunk.
    fn test(&self, before: u8, chunk: &[u8; CHUNK_BYTES + PREFIX_BYTES - 1]) -> [u8; CHUNK_BYTES] {
        // Plain loops over arrays compile to vector instructions.
        let folded = chunk.map(fold_ascii_case);
        let mut found = [0_u8; CHUNK_BYTES];
        for Prefix { bytes: [a, b, c], masks: [with_a, with_b, with_c] } in &self.0 {
            for at in 0..CHUNK_BYTES {
                let differs = (folded[at] & with_a ^ a) | (folded[at + 1] & with_b ^ b) | (folded[at + 2] & with_c ^ c);
                found[at] |= u8::from(differs == 0);
            }
        }
        // Within letters and digits only a capital may begin a part of a word.
        let mut continues = [0_u8; CHUNK_BYTES];
        continues[0] = u8::from(is_letter_or_digit(before)) & u8::from(!chunk[0].is_ascii_uppercase());
        for at in 1..CHUNK_BYTES {
            continues[at] = u8::from(is_letter_or_digit(chunk[at - 1])) & u8::from(!chunk[at].is_ascii_uppercase());
        }
        for at in 0..CHUNK_BYTES {
            found[at] = found[at] & !continues[at] | u8::from(!chunk[at].is_ascii());
        }
        found
    }
}

/// Finds candidates in a text, each chunk of which is tested once.
#[derive(Debug)]
pub(super) struct Candidates<'a> {
    filter: &'a PrefixFilter,
    text: &'a [u8],
    /// The bytes of which `found` tells.
    tested: Range<usize>,
    /// A byte for each byte, eight in a word.
    found: [u64; CHUNK_BYTES / WORD_BYTES],
}

impl Candidates<'_> {
    /// Skips ahead from `at`, where no word may be open. Returns where to continue (no word or part of one before that starts with a
    /// prefix) and the end of the stretch that has to be tokenised. What is asked for does not go back.
    pub(super) fn skip(&mut self, at: usize) -> (usize, usize) {
        let Some(found) = self.next_from(at) else { return (self.text.len(), self.text.len()) };
        // A space ends every word.
        let space = self.text[at..found].iter().rposition(|byte| *byte == b' ');
        (at + space.map_or(0, |space| space + 1), found + 1)
    }

    fn next_from(&mut self, mut at: usize) -> Option<usize> {
        while at < self.text.len() {
            if !self.tested.contains(&at) {
                self.test(at);
            }
            let offset = at - self.tested.start;
            let behind = self.found[offset / WORD_BYTES] & u64::MAX << (8 * (offset % WORD_BYTES));
            let words = std::iter::once(behind).chain(self.found[offset / WORD_BYTES + 1..].iter().copied());
            let hit = words.zip(offset / WORD_BYTES..).find(|(word, _)| *word != 0);
            match hit {
                Some((word, place)) => {
                    let found = self.tested.start + WORD_BYTES * place + word.trailing_zeros() as usize / 8;
                    return (found < self.text.len()).then_some(found);
                }
                None => at = self.tested.end,
            }
        }
        None
    }

    /// Tests the chunk that begins at `at`.
    fn test(&mut self, at: usize) {
        let rest = &self.text[at..];
        let before = at.checked_sub(1).map_or(b' ', |before| self.text[before]);
        // Pad the end of the text with spaces: they end its last word.
        let mut padded = [b' '; CHUNK_BYTES + PREFIX_BYTES - 1];
        let found = self.filter.test(
            before,
            rest.first_chunk().unwrap_or_else(|| {
                padded[..rest.len()].copy_from_slice(rest);
                &padded
            }),
        );
        let (words, _) = found.as_chunks();
        for (word, bytes) in self.found.iter_mut().zip(words) {
            *word = u64::from_le_bytes(*bytes);
        }
        self.tested = at..at + CHUNK_BYTES;
    }
}

/// As `u8::is_ascii_alphanumeric`, without a branch.
const fn is_letter_or_digit(byte: u8) -> bool {
    fold_ascii_case(byte).is_ascii_lowercase() | byte.is_ascii_digit()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::PrefixFilter;
    use crate::text::tokenize::{tokenize, tokenize_filtered};

    /// Texts of letters, digits, signs and what is no ASCII, with words that begin in the middle of others.
    fn text() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec![
            "a", "b", "c", "A", "B", "C", "3", "4", ".", "-", "_", "'s", "+", "#", " ", "  ", "\n", "é", "漢", "字",
            "\u{301}", "abc", "ABc", "cab", "bAc",
        ]);
        prop::collection::vec(piece, 0..160).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn no_word_that_begins_as_wanted_is_skipped(text in text(), wanted in prop::collection::vec("[abc][abc3]{0,3}", 1..4)) {
            let mut filter = PrefixFilter::default();
            wanted.iter().for_each(|prefix| filter.add(prefix.as_bytes()));
            let (mut all, mut kept) = (Vec::new(), Vec::new());
            tokenize(&text, |word, range| {
                if wanted.iter().any(|prefix| word.starts_with(prefix.as_str())) {
                    all.push((word.to_owned(), range));
                }
            });
            tokenize_filtered(&text, Some(&filter), |word, range| kept.push((word.to_owned(), range)));
            kept.retain(|(word, _)| wanted.iter().any(|prefix| word.starts_with(prefix.as_str())));
            prop_assert_eq!(kept, all);
        }
    }
}
