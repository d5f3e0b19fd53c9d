//! Faults: the parts of the service that do not work at the moment, and why. `/health` lists them and `refdesk_fault` counts them.

use std::collections::BTreeMap;
use std::sync::Arc;

use arc_swap::ArcSwap;

/// Current faults by the part of the service they are in.
#[derive(Debug, Default)]
pub(super) struct Faults {
    by_part: ArcSwap<BTreeMap<&'static str, String>>,
}

impl Faults {
    /// Sets or clears the fault of a part.
    pub(super) fn set(&self, part: &'static str, fault: Option<String>) {
        if self.by_part.load().get(part) == fault.as_ref() {
            return;
        }
        self.by_part.rcu(|faults| {
            let mut faults = BTreeMap::clone(faults);
            match &fault {
                Some(fault) => drop(faults.insert(part, fault.clone())),
                None => drop(faults.remove(part)),
            }
            faults
        });
    }

    pub(super) fn all(&self) -> Arc<BTreeMap<&'static str, String>> {
        self.by_part.load_full()
    }
}
