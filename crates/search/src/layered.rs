//! An index of many items and a small one of those that changed since, asked as one: a sync that touches a hundred of a million
//! items need not index the million again.
//!
//! The small layer takes over the statistics of the large one, so that scores compare. Answers are those of one index over all items,
//! but for the weights of words, which follow the large layer until the next one over everything is built.

use std::cmp::Ordering;
use std::sync::Arc;

use super::builder::IndexBuilder;
use super::fusion::SegmentContext;
use super::postings::tombstones::{NO_TOMBSTONES, Tombstones};
use super::{SearchIndex, SearchOutcome, SearchRequest};
use refdesk_core::pace;

/// A place without an item.
const NOBODY: u32 = u32::MAX;
/// Marks places in the small layer.
const OVER: u32 = 1 << 31;

/// See the module. Ordinals are those of the whole.
#[derive(Debug, Default, Clone)]
pub struct Layered {
    base: Arc<SearchIndex>,
    over: Option<Over>,
}

#[derive(Debug, Clone)]
struct Over {
    index: Arc<SearchIndex>,
    gone: Arc<Tombstones>,
    /// Ordinal of each item of the large layer.
    base_ordinals: Arc<[u32]>,
    /// Ordinal of each item of the small layer.
    ordinals: Arc<[u32]>,
    /// Place of each ordinal: an item of the large layer, or one of the small with [`OVER`].
    places: Arc<[u32]>,
}

impl Layered {
    /// One index over everything.
    pub fn whole(index: SearchIndex) -> Self {
        Self { base: Arc::new(index), over: None }
    }

    /// The one index over everything; `None` when there is a small layer over it.
    pub fn as_whole(&self) -> Option<&SearchIndex> {
        self.over.is_none().then_some(&*self.base)
    }

    /// True when there is a small layer.
    pub const fn has_layers(&self) -> bool {
        self.over.is_some()
    }

    /// True when the item at an ordinal is in the small layer, so that an update must bring it again.
    pub fn is_over(&self, ordinal: u32) -> bool {
        self.over.as_ref().is_some_and(|over| over.places[ordinal as usize] & OVER != 0)
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.over.as_ref().map_or(self.base.len(), |over| over.places.len())
    }

    /// True when there is no item.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The same large layer under a new small one. `kept` gives for every ordinal of before its ordinal now, where the item stays as it
    /// was indexed (never for one of the small layer); `changed` are the ordinals of all others in the order in which `over` has them.
    #[must_use]
    pub fn changed(&self, kept: &[Option<u32>], over: IndexBuilder, changed: &[u32]) -> Self {
        let items = kept.iter().flatten().count() + changed.len();
        let mut base_ordinals = vec![NOBODY; self.base.len()];
        let mut places = vec![NOBODY; items];
        for (before, now) in pace::each(kept).enumerate() {
            let Some(now) = *now else { continue };
            let place = self.over.as_ref().map_or(before as u32, |over| over.places[before]);
            base_ordinals[place as usize] = now;
            places[now as usize] = place;
        }
        for (place, ordinal) in changed.iter().enumerate() {
            places[*ordinal as usize] = place as u32 | OVER;
        }
        let docs = 0..base_ordinals.len() as u32;
        let gone = docs.filter(|doc| base_ordinals[*doc as usize] == NOBODY).collect::<Tombstones>();
        let over = Over {
            index: Arc::new(over.finish_over(&self.base)),
            gone: Arc::new(gone),
            base_ordinals: base_ordinals.into(),
            ordinals: changed.into(),
            places: places.into(),
        };
        Self { base: Arc::clone(&self.base), over: Some(over) }
    }

    /// Finds the best items for a request.
    pub fn search(&self, request: &SearchRequest<'_>) -> SearchOutcome {
        let Some(over) = &self.over else { return self.base.search(request) };
        let place = |ordinal: u32| over.places.get(ordinal as usize).copied();
        let base_beside = SegmentContext {
            tombstones: &over.gone,
            max_score: None,
            other_doc_freq: &|word| over.index.fulltext.doc_freq(word),
            global_ordinal: &|item| over.base_ordinals[item as usize],
            local_ordinal: &|ordinal| place(ordinal).filter(|place| place & OVER == 0),
        };
        let over_beside = SegmentContext {
            tombstones: &NO_TOMBSTONES,
            max_score: Some(self.base.max_score(request.text)),
            other_doc_freq: &|word| self.base.fulltext.doc_freq(word),
            global_ordinal: &|item| over.ordinals[item as usize],
            local_ordinal: &|ordinal| place(ordinal).filter(|place| place & OVER != 0).map(|place| place & !OVER),
        };
        let mut found = over.joined(
            self.base.search_segment(request, &base_beside),
            over.index.search_segment(request, &over_beside),
            request.limit,
            |ordinal| self.is_stale(ordinal),
        );
        if found.hits.is_empty() {
            let meant = over.joined(
                self.base.fuzzy_fallback(request, &base_beside),
                over.index.fuzzy_fallback(request, &over_beside),
                request.limit,
                |ordinal| self.is_stale(ordinal),
            );
            found = SearchOutcome { excluded_stale: found.excluded_stale, ..meant };
        }
        found
    }

    fn is_stale(&self, ordinal: u32) -> bool {
        let Some(over) = &self.over else { return self.base.is_stale(ordinal) };
        let place = over.places[ordinal as usize];
        if place & OVER == 0 { self.base.is_stale(place) } else { over.index.is_stale(place & !OVER) }
    }

    /// Ordinals of items with the nearest names ("did you mean"), best first.
    pub fn similar_names(&self, text: &str, groups: u8, limit: usize) -> Vec<u32> {
        let Some(over) = &self.over else { return self.base.similar_names(text, groups, limit) };
        let base = self.base.similar_names_with_scores(text, groups, limit, &over.gone).into_iter();
        let base = base.map(|(doc, alike)| (over.base_ordinals[doc as usize], alike));
        let more = over.index.similar_names_with_scores(text, groups, limit, &NO_TOMBSTONES).into_iter();
        let mut near: Vec<(u32, f32)> =
            base.chain(more.map(|(doc, alike)| (over.ordinals[doc as usize], alike))).collect();
        near.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        near.into_iter().take(limit).map(|(ordinal, _)| ordinal).collect()
    }

    /// Bytes the layers hold on the heap.
    pub fn heap_bytes(&self) -> usize {
        let of = |over: &Over| {
            over.index.heap_bytes() + (over.base_ordinals.len() + over.places.len() + over.ordinals.len()) * 4
        };
        self.base.heap_bytes() + self.over.as_ref().map_or(0, of)
    }
}

impl Over {
    /// What both layers found, as one ranking.
    fn joined(
        &self,
        base: SearchOutcome,
        over: SearchOutcome,
        limit: usize,
        is_stale: impl Fn(u32) -> bool,
    ) -> SearchOutcome {
        let mut joined = SearchOutcome {
            hits: Vec::with_capacity(base.hits.len() + over.hits.len()),
            total: base.total + over.total,
            excluded_stale: base.excluded_stale + over.excluded_stale,
            corrected: [base.corrected.as_slice(), &over.corrected].concat(),
        };
        for (outcome, ordinals) in [(base, &self.base_ordinals), (over, &self.ordinals)] {
            joined.hits.extend(outcome.hits.into_iter().map(|mut hit| {
                hit.ordinal = ordinals[hit.ordinal as usize];
                hit
            }));
        }
        joined.hits.sort_by(|a, b| match b.score.total_cmp(&a.score) {
            Ordering::Equal => is_stale(a.ordinal).cmp(&is_stale(b.ordinal)).then(a.ordinal.cmp(&b.ordinal)),
            order => order,
        });
        joined.hits.truncate(limit);
        joined
    }
}
