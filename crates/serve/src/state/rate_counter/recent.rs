//! A map that keeps what was used last within a bound, by two generations: a full young map becomes the old one, and the previous old
//! one is dropped with everything that was not asked for in the meantime. An LRU list would keep order within the halves, at the price of
//! a write for each look.

use std::collections::HashMap;
use std::sync::Mutex;

use refdesk_core::parallel::locked;

use super::Counted;

/// Values of at most so many callers.
#[derive(Debug)]
pub(super) struct RecentMap<V> {
    /// Most callers in one of the maps.
    half: usize,
    /// The young map and the old one.
    maps: Mutex<[HashMap<Counted, V>; 2]>,
}

impl<V: Clone> RecentMap<V> {
    pub(super) fn new(callers_max: usize) -> Self {
        Self { half: (callers_max / 2).max(1), maps: Mutex::new([HashMap::new(), HashMap::new()]) }
    }

    /// The value of a caller; one that is not known gets a fresh one.
    pub(super) fn get_or_insert(&self, counted: Counted, fresh: impl FnOnce() -> V) -> V {
        let mut maps = locked(&self.maps);
        if let Some(known) = maps[0].get(&counted) {
            return known.clone();
        }
        let value = maps[1].remove(&counted).unwrap_or_else(fresh);
        Self::keep(&mut maps, self.half, counted, value.clone());
        value
    }

    pub(super) fn get(&self, counted: &Counted) -> Option<V> {
        let maps = locked(&self.maps);
        maps.iter().find_map(|map| map.get(counted)).cloned()
    }

    pub(super) fn insert(&self, counted: Counted, value: V) {
        let mut maps = locked(&self.maps);
        maps[1].remove(&counted);
        Self::keep(&mut maps, self.half, counted, value);
    }

    pub(super) fn remove(&self, counted: &Counted) {
        let mut maps = locked(&self.maps);
        for map in maps.iter_mut() {
            map.remove(counted);
        }
    }

    fn keep(maps: &mut [HashMap<Counted, V>; 2], half: usize, counted: Counted, value: V) {
        if maps[0].len() >= half {
            maps[1] = std::mem::take(&mut maps[0]);
        }
        maps[0].insert(counted, value);
    }

    /// Number of callers at this moment.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        let maps = locked(&self.maps);
        maps[0].len() + maps[1].len()
    }
}
