//! Letters and words of names.

use refdesk_core::text::words;
use refdesk_search::text::WordSet;

/// The letters and digits of a name in lower case: what is left when spellings differ in nothing else.
pub fn letters(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Words that many names have.
static COMMON: WordSet = WordSet::new(include_str!("common_words.txt"));

/// Whether a word, in lower case, is one that many names have: it tells no server from another.
pub fn is_common_word(word: &str) -> bool {
    COMMON.contains(word)
}

/// The words of a text in lower case that not many names have.
pub(super) fn telling_words(text: &str) -> Vec<&str> {
    words(text).filter(|word| !COMMON.contains(*word)).collect()
}
