//! The bag of words of a query (Salton et al. 1975): tokenised, without stop words, duplicates counted (query term frequency).

use super::stop_words::is_stop_word;
use super::tokenize::tokenize;
use foldhash::{HashMap, HashMapExt as _, HashSet};
use refdesk_core::text::word_array;
use std::ops::Range;
use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfc_quick};

/// Distinct words of a query that are looked up or marked in a text.
pub(crate) const WORDS_MAX: usize = 48;

/// A programming language that is called by a stop word …
const LANGUAGE: &str = "go";
/// … and words before it and behind it where it is meant: `written in Go`, `Go SDK`.
const BEFORE_LANGUAGE: [&str; 4] = ["in", "for", "using", "with"];
const BEHIND_LANGUAGE: [&str; 21] = word_array(
    "sdk sdks library libraries package packages client code module modules developers framework frameworks program \
     programs binding bindings implementation server servers mcp",
);

/// A word of a query, before it is looked up.
pub(crate) struct QueryWord {
    pub text: String,
    /// Byte range of its last occurrence in the composed query.
    range: Range<usize>,
    /// How often it occurs.
    pub count: u32,
    /// The query ends with it.
    pub is_last: bool,
}

/// The distinct words of a query in order, without stop words: by these alone names are found, and no texts. The query is composed first (NFC): decomposed
/// Hangul and kana, as some keyboards and file systems write them, are cut into other characters than the composed ones of texts.
pub(crate) fn query_words(text: &str) -> Vec<QueryWord> {
    let text = text.trim_end();
    let composed = (is_nfc_quick(text.chars()) != IsNormalized::Yes).then(|| text.nfc().collect::<String>());
    let text = composed.as_deref().unwrap_or(text);
    let mut all: Vec<QueryWord> = Vec::new();
    tokenize(text, |word, range| {
        all.push(QueryWord { text: word.to_owned(), is_last: range.end == text.len(), range, count: 1 });
    });
    // A single character of an unspaced script says less than the bigrams it is part of.
    let is_bigram = |word: &&QueryWord| !word.text.is_ascii() && word.text.chars().count() == 2;
    let bigrams = || all.iter().filter(is_bigram);
    let starts: HashSet<usize> = bigrams().map(|word| word.range.start).collect();
    let ends: HashSet<usize> = bigrams().map(|word| word.range.end).collect();
    all.retain(|word| {
        word.text.is_ascii()
            || word.text.chars().count() != 1
            || !(starts.contains(&word.range.start) || ends.contains(&word.range.end))
    });
    let says_nothing: Vec<bool> = (0..all.len()).map(|at| says_nothing(&all, at)).collect();
    let mut kept = says_nothing.iter().map(|says_nothing| !says_nothing);
    all.retain(|_| kept.next().unwrap_or(true));
    let mut known: HashMap<String, usize> = HashMap::with_capacity(all.len());
    let mut words: Vec<QueryWord> = Vec::with_capacity(all.len());
    for word in all {
        if let Some(at) = known.get(&word.text) {
            words[*at].count += 1;
            words[*at].range = word.range;
            words[*at].is_last = word.is_last;
        } else {
            known.insert(word.text.clone(), words.len());
            words.push(word);
        }
    }
    words
}

/// Whether a word is a stop word, and not the name of a language.
fn says_nothing(words: &[QueryWord], at: usize) -> bool {
    let word = |at: Option<usize>| at.and_then(|at| words.get(at)).map_or("", |word| word.text.as_str());
    let said = word(Some(at));
    is_stop_word(said) && !is_language(word(at.checked_sub(1)), said, word(Some(at + 1)))
}

/// Whether a folded word between two others, each empty where there is none, is a stop word that a programming language is called by.
pub fn is_language(before: &str, word: &str, behind: &str) -> bool {
    word == LANGUAGE && (BEFORE_LANGUAGE.contains(&before) || BEHIND_LANGUAGE.contains(&behind))
}

/// At most some of the words, the longest: they say most where no frequency is known.
pub(crate) fn longest(mut words: Vec<QueryWord>, count: usize) -> Vec<QueryWord> {
    if words.len() > count {
        words.sort_by_key(|word| std::cmp::Reverse(word.text.len()));
        words.truncate(count);
        words.sort_by_key(|word| word.range.start);
    }
    words
}
