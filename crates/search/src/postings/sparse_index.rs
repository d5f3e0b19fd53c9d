//! A sparse index over sorted strings (as of an `SSTable`), searched by binary and galloping search (Bentley & Yao 1976).
//!
//! The strings of a dictionary lie far apart in memory, and each probe of a plain binary search is a cache miss. The first eight bytes
//! of every `N`th string, side by side as integers, narrow the search to `N` neighbours.

use serde::{Deserialize, Serialize};
use std::ops::Range;

use refdesk_core::codec::{packed, partition_point};

/// The first eight bytes of every `N`th sorted string.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct SparseIndex<const N: usize>(#[serde(with = "packed")] Box<[u64]>);

impl<const N: usize> SparseIndex<N> {
    /// Indexes strings in byte order.
    pub(crate) fn new<'a>(sorted: impl Iterator<Item = &'a str>) -> Self {
        Self(sorted.step_by(N).map(first_bytes).collect())
    }

    /// Position of the first of `len` strings that is not less than `text`.
    pub(crate) fn lower_bound<'a>(&self, text: &str, len: usize, text_at: impl Fn(usize) -> &'a str) -> usize {
        let wanted = first_bytes(text);
        let from = self.0.partition_point(|prefix| *prefix < wanted);
        let to = from + galloping_search(&(from..self.0.len()), |at| self.0[at] == wanted);
        partition_point(from.saturating_sub(1) * N..(to * N).min(len), |at| text_at(at) < text)
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.0.len() * 8
    }
}

/// The first eight bytes as an integer that sorts as the string does.
pub(super) fn first_bytes(text: &str) -> u64 {
    let bytes = text.as_bytes();
    u64::from_be_bytes(bytes.first_chunk().copied().unwrap_or_else(|| {
        let mut padded = [0; 8];
        padded[..bytes.len()].copy_from_slice(bytes);
        padded
    }))
}

/// Number of leading positions of `range` for which a monotone predicate holds. It gallops from the start, because few are expected.
pub(crate) fn galloping_search(range: &Range<usize>, holds: impl Fn(usize) -> bool) -> usize {
    let len = range.len();
    let mut step = 1;
    while step <= len && holds(range.start + step - 1) {
        step *= 2;
    }
    let known = range.start + step / 2;
    partition_point(known..range.end.min(range.start + step - 1), holds) - range.start
}
