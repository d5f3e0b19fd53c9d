//! The next generation made of the one before and what changed since.
//!
//! Facts have to do with each other only through their meetings ([`resolve::meetings`]), so resolving the changed facts and those
//! linked with them gives exactly the items that resolving all facts would. [`Snapshot::touched`] names them, the caller loads them,
//! [`Snapshot::update`] does the rest. Whatever is not sure to come out the same is refused; then the snapshot is built anew.

use std::collections::{HashMap, HashSet};

use super::Snapshot;
use super::build::{self, Assembled, same_or_new};
use super::make::{Made, Maker};
use super::merge::{Merged, merge};
use super::render::id_of;
use super::stated::ListsBuilder;
use crate::resolve::{self, Withheld};
use refdesk_core::fact::StoredFact;
use refdesk_core::{Kind, SourceInfo, Stamp, pace};
use refdesk_route::Card;

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
        if build::sources(sources).1 != self.sources {
            return None;
        }
        let mut slots: HashSet<u32> = HashSet::new();
        let mut given: HashSet<u32> = HashSet::new();
        let mut rows: Vec<i64> = Vec::new();
        let mut meetings: HashSet<u64> = HashSet::new();
        for fact in of_sources {
            if let Some(slot) = self.evidence.slot(fact.evidence_key()) {
                given.insert(slot);
                let known = self.evidence.get(slot);
                if (known.statement, known.standing, known.row) == (fact.statement, fact.standing, fact.row) {
                    continue;
                }
                slots.insert(slot);
            }
            rows.push(fact.row);
            meetings.extend(resolve::meetings(fact));
        }
        let synced: HashSet<&str> = of_sources.iter().map(|fact| &*fact.source_id).collect();
        for (record, slot) in pace::each(self.evidence.iter()).zip(0..) {
            // A fact that is no longer in the store: not by a sync.
            if synced.contains(&*record.source.id) && !given.contains(&slot) {
                return None;
            }
            if record.differs_at(now) {
                slots.insert(slot);
            }
        }
        if rows.is_empty() && slots.is_empty() {
            return Some(rows);
        }
        // What the small layer of the search index holds is indexed again together with what comes now.
        for ordinal in pace::each(0..self.item_count()).filter(|ordinal| self.index.is_over(*ordinal)) {
            slots.extend(self.item(ordinal).evidence());
        }
        self.linked(&mut slots, meetings)?;
        rows.extend(slots.into_iter().map(|slot| self.evidence.get(slot).row));
        rows.sort_unstable();
        rows.dedup();
        Some(rows)
    }

    /// Adds all facts that meet some facts, and those that meet these, and so on. `None` when they are too many.
    fn linked(&self, slots: &mut HashSet<u32>, mut meetings: HashSet<u64>) -> Option<()> {
        let most = (self.evidence.len() * TOUCHED_PERCENT_MAX / 100).max(1_000);
        loop {
            let before = (slots.len(), meetings.len());
            meetings.extend(self.meetings.of(slots));
            for meeting in &meetings {
                slots.extend(self.meetings.at(*meeting));
            }
            if slots.len() > most {
                return None;
            }
            if before == (slots.len(), meetings.len()) {
                return Some(());
            }
        }
    }

    /// The next generation. `None` when it is not sure to be what [`Snapshot::build`] would make.
    pub fn update(&self, changes: &Changes<'_>) -> Option<Self> {
        let Changes { facts, now, generation, .. } = *changes;
        let (sources, shared) = build::sources(&changes.sources);
        let (evidence, slots) = self.evidence.with(facts, &shared, now);
        self.is_closed(facts, &slots)?;
        let lists = ListsBuilder::after(&self.lists);
        let mut maker = Maker { facts, evidence: &evidence, slots: &slots, sources: &sources, now, lists, texts: None };
        let mut withheld = Vec::new();
        let made: Vec<Made> = resolve::plan(facts, &sources)
            .iter()
            .inspect(|_| pace::give_way())
            .map(|planned| maker.make(planned, &mut withheld))
            .collect();
        let merged = merge(self, &made, &slots)?;
        let named = |fact: &StoredFact| (fact.source_id.to_string(), fact.kind, fact.key.clone());
        let touched: HashSet<(String, Kind, String)> = facts.iter().map(named).collect();
        let is_kept =
            |known: &&Withheld| !touched.contains(&(known.source_id.to_string(), known.kind, known.key.clone()));
        let kept = self.withheld.iter().filter(is_kept);
        withheld.extend(kept.cloned());
        let (cards, card_ordinals) = self.updated_cards(&made, &merged);
        let router = (same_or_new(Some(&self.router), cards), card_ordinals);
        let (lists, texts) = (maker.lists.finish(), self.texts.clone());
        let meetings = self.meetings.changed(facts.iter().zip(slots));
        let Merged { items, tables, lookup, index } = merged;
        let assembled = Assembled { items, evidence, lists, lookup, tables, meetings, router, index, withheld, texts };
        Some(assembled.finish(shared, generation, now))
    }

    /// `None` when facts that were not given are linked with given ones: something changed between looking and loading.
    fn is_closed(&self, facts: &[StoredFact], slots: &[u32]) -> Option<()> {
        let given: HashSet<u32> = slots.iter().copied().collect();
        let mut linked = given.clone();
        self.linked(&mut linked, facts.iter().flat_map(resolve::meetings).collect())?;
        (linked == given).then_some(())
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
        let rows = (0..).map(|at| merged.tables[Kind::Framework.index()].row(at));
        rows.zip(frameworks).filter_map(|(row, ordinal)| Some((by_id.remove(id_of(row))?, ordinal))).unzip()
    }
}
