//! Through what facts have to do with each other ([`resolve::meetings`]), as an index over the facts of a snapshot.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::fact::StoredFact;
use crate::image::packed;
use crate::resolve;

/// A meeting and the place of the evidence of a fact that has it. Three numbers of four bytes need no padding.
type Entry = [u32; 3];

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
        for (fact, slot) in facts {
            touched.insert(slot);
            entries.extend(resolve::meetings(fact).into_iter().map(|meeting| entry(meeting, slot)));
        }
        entries.extend(self.0.iter().filter(|[.., slot]| !touched.contains(slot)));
        entries.sort_unstable();
        entries.shrink_to_fit();
        Self(entries)
    }

    /// The places of all facts that have a meeting.
    pub fn at(&self, meeting: u64) -> impl Iterator<Item = u32> {
        let wanted = entry(meeting, 0);
        let start = self.0.partition_point(|entry| *entry < wanted);
        self.0[start..].iter().take_while(move |entry| entry[..2] == wanted[..2]).map(|[.., slot]| *slot)
    }

    /// The meetings of the facts at some places.
    pub fn of(&self, slots: &HashSet<u32>) -> impl Iterator<Item = u64> {
        let of_them = self.0.iter().filter(|[.., slot]| slots.contains(slot));
        of_them.map(|[high, low, _]| u64::from(*high) << 32 | u64::from(*low))
    }
}

fn entry(meeting: u64, slot: u32) -> Entry {
    [(meeting >> 32) as u32, meeting as u32, slot]
}
