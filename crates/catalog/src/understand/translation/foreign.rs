//! Whether a question is of another language: by what the dictionary knows of its words, beside those that only English sentences have.

use refdesk_core::text::script::is_unspaced;

use super::dictionary::{DICTIONARY, Translation};
use super::{TypedWord, WordPiece, compound, pieces};
use crate::understand::kinds::is_kind;

/// Words that bind together sentences of English and of no other language here.
const ENGLISH: [&str; 17] = [
    "the", "with", "for", "my", "that", "this", "can", "you", "your", "please", "want", "need", "and", "from", "have",
    "i'm", "it",
];
/// As many of these as one foreign word outweighs.
const ENGLISH_WORDS_A_NAME: usize = 2;
/// What turns the meaning of what follows, in English.
const NEGATIONS: [&str; 4] = ["not", "no", "without", "except"];

/// Whether some words are of another language. In a sentence of English, one foreign word is a name: `a package of Correo Argentino that I want
/// to track`.
pub fn is_foreign(words: &[TypedWord<'_>]) -> bool {
    let foreign = (0..words.len()).filter(|at| is_foreign_at(words, *at)).count();
    let english = || words.iter().filter(|word| ENGLISH.contains(&word.folded.as_str())).count();
    foreign > 0 && foreign * ENGLISH_WORDS_A_NAME >= english()
}

/// Whether the form at a word, or a piece of the word, says so.
fn is_foreign_at(words: &[TypedWord<'_>], at: usize) -> bool {
    let (word, meaning) = (&words[at], DICTIONARY.at(words, at));
    // What is one piece was just looked up.
    let is_one_piece = meaning.is_none()
        && word.folded.is_ascii()
        && !word.folded.contains('-')
        && compound::parts(&word.folded).is_none();
    let is_known = |piece| matches!(piece, WordPiece::Known(meaning) if is_foreign_beside(word, meaning));
    meaning.is_some_and(|meaning| is_foreign_form(words, at, meaning)) || !is_one_piece && pieces(word).any(is_known)
}

/// Whether a form is of no other text: what only binds is not, but before a name, behind the word for a kind or a negation, or as it is written.
fn is_foreign_form(words: &[TypedWord<'_>], at: usize, meaning: &Translation) -> bool {
    let end = at + meaning.parts.len();
    // `Skills von Anthropic`
    let is_behind_kind = || at > 0 && is_kind(words[at - 1].text);
    // `nicht von Google`
    let denies_name = || NEGATIONS.contains(&meaning.english) && DICTIONARY.is_of_name(words, end);
    !meaning.only_binds
        || meaning.is_before_name() && is_behind_kind()
        || denies_name()
        || words[at..end].iter().any(|word| is_written_abroad(word, meaning))
}

/// Whether the letters of a word that binds are none of English: an accent, as in `für` and `à`, or another script in front of a name.
fn is_written_abroad(word: &TypedWord<'_>, meaning: &Translation) -> bool {
    !word.text.is_ascii() && (word.folded.is_ascii() || meaning.is_before_name())
}

/// Whether a piece of a word says that it is of another language. What only binds does so within a word of two scripts: `gpt-4o多少钱`.
fn is_foreign_beside(word: &TypedWord<'_>, piece: &Translation) -> bool {
    let is_of_two = || word.folded.contains(is_unspaced) && word.folded.contains(|c: char| c.is_ascii_alphabetic());
    !piece.only_binds || is_of_two()
}
