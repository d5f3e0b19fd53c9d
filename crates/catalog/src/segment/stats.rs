//! Puts a segment together from its parts: everything that is derived from them, the figures and the digest among it.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use sha2::{Digest as _, Sha256};

use super::editions::Editions;
use super::evidence::EvidenceRecord;
use super::record::{self, ItemRecord};
use super::rows::listed::{Published, only_fresh};
use super::{Segment, SegmentParts};
use crate::columns::FreshColumns;
use refdesk_core::fact::StaleReason;
use refdesk_core::{Stamp, cooperative};
use refdesk_search::Bitmap;

/// Figures of a segment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SegmentStats {
    /// Stale items.
    pub stale: usize,
    /// Facts of each source.
    pub by_source: BTreeMap<Arc<str>, SourceStats>,
    /// When they were verified.
    pub verified: VerificationTimes,
}

/// When facts were verified.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct VerificationTimes {
    /// The oldest verification among live facts.
    pub oldest: Option<Stamp>,
    /// The newest.
    pub newest: Option<Stamp>,
    /// The oldest verification of a live item: that of the fact that leads it.
    pub oldest_of_item: Option<Stamp>,
}

impl VerificationTimes {
    /// Adds those of other facts.
    pub(crate) fn add(&mut self, other: Self) {
        self.oldest = self.oldest.into_iter().chain(other.oldest).min();
        self.newest = self.newest.into_iter().chain(other.newest).max();
        self.oldest_of_item = self.oldest_of_item.into_iter().chain(other.oldest_of_item).min();
    }
}

/// Figures of one source.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SourceStats {
    /// Facts of the source.
    pub facts: usize,
    /// Stale facts of the source.
    pub stale: usize,
    /// Prices that are withheld.
    pub withheld: usize,
}

impl Segment {
    pub(super) fn new(mut parts: SegmentParts, now: Stamp) -> Self {
        let mut stats = SegmentStats::default();
        let mut next_change_at: Option<Stamp> = None;
        let mut of_facts = Vec::with_capacity(parts.evidence.len());
        for record in cooperative::yielding(parts.evidence.iter()) {
            stats.count(&record);
            of_facts.push((record.stale_reason, record.known()));
            next_change_at = next_change_at.into_iter().chain(record.next_change_after(now)).min();
        }
        for withheld in &parts.withheld {
            stats.by_source.entry(Arc::clone(&withheld.source_id)).or_default().withheld += 1;
        }
        let (mut stale, mut candidates, mut moments, mut works) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (item, row) in cooperative::yielding(parts.items.iter()).map(ItemRecord::decode).zip(0..) {
            let (stale_reason, known) = of_facts[item.lead as usize];
            stale.extend(stale_reason.is_some().then_some(row));
            stats.count_item(stale_reason, known.last_verified_at);
            moments.push(known.last_verified_at);
            candidates.extend(item.candidate.then_some(row));
            works.extend(item.work.map(|work| (work, row)));
        }
        parts.columns.put_moments(parts.kind, &moments);
        let editions = Editions::new(works, parts.kind, &parts.columns);
        stats.stale = stale.len();
        let stale: Bitmap = stale.into_iter().collect();
        let rows = parts.items.len() as u32;
        let published = (!candidates.is_empty()).then(|| {
            let candidates: Bitmap = candidates.into_iter().collect();
            let numbers: Box<[u32]> = (0..rows).filter(|row| !candidates.contains(*row)).collect();
            let fresh = only_fresh(numbers.iter().copied(), &stale);
            Published { numbers, fresh }
        });
        let (digest, fresh) = (digest(&parts), only_fresh(0..rows, &stale));
        let (file, fresh_columns) = (OnceLock::new(), FreshColumns::default());
        Self {
            parts,
            digest,
            stale,
            fresh,
            published,
            editions,
            built_at: now,
            next_change_at,
            stats,
            file,
            fresh_columns,
        }
    }

    /// The figures of some items and of the facts that they rest on, but what of these facts is withheld.
    pub(crate) fn stats_of(&self, rows: &Bitmap) -> SegmentStats {
        let mut slots: Vec<u32> = Vec::new();
        rows.items().for_each(|row| slots.extend(self.item(row).evidence()));
        slots.sort_unstable();
        slots.dedup();
        let mut stats = SegmentStats::default();
        for slot in cooperative::yielding(slots) {
            stats.count(&self.parts.evidence.get(slot));
        }
        for lead in cooperative::yielding(rows.items()).map(|row| self.evidence_of(row)) {
            stats.count_item(lead.stale_reason, lead.known().last_verified_at);
        }
        stats.stale = rows.items().filter(|row| self.stale.contains(*row)).count();
        stats
    }
}

impl SegmentStats {
    /// Counts a fact.
    fn count(&mut self, record: &EvidenceRecord<'_>) {
        let source = match self.by_source.get_mut(&record.source.id) {
            Some(source) => source,
            None => self.by_source.entry(Arc::clone(&record.source.id)).or_default(),
        };
        source.facts += 1;
        source.stale += usize::from(record.stale_reason.is_some());
        if record.stale_reason != Some(StaleReason::Removed) {
            let verified = record.known().last_verified_at;
            self.verified.add(VerificationTimes { oldest: verified, newest: verified, oldest_of_item: None });
        }
    }

    /// Counts an item by the fact that leads it.
    fn count_item(&mut self, stale_reason: Option<StaleReason>, verified: Option<Stamp>) {
        if stale_reason != Some(StaleReason::Removed) {
            self.verified.add(VerificationTimes { oldest_of_item: verified, ..VerificationTimes::default() });
        }
    }
}

/// Hash over everything that answers are written of, so that it can stand for them in entity tags: rows, what details add to them,
/// and all evidence with its times.
fn digest(parts: &SegmentParts) -> [u8; 32] {
    let mut hasher = Sha256::new();
    cooperative::yielding(parts.items.iter()).for_each(|item| hasher.update(record::digest_of(item)));
    hasher.update([0]);
    cooperative::yielding(parts.evidence.digests()).for_each(|digest| hasher.update(digest));
    parts.evidence.times().add_to(&mut hasher);
    hasher.finalize().into()
}
