//! A bilingual lexicon for dictionary-based cross-language retrieval (Ballesteros & Croft 1997): words of a question in another language
//! are replaced by English ones, so that they match the cards. Only general words (`lexicon.txt`); word order and grammar are ignored.

use std::collections::HashMap;
use std::sync::LazyLock;

use refdesk_core::text::listed_lines;
use refdesk_search::text::Stemmers;

use super::stop_words::is_foreign_stop_word;
use super::token::{Token, fold};
use crate::data;

/// Columns of the lexicon, in the order of the languages of [`super::stop_words`]: de, fr, es, pt, nl, it.
const LANGUAGES: usize = 6;
/// A prefix has at least this many letters.
const PREFIX_LETTERS_MIN: usize = 3;

#[derive(Debug, Default)]
struct Language {
    exact: HashMap<String, &'static str>,
    prefixes: HashMap<String, &'static str>,
    prefix_bytes_max: usize,
}

static LEXICON: LazyLock<Vec<Language>> = LazyLock::new(|| {
    let mut languages: Vec<Language> = (0..LANGUAGES).map(|_| Language::default()).collect();
    for line in listed_lines(data::LEXICON) {
        let Some((english, cells)) = line.split_once('=') else { continue };
        for (column, cell) in languages.iter_mut().zip(cells.split('|')) {
            for word in cell.split_whitespace() {
                let folded = fold(word.trim_end_matches('*'));
                if word.ends_with('*') {
                    column.prefix_bytes_max = column.prefix_bytes_max.max(folded.len());
                    column.prefixes.entry(folded).or_insert(english.trim());
                } else {
                    column.exact.entry(folded).or_insert(english.trim());
                }
            }
        }
    }
    languages
});

/// Replaces the words that the lexicon knows by English ones; the others stay, marked as stop words where they are.
pub(super) fn translate(tokens: Vec<Token>, language: usize, stemmers: &Stemmers) -> Vec<Token> {
    let Some(column) = LEXICON.get(language) else { return tokens };
    let mut out = Vec::with_capacity(tokens.len());
    for mut token in tokens {
        let folded = token.folded.as_str();
        let by_prefix = || {
            (PREFIX_LETTERS_MIN..=folded.len().min(column.prefix_bytes_max))
                .rev()
                .find_map(|length| folded.get(..length).and_then(|start| column.prefixes.get(start)))
        };
        if let Some(english) = column.exact.get(folded).or_else(by_prefix) {
            let span = token.span();
            out.extend(english.split_whitespace().map(|word| Token::new(word.to_owned(), span, stemmers)));
        } else {
            token.stop = is_foreign_stop_word(language, folded) || folded.bytes().all(|byte| byte.is_ascii_digit());
            token.transparent = false;
            out.push(token);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_has_a_cell_for_each_language() {
        for line in listed_lines(data::LEXICON) {
            let cells = line.split_once('=').map_or(0, |(_, cells)| cells.split('|').count());
            assert_eq!(cells, LANGUAGES, "{line}");
        }
    }

    #[test]
    fn german_words_become_english_ones_in_their_place() {
        let text = crate::text::tokenize("Warum scheitert unser Projekt immer wieder?");
        let words: Vec<&str> = text.tokens.iter().map(|token| token.folded.as_str()).collect();
        assert_eq!(words, ["why", "fail", "our", "project", "always", "again"]);
        assert!(text.foreign);
    }
}
