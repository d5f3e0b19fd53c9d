//! The name query parser: analyses a query as a name into tokens, and looks up which terms of the index may stand for each of them.
//!
//! A token stands for itself, for what completes it (the last one), for a version (`45` for `4.5`), for the known tokens it is made of
//! (`flashlite`: decompounding), or, when nothing knows it, for its corrections. A number is never corrected: `4.1` and `4.5` are two
//! models.

use super::NameTerms;
use super::spelling::{NormalisedName, Separator, Separators};
use super::trigrams::{Trigram, trigrams};
use crate::fulltext::TextTerms;
use crate::postings::edit_distance::max_edits;
use crate::postings::term_map::TermMap;
use crate::postings::top_k::QueryTerm;
use crate::term_weight::{
    COMPLETIONS_MAX, COMPLETIONS_SCANNED_MAX, CORRECTION_FREQUENCY_RATIO, CORRECTIONS_MAX, ONE_EDIT_WEIGHT,
    TWO_EDITS_WEIGHT, term_weight,
};
use crate::text::is_stop_word;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// Inverse document frequency of a word that no name has, where the share of a mentioned name in the query is computed: most of a
/// question is such words, and they must not outweigh the name.
const UNKNOWN_IDF: f32 = 1.5;
/// Tokens of a long query that are looked up; the rarest are kept.
const LOOKED_UP_MAX: usize = 8;
/// A word that no name has and at most so many texts is likely misspelt there, too.
const RARE_TEXTS_MAX: u32 = 2;
/// Parts that a compound is split into.
const COMPOUND_PARTS_MAX: usize = 3;
/// Letters of a part.
const COMPOUND_PART_CHARS_MIN: usize = 3;
/// A version weighs half of what its term would: its numbers are counted already.
const VERSION_WEIGHT: f32 = 0.5;
/// Two tokens found as one term weigh nearly as much as both.
const JOINED_WEIGHT: f32 = 1.9;

/// How a term stands for a token of the query, from the weakest match to the strongest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TermMatch {
    /// Corrected by two edits.
    TwoEdits,
    /// Corrected by one edit.
    OneEdit,
    /// Completes the last token.
    Completion,
    /// The same letters cut into other tokens.
    Resegmented,
    /// The token itself.
    Exact,
}

impl TermMatch {
    /// The match weight, 0 to 1: how much of the token's weight the term counts for.
    pub(super) const fn weight(self) -> f32 {
        match self {
            Self::TwoEdits => TWO_EDITS_WEIGHT,
            Self::OneEdit => ONE_EDIT_WEIGHT,
            Self::Completion => 0.8,
            Self::Resegmented => 0.95,
            Self::Exact => 1.0,
        }
    }

    pub(super) const fn is_fuzzy(self) -> bool {
        matches!(self, Self::OneEdit | Self::TwoEdits)
    }
}

#[derive(Debug, Default, Clone)]
pub(super) struct QueryToken {
    pub idf: f32,
    pub is_number: bool,
    /// Some name has it as it stands.
    pub is_known: bool,
    /// Not a stop word: it must be matched.
    pub is_content: bool,
    /// Directly behind the token before.
    pub glued: bool,
    /// Its byte range in the key of the query; empty for a part of a compound.
    pub range: Range<usize>,
    /// Terms that stand for it.
    pub alternatives: Vec<(u32, TermMatch)>,
}

/// Two neighbouring tokens that are one term together: `deep seek`.
#[derive(Debug, Clone, Copy)]
pub(super) struct JoinedTokens {
    /// Position of the first token.
    pub first: usize,
    pub term: u32,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct QueryVersion {
    /// Its term, if some name has it.
    pub term: Option<u32>,
    pub weight: f32,
}

#[derive(Debug)]
pub(crate) struct NameQuery {
    pub(super) name: Arc<NormalisedName>,
    /// Those of the key, once a name is compared with it.
    trigrams: Arc<OnceLock<Vec<Trigram>>>,
    pub(super) separators: Separators,
    /// The separator that the query ends with: more of the name is to come.
    pub(super) trailing_separator: Option<char>,
    pub(super) tokens: Vec<QueryToken>,
    pub(super) joined: Vec<JoinedTokens>,
    pub(super) versions: Vec<QueryVersion>,
    /// Sum of the content tokens' weights.
    pub(super) weight: f32,
    /// The same with little weight for words that no name has.
    pub(super) known_weight: f32,
    pub(super) content_tokens: usize,
}

impl NameTerms {
    /// Parses a query, given with its normal form; `texts` are the words of texts.
    pub(crate) fn parse(&self, text: &str, name: Arc<NormalisedName>, texts: &TextTerms) -> NameQuery {
        let single_word = !text.trim().contains(char::is_whitespace);
        let mut tokens = self.parse_tokens(text, &name, single_word, texts);
        if tokens.iter().all(|token| !token.is_content) {
            for token in &mut tokens {
                token.is_content = true;
            }
        }
        let joined = self.joined_tokens(&name);
        let versions: Vec<QueryVersion> = name
            .versions()
            .map(|version| {
                let term = self.dictionary.find(&version);
                let doc_freq = term.map_or(0, |term| self.doc_freq(term));
                QueryVersion { term, weight: self.idf(doc_freq) * VERSION_WEIGHT }
            })
            .collect();
        let content_tokens = tokens.iter().filter(|token| token.is_content).count();
        let content = || tokens.iter().filter(|token| token.is_content);
        let weight = content().map(|token| token.idf).sum();
        let known = |token: &QueryToken| {
            if token.alternatives.is_empty() { token.idf.min(UNKNOWN_IDF) } else { token.idf }
        };
        let known_weight = content().map(known).sum();
        let ends_with_number = name.tokens.last().is_some_and(|token| token.is_number);
        let trailing_separator =
            text.trim().chars().next_back().filter(|c| {
                single_word && (matches!(c, '-' | '_' | '/' | ':' | '@') || (*c == '.' && ends_with_number))
            });
        let separators = name.separators();
        NameQuery {
            name,
            trigrams: Arc::default(),
            separators,
            trailing_separator,
            tokens,
            joined,
            versions,
            weight,
            known_weight,
            content_tokens,
        }
    }

    fn parse_tokens(&self, text: &str, name: &NormalisedName, single_word: bool, texts: &TextTerms) -> Vec<QueryToken> {
        let mut tokens: Vec<QueryToken> = Vec::with_capacity(name.tokens.len());
        let half_typed = text.trim_end().ends_with(char::is_alphanumeric);
        for (at, name_token) in name.tokens.iter().enumerate() {
            let word = name.text(name_token);
            let last = half_typed && at + 1 == name.tokens.len();
            let glued = name_token.separator == Separator::None;
            let mut token = QueryToken {
                is_number: name_token.is_number,
                glued,
                is_content: single_word || !is_stop_word(word),
                range: name_token.range.clone(),
                ..QueryToken::default()
            };
            let known = self.dictionary.find(word);
            token.idf = self.idf(known.map_or(0, |term| self.doc_freq(term)));
            token.is_known = known.is_some();
            token.alternatives.extend(known.map(|term| (term, TermMatch::Exact)));
            if token.is_number {
                if glued {
                    self.add_versions(word, &mut token);
                }
                tokens.push(token);
                continue;
            }
            if last && word.chars().nth(1).is_some() {
                self.add_completions(word, &mut token);
            }
            if token.alternatives.is_empty() {
                let parts = self.split_compound(word, COMPOUND_PARTS_MAX);
                let edits = self.add_corrections(word, texts, &mut token);
                // One typo is likelier than two names written without a space.
                if let Some(parts) = parts.filter(|_| edits != Some(1)) {
                    tokens.extend(parts.into_iter().map(|term| QueryToken {
                        idf: self.term_idf(term),
                        is_content: true,
                        alternatives: vec![(term, TermMatch::Resegmented)],
                        ..QueryToken::default()
                    }));
                    continue;
                }
            }
            tokens.push(token);
        }
        tokens
    }

    /// `45` in `sonnet45` may be `4.5`.
    fn add_versions(&self, number: &str, token: &mut QueryToken) {
        if !(2..=4).contains(&number.len()) {
            return;
        }
        for at in 1..number.len() {
            let version = format!("{}.{}", &number[..at], &number[at..]);
            if let Some(term) = self.dictionary.find(&version) {
                token.alternatives.push((term, TermMatch::Resegmented));
                token.idf = token.idf.min(self.term_idf(term));
            }
        }
    }

    fn add_completions(&self, word: &str, token: &mut QueryToken) {
        let known = token.alternatives.first().map(|(term, _)| *term);
        let mut found: Vec<u32> = self
            .dictionary
            .with_prefix(word)
            .take(COMPLETIONS_SCANNED_MAX)
            .filter(|term| Some(*term) != known)
            .collect();
        found.sort_by_key(|term| u32::MAX - self.doc_freq(*term));
        found.truncate(COMPLETIONS_MAX);
        if known.is_none() && !found.is_empty() {
            token.idf = self.idf(found.iter().map(|term| self.doc_freq(*term)).sum());
        }
        token.alternatives.extend(found.into_iter().map(|term| (term, TermMatch::Completion)));
    }

    /// Adds corrections of a word that no name has; returns their number of edits, if there are any.
    fn add_corrections(&self, word: &str, texts: &TextTerms, token: &mut QueryToken) -> Option<u8> {
        if max_edits(word) == 0 {
            return None;
        }
        let text_doc_freq = texts.doc_freq(word);
        if text_doc_freq > RARE_TEXTS_MAX {
            return None;
        }
        let (edits, mut found) = self.dictionary.fuzzy(word);
        found.retain(|term| self.doc_freq(*term) >= text_doc_freq * CORRECTION_FREQUENCY_RATIO);
        if found.is_empty() {
            return None;
        }
        found.sort_by_key(|term| u32::MAX - self.doc_freq(*term));
        found.truncate(CORRECTIONS_MAX);
        token.idf = self.idf(found.iter().map(|term| self.doc_freq(*term)).sum());
        let term_match = if edits == 1 { TermMatch::OneEdit } else { TermMatch::TwoEdits };
        token.alternatives.extend(found.into_iter().map(|term| (term, term_match)));
        Some(edits)
    }

    /// `flashlite` as `flash` and `lite`: at most `parts` known tokens, the first as long as possible.
    fn split_compound(&self, word: &str, parts: usize) -> Option<Vec<u32>> {
        if parts < 2 || word.len() < 2 * COMPOUND_PART_CHARS_MIN || !word.is_ascii() {
            return None;
        }
        (COMPOUND_PART_CHARS_MIN..=word.len() - COMPOUND_PART_CHARS_MIN).rev().find_map(|at| {
            let head = self.dictionary.find(&word[..at])?;
            let tail = match self.dictionary.find(&word[at..]) {
                Some(tail) => vec![tail],
                None => self.split_compound(&word[at..], parts - 1)?,
            };
            Some(std::iter::once(head).chain(tail).collect())
        })
    }

    fn joined_tokens(&self, name: &NormalisedName) -> Vec<JoinedTokens> {
        let mut joined = Vec::new();
        for (first, pair) in name.tokens.windows(2).enumerate() {
            if !pair[0].is_number && !pair[1].is_number {
                let together = &name.key[pair[0].range.start..pair[1].range.end];
                joined.extend(self.dictionary.find(together).map(|term| JoinedTokens { first, term }));
            }
        }
        joined
    }
}

impl NameQuery {
    /// Whether nothing of the query is left to be a name.
    pub(crate) fn is_empty(&self) -> bool {
        self.name.key.is_empty()
    }

    /// The keys that a name may begin with.
    pub(crate) fn prefixes(&self) -> impl Iterator<Item = &str> {
        self.name.keys()
    }

    /// The trigrams of its key.
    pub(super) fn trigrams(&self) -> &[Trigram] {
        self.trigrams.get_or_init(|| trigrams(&self.name.key))
    }

    /// The query in the terms of a segment; what it lacks is left out.
    pub(crate) fn in_segment(&self, map: &TermMap) -> Self {
        let token = |token: &QueryToken| {
            let local = |(term, how): &(u32, TermMatch)| Some((map.local(*term)?, *how));
            QueryToken {
                alternatives: token.alternatives.iter().filter_map(local).collect(),
                range: token.range.clone(),
                ..*token
            }
        };
        let joined = |joined: &JoinedTokens| Some(JoinedTokens { term: map.local(joined.term)?, ..*joined });
        let version =
            |version: &QueryVersion| QueryVersion { term: version.term.and_then(|term| map.local(term)), ..*version };
        Self {
            name: Arc::clone(&self.name),
            trigrams: Arc::clone(&self.trigrams),
            tokens: self.tokens.iter().map(token).collect(),
            joined: self.joined.iter().filter_map(joined).collect(),
            versions: self.versions.iter().map(version).collect(),
            ..*self
        }
    }

    /// The terms to look up in the index, each once.
    pub(crate) fn terms(&self) -> Vec<QueryTerm> {
        let mut terms: Vec<QueryTerm> = Vec::new();
        let mut content: Vec<&QueryToken> =
            self.tokens.iter().filter(|token| token.is_content && !token.alternatives.is_empty()).collect();
        if content.len() > LOOKED_UP_MAX {
            content.sort_by(|a, b| b.idf.total_cmp(&a.idf));
            content.truncate(LOOKED_UP_MAX);
        }
        let tokens = content.into_iter().flat_map(|token| {
            let alternatives = token.alternatives.iter();
            alternatives.map(|(term, term_match)| (*term, term_weight(token.idf, term_match.weight())))
        });
        let joined = self.joined.iter().map(|joined| {
            let idf = self.tokens.get(joined.first).map_or(1.0, |token| token.idf);
            (joined.term, term_weight(idf, JOINED_WEIGHT))
        });
        let versions =
            self.versions.iter().filter_map(|version| Some((version.term?, term_weight(version.weight, 1.0))));
        for (term, weight) in tokens.chain(joined).chain(versions) {
            match terms.iter_mut().find(|other| other.term == term) {
                Some(other) => other.weight = other.weight.max(weight),
                None => terms.push(QueryTerm::any_form(term, weight)),
            }
        }
        terms
    }
}
