//! Figures of a snapshot.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::segment::{Segment, SourceStats, VerificationTimes};
use refdesk_search::{Bitmap, SearchIndex};

/// Figures of a snapshot for `/health`, `/v1/sources/status` and metrics.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stats {
    /// Items and stale items by kind.
    pub by_kind: [(usize, usize); 7],
    /// Facts of each source.
    pub by_source: BTreeMap<Arc<str>, SourceStats>,
    /// When facts were verified.
    pub verified: VerificationTimes,
    /// Bytes of all rendered rows.
    pub row_bytes: usize,
    /// Bytes of the search index.
    pub index_bytes: usize,
}

impl Stats {
    /// Adds up the figures of segments.
    pub(super) fn new(segments: &[Arc<Segment>; 7], index: &SearchIndex) -> Self {
        let mut stats = Self { index_bytes: index.heap_bytes(), ..Self::default() };
        for segment in segments {
            let of_kind = segment.stats();
            stats.by_kind[segment.kind().index()] = (segment.len() as usize, of_kind.stale);
            stats.row_bytes += segment.row_bytes();
            stats.verified.add(of_kind.verified);
            for (source, counts) in &of_kind.by_source {
                let sum = stats.by_source.entry(Arc::clone(source)).or_default();
                sum.facts += counts.facts;
                sum.stale += counts.stale;
                sum.withheld += counts.withheld;
            }
        }
        stats
    }

    /// The figures of what a view shows of these segments, by kind. What is told by source, and the bytes, stay those of all.
    pub(super) fn within(&self, segments: &[Arc<Segment>; 7], members: &[Bitmap]) -> Self {
        let mut stats = Self { verified: VerificationTimes::default(), ..self.clone() };
        for (segment, rows) in segments.iter().zip(members) {
            let of_kind = segment.stats_of(rows);
            stats.by_kind[segment.kind().index()] = (rows.len(), of_kind.stale);
            stats.verified.add(of_kind.verified);
        }
        stats
    }

    /// All items.
    pub fn total(&self) -> usize {
        self.by_kind.iter().map(|(total, _)| total).sum()
    }

    /// All stale items.
    pub fn stale(&self) -> usize {
        self.by_kind.iter().map(|(_, stale)| stale).sum()
    }
}
