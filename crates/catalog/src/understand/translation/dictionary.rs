//! The dictionary of translations: forms of words, what each is in English, and where it may stand.

use std::sync::LazyLock;

use foldhash::{HashMap, HashSet};

use super::{TypedWord, folded, is_hangul};
use crate::understand::dates::MONTHS;
use crate::understand::words::{is_participle, only_digits, table};
use refdesk_core::text::script::is_unspaced;

/// What numbers in words are read in front of, in the singular.
const COUNTED: [&str; 10] =
    ["thousand", "million", "billion", "dollar", "cent", "euro", "day", "week", "month", "year"];

/// Spanish, Portuguese and French compare with the word that also begins a clause.
const THAN_OR_THAT: &str = "que";
/// Articles in front of what these compare with.
const ARTICLES: [&str; 14] = ["el", "la", "los", "las", "un", "una", "o", "a", "os", "as", "um", "uma", "le", "les"];

/// Where the English of a form stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordOrder {
    /// Where the form stands.
    Same,
    /// In front of the word before it: `OpenAI以外` is `not OpenAI`.
    Before,
}

/// Beside what a form is read, as the mark of its line says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beside {
    /// No mark, or `~`: whatever stands there.
    Anything,
    /// `^`: directly behind a number.
    Number,
    /// `>`: directly in front of a number. `über 100k`, and not in `Tutorials über Agenten`.
    Compared,
    /// `%`: it is a number, directly in front of what numbers count. `zwei Millionen`, `dix dollars`
    Counted,
    /// `@`: directly in front of a name. `auf OpenRouter`, and not in `auf Deutsch`.
    Name,
    /// `&`: there and behind a participle. `feitos por mistral`, and not in `modelo por token`.
    NameBehindParticiple,
}

/// What a form stands for, and where.
#[derive(Debug, Clone)]
pub struct Translation {
    pub place: WordOrder,
    pub english: &'static str,
    /// The words of the form.
    pub parts: Vec<FormWord>,
    /// It is read only beside a form that is not.
    pub only_binds: bool,
    pub beside: Beside,
}

/// A word of a form.
#[derive(Debug, Clone)]
pub struct FormWord {
    folded: Box<str>,
    /// It may go on: `datenbank*`.
    goes_on: bool,
}

/// Forms by their first word, or by its first bytes where that may go on.
#[derive(Debug, Default)]
pub struct Dictionary {
    closed: HashMap<Box<str>, Vec<Translation>>,
    /// Those whose first word may go on, the longest first; of equal ones, in the order of the file.
    open: HashMap<[u8; STEM_BYTES], Vec<Translation>>,
    /// Forms of scripts without blanks, by their first character, the longest first.
    pub unspaced: HashMap<char, Vec<(Box<str>, Translation)>>,
    /// The words of English that forms stand for wherever they stand.
    pub english: HashSet<&'static str>,
}

pub static DICTIONARY: LazyLock<Dictionary> = LazyLock::new(|| {
    let mut dictionary = Dictionary::default();
    for row in table(include_str!("translations.txt")) {
        let english = row[0].trim_start_matches(['~', '<', '^', '>', '%', '@', '&']).trim();
        let place = if row[0].starts_with("~<") { WordOrder::Before } else { WordOrder::Same };
        let beside = match row[0].chars().next() {
            Some('^') => Beside::Number,
            Some('>') => Beside::Compared,
            Some('%') => Beside::Counted,
            Some('@') => Beside::Name,
            Some('&') => Beside::NameBehindParticiple,
            _ => Beside::Anything,
        };
        for form in row[1].split(',').map(str::trim).filter(|form| !form.is_empty()) {
            let only_binds = match beside {
                Beside::Anything => row[0].starts_with('~'),
                // A unit in a script without spaces is foreign next to any word.
                Beside::Number => !form.contains(is_unspaced),
                _ => true,
            };
            if beside == Beside::Anything && !only_binds {
                dictionary.english.extend(english.split(' '));
            }
            dictionary.add(form, Translation { place, english, parts: Vec::new(), only_binds, beside });
        }
    }
    dictionary.closed.values_mut().for_each(|meanings| {
        meanings.sort_by_key(|meaning| std::cmp::Reverse(meaning.parts.len()));
    });
    dictionary.open.values_mut().for_each(|stems| {
        stems.sort_by_key(|stem| std::cmp::Reverse((stem.parts.len(), stem.parts[0].folded.len())));
    });
    dictionary.unspaced.values_mut().for_each(|forms| forms.sort_by_key(|(form, _)| std::cmp::Reverse(form.len())));
    dictionary
});

/// Bytes of the shortest beginning that stands for words that go on.
const STEM_BYTES: usize = 3;
impl Dictionary {
    fn add(&mut self, form: &'static str, meaning: Translation) {
        let part = |typed: &str| {
            let (stem, goes_on) = typed.strip_suffix('*').map_or((typed, false), |stem| (stem, true));
            FormWord { folded: folded(stem).into(), goes_on }
        };
        let parts: Vec<FormWord> = form.split_whitespace().map(part).collect();
        let Some(FormWord { folded: first, goes_on }) = parts.first().cloned() else { return };
        let meaning = Translation { parts, ..meaning };
        if let Some(start) = first.chars().next().filter(|_| first.contains(is_unspaced)) {
            self.unspaced.entry(start).or_default().push((first.clone(), meaning.clone()));
        }
        match first.as_bytes().first_chunk() {
            Some(stem) if goes_on => self.open.entry(*stem).or_default().push(meaning),
            _ => self.closed.entry(first).or_default().push(meaning),
        }
    }

    /// The forms that a word goes on from, the longest first.
    fn stems_of(&self, folded: &str) -> impl Iterator<Item = &Translation> {
        let stems = folded.as_bytes().first_chunk().and_then(|stem| self.open.get(stem));
        stems.into_iter().flatten().filter(move |stem| folded.starts_with(&*stem.parts[0].folded))
    }

    /// What a word stands for wherever it stands, with at most so many bytes behind a form that goes on.
    pub fn word(&self, folded: &str, ending_bytes_max: usize) -> Option<&Translation> {
        let mut known = self.closed.get(folded).into_iter().flatten().chain(self.stems_of(folded));
        known.find(|meaning| {
            meaning.parts.len() == 1
                && !meaning.only_binds
                && folded.len() - meaning.parts[0].folded.len() <= ending_bytes_max
        })
    }

    /// Whether a word is a number.
    fn is_numeral(&self, folded: &str) -> bool {
        self.closed
            .get(folded)
            .into_iter()
            .flatten()
            .any(|meaning| meaning.beside == Beside::Counted && meaning.parts.len() == 1)
    }

    /// What a word may be in English, wherever it stands.
    fn english_of(&self, folded: &str) -> impl Iterator<Item = &'static str> {
        let known = self.closed.get(folded).into_iter().flatten().chain(self.stems_of(folded));
        known.filter(|meaning| meaning.parts.len() == 1).map(|meaning| meaning.english)
    }

    /// Whether a word is what numbers count, in whatever language: `Millionen`, `dollars`, `centavos`.
    fn is_counted(&self, folded: &str) -> bool {
        let is_counted = |english: &str| COUNTED.contains(&english.trim_end_matches('s'));
        is_counted(folded) || self.english_of(folded).any(is_counted)
    }

    /// Whether the last of some words is a participle, or what stands behind one says when: `lanzados en 2025`.
    fn is_behind_participle(&self, before: &[TypedWord<'_>]) -> bool {
        let is_when = |word: &&TypedWord<'_>| {
            let folded = word.folded.as_str();
            ends_number(folded)
                || folded == "in"
                || MONTHS.contains(&folded)
                || self.english_of(folded).any(|english| english.is_empty() || MONTHS.contains(&english))
        };
        let last = before.iter().rev().find(|word| !is_when(word));
        last.is_some_and(|word| self.english_of(&word.folded).any(is_participle))
    }

    /// The longest form at a word.
    pub fn at(&self, words: &[TypedWord<'_>], at: usize) -> Option<&Translation> {
        let is_behind_number = at > 0 && (ends_number(&words[at - 1].folded) || self.is_numeral(&words[at - 1].folded));
        let typed = words;
        let words = typed.get(at..)?;
        let first = words.first()?;
        let closed = self.closed.get(first.folded.as_str()).into_iter().flatten();
        let open = self.stems_of(&first.folded);
        let is_in_place = |meaning: &&Translation| {
            let next = words.get(meaning.parts.len()).map(|next| next.folded.as_str());
            let is_before_name = || self.is_name(typed, at + meaning.parts.len());
            match meaning.beside {
                Beside::Anything => {
                    !meaning.may_begin_clause() || self.is_compared_with(typed, at + meaning.parts.len())
                }
                Beside::Number => is_behind_number,
                Beside::Compared => next.is_some_and(|next| begins_amount(next) || self.is_numeral(next)),
                Beside::Counted => !is_behind_number && next.is_some_and(|next| self.is_counted(next)),
                Beside::Name => is_before_name(),
                Beside::NameBehindParticiple => self.is_behind_participle(&typed[..at]) && is_before_name(),
            }
        };
        let fitting = closed.chain(open).filter(|meaning| meaning.is_at(words) && is_in_place(meaning));
        fitting.reduce(|longest, next| if next.parts.len() > longest.parts.len() { next } else { longest })
    }

    /// Whether a comparison goes on at a word: with a name, also behind an article, or a number. What else the dictionary has begins a clause:
    /// `más barato que gpt-4o`, but `el más barato que soporta herramientas`.
    fn is_compared_with(&self, words: &[TypedWord<'_>], at: usize) -> bool {
        words.get(at).is_some_and(|word| {
            let folded = word.folded.as_str();
            ARTICLES.contains(&folded)
                || begins_amount(folded)
                || self.is_numeral(folded)
                || self.at(words, at).is_none()
        })
    }

    /// Whether what stands behind a negation says whose something is: `von google`, `di google`.
    pub fn is_of_name(&self, words: &[TypedWord<'_>], at: usize) -> bool {
        self.at(words, at).is_some_and(|meaning| {
            meaning.is_before_name()
                || meaning.only_binds && meaning.english.is_empty() && self.is_name(words, at + meaning.parts.len())
        })
    }

    /// Whether a word may be a name: it is written in Latin letters and of no form.
    fn is_name(&self, words: &[TypedWord<'_>], at: usize) -> bool {
        let is_latin =
            |word: &TypedWord<'_>| word.folded.is_ascii() && word.folded.starts_with(|c: char| c.is_ascii_alphabetic());
        words.get(at).is_some_and(is_latin) && self.at(words, at).is_none()
    }
}

impl Translation {
    /// Whether it is read only directly in front of a name.
    pub const fn is_before_name(&self) -> bool {
        matches!(self.beside, Beside::Name | Beside::NameBehindParticiple)
    }

    /// Whether it ends with a word that is `than` or `that`: `más barato que`.
    fn may_begin_clause(&self) -> bool {
        self.english.ends_with(" than") && self.parts.last().is_some_and(|last| *last.folded == *THAN_OR_THAT)
    }

    fn is_at(&self, words: &[TypedWord<'_>]) -> bool {
        // `MIT` is a licence, and no German `mit`.
        let is_name = self.only_binds && words.first().is_some_and(|first| first.is_acronym);
        let is_word = |(part, word): (&FormWord, &TypedWord<'_>)| {
            // A particle may hang on a Korean word.
            let may_go_on = part.goes_on || is_hangul(&part.folded);
            *part.folded == *word.folded || (may_go_on && word.folded.starts_with(&*part.folded))
        };
        !is_name && self.parts.len() <= words.len() && self.parts.iter().zip(words).all(is_word)
    }
}

/// Whether a text ends with a number: `128`, `$5`, `200K`.
pub fn ends_number(text: &str) -> bool {
    text.trim_end_matches(['k', 'K', 'm', 'M', '+', '$', '€']).ends_with(|c: char| c.is_ascii_digit())
}

/// Whether a word begins a number that is not a year: `100k`, `$5`.
fn begins_amount(word: &str) -> bool {
    let is_year = word.len() == 4 && word.starts_with(['1', '2']) && only_digits(word);
    !is_year && word.trim_start_matches(['$', '€']).starts_with(|c: char| c.is_ascii_digit())
}
