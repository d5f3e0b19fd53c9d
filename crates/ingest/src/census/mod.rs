//! An accountant that did not do the reading: for every connector an independent count of what the upstream's answers hold.
//!
//! Items counted here = facts + versions + rejects + what was left out by name, or [`SyncCounts::uncounted`] says how many are missing.
//! Each connector declares how ([`CountMethod`]), and counts nothing: JSON is counted while it streams by ([`json`]), lists by their
//! lines ([`lines`]), archives by the entries that the shared unpacking gives ([`tarball`]). So a key that stands twice in an object,
//! which a parser drops silently, shows.
//! A count that is off refuses nothing, for that would freeze the source; it is told in the log, the report and the status.
//!
//! [`SyncCounts::uncounted`]: crate::store::SyncCounts::uncounted

mod json;
mod lines;
mod tarball;

use std::collections::BTreeMap;

use crate::connectors::{Answer, Connector, CountMethod, Target};

/// What an upstream holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CensusCount {
    /// All items.
    pub items: usize,
    /// The same by sort.
    pub by: BTreeMap<&'static str, usize>,
}

impl CensusCount {
    fn add(&mut self, sort: &'static str, count: usize) {
        if count > 0 {
            self.items += count;
            *self.by.entry(sort).or_default() += count;
        }
    }

    /// How many items are missing from `accounted`; fewer than none when more came out than went in.
    pub fn missing_from(&self, accounted: usize) -> i64 {
        let whole = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        whole(self.items) - whole(accounted)
    }

    /// `120 keys, 3 files`, for people.
    pub fn shown(&self) -> String {
        self.by.iter().map(|(sort, count)| format!("{count} {sort}")).collect::<Vec<_>>().join(", ")
    }
}

/// Counts what the answers of one pass hold, without the connector's code.
pub struct Census {
    method: CountMethod,
    target: Target,
    /// `None` before the first answer that could be counted.
    counted: Option<CensusCount>,
    /// An answer could not be read to its end: what was counted of it is no count of what it holds.
    is_broken: bool,
}

impl Census {
    /// The census of a connector's pass.
    pub fn new(connector: &Connector, target: &Target) -> Self {
        Self { method: connector.count, target: target.clone(), counted: None, is_broken: false }
    }

    /// Sees an answer, as the pass gets it.
    pub fn see(&mut self, answer: &Answer) {
        if answer.status != 200 {
            return;
        }
        let is_first = self.counted.is_none();
        let counted = self.counted.get_or_insert_default();
        match self.method {
            CountMethod::Json(rule) => self.is_broken |= !rule.count(&answer.body, is_first, counted),
            CountMethod::Tarball(rule) => *counted = rule.count(&self.target, answer),
            CountMethod::Lines(rule) if is_first => *counted = rule.count(&answer.body),
            CountMethod::Lines(_) => {}
        }
    }

    /// What the answers held. `None` when none came that could be counted.
    pub fn counted(self) -> Option<CensusCount> {
        self.counted.filter(|_| !self.is_broken)
    }
}
