//! The words of a query: tokenised, without stop words, duplicates counted (query term frequency).

use super::stop_words::is_stop_word;
use super::tokenize::tokenize;
use std::ops::Range;

/// A word of a query, before it is looked up.
pub(crate) struct QueryWord {
    pub text: String,
    /// Byte range of its last occurrence in the query.
    pub range: Range<usize>,
    /// How often it occurs.
    pub count: u32,
}

/// The distinct words of a query in order, without stop words unless there is nothing else.
pub(crate) fn query_words(text: &str) -> Vec<QueryWord> {
    let mut all: Vec<QueryWord> = Vec::new();
    tokenize(text, |word, range| {
        all.push(QueryWord { text: word.to_owned(), range, count: 1 });
    });
    // A single character of an unspaced script says less than the bigrams it is part of.
    let bigrams: Vec<Range<usize>> =
        all.iter().filter(|w| !w.text.is_ascii() && w.text.chars().count() == 2).map(|w| w.range.clone()).collect();
    all.retain(|word| {
        word.text.is_ascii()
            || word.text.chars().count() != 1
            || !bigrams.iter().any(|bigram| bigram.start <= word.range.start && word.range.end <= bigram.end)
    });
    if all.iter().any(|word| !is_stop_word(&word.text)) {
        all.retain(|word| !is_stop_word(&word.text));
    }
    let mut words: Vec<QueryWord> = Vec::with_capacity(all.len());
    for word in all {
        match words.iter_mut().find(|other| other.text == word.text) {
            Some(other) => {
                other.count += 1;
                other.range = word.range;
            }
            None => words.push(word),
        }
    }
    words
}
