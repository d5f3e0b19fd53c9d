//! The passage of a text that shows best why it was found, as safe HTML: matched words in `<mark>`, all else escaped.
//! It works on the plain text that it is given and needs no index; the caller chooses the text (a body, a summary).

use super::analyze::{Stems, words_among};
use super::beginnings::Beginnings;
use super::needs::content_words;
use refdesk_core::clean::is_hidden;
use smallvec::{SmallVec, smallvec};
use std::ops::Range;

/// Bytes of a text that are looked through.
const TEXT_BYTES_MAX: usize = 262_144;
/// Bytes of a passage that are looked at together when it is escaped.
const LOOK_BYTES: usize = 32;
/// Letters from which on the last word also marks words that begin with it.
const PREFIX_CHARS_MIN: usize = 2;

/// Most texts have no more marks and most queries no more words: room for them needs no allocation.
const MARKS_USUAL: usize = 16;
const WORDS_USUAL: usize = 8;

type Marks = SmallVec<[Mark; MARKS_USUAL]>;

/// A matched word of the text.
struct Mark {
    bytes: Range<usize>,
    /// Characters before it and its end in characters.
    chars: Range<usize>,
    /// Which word of the query it matches.
    word: usize,
}

/// The best passage of a plain text for a query, at most about `chars_max` characters: matched words in
/// `<mark>…</mark>`, everything else HTML-escaped, hidden characters removed, white space folded. `None` when no word
/// matches.
pub fn snippet(text: &str, query: &str, chars_max: usize) -> Option<String> {
    Snippets::new(query).of(text, chars_max)
}

/// A word of the query.
#[derive(Debug)]
struct WantedWord {
    whole: String,
    stem: String,
    /// Bytes with which a word begins that has the stem: all but its last letter, but for `dying`, `lying` and `tying`.
    shared: usize,
}

impl WantedWord {
    fn new(whole: String, stem: String) -> Self {
        let shared = stem.char_indices().next_back().map_or(0, |(last, _)| last);
        Self { whole, stem, shared }
    }

    fn may_have_stem(&self, word: &str) -> bool {
        word.as_bytes().get(..self.shared) == self.stem.as_bytes().get(..self.shared)
    }
}

/// Snippets of many texts for one query, which is read once.
#[derive(Debug)]
pub struct Snippets {
    stems: Stems,
    wanted: Vec<WantedWord>,
    /// The word that the query ends with.
    last: Option<usize>,
    beginnings: Beginnings,
}

impl Snippets {
    /// Reads a query.
    pub fn new(query: &str) -> Self {
        let query = query.trim_end();
        let stems = Stems::default();
        let words = content_words(query);
        let last = words.iter().position(|word| word.range.end == query.len());
        let wanted = words
            .into_iter()
            .map(|word| {
                let stem = stems.stem(&word.text).into_owned();
                WantedWord::new(word.text, stem)
            })
            .collect();
        Self { stems, wanted, last, beginnings: Beginnings::default() }.with_beginnings()
    }

    /// Marks further words, too: [`super::Outcome::corrected`].
    #[must_use]
    pub fn with_words(mut self, words: &[String]) -> Self {
        for word in words {
            let stem = self.stems.stem(word).into_owned();
            // It may be a stem already.
            if stem != *word {
                self.wanted.push(WantedWord::new(word.clone(), stem));
            }
            self.wanted.push(WantedWord::new(word.clone(), word.clone()));
        }
        self.with_beginnings()
    }

    fn with_beginnings(mut self) -> Self {
        for word in &self.wanted {
            self.beginnings.add(word.whole.as_bytes());
            self.beginnings.add(&word.stem.as_bytes()[..word.shared.max(1).min(word.stem.len())]);
        }
        self
    }

    /// What [`snippet`] gives.
    pub fn of(&self, text: &str, chars_max: usize) -> Option<String> {
        let text = &text[..floor_boundary(text, TEXT_BYTES_MAX)];
        let marks = marks(text, self);
        if marks.is_empty() || chars_max == 0 {
            return None;
        }
        let best = best_run(&marks, chars_max);
        let passage = passage(text, &marks[best.clone()], chars_max);
        Some(render(text, passage, &marks[best]))
    }
}

fn floor_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn marks(text: &str, query: &Snippets) -> Marks {
    let Snippets { stems, wanted, last, beginnings } = query;
    let mut found: SmallVec<[(Range<usize>, usize); MARKS_USUAL]> = SmallVec::new();
    words_among(text, Some(beginnings), |word, range| {
        let matched = wanted.iter().enumerate().position(|(at, wanted)| {
            let WantedWord { whole, stem, .. } = wanted;
            let begins = *last == Some(at)
                && word.starts_with(whole.as_str())
                && whole.chars().nth(PREFIX_CHARS_MIN - 1).is_some();
            begins || word == *whole || (wanted.may_have_stem(word) && stems.stem(word) == stem.as_str())
        });
        found.extend(matched.map(|word| (range, word)));
    });
    // Words come whole and in parts, in no fixed order: `attributeName` after `attribute`, or before.
    found.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
    let mut marks = Marks::new();
    let (mut bytes, mut chars) = (0, 0);
    for (range, word) in found {
        match marks.last_mut().filter(|mark| range.start < mark.bytes.end) {
            Some(mark) if range.end <= mark.bytes.end => {}
            Some(mark) => {
                mark.chars.end += text[mark.bytes.end..range.end].chars().count();
                mark.bytes.end = range.end;
                (bytes, chars) = (range.end, mark.chars.end);
            }
            None => {
                let start = chars + text[bytes..range.start].chars().count();
                let end = start + text[range.clone()].chars().count();
                (bytes, chars) = (range.end, end);
                marks.push(Mark { bytes: range, chars: start..end, word });
            }
        }
    }
    marks
}

/// The marks of the passage with the most different words, rare ones before frequent ones; the first of equals.
fn best_run(marks: &[Mark], chars_max: usize) -> Range<usize> {
    let frequency = |word: usize| marks.iter().filter(|mark| mark.word == word).count() as u64;
    let words = marks.iter().map(|mark| mark.word).max().unwrap_or(0) + 1;
    let worth: SmallVec<[u64; WORDS_USUAL]> = (0..words).map(|word| 1_000 + 1_000 / frequency(word).max(1)).collect();
    let mut inside: SmallVec<[u32; WORDS_USUAL]> = smallvec![0; words];
    let (mut start, mut value) = (0, 0);
    let (mut best, mut best_value) = (0..1, 0);
    for (end, mark) in marks.iter().enumerate() {
        inside[mark.word] += 1;
        value += if inside[mark.word] == 1 { worth[mark.word] } else { 1 };
        while start < end && mark.chars.end - marks[start].chars.start > chars_max {
            let left = marks[start].word;
            inside[left] -= 1;
            value -= if inside[left] == 0 { worth[left] } else { 1 };
            start += 1;
        }
        if value > best_value {
            (best, best_value) = (start..end + 1, value);
        }
    }
    best
}

/// The bytes of the passage around some marks: a third of the spare room before them, cut at words.
fn passage(text: &str, marks: &[Mark], chars_max: usize) -> Range<usize> {
    let (Some(first), Some(last)) = (marks.first(), marks.last()) else { return 0..0 };
    let spare = chars_max.saturating_sub(last.chars.end - first.chars.start);
    let mut start = first.bytes.start;
    for (at, c) in text[..first.bytes.start].char_indices().rev().take(spare / 3) {
        if c.is_whitespace() {
            start = at + c.len_utf8();
        }
        if at == 0 {
            start = 0;
        }
        // A passage opens with its paragraph rather than with the end of the one before.
        if c == '\n' {
            break;
        }
    }
    let room = spare - text[start..first.bytes.start].chars().count().min(spare);
    let rest = &text[last.bytes.end..];
    let mut end = text.len();
    if let Some(cut) = offset_of(rest, room) {
        let whole = rest[..cut].rfind(char::is_whitespace);
        // Scripts without blanks are cut anywhere.
        end = last.bytes.end
            + if room == 0 {
                0
            } else {
                whole.filter(|at| *at + 40 > cut).unwrap_or(if rest[..cut].is_ascii() { 0 } else { cut })
            };
    }
    start..end
}

/// Where a character begins; `None` when the text has no more than so many.
fn offset_of(text: &str, chars: usize) -> Option<usize> {
    match text.as_bytes().get(..chars) {
        Some(before) if before.is_ascii() => (chars < text.len()).then_some(chars),
        _ => text.char_indices().nth(chars).map(|(at, _)| at),
    }
}

fn render(text: &str, passage: Range<usize>, marks: &[Mark]) -> String {
    let mut out = String::with_capacity(passage.len() + marks.len() * 13 + 8);
    if !text[..passage.start].trim().is_empty() {
        out.push_str("… ");
    }
    let mut at = passage.start;
    for mark in marks {
        escape(&text[at..mark.bytes.start], &mut out);
        out.push_str("<mark>");
        escape(&text[mark.bytes.clone()], &mut out);
        out.push_str("</mark>");
        at = mark.bytes.end;
    }
    escape(text[at..passage.end.max(at)].trim_end(), &mut out);
    if !text[passage.end.max(at)..].trim().is_empty() {
        out.push_str(" …");
    }
    out
}

/// Adds text that is safe inside an HTML element or attribute, with white space folded.
fn escape(text: &str, out: &mut String) {
    let mut rest = text;
    while !rest.is_empty() {
        let run = run_that_stays(rest.as_bytes());
        out.push_str(&rest[..run]);
        let mut chars = rest[run..].chars();
        if let Some(c) = chars.next() {
            escape_char(c, out);
        }
        rest = chars.as_str();
    }
}

/// Length of the beginning that is copied as it is: ASCII without escapes, and single blanks inside it.
fn run_that_stays(text: &[u8]) -> usize {
    if text.first().is_none_or(|first| changes(*first, b' ') > 0) {
        return 0;
    }
    let mut end = 1;
    while let Some(look) = text[end - 1..].first_chunk::<{ 1 + LOOK_BYTES }>() {
        // No early end, so that this loop is compiled to vector instructions.
        if look[1..].iter().zip(look).fold(0, |found, (byte, before)| found | changes(*byte, *before)) > 0 {
            break;
        }
        end += LOOK_BYTES;
    }
    end + text[end..].iter().zip(&text[end - 1..]).take_while(|(byte, before)| changes(**byte, **before) == 0).count()
}

/// 1 for a byte that is not copied as it is behind the one before.
fn changes(byte: u8, before: u8) -> u8 {
    // Sums of comparisons, because a list of patterns is compiled to a table of bits.
    let escaped = u8::from(byte == b'&')
        | u8::from(byte == b'<')
        | u8::from(byte == b'>')
        | u8::from(byte == b'"')
        | u8::from(byte == b'\'');
    escaped | u8::from(!(b' '..0x7f).contains(&byte)) | u8::from(byte == b' ') & u8::from(before == b' ')
}

fn escape_char(c: char, out: &mut String) {
    match c {
        '&' => out.push_str("&amp;"),
        '<' => out.push_str("&lt;"),
        '>' => out.push_str("&gt;"),
        '"' => out.push_str("&quot;"),
        '\'' => out.push_str("&#39;"),
        c if is_hidden(c) => {}
        c if c.is_whitespace() => {
            if !out.is_empty() && !out.ends_with(' ') {
                out.push(' ');
            }
        }
        c => out.push(c),
    }
}
