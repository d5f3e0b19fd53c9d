//! Field collapsing (Lucene's grouping by a field): one hit for a document, whatever versions and languages of it match.

use crate::snapshot::Snapshot;
use refdesk_core::Kind;
use refdesk_search::{SearchHit, SearchOutcome, SearchRequest};

/// Hits that are looked at for each that is wanted, where some are editions of one document.
const EDITIONS_PER_HIT: usize = 3;
/// Hits that are looked at for a better edition, whatever number is wanted: which edition is shown does not depend on it.
const EDITIONS_WITHIN: usize = 30;
/// An edition that scores this share of the best one may be shown in its place, if it is the current one or the one in English.
const ALIKE: f32 = 0.9;

/// Searches; of several editions of a document, one is a hit.
pub(super) fn search(snapshot: &Snapshot, request: &SearchRequest<'_>) -> SearchOutcome {
    let mut outcome = snapshot.search(request);
    let has_editions = |hit: &SearchHit| {
        let (segment, row) = snapshot.locate(hit.ordinal);
        !segment.editions(row).is_empty()
    };
    if outcome.hits.iter().any(has_editions) {
        let limit = (request.limit * EDITIONS_PER_HIT).max(EDITIONS_WITHIN);
        outcome = snapshot.search(&SearchRequest { limit, ..*request });
        collapse(snapshot, &mut outcome);
        outcome.hits.truncate(request.limit);
    }
    outcome
}

/// Leaves one hit of each document, and counts the documents. Whether more of them match beyond the hits is not known, so the count is exact
/// only if all matches were among these.
fn collapse(snapshot: &Snapshot, outcome: &mut SearchOutcome) {
    let count =
        |hits: &[SearchHit], kind: Kind| hits.iter().filter(|hit| snapshot.kind_of(hit.ordinal) == kind).count();
    let are_all = outcome.hits.len() == outcome.total;
    let found = Kind::ALL.map(|kind| count(&outcome.hits, kind));
    outcome.hits = one_of_each(snapshot, std::mem::take(&mut outcome.hits));
    let mut folded = 0;
    for ((kind, found), counted) in Kind::ALL.into_iter().zip(found).zip(&mut outcome.by_segment) {
        let editions = found - count(&outcome.hits, kind);
        *counted -= editions;
        folded += editions;
    }
    outcome.total -= folded;
    outcome.total_is_exact &= folded == 0 || are_all;
}

fn one_of_each(snapshot: &Snapshot, hits: Vec<SearchHit>) -> Vec<SearchHit> {
    let mut kept: Vec<SearchHit> = Vec::with_capacity(hits.len());
    // What was kept of each work: its first edition, its place among the kept, and how many editions are preferred to it.
    let mut works: Vec<(u32, usize, usize)> = Vec::new();
    for (place, hit) in hits.into_iter().enumerate() {
        let (segment, row) = snapshot.locate(hit.ordinal);
        let editions = segment.editions(row);
        let Some(first) = editions.first() else {
            kept.push(hit);
            continue;
        };
        let preference = editions.iter().position(|edition| *edition == row).unwrap_or_default();
        match works.iter_mut().find(|(work, ..)| work == first) {
            None => {
                works.push((*first, kept.len(), preference));
                kept.push(hit);
            }
            Some((_, at, known))
                if place < EDITIONS_WITHIN && preference < *known && hit.score >= kept[*at].score * ALIKE =>
            {
                *known = preference;
                kept[*at] = SearchHit { score: kept[*at].score, ..hit };
            }
            Some(_) => {}
        }
    }
    kept
}

/// Ids of the other editions of a hit.
pub(super) fn others(snapshot: &Snapshot, ordinal: u32) -> Vec<&str> {
    let (segment, row) = snapshot.locate(ordinal);
    let is_other = |edition: &&u32| **edition != row && snapshot.shows(segment.kind(), **edition);
    segment.editions(row).iter().filter(is_other).map(|edition| segment.id(*edition)).collect()
}
