//! Needs: what is to be done, said in a sentence, and what the field calls it.

mod need;
mod synonyms;
mod title;

use super::words;
pub use need::{GAINS, deed};
use need::{is_told, is_topic, need};
pub use synonyms::expansions;
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
