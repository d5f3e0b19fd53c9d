//! Full-text hits as ranked items, and a second ranking of the best of them by the fields that have the words.

use super::request::Query;
use crate::Telling;
use crate::best_docs::{BestDocs, Count, best_docs};
use crate::fulltext::{PlannedWord, TELLING_FIELDS};
use crate::postings::bitmap::FreshnessFilter;
use crate::postings::top_k::ScoredDoc;

/// What is left of the score of a text that has the words of a need in none of its telling fields. By the questions of `eval/questions`:
/// .3, .5 and .7 find the same of the first half within five hits, and 1 (no second ranking) finds less.
const BURIED: f32 = 0.5;
/// The same for the words of a question, which may ask for any passage.
const BURIED_IN_PASSAGE: f32 = 0.75;
/// What is left of the score of an item that has next to none of the words of a need, by their weight (coordination factor, as in Lucene's
/// classic similarity): one rare word in a name (`box`, `dig`) is not what is asked for.
const UNCOVERED: f32 = 0.7;

/// An item in the ranking behind the name hits.
#[derive(Debug, Clone, Copy)]
pub(super) struct RankedItem {
    pub segment: usize,
    /// Item of the segment.
    pub item: u32,
    pub ordinal: u32,
    pub stale: bool,
    /// Doc id of its best document.
    pub doc_id: u32,
    pub score: f32,
    /// Among the nearest by vector similarity.
    pub semantic: bool,
}

impl RankedItem {
    /// Puts items into their order: by score, then freshness, then ordinal.
    pub(super) fn sort(ranked: &mut [Self]) {
        ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.stale.cmp(&b.stale)).then(a.ordinal.cmp(&b.ordinal)));
    }
}

/// The best documents by text over all searched segments.
pub(super) fn best_texts(query: &Query<'_>, freshness: FreshnessFilter, limit: usize, count: Count) -> BestDocs {
    let segments = query.segments.iter();
    let requests: Vec<_> = segments.map(|at| at.asked(&at.fulltext().index, &at.plan.terms, freshness)).collect();
    best_docs(&requests, limit, count)
}

/// An item by its best document.
pub(super) fn ranked_doc(query: &Query<'_>, at: usize, doc: ScoredDoc) -> RankedItem {
    let searched = &query.segments[at];
    let item = searched.fulltext().index.layout.parents[doc.doc_id as usize];
    RankedItem {
        segment: at,
        item,
        ordinal: searched.segment.first + item,
        stale: doc.stale,
        doc_id: doc.doc_id,
        score: doc.score as f32 / query.max_score,
        semantic: false,
    }
}

/// Ranks texts of several segments again by where they have the words of a need: what is made for it says so in its title, its description
/// or its headings; a long text has any word somewhere. The length of a text is normalised within its segment, so that a segment of long
/// texts scores as high as one of short ones; among pages of one segment nothing is to be corrected, and the sets of `docs/search-quality.md`
/// lose by it (`tldr_loo` .51 to .44).
pub(super) fn by_telling_fields(ranked: &mut [RankedItem], query: &Query<'_>) {
    let (buried, uncovered) = match query.request.telling {
        Telling::None => return,
        Telling::Question => (BURIED_IN_PASSAGE, 1.0),
        Telling::Need | Telling::Described => (BURIED, UNCOVERED),
    };
    let weights = query.word_weights();
    let total = weights.iter().sum::<u32>().max(1);
    let best = |ranked: &[RankedItem]| ranked.iter().map(|item| item.score).fold(f32::MIN_POSITIVE, f32::max);
    let best_before = best(ranked);
    let mut has = Vec::new();
    for item in ranked.iter_mut() {
        let searched = &query.segments[item.segment];
        let fulltext = searched.fulltext();
        let own = fulltext.item_doc(item.item);
        let (mut found, mut telling) = (0, 0);
        has.clear();
        for term in &searched.plan.terms {
            let of_item = fulltext.index.fields_at(term.term, own);
            let mask = of_item | if item.doc_id == own { 0 } else { fulltext.index.fields_at(term.term, item.doc_id) };
            if mask != 0 {
                found += term.weight;
                has.push(term.term);
            }
            telling += if mask & TELLING_FIELDS == 0 { 0 } else { term.weight };
        }
        let share = telling as f32 / found.max(1) as f32;
        let is_covered = |word: &&PlannedWord| word.terms.iter().any(|term| has.contains(term));
        let words = searched.plan.words.iter().zip(&weights);
        let covered: u32 = words.filter(|(word, _)| is_covered(word)).map(|(_, weight)| weight).sum();
        item.score *= buried + (1.0 - buried) * share;
        item.score *= uncovered + (1.0 - uncovered) * covered as f32 / total as f32;
    }
    if query.request.telling == Telling::Described {
        // Of one segment, something is the best: it is as near to the question as it was.
        let scale = best_before / best(ranked);
        ranked.iter_mut().for_each(|item| item.score *= scale);
    }
    RankedItem::sort(ranked);
}
