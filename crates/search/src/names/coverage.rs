//! Token coverage weighted by inverse document frequency (soft TF-IDF, Cohen et al. 2003): which tokens of the query the name has, and which
//! tokens of the name the query lacks.

use super::NameScope;
use super::entry::NameEntry;
use super::index::NameIndex;
use super::query_parser::{NameQuery, QueryToken, TermMatch};
use crate::postings::edit_distance::is_misspelling;
use crate::term_weight::CORRECTION_FREQUENCY_RATIO;

/// Share of the query's weight that a name mentioned in a longer query must have.
const MENTION_SHARE_MIN: f32 = 0.3;
/// The same for a name without a number, which may be ordinary words.
const WORDY_MENTION_SHARE_MIN: f32 = 0.5;
/// A name of one word is mentioned only in queries of at most this many content words …
const ONE_WORD_MENTION_TOKENS_MAX: usize = 2;
/// … and only if at most one in this many texts has the word: else it is an ordinary word.
const ONE_WORD_MENTION_RARITY: u32 = 100;
/// A word that more than one in so many items have in their names tells none of them apart: `mcp`, `server` …
const COMMON_WORD_SHARE: u32 = 10;
/// … where so many have it: a few items are no measure of what is common.
const COMMON_WORD_ITEMS_MIN: u32 = 20;
/// Keeps a share defined where nothing has a weight.
pub(super) const WEIGHT_MIN: f32 = 0.01;

/// How query and name cover each other.
#[derive(Debug, Default)]
pub(super) struct Coverage {
    /// Share of the query that is covered, 0 to 1, by weight.
    pub share: f32,
    /// Every content token of the query is in the name.
    pub complete: bool,
    /// Some token matched by a correction.
    pub fuzzy: bool,
    /// Numbers of the query that the name lacks.
    pub missing_numbers: usize,
    /// Some content token matched as it was typed: not completed, split or joined.
    pub as_typed: bool,
    /// Stop words of the query that the name has, and that it lacks.
    pub stop_words: usize,
    pub stop_words_missing: usize,
    /// Split tokens: glued in the query, apart in the name.
    pub split_tokens: u32,
    /// Unmatched tokens of the name: words, numbers, and those of vendor prefix and date.
    pub unmatched_words: usize,
    pub unmatched_numbers: usize,
    pub unmatched_affixes: usize,
}

impl Coverage {
    /// Whether the name matches. Who asks a question is no longer typing a name: there a completion alone is no match, and neither is
    /// `back up` for something called `backup`.
    pub(super) const fn is_match(&self) -> bool {
        self.complete && (self.as_typed || self.stop_words_missing == 0)
    }

    /// Every token of the base name is matched.
    pub(super) const fn matches_whole_base(&self) -> bool {
        self.unmatched_words + self.unmatched_numbers == 0
    }
}

#[derive(Debug, Default)]
struct MatchedTokens {
    /// By position.
    mask: u64,
    /// Numbers that are matched as parts of a version.
    version_numbers: u32,
    /// Those that the query token before matched.
    previous: u64,
}

impl MatchedTokens {
    const fn contains(&self, at: usize) -> bool {
        self.mask >> at & 1 == 1
    }

    fn add(&mut self, at: usize) {
        self.mask |= 1 << at;
    }
}

impl NameIndex {
    pub(super) fn coverage(&self, query: &NameQuery, entry: &NameEntry, scope: &NameScope<'_>) -> Coverage {
        let tokens = self.tokens(entry);
        let mut coverage = Coverage { complete: true, ..Coverage::default() };
        let mut matched = MatchedTokens::default();
        let mut covered_weight = 0.0;
        let (mut missing, mut missing_count) = (0, 0);
        for (at, token) in query.tokens.iter().enumerate() {
            let best = self.best_match(query, at, entry, &mut matched, &mut coverage);
            if !token.is_content {
                coverage.stop_words += usize::from(best.is_some());
                coverage.stop_words_missing += usize::from(best.is_none());
                continue;
            }
            covered_weight += token.idf * best.map_or(0.0, TermMatch::weight);
            coverage.complete &= best.is_some();
            let is_guessed = |best| matches!(best, TermMatch::Completion | TermMatch::Resegmented);
            coverage.as_typed |= best.is_some_and(|best| !is_guessed(best));
            coverage.fuzzy |= best.is_some_and(TermMatch::is_fuzzy);
            if best.is_none() {
                (missing, missing_count) = (at, missing_count + 1);
                coverage.missing_numbers += usize::from(token.is_number);
            }
        }
        if missing_count == 1
            && covered_weight > 0.0
            && let Some(at) = self.misspelt_token(query, missing, entry, &matched, scope)
        {
            matched.add(at);
            covered_weight += query.tokens[missing].idf * TermMatch::OneEdit.weight();
            (coverage.complete, coverage.fuzzy) = (true, true);
        }
        let versions = self.versions(entry);
        let mut weight = query.weight;
        for version in &query.versions {
            weight += version.weight;
            if version.term.is_some_and(|term| versions.contains(&term)) {
                covered_weight += version.weight;
            }
        }
        coverage.share = if weight > 0.0 { covered_weight / weight } else { 0.0 };
        let base = entry.base_range();
        let mut version_numbers = matched.version_numbers;
        for (at, token) in tokens.iter().enumerate().filter(|(at, _)| !matched.contains(*at)) {
            let is_number = self.words.word(*token).starts_with(|c: char| c.is_ascii_digit());
            if version_numbers > 0 && is_number {
                version_numbers -= 1;
            } else if !base.contains(&at) {
                coverage.unmatched_affixes += 1;
            } else if is_number {
                coverage.unmatched_numbers += 1;
            } else {
                coverage.unmatched_words += 1;
            }
        }
        coverage
    }

    /// The best match of a query token among the tokens and versions of a name.
    fn best_match(
        &self,
        query: &NameQuery,
        at: usize,
        entry: &NameEntry,
        matched: &mut MatchedTokens,
        coverage: &mut Coverage,
    ) -> Option<TermMatch> {
        let (tokens, versions) = (self.tokens(entry), self.versions(entry));
        let token = &query.tokens[at];
        let (mut best, mut taken) = (None, 0_u64);
        for (term, term_match) in &token.alternatives {
            // Each token of the name answers for one token of the query: `3 3` needs both numbers.
            let free = (0..tokens.len()).find(|at| tokens[*at] == *term && !matched.contains(*at));
            let better = Some(*term_match) > best;
            if let Some(free) = free.filter(|_| better) {
                best = Some(*term_match);
                taken = 1 << free;
            } else if better && versions.contains(term) {
                best = Some(*term_match);
                matched.version_numbers += 2;
            }
        }
        matched.mask |= taken;
        let apart = taken != 0 && matched.previous != 0 && taken != matched.previous << 1;
        coverage.split_tokens += u32::from(token.glued && apart);
        matched.previous = taken;
        if best.is_none() && !token.is_number {
            // A repeated word may be one of the name: only numbers must be there as often.
            let repeated = token.alternatives.iter().filter(|(term, _)| tokens.contains(term));
            best = repeated.map(|(_, term_match)| *term_match).max();
        }
        for joined in query.joined.iter().filter(|joined| joined.first == at || joined.first + 1 == at) {
            if best < Some(TermMatch::Resegmented)
                && let Some(here) = tokens.iter().position(|token| *token == joined.term)
            {
                best = Some(TermMatch::Resegmented);
                matched.add(here);
            }
        }
        best
    }

    /// The one token of a name that the query lacks, when the one word that the name lacks stands in its place and may be a misspelling
    /// of it. All the rest agrees, so that short and even known words are corrected, if they are much rarer.
    fn misspelt_token(
        &self,
        query: &NameQuery,
        missing: usize,
        entry: &NameEntry,
        matched: &MatchedTokens,
        scope: &NameScope<'_>,
    ) -> Option<usize> {
        let tokens = self.tokens(entry);
        let base = entry.base_range();
        let mut free = base.clone().filter(|at| !matched.contains(*at));
        let (at, None) = (free.next()?, free.next()) else { return None };
        let count = query.tokens.len();
        let in_place = (count == base.len() && missing == at - base.start) || (count == tokens.len() && missing == at);
        if !in_place {
            return None;
        }
        let word = query.name.key.get(query.tokens[missing].range.clone())?;
        let intended = self.words.word(tokens[at]);
        // Texts are counted by stems: a word that shares the stem of the intended one has no count of its own.
        let rarer = || scope.texts.doc_freq(word) * CORRECTION_FREQUENCY_RATIO <= scope.texts.doc_freq(intended);
        (is_misspelling(word, intended) && (scope.texts.same_stem(word, intended) || rarer())).then_some(at)
    }

    /// Whether a longer query mentions the whole base name, and the name is telling enough.
    pub(super) fn is_mentioned(&self, query: &NameQuery, entry: &NameEntry, scope: &NameScope<'_>) -> bool {
        let base = &self.tokens(entry)[entry.base_range()];
        // A completion is no mention; a correction is one in a name of several tokens.
        let counts = |term_match: TermMatch| match term_match {
            TermMatch::Exact => true,
            TermMatch::Resegmented | TermMatch::OneEdit => base.len() > 1,
            TermMatch::Completion | TermMatch::TwoEdits => false,
        };
        let stands_for = |token: &QueryToken, name_token: u32| {
            token.alternatives.iter().any(|(term, term_match)| *term == name_token && counts(*term_match))
        };
        let Some(start) = query
            .tokens
            .windows(base.len())
            .position(|tokens| tokens.iter().zip(base).all(|(token, name_token)| stands_for(token, *name_token)))
        else {
            return false;
        };
        let tokens = &query.tokens[start..start + base.len()];
        if let ([token], [name_token]) = (tokens, base) {
            let text_doc_freq = scope.texts.doc_freq(self.words.word(*name_token));
            let rare = text_doc_freq <= (scope.names.items / ONE_WORD_MENTION_RARITY).max(1);
            let short_query = query.content_tokens <= ONE_WORD_MENTION_TOKENS_MAX;
            return short_query && token.is_content && !token.is_number && rare;
        }
        let is_common = |name_token: &u32| {
            let doc_freq = scope.names.doc_freq(scope.map.merged(*name_token));
            doc_freq > (scope.names.items / COMMON_WORD_SHARE).max(COMMON_WORD_ITEMS_MIN)
        };
        if base.iter().all(is_common) {
            return false;
        }
        let weight = tokens.iter().filter(|token| token.is_content).map(|token| token.idf).sum::<f32>();
        let share = weight / query.known_weight.max(WEIGHT_MIN);
        let has_number = tokens.iter().any(|token| token.is_number);
        let share_min = if has_number { MENTION_SHARE_MIN } else { WORDY_MENTION_SHARE_MIN };
        tokens.iter().any(|token| token.is_content && !token.is_number) && share >= share_min
    }
}
