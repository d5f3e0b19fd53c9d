//! A thesaurus for concept-based indexing: classes of ordinary words and phrases that mean the same when a problem is described, so that
//! "go wrong", "fail" and "blow up" are all *failure*. General English, with word prefixes of other languages; it never names a card.
//! The classes are in `concepts.txt`, whose head explains the format.
//!
//! Not here: weights ([`crate::cards::index`]). A *setting* (a line with a leading dot) says where a question plays, not what it asks.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::{Token, TokenizedText, fold, tokenize};
use crate::data::THESAURUS;
use refdesk_core::text::listed_lines;

/// Word prefixes of other languages are at least this long.
const PREFIX_LETTERS_MIN: usize = 4;

/// An occurrence of a concept in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ConceptMatch {
    /// Position of the concept in [`Concepts::names`].
    pub concept: u16,
    /// First token.
    pub from: usize,
    /// Token after the last.
    pub to: usize,
}

/// The thesaurus, ready for matching.
#[derive(Debug, Default)]
pub(crate) struct Concepts {
    /// Names, by number.
    pub names: Vec<String>,
    /// Whether it is a setting, by number.
    pub setting: Vec<bool>,
    /// From the first stem of a phrase to the other stems and the concept.
    phrases: HashMap<String, Vec<(Vec<String>, u16)>>,
    /// The stems of all phrases.
    stems: HashSet<String>,
    /// From the prefix of a word of another language to concepts.
    prefixes: HashMap<String, Vec<u16>>,
    /// Bytes of the longest prefix.
    prefix_bytes_max: usize,
}

pub(crate) static CONCEPTS: LazyLock<Concepts> = LazyLock::new(|| Concepts::parse(THESAURUS));

impl Concepts {
    /// Parses a thesaurus; malformed lines are skipped (a test asserts that there are none).
    pub(crate) fn parse(source: &str) -> Self {
        let mut concepts = Self::default();
        let mut numbers: HashMap<String, u16> = HashMap::new();
        for line in listed_lines(source).map(str::trim) {
            let Some((name, members)) = line.split_once(':') else { continue };
            let setting = name.starts_with('.');
            let name = name.trim_start_matches('.').trim();
            // A class may continue on further lines of the same name.
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
                let prefix = fold(prefix);
                concepts.prefix_bytes_max = concepts.prefix_bytes_max.max(prefix.len());
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
        let mut stems = tokenize(phrase).tokens.into_iter().filter(|token| !token.transparent).map(|token| token.stem);
        if let Some(first) = stems.next() {
            let rest: Vec<String> = stems.collect();
            self.stems.extend(rest.iter().chain([&first]).cloned());
            self.phrases.entry(first).or_default().push((rest, number));
        }
    }

    /// Whether a stem alone belongs to a concept.
    pub(crate) fn contains(&self, stem: &str) -> bool {
        self.phrases.get(stem).is_some_and(|list| list.iter().any(|(rest, _)| rest.is_empty()))
    }

    /// Whether a stem is part of a phrase: its word is not a misspelt one.
    pub(crate) fn knows(&self, stem: &str) -> bool {
        self.stems.contains(stem)
    }

    /// All matches in a text. Of the phrases that start at one word the longest counts, in all its concepts.
    pub(crate) fn find(&self, text: &TokenizedText) -> Vec<ConceptMatch> {
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
                    out.push(ConceptMatch { concept: *concept, from: at, to: visible[position + rest.len()] + 1 });
                }
            }
            if longest == 0 && text.foreign && !token.stop {
                self.match_prefix(token, at, &mut out);
            }
        }
        out
    }

    /// Matches the longest word prefix of another language.
    fn match_prefix(&self, token: &Token, at: usize, out: &mut Vec<ConceptMatch>) {
        let word = token.folded.as_str();
        for length in (PREFIX_LETTERS_MIN..=word.len().min(self.prefix_bytes_max)).rev() {
            if let Some(list) = word.get(..length).and_then(|prefix| self.prefixes.get(prefix)) {
                out.extend(list.iter().map(|concept| ConceptMatch { concept: *concept, from: at, to: at + 1 }));
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&'static str> {
        let concepts = &*CONCEPTS;
        concepts.find(&tokenize(text)).iter().map(|found| concepts.names[usize::from(found.concept)].as_str()).collect()
    }

    #[test]
    fn words_and_phrases_of_one_meaning_are_one_concept() {
        for text in
            ["it will go wrong", "this could blow up", "the plan fails", "Das Projekt wird scheitern und nicht gut"]
        {
            assert!(found(text).contains(&"failure"), "{text}: {:?}", found(text));
        }
    }

    #[test]
    fn every_line_is_a_concept_with_members() {
        for line in listed_lines(THESAURUS) {
            let (name, members) = line.split_once(':').unwrap_or((line, ""));
            assert!(!members.trim().is_empty(), "no members: {line}");
            assert!(name.chars().all(|c| c.is_ascii_lowercase() || c == '_' || c == '.'), "name of a concept: {name}");
            let prefixes = members.split_once('|').map_or("", |(_, prefixes)| prefixes);
            let short = prefixes.split_whitespace().find(|prefix| fold(prefix).len() < PREFIX_LETTERS_MIN);
            assert_eq!(short, None, "never looked up: {line}");
        }
        assert!(CONCEPTS.names.len() >= 300, "{} concepts", CONCEPTS.names.len());
    }
}
