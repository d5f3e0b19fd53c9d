//! An index of many items and a small one of those that changed since, asked as one: a sync that touches a hundred of a million
//! items need not index the million again.
//!
//! The small layer takes over the statistics of the large one, so that scores compare. Answers are those of one index over all items,
//! but for the weights of words, which follow the large layer until the next one over everything is built.

use std::cmp::Ordering;
use std::sync::Arc;

use super::build::IndexBuilder;
use super::{Index, Outcome, Request};
use refdesk_core::pace;

/// A place without an item.
pub(super) const NOBODY: u32 = u32::MAX;
/// Marks places in the small layer.
const OVER: u32 = 1 << 31;

/// Items of a layer that are not to be found any more, one bit each; empty when there are none.
#[derive(Debug)]
pub(super) struct Gone(Vec<u64>);

impl Gone {
    fn of(docs: impl Iterator<Item = u32>) -> Self {
        let mut bits = Vec::new();
        for doc in docs {
            let word = doc as usize / 64;
            bits.resize(bits.len().max(word + 1), 0_u64);
            bits[word] |= 1 << (doc % 64);
        }
        Self(bits)
    }

    pub(super) fn has(&self, doc: u32) -> bool {
        self.0.get(doc as usize / 64).is_some_and(|word| word >> (doc % 64) & 1 == 1)
    }
}

/// What a layer must know of the other one.
pub(super) struct Beside<'a> {
    pub gone: &'a Gone,
    /// The score of an item that has every word of the query to the full, where the other layer says it.
    pub ideal: Option<f32>,
    /// Number of items of the other layer whose text has a word.
    pub others_with: &'a dyn Fn(&str) -> u32,
    /// Ordinal in the whole of an item of this layer.
    pub ordinal_of: &'a dyn Fn(u32) -> u32,
    /// Item of this layer at an ordinal of the whole.
    pub item_at: &'a dyn Fn(u32) -> Option<u32>,
}

impl Beside<'_> {
    /// A layer that is all there is.
    pub(super) fn alone() -> Beside<'static> {
        Beside {
            gone: &NONE_GONE,
            ideal: None,
            others_with: &|_| 0,
            ordinal_of: &std::convert::identity,
            item_at: &Some,
        }
    }
}

static NONE_GONE: Gone = Gone(Vec::new());

/// See the module. Ordinals are those of the whole.
#[derive(Debug, Default, Clone)]
pub struct Layered {
    base: Arc<Index>,
    over: Option<Over>,
}

#[derive(Debug, Clone)]
struct Over {
    index: Arc<Index>,
    gone: Arc<Gone>,
    /// Ordinal of each item of the large layer.
    base_ordinals: Arc<[u32]>,
    /// Ordinal of each item of the small layer.
    ordinals: Arc<[u32]>,
    /// Place of each ordinal: an item of the large layer, or one of the small with [`OVER`].
    places: Arc<[u32]>,
}

impl Layered {
    /// One index over everything.
    pub fn whole(index: Index) -> Self {
        Self { base: Arc::new(index), over: None }
    }

    /// The one index over everything; `None` when there is a small layer over it.
    pub fn as_whole(&self) -> Option<&Index> {
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
        let gone = Gone::of(docs.filter(|doc| base_ordinals[*doc as usize] == NOBODY));
        let over = Over {
            index: Arc::new(over.finish_beside(&self.base)),
            gone: Arc::new(gone),
            base_ordinals: base_ordinals.into(),
            ordinals: changed.into(),
            places: places.into(),
        };
        Self { base: Arc::clone(&self.base), over: Some(over) }
    }

    /// Finds the best items for a request.
    pub fn search(&self, request: &Request<'_>) -> Outcome {
        let Some(over) = &self.over else { return self.base.search(request) };
        let place = |ordinal: u32| over.places.get(ordinal as usize).copied();
        let base_beside = Beside {
            gone: &over.gone,
            ideal: None,
            others_with: &|word| over.index.needs.items_with(word),
            ordinal_of: &|item| over.base_ordinals[item as usize],
            item_at: &|ordinal| place(ordinal).filter(|place| place & OVER == 0),
        };
        let over_beside = Beside {
            gone: &NONE_GONE,
            ideal: Some(self.base.ideal(request.text)),
            others_with: &|word| self.base.needs.items_with(word),
            ordinal_of: &|item| over.ordinals[item as usize],
            item_at: &|ordinal| place(ordinal).filter(|place| place & OVER != 0).map(|place| place & !OVER),
        };
        let mut found = over.joined(
            self.base.find(request, &base_beside),
            over.index.find(request, &over_beside),
            request.limit,
            |ordinal| self.is_stale(ordinal),
        );
        if found.hits.is_empty() {
            let meant = over.joined(
                self.base.meant(request, &base_beside),
                over.index.meant(request, &over_beside),
                request.limit,
                |ordinal| self.is_stale(ordinal),
            );
            found = Outcome { excluded_stale: found.excluded_stale, ..meant };
        }
        found
    }

    fn is_stale(&self, ordinal: u32) -> bool {
        let Some(over) = &self.over else { return self.base.is_stale(ordinal) };
        let place = over.places[ordinal as usize];
        if place & OVER == 0 { self.base.is_stale(place) } else { over.index.is_stale(place & !OVER) }
    }

    /// Ordinals of items with the nearest names ("did you mean"), best first.
    pub fn near_names(&self, text: &str, groups: u8, limit: usize) -> Vec<u32> {
        let Some(over) = &self.over else { return self.base.near_names(text, groups, limit) };
        let base = self.base.alike_names(text, groups, limit, &over.gone).into_iter();
        let base = base.map(|(doc, alike)| (over.base_ordinals[doc as usize], alike));
        let more = over.index.alike_names(text, groups, limit, &NONE_GONE).into_iter();
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
    fn joined(&self, base: Outcome, over: Outcome, limit: usize, is_stale: impl Fn(u32) -> bool) -> Outcome {
        let mut joined = Outcome {
            hits: Vec::with_capacity(base.hits.len() + over.hits.len()),
            total: base.total + over.total,
            excluded_stale: base.excluded_stale + over.excluded_stale,
            corrected: [base.corrected.as_slice(), &over.corrected].concat(),
        };
        for (outcome, ordinals) in [(base, &self.base_ordinals), (over, &self.ordinals)] {
            joined.hits.extend(outcome.hits.into_iter().map(|mut hit| {
                hit.ord = ordinals[hit.ord as usize];
                hit
            }));
        }
        joined.hits.sort_by(|a, b| match b.score.total_cmp(&a.score) {
            Ordering::Equal => is_stale(a.ord).cmp(&is_stale(b.ord)).then(a.ord.cmp(&b.ord)),
            order => order,
        });
        joined.hits.truncate(limit);
        joined
    }
}
