//! One ranking out of both indexes: known-item hits first, then full-text hits, in hybrid search combined with vector similarity by a
//! convex combination of normalised scores (Bruch et al. 2023), which keeps score gaps that reciprocal rank fusion throws away.

use super::fulltext::{QueryPlan, match_fields};
use super::names::{NameHit, NameScope};
use super::postings::doc_layout::{FreshnessFilter, GROUPS};
use super::postings::tombstones::{NO_TOMBSTONES, Tombstones};
use super::postings::top_k::top_k;
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

/// What an index must know when it is one of several segments of a whole.
pub(super) struct SegmentContext<'a> {
    pub tombstones: &'a Tombstones,
    /// The highest possible score, where another segment's statistics decide it.
    pub max_score: Option<f32>,
    /// Number of items of the other segments whose text has a word.
    pub other_doc_freq: &'a dyn Fn(&str) -> u32,
    /// Ordinal in the whole of an item of this segment.
    pub global_ordinal: &'a dyn Fn(u32) -> u32,
    /// Item of this segment with an ordinal of the whole.
    pub local_ordinal: &'a dyn Fn(u32) -> Option<u32>,
}

impl SegmentContext<'_> {
    /// An index that is the whole.
    pub(super) fn whole() -> SegmentContext<'static> {
        SegmentContext {
            tombstones: &NO_TOMBSTONES,
            max_score: None,
            other_doc_freq: &|_| 0,
            global_ordinal: &std::convert::identity,
            local_ordinal: &Some,
        }
    }
}

/// An item in the ranking behind the name hits.
#[derive(Debug, Clone, Copy)]
struct RankedItem {
    ordinal: u32,
    /// Doc id of its best document.
    doc_id: u32,
    score: f32,
    /// Among the nearest by vector similarity.
    semantic: bool,
}

impl SearchIndex {
    /// Finds the best items for a request.
    pub fn search(&self, request: &SearchRequest<'_>) -> SearchOutcome {
        let whole = SegmentContext::whole();
        let found = self.search_segment(request, &whole);
        if !found.hits.is_empty() {
            return found;
        }
        SearchOutcome { excluded_stale: found.excluded_stale, ..self.fuzzy_fallback(request, &whole) }
    }

    /// The highest score that an item can have for a text.
    pub(super) fn max_score(&self, text: &str) -> f32 {
        self.fulltext.plan(cut(text), &|_| 0).max_score
    }

    /// Finds the best items of a segment.
    pub(super) fn search_segment(&self, request: &SearchRequest<'_>, segment: &SegmentContext<'_>) -> SearchOutcome {
        let text = cut(request.text);
        let mut plan = self.fulltext.plan(text, segment.other_doc_freq);
        plan.max_score = segment.max_score.unwrap_or(plan.max_score);
        let freshness = if request.fresh_only { FreshnessFilter::Fresh } else { FreshnessFilter::All };
        let mut corrected = self.fulltext.corrections(&plan);
        let named = self.with_name_scope(request.groups, freshness, request.limit.max(1), segment, |scope| {
            self.names.search(text, scope, &mut corrected)
        });
        let depth = if request.semantic.is_some() { request.limit.max(HYBRID_DEPTH) } else { request.limit };
        let layout = &self.fulltext.index.layout;
        let ranges = layout.ranges(request.groups, freshness);
        let found = top_k(&self.fulltext.index, &plan.terms, &ranges, depth.max(1), segment.tombstones);
        let mut total = found.total;
        let texts = found.best.iter().map(|doc| RankedItem {
            ordinal: layout.parents[doc.doc_id as usize],
            doc_id: doc.doc_id,
            score: doc.score as f32 / plan.max_score.max(1.0),
            semantic: false,
        });
        let mut ranked: Vec<RankedItem> = texts.collect();
        if let Some(similarities) = request.semantic {
            ranked = self.combine(ranked, similarities, request.groups, freshness, segment);
            total = total.max(ranked.len());
        }
        total += named.iter().filter(|hit| !self.matches_text(hit.ordinal, &plan)).count();
        let hits = self.merge(named, ranked, &plan, request.limit);
        let excluded_stale = if request.fresh_only { self.excluded_stale(text, &plan, request, segment) } else { 0 };
        SearchOutcome { total: total.max(hits.len()), hits, excluded_stale, corrected }
    }

    /// A fallback for when nothing is found: items whose names look much like the query.
    pub(super) fn fuzzy_fallback(&self, request: &SearchRequest<'_>, segment: &SegmentContext<'_>) -> SearchOutcome {
        let text = cut(request.text);
        let freshness = if request.fresh_only { FreshnessFilter::Fresh } else { FreshnessFilter::All };
        let plan = self.fulltext.plan(text, segment.other_doc_freq);
        let mut corrected = self.fulltext.corrections(&plan);
        let named = self.with_name_scope(request.groups, freshness, request.limit, segment, |scope| {
            self.names.fuzzy_fallback(text, scope, &mut corrected)
        });
        let total = named.len();
        SearchOutcome { hits: self.merge(named, Vec::new(), &plan, request.limit), total, excluded_stale: 0, corrected }
    }

    /// Ordinals of the items with the most similar names ("did you mean"), best first.
    pub fn similar_names(&self, text: &str, groups: u8, limit: usize) -> Vec<u32> {
        let similar = self.similar_names_with_scores(text, groups, limit, &NO_TOMBSTONES);
        similar.into_iter().map(|(ordinal, _)| ordinal).collect()
    }

    /// The same in a segment, with the similarity.
    pub(super) fn similar_names_with_scores(
        &self,
        text: &str,
        groups: u8,
        limit: usize,
        tombstones: &Tombstones,
    ) -> Vec<(u32, f32)> {
        let ranges = self.names.index.layout.ranges(groups, FreshnessFilter::All);
        let similar = self.names.similar(cut(text), &ranges, limit, tombstones);
        similar.into_iter().map(|name| (name.ordinal, name.similarity)).collect()
    }

    fn with_name_scope<T>(
        &self,
        groups: u8,
        freshness: FreshnessFilter,
        limit: usize,
        segment: &SegmentContext<'_>,
        search: impl FnOnce(&NameScope<'_>) -> T,
    ) -> T {
        search(&NameScope {
            ranges: self.names.index.layout.ranges(groups, freshness),
            allowed: &|ordinal| self.is_allowed(ordinal, groups, freshness, segment),
            text_doc_freq: &|word| self.fulltext.doc_freq(word) + (segment.other_doc_freq)(word),
            same_stem: &|word, other| self.fulltext.same_stem(word, other),
            tombstones: segment.tombstones,
            limit,
        })
    }

    /// Whether an item passes the filters and is not deleted.
    fn is_allowed(&self, ordinal: u32, groups: u8, freshness: FreshnessFilter, segment: &SegmentContext<'_>) -> bool {
        let group = self.classes[ordinal as usize] as usize % GROUPS;
        freshness.includes(self.is_stale(ordinal)) && groups >> group & 1 == 1 && !segment.tombstones.contains(ordinal)
    }

    /// Stale items that would have been found: exact when few (see [`SearchOutcome::total`]).
    fn excluded_stale(
        &self,
        text: &str,
        plan: &QueryPlan,
        request: &SearchRequest<'_>,
        segment: &SegmentContext<'_>,
    ) -> usize {
        let ranges = self.fulltext.index.layout.ranges(request.groups, FreshnessFilter::Stale);
        if ranges.is_empty() {
            return 0;
        }
        let found = top_k(&self.fulltext.index, &plan.terms, &ranges, 1, segment.tombstones).total;
        let named =
            self.with_name_scope(request.groups, FreshnessFilter::Stale, EXCLUDED_NAMES_MAX, segment, |scope| {
                self.names.search(text, scope, &mut Vec::new())
            });
        found + named.iter().filter(|hit| !self.matches_text(hit.ordinal, plan)).count()
    }

    pub(super) fn is_stale(&self, ordinal: u32) -> bool {
        self.classes[ordinal as usize] as usize >= GROUPS
    }

    /// Whether an item's own document has a term of the query.
    fn matches_text(&self, ordinal: u32, plan: &QueryPlan) -> bool {
        let doc_id = self.fulltext.item_doc(ordinal);
        plan.terms.iter().any(|term| self.fulltext.index.fields_at(term.term, doc_id) != 0)
    }

    /// A convex combination of text and vector scores, each normalised by its best. The weight of text adapts to the query: the more of
    /// it the best text has, relative to the best cosine, the more text weighs. A question whose words hardly occur is left to vectors.
    fn combine(
        &self,
        texts: Vec<RankedItem>,
        similarities: &CosineSimilarities,
        groups: u8,
        freshness: FreshnessFilter,
        segment: &SegmentContext<'_>,
    ) -> Vec<RankedItem> {
        let best = texts.iter().map(|item| item.score).fold(f32::MIN_POSITIVE, f32::max);
        let nearest = similarities.nearest.iter().map(|(_, cosine)| *cosine).fold(0.0, f32::max);
        let weight = text_weight(best, nearest);
        let vector_score = |cosine: f32| {
            let range = nearest - UNRELATED_COSINE;
            if range > 0.0 { (1.0 - weight) * ((cosine - UNRELATED_COSINE) / range).clamp(0.0, 1.0) } else { 0.0 }
        };
        let cosine = |ordinal: u32| similarities.cosine((segment.global_ordinal)(ordinal)).unwrap_or(0.0);
        let mut ranked = texts;
        for item in &mut ranked {
            item.score = weight * item.score / best + vector_score(cosine(item.ordinal));
        }
        ranked.sort_unstable_by_key(|item| item.ordinal);
        let texts = ranked.len();
        for (global_ordinal, cosine) in &similarities.nearest {
            let ordinal = (segment.local_ordinal)(*global_ordinal).filter(|ordinal| (*ordinal as usize) < self.len());
            let Some(ordinal) = ordinal.filter(|ordinal| self.is_allowed(*ordinal, groups, freshness, segment)) else {
                continue;
            };
            if let Ok(at) = ranked[..texts].binary_search_by_key(&ordinal, |item| item.ordinal) {
                ranked[at].semantic = true;
            } else {
                let (doc_id, score) = (self.fulltext.item_doc(ordinal), vector_score(*cosine));
                ranked.push(RankedItem { ordinal, doc_id, score, semantic: true });
            }
        }
        for item in &mut ranked {
            item.score = (item.score * HYBRID_STEPS).round() / HYBRID_STEPS;
        }
        ranked.sort_by(|a, b| {
            let freshness = self.is_stale(a.ordinal).cmp(&self.is_stale(b.ordinal));
            b.score.total_cmp(&a.score).then(freshness).then(a.ordinal.cmp(&b.ordinal))
        });
        ranked
    }

    /// Name hits first, then the others.
    fn merge(
        &self,
        mut named: Vec<NameHit>,
        ranked: Vec<RankedItem>,
        plan: &QueryPlan,
        limit: usize,
    ) -> Vec<SearchHit> {
        named.sort_by(|a, b| {
            let freshness = self.is_stale(a.ordinal).cmp(&self.is_stale(b.ordinal));
            b.score.total_cmp(&a.score).then(freshness).then(a.ordinal.cmp(&b.ordinal))
        });
        let mut hits: Vec<SearchHit> = Vec::with_capacity(limit);
        for hit in named.into_iter().take(limit) {
            let mut matched = vec![(hit.field, hit.kind)];
            let doc_id = self.fulltext.item_doc(hit.ordinal);
            self.add_text_matches(doc_id, hit.ordinal, plan, &mut matched);
            let score = 1.0 + (hit.score / NAME_SCORE_MAX).clamp(0.0, 1.0);
            hits.push(SearchHit { ordinal: hit.ordinal, score, matched });
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
            self.add_text_matches(item.doc_id, item.ordinal, plan, &mut matched);
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
        doc_id: u32,
        ordinal: u32,
        plan: &QueryPlan,
        matched: &mut Vec<(MatchField, MatchKind)>,
    ) {
        let own = self.fulltext.item_doc(ordinal);
        let (mut literal, mut fuzzy) = (0, 0);
        for word in &plan.words {
            for term in &word.terms {
                let mut mask = self.fulltext.index.fields_at(*term, own);
                if doc_id != own {
                    mask |= self.fulltext.index.fields_at(*term, doc_id);
                }
                if word.fuzzy { fuzzy |= mask } else { literal |= mask }
            }
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
fn cut(text: &str) -> &str {
    text.char_indices().nth(QUERY_CHARS_MAX).map_or(text, |(end, _)| &text[..end])
}
