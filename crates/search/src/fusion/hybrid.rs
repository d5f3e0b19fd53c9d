//! Hybrid search: full text and vector similarity by a convex combination of normalised scores (Bruch et al. 2023), which keeps score gaps
//! that reciprocal rank fusion throws away.

use super::RERANKED_DEPTH;
use super::request::Query;
use super::rerank::RankedItem;
use crate::{CosineSimilarities, SearchIndex};

/// Items with a smaller cosine are not near: a question about nothing in the catalog finds nothing.
const COSINE_MIN: f32 = 0.2;
/// Most that full text weighs in a hybrid ranking; the rest is vector similarity.
const TEXT_WEIGHT_MAX: f32 = 0.75;
/// Both weigh the same when the best text has this share of the highest possible score, per unit of the best cosine.
const EVEN_WEIGHTS_AT: f32 = 0.35;
/// Cosine of texts that have nothing to do with each other.
const UNRELATED_COSINE: f32 = 0.05;
/// Hybrid scores are rounded to this, so that rounding errors do not decide.
const HYBRID_STEPS: f32 = 4096.0;

/// An item that was compared with the question.
#[derive(Debug, Clone, Copy)]
struct NearItem {
    segment: usize,
    /// Item of the segment.
    item: u32,
    ordinal: u32,
    cosine: f32,
}

impl SearchIndex {
    /// A convex combination of text and vector scores, each normalised by its best. The weight of text adapts to the query: the more of
    /// it the best text has, relative to the best cosine, the more text weighs. A question whose words hardly occur is left to vectors.
    pub(super) fn combine(
        &self,
        texts: Vec<RankedItem>,
        similarities: &CosineSimilarities,
        query: &Query<'_>,
    ) -> Vec<RankedItem> {
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
            item.score = weight * item.score / best + vector_score(cosine) * query.segments[item.segment].factor();
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
                    score: vector_score(cosine) * searched.factor(),
                    semantic: true,
                });
            }
        }
        for item in &mut ranked {
            item.score = (item.score * HYBRID_STEPS).round() / HYBRID_STEPS;
        }
        RankedItem::sort(&mut ranked);
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

/// The weight of text in a hybrid ranking, 0 to [`TEXT_WEIGHT_MAX`], given the best text score and the best cosine.
fn text_weight(best: f32, nearest: f32) -> f32 {
    (best / (best + EVEN_WEIGHTS_AT * nearest)).min(TEXT_WEIGHT_MAX)
}
