//! Cuts text into folded words, the same way for items, queries and snippets, and stems them.
//!
//! Words are runs of letters and digits; `camelCase` gives its parts and the whole, `snake_case` its parts, `4.5` stays
//! one word, scripts without blanks (Han, Kana, Hangul, Thai …) give single characters and pairs. Not here: names, which
//! are cut differently (`spelling`).

use super::beginnings::Beginnings;
use refdesk_core::clean::is_hidden;
use rust_stemmers::{Algorithm, Stemmer};
use std::borrow::Cow;
use std::ops::Range;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::decompose_canonical;

/// Longer words (encoded data, minified code) are not indexed.
const WORD_BYTES_MAX: usize = 64;

/// Calls `emit` with every folded word and the bytes of `text` it stands for, in order of appearance.
pub(super) fn words(text: &str, emit: impl FnMut(&str, Range<usize>)) {
    words_among(text, None, emit);
}

/// The same, without some of the words that have none of these beginnings.
pub(super) fn words_among(text: &str, wanted: Option<&Beginnings>, mut emit: impl FnMut(&str, Range<usize>)) {
    let mut folded = String::new();
    let mut pair = String::new();
    let mut previous: Option<(char, usize)> = None;
    let bytes = text.as_bytes();
    let (mut at, mut closer_until) = (0, 0);
    while at < bytes.len() {
        if let Some(wanted) = wanted.filter(|_| at >= closer_until && bytes[at].is_ascii()) {
            let next;
            (next, closer_until) = wanted.pass_over(bytes, at);
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
        if is_unspaced(c) {
            if let Some((before, start)) = previous {
                pair.clear();
                pair.extend([before, c].iter().flat_map(|c| c.nfkc()));
                emit(&pair, start..next);
            }
            pair.clear();
            pair.extend(c.nfkc());
            emit(&pair, at..next);
            previous = Some((c, at));
            at = next;
            continue;
        }
        previous = None;
        if !c.is_alphanumeric() {
            at = next;
            continue;
        }
        let end = run_end(text, at);
        let (stop, skip) = suffix(text, at, end);
        run(&text[at..stop], at, &mut folded, &mut emit);
        at = skip;
    }
}

fn char_at(text: &str, at: usize) -> char {
    text[at..].chars().next().unwrap_or(' ')
}

/// Scripts that are written without blanks between words.
fn is_unspaced(c: char) -> bool {
    c >= '\u{e00}'
        && matches!(c as u32,
        0x0e00..=0x0eff | 0x1000..=0x109f | 0x1100..=0x11ff | 0x1780..=0x17ff | 0x3005..=0x3007 | 0x3040..=0x30ff
        | 0x3130..=0x318f | 0x31f0..=0x31ff | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xac00..=0xd7af | 0xf900..=0xfaff
        | 0xff66..=0xff9f | 0x20000..=0x3ffff)
        && c.is_alphanumeric()
}

/// Where the run of word characters that starts at `at` ends.
fn run_end(text: &str, at: usize) -> usize {
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
            if is_unspaced(c) || !(c.is_alphanumeric() || mark || is_hidden(c)) {
                break;
            }
            end += c.len_utf8();
        }
    }
    end
}

/// What follows a run and belongs to it: (end of the word, where to go on). `c++` and `c#` keep their sign, `'s` goes.
fn suffix(text: &str, at: usize, end: usize) -> (usize, usize) {
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
            let own = tail.starts_with(['s', 'S']) && !tail[1..].starts_with(char::is_alphanumeric);
            if own {
                return (end, end + apostrophe.len_utf8() + 1);
            }
        }
    }
    (end, end)
}

/// Emits one run: its camel-case parts, the letters before digits, and the whole.
fn run(word: &str, at: usize, folded: &mut String, emit: &mut impl FnMut(&str, Range<usize>)) {
    if word.len() > WORD_BYTES_MAX {
        return;
    }
    let whole = at..at + word.len();
    let mut start = 0;
    let mut parts = 0;
    let bytes = word.as_bytes();
    for i in 1..bytes.len() {
        if camel_border(bytes, i) {
            part(word, start..i, at, folded, emit);
            parts += 1;
            start = i;
        }
    }
    if parts > 0 {
        part(word, start..word.len(), at, folded, emit);
    } else if bytes[0].is_ascii_alphabetic() && bytes[word.len() - 1].is_ascii_digit() {
        // `python3` is found by `python`; short prefixes (`s3`, `mp3`) mean nothing alone.
        let letters = bytes.iter().take_while(|b| b.is_ascii_alphabetic()).count();
        if letters >= 3 {
            part(word, 0..letters, at, folded, emit);
        }
    }
    fold(word, folded);
    emit(folded, whole);
}

fn part(word: &str, range: Range<usize>, at: usize, folded: &mut String, emit: &mut impl FnMut(&str, Range<usize>)) {
    if range.len() >= 2 && word.is_char_boundary(range.start) && word.is_char_boundary(range.end) {
        fold(&word[range.clone()], folded);
        emit(folded, at + range.start..at + range.end);
    }
}

/// True between `e` and `S` of `ableStyle` and between `P` and `S` of `HTTPServer`, but not inside `APIs`.
fn camel_border(bytes: &[u8], i: usize) -> bool {
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

/// Compatibility forms unified, lower case, Latin letters without their marks, hidden characters gone.
pub(super) fn fold(word: &str, out: &mut String) {
    out.clear();
    if word.is_ascii() {
        out.push_str(word);
        out.make_ascii_lowercase();
        return;
    }
    for c in word.nfkc().filter(|c| !is_hidden(*c)).flat_map(char::to_lowercase) {
        match c {
            'ß' => out.push_str("ss"),
            'ё' => out.push('е'),
            '\u{300}'..='\u{36f}' => {}
            '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => {
                let mut base = None;
                decompose_canonical(c, |part| base = base.or(Some(part)));
                out.push(base.unwrap_or(c));
            }
            _ => out.push(c),
        }
    }
}

/// Snowball stems: English for Latin words, Russian for Cyrillic ones; words with digits stay as they are.
pub(super) struct Stems {
    english: Stemmer,
    russian: Stemmer,
}

impl Default for Stems {
    fn default() -> Self {
        Self { english: Stemmer::create(Algorithm::English), russian: Stemmer::create(Algorithm::Russian) }
    }
}

impl std::fmt::Debug for Stems {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Stems")
    }
}

impl Stems {
    pub(super) fn stem<'a>(&self, word: &'a str) -> Cow<'a, str> {
        if word.len() <= 2 {
            Cow::Borrowed(word)
        } else if word.bytes().all(|b| b.is_ascii_lowercase()) {
            self.english.stem(word)
        } else if word.chars().all(|c| ('\u{400}'..='\u{52f}').contains(&c)) {
            self.russian.stem(word)
        } else {
            Cow::Borrowed(word)
        }
    }
}
