//! Which segments of a generation no longer say what the store, the sources and the clock do.

use std::collections::HashSet;

use super::Snapshot;
use crate::resolve::{Sources, sources_by_id};
use crate::segment::Segment;
use refdesk_core::fact::StoredFact;
use refdesk_core::{Kind, SourceInfo, Stamp, cooperative};

impl Snapshot {
    /// The kinds whose segments are to be built anew, when `of_sources` are all facts of the sources `synced` since (their texts are not
    /// looked at) and `sources` are all that speak.
    pub fn outdated(
        &self,
        of_sources: &[StoredFact],
        synced: &[&str],
        sources: &[SourceInfo],
        now: Stamp,
    ) -> Vec<Kind> {
        let sources = sources_by_id(sources);
        let is_outdated = |kind: &Kind| {
            let segment = self.segment(*kind);
            let facts = of_sources.iter().filter(|fact| fact.kind == *kind);
            names_another_source(segment, &sources) || differs(segment, facts, synced, now)
        };
        Kind::ALL.into_iter().filter(is_outdated).collect()
    }
}

/// Whether a source is gone, or is described otherwise than when the segment was built.
fn names_another_source(segment: &Segment, sources: &Sources) -> bool {
    segment.all_evidence().sources().iter().any(|known| sources.get(&known.id) != Some(known))
}

fn differs<'a>(segment: &Segment, facts: impl Iterator<Item = &'a StoredFact>, synced: &[&str], now: Stamp) -> bool {
    let evidence = segment.all_evidence();
    let mut stated = HashSet::new();
    for fact in facts {
        let Some(slot) = evidence.slot(fact.evidence_key()) else { return true };
        let known = evidence.get(slot);
        if (known.statement, known.standing, known.row) != (fact.statement, fact.standing, fact.row) {
            return true;
        }
        stated.insert(slot);
    }
    cooperative::yielding(evidence.iter()).zip(0..).any(|(record, slot)| {
        record.differs_at(now) || (synced.contains(&&*record.source.id) && !stated.contains(&slot))
    })
}
