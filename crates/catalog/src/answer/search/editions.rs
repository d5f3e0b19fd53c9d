//! One hit for a document, whatever versions and languages of it match.

use crate::snapshot::Snapshot;
use refdesk_search::{SearchHit, SearchOutcome, SearchRequest};

/// Hits that are looked at for each that is wanted, where some are editions of one document.
const EDITIONS_PER_HIT: usize = 3;
/// An edition that scores this share of the best one may be shown in its place, if it is the current one or the one in English.
const ALIKE: f32 = 0.9;

/// Searches; of several editions of a document, one is a hit.
pub(super) fn search(snapshot: &Snapshot, request: &SearchRequest<'_>) -> SearchOutcome {
    let mut outcome = snapshot.search(request);
    let found = outcome.hits.len();
    outcome.hits = one_of_each(snapshot, outcome.hits);
    if outcome.hits.len() < found {
        outcome = snapshot.search(&SearchRequest { limit: request.limit * EDITIONS_PER_HIT, ..*request });
        outcome.hits = one_of_each(snapshot, outcome.hits);
        outcome.hits.truncate(request.limit);
    }
    outcome
}

fn one_of_each(snapshot: &Snapshot, hits: Vec<SearchHit>) -> Vec<SearchHit> {
    let mut kept: Vec<SearchHit> = Vec::with_capacity(hits.len());
    // What was kept of each work: its first edition, its place among the kept, and how many editions are preferred to it.
    let mut works: Vec<(u32, usize, usize)> = Vec::new();
    for hit in hits {
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
            Some((_, at, known)) if preference < *known && hit.score >= kept[*at].score * ALIKE => {
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
