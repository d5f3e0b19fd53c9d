//! Figures of a snapshot.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::chunks::Chunks;
use super::evidence::{Evidence, EvidenceRecord};
use super::record::ItemRecord;
use super::{Lookup, Table};
use crate::resolve::Withheld;
use refdesk_core::fact::StaleReason;
use refdesk_core::{Kind, Stamp, pace};

/// Figures of a snapshot for `/health`, `/v1/sources/status` and metrics.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stats {
    /// Items and stale items by kind.
    pub by_kind: [(usize, usize); 7],
    /// Items led by, and stale items led by, each source.
    pub by_source: BTreeMap<Arc<str>, SourceStats>,
    /// The oldest verification among live items.
    pub oldest_verified_at: Option<Stamp>,
    /// Bytes of all rendered rows.
    pub row_bytes: usize,
    /// Bytes of the search index.
    pub index_bytes: usize,
}

/// Figures of one source in a snapshot.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SourceStats {
    /// Facts of the source.
    pub facts: usize,
    /// Stale facts of the source.
    pub stale: usize,
    /// Prices that are withheld.
    pub withheld: usize,
}

impl Stats {
    /// Counts.
    pub(super) fn of(
        items: &Chunks,
        evidence: &Evidence,
        lookup: &Lookup,
        tables: &[Table; 7],
        withheld: &[Withheld],
    ) -> Self {
        let mut stats = Self { row_bytes: tables.iter().map(Table::bytes).sum(), ..Self::default() };
        for kind in Kind::ALL {
            stats.by_kind[kind.index()].0 = lookup.range(kind).len();
        }
        let is_stale: Vec<bool> = pace::each(evidence.iter()).map(|record| stats.count(&record)).collect();
        for (item, ordinal) in pace::each(items.iter()).zip(0..) {
            let stale = is_stale[ItemRecord::of(item).lead as usize];
            stats.by_kind[lookup.kind_of(ordinal).index()].1 += usize::from(stale);
        }
        for withheld in withheld {
            stats.by_source.entry(Arc::clone(&withheld.source_id)).or_default().withheld += 1;
        }
        stats
    }

    /// Counts a fact, and tells whether it is stale.
    fn count(&mut self, record: &EvidenceRecord<'_>) -> bool {
        let source = match self.by_source.get_mut(&record.source.id) {
            Some(source) => source,
            None => self.by_source.entry(Arc::clone(&record.source.id)).or_default(),
        };
        source.facts += 1;
        source.stale += usize::from(record.stale_reason.is_some());
        if record.stale_reason != Some(StaleReason::Removed) {
            let verified = record.known().last_verified_at;
            self.oldest_verified_at = match (self.oldest_verified_at, verified) {
                (Some(oldest), Some(verified)) => Some(oldest.min(verified)),
                (oldest, verified) => oldest.or(verified),
            };
        }
        record.stale_reason.is_some()
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
