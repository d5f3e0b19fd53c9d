//! Spelling correction by character trigrams (Dice coefficient, Adamson & Boreham 1974): for typos, and for word forms that the stemmer does
//! not conflate.

use std::collections::HashMap;

/// Shorter words are not corrected.
const LETTERS_MIN: usize = 5;
/// Similarity from which two words count as one.
const DICE_MIN: f32 = 0.72;
/// The same when they are one edit apart.
const DICE_ONE_EDIT_MIN: f32 = 0.3;
/// Shorter stems are not matched.
const STEM_LETTERS_MIN: usize = 4;

/// The stems of a vocabulary, by trigram.
#[derive(Debug, Default)]
pub(crate) struct SpellingCorrector {
    /// From a trigram to positions in `stems`.
    by_trigram: HashMap<[u8; 3], Vec<u32>>,
    /// Stems with their numbers in the vocabulary, in alphabetical order.
    stems: Vec<(String, u32)>,
}

impl SpellingCorrector {
    /// Indexes the stems of a vocabulary.
    pub(crate) fn new<'a>(stems: impl Iterator<Item = (&'a String, &'a u32)>) -> Self {
        let stems = stems.filter(|(stem, _)| stem.len() >= STEM_LETTERS_MIN).map(|(stem, id)| (stem.clone(), *id));
        let mut corrector = Self { stems: stems.collect(), ..Self::default() };
        corrector.stems.sort();
        for (at, (stem, _)) in corrector.stems.iter().enumerate() {
            for trigram in trigrams(stem) {
                corrector.by_trigram.entry(trigram).or_default().push(at as u32);
            }
        }
        corrector
    }

    /// The stem most similar to a word, if similar enough, with its number.
    pub(crate) fn correct(&self, word: &str) -> Option<(&str, u32)> {
        if word.len() < LETTERS_MIN || word.bytes().any(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let word_trigrams = trigrams(word);
        let mut counts: HashMap<u32, u32> = HashMap::new();
        for trigram in &word_trigrams {
            for at in self.by_trigram.get(trigram).into_iter().flatten() {
                *counts.entry(*at).or_default() += 1;
            }
        }
        counts
            .into_iter()
            .map(|(at, shared)| {
                let length = trigrams(&self.stems[at as usize].0).len() + word_trigrams.len();
                (2.0 * shared as f32 / length as f32, at)
            })
            .filter(|(dice, at)| {
                let stem = &self.stems[*at as usize].0;
                *dice >= DICE_MIN || (*dice >= DICE_ONE_EDIT_MIN && is_one_edit(word.as_bytes(), stem.as_bytes()))
            })
            .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))
            .map(|(_, at)| (self.stems[at as usize].0.as_str(), self.stems[at as usize].1))
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
        let vocabulary: HashMap<String, u32> = ["failur", "launch", "project", "priorit"]
            .into_iter()
            .zip(0_u32..)
            .map(|(stem, id)| (stem.to_owned(), id))
            .collect();
        let corrector = SpellingCorrector::new(vocabulary.iter());
        for (word, stem) in [("faliur", "failur"), ("lauch", "launch"), ("projct", "project"), ("prioriti", "priorit")]
        {
            assert_eq!(corrector.correct(word).map(|(stem, _)| stem), Some(stem), "{word}");
        }
        for word in ["lunch", "cat", "2024", "saxophone"] {
            let found = corrector.correct(word).map(|(stem, _)| stem);
            assert!(found.is_none() || word == "lunch", "{word}: {found:?}");
        }
    }
}
