//! Random numbers and words for [`super::rows`]: a vocabulary whose words occur as Zipf's law has it.

use crate::random::Random;

/// Different words.
const WORDS: u64 = 40_000;
/// Words of a sentence, from and to.
const SENTENCE_WORDS: (u64, u64) = (6, 18);
const ONSETS: [&str; 20] =
    ["b", "br", "c", "ch", "d", "dr", "f", "g", "gl", "h", "k", "l", "m", "n", "p", "r", "s", "st", "t", "v"];
const VOWELS: [&str; 8] = ["a", "e", "i", "o", "u", "ea", "io", "ou"];
const ENDS: [&str; 8] = ["", "n", "r", "l", "s", "m", "x", "ck"];

/// The random numbers of one row.
pub struct Dice(Random);

impl Dice {
    /// The numbers of one row.
    pub const fn new(seed: u64, row: u64) -> Self {
        Self(Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ row.wrapping_mul(0xd134_2543_de82_ef95)))
    }

    /// The next number.
    pub const fn next(&mut self) -> u64 {
        self.0.next()
    }

    /// A number below `end`.
    pub const fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// A number from `first` to `last`.
    pub const fn between(&mut self, (first, last): (u64, u64)) -> u64 {
        first + self.below(last - first + 1)
    }

    /// One of several.
    pub fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len() as u64) as usize]
    }
}

/// Words by rank, the most frequent first.
pub struct Vocabulary(Vec<String>);

impl Vocabulary {
    /// The words of a seed.
    pub fn new(seed: u64) -> Self {
        let mut seen = std::collections::HashSet::new();
        let mut dice = Dice::new(seed, u64::MAX);
        let mut words = Vec::with_capacity(WORDS as usize);
        while words.len() < WORDS as usize {
            let mut word = String::new();
            for _ in 0..dice.between((2, 4)) {
                word.push_str(dice.pick(&ONSETS));
                word.push_str(dice.pick(&VOWELS));
            }
            word.push_str(dice.pick(&ENDS));
            if seen.insert(word.clone()) {
                words.push(word);
            }
        }
        Self(words)
    }

    /// A word; the one of rank r comes about twice as often as the one of rank 2r.
    pub fn word(&self, dice: &mut Dice) -> &str {
        let share = dice.below(1 << 53) as f64 / (1_u64 << 53) as f64;
        let rank = (share * (WORDS as f64).ln()).exp() as usize - 1;
        &self.0[rank.min(self.0.len() - 1)]
    }

    /// A rare word, as names are made of.
    pub fn name(&self, dice: &mut Dice) -> &str {
        &self.0[dice.between((WORDS / 20, WORDS - 1)) as usize]
    }

    /// Sentences of about so many words.
    pub fn prose(&self, dice: &mut Dice, words: u64) -> String {
        let mut text = String::with_capacity(words as usize * 8);
        let mut left = words;
        while left > 0 {
            let length = dice.between(SENTENCE_WORDS).min(left);
            for at in 0..length {
                let word = self.word(dice);
                if !text.is_empty() {
                    text.push(' ');
                }
                if at == 0 {
                    text.push_str(&capital(word));
                } else {
                    text.push_str(word);
                }
            }
            text.push('.');
            left -= length;
        }
        text
    }
}

/// A word with a capital first letter.
pub fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
