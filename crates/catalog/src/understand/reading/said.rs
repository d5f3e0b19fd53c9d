//! What was read of which words, where later ones may turn it. Which words set which fields is noted of questions with an `or` only:
//! `joined` tells what it joins. What a period without an event is of, `dates` tells.

use std::ops::Range;

use crate::understand::params::{Param, field_of};
use crate::understand::words::Word;

/// What was read so far.
#[derive(Debug, Default)]
pub struct Said {
    /// Fields that were set, and whose words were not taken yet.
    set: Vec<String>,
    phrases: Vec<Phrase>,
}

/// Words that were read together, and the fields that they set.
#[derive(Debug)]
pub struct Phrase {
    /// Where the words stand.
    pub words: Range<usize>,
    /// Names of fields, without what is asked of them.
    pub fields: Vec<String>,
}

/// What was read of some words and later ones may turn.
#[derive(Debug)]
pub struct Provisional {
    /// Where the words stand.
    pub words: Range<usize>,
    /// The parameters that they set.
    pub params: Vec<Param>,
}

impl Said {
    /// Nothing was read yet of words with an `or`; none of others.
    pub fn of(words: &[Word<'_>]) -> Option<Self> {
        words.iter().any(|word| word.folded == "or").then(Self::default)
    }

    /// Notes that a parameter was set. An order is no alternative to a filter.
    pub(super) fn set(&mut self, name: &str) {
        let field = field_of(name);
        if field != "sort" && !self.set.iter().any(|set| set == field) {
            self.set.push(field.to_owned());
        }
    }

    /// Notes that words were taken: what was set before is said by them.
    pub(super) fn take(&mut self, words: Range<usize>) {
        if !self.set.is_empty() {
            self.phrases.push(Phrase { words, fields: std::mem::take(&mut self.set) });
        }
    }

    /// Forgets what was set and taken back.
    pub fn forget(&mut self) {
        self.set.clear();
    }

    /// Forgets what was read of some words.
    pub fn forget_words(&mut self, words: &Range<usize>) {
        self.phrases.retain(|phrase| phrase.words.end <= words.start || words.end <= phrase.words.start);
    }

    /// Whether a phrase ends right in front of a position.
    pub fn ends_at(&self, at: usize) -> bool {
        self.phrases.iter().any(|phrase| phrase.words.end == at)
    }

    /// The last phrase that ends in front of a position, and the first behind it.
    pub fn around(&self, at: usize) -> Option<(&Phrase, &Phrase)> {
        let before =
            self.phrases.iter().filter(|phrase| phrase.words.end <= at).max_by_key(|phrase| phrase.words.end)?;
        let behind =
            self.phrases.iter().filter(|phrase| phrase.words.start > at).min_by_key(|phrase| phrase.words.start)?;
        Some((before, behind))
    }
}
