//! One ranking out of both indexes of all segments: known-item hits first, then full-text hits. Hybrid search combines full text with
//! vector similarity by a convex combination of normalised scores (Bruch et al. 2023), which keeps score gaps that reciprocal rank
//! fusion throws away.

use super::best_docs::{BestDocs, Part, best_docs};
use super::fulltext::{FullTextIndex, PREFERRED_PERCENT, QueryPlan, TELLING_FIELDS, match_fields};
use super::names::{EXTRA_CANDIDATES, NameHit, NameIndex, NameQuery, NameScope, SORTED_MAX};
use super::postings::bitmap::{Bitmap, FreshnessFilter, ItemFilter};
use super::postings::inverted_index::InvertedIndex;
use super::postings::posting::Posting;
use super::postings::top_k::{QueryTerm, ScoredDoc};
use super::search_index::{Segment, cut};
use super::{
    CosineSimilarities, MatchField, MatchKind, NAME_SCORE_MIN, SearchHit, SearchIndex, SearchOutcome, SearchRequest,
};

/// Full-text hits that are ranked again, at least: with vectors, or by where they have the words. As many are found by vectors alone.
const RERANKED_DEPTH: usize = 200;
/// Items with a smaller cosine are not near: a question about nothing in the catalog finds nothing.
const COSINE_MIN: f32 = 0.2;
/// What is left of the score of a text that has the words of a need in none of its telling fields. By the questions of `eval/questions`:
/// .3, .5 and .7 find the same of the first half within five hits, and 1 (no second ranking) finds less.
const BURIED: f32 = 0.5;
/// Percent of the weight of typed words that words of the same meaning have.
const EXPANSION_PERCENT: u32 = 40;
/// Most that full text weighs in a hybrid ranking; the rest is vector similarity.
const TEXT_WEIGHT_MAX: f32 = 0.75;
/// Both weigh the same when the best text has this share of the highest possible score, per unit of the best cosine.
const EVEN_WEIGHTS_AT: f32 = 0.35;
/// Cosine of texts that have nothing to do with each other.
const UNRELATED_COSINE: f32 = 0.05;
/// Hybrid scores are rounded to this, so that rounding errors do not decide.
const HYBRID_STEPS: f32 = 4096.0;
/// What the name scores of preferred items gain: as much as a whole name is above a name that goes on.
const PREFERRED_NAME_BONUS: f32 = 0.7;
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

/// An item that was compared with the question.
#[derive(Debug, Clone, Copy)]
struct NearItem {
    segment: usize,
    /// Item of the segment.
    item: u32,
    ordinal: u32,
    cosine: f32,
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
    max_score: f32,
    freshness: FreshnessFilter,
    /// The segments that are searched; items name theirs by its place among these.
    segments: Vec<SearchedSegment<'a>>,
}

/// A segment that is searched.
struct SearchedSegment<'a> {
    /// Its position among all segments.
    position: usize,
    segment: &'a Segment,
    /// The items of it that may be found; all when there is none.
    only: Option<&'a Bitmap>,
    /// Of the kind that is meant.
    preferred: bool,
    /// Percent that its texts count more.
    gain: u32,
    /// The query in its terms.
    plan: QueryPlan,
}

impl<'a> SearchedSegment<'a> {
    fn fulltext(&self) -> &'a FullTextIndex {
        &self.segment.index.fulltext
    }

    fn names(&self) -> &'a NameIndex {
        &self.segment.index.names
    }

    fn filter(&self, freshness: FreshnessFilter) -> ItemFilter<'a> {
        ItemFilter { stale: &self.segment.stale, freshness, only: self.only }
    }

    /// One of its indexes, asked for some terms.
    fn part<'b, P: Posting>(
        &self,
        index: &'b InvertedIndex<P>,
        terms: &'b [QueryTerm],
        freshness: FreshnessFilter,
    ) -> Part<'b, P>
    where
        'a: 'b,
    {
        Part { index, terms, items: self.segment.index.len(), filter: self.filter(freshness) }
    }
}

impl SearchIndex {
    /// Finds the best items for a request.
    pub fn search(&self, request: &SearchRequest<'_>) -> SearchOutcome {
        let text = cut(request.text);
        let merged = self.terms.texts.plan(text);
        // Among the items that are meant, the words that say so tell nothing apart.
        let of_subject = request.subject.map(|subject| self.terms.texts.plan(cut(subject)));
        let expansions = self.terms.texts.plan_whole(request.expansions);
        let searched = |position: usize| {
            let (segment, stems) = (&self.segments[position], &self.terms.maps[position].stems);
            let preferred = request.preferred >> position & 1 == 1;
            let is_subject = preferred || !request.gains.is_empty();
            let of_subject = of_subject.as_ref().filter(|plan| is_subject && !plan.terms.is_empty());
            let mut plan = of_subject.unwrap_or(&merged).in_segment(stems);
            plan.add_weaker(&expansions.in_segment(stems), EXPANSION_PERCENT);
            let likelier = request.gains.get(position).copied().unwrap_or_default();
            let gain = if preferred { PREFERRED_PERCENT } else { likelier };
            plan.raise(gain);
            SearchedSegment { position, segment, only: request.only.get(position), preferred, gain, plan }
        };
        let segments = self.selected(request.groups).map(searched).collect();
        let freshness = if request.fresh_only { FreshnessFilter::Fresh } else { FreshnessFilter::All };
        let query = Query { request, text, max_score: merged.max_score.max(1.0), freshness, segments };
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
        let mut named = self.named(query, &parsed, query.freshness, request.limit.max(1));
        // Words that say the kind may be a part of the name, too: the whole is looked up first.
        if named.is_empty()
            && request.preferred != 0
            && let Some(subject) = request.subject
        {
            let parsed = self.terms.names.parse(subject, &self.terms.texts);
            named = self.named(query, &parsed, query.freshness, request.limit.max(1));
            named.retain(|named| query.segments[named.segment].preferred);
        }
        for named in &named {
            query.segments[named.segment].names().add_corrected(&parsed, &named.hit, &mut corrected);
        }
        let is_ranked_again = request.semantic.is_some() || !request.gains.is_empty();
        let depth = if is_ranked_again { request.limit.max(RERANKED_DEPTH) } else { request.limit }.max(1);
        let BestDocs { docs, mut totals, exact } = best_texts(query, query.freshness, depth);
        let mut ranked: Vec<RankedItem> = docs.into_iter().map(|(at, doc)| ranked_doc(query, at, doc)).collect();
        let is_mixed = ranked.iter().any(|item| item.segment != ranked[0].segment);
        if is_mixed && !request.gains.is_empty() {
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
        let excluded_stale = if request.fresh_only { self.excluded_stale(query, &parsed) } else { 0 };
        let by_segment = self.by_segment(query, &totals, &hits);
        let total = by_segment.iter().sum();
        SearchOutcome { hits, total, by_segment, total_is_exact: exact, excluded_stale, corrected }
    }

    /// A fallback for when nothing is found: items whose names look much like the query.
    fn fuzzy_fallback(&self, query: &Query<'_>, mut corrected: Vec<String>) -> SearchOutcome {
        let limit = query.request.limit;
        let similar_to = self.terms.names.trigram_query(query.text);
        let scopes: Vec<_> = query.segments.iter().map(|at| (at.position, at.filter(query.freshness))).collect();
        let mut found: Vec<Vec<NameHit>> = vec![Vec::new(); query.segments.len()];
        for (at, similar) in self.similar(&similar_to, &scopes, limit) {
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

    /// The best items by name over all searched segments. Names that begin like the query, and names that share its tokens, are scored;
    /// how many does not depend on the number of segments.
    fn named<'a>(
        &'a self,
        query: &Query<'a>,
        parsed: &NameQuery,
        freshness: FreshnessFilter,
        limit: usize,
    ) -> Vec<NamedItem> {
        if parsed.is_empty() {
            return Vec::new();
        }
        let scope = |at: &SearchedSegment<'a>| self.name_scope(at.position, at.filter(freshness), limit);
        let scopes: Vec<NameScope<'_>> = query.segments.iter().map(scope).collect();
        let local: Vec<NameQuery> = scopes.iter().map(|scope| parsed.in_segment(scope.map)).collect();
        let mut candidates: Vec<Vec<u32>> = vec![Vec::new(); query.segments.len()];
        for prefix in parsed.prefixes() {
            let mut names: Vec<(&str, u8, usize, u32)> = Vec::new();
            for (at, scope) in scopes.iter().enumerate() {
                let found = query.segments[at].names().with_key_prefix(prefix, scope);
                names.extend(found.map(|(key, demotion, name)| (key, demotion, at, name)));
            }
            names.sort_unstable();
            for (_, _, at, name) in names.into_iter().take(SORTED_MAX) {
                candidates[at].push(name);
            }
        }
        let terms: Vec<Vec<QueryTerm>> = local.iter().map(NameQuery::terms).collect();
        let pairs = query.segments.iter().zip(&terms);
        let parts: Vec<_> = pairs.map(|(at, terms)| at.part(&at.names().index, terms, freshness)).collect();
        for (at, doc) in best_docs(&parts, EXTRA_CANDIDATES + limit).docs {
            candidates[at].push(doc.doc_id);
        }
        best_names(query, limit, |at| {
            let names = std::mem::take(&mut candidates[at]);
            query.segments[at].names().score_candidates(&local[at], names, &scopes[at])
        })
    }

    /// Stale items that would have been found: exact when few (see [`SearchOutcome::total`]).
    fn excluded_stale(&self, query: &Query<'_>, parsed: &NameQuery) -> usize {
        if query.segments.iter().all(|searched| searched.segment.stale.is_empty()) {
            return 0;
        }
        let texts: usize = best_texts(query, FreshnessFilter::Stale, 1).totals.iter().sum();
        let named = self.named(query, parsed, FreshnessFilter::Stale, EXCLUDED_NAMES_MAX);
        texts + matched_by_name_alone(query, &named).count()
    }

    /// A convex combination of text and vector scores, each normalised by its best. The weight of text adapts to the query: the more of
    /// it the best text has, relative to the best cosine, the more text weighs. A question whose words hardly occur is left to vectors.
    fn combine(&self, texts: Vec<RankedItem>, similarities: &CosineSimilarities, query: &Query<'_>) -> Vec<RankedItem> {
        let best = texts.iter().map(|item| item.score).fold(f32::MIN_POSITIVE, f32::max);
        let mut near = self.compared(similarities, query);
        // Of all that may be found: where nothing is near, meaning still tells what is nearer.
        let nearest = near.iter().map(|near| near.cosine).fold(0.0, f32::max);
        let weight = text_weight(best, nearest);
        let vector_score = |cosine: f32| {
            let range = nearest - UNRELATED_COSINE;
            if range > 0.0 { (1.0 - weight) * ((cosine - UNRELATED_COSINE) / range).clamp(0.0, 1.0) } else { 0.0 }
        };
        let mut ranked = texts;
        for item in &mut ranked {
            let cosine = similarities.cosine(item.ordinal).unwrap_or(0.0);
            item.score = weight * item.score / best + vector_score(cosine) * preference(query, item.segment);
        }
        ranked.sort_unstable_by_key(|item| item.ordinal);
        let texts = ranked.len();
        near.retain(|near| near.cosine >= COSINE_MIN);
        near.sort_unstable_by(|a, b| b.cosine.total_cmp(&a.cosine).then(a.ordinal.cmp(&b.ordinal)));
        near.truncate(RERANKED_DEPTH);
        for NearItem { segment, item, ordinal, cosine } in near {
            if let Ok(at) = ranked[..texts].binary_search_by_key(&ordinal, |item| item.ordinal) {
                ranked[at].semantic = true;
            } else {
                let searched = &query.segments[segment];
                ranked.push(RankedItem {
                    segment,
                    item,
                    ordinal,
                    stale: searched.segment.stale.contains(item),
                    doc_id: searched.fulltext().item_doc(item),
                    score: vector_score(cosine) * preference(query, segment),
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

    /// Those of the compared items that may be found.
    fn compared(&self, similarities: &CosineSimilarities, query: &Query<'_>) -> Vec<NearItem> {
        let known = similarities.compared.iter().filter(|(ordinal, _)| (*ordinal as usize) < self.len());
        let near = |(ordinal, cosine): &(u32, f32)| {
            let (position, item) = self.locate(*ordinal);
            let segment = query.segments.iter().position(|searched| searched.position == position)?;
            let may_be_found = query.segments[segment].filter(query.freshness).includes(item);
            may_be_found.then_some(NearItem { segment, item, ordinal: *ordinal, cosine: *cosine })
        };
        known.filter_map(near).collect()
    }
}

/// Ranks texts of several segments again by where they have the words of a need: what is made for it says so in its title, its description
/// or its headings; a long text has any word somewhere. The length of a text is normalised within its segment, so that a segment of long
/// texts scores as high as one of short ones; within one segment nothing is to be corrected.
fn by_telling_fields(ranked: &mut [RankedItem], query: &Query<'_>) {
    for item in ranked.iter_mut() {
        let searched = &query.segments[item.segment];
        let fulltext = searched.fulltext();
        let own = fulltext.item_doc(item.item);
        let (mut found, mut telling) = (0, 0);
        for term in &searched.plan.terms {
            let of_item = fulltext.index.fields_at(term.term, own);
            let mask = of_item | if item.doc_id == own { 0 } else { fulltext.index.fields_at(term.term, item.doc_id) };
            found += if mask == 0 { 0 } else { term.weight };
            telling += if mask & TELLING_FIELDS == 0 { 0 } else { term.weight };
        }
        let share = telling as f32 / found.max(1) as f32;
        item.score *= BURIED + (1.0 - BURIED) * share;
    }
    ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.stale.cmp(&b.stale)).then(a.ordinal.cmp(&b.ordinal)));
}

/// The best documents by text over all searched segments.
fn best_texts(query: &Query<'_>, freshness: FreshnessFilter, limit: usize) -> BestDocs {
    let segments = query.segments.iter();
    let parts: Vec<_> = segments.map(|at| at.part(&at.fulltext().index, &at.plan.terms, freshness)).collect();
    best_docs(&parts, limit)
}

fn best_names(query: &Query<'_>, limit: usize, mut in_segment: impl FnMut(usize) -> Vec<NameHit>) -> Vec<NamedItem> {
    let mut named = Vec::new();
    for (at, searched) in query.segments.iter().enumerate() {
        let bonus = if searched.preferred { PREFERRED_NAME_BONUS } else { 0.0 };
        named.extend(in_segment(at).into_iter().map(|hit| NamedItem {
            segment: at,
            ordinal: searched.segment.first + hit.ordinal,
            stale: searched.segment.stale.contains(hit.ordinal),
            hit: NameHit { score: hit.score + bonus, ..hit },
        }));
    }
    named.sort_by(|a, b| {
        b.hit.score.total_cmp(&a.hit.score).then(a.stale.cmp(&b.stale)).then(a.ordinal.cmp(&b.ordinal))
    });
    named.truncate(limit);
    named
}

/// What the vector score of an item of a segment is multiplied with.
fn preference(query: &Query<'_>, segment: usize) -> f32 {
    factor(query.segments[segment].gain)
}

/// What a score is multiplied with that gains some percent.
fn factor(gain: u32) -> f32 {
    1.0 + gain as f32 / 100.0
}

fn ranked_doc(query: &Query<'_>, at: usize, doc: ScoredDoc) -> RankedItem {
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

/// Those of some items that match by their names alone: whose own documents have no term of the query.
fn matched_by_name_alone<'a>(query: &Query<'_>, named: &'a [NamedItem]) -> impl Iterator<Item = &'a NamedItem> {
    let has_term = |named: &&NamedItem| {
        let searched = &query.segments[named.segment];
        let doc_id = searched.fulltext().item_doc(named.hit.ordinal);
        searched.plan.terms.iter().any(|term| searched.fulltext().index.fields_at(term.term, doc_id) != 0)
    };
    named.iter().filter(move |named| !has_term(named))
}

/// How many of some items are in each searched segment, given the places of their segments.
fn per_segment(query: &Query<'_>, segments: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut counts = vec![0; query.segments.len()];
    segments.for_each(|at| counts[at] += 1);
    counts
}

/// Name hits first, then the others.
fn merge(named: Vec<NamedItem>, ranked: Vec<RankedItem>, query: &Query<'_>) -> Vec<SearchHit> {
    let limit = query.request.limit;
    let mut hits: Vec<SearchHit> = Vec::with_capacity(limit);
    for NamedItem { segment, ordinal, hit, .. } in named.into_iter().take(limit) {
        let mut matched = vec![(hit.field, hit.kind)];
        let doc_id = query.segments[segment].fulltext().item_doc(hit.ordinal);
        add_text_matches(segment, hit.ordinal, doc_id, query, &mut matched);
        hits.push(SearchHit { ordinal, score: NAME_SCORE_MIN + (hit.score / NAME_SCORE_MAX).clamp(0.0, 1.0), matched });
    }
    let name_hits = hits.len();
    // Scores stay between 0 and 1 whatever some of them gained.
    let highest = query.segments.iter().map(|at| at.gain).max().map_or(1.0, factor);
    for item in ranked {
        if hits.len() >= limit {
            break;
        }
        if hits[..name_hits].iter().any(|hit| hit.ordinal == item.ordinal) {
            continue;
        }
        let mut matched = Vec::new();
        add_text_matches(item.segment, item.item, item.doc_id, query, &mut matched);
        if item.semantic {
            matched.push((MatchField::Description, MatchKind::Semantic));
        }
        hits.push(SearchHit { ordinal: item.ordinal, score: (item.score / highest).clamp(0.0, 1.0), matched });
    }
    hits
}

/// Adds the fields in which an item's best document and its own document have words of the query.
fn add_text_matches(
    segment: usize,
    item: u32,
    doc_id: u32,
    query: &Query<'_>,
    matched: &mut Vec<(MatchField, MatchKind)>,
) {
    let (fulltext, words) = (query.segments[segment].fulltext(), &query.segments[segment].plan.words);
    let own = fulltext.item_doc(item);
    let synonyms = &query.segments[segment].plan.synonyms;
    let masks = |doc_id: u32| {
        let (literal, fuzzy) = fulltext.fields_with(words, doc_id);
        let of_synonyms = synonyms.iter().fold(0, |mask, term| mask | fulltext.index.fields_at(*term, doc_id));
        [literal, fuzzy, of_synonyms]
    };
    let mut found = masks(own);
    if doc_id != own {
        found.iter_mut().zip(masks(doc_id)).for_each(|(mask, best)| *mask |= best);
    }
    for (mask, kind) in found.into_iter().zip([MatchKind::Text, MatchKind::Fuzzy, MatchKind::Synonym]) {
        for field in match_fields(mask) {
            if !matched.iter().any(|(known, _)| *known == field) {
                matched.push((field, kind));
            }
        }
    }
}

/// The weight of text in a hybrid ranking, 0 to [`TEXT_WEIGHT_MAX`], given the best text score and the best cosine.
fn text_weight(best: f32, nearest: f32) -> f32 {
    (best / (best + EVEN_WEIGHTS_AT * nearest)).min(TEXT_WEIGHT_MAX)
}
