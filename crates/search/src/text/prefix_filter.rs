//! A prefilter over word prefixes: skips the parts of a text in which no wanted word can start, before anything is tokenised. The idea is
//! that of the prefilters in Rust's `memchr` and `aho-corasick`: a cheap test without false negatives in front of an exact one. Where words
//! start is found for many bytes at once, in loops that compile to vector instructions; of each word the first bytes are compared.

use std::ops::Range;

use smallvec::SmallVec;

/// Bytes tested together: without a branch between them, so that the compiler emits vector instructions.
const CHUNK_BYTES: usize = 64;
/// Bytes of a prefix that are compared: fewer give more false positives, more cost more comparisons.
const PREFIX_BYTES: usize = 3;
/// Prefixes whose first two bytes are looked for in a whole chunk at once; with more of them, or shorter ones, the starts of words are.
const PAIRS: usize = 4;
/// Maps a letter and its capital to one byte; few other word characters collide.
const CASE_BIT: u8 = 0x20;
/// Bytes that are looked at together when a chunk was tested.
const WORD_BYTES: usize = 8;
/// Most queries have no more words, so their prefixes need no allocation.
const PREFIXES_INLINE: usize = 8;
/// [`CASE_BIT`] in each of [`PREFIX_BYTES`].
const CASE_BITS: u32 = u32::from_le_bytes([CASE_BIT, CASE_BIT, CASE_BIT, 0]);
/// Characters of UTF-8 that take two bytes, or three, begin with at least these.
const FIRST_OF_TWO_BYTES: u8 = 0xc0;
const FIRST_OF_THREE_BYTES: u8 = 0xe0;
/// Set in a byte that is no ASCII.
const HIGH_BITS: u32 = 0x0080_8080;

/// The first bytes of a word, case folded, the first of them lowest; and a mask that leaves out those that a shorter word does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Prefix {
    bytes: u32,
    mask: u32,
}

impl Prefix {
    fn new(text: &[u8]) -> Self {
        let length = text.len().min(PREFIX_BYTES);
        let mask = (1 << (8 * length)) - 1;
        Self { bytes: folded(&text[..length]) & mask, mask }
    }

    /// Whether whatever begins with `other` begins with this.
    const fn covers(self, other: Self) -> bool {
        self.mask & other.mask == self.mask && other.bytes & self.mask == self.bytes
    }
}

/// The first bytes of a text, case folded; spaces behind its end.
fn folded(text: &[u8]) -> u32 {
    let mut bytes = [b' '; size_of::<u32>()];
    let length = text.len().min(PREFIX_BYTES);
    bytes[..length].copy_from_slice(&text[..length]);
    u32::from_le_bytes(bytes) | CASE_BITS
}

/// A set of word prefixes, matched without regard to case.
#[derive(Debug)]
pub(super) struct PrefixFilter {
    prefixes: SmallVec<[Prefix; PREFIXES_INLINE]>,
    /// By the first byte of a word, as it stands in a text: whether the word may begin with a prefix.
    first_bytes: [bool; 256],
    /// The first two bytes of each prefix, the last one as often as there is room.
    pairs: Option<Pairs>,
}

/// Pairs of bytes, case folded, each byte as often as a chunk has bytes: they are compared with all of these at once.
type Pairs = [[[u8; CHUNK_BYTES]; 2]; PAIRS];

/// The bytes beyond ASCII that begin a word which may be folded to one of any prefix.
const FOLDED_TO_ASCII: [bool; 256] = {
    let mut bytes = [false; 256];
    let mut byte = 0x80;
    while byte < bytes.len() {
        bytes[byte] = !folds_beyond_ascii(byte as u8);
        byte += 1;
    }
    bytes
};

impl Default for PrefixFilter {
    fn default() -> Self {
        Self { prefixes: SmallVec::new(), first_bytes: FOLDED_TO_ASCII, pairs: None }
    }
}

impl PrefixFilter {
    /// Adds a prefix; only its first bytes are compared.
    pub(super) fn add(&mut self, prefix: &[u8]) {
        match prefix.first() {
            None => self.first_bytes = [true; 256],
            Some(first) if first.is_ascii() => {
                self.first_bytes[usize::from(first.to_ascii_lowercase())] = true;
                self.first_bytes[usize::from(first.to_ascii_uppercase())] = true;
            }
            // Whatever is no ASCII may be another spelling of it.
            Some(_) => self.first_bytes[0x80..].fill(true),
        }
        let prefix = Prefix::new(prefix);
        if !self.prefixes.iter().any(|known| known.covers(prefix)) {
            self.prefixes.retain(|known| !prefix.covers(*known));
            self.prefixes.push(prefix);
            self.pairs = pairs(&self.prefixes);
        }
    }

    /// The places of a text at which a word may begin as wanted.
    pub(super) const fn candidates<'a>(&'a self, text: &'a [u8]) -> Candidates<'a> {
        Candidates { filter: self, text, tested: 0..0, starts: [0; CHUNK_BYTES / WORD_BYTES] }
    }

    /// Whether a word at the beginning of `text` may begin with a prefix. What is no ASCII among its first bytes may be anything.
    fn may_begin(&self, text: &[u8]) -> bool {
        if !self.first_bytes[usize::from(text[0])] {
            return false;
        }
        let begin = text
            .first_chunk()
            .map_or_else(|| folded(text), |[a, b, c]| u32::from_le_bytes([*a, *b, *c, b' ']) | CASE_BITS);
        begin & HIGH_BITS != 0 || self.prefixes.iter().any(|prefix| begin & prefix.mask == prefix.bytes)
    }
}

/// The pairs that some prefixes begin with; nothing where these are too many, or one is shorter.
fn pairs(prefixes: &[Prefix]) -> Option<Pairs> {
    let are_few = prefixes.len() <= PAIRS && prefixes.iter().all(|prefix| prefix.mask.to_le_bytes()[1] > 0);
    let pair = |at: usize| {
        let [first, second, ..] = prefixes[at.min(prefixes.len() - 1)].bytes.to_le_bytes();
        [[first; CHUNK_BYTES], [second; CHUNK_BYTES]]
    };
    are_few.then(|| std::array::from_fn(pair))
}

/// Whether a word or a part of one may begin at a byte, for one that is found without a look at what stands before it.
fn may_start(text: &[u8], at: usize) -> bool {
    let is_within = at > 0 && is_letter_or_digit(text[at - 1]);
    !is_within || !text[at].is_ascii() || text[at].is_ascii_uppercase()
}

/// Whether every character that begins with this byte in UTF-8 is folded to something that begins with no ASCII: Cyrillic, Han, Hangul.
const fn folds_beyond_ascii(byte: u8) -> bool {
    matches!(byte, 0xd0 | 0xd1 | 0xe4..=0xe9 | 0xeb | 0xec)
}

/// For each byte of a chunk 1 where a word or a part of one may start; `before` is the byte before the chunk. Within letters and digits
/// only a capital begins a part of a word.
fn word_starts(before: u8, chunk: &[u8; CHUNK_BYTES + 1]) -> [u8; CHUNK_BYTES] {
    // Plain loops over arrays compile to vector instructions.
    let mut letters = [0_u8; CHUNK_BYTES + 1];
    letters[0] = u8::from(is_letter_or_digit(before));
    for at in 0..CHUNK_BYTES {
        letters[at + 1] = u8::from(is_letter_or_digit(chunk[at]));
    }
    let mut starts = [0_u8; CHUNK_BYTES];
    for at in 0..CHUNK_BYTES {
        let byte = chunk[at];
        let is_first = letters[at + 1] | u8::from(byte >= FIRST_OF_TWO_BYTES);
        // A character of three bytes may belong to a script without spaces, in which every one is a word.
        let is_part = u8::from(byte >= FIRST_OF_THREE_BYTES) | u8::from(byte.is_ascii_uppercase());
        starts[at] = is_first & (is_part | (letters[at] ^ 1));
    }
    starts
}

/// For each byte of a chunk 1 where one of some pairs stands, or a character beyond ASCII, which may stand for any; the last byte is that behind
/// the chunk.
fn pair_starts(chunk: &[u8; CHUNK_BYTES + 1], pairs: &Pairs) -> [u8; CHUNK_BYTES] {
    let [a, b, c, d] = pairs;
    let mut starts = [0; CHUNK_BYTES];
    for at in 0..CHUNK_BYTES {
        let (first, second) = (chunk[at] | CASE_BIT, chunk[at + 1] | CASE_BIT);
        let is = |pair: &[[u8; CHUNK_BYTES]; 2]| u8::from(first == pair[0][at]) & u8::from(second == pair[1][at]);
        let is_before_other = u8::from(first.is_ascii()) & u8::from(!second.is_ascii());
        let is_other = u8::from(chunk[at] >= FIRST_OF_TWO_BYTES) | is_before_other;
        starts[at] = is(a) | is(b) | is(c) | is(d) | is_other;
    }
    starts
}

/// Finds candidates in a text, each chunk of which is tested once.
#[derive(Debug)]
pub(super) struct Candidates<'a> {
    filter: &'a PrefixFilter,
    text: &'a [u8],
    /// The bytes of which `starts` tells.
    tested: Range<usize>,
    /// A byte for each byte, eight in a word.
    starts: [u64; CHUNK_BYTES / WORD_BYTES],
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
            // What stands before `at` was asked for.
            self.starts[offset / WORD_BYTES] &= u64::MAX << (8 * (offset % WORD_BYTES));
            for place in offset / WORD_BYTES..self.starts.len() {
                let starts = &mut self.starts[place];
                while *starts != 0 {
                    let start = self.tested.start + WORD_BYTES * place + starts.trailing_zeros() as usize / 8;
                    if may_start(self.text, start) && self.filter.may_begin(&self.text[start..]) {
                        return Some(start);
                    }
                    *starts &= *starts - 1;
                }
            }
            at = self.tested.end;
        }
        None
    }

    /// Finds the starts in the chunk that begins at `at`.
    fn test(&mut self, at: usize) {
        let rest = &self.text[at..];
        let before = at.checked_sub(1).map_or(b' ', |before| self.text[before]);
        // The end of the text is padded with spaces, where nothing starts.
        let mut padded = [b' '; CHUNK_BYTES + 1];
        let chunk = rest.first_chunk().unwrap_or_else(|| {
            padded[..rest.len()].copy_from_slice(rest);
            &padded
        });
        let starts = match &self.filter.pairs {
            Some(pairs) => pair_starts(chunk, pairs),
            None => word_starts(before, chunk),
        };
        let (words, _) = starts.as_chunks();
        for (word, bytes) in self.starts.iter_mut().zip(words) {
            *word = u64::from_le_bytes(*bytes);
        }
        self.tested = at..at + CHUNK_BYTES;
    }
}

/// As `u8::is_ascii_alphanumeric`, without a branch.
const fn is_letter_or_digit(byte: u8) -> bool {
    (byte | 0x20).is_ascii_lowercase() | byte.is_ascii_digit()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{PrefixFilter, folds_beyond_ascii};
    use crate::text::fold;
    use crate::text::tokenize::{tokenize, tokenize_filtered};

    /// Texts of letters, digits, signs and what is no ASCII, with words that begin in the middle of others.
    fn text() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec![
            "a", "b", "c", "A", "B", "C", "3", "4", ".", "-", "_", "'s", "+", "#", " ", "  ", "\n", "é", "漢", "字",
            "\u{301}", "abc", "ABc", "cab", "bAc", "ａ", "ｂｃ", "\u{200b}", "ﬁ", "ß", "б", "Ⅳ", "K", "한", "“",
        ]);
        prop::collection::vec(piece, 0..160).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn no_word_that_begins_as_wanted_is_skipped(text in text(), wanted in prop::collection::vec("[abcfikß漢б][abc3]{0,3}", 1..4)) {
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

    #[test]
    fn what_is_said_to_fold_beyond_ascii_does() {
        let mut folded = String::new();
        for c in ('\u{80}'..=char::MAX).filter(|c| folds_beyond_ascii(c.encode_utf8(&mut [0; 4]).as_bytes()[0])) {
            fold(c.encode_utf8(&mut [0; 4]), &mut folded);
            assert!(folded.chars().next().is_some_and(|first| !first.is_ascii()), "{c:?} folds to {folded:?}");
        }
    }
}
