//! One ranking out of both indexes of all segments: known-item hits first ([`named`]), then full-text hits ([`rerank`]), in hybrid search
//! combined with vector similarity ([`hybrid`]). A request is analysed in [`request`], and the hits of the answer are made in [`mod@merge`];
//! [`mod@coverage`] tells how much of a text items have.

mod coverage;
mod hybrid;
mod merge;
mod named;
mod request;
mod rerank;

use super::best_docs::{BestDocs, Count};
use super::names::{CANDIDATES, NameHit};
use super::postings::bitmap::FreshnessFilter;
use super::{Bitmap, SearchHit, SearchIndex, SearchOutcome, SearchRequest, Telling};
pub use coverage::Coverage;
use merge::{add_last, merge};
use named::{COUNTED_CANDIDATES, best_names};
use request::{Query, per_segment};
use rerank::{RankedItem, best_texts, by_telling_fields, ranked_doc};

/// Full-text hits that are ranked again: with vectors, or by where they have the words. As many are found by vectors alone. It is more than
/// a request is answered with, so the first hits do not depend on how many are wanted.
const RERANKED_DEPTH: usize = 200;
/// Names compared where nothing is found, whatever number of hits is wanted.
const FALLBACK_COMPARED: usize = 90;

impl SearchIndex {
    /// Finds the best items for a request.
    pub fn search(&self, request: &SearchRequest<'_>) -> SearchOutcome {
        let query = self.prepared(request);
        let corrected = self.terms.texts.corrections(query.text.plan());
        let found = self.matching(&query, corrected.clone());
        if !found.hits.is_empty() {
            return found;
        }
        SearchOutcome { excluded_stale: found.excluded_stale, ..self.fuzzy_fallback(&query, corrected) }
    }

    /// What matches by name or text.
    fn matching(&self, query: &Query<'_>, mut corrected: Vec<String>) -> SearchOutcome {
        let request = query.request;
        let found = self.found_by_name(query, query.freshness, CANDIDATES);
        for named in found.items.iter().take(request.limit.max(1)) {
            query.segments[named.segment].names().add_corrected(query.text.name(), &named.hit, &mut corrected);
        }
        let is_ranked_again = request.semantic.is_some() || request.telling != Telling::None;
        let depth = if is_ranked_again { request.limit.max(RERANKED_DEPTH) } else { request.limit }.max(1);
        let BestDocs { docs, mut totals, mut matches, exact } = best_texts(query, query.freshness, depth, Count::IfFew);
        let mut ranked: Vec<RankedItem> = docs.into_iter().map(|(at, doc)| ranked_doc(query, at, doc)).collect();
        let is_mixed = ranked.iter().any(|item| item.segment != ranked[0].segment);
        if is_mixed || request.telling == Telling::Described {
            by_telling_fields(&mut ranked, query);
        }
        if let Some(similarities) = request.semantic {
            ranked = self.combine(ranked, similarities, query);
            let found = per_segment(query, ranked.iter().map(|item| item.segment));
            totals = totals.into_iter().zip(found).map(|(texts, ranked)| texts.max(ranked)).collect();
        }
        let mut total_is_exact = exact && request.semantic.is_none();
        if total_is_exact {
            total_is_exact = found.add_to(&mut matches, query, query.freshness);
            totals = matches.iter().map(Bitmap::len).collect();
        }
        let name = found.name;
        let mut hits = merge(found.items, ranked, query);
        if hits.len() < request.limit {
            add_last(self.others_beginning(query, name, &hits), query, &mut hits);
        }
        let excluded_stale = if request.fresh_only { self.excluded_stale(query) } else { 0 };
        let by_segment = self.by_segment(query, &totals, &hits);
        let total = by_segment.iter().sum();
        let matched = if total_is_exact { self.in_places(query, matches) } else { Vec::new() };
        SearchOutcome { hits, total, by_segment, total_is_exact, matched, excluded_stale, corrected }
    }

    /// A fallback for when nothing is found: items whose names look much like the query.
    fn fuzzy_fallback(&self, query: &Query<'_>, mut corrected: Vec<String>) -> SearchOutcome {
        let limit = query.request.limit;
        let similar_to = query.text.trigrams();
        let scopes: Vec<_> = query.segments.iter().map(|at| (at.position, at.filter(query.freshness))).collect();
        let mut found: Vec<Vec<NameHit>> = vec![Vec::new(); query.segments.len()];
        for (at, similar) in self.similar(&similar_to, &scopes, FALLBACK_COMPARED) {
            found[at].extend(query.segments[at].names().fuzzy_fallback(&similar_to, similar));
        }
        let named = best_names(query, |at| std::mem::take(&mut found[at]));
        for named in named.iter().take(limit) {
            query.segments[named.segment].names().add_tokens(named.hit.name, &mut corrected);
        }
        let total = named.len();
        let totals = per_segment(query, named.iter().map(|named| named.segment));
        let mut matched = vec![Bitmap::default(); self.segments.len()];
        for named in &named {
            matched[query.segments[named.segment].position].insert(named.hit.ordinal);
        }
        let hits = merge(named, Vec::new(), query);
        let by_segment = self.by_segment(query, &totals, &hits);
        let total_is_exact = total < FALLBACK_COMPARED;
        SearchOutcome { hits, total, by_segment, total_is_exact, matched, excluded_stale: 0, corrected }
    }

    /// What matches in the searched segments, at the places of these among all.
    fn in_places(&self, query: &Query<'_>, matches: Vec<Bitmap>) -> Vec<Bitmap> {
        let mut matched = vec![Bitmap::default(); self.segments.len()];
        query.segments.iter().zip(matches).for_each(|(searched, items)| matched[searched.position] = items);
        matched
    }

    /// Matches by segment, given those of the searched ones; never fewer than the hits.
    fn by_segment(&self, query: &Query<'_>, totals: &[usize], hits: &[SearchHit]) -> Vec<usize> {
        let (mut counts, mut shown) = (vec![0; self.segments.len()], vec![0; self.segments.len()]);
        query.segments.iter().zip(totals).for_each(|(searched, total)| counts[searched.position] = *total);
        hits.iter().for_each(|hit| shown[self.locate(hit.ordinal).0] += 1);
        counts.into_iter().zip(shown).map(|(total, shown): (usize, usize)| total.max(shown)).collect()
    }

    /// Stale items that would have been found; at least so many where their words are very frequent.
    fn excluded_stale(&self, query: &Query<'_>) -> usize {
        if query.segments.iter().all(|searched| searched.segment.stale.is_empty()) {
            return 0;
        }
        let BestDocs { totals, mut matches, exact, .. } =
            best_texts(query, FreshnessFilter::Stale, 1, Count::IfNotMany);
        if !exact {
            return totals.iter().sum();
        }
        let named = self.found_by_name(query, FreshnessFilter::Stale, COUNTED_CANDIDATES);
        named.add_to(&mut matches, query, FreshnessFilter::Stale);
        matches.iter().map(Bitmap::len).sum()
    }
}
