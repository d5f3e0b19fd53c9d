//! How the words begin that are looked for in a text, to pass over all others without cutting them out.

use smallvec::SmallVec;

/// Bytes of a text that are looked at together: no branch between them, so that this is compiled to vector instructions.
const LOOK_BYTES: usize = 64;
/// Bytes of a beginning that are compared: fewer stand in more places where the word does not, more take more comparisons.
const HEAD_BYTES: usize = 3;
/// Most queries have no more words.
const HEADS_USUAL: usize = 8;

/// The first bytes of a word, and which of their bits count: none beyond the end of a shorter word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Head {
    bytes: [u8; HEAD_BYTES],
    masks: [u8; HEAD_BYTES],
}

/// The beginnings of words, in any case.
#[derive(Debug, Default)]
pub(super) struct Beginnings(SmallVec<[Head; HEADS_USUAL]>);

/// Equal for a letter and its capital; few other characters of words become equal.
const fn caseless(byte: u8) -> u8 {
    byte | 0x20
}

impl Beginnings {
    /// Adds words with this beginning.
    pub(super) fn add(&mut self, beginning: &[u8]) {
        let mut head = Head { bytes: [0; HEAD_BYTES], masks: [0; HEAD_BYTES] };
        for (at, byte) in beginning.iter().take(HEAD_BYTES).enumerate() {
            (head.bytes[at], head.masks[at]) = (caseless(*byte), u8::MAX);
        }
        if !self.0.contains(&head) {
            self.0.push(head);
        }
    }

    /// What may be passed over in a text of which the word before `at` has ended: where to go on, because no word before that has such a
    /// beginning or a part with one, and up to where all needs a closer look.
    pub(super) fn pass_over(&self, text: &[u8], mut at: usize) -> (usize, usize) {
        loop {
            let rest = &text[at..];
            // Behind the text are blanks: they end its last word.
            let mut end = [b' '; LOOK_BYTES + HEAD_BYTES - 1];
            let found = self.first_in(rest.first_chunk().unwrap_or_else(|| {
                end[..rest.len()].copy_from_slice(rest);
                &end
            }));
            if found >= rest.len() {
                return (text.len(), text.len());
            }
            // A blank ends every word.
            let blank = rest[..found].iter().rposition(|byte| *byte == b' ');
            let next = at + blank.map_or(0, |blank| blank + 1);
            if found < LOOK_BYTES || next == at {
                return (next, at + found + 1);
            }
            at = next;
        }
    }

    /// The first byte at which one of the beginnings or a character beyond ASCII stands; how many were looked at when there is none.
    fn first_in(&self, look: &[u8; LOOK_BYTES + HEAD_BYTES - 1]) -> usize {
        // Plain loops over arrays: they are compiled to vector instructions.
        let look_caseless = look.map(caseless);
        let mut found = [0_u8; LOOK_BYTES];
        for at in 0..LOOK_BYTES {
            found[at] = u8::from(!look[at].is_ascii());
        }
        for Head { bytes: [a, b, c], masks: [with_a, with_b, with_c] } in &self.0 {
            for at in 0..LOOK_BYTES {
                let differs = (look_caseless[at] & with_a ^ a)
                    | (look_caseless[at + 1] & with_b ^ b)
                    | (look_caseless[at + 2] & with_c ^ c);
                found[at] |= u8::from(differs == 0);
            }
        }
        let (words, _) = found.as_chunks::<8>();
        let hit = words.iter().map(|word| u64::from_le_bytes(*word)).enumerate().find(|(_, word)| *word != 0);
        hit.map_or(LOOK_BYTES, |(at, word)| 8 * at + word.trailing_zeros() as usize / 8)
    }
}
