//! Lists of words that come with the program, written as texts of words between blanks.

use foldhash::HashSet;
use refdesk_core::text::listed_lines;
use std::ops::Deref;
use std::sync::OnceLock;

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
    use super::WordSet;

    #[test]
    fn the_words_of_a_list_are_those_between_its_blanks() {
        static SET: WordSet = WordSet::new("# not these\nfor to\n\nover");
        assert_eq!(SET.len(), 3);
        assert!(["for", "to", "over"].iter().all(|word| SET.contains(word)) && !SET.contains("these"));
    }
}
