//! Where in a long sorted list a text stands, without reading many of the list's texts: the first bytes of some of them lie side by side.

use serde::{Deserialize, Serialize};
use std::ops::Range;

use refdesk_core::codec::packed;

/// The first eight bytes of every `N`th of sorted texts, as numbers.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Heads<const N: usize>(#[serde(with = "packed")] Box<[u64]>);

impl<const N: usize> Heads<N> {
    /// Of texts in byte order.
    pub(super) fn of<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        Self(texts.step_by(N).map(head).collect())
    }

    /// Position of the first of `len` texts that does not stand before `text`.
    pub(super) fn lower_bound<'a>(&self, text: &str, len: usize, text_at: impl Fn(usize) -> &'a str) -> usize {
        let wanted = head(text);
        let from = self.0.partition_point(|head| *head < wanted);
        let to = from + leading(&(from..self.0.len()), |at| self.0[at] == wanted);
        bisect(from.saturating_sub(1) * N..(to * N).min(len), |at| text_at(at) < text)
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.0.len() * 8
    }
}

fn head(text: &str) -> u64 {
    let bytes = text.as_bytes();
    u64::from_be_bytes(bytes.first_chunk().copied().unwrap_or_else(|| {
        let mut short = [0; 8];
        short[..bytes.len()].copy_from_slice(bytes);
        short
    }))
}

/// How many positions from the start of `within` on hold something that none behind them does. Few are expected, so it is sought from there.
pub(super) fn leading(within: &Range<usize>, holds: impl Fn(usize) -> bool) -> usize {
    let len = within.len();
    let mut step = 1;
    while step <= len && holds(within.start + step - 1) {
        step *= 2;
    }
    let known = within.start + step / 2;
    bisect(known..within.end.min(within.start + step - 1), holds) - within.start
}

/// The first position within a range at which something does not hold that all before it do; the range's end when it holds at all.
fn bisect(within: Range<usize>, holds: impl Fn(usize) -> bool) -> usize {
    let Range { start: mut low, end: mut high } = within;
    while low < high {
        let middle = low.midpoint(high);
        if holds(middle) { low = middle + 1 } else { high = middle }
    }
    low
}
