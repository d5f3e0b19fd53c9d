//! One ranking out of both indexes of all segments: known-item hits first, then full-text hits, in hybrid search combined with vector similarity by a
//! convex combination of normalised scores (Bruch et al. 2023), which keeps score gaps that reciprocal rank fusion throws away.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::fulltext::{QueryPlan, match_fields};
use super::names::{EXTRA_CANDIDATES, NameHit, NameQuery, SORTED_MAX};
use super::postings::bitmap::FreshnessFilter;
use super::postings::inverted_index::InvertedIndex;
use super::postings::posting::Posting;
use super::postings::top_k::{QueryTerm, ScoredDoc, TopKRequest, is_small, size, top_k};
use super::{CosineSimilarities, MatchField, MatchKind, SearchHit, SearchIndex, SearchOutcome, SearchRequest};

/// Longer queries are cut here.
const QUERY_CHARS_MAX: usize = 2_000;
/// Full-text hits that take part in a hybrid ranking, at least.
const HYBRID_DEPTH: usize = 200;
/// Most that full text weighs in a hybrid ranking; the rest is vector similarity.
const TEXT_WEIGHT_MAX: f32 = 0.75;
/// Both weigh the same when the best text has this share of the highest possible score, per unit of the best cosine.
const EVEN_WEIGHTS_AT: f32 = 0.35;
/// Cosine of texts that have nothing to do with each other.
const UNRELATED_COSINE: f32 = 0.05;
/// Hybrid scores are rounded to this, so that rounding errors do not decide.
const HYBRID_STEPS: f32 = 4096.0;
/// Highest score of a name hit; it becomes 2 in an answer, where text hits have 0 to 1.
const NAME_SCORE_MAX: f32 = 3.0;
/// Stale name hits that are counted.
const EXCLUDED_NAMES_MAX: usize = 64;

/// An item in the ranking behind the name hits.
#[derive(Debug, Clone, Copy)]
struct RankedItem {
    segment: usize,
    /// Item of the segment.
    item: u32,
    ordinal: u32,
    stale: bool,
    /// Doc id of its best document.
    doc_id: u32,
    score: f32,
    /// Among the nearest by vector similarity.
    semantic: bool,
}

/// A name hit and where it is.
#[derive(Debug)]
struct NamedItem {
    segment: usize,
    ordinal: u32,
    stale: bool,
    hit: NameHit,
}

/// A request, analysed.
struct Query<'a> {
    request: &'a SearchRequest<'a>,
    text: &'a str,
    /// The query in the terms of each segment, empty for those that are not searched.
    plans: Vec<QueryPlan>,
    max_score: f32,
    segments: Vec<usize>,
    filter: FreshnessFilter,
}

impl SearchIndex {
    /// Finds the best items for a request.
    pub fn search(&self, request: &SearchRequest<'_>) -> SearchOutcome {
        let text = cut(request.text);
        let merged = self.terms.texts.plan(text);
        let segments: Vec<usize> = self.selected(request.groups).collect();
        let mut plans: Vec<QueryPlan> = self.segments.iter().map(|_| QueryPlan::default()).collect();
        for at in &segments {
            plans[*at] = merged.in_segment(&self.terms.maps[*at].stems);
        }
        let filter = if request.fresh_only { FreshnessFilter::Fresh } else { FreshnessFilter::All };
        let query = Query { request, text, plans, max_score: merged.max_score.max(1.0), segments, filter };
        let corrected = self.terms.texts.corrections(&merged);
        let found = self.matching(&query, corrected.clone());
        if !found.hits.is_empty() {
            return found;
        }
        SearchOutcome { excluded_stale: found.excluded_stale, ..self.fuzzy_fallback(&query, corrected) }
    }

    /// What matches by name or text.
    fn matching(&self, query: &Query<'_>, mut corrected: Vec<String>) -> SearchOutcome {
        let request = query.request;
        let parsed = self.terms.names.parse(query.text, &self.terms.texts);
        let named = self.named(query, &parsed, query.filter, request.limit.max(1));
        for named in &named {
            self.segments[named.segment].index.names.add_corrected(&parsed, &named.hit, &mut corrected);
        }
        let depth = if request.semantic.is_some() { request.limit.max(HYBRID_DEPTH) } else { request.limit }.max(1);
        let mut total = 0;
        let mut ranked = Vec::new();
        for (at, doc) in self.top_docs(query, query.filter, depth, &mut total) {
            ranked.push(self.ranked_doc(query, at, doc));
        }
        if let Some(similarities) = request.semantic {
            ranked = self.combine(ranked, similarities, query);
            total = total.max(ranked.len());
        }
        total += self.beyond_texts(query, &named);
        let hits = self.merge(named, ranked, query);
        let excluded_stale = if request.fresh_only { self.excluded_stale(query, &parsed) } else { 0 };
        SearchOutcome { total: total.max(hits.len()), hits, excluded_stale, corrected }
    }

    /// A fallback for when nothing is found: items whose names look much like the query.
    fn fuzzy_fallback(&self, query: &Query<'_>, mut corrected: Vec<String>) -> SearchOutcome {
        let limit = query.request.limit;
        let named = self.best_names(query, limit, |at| {
            let scope = self.name_scope(at, query.filter, limit);
            self.segments[at].index.names.fuzzy_fallback(query.text, &scope)
        });
        for named in &named {
            self.segments[named.segment].index.names.add_tokens(named.hit.name, &mut corrected);
        }
        let total = named.len();
        SearchOutcome { hits: self.merge(named, Vec::new(), query), total, excluded_stale: 0, corrected }
    }

    /// The best items by name over all searched segments. Names that begin like the query, and names that share its tokens, are scored;
    /// how many does not depend on the number of segments.
    fn named(&self, query: &Query<'_>, parsed: &NameQuery, filter: FreshnessFilter, limit: usize) -> Vec<NamedItem> {
        if parsed.is_empty() {
            return Vec::new();
        }
        let local = |at: usize| parsed.in_segment(&self.terms.maps[at].names);
        let local: HashMap<usize, NameQuery> = query.segments.iter().map(|at| (*at, local(*at))).collect();
        let mut candidates: HashMap<usize, Vec<u32>> = HashMap::new();
        for prefix in parsed.prefixes() {
            let mut sorted: Vec<((&str, u8), usize, u32)> = Vec::new();
            for at in &query.segments {
                let (index, scope) = (&self.segments[*at].index.names, self.name_scope(*at, filter, limit));
                sorted
                    .extend(index.with_key_prefix(prefix, &scope).map(|(key, prior, name)| ((key, prior), *at, name)));
            }
            sorted.sort_unstable();
            for (_, at, name) in sorted.into_iter().take(SORTED_MAX) {
                candidates.entry(at).or_default().push(name);
            }
        }
        let terms = query.segments.iter().map(|at| (*at, local[at].terms()));
        let (terms, limit_of_tokens) = (terms.collect::<Vec<_>>(), EXTRA_CANDIDATES + limit);
        let index = |at: usize| &self.segments[at].index.names.index;
        for (at, doc) in self.best_docs(&terms, index, filter, limit_of_tokens, &mut 0) {
            candidates.entry(at).or_default().push(doc.doc_id);
        }
        self.best_names(query, limit, |at| {
            let names = candidates.get(&at).cloned().unwrap_or_default();
            self.segments[at].index.names.score_candidates(&local[&at], names, &self.name_scope(at, filter, limit))
        })
    }

    fn best_names(
        &self,
        query: &Query<'_>,
        limit: usize,
        in_segment: impl Fn(usize) -> Vec<NameHit>,
    ) -> Vec<NamedItem> {
        let mut named = Vec::new();
        for at in &query.segments {
            let segment = &self.segments[*at];
            named.extend(in_segment(*at).into_iter().map(|hit| NamedItem {
                segment: *at,
                ordinal: segment.first + hit.ordinal,
                stale: segment.stale.contains(hit.ordinal),
                hit,
            }));
        }
        named.sort_by(|a, b| {
            b.hit.score.total_cmp(&a.hit.score).then(a.stale.cmp(&b.stale)).then(a.ordinal.cmp(&b.ordinal))
        });
        named.truncate(limit);
        named
    }

    /// The best documents by text over all searched segments; adds how many match to `total`.
    fn top_docs(
        &self,
        query: &Query<'_>,
        filter: FreshnessFilter,
        limit: usize,
        total: &mut usize,
    ) -> Vec<(usize, ScoredDoc)> {
        let terms: Vec<_> = query.segments.iter().map(|at| (*at, query.plans[*at].terms.clone())).collect();
        self.best_docs(&terms, |at| &self.segments[at].index.fulltext.index, filter, limit, total)
    }

    /// The best documents of some segments: large segments first, so that what they found rules out most of the others.
    fn best_docs<'a, P: Posting + 'a>(
        &'a self,
        terms: &[(usize, Vec<QueryTerm>)],
        index: impl Fn(usize) -> &'a InvertedIndex<P>,
        filter: FreshnessFilter,
        limit: usize,
        total: &mut usize,
    ) -> Vec<(usize, ScoredDoc)> {
        let mut terms: Vec<&(usize, Vec<QueryTerm>)> = terms.iter().filter(|(_, terms)| !terms.is_empty()).collect();
        terms.sort_by_key(|(at, _)| (Reverse(index(*at).layout.blocks()), *at));
        let sizes = terms.iter().map(|(at, terms)| size(index(*at), terms));
        let (blocks, postings) = sizes.fold((0, 0), |sum, size| (sum.0 + size.0, sum.1 + size.1));
        let exact = is_small(blocks, postings);
        let mut best: Vec<(usize, ScoredDoc)> = Vec::new();
        for (at, terms) in terms {
            let floor = if best.len() < limit { 0 } else { best.last().map_or(0, |(_, doc)| doc.score) };
            let (items, freshness) = (self.segments[*at].index.len(), self.freshness(*at, filter));
            let found = top_k(index(*at), &TopKRequest { terms, items, limit, freshness, floor, exact });
            *total += found.total;
            best.extend(found.best.into_iter().map(|doc| (*at, doc)));
            best.sort_by_key(|(at, doc)| (Reverse(doc.score), doc.stale, *at, doc.doc_id));
            best.truncate(limit);
        }
        best
    }

    fn ranked_doc(&self, query: &Query<'_>, at: usize, doc: ScoredDoc) -> RankedItem {
        let segment = &self.segments[at];
        let item = segment.index.fulltext.index.layout.parents[doc.doc_id as usize];
        RankedItem {
            segment: at,
            item,
            ordinal: segment.first + item,
            stale: doc.stale,
            doc_id: doc.doc_id,
            score: doc.score as f32 / query.max_score,
            semantic: false,
        }
    }

    /// Stale items that would have been found: exact when few (see [`SearchOutcome::total`]).
    fn excluded_stale(&self, query: &Query<'_>, parsed: &NameQuery) -> usize {
        if query.segments.iter().all(|at| self.segments[*at].stale.is_empty()) {
            return 0;
        }
        let mut texts = 0;
        self.top_docs(query, FreshnessFilter::Stale, 1, &mut texts);
        let named = self.named(query, parsed, FreshnessFilter::Stale, EXCLUDED_NAMES_MAX);
        texts + self.beyond_texts(query, &named)
    }

    /// How many of some items match by their names alone: whose own documents have no term of the query.
    fn beyond_texts(&self, query: &Query<'_>, named: &[NamedItem]) -> usize {
        let has_term = |named: &&NamedItem| {
            let fulltext = &self.segments[named.segment].index.fulltext;
            let doc_id = fulltext.item_doc(named.hit.ordinal);
            query.plans[named.segment].terms.iter().any(|term| fulltext.index.fields_at(term.term, doc_id) != 0)
        };
        named.iter().filter(|named| !has_term(named)).count()
    }

    /// A convex combination of text and vector scores, each normalised by its best. The weight of text adapts to the query: the more of
    /// it the best text has, relative to the best cosine, the more text weighs. A question whose words hardly occur is left to vectors.
    fn combine(&self, texts: Vec<RankedItem>, similarities: &CosineSimilarities, query: &Query<'_>) -> Vec<RankedItem> {
        let best = texts.iter().map(|item| item.score).fold(f32::MIN_POSITIVE, f32::max);
        let nearest = similarities.nearest.iter().map(|(_, cosine)| *cosine).fold(0.0, f32::max);
        let weight = text_weight(best, nearest);
        let vector_score = |cosine: f32| {
            let range = nearest - UNRELATED_COSINE;
            if range > 0.0 { (1.0 - weight) * ((cosine - UNRELATED_COSINE) / range).clamp(0.0, 1.0) } else { 0.0 }
        };
        let mut ranked = texts;
        for item in &mut ranked {
            let cosine = similarities.cosine(item.ordinal).unwrap_or(0.0);
            item.score = weight * item.score / best + vector_score(cosine);
        }
        ranked.sort_unstable_by_key(|item| item.ordinal);
        let texts = ranked.len();
        for (ordinal, cosine) in similarities.nearest.iter().filter(|(ordinal, _)| (*ordinal as usize) < self.len()) {
            let (at, item) = self.locate(*ordinal);
            if !query.segments.contains(&at) || !self.freshness(at, query.filter).includes(item) {
                continue;
            }
            if let Ok(at) = ranked[..texts].binary_search_by_key(ordinal, |item| item.ordinal) {
                ranked[at].semantic = true;
            } else {
                let segment = &self.segments[at];
                ranked.push(RankedItem {
                    segment: at,
                    item,
                    ordinal: *ordinal,
                    stale: segment.stale.contains(item),
                    doc_id: segment.index.fulltext.item_doc(item),
                    score: vector_score(*cosine),
                    semantic: true,
                });
            }
        }
        for item in &mut ranked {
            item.score = (item.score * HYBRID_STEPS).round() / HYBRID_STEPS;
        }
        ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.stale.cmp(&b.stale)).then(a.ordinal.cmp(&b.ordinal)));
        ranked
    }

    /// Name hits first, then the others.
    fn merge(&self, named: Vec<NamedItem>, ranked: Vec<RankedItem>, query: &Query<'_>) -> Vec<SearchHit> {
        let limit = query.request.limit;
        let mut hits: Vec<SearchHit> = Vec::with_capacity(limit);
        for NamedItem { segment, ordinal, hit, .. } in named.into_iter().take(limit) {
            let mut matched = vec![(hit.field, hit.kind)];
            let doc_id = self.segments[segment].index.fulltext.item_doc(hit.ordinal);
            self.add_text_matches(segment, hit.ordinal, doc_id, query, &mut matched);
            hits.push(SearchHit { ordinal, score: 1.0 + (hit.score / NAME_SCORE_MAX).clamp(0.0, 1.0), matched });
        }
        let name_hits = hits.len();
        for item in ranked {
            if hits.len() >= limit {
                break;
            }
            if hits[..name_hits].iter().any(|hit| hit.ordinal == item.ordinal) {
                continue;
            }
            let mut matched = Vec::new();
            self.add_text_matches(item.segment, item.item, item.doc_id, query, &mut matched);
            if item.semantic {
                matched.push((MatchField::Description, MatchKind::Semantic));
            }
            hits.push(SearchHit { ordinal: item.ordinal, score: item.score.clamp(0.0, 1.0), matched });
        }
        hits
    }

    /// Adds the fields in which an item's best document and its own document have words of the query.
    fn add_text_matches(
        &self,
        segment: usize,
        item: u32,
        doc_id: u32,
        query: &Query<'_>,
        matched: &mut Vec<(MatchField, MatchKind)>,
    ) {
        let (fulltext, words) = (&self.segments[segment].index.fulltext, &query.plans[segment].words);
        let own = fulltext.item_doc(item);
        let (mut literal, mut fuzzy) = fulltext.fields_with(words, own);
        if doc_id != own {
            let best = fulltext.fields_with(words, doc_id);
            (literal, fuzzy) = (literal | best.0, fuzzy | best.1);
        }
        for (mask, kind) in [(literal, MatchKind::Text), (fuzzy, MatchKind::Fuzzy)] {
            for field in match_fields(mask) {
                if !matched.iter().any(|(known, _)| *known == field) {
                    matched.push((field, kind));
                }
            }
        }
    }
}

/// The weight of text in a hybrid ranking, 0 to [`TEXT_WEIGHT_MAX`], given the best text score and the best cosine.
fn text_weight(best: f32, nearest: f32) -> f32 {
    (best / (best + EVEN_WEIGHTS_AT * nearest)).min(TEXT_WEIGHT_MAX)
}

/// At most [`QUERY_CHARS_MAX`] characters.
pub(super) fn cut(text: &str) -> &str {
    text.char_indices().nth(QUERY_CHARS_MAX).map_or(text, |(end, _)| &text[..end])
}
