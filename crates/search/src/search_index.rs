//! A segmented index (as Lucene's `DirectoryReader` over immutable segments) with global statistics: terms and their document frequencies are
//! merged over all segments when the index is put together, so a query is analysed once and a word weighs the same everywhere.

use std::sync::Arc;

use refdesk_core::cooperative;

use super::fulltext::TextTerms;
use super::names::{NameScope, NameTerms};
use super::postings::bitmap::{Bitmap, ItemFilter};
use super::postings::term_map::TermMap;
use super::text::folded;
use super::{SegmentIndex, SegmentSet};

/// The immutable index over all segments. Ordinals run on from segment to segment.
#[derive(Debug, Default)]
pub struct SearchIndex {
    pub(super) segments: Vec<Segment>,
    pub(super) terms: Arc<MergedTerms>,
    items: usize,
}

/// A segment, its place among the others, and what is stale of it.
#[derive(Debug)]
pub(super) struct Segment {
    pub index: Arc<SegmentIndex>,
    /// Ordinal of its first item.
    pub first: u32,
    pub stale: Bitmap,
}

#[derive(Debug, Default)]
pub(super) struct MergedTerms {
    pub texts: TextTerms,
    pub names: NameTerms,
    /// By segment.
    pub maps: Vec<TermMaps>,
}

/// The terms of a segment as merged ones.
#[derive(Debug)]
pub(super) struct TermMaps {
    pub stems: TermMap,
    pub names: TermMap,
}

impl MergedTerms {
    fn new(segments: &[Segment]) -> Self {
        let texts: Vec<_> = segments.iter().map(|segment| &segment.index.fulltext).collect();
        let names: Vec<_> = segments.iter().map(|segment| &segment.index.names).collect();
        let ((names, name_maps), (texts, stem_maps)) =
            cooperative::join(|| NameTerms::merge(&names), || TextTerms::merge(&texts));
        let maps = stem_maps.into_iter().zip(name_maps).map(|(stems, names)| TermMaps { stems, names });
        Self { texts, names, maps: maps.collect() }
    }
}

impl SearchIndex {
    /// An index over segments and the stale items of each; the position of a segment is its group. Merged terms are taken over from
    /// `before` where its segments are the same.
    pub fn new(segments: impl IntoIterator<Item = (Arc<SegmentIndex>, Bitmap)>, before: Option<&Self>) -> Self {
        let mut items = 0;
        let place = |(index, stale): (Arc<SegmentIndex>, Bitmap)| {
            let first = items as u32;
            items += index.len();
            Segment { index, first, stale }
        };
        let segments: Vec<Segment> = segments.into_iter().map(place).collect();
        let same = |before: &&Self| {
            let pairs = before.segments.iter().zip(&segments);
            before.segments.len() == segments.len() && pairs.into_iter().all(|(a, b)| Arc::ptr_eq(&a.index, &b.index))
        };
        let terms = match before.filter(same) {
            Some(before) => Arc::clone(&before.terms),
            None => Arc::new(MergedTerms::new(&segments)),
        };
        Self { segments, terms, items }
    }

    /// Number of items.
    pub const fn len(&self) -> usize {
        self.items
    }

    /// True when there is no item.
    pub const fn is_empty(&self) -> bool {
        self.items == 0
    }

    /// Whether a word of letters is one of some name.
    pub fn is_word_of_a_name(&self, word: &str) -> bool {
        self.terms.names.has_token(&folded(word))
    }

    /// Bytes that segments and merged terms hold on the heap.
    pub fn heap_bytes(&self) -> usize {
        let maps = self.terms.maps.iter().map(|maps| maps.stems.heap_bytes() + maps.names.heap_bytes()).sum::<usize>();
        let segments = self.segments.iter().map(|segment| segment.index.heap_bytes()).sum::<usize>();
        segments + maps + self.terms.texts.heap_bytes() + self.terms.names.heap_bytes()
    }

    /// The positions of those of some segments that have items.
    pub(super) fn selected(&self, segments: SegmentSet) -> impl Iterator<Item = usize> {
        (0..self.segments.len()).filter(move |at| segments.contains(*at) && !self.segments[*at].index.is_empty())
    }

    /// The segment of an ordinal, and the item in it.
    pub(super) fn locate(&self, ordinal: u32) -> (usize, u32) {
        let at = self.segments.partition_point(|segment| segment.first <= ordinal).saturating_sub(1);
        (at, ordinal - self.segments[at].first)
    }

    pub(super) fn name_scope<'a>(&'a self, segment: usize, filter: ItemFilter<'a>) -> NameScope<'a> {
        NameScope { names: &self.terms.names, map: &self.terms.maps[segment].names, texts: &self.terms.texts, filter }
    }
}
