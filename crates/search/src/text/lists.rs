//! Lists of words that come with the program, written as texts of words between blanks.

use foldhash::HashSet;
use refdesk_core::text::listed_lines;
use std::ops::Deref;
use std::sync::OnceLock;

/// The words of a text of `N` words with one blank between, told apart when the program is compiled. A constant of a text that has more or
/// fewer does not compile.
pub const fn word_array<const N: usize>(text: &'static str) -> [&'static str; N] {
    let (mut words, mut found, mut rest) = ([""; N], 0, text);
    while found < N {
        let mut end = 0;
        while end < rest.len() && rest.as_bytes()[end] != b' ' {
            end += 1;
        }
        assert!(end > 0, "a list of words has fewer than it says");
        let (word, behind) = rest.split_at(end);
        words[found] = word;
        rest = if behind.is_empty() { "" } else { behind.split_at(1).1 };
        found += 1;
    }
    assert!(rest.is_empty(), "a list of words has more than it says");
    words
}

/// Many words, to look words up in: any number of them a line; lines of `#` are comments.
#[derive(Debug)]
pub struct WordSet {
    list: &'static str,
    words: OnceLock<HashSet<&'static str>>,
}

impl WordSet {
    /// The words of a list, which are told apart when one is looked up first.
    pub const fn new(list: &'static str) -> Self {
        Self { list, words: OnceLock::new() }
    }
}

impl Deref for WordSet {
    type Target = HashSet<&'static str>;

    fn deref(&self) -> &Self::Target {
        self.words.get_or_init(|| listed_lines(self.list).flat_map(str::split_whitespace).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::{WordSet, word_array};

    #[test]
    fn the_words_of_a_list_are_those_between_its_blanks() {
        const WORDS: [&str; 3] = word_array("a don’t b-2");
        static SET: WordSet = WordSet::new("# not these\nfor to\n\nover");
        assert_eq!(WORDS, ["a", "don’t", "b-2"]);
        assert_eq!(SET.len(), 3);
        assert!(["for", "to", "over"].iter().all(|word| SET.contains(word)) && !SET.contains("these"));
    }
}
