//! Words that no card knows, matched by their letters: typing errors and word forms that the stemmer leaves apart.

use std::collections::HashMap;

/// Shorter words are not corrected.
const LETTERS_MIN: usize = 5;
/// Share of letter triples that makes two words one.
const DICE_MIN: f32 = 0.72;
/// The same when they are one edit apart.
const DICE_EDIT_MIN: f32 = 0.3;
/// Shorter stems are not matched.
const STEM_LETTERS_MIN: usize = 4;

/// The stems of a vocabulary by their letters.
#[derive(Debug, Default)]
pub(super) struct Letters {
    /// From three letters to places in `stems`.
    by_three: HashMap<[u8; 3], Vec<u32>>,
    /// Stems with their numbers in the vocabulary, in alphabetical order.
    stems: Vec<(String, u32)>,
}

impl Letters {
    /// Takes the stems of a vocabulary.
    pub(super) fn build<'a>(stems: impl Iterator<Item = (&'a String, &'a u32)>) -> Self {
        let stems = stems.filter(|(stem, _)| stem.len() >= STEM_LETTERS_MIN).map(|(stem, id)| (stem.clone(), *id));
        let mut letters = Self { stems: stems.collect(), ..Self::default() };
        letters.stems.sort();
        for (at, (stem, _)) in letters.stems.iter().enumerate() {
            for three in trigrams(stem) {
                letters.by_three.entry(three).or_default().push(at as u32);
            }
        }
        letters
    }

    /// The stem that shares most letters with a word, when it is near enough, with its number.
    pub(super) fn nearest(&self, word: &str) -> Option<(&str, u32)> {
        if word.len() < LETTERS_MIN || word.bytes().any(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let threes = trigrams(word);
        let mut counts: HashMap<u32, u32> = HashMap::new();
        for three in &threes {
            for at in self.by_three.get(three).into_iter().flatten() {
                *counts.entry(*at).or_default() += 1;
            }
        }
        counts
            .into_iter()
            .map(|(at, shared)| {
                let length = trigrams(&self.stems[at as usize].0).len() + threes.len();
                (2.0 * shared as f32 / length as f32, at)
            })
            .filter(|(dice, at)| {
                let stem = &self.stems[*at as usize].0;
                *dice >= DICE_MIN || (*dice >= DICE_EDIT_MIN && one_edit(word.as_bytes(), stem.as_bytes()))
            })
            .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))
            .map(|(_, at)| (self.stems[at as usize].0.as_str(), self.stems[at as usize].1))
    }
}

/// Letter triples of a word with its borders.
fn trigrams(word: &str) -> Vec<[u8; 3]> {
    let mut bytes = Vec::with_capacity(word.len() + 2);
    bytes.push(b'^');
    bytes.extend_from_slice(word.as_bytes());
    bytes.push(b'$');
    let mut out: Vec<[u8; 3]> = bytes.windows(3).map(|three| [three[0], three[1], three[2]]).collect();
    out.sort_unstable();
    out.dedup();
    out
}

/// One letter added, lost or changed, or two neighbours swapped.
fn one_edit(a: &[u8], b: &[u8]) -> bool {
    let prefix = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let suffix = a[prefix..].iter().rev().zip(b[prefix..].iter().rev()).take_while(|(x, y)| x == y).count();
    let (left, right) = (&a[prefix..a.len() - suffix], &b[prefix..b.len() - suffix]);
    match (left.len(), right.len()) {
        (0 | 1, 0 | 1) => true,
        (2, 2) => left[0] == right[1] && left[1] == right[0],
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_errors_find_their_word_and_other_words_do_not() {
        let vocabulary: HashMap<String, u32> = ["failur", "launch", "project", "priorit"]
            .into_iter()
            .zip(0_u32..)
            .map(|(stem, id)| (stem.to_owned(), id))
            .collect();
        let letters = Letters::build(vocabulary.iter());
        for (word, stem) in [("faliur", "failur"), ("lauch", "launch"), ("projct", "project"), ("prioriti", "priorit")]
        {
            assert_eq!(letters.nearest(word).map(|(stem, _)| stem), Some(stem), "{word}");
        }
        for word in ["lunch", "cat", "2024", "saxophone"] {
            let found = letters.nearest(word).map(|(stem, _)| stem);
            assert!(found.is_none() || word == "lunch", "{word}: {found:?}");
        }
    }
}
