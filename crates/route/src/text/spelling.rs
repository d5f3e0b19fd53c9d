//! Spelling correction by character trigrams (Dice coefficient, Adamson & Boreham 1974): for typos, and for word forms that the stemmer does
//! not conflate.

use std::collections::{BTreeMap, HashMap};

use refdesk_core::codec::{TextList, packed};
use serde::{Deserialize, Serialize};

use super::Token;

/// Shorter words are not corrected: too many of them are one edit from another word, `crane` from `crave`.
const LETTERS_MIN: usize = 6;
/// Similarity from which two words count as one.
const DICE_MIN: f32 = 0.72;
/// The same when they are one edit apart.
const DICE_ONE_EDIT_MIN: f32 = 0.3;
/// Shorter stems are not matched.
const STEM_LETTERS_MIN: usize = 4;

/// The stems of a vocabulary, by trigram.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct SpellingCorrector {
    /// From a trigram to the numbers of stems that have it.
    by_trigram: BTreeMap<[u8; 3], Vec<u32>>,
    /// The numbers of all stems, rising.
    #[serde(with = "packed")]
    stems: Vec<u32>,
    /// By place in `stems`, the shortest word that was written with the stem.
    words: TextList,
}

impl SpellingCorrector {
    /// Indexes the stems of a vocabulary by their rising numbers, each with a word that was written with it.
    pub(crate) fn new<'a>(stems: impl Iterator<Item = (&'a str, u32, &'a str)>) -> Self {
        let mut corrector = Self::default();
        for (stem, number, word) in stems.filter(|(stem, ..)| stem.len() >= STEM_LETTERS_MIN) {
            for trigram in trigrams(stem) {
                corrector.by_trigram.entry(trigram).or_default().push(number);
            }
            corrector.stems.push(number);
            corrector.words.push(word);
        }
        corrector
    }

    /// A word that was written with a stem.
    pub(crate) fn written(&self, stem: u32) -> Option<&str> {
        self.stems.binary_search(&stem).ok().map(|at| self.words.get(at))
    }

    /// The stem of the vocabulary that is most similar to that of a word, if similar enough.
    pub(crate) fn correct(&self, word: &Token, vocabulary: &TextList) -> Option<u32> {
        if word.folded.len() < LETTERS_MIN || word.folded.bytes().any(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let word = word.stem.as_str();
        let word_trigrams = trigrams(word);
        let mut counts: HashMap<u32, u32> = HashMap::new();
        for trigram in &word_trigrams {
            for stem in self.by_trigram.get(trigram).into_iter().flatten() {
                *counts.entry(*stem).or_default() += 1;
            }
        }
        counts
            .into_iter()
            .map(|(stem, shared)| {
                let length = trigrams(vocabulary.get(stem as usize)).len() + word_trigrams.len();
                (2.0 * shared as f32 / length as f32, stem)
            })
            .filter(|(dice, stem)| {
                let stem = vocabulary.get(*stem as usize);
                *dice >= DICE_MIN || (*dice >= DICE_ONE_EDIT_MIN && is_one_edit(word.as_bytes(), stem.as_bytes()))
            })
            .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))
            .map(|(_, stem)| stem)
    }

    /// Whether every stem is one of so many.
    pub(crate) fn is_sound(&self, terms: usize) -> bool {
        self.by_trigram.values().flatten().all(|stem| (*stem as usize) < terms)
            && self.words.is_sound()
            && self.words.len() == self.stems.len()
            && self.stems.is_sorted()
    }
}

/// Distinct byte trigrams of a word with its borders marked.
fn trigrams(word: &str) -> Vec<[u8; 3]> {
    let mut bytes = Vec::with_capacity(word.len() + 2);
    bytes.push(b'^');
    bytes.extend_from_slice(word.as_bytes());
    bytes.push(b'$');
    let mut out: Vec<[u8; 3]> = bytes.windows(3).map(|window| [window[0], window[1], window[2]]).collect();
    out.sort_unstable();
    out.dedup();
    out
}

/// At most one insertion, deletion, substitution or transposition. `strsim` is fast enough here: only the few stems that share trigrams
/// with an unknown word get this far.
fn is_one_edit(a: &[u8], b: &[u8]) -> bool {
    strsim::generic_damerau_levenshtein(a, b) <= 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typos_find_their_word_and_other_words_do_not() {
        let vocabulary: TextList = ["failur", "launch", "priorit", "project"].into_iter().collect();
        let correct = |corrector: &SpellingCorrector, word: &str| {
            let text = crate::text::tokenize(word);
            corrector.correct(&text.tokens[0], &vocabulary).map(|stem| vocabulary.get(stem as usize).to_owned())
        };
        let words = ["failure", "launch", "priority", "project"];
        let corrector =
            SpellingCorrector::new(vocabulary.iter().zip(0..).zip(words).map(|((stem, at), word)| (stem, at, word)));
        assert_eq!(corrector.written(2), Some("priority"));
        for (word, stem) in
            [("faliure", "failur"), ("launhc", "launch"), ("projct", "project"), ("prioritie", "priorit")]
        {
            assert_eq!(correct(&corrector, word).as_deref(), Some(stem), "{word}");
        }
        for word in ["lunch", "cat", "2024", "saxophone"] {
            let found = correct(&corrector, word);
            assert!(found.is_none() || word == "lunch", "{word}: {found:?}");
        }
    }
}
