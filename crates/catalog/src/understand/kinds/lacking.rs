//! Words that say in another way than the rest that there is none of something. Those whose form does, `no-auth servers` and `keyless servers`,
//! are read as two; phrases, `apart from` and `unable to`, are read as one.

use super::head;
use crate::understand::vocabulary;
use crate::understand::words::{self, Word, Words as _};

/// The beginning of such a word.
const NO: &str = "no-";

/// Phrases that leave out or deny what follows, and the word that each is read as.
const NEGATING: [(&[&str], &str); 10] = [
    (&["besides"], "except"),
    (&["barring"], "except"),
    (&["excl"], "except"),
    (&["apart", "from"], "except"),
    (&["aside", "from"], "except"),
    (&["unless", "from"], "except"),
    (&["unless", "by"], "except"),
    (&["unless", "made", "by"], "except"),
    (&["unable", "to"], "cannot"),
    (&["incapable", "of"], "without"),
];
/// Who asks for all things of a kind …
const ALL: [&str; 4] = ["all", "any", "every", "each"];
/// … leaves some out behind a `but` that follows, unless it goes on so: `all models but only from openai`, `any model but with vision`.
const WANTING: [&str; 7] = ["only", "just", "also", "with", "without", "not", "no"];

/// The words of a question for things of a kind with one that negates in place of each such phrase: `models apart from llama`. Elsewhere they
/// say what is there already: `what else besides prompt engineering`.
pub fn with_plain_negations(mut words: Vec<Word<'_>>) -> Vec<Word<'_>> {
    let may_negate =
        |at: usize| words.is(at, &["but", "sans"]) || NEGATING.iter().any(|(phrase, _)| words.is_phrase(at, phrase));
    let may_be_said = (0..words.len()).any(may_negate);
    let Some(head) = may_be_said.then(|| head(&words)).flatten() else { return words };
    let behind = head.at + head.taken;
    let is_of_all = || words[..head.at].iter().any(|word| word.is(&ALL)) && !words.is(behind + 1, &WANTING);
    // `all models but openai's`; elsewhere `sans` is a name of fonts.
    if words.is(behind, &["but"]) && is_of_all() {
        "except".clone_into(&mut words[behind].folded);
    } else if words.is(behind, &["sans"]) {
        "without".clone_into(&mut words[behind].folded);
    }
    let mut at = 0;
    while at < words.len() {
        let read_as = NEGATING.iter().find(|(phrase, _)| words.is_phrase(at, phrase));
        if let Some((phrase, plain)) = read_as {
            (*plain).clone_into(&mut words[at].folded);
            words.drain(at + 1..at + phrase.len());
        }
        at += 1;
    }
    words
}

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
