//! Needs: what is to be done, said in a sentence, and what the field calls it.

mod need;
mod title;

use std::sync::LazyLock;

use super::words::{self, Phrases, table};
pub use need::{GAINS, deed};
use need::{is_told, is_topic, need};
pub use title::behind_how;
use title::way;
pub use title::{made, title};

/// What a question asks for that says no kind and no filter.
#[derive(Debug, Default, PartialEq, Eq)]
pub enum Asked {
    /// What is to be done, without the words for who is to do it.
    Need(String),
    /// Whatever handles a topic of a few words.
    Topic,
    /// How something is done: what that is.
    Way(String),
    /// Something else.
    #[default]
    Other,
}

impl Asked {
    /// Reads a question.
    pub fn of(text: &str) -> Self {
        let words = words::words(text);
        if let Some(need) = need(&words) {
            return Self::Need(need);
        }
        if is_topic(&words) { Self::Topic } else { way(&words).map_or(Self::Other, Self::Way) }
    }

    /// What is to be done.
    pub fn need(&self) -> Option<&str> {
        if let Self::Need(need) = self { Some(need) } else { None }
    }

    /// Whether it asks how something is done that a text tells rather than a program does: `cache prompts with redis`, `restore a backup`.
    pub fn is_told(&self) -> bool {
        self.way().is_some_and(|way| is_told(&words::words(way)))
    }

    /// What it asks the way to.
    pub fn way(&self) -> Option<&str> {
        if let Self::Way(way) = self { Some(way) } else { None }
    }
}

static SYNONYMS: LazyLock<Phrases<&str>> =
    LazyLock::new(|| Phrases::listed(table(include_str!("synonyms.txt")).map(|row| (row[0], row[1]))));

/// What the field calls what a need speaks of, by query expansion with a thesaurus (Voorhees 1994): nothing for words that the need has itself.
pub fn expansions(need: &str) -> String {
    let words = words::words(need);
    let is_new = |word: &&str| !words.iter().any(|said| said.folded == *word);
    let mut added: Vec<&str> = Vec::new();
    // Where the phrases end that were found: of phrases that overlap both count, but not one within another.
    let mut end = 0;
    for at in 0..words.len() {
        if let Some((taken, field_words)) = SYNONYMS.at(&words, at).filter(|(taken, _)| at + taken > end) {
            end = at + taken;
            added.extend(field_words.split(' ').filter(is_new));
        }
    }
    added.sort_unstable();
    added.dedup();
    added.join(" ")
}

#[cfg(test)]
mod tests {
    use super::expansions;
    use crate::understand::words::table;

    #[test]
    fn a_need_is_told_in_the_words_of_the_field() {
        assert_eq!(expansions("my agent forgets everything between sessions"), "memory persistent");
        assert_eq!(expansions("turn a recording into a transcription"), "audio speech");
        assert_eq!(expansions("count the words of a file"), "");
        // One phrase overlaps the other: `ping my phone`, `phone call`.
        assert_eq!(expansions("ping my phone call"), "notification push telephony voice");
    }

    #[test]
    fn no_phrase_is_listed_twice() {
        let mut seen = foldhash::HashSet::default();
        for row in table(include_str!("synonyms.txt")) {
            assert_eq!(row.len(), 2, "{row:?}");
            for phrase in row[0].split(',') {
                assert!(seen.insert(phrase.trim()), "{phrase} is listed twice");
            }
        }
    }
}
