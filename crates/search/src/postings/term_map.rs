//! The terms of a segment as terms of the merged dictionary over all segments (Lucene's `OrdinalMap`).

use super::dictionary::Dictionary;
use refdesk_core::pace;

/// The merged term of each term of a segment. Both dictionaries are sorted, so the numbers rise.
#[derive(Debug, Default)]
pub(crate) struct TermMap(Box<[u32]>);

impl TermMap {
    /// The merged term of a segment's term.
    pub(crate) fn merged(&self, local: u32) -> u32 {
        self.0[local as usize]
    }

    /// The segment's term that a merged term is, if the segment has it.
    pub(crate) fn local(&self, merged: u32) -> Option<u32> {
        self.0.binary_search(&merged).ok().map(|local| local as u32)
    }

    /// (segment's term, merged term), rising.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, u32)> {
        (0..).zip(self.0.iter().copied())
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.0.len() * 4
    }
}

/// Merges sorted dictionaries into one; returns with it the map of each.
pub(crate) fn merge(dictionaries: &[&Dictionary]) -> (Dictionary, Vec<TermMap>) {
    let mut next = vec![0_u32; dictionaries.len()];
    let mut maps: Vec<Vec<u32>> = dictionaries.iter().map(|words| Vec::with_capacity(words.len())).collect();
    let (mut arena, mut starts) = (String::new(), Vec::new());
    let word_at =
        |at: usize, next: u32| ((next as usize) < dictionaries[at].len()).then(|| dictionaries[at].word(next));
    while let Some(word) = (0..dictionaries.len()).filter_map(|at| word_at(at, next[at])).min() {
        pace::give_way();
        let merged = starts.len() as u32;
        for at in 0..dictionaries.len() {
            if word_at(at, next[at]) == Some(word) {
                maps[at].push(merged);
                next[at] += 1;
            }
        }
        starts.push(arena.len() as u32);
        arena.push_str(word);
    }
    starts.push(arena.len() as u32);
    let maps = maps.into_iter().map(|map| TermMap(map.into_boxed_slice())).collect();
    (Dictionary::new(arena.into_boxed_str(), starts.into_boxed_slice()), maps)
}
