//! Reads a query as a name: its pieces, what may stand for each of them, and what each weighs.
//!
//! A piece stands for itself, for what completes it (the last one), for a version (`45` for `4.5`), for the known pieces
//! it is made of (`flashlite`), or, when nothing knows it, for its corrections. A number is never corrected.

use super::collect::Clause;
use super::dictionary::edits_for;
use super::name_query::Scope;
use super::names::Names;
use super::spelling::{Gap, Spelling, trigrams};
use super::stop::is_question_word;
use std::ops::Range;

/// Pieces that complete the last one.
const COMPLETIONS_MAX: usize = 8;
/// Pieces that correct a misspelt one.
const CORRECTIONS_MAX: usize = 4;
/// How sure a piece is that completes the last one.
pub(super) const COMPLETED: f32 = 0.8;
/// How sure a piece is that was corrected by one edit, or by two.
pub(super) const CORRECTED_ONCE: f32 = 0.75;
pub(super) const CORRECTED_TWICE: f32 = 0.5;
/// How sure pieces are that were taken apart or put together.
pub(super) const RECUT: f32 = 0.95;
/// Weight of a word that no name has, when the share of a mentioned name is told.
const STRANGER_IDF: f32 = 1.5;
/// Pieces of a long question that are looked up; the rarest are kept.
const LOOKED_UP_MAX: usize = 8;
/// A word that no name has and at most so many texts is likely misspelt there, too.
const RARE_TEXTS_MAX: u32 = 2;
/// A correction is that many times as frequent as the word it corrects.
pub(super) const CORRECTION_TIMES: u32 = 8;

/// A piece of the query.
#[derive(Debug, Default)]
pub(super) struct Item {
    pub idf: f32,
    pub number: bool,
    pub content: bool,
    /// Directly behind the item before.
    pub glued: bool,
    /// Its bytes in the squashed query; empty for a part of a word.
    pub range: Range<usize>,
    /// Pieces that stand for it, with how well.
    pub alternatives: Vec<(u32, f32)>,
}

/// A query, read as a name.
#[derive(Debug)]
pub(super) struct Question {
    pub spelling: Spelling,
    pub breaks: u64,
    /// Ends with a separator: more of the name is to come.
    pub unfinished: Option<char>,
    pub items: Vec<Item>,
    /// (first of two items, the piece that both make together)
    pub joined: Vec<(usize, u32)>,
    pub versions: Vec<(Option<u32>, f32)>,
    pub weight: f32,
    /// Likewise, with words that no name has counting little.
    pub named_weight: f32,
    pub contents: usize,
    pub trigrams: Vec<[char; 3]>,
}

impl Names {
    /// Reads a query.
    pub(super) fn question(&self, text: &str, scope: &Scope<'_>) -> Question {
        let spelling = Spelling::of(text);
        let mut items: Vec<Item> = Vec::with_capacity(spelling.pieces.len());
        let one_word = !text.trim().contains(char::is_whitespace);
        let count = spelling.pieces.len();
        let open = text.trim_end().ends_with(char::is_alphanumeric);
        for (at, piece) in spelling.pieces.iter().enumerate() {
            let word = spelling.text(piece);
            let last = open && at + 1 == count;
            let glued = piece.gap == Gap::Glued;
            let mut item = Item {
                number: piece.number,
                glued,
                content: one_word || !is_question_word(word),
                range: piece.range.clone(),
                ..Item::default()
            };
            let known = self.dictionary.find(word);
            item.idf = self.idf(known.map_or(0, |term| self.index.items(term)));
            item.alternatives.extend(known.map(|term| (term, 1.0)));
            if piece.number {
                if piece.gap == Gap::Glued {
                    self.add_versions(word, &mut item);
                }
            } else {
                if last && word.chars().nth(1).is_some() {
                    self.add_completions(word, &mut item);
                }
                if item.alternatives.is_empty() {
                    let parts = self.split(word, 3);
                    let edits = self.add_corrections(word, scope, &mut item);
                    // One slip of the finger is likelier than two names without a blank.
                    if let Some(parts) = parts.filter(|_| edits != Some(1)) {
                        items.extend(parts.into_iter().map(|term| Item {
                            idf: self.idf(self.index.items(term)),
                            content: true,
                            alternatives: vec![(term, RECUT)],
                            ..Item::default()
                        }));
                        continue;
                    }
                }
            }
            items.push(item);
        }
        if items.iter().all(|item| !item.content) {
            for item in &mut items {
                item.content = true;
            }
        }
        let joined = self.joined(&spelling);
        let versions: Vec<(Option<u32>, f32)> = spelling
            .versions()
            .map(|version| {
                let term = self.dictionary.find(&version);
                (term, self.idf(term.map_or(0, |term| self.index.items(term))) / 2.0)
            })
            .collect();
        let contents = items.iter().filter(|item| item.content).count();
        let content = || items.iter().filter(|item| item.content);
        let weight = content().map(|item| item.idf).sum();
        let in_names = |item: &Item| if item.alternatives.is_empty() { item.idf.min(STRANGER_IDF) } else { item.idf };
        let named_weight = content().map(in_names).sum();
        let trigrams = trigrams(&spelling.squashed);
        let text = text.trim();
        let versioned = spelling.pieces.last().is_some_and(|piece| piece.number);
        let unfinished = text.chars().next_back().filter(|c| {
            let one_word = !text.contains(char::is_whitespace);
            one_word && (matches!(c, '-' | '_' | '/' | ':' | '@') || (*c == '.' && versioned))
        });
        let breaks = spelling.breaks();
        Question { spelling, breaks, unfinished, items, joined, versions, weight, named_weight, contents, trigrams }
    }

    /// `45` in `sonnet45` may be `4.5`.
    fn add_versions(&self, number: &str, item: &mut Item) {
        if !(2..=4).contains(&number.len()) {
            return;
        }
        for at in 1..number.len() {
            let version = format!("{}.{}", &number[..at], &number[at..]);
            if let Some(term) = self.dictionary.find(&version) {
                item.alternatives.push((term, RECUT));
                item.idf = item.idf.min(self.idf(self.index.items(term)));
            }
        }
    }

    fn add_completions(&self, word: &str, item: &mut Item) {
        const SCANNED_MAX: usize = 512;
        let known = item.alternatives.first().map(|(term, _)| *term);
        let mut found: Vec<u32> =
            self.dictionary.with_prefix(word).take(SCANNED_MAX).filter(|t| Some(*t) != known).collect();
        found.sort_by_key(|term| u32::MAX - self.index.items(*term));
        found.truncate(COMPLETIONS_MAX);
        if known.is_none() && !found.is_empty() {
            item.idf = self.idf(found.iter().map(|term| self.index.items(*term)).sum());
        }
        item.alternatives.extend(found.into_iter().map(|term| (term, COMPLETED)));
    }

    /// Adds what a word that no name has may be meant for; returns the number of edits, when there is something.
    fn add_corrections(&self, word: &str, scope: &Scope<'_>, item: &mut Item) -> Option<u8> {
        if edits_for(word) == 0 {
            return None;
        }
        let in_texts = (scope.in_texts)(word);
        if in_texts > RARE_TEXTS_MAX {
            return None;
        }
        let (edits, mut near) = self.dictionary.near(word);
        near.retain(|term| self.index.items(*term) >= in_texts * CORRECTION_TIMES);
        if near.is_empty() {
            return None;
        }
        near.sort_by_key(|term| u32::MAX - self.index.items(*term));
        near.truncate(CORRECTIONS_MAX);
        item.idf = self.idf(near.iter().map(|term| self.index.items(*term)).sum());
        let sureness = if edits == 1 { CORRECTED_ONCE } else { CORRECTED_TWICE };
        item.alternatives.extend(near.into_iter().map(|term| (term, sureness)));
        Some(edits)
    }

    /// `flashlite` as `flash` and `lite`: at most `parts` known pieces of three letters or more.
    fn split(&self, word: &str, parts: usize) -> Option<Vec<u32>> {
        const LETTERS_MIN: usize = 3;
        if parts < 2 || word.len() < 2 * LETTERS_MIN || !word.is_ascii() {
            return None;
        }
        (LETTERS_MIN..=word.len() - LETTERS_MIN).rev().find_map(|at| {
            let head = self.dictionary.find(&word[..at])?;
            let tail = match self.dictionary.find(&word[at..]) {
                Some(tail) => vec![tail],
                None => self.split(&word[at..], parts - 1)?,
            };
            Some(std::iter::once(head).chain(tail).collect())
        })
    }

    /// Neighbouring pieces of letters that make one known piece: `deep seek`.
    fn joined(&self, spelling: &Spelling) -> Vec<(usize, u32)> {
        let mut joined = Vec::new();
        for (at, pair) in spelling.pieces.windows(2).enumerate() {
            if !pair[0].number && !pair[1].number {
                let together = &spelling.squashed[pair[0].range.start..pair[1].range.end];
                joined.extend(self.dictionary.find(together).map(|term| (at, term)));
            }
        }
        joined
    }
}

impl Question {
    /// What is looked up in the index for it.
    pub(super) fn clauses(&self) -> Vec<Clause> {
        let mut clauses: Vec<Clause> = Vec::new();
        let mut content: Vec<&Item> =
            self.items.iter().filter(|item| item.content && !item.alternatives.is_empty()).collect();
        if content.len() > LOOKED_UP_MAX {
            content.sort_by(|a, b| b.idf.total_cmp(&a.idf));
            content.truncate(LOOKED_UP_MAX);
        }
        let pairs = content
            .into_iter()
            .flat_map(|item| item.alternatives.iter().map(|(term, sure)| (*term, weight(item.idf, *sure))));
        let joined =
            self.joined.iter().map(|(at, term)| (*term, weight(self.items.get(*at).map_or(1.0, |i| i.idf), 1.9)));
        let versions = self.versions.iter().filter_map(|(term, idf)| term.map(|term| (term, weight(*idf, 1.0))));
        for (term, weight) in pairs.chain(joined).chain(versions) {
            match clauses.iter_mut().find(|clause| clause.term == term) {
                Some(clause) => clause.weight = clause.weight.max(weight),
                None => clauses.push(Clause::plain(term, weight)),
            }
        }
        clauses
    }
}

/// The integer weight of a term.
pub(super) fn weight(idf: f32, factor: f32) -> u32 {
    (idf * factor * 64.0).round().max(1.0) as u32
}
