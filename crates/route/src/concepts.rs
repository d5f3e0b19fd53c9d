//! The concept vocabulary: families of ordinary words and phrases that mean the same when a problem is described, so that
//! "go wrong", "fail" and "blow up" meet in *failure*. General English with word beginnings of other languages;
//! it never names a card. The families are in `concepts.txt`, whose head explains the form.
//!
//! Not here: weights ([`super::index`]). A *setting* (line with a leading dot) says where a question plays, not what it asks.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::words::{Text, Token, tokens};

/// The families as text.
const SOURCE: &str = include_str!("concepts.txt");
/// Word beginnings of other languages are at least so long.
const PREFIX_LETTERS_MIN: usize = 4;

/// A place in a text where a concept is met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hit {
    /// Position of the concept in [`Concepts::names`].
    pub concept: u16,
    /// First token.
    pub from: usize,
    /// Token after the last.
    pub to: usize,
}

/// The families, ready to be met.
#[derive(Debug, Default)]
pub(super) struct Concepts {
    /// Names, by number.
    pub names: Vec<String>,
    /// Whether it is a setting, by number.
    pub setting: Vec<bool>,
    /// From the first stem of a phrase to the other stems and the concept.
    phrases: HashMap<String, Vec<(Vec<String>, u16)>>,
    /// From the beginning of a word of another language to concepts.
    prefixes: HashMap<String, Vec<u16>>,
    /// Longest beginning.
    prefix_letters: usize,
}

/// The project's families, read once.
pub(super) static CONCEPTS: LazyLock<Concepts> = LazyLock::new(|| Concepts::parse(SOURCE));

impl Concepts {
    /// Reads families; a line that is none is left out (a test asserts that there is no such line).
    pub(super) fn parse(source: &str) -> Self {
        let mut concepts = Self::default();
        let mut numbers: HashMap<String, u16> = HashMap::new();
        for line in source.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let Some((name, members)) = line.split_once(':') else { continue };
            let setting = name.starts_with('.');
            let name = name.trim_start_matches('.').trim();
            // A family may go on over several lines of the same name.
            let number = *numbers.entry(name.to_owned()).or_insert_with(|| {
                concepts.names.push(name.to_owned());
                concepts.setting.push(setting);
                (concepts.names.len() - 1) as u16
            });
            let (phrases, prefixes) = members.split_once('|').unwrap_or((members, ""));
            for phrase in phrases.split(',') {
                concepts.add_phrase(phrase, number);
            }
            for prefix in prefixes.split_whitespace() {
                let prefix = super::words::fold(prefix);
                concepts.prefix_letters = concepts.prefix_letters.max(prefix.len());
                concepts.prefixes.entry(prefix).or_default().push(number);
            }
        }
        for list in concepts.phrases.values_mut() {
            // Longest first, so that "blow up" goes before "blow".
            list.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then_with(|| a.cmp(b)));
            list.dedup();
        }
        concepts
    }

    fn add_phrase(&mut self, phrase: &str, number: u16) {
        let mut stems = tokens(phrase).tokens.into_iter().filter(|token| !token.transparent).map(|token| token.stem);
        if let Some(first) = stems.next() {
            self.phrases.entry(first).or_default().push((stems.collect(), number));
        }
    }

    /// Whether the stem alone belongs to a family.
    pub(super) fn knows(&self, stem: &str) -> bool {
        self.phrases.get(stem).is_some_and(|list| list.iter().any(|(rest, _)| rest.is_empty()))
    }

    /// All places where a family is met. Of the phrases that begin at one word the longest counts, in all its families.
    pub(super) fn hits(&self, text: &Text) -> Vec<Hit> {
        let visible: Vec<usize> = (0..text.tokens.len()).filter(|at| !text.tokens[*at].transparent).collect();
        let mut out = Vec::new();
        for (position, &at) in visible.iter().enumerate() {
            let token = &text.tokens[at];
            let mut longest = 0;
            for (rest, concept) in self.phrases.get(&token.stem).into_iter().flatten() {
                let length = rest.len() + 1;
                if length < longest {
                    break;
                }
                let follows = rest.iter().enumerate().all(|(ahead, stem)| {
                    visible.get(position + 1 + ahead).is_some_and(|next| {
                        let next = &text.tokens[*next];
                        next.stem == *stem && next.sentence == token.sentence
                    })
                });
                if follows {
                    longest = length;
                    out.push(Hit { concept: *concept, from: at, to: visible[position + rest.len()] + 1 });
                }
            }
            if longest == 0 && text.foreign && !token.stop {
                self.foreign_hits(token, at, &mut out);
            }
        }
        out
    }

    /// The longest word beginning of another language.
    fn foreign_hits(&self, token: &Token, at: usize, out: &mut Vec<Hit>) {
        let word = token.folded.as_str();
        for length in (PREFIX_LETTERS_MIN..=word.len().min(self.prefix_letters)).rev() {
            if let Some(list) = word.get(..length).and_then(|prefix| self.prefixes.get(prefix)) {
                out.extend(list.iter().map(|concept| Hit { concept: *concept, from: at, to: at + 1 }));
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn met(text: &str) -> Vec<&'static str> {
        let concepts = &*CONCEPTS;
        concepts.hits(&tokens(text)).iter().map(|hit| concepts.names[usize::from(hit.concept)].as_str()).collect()
    }

    #[test]
    fn words_and_phrases_of_one_meaning_meet() {
        for text in
            ["it will go wrong", "this could blow up", "the plan fails", "Das Projekt wird scheitern und nicht gut"]
        {
            assert!(met(text).contains(&"failure"), "{text}: {:?}", met(text));
        }
    }

    #[test]
    fn every_line_is_a_family_and_none_is_empty() {
        for line in SOURCE.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
            let (name, members) = line.split_once(':').unwrap_or((line, ""));
            assert!(!members.trim().is_empty(), "no members: {line}");
            assert!(name.chars().all(|c| c.is_ascii_lowercase() || c == '_' || c == '.'), "name of a family: {name}");
        }
        assert!(CONCEPTS.names.len() >= 300, "{} families", CONCEPTS.names.len());
    }
}
