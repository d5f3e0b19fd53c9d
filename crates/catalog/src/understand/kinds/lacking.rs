//! Words whose form says that there is none of something: `no-auth servers`, `keyless servers`. They are read as two.

use super::head;
use crate::understand::vocabulary;
use crate::understand::words::{self, Word};

/// The beginning of such a word.
const NO: &str = "no-";

/// The words of a question where those are two that say of what the vocabulary can negate that there is none: `no-auth servers`, but not
/// `no-code builder`. One whose ending says so does where it is said of the thing that is asked for.
pub fn with_negations_apart(words: Vec<Word<'_>>) -> Vec<Word<'_>> {
    // Most questions have no such word.
    if !words.iter().any(|word| word.folded.starts_with(NO) || words::lacked(word).is_some()) {
        return words;
    }
    let apart: Vec<_> = (0..words.len()).map(|at| negated_value(&words, at)).collect();
    words.into_iter().zip(apart).flat_map(|(word, apart)| apart.map_or_else(|| vec![word], Vec::from)).collect()
}

fn negated_value<'a>(words: &[Word<'a>], at: usize) -> Option<[Word<'a>; 2]> {
    let word = &words[at];
    let begins_so = word.folded.starts_with(NO);
    let [no, value] = if begins_so {
        words::around_hyphen(word)?
    } else {
        let no = Word { text: "no", folded: "no".to_owned(), used: false, ends_clause: false };
        [no, words::lacked(word)?]
    };
    let is_said = vocabulary::can_be_negated(&value) && (begins_so || is_beside_kind(words, at));
    is_said.then_some([no, value])
}

/// Whether a word stands before the word for the kind, with nothing but values between, or ends the question behind it: `keyless remote
/// servers`, but not `keyless signing server`.
fn is_beside_kind(words: &[Word<'_>], at: usize) -> bool {
    head(words).is_some_and(|head| {
        let are_values = || (at + 1..head.at).all(|between| vocabulary::knows(head.kind, words, between));
        if at < head.at { are_values() } else { at == head.at + head.taken && at + 1 == words.len() }
    })
}
