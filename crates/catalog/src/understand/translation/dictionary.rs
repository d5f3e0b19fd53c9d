//! The dictionary of translations: forms of words, what each is in English, and where it may stand.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::{Word, folded, is_hangul};
use crate::understand::words::table;
use refdesk_core::text::script::is_unspaced;

/// What numbers in words are read in front of, in the singular.
const COUNTED: [&str; 6] = ["thousand", "million", "billion", "dollar", "cent", "euro"];

/// Where the English of a form stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Where the form stands.
    Same,
    /// In front of the word before it: `OpenAI以外` is `not OpenAI`.
    Before,
}

/// What a form stands for, and where.
#[derive(Debug, Clone)]
pub struct Translation {
    pub place: Place,
    pub english: &'static str,
    /// The words of the form, folded.
    pub parts: Vec<Box<str>>,
    /// The last word may go on: `datenbank*`.
    is_open: bool,
    /// It is read only beside a form that is not.
    pub only_binds: bool,
    /// It is read only directly behind a number.
    pub is_unit: bool,
    /// It is read only directly in front of a number: `über 100k`, and not in `Tutorials über Agenten`.
    is_comparison: bool,
    /// It is a number, and read only directly in front of what numbers count: `zwei Millionen`, `dix dollars`.
    is_numeral: bool,
}

/// Forms by their first word, or by its first letters where that may go on.
#[derive(Debug, Default)]
pub struct Dictionary {
    closed: HashMap<Box<str>, Vec<Translation>>,
    open: HashMap<Box<str>, Vec<Translation>>,
    /// Bytes of the longest of these.
    open_bytes_max: usize,
    /// Forms of scripts without blanks, by their first character, the longest first.
    pub unspaced: HashMap<char, Vec<(Box<str>, Translation)>>,
}

pub static DICTIONARY: LazyLock<Dictionary> = LazyLock::new(|| {
    let mut dictionary = Dictionary::default();
    for row in table(include_str!("translations.txt")) {
        let english = row[0].trim_start_matches(['~', '<', '^', '>', '%']).trim();
        let place = if row[0].starts_with("~<") { Place::Before } else { Place::Same };
        for form in row[1].split(',').map(str::trim).filter(|form| !form.is_empty()) {
            // What counts things in a script of its own is foreign, whatever stands beside it.
            let is_unit = row[0].starts_with('^');
            let is_comparison = row[0].starts_with('>');
            let is_numeral = row[0].starts_with('%');
            let only_binds =
                is_comparison || is_numeral || row[0].starts_with('~') || is_unit && !form.contains(is_unspaced);
            let meaning = Translation {
                place,
                english,
                parts: Vec::new(),
                is_open: false,
                only_binds,
                is_unit,
                is_comparison,
                is_numeral,
            };
            dictionary.add(form, meaning);
        }
    }
    dictionary.closed.values_mut().chain(dictionary.open.values_mut()).for_each(|meanings| {
        meanings.sort_by_key(|meaning| std::cmp::Reverse(meaning.parts.len()));
    });
    dictionary.unspaced.values_mut().for_each(|forms| forms.sort_by_key(|(form, _)| std::cmp::Reverse(form.len())));
    dictionary
});

/// Bytes of the shortest beginning that stands for words that go on.
const STEM_BYTES: usize = 3;
impl Dictionary {
    fn add(&mut self, form: &'static str, meaning: Translation) {
        let (form, is_open) = form.strip_suffix('*').map_or((form, false), |form| (form, true));
        let parts: Vec<Box<str>> = form.split_whitespace().map(|part| folded(part).into()).collect();
        let Some(first) = parts.first().cloned() else { return };
        let meaning = Translation { parts, is_open, ..meaning };
        if let Some(start) = first.chars().next().filter(|_| first.contains(is_unspaced)) {
            self.unspaced.entry(start).or_default().push((first.clone(), meaning.clone()));
        }
        let is_open = is_open && meaning.parts.len() == 1;
        if is_open {
            self.open_bytes_max = self.open_bytes_max.max(first.len());
        }
        let by_first = if is_open { &mut self.open } else { &mut self.closed };
        by_first.entry(first).or_default().push(meaning);
    }

    /// Whether a word is a number.
    fn is_numeral(&self, folded: &str) -> bool {
        self.closed.get(folded).into_iter().flatten().any(|meaning| meaning.is_numeral && meaning.parts.len() == 1)
    }

    /// Whether a word is what numbers count, in whatever language: `Millionen`, `dollars`, `centavos`.
    fn is_counted(&self, folded: &str) -> bool {
        let is_counted = |english: &str| COUNTED.contains(&english.trim_end_matches('s'));
        let stems = (STEM_BYTES..=folded.len().min(self.open_bytes_max)).filter_map(|end| folded.get(..end));
        let open = stems.filter_map(|stem| self.open.get(stem)).flatten();
        let mut known = self.closed.get(folded).into_iter().flatten().chain(open);
        is_counted(folded) || known.any(|meaning| meaning.parts.len() == 1 && is_counted(meaning.english))
    }

    /// The longest form at a word.
    pub fn at(&self, words: &[Word<'_>], at: usize) -> Option<&Translation> {
        let is_behind_number = at > 0 && (ends_number(&words[at - 1].folded) || self.is_numeral(&words[at - 1].folded));
        let words = words.get(at..)?;
        let first = words.first()?;
        let closed = self.closed.get(first.folded.as_str()).into_iter().flatten();
        let stems =
            (STEM_BYTES..=first.folded.len().min(self.open_bytes_max)).rev().filter_map(|end| first.folded.get(..end));
        let open = stems.filter_map(|stem| self.open.get(stem)).flatten();
        let is_in_place = |meaning: &&Translation| {
            let next = words.get(meaning.parts.len());
            (is_behind_number || !meaning.is_unit)
                && (!meaning.is_comparison
                    || next.is_some_and(|next| begins_amount(&next.folded) || self.is_numeral(&next.folded)))
                && (!meaning.is_numeral || !is_behind_number && next.is_some_and(|next| self.is_counted(&next.folded)))
        };
        closed.chain(open).find(|meaning| meaning.is_at(words) && is_in_place(meaning))
    }
}

impl Translation {
    fn is_at(&self, words: &[Word<'_>]) -> bool {
        let last = self.parts.len() - 1;
        self.parts.len() <= words.len()
            && self.parts.iter().zip(words).enumerate().all(|(at, (part, word))| {
                // A particle may hang on a Korean word.
                let may_go_on = (self.is_open && at == last) || is_hangul(part);
                **part == *word.folded || (may_go_on && word.folded.starts_with(&**part))
            })
    }
}

/// Whether a text ends with a number: `128`, `$5`, `200K`.
pub fn ends_number(text: &str) -> bool {
    text.trim_end_matches(['k', 'K', 'm', 'M', '+', '$', '€']).ends_with(|c: char| c.is_ascii_digit())
}

/// Whether a word begins a number that is not a year: `100k`, `$5`.
fn begins_amount(word: &str) -> bool {
    let is_year = word.len() == 4 && word.starts_with(['1', '2']) && word.bytes().all(|byte| byte.is_ascii_digit());
    !is_year && word.trim_start_matches(['$', '€']).starts_with(|c: char| c.is_ascii_digit())
}
