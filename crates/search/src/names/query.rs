//! Known-item search: which items does the query name? Candidates come from the sorted keys and from the inverted index of tokens; a
//! fuzzy fallback and "did you mean" compare trigrams of whole names (n-gram similarity, as `pg_trgm` does).

use super::hit::match_field;
use super::index::{NameIndex, TRIGRAM_MARK};
use super::query_parser::{NameQuery, term_weight};
use super::scorer::SIMILARITY_MIN;
use super::spelling::{NormalisedName, dice_coefficient, trigrams};
use super::{NameHit, NameScope};
use crate::MatchKind;
use crate::postings::edit_distance::is_misspelling;
use crate::postings::tombstones::Tombstones;
use crate::postings::top_k::{QueryTerm, top_k};
use std::ops::Range;

/// Names that are scored exactly, beyond the number of hits that are wanted.
const EXTRA_CANDIDATES: usize = 10;
/// Names taken from the sorted keys.
const SORTED_MAX: usize = 48;
/// Trigrams that are looked up; the rarest are kept.
const TRIGRAMS_MAX: usize = 24;
/// Several names may belong to one item, so this many times as many similar names are compared.
const SIMILAR_NAMES_PER_ITEM: usize = 4;
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
    pub ordinal: u32,
    name: u32,
    /// Dice coefficient of trigrams, 0 to 1.
    pub similarity: f32,
}

impl NameIndex {
    /// The items whose names match the query, best first. Adds to `corrected` what misspelt words were corrected to.
    pub(crate) fn search(&self, text: &str, scope: &NameScope<'_>, corrected: &mut Vec<String>) -> Vec<NameHit> {
        let query = self.parse(text, scope);
        if query.name.key.is_empty() {
            return Vec::new();
        }
        let mut candidates = self.sorted_candidates(&query, scope);
        let terms = query.terms();
        if !terms.is_empty() {
            let found = top_k(&self.index, &terms, &scope.ranges, EXTRA_CANDIDATES + scope.limit, scope.tombstones);
            candidates.extend(found.best.into_iter().map(|doc| self.name_of_doc(doc.doc_id)));
        }
        candidates.sort_unstable();
        candidates.dedup();
        let hits = candidates.into_iter().filter_map(|name| self.score(&query, name, scope)).collect();
        let hits = best_by_item(hits, scope.limit);
        self.add_corrected(&query, &hits, corrected);
        hits
    }

    /// Adds the tokens of fuzzily matched names that a token of the query is a misspelling of.
    fn add_corrected(&self, query: &NameQuery, hits: &[NameHit], corrected: &mut Vec<String>) {
        for hit in hits.iter().filter(|hit| hit.fuzzy) {
            for token in self.tokens(&self.entry(hit.name)).iter().map(|token| self.dictionary.word(*token)) {
                let query_words = || query.name.tokens.iter().map(|token| query.name.text(token));
                let new = !corrected.iter().any(|word| word == token) && !query_words().any(|word| word == token);
                if new && query_words().any(|word| is_misspelling(word, token)) {
                    corrected.push(token.to_owned());
                }
            }
        }
    }

    /// "Did you mean": the items whose names are most similar to the query, best first.
    pub(crate) fn similar(
        &self,
        text: &str,
        ranges: &[Range<u32>],
        limit: usize,
        tombstones: &Tombstones,
    ) -> Vec<SimilarName> {
        let query = NormalisedName::new(text);
        let query_trigrams = trigrams(&query.key);
        let terms = self.trigram_terms(&query_trigrams);
        if terms.is_empty() {
            return Vec::new();
        }
        let count = EXTRA_CANDIDATES + limit * SIMILAR_NAMES_PER_ITEM;
        let found = top_k(&self.index, &terms, ranges, count, tombstones);
        let mut similar: Vec<SimilarName> = Vec::new();
        for doc in found.best {
            let name = self.name_of_doc(doc.doc_id);
            let similarity = dice_coefficient(&query_trigrams, &trigrams(self.key(name)));
            if similarity >= SIMILARITY_MIN {
                similar.push(SimilarName { ordinal: self.entry(name).ordinal, name, similarity });
            }
        }
        similar.sort_by(|a, b| {
            b.similarity.total_cmp(&a.similarity).then(a.ordinal.cmp(&b.ordinal)).then(a.name.cmp(&b.name))
        });
        let mut seen = Vec::new();
        similar.retain(|other| {
            let new = !seen.contains(&other.ordinal);
            seen.push(other.ordinal);
            new
        });
        similar.truncate(limit);
        similar
    }

    /// The rarest of some trigrams, weighted.
    fn trigram_terms(&self, trigrams: &[[char; 3]]) -> Vec<QueryTerm> {
        let mut rated: Vec<(u32, u32)> = Vec::new();
        let mut word = String::new();
        for trigram in trigrams {
            word.clear();
            word.push(TRIGRAM_MARK);
            word.extend(trigram);
            if let Some(term) = self.dictionary.find(&word) {
                rated.push((self.index.doc_freq(term), term));
            }
        }
        rated.sort_unstable();
        rated.truncate(TRIGRAMS_MAX);
        rated.iter().map(|(doc_freq, term)| QueryTerm::any_form(*term, term_weight(self.idf(*doc_freq), 1.0))).collect()
    }

    /// The fuzzy fallback for a query without hits: names very similar as a whole that have all its digits.
    pub(crate) fn fuzzy_fallback(
        &self,
        text: &str,
        scope: &NameScope<'_>,
        corrected: &mut Vec<String>,
    ) -> Vec<NameHit> {
        let query = NormalisedName::new(text);
        if query.key.chars().count() < FALLBACK_CHARS_MIN {
            return Vec::new();
        }
        let digits = |key: &str| key.chars().filter(char::is_ascii_digit).collect::<String>();
        let query_digits = digits(&query.key);
        let similar = self.similar(text, &scope.ranges, scope.limit, scope.tombstones).into_iter().filter(|similar| {
            similar.similarity >= FALLBACK_SIMILARITY_MIN && digits(self.key(similar.name)) == query_digits
        });
        let hits: Vec<NameHit> = similar
            .map(|similar| NameHit {
                ordinal: similar.ordinal,
                score: similar.similarity * FALLBACK_WEIGHT,
                field: match_field(self.entry(similar.name).kind),
                kind: MatchKind::Fuzzy,
                name: similar.name,
                fuzzy: true,
            })
            .collect();
        for token in hits.iter().flat_map(|hit| self.tokens(&self.entry(hit.name))) {
            let word = self.dictionary.word(*token);
            if !corrected.iter().any(|other| other == word) {
                corrected.push(word.to_owned());
            }
        }
        hits
    }

    /// Names that are the query or start with it.
    fn sorted_candidates(&self, query: &NameQuery, scope: &NameScope<'_>) -> Vec<u32> {
        const SCANNED_MAX: usize = 1024;
        let mut found = Vec::new();
        let (whole, base) = (query.name.key.as_str(), query.name.base_key());
        for key in std::iter::once(whole).chain((base != whole).then_some(base)) {
            let range = self.with_prefix(key);
            let names = self.sorted[range].iter().take(SCANNED_MAX).map(|sorted| sorted.name());
            let allowed = names.filter(|name| (scope.allowed)(self.entry(*name).ordinal));
            found.extend(allowed.take(SORTED_MAX));
        }
        found
    }
}

/// The best name of each item, best first; ties by ordinal.
fn best_by_item(mut hits: Vec<NameHit>, limit: usize) -> Vec<NameHit> {
    for hit in &mut hits {
        hit.score = (hit.score * SCORE_STEPS).round() / SCORE_STEPS;
    }
    hits.sort_by(|a, b| a.ordinal.cmp(&b.ordinal).then(b.score.total_cmp(&a.score)));
    hits.dedup_by_key(|hit| hit.ordinal);
    hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.ordinal.cmp(&b.ordinal)));
    hits.truncate(limit);
    hits
}
