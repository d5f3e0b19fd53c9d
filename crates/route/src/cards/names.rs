//! Mentions of card names in a question (dictionary-based entity recognition), with negation by a window of words in front.
//!
//! A one-word name that is also an ordinary word ("smart", "rice") counts in full only when it is written in capitals, as names are, or
//! next to a word such as "method" or "analysis". [`near_name`] finds misspelt names.

use std::collections::BTreeMap;
use std::ops::Bound::{Included, Unbounded};

use serde::{Deserialize, Serialize};

use crate::Card;
use crate::cards::mention::{METHOD_WORDS, Name, SHORT_NAME_LETTERS_MAX, is_method_word};
use crate::cards::near_name;
use crate::text::{Token, TokenizedText, is_stop_word, tokenize};

pub(crate) use crate::cards::mention::{NameMention, is_all_names, is_all_of, is_clear, is_most_of};

#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct CardNames {
    /// Names by their first stem.
    by_first: BTreeMap<String, Vec<Name>>,
}

/// Words in front of a name that reject it.
const NEGATIONS: &[&str] = &[
    "not", "no", "without", "instead", "rather", "except", "beyond", "avoid", "dont", "isnt", "never", "hate",
    "against", "besides", "nicht", "kein", "pas", "sans", "sin", "nao", "niet", "geen", "non",
];
/// Words in front of a name that are searched for a negation.
const NEGATION_WINDOW: usize = 3;
/// In a question of so few words that says nothing else, names of [`SHORT_NAME_LETTERS_MAX`] letters are meant: `okr`, `do an adr`.
const SHORT_QUESTION_WORDS_MAX: usize = 3;
/// A shorter name of one word is not found in two words, which are rather these.
const PARTED_LETTERS_MIN: usize = 7;
/// Strength of a mention that may be an ordinary word.
const ORDINARY_STRENGTH: f32 = 0.12;

impl CardNames {
    /// Collects names, aliases and ids. `ordinary` tells whether a stem is an ordinary word of cards, `everyday` whether it is one of any text.
    pub(crate) fn new(cards: &[Card], ordinary: &dyn Fn(&str) -> bool, everyday: &dyn Fn(&str) -> bool) -> Self {
        let mut names = Self::default();
        for (card, entry) in cards.iter().enumerate() {
            let id_words = entry.id.replace('-', " ");
            let all = std::iter::once(entry.name.as_str())
                .chain(entry.aliases.iter().map(String::as_str))
                .chain([id_words.as_str()]);
            for written in all {
                for variant in variants(written) {
                    names.add(&variant, card as u32, ordinary, everyday);
                }
            }
        }
        names
    }

    fn add(&mut self, written: &str, card: u32, ordinary: &dyn Fn(&str) -> bool, everyday: &dyn Fn(&str) -> bool) {
        let tokens = tokenize(written).tokens;
        let is_everyday = |token: &Token| !is_method_word(token) && (token.stop || everyday(&token.stem));
        let everyday = tokens.len() > 1 && tokens.iter().all(is_everyday);
        let stems: Vec<String> = tokens.into_iter().map(|token| token.stem).collect();
        let Some(first) = stems.first().cloned() else { return };
        // People use an ordinary word without meaning the method; longer names are rarely used by chance.
        let is_short = first.len() <= SHORT_NAME_LETTERS_MAX;
        let ordinary = stems.len() == 1 && (ordinary(&first) || is_short || is_stop_word(&first));
        let list = self.by_first.entry(first).or_default();
        if !list.iter().any(|name| name.card == card && name.stems == stems) {
            list.push(Name { stems, card, ordinary, everyday, written: written.to_owned() });
            list.sort_by(|a, b| b.stems.len().cmp(&a.stems.len()).then(a.card.cmp(&b.card)));
        }
    }

    /// Whether every name is of one of so many cards.
    pub(crate) fn is_sound(&self, cards: usize) -> bool {
        self.by_first.values().flatten().all(|name| (name.card as usize) < cards)
    }

    /// The names that a question mentions, the clearest mention of each card. `is_known` tells whether the cards have a stem.
    pub(crate) fn find(
        &self,
        question: &str,
        text: &TokenizedText,
        is_known: &dyn Fn(&str) -> bool,
    ) -> Vec<NameMention> {
        let tokens = &text.tokens;
        let all_caps = question.chars().filter(|c| c.is_lowercase()).count() * 2
            < question.chars().filter(|c| c.is_uppercase()).count();
        let is_short_question = tokens.len() <= SHORT_QUESTION_WORDS_MAX;
        let mut out: Vec<NameMention> = Vec::new();
        for at in 0..tokens.len() {
            let in_full = self.by_first.get(&tokens[at].stem).into_iter().flatten().filter_map(|name| {
                let to = at + name.stems.len();
                let is_there =
                    to <= tokens.len() && (at..to).zip(&name.stems).all(|(at, stem)| tokens[at].stem == *stem);
                is_there.then_some((name, to))
            });
            let in_parts = self.in_parts(question, text, at).into_iter().flatten();
            let in_parts = in_parts.filter(|name| name.stems.len() == 1 && !name.ordinary).map(|name| (name, at + 2));
            for (name, to) in in_full.chain(in_parts) {
                let mut strength = 1.0;
                let mention = NameMention { card: name.card, strength, from: at, to, everyday: name.everyday };
                let is_short = name.stems[0].len() <= SHORT_NAME_LETTERS_MAX && !tokens[at].stop;
                let is_all = is_short && is_short_question && is_all_of(&mention, text);
                if name.ordinary
                    && !is_all
                    && !written_as_name(question, &tokens[at], name, all_caps)
                    && !beside_method(tokens, at, to)
                {
                    strength = ORDINARY_STRENGTH;
                }
                let before = &tokens[at.saturating_sub(NEGATION_WINDOW)..at];
                if before
                    .iter()
                    .any(|token| NEGATIONS.contains(&token.folded.as_str()) && token.sentence == tokens[at].sentence)
                {
                    strength = -strength;
                }
                let mention = NameMention { strength, ..mention };
                match out.iter_mut().find(|named| named.card == name.card) {
                    Some(named) if named.strength.abs() < strength.abs() => *named = mention,
                    Some(_) => {}
                    None => out.push(mention),
                }
            }
        }
        let is_found = out.iter().any(|mention| mention.strength < 0.0 || is_all_of(mention, text));
        if !is_found && let Some(near) = near_name::find(self.by_first.values().flatten(), text, is_known) {
            out.retain(|mention| mention.card != near.card);
            out.push(near);
        }
        without_parts(out)
    }

    /// The names that begin with the one word which two words from a place on make: `post-mortem`. Without a hyphen only where nothing else is
    /// said, because everyday words stand together by chance: a `steel man costume`.
    fn in_parts(&self, question: &str, text: &TokenizedText, at: usize) -> Option<&[Name]> {
        let [one, other] = text.tokens.get(at..at + 2)? else { return None };
        // Few words begin a name: only they are looked at further.
        let (next, _) = self.by_first.range::<str, _>((Included(one.folded.as_str()), Unbounded)).next()?;
        if !next.starts_with(&one.folded) || one.folded.len() + other.folded.len() < PARTED_LETTERS_MIN {
            return None;
        }
        let is_hyphenated = question.get(one.end..other.start) == Some("-");
        let whole = NameMention { card: 0, strength: 1.0, from: at, to: at + 2, everyday: false };
        if !is_hyphenated && !is_all_of(&whole, text) {
            return None;
        }
        let joined = tokenize(&format!("{}{}", one.folded, other.folded)).tokens.pop()?;
        self.by_first.get(&joined.stem).map(Vec::as_slice)
    }
}

/// The mentions that are no part of a longer one: who names the `multi-criteria decision analysis` does not name the `decision analysis`.
fn without_parts(mentions: Vec<NameMention>) -> Vec<NameMention> {
    let is_part = |part: &NameMention| {
        let is_within = |whole: &NameMention| {
            is_clear(whole)
                && whole.from <= part.from
                && part.to <= whole.to
                && part.to - part.from < whole.to - whole.from
        };
        mentions.iter().any(is_within)
    };
    mentions.iter().copied().filter(|mention| !is_part(mention)).collect()
}

/// A name with a slash or parentheses is several: "DACI / RAPID", "Jobs to Be Done (JTBD)".
fn variants(written: &str) -> Vec<String> {
    let mut out = vec![written.to_owned()];
    let plain: String =
        written.split(['(', ')']).map(str::trim).find(|part| !part.is_empty()).unwrap_or(written).to_owned();
    if plain != written {
        out.push(plain);
        out.extend(written.split(['(', ')']).skip(1).map(str::trim).filter(|part| part.len() >= 3).map(str::to_owned));
    }
    if written.contains(" / ") {
        out.extend(written.split(" / ").map(|part| part.trim().to_owned()));
    }
    out
}

/// Whether a token is in capitals as the name is, in a question that is not all in capitals.
fn written_as_name(question: &str, token: &Token, name: &Name, all_caps: bool) -> bool {
    let capitals = |text: &str| text.chars().filter(|c| c.is_uppercase()).count();
    let word = question.get(token.start..token.end).unwrap_or("");
    !all_caps && capitals(&name.written) >= 2 && capitals(word) >= 2
}

fn beside_method(tokens: &[Token], from: usize, to: usize) -> bool {
    let is_method = |at: usize| tokens.get(at).is_some_and(|token| METHOD_WORDS.contains(&token.stem.as_str()));
    is_method(to) || (from >= 1 && is_method(from - 1))
}
