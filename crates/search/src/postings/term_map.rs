//! The terms of a segment as terms of the merged dictionary over all segments (Lucene's `OrdinalMap`).

use super::dictionary::WordList;
use super::sparse_index::first_bytes;
use refdesk_core::cooperative;

/// The merged term of each term of a segment. Both lists are sorted, so the numbers rise.
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

/// The next word of a list.
struct Next<'a> {
    words: &'a WordList,
    number: u32,
    /// With its first bytes as a number in front, by which most words are told apart; none behind the last word.
    word: Option<(u64, &'a str)>,
}

impl<'a> Next<'a> {
    fn new(words: &'a WordList) -> Self {
        let mut next = Self { words, number: 0, word: None };
        next.read();
        next
    }

    fn advance(&mut self) {
        self.number += 1;
        self.read();
    }

    fn read(&mut self) {
        let word = ((self.number as usize) < self.words.len()).then(|| self.words.word(self.number));
        self.word = word.map(|word| (first_bytes(word), word));
    }
}

/// Merges lists of words into one; returns with it the map of each.
pub(crate) fn merge(lists: &[&WordList]) -> (WordList, Vec<TermMap>) {
    let mut next: Vec<Next<'_>> = lists.iter().map(|words| Next::new(words)).collect();
    let mut maps: Vec<Vec<u32>> = lists.iter().map(|words| Vec::with_capacity(words.len())).collect();
    let (mut arena, mut starts) = (String::new(), Vec::new());
    for merged in cooperative::yielding(0..) {
        let Some(least) = next.iter().filter_map(|next| next.word).min() else { break };
        for (next, map) in next.iter_mut().zip(&mut maps) {
            if next.word == Some(least) {
                map.push(merged);
                next.advance();
            }
        }
        starts.push(arena.len() as u32);
        arena.push_str(least.1);
    }
    starts.push(arena.len() as u32);
    let maps = maps.into_iter().map(|map| TermMap(map.into_boxed_slice())).collect();
    (WordList::new(arena.into_boxed_str(), starts.into_boxed_slice()), maps)
}
