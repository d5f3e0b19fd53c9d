//! Phrases looked up among the words of a question, and the data files that list them.

use std::ops::Deref;
use std::sync::OnceLock;

use foldhash::{HashMap, HashMapExt as _};

use super::Word;
use refdesk_core::text::listed_lines;

/// Phrases and what each means, by their first word.
#[derive(Debug)]
pub struct Phrases<T>(HashMap<Box<str>, Vec<Phrase<T>>>);

/// The words of a phrase after its first, and what it means.
type Phrase<T> = (Vec<Box<str>>, T);

impl<T> Phrases<T> {
    /// Phrases of words between blanks.
    pub fn new<'p>(phrases: impl Iterator<Item = (&'p str, T)>) -> Self {
        let mut by_first: HashMap<Box<str>, Vec<Phrase<T>>> = HashMap::new();
        for (phrase, meaning) in phrases {
            let mut parts = phrase.split(' ');
            let first = parts.next().unwrap_or_default();
            let rest: Vec<Box<str>> = parts.map(Into::into).collect();
            let known = by_first.entry(first.into()).or_default();
            // The longest first; of equal ones, that which was listed first.
            let place = known.partition_point(|(longer, _)| longer.len() >= rest.len());
            known.insert(place, (rest, meaning));
        }
        Self(by_first)
    }

    /// Rows of phrases between commas, with what those of a row mean.
    pub fn listed<'p>(rows: impl IntoIterator<Item = (&'p str, T)>) -> Self
    where
        T: Copy,
    {
        Self::new(
            rows.into_iter()
                .flat_map(|(phrases, meaning)| phrases.split(',').map(move |phrase| (phrase.trim(), meaning))),
        )
    }

    /// The longest phrase of unused words at a position: how many words it takes, and its meaning.
    pub fn at(&self, words: &[Word<'_>], at: usize) -> Option<(usize, &T)> {
        self.admitted_at(words, at, |_| true)
    }

    /// The same of those that some test admits.
    pub fn admitted_at(&self, words: &[Word<'_>], at: usize, admits: impl Fn(&T) -> bool) -> Option<(usize, &T)> {
        let first = words.get(at).filter(|word| !word.used)?;
        let phrases = self.0.get(first.folded.as_str())?;
        let follow = |rest: &[Box<str>]| {
            let next = words.iter().skip(at + 1);
            rest.len() < words.len() - at
                && rest.iter().zip(next).all(|(part, word)| !word.used && word.folded == **part)
        };
        let (rest, meaning) = phrases.iter().find(|(rest, meaning)| admits(meaning) && follow(rest))?;
        Some((1 + rest.len(), meaning))
    }

    /// Where the longest phrase of unused words at a position ends.
    pub fn end_at(&self, words: &[Word<'_>], at: usize) -> Option<usize> {
        self.at(words, at).map(|(taken, _)| at + taken)
    }

    /// Every phrase of one word, with its meaning.
    pub fn single_words(&self) -> impl Iterator<Item = (&str, &T)> {
        self.0.iter().filter_map(|(first, phrases)| {
            phrases.iter().find(|(rest, _)| rest.is_empty()).map(|(_, meaning)| (&**first, meaning))
        })
    }
}

/// Rows of phrases between commas, with what those of a row mean, to look phrases up in.
#[derive(Debug)]
pub struct PhraseRows<T: 'static> {
    rows: &'static [(&'static str, T)],
    phrases: OnceLock<Phrases<T>>,
}

impl<T: 'static> PhraseRows<T> {
    /// Rows whose phrases are told apart when one is looked up first.
    pub const fn new(rows: &'static [(&'static str, T)]) -> Self {
        Self { rows, phrases: OnceLock::new() }
    }
}

impl<T: Copy + 'static> Deref for PhraseRows<T> {
    type Target = Phrases<T>;

    fn deref(&self) -> &Phrases<T> {
        self.phrases.get_or_init(|| Phrases::listed(self.rows.iter().copied()))
    }
}

/// The lines of a data file, cut at bars; comments are left out.
pub fn table(file: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    listed_lines(file).map(|line| line.split('|').map(str::trim).collect())
}

/// The phrases between commas of a data file, each without the mark in front of it, and that mark: of `~docker` these are `docker` and `~`.
pub fn marked(phrases: &'static str, marks: &'static [char]) -> impl Iterator<Item = (&'static str, Option<char>)> {
    phrases.split(',').map(str::trim).map(move |phrase| {
        let bare = phrase.trim_start_matches(marks);
        (bare, phrase.chars().next().filter(|_| bare.len() < phrase.len()))
    })
}
