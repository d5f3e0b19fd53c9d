//! Known-item search in a segment: which items does the query name? Candidates come from the sorted keys and from the inverted index of tokens; a
//! fuzzy fallback and "did you mean" compare trigrams of whole names (n-gram similarity, as `pg_trgm` does).

use super::hit::match_field;
use super::index::NameIndex;
use super::query_parser::NameQuery;
use super::scorer::{PREFIX_BYTES_MIN, PrefixRank, SIMILARITY_MIN};
use super::terms::TrigramQuery;
use super::trigrams::{dice_coefficient, similarity_at_least, trigrams};
use super::{NameHit, NameScope};
use crate::MatchKind;
use crate::postings::bitmap::ItemFilter;
use crate::postings::edit_distance::is_misspelling;

/// Names that are scored exactly of those that share tokens with a query. They are as many whatever number of hits is wanted, so that a
/// short list begins like a long one; other names that share a token are found by their texts.
pub(crate) const CANDIDATES: usize = 20;
/// Names taken from the sorted keys.
pub(crate) const SORTED_MAX: usize = 48;
/// Keys with the prefix that these are chosen from.
const SCANNED_MAX: usize = 256;
/// Keys with the prefix that are looked at where all are counted, or shown.
const BEGINNING_MAX: usize = 10_000;
/// From this similarity on, the fuzzy fallback takes a name for the one that was meant.
const FALLBACK_SIMILARITY_MIN: f32 = 0.6;
/// Shorter queries have too few trigrams for the fuzzy fallback.
const FALLBACK_CHARS_MIN: usize = 5;
/// Similarity counts half in a score: a fallback is worse than any match.
const FALLBACK_WEIGHT: f32 = 0.5;
/// Scores are rounded to this, so that sums of floats in another order do not decide.
const SCORE_STEPS: f32 = 1024.0;

/// A name that looks like a query.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SimilarName {
    /// Item of the segment.
    pub ordinal: u32,
    pub name: u32,
    /// Dice coefficient of trigrams, 0 to 1.
    pub similarity: f32,
}

impl NameIndex {
    /// Scores candidates of the segment: the items whose names match, each by its best name. The query is in the terms of the segment.
    pub(crate) fn score_candidates(
        &self,
        query: &NameQuery,
        mut names: Vec<u32>,
        scope: &NameScope<'_>,
    ) -> Vec<NameHit> {
        names.sort_unstable();
        names.dedup();
        let hits = names.into_iter().filter_map(|name| self.score(query, name, scope)).collect();
        best_by_item(hits)
    }

    /// Names that are a prefix or start with it, in the order of their keys: at most [`SCANNED_MAX`]. They are told from fixed-width
    /// records; reading the keys themselves would take longer than all else.
    pub(crate) fn with_key_prefix(
        &self,
        prefix: &str,
        scope: &NameScope<'_>,
    ) -> impl Iterator<Item = (PrefixRank, u32)> {
        let (bytes, filter) = (prefix.len(), scope.filter);
        let keys = self.sorted[self.with_prefix(prefix)].iter().take(SCANNED_MAX);
        keys.filter_map(move |key| {
            let item = self.index.layout.parents[key.name() as usize];
            filter.includes(item).then(|| (self.prefix_rank(*key, item, bytes), key.name()))
        })
    }

    /// Names that begin with the whole query, each of which matches, with their items; `None` when they are too many to be looked at.
    pub(crate) fn beginning_with(
        &self,
        query: &NameQuery,
        filter: ItemFilter<'_>,
    ) -> Option<impl Iterator<Item = (u32, u32)>> {
        let query_key = query.name.key.as_str();
        let keys = if query_key.len() < PREFIX_BYTES_MIN { 0..0 } else { self.with_prefix(query_key) };
        let names = self.sorted[keys].iter().map(|key| (key.name(), self.index.layout.parents[key.name() as usize]));
        (names.len() <= BEGINNING_MAX).then(|| names.filter(move |(_, item)| filter.includes(*item)))
    }

    /// Adds the tokens of a fuzzily matched name that a token of the query is a misspelling of.
    pub(crate) fn add_corrected(&self, query: &NameQuery, hit: &NameHit, corrected: &mut Vec<String>) {
        if hit.fuzzy {
            for token in self.tokens(&self.entry(hit.name)).iter().map(|token| self.words.word(*token)) {
                let query_words = || query.name.tokens.iter().map(|token| query.name.text(token));
                let new = !corrected.iter().any(|word| word == token) && !query_words().any(|word| word == token);
                if new && query_words().any(|word| is_misspelling(word, token)) {
                    corrected.push(token.to_owned());
                }
            }
        }
    }

    /// How much a name looks like a query; `None` when it hardly does.
    pub(crate) fn compare(&self, query: &TrigramQuery, name: u32) -> Option<SimilarName> {
        let key = self.key(name);
        // Most share few trigrams, and their lists need not be made. Hardly any name repeats a fifth of its trigrams.
        if similarity_at_least(&query.trigrams, key) < SIMILARITY_MIN * 0.8 {
            return None;
        }
        let similarity = dice_coefficient(query.trigrams.sorted(), &trigrams(key));
        (similarity >= SIMILARITY_MIN).then(|| SimilarName { ordinal: self.entry(name).ordinal, name, similarity })
    }

    /// The fuzzy fallback for a query without hits: a name that is very similar as a whole and has all its digits.
    pub(crate) fn fuzzy_fallback(&self, query: &TrigramQuery, similar: SimilarName) -> Option<NameHit> {
        let digits = |key: &str| key.chars().filter(char::is_ascii_digit).collect::<String>();
        let is_meant = query.key.chars().count() >= FALLBACK_CHARS_MIN
            && similar.similarity >= FALLBACK_SIMILARITY_MIN
            && digits(self.key(similar.name)) == digits(&query.key);
        is_meant.then(|| NameHit {
            ordinal: similar.ordinal,
            score: similar.similarity * FALLBACK_WEIGHT,
            field: match_field(self.entry(similar.name).kind),
            kind: MatchKind::Fuzzy,
            name: similar.name,
            fuzzy: true,
        })
    }

    pub(crate) fn add_tokens(&self, name: u32, words: &mut Vec<String>) {
        for token in self.tokens(&self.entry(name)) {
            let word = self.words.word(*token);
            if !words.iter().any(|other| other == word) {
                words.push(word.to_owned());
            }
        }
    }
}

/// The best name of each item, by item.
fn best_by_item(mut hits: Vec<NameHit>) -> Vec<NameHit> {
    for hit in &mut hits {
        hit.score = (hit.score * SCORE_STEPS).round() / SCORE_STEPS;
    }
    hits.sort_by(|a, b| a.ordinal.cmp(&b.ordinal).then(b.score.total_cmp(&a.score)));
    hits.dedup_by_key(|hit| hit.ordinal);
    hits
}
