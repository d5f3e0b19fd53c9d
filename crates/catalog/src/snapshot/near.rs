//! "Did you mean" for ids: the items whose id or name a text may be a misspelling or a part of, and no others.
//!
//! Candidates come from the names that share trigrams with the text, and from a search, which also corrects transposed letters in words too
//! short to share any. Only those that are alike by edit distance or word by word are kept: no name is better than one at random.

use super::Snapshot;
use refdesk_core::clean;
use refdesk_core::slug::ID_CHARS_MAX;
use refdesk_search::SearchRequest;

/// A text and a name of which a smaller share is equal are not alike.
const ALIKE_FROM: f64 = 0.6;
/// How alike a name is that has every word of the text among others.
const WITH_ALL_WORDS: f64 = 0.75;
/// How alike one is that has them all but for a number: another version of a family.
const WITH_OTHER_NUMBERS: f64 = 0.65;
/// A name that is a part of the text has at least this share of its letters.
const PART_FROM: f64 = 0.5;
/// Hits of the search that are looked at.
const HITS_MAX: usize = 20;

impl Snapshot {
    /// Up to `limit` items of some kinds, a bit mask, that a text may mean, and how alike they are, 0 to 1. The likeliest comes first, and
    /// among equal ones what a search ranks first.
    pub fn near(&self, text: &str, groups: u8, limit: usize) -> Vec<(u32, f64)> {
        let text = clean::excerpt(text, ID_CHARS_MAX).to_lowercase();
        let hits = self.search(&SearchRequest { groups, ..SearchRequest::new(&text, HITS_MAX) }).hits;
        let mut candidates: Vec<u32> = hits.iter().map(|hit| hit.ordinal).collect();
        candidates.extend(self.names_compared(&text, groups, limit));
        let mut near: Vec<(u32, f64)> = Vec::new();
        for ordinal in candidates {
            let likeness = self.likeness(&text, ordinal);
            if likeness > 0.0 && !near.iter().any(|(known, _)| *known == ordinal) {
                near.push((ordinal, likeness));
            }
        }
        near.sort_by(|a, b| b.1.total_cmp(&a.1));
        near.truncate(limit);
        near
    }

    /// Whether an item has an id or a name that a text may mean.
    pub fn is_near(&self, text: &str, ordinal: u32) -> bool {
        self.likeness(&text.to_lowercase(), ordinal) > 0.0
    }

    fn likeness(&self, lower_case: &str, ordinal: u32) -> f64 {
        let names = [self.id(ordinal).to_lowercase(), self.name(ordinal).to_lowercase()];
        names.iter().map(|name| likeness(lower_case, name)).fold(0.0, f64::max)
    }
}

/// How alike a text and a name are, both in lower case; 0 where they are not.
fn likeness(text: &str, name: &str) -> f64 {
    // Who sells or publishes something stands before its name.
    let tail = text.rsplit_once('/').map_or(text, |(_, tail)| tail);
    let whole = f64::max(whole_likeness(text, name), if tail == text { 0.0 } else { whole_likeness(tail, name) });
    if whole >= WITH_ALL_WORDS { whole } else { whole.max(words_likeness(&words(text), &words(name))) }
}

/// The share of letters that are equal, by edit distance with transpositions (optimal string alignment); 0 below [`ALIKE_FROM`]. Of three
/// letters, one that differs is too much.
fn whole_likeness(text: &str, name: &str) -> f64 {
    let (shorter, longer) = {
        let (text, name) = (text.chars().count(), name.chars().count());
        (text.min(name), text.max(name))
    };
    // Most names differ so much in length that no distance is needed.
    if shorter < 4 || (shorter as f64) < ALIKE_FROM * longer as f64 {
        return 0.0;
    }
    let likeness = 1.0 - strsim::osa_distance(text, name) as f64 / longer as f64;
    if likeness >= ALIKE_FROM { likeness } else { 0.0 }
}

/// How alike two names are when one has all words of the other.
fn words_likeness(text: &[&str], name: &[&str]) -> f64 {
    let letters = |words: &[&str]| words.iter().map(|word| word.chars().count()).sum::<usize>();
    let Some((last, _)) = text.split_last().filter(|_| !name.is_empty()) else { return 0.0 };
    let is_there =
        |typed: &&str| name.iter().any(|word| is_misspelt(typed, word) || typed == last && is_beginning(typed, word));
    let (numbers, words): (Vec<&str>, Vec<&str>) = text.iter().partition(|word| has_digit(word));
    if words.iter().all(is_there) {
        if numbers.iter().all(is_there) {
            return WITH_ALL_WORDS;
        }
        if !words.is_empty() {
            return WITH_OTHER_NUMBERS;
        }
    }
    let share = letters(name) as f64 / letters(text).max(1) as f64;
    let is_part = share >= PART_FROM && name.iter().all(|word| text.contains(word));
    if is_part { share * WITH_ALL_WORDS } else { 0.0 }
}

fn words(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect()
}

/// Whether a word is typed for another: with two edits from eight letters, one from four, and in three only with two letters swapped. The
/// first letter is seldom wrong, unless it is swapped with the next (Pollock and Zamora 1984). A number is never a misspelling of another.
fn is_misspelt(typed: &str, word: &str) -> bool {
    if typed == word || has_digit(typed) || has_digit(word) {
        return typed == word;
    }
    let edits = strsim::osa_distance(typed, word);
    let is_swapped = edits == 1 && sorted(typed) == sorted(word);
    if typed.chars().next() != word.chars().next() {
        return is_swapped;
    }
    match typed.chars().count() {
        ..3 => false,
        3 => is_swapped,
        4..8 => edits <= 1,
        _ => edits <= 2,
    }
}

/// Whether a word is not typed to its end.
fn is_beginning(typed: &str, word: &str) -> bool {
    typed.chars().nth(2).is_some() && !has_digit(typed) && word.starts_with(typed)
}

fn has_digit(word: &str) -> bool {
    word.contains(|c: char| c.is_ascii_digit())
}

fn sorted(word: &str) -> Vec<char> {
    let mut letters: Vec<char> = word.chars().collect();
    letters.sort_unstable();
    letters
}

#[cfg(test)]
mod tests {
    use super::likeness;

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
            ("a-very-long-question-about-gpt-4o", "gpt-4o"),
            ("", "gpt-4o"),
            ("zzz-9", "gpt-4o"),
            ("9", "gpt-4o"),
        ] {
            assert!(likeness(text, name) < f64::EPSILON, "{text}: {name}");
        }
        assert!(likeness("gtp-4o", "gpt-4o") > likeness("gtp-4o", "gpt-4o-mini"));
    }
}
