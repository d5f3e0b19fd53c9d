//! Field collapsing (Lucene's grouping by a field): one hit for a document, whatever versions and languages of it match.

use crate::json::Object;
use crate::segment::Segment;
use crate::snapshot::Snapshot;
use refdesk_core::Kind;
use refdesk_core::item::Status;
use refdesk_search::{Bitmap, SearchHit, SearchOutcome, SearchRequest};

/// Hits that are looked at for each that is wanted, where some are editions of one document.
const EDITIONS_PER_HIT: usize = 3;
/// Hits that are looked at for a full answer: thousands of editions of a few documents must not make every search for their words a slow one.
const EDITIONS_LOOKED_AT: usize = 2_000;
/// Hits that are looked at for a better edition, whatever number is wanted: which edition is shown does not depend on it.
const EDITIONS_WITHIN: usize = 30;
/// An edition that scores this share of the best one, or has this share of the words by their weight, may be shown in its place, if it is the
/// current one or the one in English.
const ALIKE: f32 = 0.9;

/// Searches; of several editions of a document, one is a hit, and all that match count as one.
pub(super) fn search(snapshot: &Snapshot, request: &SearchRequest<'_>) -> SearchOutcome {
    let mut outcome = snapshot.search(request);
    if are_among(snapshot, &outcome.hits) {
        let mut looked_at = (request.limit * EDITIONS_PER_HIT).max(EDITIONS_WITHIN);
        loop {
            outcome = snapshot.search(&SearchRequest { limit: looked_at, ..*request });
            let is_all = outcome.hits.len() < looked_at || looked_at >= EDITIONS_LOOKED_AT;
            outcome.hits = one_of_each(snapshot, std::mem::take(&mut outcome.hits));
            if is_all || outcome.hits.len() >= request.limit {
                break;
            }
            // The best may all be editions of a few documents.
            looked_at = (looked_at * 2).min(EDITIONS_LOOKED_AT);
        }
    }
    count_works(snapshot, &mut outcome);
    outcome.hits.truncate(request.limit);
    show_preferred(snapshot, request, &mut outcome.hits);
    outcome
}

/// Shows of each document that is not called by name the edition which is preferred to the one that was found, where it has about as much of
/// what is looked for, however it scores: a longer text scores less. A question in another language has words that only its own editions have.
fn show_preferred(snapshot: &Snapshot, request: &SearchRequest<'_>, hits: &mut [SearchHit]) {
    let better = |hit: &SearchHit| {
        let better = preferred(snapshot, hit.ordinal);
        let (kind, row) = (snapshot.kind_of(better), snapshot.locate(better).1);
        let may_be_found = request.only.get(kind.index()).is_none_or(|only| only.contains(row));
        let is_stale = request.fresh_only && snapshot.evidence_of(better).stale_reason.is_some();
        (better != hit.ordinal && may_be_found && !is_stale && !hit.is_named()).then_some(better)
    };
    let pairs: Vec<(usize, u32, u32)> =
        hits.iter().enumerate().filter_map(|(at, hit)| Some((at, hit.ordinal, better(hit)?))).collect();
    if pairs.is_empty() {
        return;
    }
    let coverage = snapshot.coverage(request, pairs.iter().flat_map(|(_, found, better)| [*found, *better]));
    for ((at, _, better), covered) in pairs.into_iter().zip(coverage.of_items.chunks_exact(2)) {
        if covered[1] as f32 >= covered[0] as f32 * ALIKE {
            hits[at].ordinal = better;
        }
    }
}

/// Whether there are documents with several editions among hits.
pub(super) fn are_among(snapshot: &Snapshot, hits: &[SearchHit]) -> bool {
    let has_editions = |hit: &SearchHit| {
        let (segment, row) = snapshot.locate(hit.ordinal);
        !segment.editions(row).is_empty()
    };
    hits.iter().any(has_editions)
}

/// Counts documents, whatever number of editions of them match. Where not every match was counted, nobody knows how many of them are
/// editions of one document: all that there are may be among them.
fn count_works(snapshot: &Snapshot, outcome: &mut SearchOutcome) {
    for (kind, count) in Kind::ALL.into_iter().zip(&mut outcome.by_segment) {
        let most = snapshot.segment(kind).surplus_editions();
        if most == 0 || *count == 0 {
            continue;
        }
        let matched = outcome.matched.get(kind.index());
        let surplus = matched.map_or(most, |matched| surplus_of(snapshot.segment(kind), matched));
        let shown = outcome.hits.iter().filter(|hit| snapshot.kind_of(hit.ordinal) == kind).count();
        *count = count.saturating_sub(surplus).max(shown);
    }
    outcome.total = outcome.by_segment.iter().sum();
}

/// How many more of some items of a segment there are than documents that they are editions of.
fn surplus_of(segment: &Segment, matched: &Bitmap) -> usize {
    let mut works: Vec<u32> = matched.items().filter_map(|row| segment.editions(row).first().copied()).collect();
    let editions = works.len();
    works.sort_unstable();
    works.dedup();
    editions - works.len()
}

fn one_of_each(snapshot: &Snapshot, hits: Vec<SearchHit>) -> Vec<SearchHit> {
    let mut kept: Vec<SearchHit> = Vec::with_capacity(hits.len());
    // What was kept of each work: its first edition, its place among the kept, and how many editions are preferred to it.
    let mut works: Vec<(u32, usize, usize)> = Vec::new();
    for (place, hit) in hits.into_iter().enumerate() {
        let (segment, row) = snapshot.locate(hit.ordinal);
        let Some(first) = segment.editions(row).first() else {
            kept.push(hit);
            continue;
        };
        let preference = shown(snapshot, hit.ordinal).position(|edition| edition == hit.ordinal).unwrap_or(usize::MAX);
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

/// Of the editions of a text the one that is shown before the others: the current one, in English.
pub(in crate::answer) fn preferred(snapshot: &Snapshot, ordinal: u32) -> u32 {
    shown(snapshot, ordinal).next().unwrap_or(ordinal)
}

/// The editions of a text that are shown, the one to prefer first. What its source took down is none: nobody is led there.
fn shown(snapshot: &Snapshot, ordinal: u32) -> impl Iterator<Item = u32> {
    let (segment, row) = snapshot.locate(ordinal);
    let kind = segment.kind();
    let editions = segment.editions(row);
    let status = if editions.is_empty() { None } else { segment.column("status") };
    let is_listed = move |row: u32| status.and_then(|column| column.value(row)) != Some(Status::Removed.as_str());
    let shown = editions.iter().copied().filter(move |row| snapshot.shows(kind, *row) && is_listed(*row));
    shown.map(move |row| snapshot.ordinal(kind, row))
}

/// Shows documents in a language, where they have an edition in it.
pub(super) fn show_in(snapshot: &Snapshot, language: &str, hits: &mut [SearchHit]) {
    for hit in hits {
        let (segment, row) = snapshot.locate(hit.ordinal);
        let Some(languages) = segment.column("language") else { continue };
        let is_in = |row: u32| languages.value(row) == Some(language);
        let is_shown = |edition: &&u32| is_in(**edition) && snapshot.shows(segment.kind(), **edition);
        if !is_in(row)
            && let Some(edition) = segment.editions(row).iter().find(is_shown)
        {
            hit.ordinal = snapshot.ordinal(segment.kind(), *edition);
        }
    }
}

/// The other editions of a text, the one to prefer first.
pub fn others(snapshot: &Snapshot, ordinal: u32) -> impl Iterator<Item = u32> {
    shown(snapshot, ordinal).filter(move |edition| *edition != ordinal)
}

/// Ids of the other editions of an item, into an open object; nothing where it is the only one.
pub(in crate::answer) fn write_others(snapshot: &Snapshot, ordinal: u32, object: &mut Object<'_>) {
    let others: Vec<&str> = others(snapshot, ordinal).map(|edition| snapshot.id(edition)).collect();
    if !others.is_empty() {
        object.value("variants", &others);
    }
}
