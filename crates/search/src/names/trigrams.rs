//! Character trigrams of whole names, and how alike two sets of them are (n-gram similarity, as `pg_trgm` has it).

use smallvec::{SmallVec, smallvec};

/// Stands before the first character.
const START: char = '^';
const CHAR_BITS: u32 = 21;
/// Most queries have no more trigrams, so these need no allocation.
const TRIGRAMS_INLINE: usize = 64;

/// Three characters in a row, in one number: sets of them are sorted and compared as fast as numbers are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Trigram(u64);

impl Trigram {
    /// The one that ends with `c`, behind the last two characters of this.
    const fn shifted(self, c: char) -> Self {
        Self((self.0 << CHAR_BITS | c as u64) & ((1 << (3 * CHAR_BITS)) - 1))
    }

    /// Its bit in a filter of 64: the highest of its product with the golden ratio (Knuth's multiplicative hashing).
    const fn filter_bit(self) -> u64 {
        1 << (self.0.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - 6))
    }

    pub(super) fn chars(self) -> impl Iterator<Item = char> {
        let at = move |shift: u32| (self.0 >> (shift * CHAR_BITS)) as u32 & ((1 << CHAR_BITS) - 1);
        [2, 1, 0].into_iter().filter_map(move |shift| char::from_u32(at(shift)))
    }
}

/// The trigrams of a key in their order, its start marked; one that occurs twice comes twice.
fn in_order(key: &str) -> impl Iterator<Item = Trigram> {
    let mut window = Trigram(START as u64);
    let windows = key.chars().map(move |c| {
        window = window.shifted(c);
        window
    });
    // The first has one character only.
    windows.skip(1)
}

/// The trigrams of a key, sorted and distinct.
pub(super) fn trigrams(key: &str) -> Vec<Trigram> {
    let mut all: Vec<Trigram> = in_order(key).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Sørensen–Dice coefficient of two sorted sets, 0 to 1.
pub(super) fn dice_coefficient(a: &[Trigram], b: &[Trigram]) -> f32 {
    if a.is_empty() || b.is_empty() {
        return 0.0;
    }
    let (mut i, mut j, mut both) = (0, 0, 0_u32);
    while i < a.len() && j < b.len() {
        both += u32::from(a[i] == b[j]);
        let (next_a, next_b) = (a[i] <= b[j], b[j] <= a[i]);
        i += usize::from(next_a);
        j += usize::from(next_b);
    }
    2.0 * both as f32 / (a.len() + b.len()) as f32
}

/// A set of trigrams with a Bloom filter of one hash in front of it (Bloom 1970): nearly all trigrams of another key are ruled out by one bit.
#[derive(Debug)]
pub(super) struct TrigramSet {
    sorted: Vec<Trigram>,
    filter: u64,
}

impl TrigramSet {
    /// The trigrams of a key.
    pub(super) fn new(key: &str) -> Self {
        let sorted = trigrams(key);
        let filter = sorted.iter().fold(0, |filter, trigram| filter | trigram.filter_bit());
        Self { sorted, filter }
    }

    pub(super) fn sorted(&self) -> &[Trigram] {
        &self.sorted
    }

    fn position(&self, trigram: Trigram) -> Option<usize> {
        let may_have = self.filter & trigram.filter_bit() != 0;
        if may_have { self.sorted.binary_search(&trigram).ok() } else { None }
    }
}

/// About the Sørensen–Dice coefficient of a set with the trigrams of a key, without a list of them: less than it where the key has a
/// trigram twice.
pub(super) fn similarity_at_least(trigrams: &TrigramSet, key: &str) -> f32 {
    let mut shared: SmallVec<[bool; TRIGRAMS_INLINE]> = smallvec![false; trigrams.sorted.len()];
    let mut others = 0;
    for trigram in in_order(key) {
        others += 1;
        if let Some(at) = trigrams.position(trigram) {
            shared[at] = true;
        }
    }
    let both = shared.iter().filter(|is_shared| **is_shared).count();
    2.0 * both as f32 / (trigrams.sorted.len() + others).max(1) as f32
}

#[cfg(test)]
mod tests {
    use super::{TrigramSet, dice_coefficient, similarity_at_least, trigrams};

    #[test]
    fn a_key_has_the_trigrams_of_its_characters_behind_a_mark() {
        let text =
            |key: &str| trigrams(key).into_iter().map(|trigram| trigram.chars().collect()).collect::<Vec<String>>();
        assert_eq!(text("nova2"), ["^no", "nov", "ova", "va2"]);
        assert_eq!(text("ananan"), ["^an", "ana", "nan"]);
        assert_eq!(text("é漢🙂"), ["^é漢", "é漢🙂"]);
        assert_eq!(text("a"), [""; 0]);
        assert_eq!(text(""), [""; 0]);
    }

    #[test]
    fn similarity_is_what_two_names_share_of_both() {
        // ^so son one net et4 t45 and ^so son onn nne net et4 t45: five of six and seven.
        let (a, b) = (trigrams("sonet45"), trigrams("sonnet45"));
        assert!((dice_coefficient(&a, &b) - 2.0 * 5.0 / 13.0).abs() < 1e-6);
        assert!((similarity_at_least(&TrigramSet::new("sonet45"), "sonnet45") - dice_coefficient(&a, &b)).abs() < 1e-6);
        // `ana` comes twice, and counts twice in the estimate.
        assert!((similarity_at_least(&TrigramSet::new("anan"), "ananan") - 2.0 * 3.0 / 8.0).abs() < 1e-6);
    }
}
