//! One ranking out of both indexes of all segments: known-item hits first ([`named`]), then full-text hits ([`rerank`]), in hybrid search
//! combined with vector similarity ([`hybrid`]). A request is analysed in [`request`], and the hits of the answer are made in [`mod@merge`].

mod hybrid;
mod merge;
mod named;
mod request;
mod rerank;

use super::best_docs::BestDocs;
use super::names::{NameHit, NameQuery};
use super::postings::bitmap::FreshnessFilter;
use super::{MatchKind, SearchHit, SearchIndex, SearchOutcome, SearchRequest, Telling};
use merge::merge;
use named::{NameDepth, NamedItem, best_names, matched_by_name_alone};
use request::{Query, per_segment};
use rerank::{RankedItem, best_texts, by_telling_fields, ranked_doc};

/// Full-text hits that are ranked again: with vectors, or by where they have the words. As many are found by vectors alone. It is more than
/// a request is answered with, so the first hits do not depend on how many are wanted.
const RERANKED_DEPTH: usize = 200;
/// Names compared where nothing is found, whatever number of hits is wanted.
const FALLBACK_COMPARED: usize = 90;
/// Stale name hits that are counted.
const EXCLUDED_NAMES_MAX: usize = 64;
/// Names that are scored to find these: an item may have several.
const EXCLUDED_CANDIDATES: usize = EXCLUDED_NAMES_MAX + 10;

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
        let parsed = query.text.name();
        let mut named = self.named(query, parsed, query.freshness, NameDepth::new(request.limit.max(1)));
        // Words that say the kind may be a part of the name, too: the whole is looked up first.
        if named.is_empty()
            && !request.preferred.is_empty()
            && let Some(subject) = &query.subject
        {
            named = self.named(query, subject.name(), query.freshness, NameDepth::new(request.limit.max(1)));
            named.retain(|named| query.segments[named.segment].preferred);
        }
        // Of other kinds than the one that is meant, only what is called so as a whole is meant by name.
        if !request.preferred.is_empty() {
            let is_whole = |named: &NamedItem| matches!(named.hit.kind, MatchKind::Exact | MatchKind::Alias);
            named.retain(|named| query.segments[named.segment].preferred || is_whole(named));
        }
        for named in &named {
            query.segments[named.segment].names().add_corrected(parsed, &named.hit, &mut corrected);
        }
        let is_ranked_again = request.semantic.is_some() || request.telling != Telling::None;
        let depth = if is_ranked_again { request.limit.max(RERANKED_DEPTH) } else { request.limit }.max(1);
        let BestDocs { docs, mut totals, exact } = best_texts(query, query.freshness, depth);
        let mut ranked: Vec<RankedItem> = docs.into_iter().map(|(at, doc)| ranked_doc(query, at, doc)).collect();
        let is_mixed = ranked.iter().any(|item| item.segment != ranked[0].segment);
        if is_mixed {
            by_telling_fields(&mut ranked, query);
        }
        if let Some(similarities) = request.semantic {
            ranked = self.combine(ranked, similarities, query);
            let found = per_segment(query, ranked.iter().map(|item| item.segment));
            totals = totals.into_iter().zip(found).map(|(texts, ranked)| texts.max(ranked)).collect();
        }
        let by_name = per_segment(query, matched_by_name_alone(query, &named).map(|named| named.segment));
        totals.iter_mut().zip(by_name).for_each(|(total, by_name)| *total += by_name);
        let exact = exact && named.len() < request.limit.max(1) && request.semantic.is_none();
        let hits = merge(named, ranked, query);
        let excluded_stale = if request.fresh_only { self.excluded_stale(query, parsed) } else { 0 };
        // What is counted by name and by a passage counts twice; where the hits are all there is, they are counted instead.
        let is_all = exact && hits.len() < request.limit;
        let by_segment = self.by_segment(query, if is_all { &[] } else { &totals }, &hits);
        let total = by_segment.iter().sum();
        SearchOutcome { hits, total, by_segment, total_is_exact: exact, excluded_stale, corrected }
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
        let named = best_names(query, limit, |at| std::mem::take(&mut found[at]));
        for named in &named {
            query.segments[named.segment].names().add_tokens(named.hit.name, &mut corrected);
        }
        let total = named.len();
        let totals = per_segment(query, named.iter().map(|named| named.segment));
        let hits = merge(named, Vec::new(), query);
        let by_segment = self.by_segment(query, &totals, &hits);
        SearchOutcome { hits, total, by_segment, total_is_exact: total < limit, excluded_stale: 0, corrected }
    }

    /// Matches by segment, given those of the searched ones; never fewer than the hits.
    fn by_segment(&self, query: &Query<'_>, totals: &[usize], hits: &[SearchHit]) -> Vec<usize> {
        let (mut counts, mut shown) = (vec![0; self.segments.len()], vec![0; self.segments.len()]);
        query.segments.iter().zip(totals).for_each(|(searched, total)| counts[searched.position] = *total);
        hits.iter().for_each(|hit| shown[self.locate(hit.ordinal).0] += 1);
        counts.into_iter().zip(shown).map(|(total, shown): (usize, usize)| total.max(shown)).collect()
    }

    /// Stale items that would have been found: exact when few (see [`SearchOutcome::total`]).
    fn excluded_stale(&self, query: &Query<'_>, parsed: &NameQuery) -> usize {
        if query.segments.iter().all(|searched| searched.segment.stale.is_empty()) {
            return 0;
        }
        let texts: usize = best_texts(query, FreshnessFilter::Stale, 1).totals.iter().sum();
        let depth = NameDepth { candidates: EXCLUDED_CANDIDATES, limit: EXCLUDED_NAMES_MAX };
        let named = self.named(query, parsed, FreshnessFilter::Stale, depth);
        texts + matched_by_name_alone(query, &named).count()
    }
}
