//! Through what facts have to do with each other ([`resolve::meetings`]), as an index over the facts of a snapshot.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::resolve;
use refdesk_core::codec::packed;
use refdesk_core::fact::StoredFact;
use refdesk_core::pace;

/// The upper half of a meeting, and the place of the evidence of a fact that has it. Half is enough: that two meetings are taken for one is
/// rare, and costs looking at a fact that has nothing to do with the others.
type Entry = [u32; 2];

/// The meetings of all facts, sorted.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Meetings(#[serde(with = "packed")] Vec<Entry>);

impl Meetings {
    /// The meetings of facts whose evidence stands at `slots`.
    pub fn build<'a>(facts: impl Iterator<Item = (&'a StoredFact, u32)>) -> Self {
        Self::default().changed(facts)
    }

    /// The meetings after some facts came or changed.
    #[must_use]
    pub fn changed<'a>(&self, facts: impl Iterator<Item = (&'a StoredFact, u32)>) -> Self {
        let mut touched = HashSet::new();
        let mut entries = Vec::with_capacity(self.0.len());
        for (fact, slot) in pace::each(facts) {
            touched.insert(slot);
            entries.extend(resolve::meetings(fact).into_iter().map(|meeting| entry(meeting, slot)));
        }
        entries.extend(pace::each(&self.0).filter(|[_, slot]| !touched.contains(slot)));
        pace::sort(&mut entries);
        entries.shrink_to_fit();
        Self(entries)
    }

    /// The places of all facts that have a meeting.
    pub fn at(&self, meeting: u64) -> impl Iterator<Item = u32> {
        let wanted = entry(meeting, 0);
        let start = self.0.partition_point(|entry| *entry < wanted);
        self.0[start..].iter().take_while(move |entry| entry[0] == wanted[0]).map(|[_, slot]| *slot)
    }

    /// The meetings of the facts at some places.
    pub fn of(&self, slots: &HashSet<u32>) -> impl Iterator<Item = u64> {
        pace::each(&self.0).filter(|[_, slot]| slots.contains(slot)).map(|[meeting, _]| u64::from(*meeting) << 32)
    }
}

fn entry(meeting: u64, slot: u32) -> Entry {
    [(meeting >> 32) as u32, slot]
}
