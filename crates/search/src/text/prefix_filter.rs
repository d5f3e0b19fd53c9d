//! A vectorised prefilter over word prefixes: skips the parts of a text in which no wanted word can start, before anything is tokenised.
//! The idea is that of the prefilters in Rust's `memchr` and `aho-corasick`: a cheap test without false negatives in front of an exact one.

use smallvec::SmallVec;

/// Bytes tested together: without a branch between them, so that the compiler emits vector instructions.
const CHUNK_BYTES: usize = 64;
/// Bytes of a prefix that are compared: fewer give more false positives, more cost more comparisons.
const PREFIX_BYTES: usize = 3;
/// Most queries have no more words, so their prefixes need no allocation.
const PREFIXES_INLINE: usize = 8;

/// The first bytes of a word and a mask that ignores the bytes a shorter word does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Prefix {
    bytes: [u8; PREFIX_BYTES],
    masks: [u8; PREFIX_BYTES],
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
        let mut masked = Prefix { bytes: [0; PREFIX_BYTES], masks: [0; PREFIX_BYTES] };
        for (at, byte) in prefix.iter().take(PREFIX_BYTES).enumerate() {
            (masked.bytes[at], masked.masks[at]) = (fold_ascii_case(*byte), u8::MAX);
        }
        if !self.0.contains(&masked) {
            self.0.push(masked);
        }
    }

    /// Skips ahead in a text from `at`, where no word may be open. Returns where to continue (no word or part of one before that starts
    /// with a prefix) and the end of the stretch that has to be tokenised.
    pub(super) fn skip(&self, text: &[u8], mut at: usize) -> (usize, usize) {
        loop {
            let rest = &text[at..];
            // Pad the end of the text with spaces: they end its last word.
            let mut padded = [b' '; CHUNK_BYTES + PREFIX_BYTES - 1];
            let found = self.first_candidate(rest.first_chunk().unwrap_or_else(|| {
                padded[..rest.len()].copy_from_slice(rest);
                &padded
            }));
            if found >= rest.len() {
                return (text.len(), text.len());
            }
            // A space ends every word.
            let space = rest[..found].iter().rposition(|byte| *byte == b' ');
            let next = at + space.map_or(0, |space| space + 1);
            if found < CHUNK_BYTES || next == at {
                return (next, at + found + 1);
            }
            at = next;
        }
    }

    /// Offset of the first byte that starts a prefix or a non-ASCII character; [`CHUNK_BYTES`] when there is none.
    fn first_candidate(&self, chunk: &[u8; CHUNK_BYTES + PREFIX_BYTES - 1]) -> usize {
        // Plain loops over arrays compile to vector instructions.
        let folded = chunk.map(fold_ascii_case);
        let mut found = [0_u8; CHUNK_BYTES];
        for at in 0..CHUNK_BYTES {
            found[at] = u8::from(!chunk[at].is_ascii());
        }
        for Prefix { bytes: [a, b, c], masks: [with_a, with_b, with_c] } in &self.0 {
            for at in 0..CHUNK_BYTES {
                let differs = (folded[at] & with_a ^ a) | (folded[at + 1] & with_b ^ b) | (folded[at + 2] & with_c ^ c);
                found[at] |= u8::from(differs == 0);
            }
        }
        let (words, _) = found.as_chunks::<8>();
        let hit = words.iter().map(|word| u64::from_le_bytes(*word)).enumerate().find(|(_, word)| *word != 0);
        hit.map_or(CHUNK_BYTES, |(at, word)| 8 * at + word.trailing_zeros() as usize / 8)
    }
}
