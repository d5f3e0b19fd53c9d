//! Figures of a snapshot.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::record::{EvidenceRecord, ItemRecord};
use super::{Lookup, Table};
use crate::fact::StaleReason;
use crate::resolve::HeldBack;
use crate::{Kind, Stamp};

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
    /// Prices held back.
    pub quarantined: usize,
}

impl Stats {
    /// Counts.
    pub(super) fn of(
        items: &[Arc<ItemRecord>],
        evidence: &[Arc<EvidenceRecord>],
        lookup: &Lookup,
        tables: &[Table; 7],
        held_back: &[HeldBack],
    ) -> Self {
        let mut stats = Self { row_bytes: tables.iter().map(Table::bytes).sum(), ..Self::default() };
        for kind in Kind::ALL {
            let range = lookup.range(kind);
            let of_kind = &items[range.start as usize..range.end as usize];
            let is_stale = |item: &&Arc<ItemRecord>| evidence[item.evidence[0] as usize].stale_reason.is_some();
            stats.by_kind[kind.index()] = (of_kind.len(), of_kind.iter().filter(is_stale).count());
        }
        for record in evidence {
            stats.count(record);
        }
        for held in held_back {
            stats.by_source.entry(Arc::clone(&held.source_id)).or_default().quarantined += 1;
        }
        stats
    }

    fn count(&mut self, record: &EvidenceRecord) {
        let source = match self.by_source.get_mut(&record.source.id) {
            Some(source) => source,
            None => self.by_source.entry(Arc::clone(&record.source.id)).or_default(),
        };
        source.facts += 1;
        source.stale += usize::from(record.stale_reason.is_some());
        source.quarantined += usize::from(record.quarantined);
        if record.stale_reason != Some(StaleReason::Removed) {
            let verified = record.standing.last_verified_at;
            self.oldest_verified_at = match (self.oldest_verified_at, verified) {
                (Some(oldest), Some(verified)) => Some(oldest.min(verified)),
                (oldest, verified) => oldest.or(verified),
            };
        }
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
