//! A passage highlighter, as Lucene's `UnifiedHighlighter`: the passage of a text that shows best why it matched, as safe HTML with matched
//! words in `<mark>` and everything else escaped. It re-analyses the text it is given and needs no index; the caller chooses the text
//! (a body, a summary).

use super::prefix_filter::PrefixFilter;
use super::query_words::{WORDS_MAX, longest, query_words};
use super::stem::Stemmers;
use super::tokenize::tokenize_filtered;
use refdesk_core::clean::is_hidden;
use refdesk_core::text::first_chars;
use smallvec::{SmallVec, smallvec};
use std::cell::OnceCell;
use std::ops::Range;

/// Bytes of a text that are searched for a passage.
const TEXT_BYTES_MAX: usize = 262_144;
/// Bytes of a text that are looked through for the only word of a query before it is asked whether it was there.
const STRETCH_BYTES: usize = 384;
/// Bytes of a passage that are tested together when it is escaped.
const CHUNK_BYTES: usize = 32;
/// Bytes that a passage may be shorter for to end with a whole word.
const WORD_CUT_BYTES_MAX: usize = 40;
/// From this many letters on, the last word of the query also marks words that start with it.
const PREFIX_CHARS_MIN: usize = 2;

/// What each distinct word of the query is worth in a passage; as much again for a word that is there only once in the text. It outweighs the
/// further marks of words, which are worth 1 each.
const DISTINCT_WORD_GAIN: u64 = 1_000;

/// Most texts have no more marks and most queries no more words, so these need no allocation.
const MARKS_INLINE: usize = 16;
const WORDS_INLINE: usize = 8;

type Marks = SmallVec<[Mark; MARKS_INLINE]>;

/// A matched word of the text.
struct Mark {
    bytes: Range<usize>,
    /// The same range counted in characters.
    chars: Range<usize>,
    /// Index of the query word that it matches.
    query_word: usize,
}

#[derive(Debug)]
struct MarkedWord {
    surface: String,
    stem: String,
    /// Bytes that every inflected form shares with the stem: all but its last letter (a few words such as `dying` are the exception).
    shared_bytes: usize,
}

impl MarkedWord {
    fn new(surface: String, stem: String) -> Self {
        let shared_bytes = stem.char_indices().next_back().map_or(0, |(last, _)| last);
        Self { surface, stem, shared_bytes }
    }

    /// A cheap test before a word is stemmed.
    fn may_share_stem(&self, word: &str) -> bool {
        word.as_bytes().get(..self.shared_bytes) == self.stem.as_bytes().get(..self.shared_bytes)
    }
}

/// Makes snippets of many texts for one query, which is parsed once.
#[derive(Debug)]
pub struct SnippetGenerator {
    stemmers: Stemmers,
    words: Vec<MarkedWord>,
    /// Index of the word the query ends with.
    last: Option<usize>,
    prefix_filter: PrefixFilter,
}

impl SnippetGenerator {
    /// Parses a query. Of a very long one the longest words are marked.
    pub fn new(query: &str) -> Self {
        let stemmers = Stemmers::default();
        let query_words = longest(query_words(query), WORDS_MAX);
        let last = query_words.iter().position(|word| word.is_last);
        let words = query_words
            .into_iter()
            .map(|word| {
                let stem = stemmers.stem(&word.text).into_owned();
                MarkedWord::new(word.text, stem)
            })
            .collect();
        Self { stemmers, words, last, prefix_filter: PrefixFilter::default() }.with_prefix_filter()
    }

    /// Also marks corrected words: [`crate::SearchOutcome::corrected`].
    #[must_use]
    pub fn with_corrected(mut self, corrected: &[String]) -> Self {
        for word in corrected {
            let stem = self.stemmers.stem(word).into_owned();
            // The index corrects to stems, names to whole words: accept both.
            if stem != *word {
                self.words.push(MarkedWord::new(word.clone(), stem));
            }
            self.words.push(MarkedWord::new(word.clone(), word.clone()));
        }
        self.with_prefix_filter()
    }

    fn with_prefix_filter(mut self) -> Self {
        for word in &self.words {
            self.prefix_filter.add(word.surface.as_bytes());
            self.prefix_filter.add(&word.stem.as_bytes()[..word.shared_bytes.max(1).min(word.stem.len())]);
        }
        self
    }

    /// Distinct words of the query, corrected ones included.
    pub(super) const fn word_count(&self) -> usize {
        self.words.len()
    }

    /// Calls `found` with the number of the query's word for each word of a text that matches one.
    pub(super) fn count_words(&self, text: &str, mut found: impl FnMut(usize)) {
        find_marks(text, self, false).iter().for_each(|mark| found(mark.query_word));
    }

    /// The best passage of a plain text, at most about `chars_max` characters: matched words in `<mark>…</mark>`, everything else
    /// HTML-escaped, hidden characters removed, white space collapsed. `None` when no word matches.
    pub fn snippet(&self, text: &str, chars_max: usize) -> Option<String> {
        let text = &text[..text.floor_char_boundary(TEXT_BYTES_MAX)];
        let marks = find_marks(text, self, true);
        if marks.is_empty() || chars_max == 0 {
            return None;
        }
        let best = best_marks(&marks, chars_max);
        let passage = passage_around(text, &marks[best.clone()], chars_max);
        Some(render(text, passage, &marks[best]))
    }
}

/// The marked words of a text; for a passage only those up to the first stretch that has one, where the query has one word: no later passage
/// has more of them.
fn find_marks(text: &str, query: &SnippetGenerator, is_for_passage: bool) -> Marks {
    let SnippetGenerator { stemmers, words, last, prefix_filter } = query;
    let ends_with_first = is_for_passage && words.len() == 1;
    let mut found: SmallVec<[(Range<usize>, usize); MARKS_INLINE]> = SmallVec::new();
    let mut at = 0;
    while at < text.len() && (found.is_empty() || !ends_with_first) {
        let end = if ends_with_first { stretch_end(text, at) } else { text.len() };
        tokenize_filtered(&text[at..end], Some(prefix_filter), |word, range| {
            let stem_of_word = OnceCell::new();
            let matched = words.iter().enumerate().position(|(at, marked)| {
                let MarkedWord { surface, stem, .. } = marked;
                let completes = *last == Some(at)
                    && word.starts_with(surface.as_str())
                    && surface.chars().nth(PREFIX_CHARS_MIN - 1).is_some();
                completes
                    || word == *surface
                    || (marked.may_share_stem(word)
                        && *stem_of_word.get_or_init(|| stemmers.stem(word)) == stem.as_str())
            });
            found.extend(matched.map(|query_word| (at + range.start..at + range.end, query_word)));
        });
        at = end;
    }
    // A compound word is emitted whole and in parts, in no fixed order: `attribute` before or after `attributeName`.
    found.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
    let mut marks = Marks::new();
    if found.is_empty() {
        return marks;
    }
    // Counting takes as long as all else in a long text, and most texts need none.
    let is_ascii = text.is_ascii();
    let count = |bytes: Range<usize>| if is_ascii { bytes.len() } else { text[bytes].chars().count() };
    let (mut bytes, mut chars) = (0, 0);
    for (range, query_word) in found {
        match marks.last_mut().filter(|mark| range.start < mark.bytes.end) {
            Some(mark) if range.end <= mark.bytes.end => {}
            Some(mark) => {
                mark.chars.end += count(mark.bytes.end..range.end);
                mark.bytes.end = range.end;
                (bytes, chars) = (range.end, mark.chars.end);
            }
            None => {
                let start = chars + count(bytes..range.start);
                let end = start + count(range.clone());
                (bytes, chars) = (range.end, end);
                marks.push(Mark { bytes: range, chars: start..end, query_word });
            }
        }
    }
    marks
}

/// Where the stretch of a text that begins at `at` ends: at a space, which no word goes beyond.
fn stretch_end(text: &str, at: usize) -> usize {
    let wanted = at.saturating_add(STRETCH_BYTES);
    let rest = text.as_bytes().get(wanted..).unwrap_or_default();
    rest.iter().position(|byte| *byte == b' ').map_or(text.len(), |space| wanted + space)
}

/// The marks of the best passage: most distinct query words first, words rare in this text before frequent ones, ties to the earliest.
/// A sliding window over the marks.
fn best_marks(marks: &[Mark], chars_max: usize) -> Range<usize> {
    let words = marks.iter().map(|mark| mark.query_word).max().unwrap_or(0) + 1;
    let mut frequencies: SmallVec<[u64; WORDS_INLINE]> = smallvec![0; words];
    marks.iter().for_each(|mark| frequencies[mark.query_word] += 1);
    let gain: SmallVec<[u64; WORDS_INLINE]> =
        frequencies.iter().map(|frequency| DISTINCT_WORD_GAIN + DISTINCT_WORD_GAIN / (*frequency).max(1)).collect();
    let mut inside: SmallVec<[u32; WORDS_INLINE]> = smallvec![0; words];
    let (mut start, mut value) = (0, 0);
    let (mut best, mut best_value) = (0..1, 0);
    for (end, mark) in marks.iter().enumerate() {
        inside[mark.query_word] += 1;
        value += if inside[mark.query_word] == 1 { gain[mark.query_word] } else { 1 };
        while start < end && mark.chars.end - marks[start].chars.start > chars_max {
            let left = marks[start].query_word;
            inside[left] -= 1;
            value -= if inside[left] == 0 { gain[left] } else { 1 };
            start += 1;
        }
        if value > best_value {
            (best, best_value) = (start..end + 1, value);
        }
    }
    best
}

/// The byte range of the passage around some marks: a third of the remaining space goes in front of them, cut at words.
fn passage_around(text: &str, marks: &[Mark], chars_max: usize) -> Range<usize> {
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
        // Start with the paragraph rather than with the end of the previous one.
        if c == '\n' {
            break;
        }
    }
    let room = spare - text[start..first.bytes.start].chars().count().min(spare);
    let rest = &text[last.bytes.end..];
    let fitting = first_chars(rest, room);
    let mut end = text.len();
    if fitting.len() < rest.len() {
        let whole = fitting.rfind(char::is_whitespace);
        // Scripts without spaces are cut anywhere.
        end = last.bytes.end
            + if room == 0 {
                0
            } else {
                whole.filter(|at| *at + WORD_CUT_BYTES_MAX > fitting.len()).unwrap_or(if fitting.is_ascii() {
                    0
                } else {
                    fitting.len()
                })
            };
    }
    start..end
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

/// A text as a snippet without marks: escaped for an HTML element or attribute.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    escape(text, &mut out);
    out
}

/// Appends text escaped for an HTML element or attribute, with white space collapsed.
fn escape(text: &str, out: &mut String) {
    let mut rest = text;
    while !rest.is_empty() {
        let verbatim = verbatim_len(rest.as_bytes());
        out.push_str(&rest[..verbatim]);
        let mut chars = rest[verbatim..].chars();
        if let Some(c) = chars.next() {
            escape_char(c, out);
        }
        rest = chars.as_str();
    }
}

/// Length of the prefix that is copied verbatim: ASCII without escapes, with single spaces inside.
fn verbatim_len(text: &[u8]) -> usize {
    if text.first().is_none_or(|first| needs_escape(*first, b' ') > 0) {
        return 0;
    }
    let mut end = 1;
    while let Some(chunk) = text[end - 1..].first_chunk::<{ 1 + CHUNK_BYTES }>() {
        // No early exit, so that the loop compiles to vector instructions.
        if chunk[1..].iter().zip(chunk).fold(0, |found, (byte, before)| found | needs_escape(*byte, *before)) > 0 {
            break;
        }
        end += CHUNK_BYTES;
    }
    end + text[end..]
        .iter()
        .zip(&text[end - 1..])
        .take_while(|(byte, before)| needs_escape(**byte, **before) == 0)
        .count()
}

/// 1 for a byte that cannot be copied verbatim after the byte `before`.
fn needs_escape(byte: u8, before: u8) -> u8 {
    // Combined comparisons vectorise; a list of patterns compiles to a bit table and does not.
    let escaped = u8::from(byte == b'&')
        | u8::from(byte == b'<')
        | u8::from(byte == b'>')
        | u8::from(byte == b'"')
        | u8::from(byte == b'\'');
    escaped | u8::from(!(b' '..0x7f).contains(&byte)) | u8::from(byte == b' ') & u8::from(before == b' ')
}

/// A snippet as plain text: without marks, characters as they were before they were escaped.
pub fn plain_text(snippet: &str) -> String {
    let text = snippet.replace("<mark>", "").replace("</mark>", "");
    if !text.contains('&') {
        return text;
    }
    [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
        .iter()
        .fold(text, |text, (escaped, plain)| text.replace(escaped, plain))
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
