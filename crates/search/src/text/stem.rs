//! Snowball stemming (Porter 2001) for the two scripts the catalog is mostly written in.

use super::american::american;
use rust_stemmers::{Algorithm, Stemmer};
use std::borrow::Cow;

/// Snowball stemmers, chosen by script.
pub struct Stemmers {
    english: Stemmer,
    russian: Stemmer,
}

impl Default for Stemmers {
    fn default() -> Self {
        Self { english: Stemmer::create(Algorithm::English), russian: Stemmer::create(Algorithm::Russian) }
    }
}

impl std::fmt::Debug for Stemmers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Stemmers")
    }
}

impl Stemmers {
    /// The stem of a folded word: English for Latin letters, in either spelling, Russian for Cyrillic ones. Words with digits, other scripts
    /// and words of one or two bytes keep their form.
    pub fn stem<'a>(&self, word: &'a str) -> Cow<'a, str> {
        if word.len() <= 2 {
            Cow::Borrowed(word)
        } else if word.bytes().all(|b| b.is_ascii_lowercase()) {
            american(word)
                .map_or_else(|| self.english.stem(word), |word| Cow::Owned(self.english.stem(&word).into_owned()))
        } else if word.chars().all(|c| ('\u{400}'..='\u{52f}').contains(&c)) {
            self.russian.stem(word)
        } else {
            Cow::Borrowed(word)
        }
    }

    /// The English stem of a folded word as it is spelt, whatever characters it has.
    pub fn stem_english<'a>(&self, word: &'a str) -> Cow<'a, str> {
        self.english.stem(word)
    }
}
