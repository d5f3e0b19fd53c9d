//! Asks the names channel: which items does the query call by name?
//!
//! Candidates come from pieces, from the sorted names and, as a last resort, from trigrams. How a query is read is in
//! `name_question`, how a candidate is scored in `name_judge`.

use super::collect::{Clause, collect};
use super::dictionary::mistyped;
use super::layered::Gone;
use super::name_judge::{NEAR_MIN, field};
use super::name_question::{Question, weight};
use super::names::{Names, TRIGRAM_MARK};
use super::spelling::{Spelling, dice, trigrams};
use super::{How, MatchField};
use std::ops::Range;

/// Names that are scored exactly, beyond the number of hits that are wanted.
const CANDIDATES_MORE: usize = 10;
/// Names that are taken from the sorted list.
const SORTED_MAX: usize = 48;
/// Trigrams that are looked up; the rarest are kept.
const TRIGRAMS_MAX: usize = 24;
/// From this similarity on a misspelt name is taken for meant.
const MEANT_MIN: f32 = 0.6;

/// An item that is called by name.
#[derive(Debug, Clone)]
pub(super) struct NameHit {
    pub ord: u32,
    /// About 0 to 2.5.
    pub score: f32,
    pub field: MatchField,
    pub how: How,
    pub entry: u32,
    /// A word of the query was corrected to get there.
    pub fuzzy: bool,
}

/// What the names channel must know of the rest.
pub(super) struct Scope<'a> {
    /// Windows of the names index that are looked at.
    pub ranges: Vec<Range<u32>>,
    /// Whether an item is looked at.
    pub allowed: &'a dyn Fn(u32) -> bool,
    /// Number of items whose text has a word.
    pub in_texts: &'a dyn Fn(&str) -> u32,
    /// Whether two words of texts have the same stem.
    pub same_stem: &'a dyn Fn(&str, &str) -> bool,
    /// Items that are passed over.
    pub gone: &'a Gone,
    pub limit: usize,
}

impl Names {
    /// The items that the query calls by name, best first.
    /// What misspelt words of the query were taken for goes to `corrected`.
    pub(super) fn find(&self, text: &str, scope: &Scope<'_>, corrected: &mut Vec<String>) -> Vec<NameHit> {
        let question = self.question(text, scope);
        if question.spelling.squashed.is_empty() {
            return Vec::new();
        }
        let mut candidates = self.sorted_candidates(&question, scope);
        let clauses = question.clauses();
        if !clauses.is_empty() {
            let found = collect(&self.index, &clauses, &scope.ranges, CANDIDATES_MORE + scope.limit, scope.gone);
            candidates.extend(found.best.into_iter().map(|(_, place)| self.entry_at(place)));
        }
        candidates.sort_unstable();
        candidates.dedup();
        let hits = candidates.into_iter().filter_map(|entry| self.judge(&question, entry, scope)).collect();
        let hits = best_by_item(hits, scope.limit);
        if hits.iter().any(|hit| hit.fuzzy) {
            self.add_corrected(&question, &hits, corrected);
        }
        hits
    }

    /// The pieces of names hit by a correction that the query does not have as they stand.
    fn add_corrected(&self, question: &Question, hits: &[NameHit], corrected: &mut Vec<String>) {
        for hit in hits.iter().filter(|hit| hit.fuzzy) {
            for piece in self.pieces(&self.entry(hit.entry)).0.iter().map(|piece| self.dictionary.word(*piece)) {
                let asked = || question.spelling.pieces.iter().map(|piece| question.spelling.text(piece));
                let new = !corrected.iter().any(|word| word == piece) && !asked().any(|word| word == piece);
                if new && asked().any(|word| mistyped(word, piece)) {
                    corrected.push(piece.to_owned());
                }
            }
        }
    }

    /// Items whose names look like the query, best first, with the similarity.
    pub(super) fn near(&self, text: &str, ranges: &[Range<u32>], limit: usize, gone: &Gone) -> Vec<(u32, u32, f32)> {
        let spelling = Spelling::of(text);
        let wanted = trigrams(&spelling.squashed);
        let mut rated: Vec<(u32, u32)> = Vec::new();
        let mut word = String::new();
        for trigram in &wanted {
            word.clear();
            word.push(TRIGRAM_MARK);
            word.extend(trigram);
            if let Some(term) = self.dictionary.find(&word) {
                rated.push((self.index.items(term), term));
            }
        }
        rated.sort_unstable();
        rated.truncate(TRIGRAMS_MAX);
        let clauses: Vec<Clause> =
            rated.iter().map(|(items, term)| Clause::plain(*term, weight(self.idf(*items), 1.0))).collect();
        if clauses.is_empty() {
            return Vec::new();
        }
        let found = collect(&self.index, &clauses, ranges, CANDIDATES_MORE + limit * 4, gone);
        let mut near: Vec<(u32, u32, f32)> = Vec::new();
        for (_, place) in found.best {
            let entry = self.entry_at(place);
            let alike = dice(&wanted, &trigrams(self.text(entry)));
            if alike >= NEAR_MIN {
                near.push((self.entry(entry).ord, entry, alike));
            }
        }
        near.sort_by(|a, b| b.2.total_cmp(&a.2).then(a.0.cmp(&b.0)).then(a.1.cmp(&b.1)));
        let mut seen = Vec::new();
        near.retain(|(ord, ..)| {
            !seen.contains(ord) && {
                seen.push(*ord);
                true
            }
        });
        near.truncate(limit);
        near
    }

    /// A last resort for misspelt names: much alike as a whole, every number there.
    pub(super) fn meant(&self, text: &str, scope: &Scope<'_>, corrected: &mut Vec<String>) -> Vec<NameHit> {
        let spelling = Spelling::of(text);
        if spelling.squashed.chars().count() < 5 {
            return Vec::new();
        }
        let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
        let wanted = digits(&spelling.squashed);
        let near = self.near(text, &scope.ranges, scope.limit, scope.gone);
        let near =
            near.into_iter().filter(|(_, entry, alike)| *alike >= MEANT_MIN && digits(self.text(*entry)) == wanted);
        let hits: Vec<NameHit> = near
            .map(|(ord, entry, alike)| NameHit {
                ord,
                score: alike / 2.0,
                field: field(self.entry(entry).kind),
                how: How::Fuzzy,
                entry,
                fuzzy: true,
            })
            .collect();
        for piece in hits.iter().flat_map(|hit| self.pieces(&self.entry(hit.entry)).0) {
            let word = self.dictionary.word(*piece);
            if !corrected.iter().any(|other| other == word) {
                corrected.push(word.to_owned());
            }
        }
        hits
    }

    /// Names that are the query or begin with it.
    fn sorted_candidates(&self, question: &Question, scope: &Scope<'_>) -> Vec<u32> {
        const SCANNED_MAX: usize = 1024;
        let mut found = Vec::new();
        let (whole, core) = (question.spelling.squashed.as_str(), question.spelling.core_text());
        for text in std::iter::once(whole).chain((core != whole).then_some(core)) {
            let range = self.with_prefix(text);
            let names = self.sorted[range].iter().take(SCANNED_MAX).map(|name| name.entry());
            let allowed = names.filter(|entry| (scope.allowed)(self.entry(*entry).ord));
            found.extend(allowed.take(SORTED_MAX));
        }
        found
    }
}

/// The best name of each item, best first; scores in steps of 1/1024, ties by ordinal.
fn best_by_item(mut hits: Vec<NameHit>, limit: usize) -> Vec<NameHit> {
    for hit in &mut hits {
        hit.score = (hit.score * 1024.0).round() / 1024.0;
    }
    hits.sort_by(|a, b| a.ord.cmp(&b.ord).then(b.score.total_cmp(&a.score)));
    hits.dedup_by_key(|hit| hit.ord);
    hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.ord.cmp(&b.ord)));
    hits.truncate(limit);
    hits
}
