//! "Did you mean" for ids: the items whose id or name a text may be a misspelling or a part of, and no others.
//!
//! Candidates come from the names that share trigrams with the text, and from a search, which also corrects transposed letters in words too
//! short to share any. Only those that are similar by edit distance or word by word are kept: no suggestion is better than a random one.

use super::Snapshot;
use refdesk_core::clean;
use refdesk_core::slug::ID_CHARS_MAX;
use refdesk_core::text::{numbers, words};
use refdesk_search::{SearchRequest, SegmentSet};

/// A text and a name of which a smaller share is equal are not alike.
const ALIKE_FROM: f64 = 0.6;
/// How alike a name is that has every word of the text among others.
const WITH_ALL_WORDS: f64 = 0.75;
/// How alike one is that has them all but for a number: another version of a family.
const WITH_OTHER_NUMBERS: f64 = 0.65;
/// A name that is a part of the text has at least this share of its letters.
const PART_FROM: f64 = 0.5;
/// Fewer letters are not read apart from the number behind them: `o3`, `r1`, `s3`.
const LETTERS_BEFORE_NUMBER: usize = 3;
/// Hits of the search that are looked at.
const HITS_MAX: usize = 20;

impl Snapshot {
    /// Up to `limit` items of some kinds that a text may mean, and how alike they are, 0 to 1. The likeliest comes first, among equal ones
    /// the one whose id is more alike, and then what a search ranks first.
    pub fn near(&self, text: &str, segments: SegmentSet, limit: usize) -> Vec<(u32, f64)> {
        let text = clean::excerpt(text, ID_CHARS_MAX).to_lowercase();
        let mut near: Vec<(u32, Likeness)> = Vec::new();
        for text in numbers_apart(&text).into_iter().chain(numbers_joined(&text)).chain([text]) {
            let hits = self.search(&SearchRequest { segments, ..SearchRequest::new(&text, HITS_MAX) }).hits;
            let mut candidates: Vec<u32> = hits.iter().map(|hit| hit.ordinal).collect();
            candidates.extend(self.names_compared(&text, segments, limit));
            let typed = TypedName::new(&text);
            for ordinal in candidates {
                let likeness = self.likeness(&typed, ordinal);
                match near.iter_mut().find(|(known, _)| *known == ordinal) {
                    Some((_, known)) => *known = known.max(likeness),
                    None if likeness.best > 0.0 => near.push((ordinal, likeness)),
                    None => {}
                }
            }
        }
        near.sort_by(|(_, a), (_, b)| b.best.total_cmp(&a.best).then(b.of_id.total_cmp(&a.of_id)));
        near.truncate(limit);
        near.into_iter().map(|(ordinal, likeness)| (ordinal, likeness.best)).collect()
    }

    /// Those items that have an id or a name that a text may mean, in their order.
    pub fn only_near(&self, text: &str, ordinals: Vec<u32>, limit: usize) -> Vec<u32> {
        let text = text.to_lowercase();
        let typed = TypedName::new(&text);
        ordinals.into_iter().filter(|ordinal| self.likeness(&typed, *ordinal).best > 0.0).take(limit).collect()
    }

    fn likeness(&self, typed: &TypedName<'_>, ordinal: u32) -> Likeness {
        let of_id = typed.likeness(self.id(ordinal));
        // A name takes longer to read than an id, and can hardly be better than that.
        let of_name = if of_id >= WITH_ALL_WORDS { 0.0 } else { typed.likeness(&self.name(ordinal).to_lowercase()) };
        Likeness { best: of_id.max(of_name), of_id }
    }
}

/// How alike an item is to a text, 0 to 1.
#[derive(Debug, Clone, Copy)]
struct Likeness {
    /// By its id or its name.
    best: f64,
    /// By its id, which is what is suggested: `gpt-5.1` for `gpt-5.9` rather than a reseller's `gpt-52` named "GPT-5.2".
    of_id: f64,
}

impl Likeness {
    fn max(self, other: Self) -> Self {
        Self { best: self.best.max(other.best), of_id: self.of_id.max(other.of_id) }
    }
}

/// A text with a space before each number that stands behind letters, `opus 45` for `opus45`; `None` where none does.
fn numbers_apart(text: &str) -> Option<String> {
    let mut apart = String::with_capacity(text.len() + 1);
    let mut letters = 0;
    for c in text.chars() {
        if c.is_ascii_digit() && letters >= LETTERS_BEFORE_NUMBER {
            apart.push(' ');
        }
        letters = if c.is_alphabetic() { letters + 1 } else { 0 };
        apart.push(c);
    }
    (apart.len() > text.len()).then_some(apart)
}

/// A text without what divides a number from the few letters before it, `o1` for `o-1`; `None` where nothing does.
fn numbers_joined(text: &str) -> Option<String> {
    let (mut joined, mut is_other) = (String::with_capacity(text.len()), false);
    for word in words(text) {
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
        let letters = joined.chars().rev().take_while(|c| c.is_alphabetic()).count();
        let hangs_on = is_number && (1..LETTERS_BEFORE_NUMBER).contains(&letters);
        is_other |= hangs_on;
        if !joined.is_empty() && !hangs_on {
            joined.push(' ');
        }
        joined.push_str(word);
    }
    is_other.then_some(joined)
}

/// A text that was typed for a name, in lower case.
struct TypedName<'a> {
    text: &'a str,
    words: Vec<&'a str>,
    /// Letters of the words.
    letters: usize,
}

impl<'a> TypedName<'a> {
    fn new(text: &'a str) -> Self {
        let words: Vec<&str> = words(text).collect();
        let letters = words.iter().map(|word| word.chars().count()).sum();
        Self { text, words, letters }
    }

    /// How alike a name in lower case is; 0 where it is not.
    fn likeness(&self, name: &str) -> f64 {
        // Who sells or publishes something stands before its name.
        let of_tail = self.text.rsplit_once('/').map_or(0.0, |(_, tail)| whole_likeness(tail, name));
        let whole = whole_likeness(self.text, name).max(of_tail);
        let whole = if whole > 0.0 && self.has_another_word(name) { 0.0 } else { whole };
        let whole = if numbers(self.text).eq(numbers(name)) { whole } else { of_another_version(whole) };
        if whole >= WITH_ALL_WORDS { whole } else { whole.max(self.words_likeness(name)) }
    }

    /// Whether a name with as many words has an entirely different one: `backup_database` is not a misspelling of `vector database`,
    /// although they share a word.
    fn has_another_word(&self, name: &str) -> bool {
        words(name).count() == self.words.len()
            && self.words.iter().zip(words(name)).any(|(typed, word)| is_another_word(typed, word))
    }

    /// How alike a name is when it has all words of the text, or the text all of its words.
    fn words_likeness(&self, name: &str) -> f64 {
        let Some(last) = self.words.last() else { return 0.0 };
        let is_there = |typed: &str| {
            words(name).any(|word| is_misspelt(typed, word) || typed == *last && is_beginning(typed, word))
        };
        let mut letters_alone = self.words.iter().filter(|word| !has_digit(word)).peekable();
        let has_words = letters_alone.peek().is_some();
        if letters_alone.all(|word| is_there(word)) {
            let has_numbers = self.words.iter().filter(|word| has_digit(word)).all(|number| is_there(number));
            if has_numbers || has_joined(name, self.text) {
                return WITH_ALL_WORDS;
            }
            if has_words {
                return WITH_OTHER_NUMBERS;
            }
        }
        if !words(name).all(|word| self.words.contains(&word)) {
            return 0.0;
        }
        let share = words(name).map(|word| word.chars().count()).sum::<usize>() as f64 / self.letters as f64;
        if share >= PART_FROM { share * WITH_ALL_WORDS } else { 0.0 }
    }
}

/// The share of letters that are equal, by edit distance with transpositions (optimal string alignment); 0 below [`ALIKE_FROM`]. Of three
/// letters, one that differs is too much.
fn whole_likeness(text: &str, name: &str) -> f64 {
    let (text_chars, name_chars) = (text.chars().count(), name.chars().count());
    let (shorter, longer) = (text_chars.min(name_chars), text_chars.max(name_chars));
    // Most names differ so much in length that no distance is needed.
    if shorter < 4 || (shorter as f64) < ALIKE_FROM * longer as f64 {
        return 0.0;
    }
    let likeness = 1.0 - strsim::osa_distance(text, name) as f64 / longer as f64;
    if likeness >= ALIKE_FROM { likeness } else { 0.0 }
}

/// How alike a name is whose numbers are not those of the text, by how its letters are: less than one that has all words and numbers, more
/// than one that merely has the words.
fn of_another_version(whole: f64) -> f64 {
    if whole < ALIKE_FROM {
        return whole;
    }
    let share = (whole - ALIKE_FROM) / (1.0 - ALIKE_FROM);
    WITH_OTHER_NUMBERS + share * (WITH_ALL_WORDS - WITH_OTHER_NUMBERS)
}

/// Whether a word is typed for another: with two edits from eight letters, one from four, and in three only with two letters swapped. The
/// first letter is seldom wrong, unless it is swapped with the next (Pollock and Zamora 1984). A number is never a misspelling of another.
fn is_misspelt(typed: &str, word: &str) -> bool {
    if typed == word || has_digit(typed) || has_digit(word) {
        return typed == word;
    }
    let (typed_chars, word_chars) = (typed.chars().count(), word.chars().count());
    let edits_max = match typed_chars {
        ..4 => 0,
        4..8 => 1,
        _ => 2,
    };
    let has_first = typed.chars().next() == word.chars().next();
    if has_first && edits_max > 0 && typed_chars.abs_diff(word_chars) <= edits_max {
        return strsim::osa_distance(typed, word) <= edits_max;
    }
    typed_chars > 2 && typed_chars == word_chars && is_swapped(typed, word)
}

/// Whether more than half of the letters of two words differ. Numbers tell versions apart, which are alike.
fn is_another_word(typed: &str, word: &str) -> bool {
    let longer = typed.chars().count().max(word.chars().count());
    !has_digit(typed) && !has_digit(word) && strsim::osa_distance(typed, word) * 2 > longer
}

/// Whether two words differ only by two swapped adjacent letters.
fn is_swapped(typed: &str, word: &str) -> bool {
    let mut differ = typed.chars().zip(word.chars()).enumerate().filter(|(_, (a, b))| a != b);
    let (first, second, third) = (differ.next(), differ.next(), differ.next());
    matches!((first, second, third), (Some((at, (a, b))), Some((next, (c, d))), None) if next == at + 1 && a == d && b == c)
}

/// Whether the first numbers of a name are those of a text, however they are divided: `45` for `claude-sonnet-4-5`.
fn has_joined(name: &str, text: &str) -> bool {
    let typed: String = numbers(text).collect();
    let mut joined = String::new();
    numbers(name).any(|number| {
        joined.push_str(number);
        joined == typed
    })
}

/// Whether a word is not typed to its end.
fn is_beginning(typed: &str, word: &str) -> bool {
    typed.chars().nth(2).is_some() && !has_digit(typed) && word.starts_with(typed)
}

fn has_digit(word: &str) -> bool {
    word.bytes().any(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::TypedName;

    fn likeness(text: &str, name: &str) -> f64 {
        TypedName::new(text).likeness(name)
    }

    #[test]
    fn a_name_is_alike_when_letters_or_words_of_it_are_and_not_otherwise() {
        for (text, name) in [
            ("gtp-4o", "gpt-4o"),
            ("gtp-4o", "gpt-4o-mini"),
            ("gpt-6", "gpt-5"),
            ("opus", "claude-opus-4-5"),
            ("claude-sonet", "claude-sonnet-4-5"),
            ("claude-son", "claude-sonnet-4-5"),
            ("lcaude", "claude-opus-5"),
            ("gemni pro", "gemini-2.5-pro"),
            ("acme/nova-3", "nova-2"),
            ("gpt-4o-beta", "gpt-4o"),
            ("orca-opus-9", "orca-opus-5-large"),
            ("gtp-4o", "gpt-5"),
            ("vektor database", "vector_database"),
            ("database vector", "vector_database"),
            ("opus 45", "claude-opus-4-5"),
        ] {
            assert!(likeness(text, name) > 0.0, "{text}: {name}");
        }
        for (text, name) in [
            ("nope-nope", "openorca-7b"),
            ("nope-nope", "coder-32k-rope"),
            ("gemni pro", "uniprof"),
            ("nothere", "gpt-4o"),
            ("gpt", "get"),
            ("claude-nothing", "claude-opus-4-5"),
            ("claude-sonnet-9", "claude-opus-5"),
            ("vector database", "backup_database"),
            ("a-very-long-question-about-gpt-4o", "gpt-4o"),
            ("", "gpt-4o"),
            ("zzz-9", "gpt-4o"),
            ("9", "gpt-4o"),
        ] {
            assert!(likeness(text, name) < f64::EPSILON, "{text}: {name}");
        }
        assert!(likeness("gtp-4o", "gpt-4o") > likeness("gtp-4o", "gpt-4o-mini"));
        assert!(likeness("sonet-45", "claude-sonnet-4-5") > likeness("sonet-45", "claude-sonnet-4-6"));
        assert!(likeness("claude-45-sonnet", "claude-sonnet-4-5") > likeness("claude-45-sonnet", "claude-3.5-sonnet"));
        assert!(likeness("llama3.3", "llama3.3-70b") > likeness("llama3.3", "llama3.1"));
    }
}
