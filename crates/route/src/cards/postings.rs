//! Weighted lists by number (compressed sparse rows): for each term the lines or cards that have it.

use refdesk_core::codec::packed;
use serde::{Deserialize, Serialize};

/// Lists of positions with weights, one behind the other.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Postings {
    #[serde(with = "packed")]
    entries: Vec<(u32, f32)>,
    /// End of each list in `entries`.
    #[serde(with = "packed")]
    ends: Vec<u32>,
}

impl Postings {
    pub(crate) fn push(&mut self, list: impl IntoIterator<Item = (u32, f32)>) {
        self.entries.extend(list);
        self.ends.push(self.entries.len() as u32);
    }

    /// Number of lists.
    pub(crate) const fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn list(&self, number: u32) -> &[(u32, f32)] {
        let at = number as usize;
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.entries[start as usize..self.ends[at] as usize]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &[(u32, f32)]> {
        (0..self.len() as u32).map(|number| self.list(number))
    }

    /// Whether all lists are there, and every position in them is below `positions`.
    pub(crate) fn is_sound(&self, lists: usize, positions: usize) -> bool {
        self.len() == lists
            && self.ends.is_sorted()
            && self.ends.last().is_none_or(|end| *end as usize == self.entries.len())
            && self.entries.iter().all(|(position, _)| (*position as usize) < positions)
    }
}

impl FromIterator<Vec<(u32, f32)>> for Postings {
    fn from_iter<I: IntoIterator<Item = Vec<(u32, f32)>>>(lists: I) -> Self {
        let mut postings = Self::default();
        lists.into_iter().for_each(|list| postings.push(list));
        postings
    }
}
