//! The tokeniser: text in any script to folded, stemmed tokens. A text in another language is translated word by word.
//!
//! Not here: what a word means ([`super::concepts`]) or how much it weighs ([`crate::cards::index`]). Byte ranges point into the text as
//! written, so that reasons can quote it. Full-text search has its own tokeniser; it splits identifiers and versions, which questions to
//! the router do not have, and knows no sentences.

use refdesk_core::text::script::is_unspaced;
use refdesk_search::text::Stemmers;
use unicode_normalization::char::is_combining_mark;

use super::lexicon::translate;
use super::stop_words::foreign_language;
use super::token::{Span, Token, fold};

/// Longer texts are cut here: a question has at most 2,000 characters of at most four bytes.
const TEXT_BYTES_MAX: usize = 8_000;

/// The tokens of a text. In a foreign text, words that the bilingual lexicon knows are already replaced by English ones, at the place of the
/// foreign word.
#[derive(Debug, Clone, Default)]
pub(crate) struct TokenizedText {
    /// In order.
    pub tokens: Vec<Token>,
    /// Written in another language than English.
    pub foreign: bool,
}

pub(crate) fn tokenize(text: &str) -> TokenizedText {
    let stemmers = Stemmers::default();
    let mut out: Vec<Token> = Vec::new();
    let mut sentence = 0_u16;
    for (start, end, script) in script_runs(text) {
        match script {
            Script::Break => {
                sentence = sentence.saturating_add(1);
            }
            Script::Spaced => {
                let folded = fold(&text[start..end]);
                if !folded.is_empty() {
                    out.push(Token::new(folded, Span { start, end, sentence }, &stemmers));
                }
            }
            // Scripts without spaces: overlapping character bigrams stand for words.
            Script::Unspaced => {
                let chars: Vec<(usize, char)> = text[start..end].char_indices().collect();
                for pair in chars.windows(2) {
                    let (start, end) = (start + pair[0].0, start + pair[1].0 + pair[1].1.len_utf8());
                    out.push(Token::new(text[start..end].to_owned(), Span { start, end, sentence }, &stemmers));
                }
            }
        }
    }
    match foreign_language(out.iter().map(|token| token.folded.as_str())) {
        Some(language) => TokenizedText { tokens: translate(out, language, &stemmers), foreign: true },
        None => TokenizedText { tokens: out, foreign: false },
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Script {
    Spaced,
    Unspaced,
    Break,
}

/// Runs of word characters with their byte ranges, and the sentence breaks between them.
fn script_runs(text: &str) -> Vec<(usize, usize, Script)> {
    let mut out = Vec::new();
    let mut open: Option<(usize, Script)> = None;
    for (at, c) in text.char_indices() {
        if at >= TEXT_BYTES_MAX {
            break;
        }
        let script = if is_unspaced(c) {
            Some(Script::Unspaced)
        } else if c.is_alphanumeric() || is_combining_mark(c) || matches!(c, '\'' | '’' | '`') {
            Some(Script::Spaced)
        } else {
            None
        };
        if let Some((start, kind)) = open
            && script != Some(kind)
        {
            out.push((start, at, kind));
            open = None;
        }
        match script {
            Some(kind) if open.is_none() => open = Some((at, kind)),
            None if matches!(c, '.' | '!' | '?' | ';' | ':' | '\n' | '。' | '！' | '？') => {
                out.push((at, at, Script::Break));
            }
            _ => {}
        }
    }
    if let Some((start, kind)) = open {
        out.push((start, text.len().min(TEXT_BYTES_MAX + 4), kind));
    }
    // A cut inside a character never happens: the last run ends where the loop stopped.
    if let Some(last) = out.last_mut()
        && !text.is_char_boundary(last.1)
    {
        last.1 = (0..=last.1).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(last.0);
    }
    out
}
