//! The next generation made of the one before and what changed since.
//!
//! Facts have to do with each other only through their meetings ([`resolve::meetings`]), so resolving the changed facts and those
//! linked with them gives exactly the items that resolving all facts would. [`Snapshot::touched`] names them, the caller loads them,
//! [`Snapshot::update`] does the rest. Whatever is not sure to come out the same is refused; then the snapshot is built anew.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::make::{self, Made, Maker};
use super::merge::{Merged, merge};
use super::record::EvidenceRecord;
use super::stated::Lists;
use super::{Assembled, Snapshot, same_or_new, sources};
use crate::fact::StoredFact;
use crate::resolve;
use crate::route::Card;
use crate::{Kind, SourceInfo, Stamp};

/// With more than this share of all facts touched, in percent, a snapshot is built anew.
const TOUCHED_PERCENT_MAX: usize = 20;

/// What changed.
#[derive(Debug)]
pub struct Changes<'a> {
    /// The facts that [`Snapshot::touched`] names, by source, kind and key.
    pub facts: &'a [StoredFact],
    /// All sources that facts may name.
    pub sources: Vec<SourceInfo>,
    /// The clock.
    pub now: Stamp,
    /// One more than the generation before.
    pub generation: u64,
}

impl Snapshot {
    /// The store's numbers of the facts that an update needs, when `of_sources` are all facts of the sources that were synced since
    /// (their texts are not looked at). `None` when the snapshot is better built anew.
    pub fn touched(&self, of_sources: &[StoredFact], sources: &[SourceInfo], now: Stamp) -> Option<Vec<i64>> {
        if super::sources(sources).1 != self.sources {
            return None;
        }
        let mut slots: HashSet<u32> = HashSet::new();
        let mut given: HashSet<u32> = HashSet::new();
        let mut rows: Vec<i64> = Vec::new();
        let mut meetings: HashSet<u64> = HashSet::new();
        for fact in of_sources {
            let slot = self.slot(&fact.evidence_key());
            if let Some(slot) = slot {
                given.insert(slot);
                let known = &self.evidence[slot as usize];
                if (known.statement, known.standing, known.row) == (fact.statement, fact.standing, fact.row) {
                    continue;
                }
                slots.insert(slot);
            }
            rows.push(fact.row);
            meetings.extend(resolve::meetings(fact));
        }
        let synced: HashSet<&str> = of_sources.iter().map(|fact| &*fact.source_id).collect();
        for (slot, record) in self.evidence.iter().enumerate() {
            let slot = slot as u32;
            // A fact that is no longer in the store: not by a sync.
            if synced.contains(&*record.source.id) && !given.contains(&slot) {
                return None;
            }
            let reason = record.standing.stale_reason(record.source.stale_after_secs, now);
            if reason != record.stale_reason {
                slots.insert(slot);
            }
        }
        if rows.is_empty() && slots.is_empty() {
            return Some(rows);
        }
        // What the small layer of the search index holds is indexed again together with what comes now.
        let layered = self.items.iter().enumerate().filter(|(ordinal, _)| self.index.is_over(*ordinal as u32));
        slots.extend(layered.flat_map(|(_, item)| item.evidence.iter().copied()));
        self.linked(&mut slots, meetings)?;
        rows.extend(slots.into_iter().map(|slot| self.evidence[slot as usize].row));
        rows.sort_unstable();
        rows.dedup();
        Some(rows)
    }

    /// Adds all facts that meet some facts, and those that meet these, and so on. `None` when they are too many.
    fn linked(&self, slots: &mut HashSet<u32>, mut meetings: HashSet<u64>) -> Option<()> {
        let most = (self.evidence.len() * TOUCHED_PERCENT_MAX / 100).max(1_000);
        loop {
            let before = (slots.len(), meetings.len());
            meetings.extend(self.meetings.iter().filter(|(_, slot)| slots.contains(slot)).map(|(meeting, _)| *meeting));
            for meeting in &meetings {
                let start = self.meetings.partition_point(|(other, _)| other < meeting);
                let same = self.meetings[start..].iter().take_while(|(other, _)| other == meeting);
                slots.extend(same.map(|(_, slot)| *slot));
            }
            if slots.len() > most {
                return None;
            }
            if before == (slots.len(), meetings.len()) {
                return Some(());
            }
        }
    }

    /// Place of an evidence record.
    fn slot(&self, key: &str) -> Option<u32> {
        let at = self.evidence_by_key.binary_search_by(|at| (*self.evidence[*at as usize].key).cmp(key)).ok()?;
        Some(self.evidence_by_key[at])
    }

    /// The next generation. `None` when it is not sure to be what [`Snapshot::build`] would make.
    pub fn update(&self, changes: &Changes<'_>) -> Option<Self> {
        let Changes { facts, now, generation, .. } = *changes;
        let (sources, shared) = sources(&changes.sources);
        let records = make::evidence(facts, &shared, now);
        let Placed { slots, evidence, evidence_by_key } = self.placed(facts, &records);
        self.is_closed(facts, &slots)?;
        let maker = Maker { facts, evidence: &records, slots: &slots, sources: &sources, lists: Lists::default() };
        let mut held_back = Vec::new();
        let made: Vec<Made> =
            resolve::plan(facts, &sources).iter().map(|planned| maker.make(planned, &mut held_back)).collect();
        let merged = merge(self, &made, &slots)?;
        let touched: HashSet<(&str, &str)> = facts.iter().map(|fact| (&*fact.source_id, fact.key.as_str())).collect();
        let kept = self.held_back.iter().filter(|held| !touched.contains(&(&*held.source_id, held.key.as_str())));
        held_back.extend(kept.cloned());
        let (cards, card_ordinals) = self.updated_cards(&made, &merged);
        let router = (same_or_new(Some(&self.router), cards), card_ordinals);
        let meetings = self.updated_meetings(facts, &slots);
        let assembled = Assembled {
            lookup: merged.lookup,
            tables: merged.tables,
            items: merged.items,
            index: merged.index,
            evidence,
            evidence_by_key,
            held_back,
        };
        Some(assembled.finish(shared, meetings, router, generation, now))
    }

    /// `None` when facts that were not given are linked with given ones: something changed between looking and loading.
    fn is_closed(&self, facts: &[StoredFact], slots: &[u32]) -> Option<()> {
        let given: HashSet<u32> = slots.iter().copied().collect();
        let mut linked = given.clone();
        self.linked(&mut linked, facts.iter().flat_map(resolve::meetings).collect())?;
        (linked == given).then_some(())
    }

    /// The evidence with some records replaced and some added, and where those of `facts` stand.
    fn placed(&self, facts: &[StoredFact], records: &[Arc<EvidenceRecord>]) -> Placed {
        let mut placed = Placed {
            slots: Vec::with_capacity(facts.len()),
            evidence: self.evidence.clone(),
            evidence_by_key: self.evidence_by_key.clone(),
        };
        let mut added = false;
        for record in records {
            let slot = self.slot(&record.key).unwrap_or(placed.evidence.len() as u32);
            if slot as usize == placed.evidence.len() {
                placed.evidence.push(Arc::clone(record));
                placed.evidence_by_key.push(slot);
                added = true;
            } else {
                placed.evidence[slot as usize] = Arc::clone(record);
            }
            placed.slots.push(slot);
        }
        if added {
            let evidence = &placed.evidence;
            placed.evidence_by_key.sort_by(|a, b| evidence[*a as usize].key.cmp(&evidence[*b as usize].key));
        }
        placed
    }

    /// The router's cards with those of made frameworks in their places, and their ordinals.
    fn updated_cards(&self, made: &[Made], merged: &Merged) -> (Vec<Card>, Vec<u32>) {
        let known = self.router.cards().iter().map(|card| (card.id.clone(), card.clone()));
        let mut by_id: HashMap<String, Card> = known.collect();
        for made in made.iter().filter(|made| made.kind() == Kind::Framework) {
            by_id.remove(&made.item().id);
            by_id.extend(made.card().map(|card| (made.item().id.clone(), card)));
        }
        let frameworks = merged.lookup.range(Kind::Framework);
        frameworks.filter_map(|ordinal| Some((by_id.remove(&*merged.items[ordinal as usize].id)?, ordinal))).unzip()
    }

    fn updated_meetings(&self, facts: &[StoredFact], slots: &[u32]) -> Arc<Vec<(u64, u32)>> {
        let touched: HashSet<u32> = slots.iter().copied().collect();
        let mut meetings: Vec<(u64, u32)> =
            self.meetings.iter().filter(|(_, slot)| !touched.contains(slot)).copied().collect();
        for (fact, slot) in facts.iter().zip(slots) {
            meetings.extend(resolve::meetings(fact).into_iter().map(|meeting| (meeting, *slot)));
        }
        meetings.sort_unstable();
        Arc::new(meetings)
    }
}

/// See [`Snapshot::placed`].
struct Placed {
    slots: Vec<u32>,
    evidence: Vec<Arc<EvidenceRecord>>,
    evidence_by_key: Vec<u32>,
}
