//! A token of a question or card: its folded form, its Snowball stem, and whether it is a stop word.

use refdesk_search::text::Stemmers;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use super::stop_words::{is_article_or_pronoun, is_stop_word};

/// A word of a text.
#[derive(Debug, Clone)]
pub(crate) struct Token {
    /// Byte range in the text as written.
    pub start: usize,
    /// End of the byte range.
    pub end: usize,
    /// Lower case, without accents and apostrophes.
    pub folded: String,
    /// Snowball stem of `folded`.
    pub stem: String,
    /// A stop word: never counts by itself, but is part of phrases.
    pub stop: bool,
    /// An article or pronoun, which phrases skip ("lose our customers" is "lose customers").
    pub transparent: bool,
    /// Number of the sentence.
    pub sentence: u16,
}

impl Token {
    /// A token for an English word; `span` is its place in the text.
    pub(super) fn new(folded: String, span: Span, stemmers: &Stemmers) -> Self {
        let Span { start, end, sentence } = span;
        let stem = stemmers.stem_english(&folded).into_owned();
        let stop = is_stop_word(&folded) || folded.bytes().all(|byte| byte.is_ascii_digit());
        let transparent = is_article_or_pronoun(&folded);
        Self { start, end, folded, stem, stop, transparent, sentence }
    }

    /// Its place in the text.
    pub(super) const fn span(&self) -> Span {
        Span { start: self.start, end: self.end, sentence: self.sentence }
    }
}

/// A place in a text: a byte range and the number of the sentence.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    pub start: usize,
    pub end: usize,
    pub sentence: u16,
}

/// Words that French and Italian write together with the next one, before an apostrophe: `l'équipe`, `dell'azienda`.
const ELIDED: [&str; 19] = [
    "l", "d", "j", "n", "s", "m", "t", "c", "qu", "jusqu", "lorsqu", "puisqu", "un", "dell", "all", "nell", "sull",
    "dall", "quest",
];

/// What an elided word stands before, which begins with a vowel or a mute h; the whole word where there is none.
fn behind_elision(word: &str) -> &str {
    let behind = word.split_once('\'').filter(|(elided, _)| ELIDED.contains(elided)).map(|(_, behind)| behind);
    let is_word = |behind: &&str| behind.len() > 1 && behind.starts_with(['a', 'e', 'i', 'o', 'u', 'h']);
    behind.filter(is_word).unwrap_or(word)
}

/// Case and accent folding: lower case, NFKD without combining marks, without apostrophes, elided words and possessive `'s`. It differs
/// from the folding of [`refdesk_search::text`], which keeps apostrophes as separators: contractions must meet the stop words here
/// (`don't`, `dont`).
pub(crate) fn fold(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    if word.is_ascii() {
        out.extend(word.chars().map(|c| c.to_ascii_lowercase()));
    } else {
        for c in word.nfkd().filter(|c| !is_combining_mark(*c)) {
            match c {
                '’' | '`' => out.push('\''),
                'ß' => out.push_str("ss"),
                'ø' | 'Ø' => out.push('o'),
                'æ' | 'Æ' => out.push_str("ae"),
                'œ' | 'Œ' => out.push_str("oe"),
                _ => out.extend(c.to_lowercase()),
            }
        }
    }
    let trimmed = out.trim_matches('\'');
    let trimmed = behind_elision(trimmed.strip_suffix("'s").unwrap_or(trimmed));
    if trimmed.contains('\'') { trimmed.replace('\'', "") } else { trimmed.to_owned() }
}
