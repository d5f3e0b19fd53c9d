//! Word-by-word English for texts in other languages, so that they meet the cards' words and concepts. A small list of general
//! words in `lexicon.txt`, not a translator: word order and grammar are left alone.

use std::collections::HashMap;
use std::sync::LazyLock;

use rust_stemmers::Stemmer;

use super::words::{Token, fold, is_foreign_stop, token_at};

/// The list.
const SOURCE: &str = include_str!("lexicon.txt");
/// Columns of the list, in the order of the languages that [`super::words`] can tell: de, fr, es, pt, nl, it.
const LANGUAGES: usize = 6;
/// A word beginning has at least so many letters.
const BEGINNING_LETTERS_MIN: usize = 3;

#[derive(Debug, Default)]
struct Column {
    exact: HashMap<String, &'static str>,
    beginnings: HashMap<String, &'static str>,
    letters_max: usize,
}

static COLUMNS: LazyLock<Vec<Column>> = LazyLock::new(|| {
    let mut columns: Vec<Column> = (0..LANGUAGES).map(|_| Column::default()).collect();
    for line in SOURCE.lines().filter(|line| !line.starts_with('#')) {
        let Some((english, cells)) = line.split_once('=') else { continue };
        for (column, cell) in columns.iter_mut().zip(cells.split('|')) {
            for word in cell.split_whitespace() {
                let folded = fold(word.trim_end_matches('*'));
                if word.ends_with('*') {
                    column.letters_max = column.letters_max.max(folded.len());
                    column.beginnings.entry(folded).or_insert(english.trim());
                } else {
                    column.exact.entry(folded).or_insert(english.trim());
                }
            }
        }
    }
    columns
});

/// Puts English words in the place of those that the list knows; the others stay, as function words where they are some.
pub(super) fn translate(tokens: Vec<Token>, language: usize, stemmer: &Stemmer) -> Vec<Token> {
    let Some(column) = COLUMNS.get(language) else { return tokens };
    let mut out = Vec::with_capacity(tokens.len());
    for mut token in tokens {
        let folded = token.folded.as_str();
        let beginning = || {
            (BEGINNING_LETTERS_MIN..=folded.len().min(column.letters_max))
                .rev()
                .find_map(|length| folded.get(..length).and_then(|start| column.beginnings.get(start)))
        };
        if let Some(english) = column.exact.get(folded).or_else(beginning) {
            let place = (token.start, token.end, token.sentence);
            out.extend(english.split_whitespace().map(|word| token_at(word.to_owned(), place, stemmer)));
        } else {
            token.stop = is_foreign_stop(language, folded) || folded.bytes().all(|byte| byte.is_ascii_digit());
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
        for line in SOURCE.lines().filter(|line| !line.starts_with('#')) {
            let cells = line.split_once('=').map_or(0, |(_, cells)| cells.split('|').count());
            assert_eq!(cells, LANGUAGES, "{line}");
        }
    }

    #[test]
    fn german_words_become_english_ones_in_their_place() {
        let text = super::super::words::tokens("Warum scheitert unser Projekt immer wieder?");
        let words: Vec<&str> = text.tokens.iter().map(|token| token.folded.as_str()).collect();
        assert_eq!(words, ["why", "fail", "our", "project", "always", "again"]);
        assert!(text.foreign);
    }
}
