//! Words and letters of names.

use foldhash::HashSet;
use refdesk_core::text::listed_lines;

/// The words of a list in a file, any number of them a line, without its comments.
pub fn word_set(list: &'static str) -> HashSet<&'static str> {
    listed_lines(list).flat_map(str::split_whitespace).collect()
}

/// The letters and digits of a name in lower case: what is left when spellings differ in nothing else.
pub fn letters(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
