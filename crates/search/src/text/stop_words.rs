//! English stop words. They are dropped from queries only, and a query of nothing else finds no texts; names keep them, and are found by
//! them alone.

use refdesk_core::text::listed_lines;
use std::sync::LazyLock;

static STOP_WORDS: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| listed_lines(include_str!("stop_words.txt")).collect());

/// Whether a folded word is a stop word.
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::STOP_WORDS;

    #[test]
    fn the_list_is_sorted_for_binary_search() {
        assert!(STOP_WORDS.is_sorted());
        assert!(STOP_WORDS.len() > 200);
    }
}
