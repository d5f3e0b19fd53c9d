//! Stop words: English ones, and those of six other languages by which the language of a question is identified.
//!
//! The list is longer than that of full-text search: every way of asking is a stop word here, since it says nothing about which card fits.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::data;
use refdesk_core::text::listed_lines;
use refdesk_search::text::WordSet;

/// A text is in another language if at least one in this many of its words is a stop word of it: in running text it is about one in two, and a
/// sixth leaves room for a question of names and terms.
const WORDS_PER_STOP_WORD_MAX: usize = 6;

/// Articles, pronouns and the like, which phrases skip.
static SKIPPED_IN_PHRASES: WordSet = WordSet::new(
    "a an the my our your their his her its this that these those it them us me him some any very really so just",
);

static STOP_WORDS: WordSet = WordSet::new(data::STOP_WORDS);
/// By language: de, fr, es, pt, nl, it.
static FOREIGN_STOP_WORDS: LazyLock<Vec<HashSet<&'static str>>> = LazyLock::new(|| {
    let languages = listed_lines(data::FOREIGN_STOP_WORDS).filter_map(|line| line.split_once(':'));
    languages.map(|(_, words)| words.split_whitespace().collect()).collect()
});

pub(crate) fn is_stop_word(folded: &str) -> bool {
    STOP_WORDS.contains(folded)
}

/// Whether phrases skip a folded word.
pub(super) fn is_article_or_pronoun(folded: &str) -> bool {
    SKIPPED_IN_PHRASES.contains(folded)
}

/// Whether a folded word is a stop word of a language other than English.
pub(super) fn is_foreign_stop_word(language: usize, folded: &str) -> bool {
    FOREIGN_STOP_WORDS.get(language).is_some_and(|words| words.contains(folded))
}

/// Identifies a language other than English by its stop words (cf. Grefenstette 1995): they must outnumber the English ones and be at
/// least a sixth of all words.
pub(super) fn foreign_language<'a>(words: impl Iterator<Item = &'a str> + Clone) -> Option<usize> {
    let english = words.clone().filter(|word| STOP_WORDS.contains(word)).count();
    let count = |stop_words: &HashSet<&str>| words.clone().filter(|word| stop_words.contains(word)).count();
    let (language, count_max) =
        FOREIGN_STOP_WORDS.iter().map(count).enumerate().max_by_key(|(at, count)| (*count, usize::MAX - at))?;
    (count_max > english && count_max * WORDS_PER_STOP_WORD_MAX >= words.count()).then_some(language)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_complete() {
        assert_eq!(STOP_WORDS.len(), 449);
        assert_eq!(FOREIGN_STOP_WORDS.len(), 6);
        assert!(is_foreign_stop_word(0, "nicht") && is_foreign_stop_word(5, "senza"));
    }
}
