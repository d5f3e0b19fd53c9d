//! The name scorer: one name against one query, and whether it matches at all.
//!
//! A name matches that the query spells, starts, covers with all its tokens, or mentions. Score bands keep these apart: whole name about
//! 2, base name 1.8, prefix 1.3, and coverage, the matched share of the query by inverse document frequency, from 0 to about 1.4.
//! Within a band, bonuses and penalties decide. All constants were fitted on labelled spellings (see `docs/search-quality.md`); what
//! matters is their order.

use super::coverage::{Coverage, WEIGHT_MIN};
use super::entry::{NameEntry, SortedKey};
use super::hit::match_field;
use super::index::NameIndex;
use super::query_parser::{NameQuery, QueryToken};
use super::trigrams::{dice_coefficient, trigrams};
use super::{NameHit, NameScope};
use crate::postings::edit_distance::is_misspelling;
use crate::{MatchKind, NameKind};

/// Below this similarity two names are not alike.
pub(super) const SIMILARITY_MIN: f32 = 0.35;

/// The query is the whole name.
const WHOLE_NAME: f32 = 2.0;
/// Taken for each separator that only query or name has: `gpt-4.5` before `gpt-45`.
const SEPARATOR_PENALTY: f32 = 0.03;

/// The query is the base name, without vendor or date.
const BASE_NAME: f32 = 1.8;
/// Taken for each further token of the name.
const EXTRA_TOKEN_PENALTY: f32 = 0.01;

/// The query has the base name, but another vendor prefix: good where the base name says most of the query, little where it is `mcp`.
const OTHER_VENDOR: f32 = 1.2;
const OTHER_VENDOR_BASE_SHARE: f32 = 0.3;
/// Most that a similar vendor adds: `io.githb/mcp` stands for `io.github/mcp` among all that are called `mcp`.
const VENDOR_SIMILARITY: f32 = 0.25;

/// The query is a prefix of the name.
const NAME_PREFIX: f32 = 1.3;
/// Shorter names first, by less than any of the differences below.
const PREFIX_TOKEN_PENALTY: f32 = 0.005;
/// The query ends where a token of the name ends.
const TOKEN_BORDER_BONUS: f32 = 0.05;
/// The query ends with a separator (`gpt-`), but the name has none there, or another one.
const NO_SEPARATOR_PENALTY: f32 = 0.3;
const OTHER_SEPARATOR_PENALTY: f32 = 0.1;
/// The query ends within a number of the name: `4` is not the beginning of `45`.
const WITHIN_NUMBER_PENALTY: f32 = 0.1;
/// The query ends within a word of the name but is a known word itself: `mini` stands for `o3-mini` rather than for `minimax`.
const WITHIN_WORD_PENALTY: f32 = 0.35;
/// Most that is added when the token being typed is common among names.
const COMMON_TOKEN_BONUS: f32 = 0.05;
/// The query is a prefix of the base name only.
const BASE_PREFIX: f32 = 1.25;

/// Each stop word of the query that the name has.
const STOP_WORD_BONUS: f32 = 0.02;
/// The query covers the whole base name.
const WHOLE_BASE_BONUS: f32 = 0.35;
/// The same with a stop word that the name lacks. It may be the beginning of the next word, so names that go on rank before.
const WHOLE_BASE_BUT_STOP_WORD_BONUS: f32 = 0.2;
/// The name ends with the query, at a token border or not.
const SUFFIX_AT_BORDER_BONUS: f32 = 0.13;
const SUFFIX_BONUS: f32 = 0.1;
/// Tokens glued in the query that are apart in the name.
const SPLIT_TOKEN_PENALTY: f32 = 0.3;
/// Weight of the similarity of the whole keys, above [`SIMILARITY_MIN`], when a word was corrected.
const FUZZY_SIMILARITY: f32 = 0.6;
/// Unmatched tokens of the name: an extra number makes another version of it, an extra word says less, vendor and date nearly nothing.
const UNMATCHED_NUMBER_PENALTY: f32 = 0.06;
const UNMATCHED_WORD_PENALTY: f32 = 0.03;
const UNMATCHED_AFFIX_PENALTY: f32 = 0.01;
/// A number of the query that the name lacks: it is another version.
const MISSING_NUMBER_PENALTY: f32 = 0.5;

/// [`PREFIX_TOKEN_PENALTY`] and a step of demotion in whole numbers.
const TOKEN_RANKS: u32 = 5;
const DEMOTION_RANKS: u32 = 2;

/// Shorter queries are no prefix of anything.
pub(super) const PREFIX_BYTES_MIN: usize = 2;

/// Between equal matches of one item, its id ranks before its name, its name before an alias.
const fn kind_bonus(kind: NameKind) -> f32 {
    match kind {
        NameKind::Id | NameKind::Path => 0.02,
        NameKind::Name | NameKind::Brand => 0.01,
        NameKind::Alias => 0.0,
    }
}

/// How high a name that begins with a query may score, told without reading it; the lowest number is the best. From the highest bit on: the
/// key goes on after the query; it does so without a separator; what tokens and demotion take from the score; its length.
pub(crate) type PrefixRank = u32;

impl NameIndex {
    /// The rank of a key of an item of which a query is the first bytes.
    pub(super) fn prefix_rank(&self, key: SortedKey, item: u32, prefix_bytes: usize) -> PrefixRank {
        let name = self.stored(key.name());
        let (start, bytes) = if key.is_base() { (name.base_start, name.base_bytes) } else { (0, name.key_bytes) };
        let goes_on = usize::from(bytes) > prefix_bytes;
        let (at_separator, _) = name.separators.at(usize::from(start) + prefix_bytes);
        let penalty = u32::from(name.tokens) * TOKEN_RANKS + u32::from(self.demotion(item)) * DEMOTION_RANKS;
        u32::from(goes_on) << 31 | u32::from(goes_on && !at_separator) << 30 | penalty << 8 | u32::from(bytes)
    }

    pub(super) fn score(&self, query: &NameQuery, name: u32, scope: &NameScope<'_>) -> Option<NameHit> {
        let entry = &self.entry(name);
        let key = self.key(name);
        let base = entry.base_of(key);
        let query_key = query.name.key.as_str();
        let query_base = query.name.base_key();
        let is_whole = query_key == key;
        let is_base = query_key == base || query_base == base || query_base == key;
        let finished = query.trailing_separator.is_none();
        let mut coverage = Coverage::default();
        let mut score = if is_whole && finished {
            WHOLE_NAME - SEPARATOR_PENALTY * query.separators.differences(entry.separators, key.len())
        } else if is_base && finished {
            let has_other_vendor = query_key != base && query_base != query_key;
            if has_other_vendor {
                score_other_vendor(query, key, base)
            } else {
                BASE_NAME - EXTRA_TOKEN_PENALTY * f32::from(entry.tokens - entry.base_tokens)
            }
        } else if query_key.len() >= PREFIX_BYTES_MIN && key.starts_with(query_key) {
            score_prefix(query, entry, key) + COMMON_TOKEN_BONUS * self.commonness_at(entry, query_key.len(), scope)
        } else if query_key.len() >= PREFIX_BYTES_MIN && base.starts_with(query_key) {
            BASE_PREFIX - EXTRA_TOKEN_PENALTY * f32::from(entry.tokens)
        } else if entry.kind == NameKind::Path {
            return None;
        } else {
            coverage = self.coverage(query, entry, scope);
            if !coverage.is_match() && !self.is_mentioned(query, entry, scope) {
                return None;
            }
            score_coverage(query, entry, key, &coverage)
        };
        score += kind_bonus(entry.kind);
        let kind = match (is_whole || is_base, entry.kind) {
            (_, NameKind::Alias | NameKind::Brand) if is_whole || !coverage.fuzzy => MatchKind::Alias,
            (true, _) => MatchKind::Exact,
            _ if coverage.fuzzy => MatchKind::Fuzzy,
            _ => MatchKind::Text,
        };
        let score = score - self.demotion_penalty(entry.ordinal);
        let field = match_field(entry.kind);
        Some(NameHit { ordinal: entry.ordinal, score, field, kind, name, fuzzy: coverage.fuzzy })
    }

    /// How common the token is within which a prefix of the name ends: 0 to 1, and 0 at a token border.
    fn commonness_at(&self, entry: &NameEntry, prefix_bytes: usize, scope: &NameScope<'_>) -> f32 {
        let mut end = 0;
        for token in self.tokens(entry) {
            end += self.words.word(*token).len();
            if end >= prefix_bytes {
                let doc_freq = if end == prefix_bytes { 0 } else { scope.names.doc_freq(scope.map.merged(*token)) };
                return (1.0 + doc_freq as f32).ln() / (1.0 + scope.names.items as f32).ln();
            }
        }
        0.0
    }
}

/// A name of the same base, of another vendor or none.
fn score_other_vendor(query: &NameQuery, key: &str, base: &str) -> f32 {
    let query_key = query.name.key.as_str();
    let query_vendor = vendor_prefix(query_key, query.name.base_key());
    let in_base = |token: &&QueryToken| token.is_content && token.range.start >= query_vendor.len();
    let base_weight = query.tokens.iter().filter(in_base).map(|token| token.idf).sum::<f32>();
    let base_share = base_weight / query.weight.max(WEIGHT_MIN);
    let similarity = vendor_similarity(query_vendor, vendor_prefix(key, base));
    OTHER_VENDOR + OTHER_VENDOR_BASE_SHARE * base_share.min(1.0) + VENDOR_SIMILARITY * similarity
}

/// What stands in front of the base name, which is a part of `key`.
fn vendor_prefix<'a>(key: &'a str, base: &str) -> &'a str {
    &key[..base.as_ptr() as usize - key.as_ptr() as usize]
}

/// How similar two vendor prefixes are, 0 to 1; 0 where there is none.
fn vendor_similarity(a: &str, b: &str) -> f32 {
    if is_misspelling(a, b) { 1.0 } else { dice_coefficient(&trigrams(a), &trigrams(b)) }
}

/// A name that goes on after the query: best at a separator, less within a word or a number.
fn score_prefix(query: &NameQuery, entry: &NameEntry, key: &str) -> f32 {
    let query_key = query.name.key.as_str();
    let mut score = NAME_PREFIX - PREFIX_TOKEN_PENALTY * f32::from(entry.tokens);
    score -= SEPARATOR_PENALTY * query.separators.differences(entry.separators, query_key.len());
    let next = key[query_key.len()..].chars().next();
    let last = query_key.chars().next_back();
    let (at_separator, at_dot) = entry.separators.at(query_key.len());
    if let Some(separator) = query.trailing_separator {
        score -= if !at_separator {
            NO_SEPARATOR_PENALTY
        } else if at_dot == (separator == '.') {
            0.0
        } else {
            OTHER_SEPARATOR_PENALTY
        };
    } else if at_separator {
        score += TOKEN_BORDER_BONUS;
    } else if let (Some(next), Some(last)) = (next, last)
        && next.is_ascii_digit() == last.is_ascii_digit()
    {
        let is_known_word = matches!(query.tokens.as_slice(), [token] if token.is_known);
        score -= if last.is_ascii_digit() {
            WITHIN_NUMBER_PENALTY
        } else if is_known_word {
            WITHIN_WORD_PENALTY
        } else {
            0.0
        };
    }
    score
}

/// A name that shares tokens with the query.
fn score_coverage(query: &NameQuery, entry: &NameEntry, key: &str, coverage: &Coverage) -> f32 {
    let query_key = query.name.key.as_str();
    let mut score = coverage.share + STOP_WORD_BONUS * coverage.stop_words as f32;
    if coverage.complete && coverage.matches_whole_base() {
        score += if coverage.stop_words_missing == 0 { WHOLE_BASE_BONUS } else { WHOLE_BASE_BUT_STOP_WORD_BONUS };
    } else if key.ends_with(query_key) {
        let (at_border, _) = entry.separators.at(key.len() - query_key.len());
        score += if at_border { SUFFIX_AT_BORDER_BONUS } else { SUFFIX_BONUS };
    }
    score -= SPLIT_TOKEN_PENALTY * coverage.split_tokens as f32;
    if coverage.fuzzy {
        let similarity = dice_coefficient(query.trigrams(), &trigrams(key));
        score += FUZZY_SIMILARITY * (similarity - SIMILARITY_MIN).max(0.0);
    }
    score -= UNMATCHED_WORD_PENALTY * coverage.unmatched_words as f32
        + UNMATCHED_NUMBER_PENALTY * coverage.unmatched_numbers as f32
        + UNMATCHED_AFFIX_PENALTY * coverage.unmatched_affixes as f32;
    score - MISSING_NUMBER_PENALTY * coverage.missing_numbers as f32
}
