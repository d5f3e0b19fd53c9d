//! The tokeniser: cuts text into folded words, the same way for documents, queries and snippets.
//!
//! A word is a run of letters and digits. `camelCase` emits its parts and the whole (a word-delimiter filter), `snake_case` its parts,
//! `4.5` stays one word. Scripts written without spaces (Han, Kana, Hangul, Thai, …) emit single characters and bigrams, as Lucene's
//! CJK analyzer does. Not here: names, which are cut differently (`names::spelling`).

use super::fold::fold;
use super::prefix_filter::PrefixFilter;
use refdesk_core::clean::is_hidden;
use refdesk_core::text::script::is_unspaced;
use std::ops::Range;
use unicode_normalization::UnicodeNormalization;

/// Longer words (encoded data, minified code) are not indexed: nobody types them, and they would fill the dictionary.
const WORD_BYTES_MAX: usize = 64;

/// Calls `emit` with every folded word and its byte range in `text`, in order of appearance.
pub(crate) fn tokenize(text: &str, emit: impl FnMut(&str, Range<usize>)) {
    tokenize_filtered(text, None, emit);
}

/// As [`tokenize`], but may leave out words that start with none of the prefixes in `filter`.
pub(super) fn tokenize_filtered(text: &str, filter: Option<&PrefixFilter>, mut emit: impl FnMut(&str, Range<usize>)) {
    let mut folded = String::new();
    let mut bigram = String::new();
    let mut previous: Option<(char, usize)> = None;
    let bytes = text.as_bytes();
    let mut candidates = filter.map(|filter| filter.candidates(bytes));
    let (mut at, mut candidates_until) = (0, 0);
    while at < bytes.len() {
        if let Some(candidates) = candidates.as_mut().filter(|_| at >= candidates_until && bytes[at].is_ascii()) {
            let next;
            (next, candidates_until) = candidates.skip(at);
            if next > at {
                previous = None;
                at = next;
                continue;
            }
        }
        if bytes[at].is_ascii() && !bytes[at].is_ascii_alphanumeric() {
            previous = None;
            at += 1;
            continue;
        }
        let c = char_at(text, at);
        let next = at + c.len_utf8();
        if is_unspaced_letter(c) {
            if let Some((before, start)) = previous {
                bigram.clear();
                bigram.extend([before, c].iter().flat_map(|c| c.nfkc()));
                emit(&bigram, start..next);
            }
            bigram.clear();
            bigram.extend(c.nfkc());
            emit(&bigram, at..next);
            previous = Some((c, at));
            at = next;
            continue;
        }
        previous = None;
        if !c.is_alphanumeric() {
            at = next;
            continue;
        }
        let (word_end, next) = with_suffix(text, at, word_end(text, at));
        emit_word(&text[at..word_end], at, &mut folded, &mut emit);
        at = next;
    }
}

fn char_at(text: &str, at: usize) -> char {
    text[at..].chars().next().unwrap_or(' ')
}

/// Whether a character is a letter or digit of a script without spaces between words.
fn is_unspaced_letter(c: char) -> bool {
    is_unspaced(c) && c.is_alphanumeric()
}

/// End of the run of word characters that starts at `at`.
fn word_end(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let mut end = at;
    while end < bytes.len() {
        let b = bytes[end];
        if b.is_ascii_alphanumeric() {
            end += 1;
        } else if b == b'.' {
            let joins =
                end > at && bytes[end - 1].is_ascii_digit() && bytes.get(end + 1).is_some_and(u8::is_ascii_digit);
            if !joins {
                break;
            }
            end += 1;
        } else if b.is_ascii() {
            break;
        } else {
            let c = char_at(text, end);
            let mark = ('\u{300}'..='\u{36f}').contains(&c);
            if is_unspaced_letter(c) || !(c.is_alphanumeric() || mark || is_hidden(c)) {
                break;
            }
            end += c.len_utf8();
        }
    }
    end
}

/// Handles what directly follows a word: `c++` and `c#` keep their sign, a possessive `'s` is dropped. Returns the end of the word and
/// where tokenising continues.
fn with_suffix(text: &str, at: usize, end: usize) -> (usize, usize) {
    let rest = &text[end..];
    if end - at == 1 && text.as_bytes()[at].is_ascii_alphabetic() {
        if rest.starts_with("++") {
            return (end + 2, end + 2);
        }
        if rest.starts_with('#') {
            return (end + 1, end + 1);
        }
    }
    for apostrophe in ['\'', '’'] {
        if let Some(tail) = rest.strip_prefix(apostrophe) {
            let possessive = tail.starts_with(['s', 'S']) && !tail[1..].starts_with(char::is_alphanumeric);
            if possessive {
                return (end, end + apostrophe.len_utf8() + 1);
            }
        }
    }
    (end, end)
}

/// Emits a word: its camel-case parts, the letters in front of digits, and the whole.
fn emit_word(word: &str, at: usize, folded: &mut String, emit: &mut impl FnMut(&str, Range<usize>)) {
    if word.len() > WORD_BYTES_MAX {
        return;
    }
    let whole = at..at + word.len();
    let mut start = 0;
    let mut parts = 0;
    let bytes = word.as_bytes();
    for i in 1..bytes.len() {
        if is_camel_boundary(bytes, i) {
            emit_part(word, start..i, at, folded, emit);
            parts += 1;
            start = i;
        }
    }
    if parts > 0 {
        emit_part(word, start..word.len(), at, folded, emit);
    } else if bytes[0].is_ascii_alphabetic() && bytes[word.len() - 1].is_ascii_digit() {
        // `python3` is found by `python`; a short prefix (`s` of `s3`) means nothing alone.
        let letters = bytes.iter().take_while(|b| b.is_ascii_alphabetic()).count();
        if letters >= 3 {
            emit_part(word, 0..letters, at, folded, emit);
        }
    }
    fold(word, folded);
    emit(folded, whole);
}

fn emit_part(
    word: &str,
    range: Range<usize>,
    at: usize,
    folded: &mut String,
    emit: &mut impl FnMut(&str, Range<usize>),
) {
    if range.len() >= 2 && word.is_char_boundary(range.start) && word.is_char_boundary(range.end) {
        fold(&word[range.clone()], folded);
        emit(folded, at + range.start..at + range.end);
    }
}

/// True between `e` and `S` of `ableStyle` and between `P` and `S` of `HTTPServer`, but not inside `APIs`.
fn is_camel_boundary(bytes: &[u8], i: usize) -> bool {
    let (before, here) = (bytes[i - 1], bytes[i]);
    if !here.is_ascii_uppercase() {
        return false;
    }
    if before.is_ascii_lowercase() {
        return true;
    }
    let plural = i + 2 == bytes.len() && bytes[i + 1] == b's';
    before.is_ascii_uppercase() && bytes.get(i + 1).is_some_and(u8::is_ascii_lowercase) && !plural
}
