//! The hits of an answer: items found by name first, then the others, each with the fields that have words of the query.

use super::named::NamedItem;
use super::request::{Query, SearchedSegment};
use super::rerank::RankedItem;
use crate::fulltext::match_fields;
use crate::{MatchField, MatchKind, SearchHit};

/// Name hits first, then the others.
pub(super) fn merge(named: Vec<NamedItem>, ranked: Vec<RankedItem>, query: &Query<'_>) -> Vec<SearchHit> {
    let limit = query.request.limit;
    let mut hits: Vec<SearchHit> = Vec::with_capacity(limit);
    hits.extend(named.into_iter().take(limit).map(|named| named_hit(named, query)));
    let mut by_name: Vec<u32> = hits.iter().map(|hit| hit.ordinal).collect();
    by_name.sort_unstable();
    // Scores stay between 0 and 1 whatever some of them gained, and as far apart as they are.
    let highest = query.segments.iter().map(SearchedSegment::factor).fold(1.0, f32::max);
    let best = ranked.iter().map(|item| item.score / highest).fold(1.0, f32::max);
    for item in ranked {
        if hits.len() >= limit {
            break;
        }
        if by_name.binary_search(&item.ordinal).is_ok() {
            continue;
        }
        let mut matched = Vec::new();
        add_text_matches(item.segment, item.item, item.doc_id, query, &mut matched);
        if item.semantic {
            matched.push((MatchField::Description, MatchKind::Semantic));
        }
        hits.push(SearchHit { ordinal: item.ordinal, score: (item.score / highest / best).max(0.0), matched });
    }
    hits
}

/// Adds what is found by name besides, as far as there is room for it, behind all other hits: a short answer begins like a long one.
pub(super) fn add_last(named: Vec<NamedItem>, query: &Query<'_>, hits: &mut Vec<SearchHit>) {
    let least = hits.last().map_or(f32::INFINITY, |hit| hit.score);
    let room = query.request.limit.saturating_sub(hits.len());
    let last = named.into_iter().take(room).map(|named| named_hit(named, query));
    hits.extend(last.map(|hit| SearchHit { score: hit.score.min(least), ..hit }));
}

fn named_hit(named: NamedItem, query: &Query<'_>) -> SearchHit {
    let score = named.answer_score();
    let NamedItem { segment, ordinal, hit, .. } = named;
    let mut matched = vec![(hit.field, hit.kind)];
    let doc_id = query.segments[segment].fulltext().item_doc(hit.ordinal);
    add_text_matches(segment, hit.ordinal, doc_id, query, &mut matched);
    SearchHit { ordinal, score, matched }
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
