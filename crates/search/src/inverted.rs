//! The inverted index under both channels: for each term the places of the units that hold it, with a precomputed
//! impact of one byte and the fields as bits. Immutable; all arithmetic of a query is on integers.
//!
//! Postings are grouped by window (see `layout`); a run is one term's postings in one window with their highest impact,
//! so that whole windows can be ruled out. The traversal is in `collect`.

use super::field_bits::FieldBits;
use super::layout::{BLOCK, ItemPriors, Layout, NOBODY, WINDOW};
use super::posting::Posting;
use refdesk_core::codec::packed::Packed;
use refdesk_core::pace;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Terms of units in the order in which they were added, before they are inverted.
#[derive(Debug, Default)]
pub(super) struct Forward {
    pub terms: Vec<u32>,
    pub counts: Vec<u8>,
    /// Field bits; left empty where there are no fields.
    pub fields: Vec<u8>,
    /// The forms in which the unit has the term, as bits.
    pub forms: Vec<u8>,
    /// End of each unit in the four lists above.
    ends: Vec<usize>,
    /// Length of each unit in words, by which its impacts are damped.
    pub lengths: Vec<u32>,
    /// Ordinal of each unit's item.
    pub owners: Vec<u32>,
}

impl Forward {
    /// Ends the unit whose terms were pushed.
    pub(super) fn end_unit(&mut self, owner: u32, length: u32) {
        self.ends.push(self.terms.len());
        self.lengths.push(length);
        self.owners.push(owner);
    }

    fn postings(&self, unit: u32) -> Range<usize> {
        let unit = unit as usize;
        let start = if unit == 0 { 0 } else { self.ends[unit - 1] };
        start..self.ends[unit]
    }
}

/// A term's part of the runs.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Term {
    first_run: u32,
    /// Number of runs; there are no more of them than windows, whose numbers have three bytes.
    runs: [u8; 3],
    /// The highest impact.
    highest: u8,
    /// Items (not units) that hold the term.
    items: u32,
}

impl Term {
    const fn runs(self) -> usize {
        let [a, b, c] = self.runs;
        u32::from_le_bytes([a, b, c, 0]) as usize
    }
}

/// One term's postings in one window, in 7 bytes: there are more runs than anything else but postings.
#[derive(Debug, Clone, Copy, Default)]
struct Run {
    window: [u8; 3],
    /// The highest impact.
    highest: u8,
    /// Which of the 16 blocks (16 places each) of the window it touches.
    blocks: [u8; 2],
    /// Number of postings, less one.
    more: u8,
}

/// Runs whose first posting is found by adding up: the first posting of each so many runs is kept.
const RUNS_PER_START: usize = 16;

impl Run {
    /// A run with one posting, of which nothing is known yet.
    const fn new(window: u32) -> Self {
        let [a, b, c, _] = window.to_le_bytes();
        Self { window: [a, b, c], highest: 0, blocks: [0; 2], more: 0 }
    }

    const fn window(self) -> u32 {
        let [a, b, c] = self.window;
        u32::from_le_bytes([a, b, c, 0])
    }

    const fn blocks(self) -> u16 {
        u16::from_le_bytes(self.blocks)
    }

    fn postings(self) -> u32 {
        u32::from(self.more) + 1
    }
}

impl Packed for Term {
    const BYTES: usize = 12;

    fn pack(&self, out: &mut Vec<u8>) {
        ([self.first_run, self.items], (self.runs, self.highest)).pack(out);
    }

    fn unpack(bytes: &[u8]) -> Self {
        let ([first_run, items], (runs, highest)) = Packed::unpack(bytes);
        Self { first_run, runs, highest, items }
    }
}

impl Packed for Run {
    const BYTES: usize = 7;

    fn pack(&self, out: &mut Vec<u8>) {
        (self.window, ([self.highest, self.more], self.blocks)).pack(out);
    }

    fn unpack(bytes: &[u8]) -> Self {
        let (window, ([highest, more], blocks)) = Packed::unpack(bytes);
        Self { window, highest, blocks, more }
    }
}

/// Counts of a term while an index is built.
#[derive(Debug, Clone, Copy)]
struct Tally {
    window: u32,
    owner: u32,
    runs: u32,
    items: u32,
    postings: u32,
}

impl Default for Tally {
    fn default() -> Self {
        Self { window: NOBODY, owner: NOBODY, runs: 0, items: 0, postings: 0 }
    }
}

impl Tally {
    fn count(&mut self, window: u32, owner: u32) {
        self.runs += u32::from(self.window != window);
        self.items += u32::from(self.owner != owner);
        self.postings += 1;
        (self.window, self.owner) = (window, owner);
    }
}

/// Where a term's next run and posting go.
#[derive(Debug, Clone, Copy)]
struct Cursor {
    next_run: u32,
    next_posting: u32,
    window: u32,
}

/// See the module.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(bound = "P: Posting")]
pub(super) struct Inverted<P: Posting> {
    pub layout: Layout,
    #[serde(with = "refdesk_core::codec::packed")]
    terms: Box<[Term]>,
    /// All runs, by term and window.
    #[serde(with = "refdesk_core::codec::packed")]
    runs: Box<[Run]>,
    /// First posting of every [`RUNS_PER_START`]th run.
    #[serde(with = "refdesk_core::codec::packed")]
    starts: Box<[u32]>,
    #[serde(with = "refdesk_core::codec::packed")]
    pub postings: Box<[P]>,
    /// Impact of the unit at each place, where all its terms have the same.
    #[serde(with = "refdesk_core::codec::packed")]
    unit_impacts: Box<[u8]>,
    /// Where there are fields.
    fields: FieldBits,
}

impl<P: Posting> Inverted<P> {
    /// Inverts units: `renumbered` maps the terms of `forward` to the finished dictionary, `impact` gives 1 to 255
    /// from a count, a unit's length and its item's demotion. With it comes the unit of every place.
    pub(super) fn build(
        forward: &Forward,
        renumbered: &[u32],
        items: ItemPriors<'_>,
        impact: impl Fn(u8, u32, u8) -> u8,
    ) -> (Self, Vec<u32>) {
        let (layout, units) = Layout::arrange(&forward.owners, &forward.lengths, items.classes);
        let mut tallies = vec![Tally::default(); renumbered.len()];
        for (place, unit) in pace::each(&units).enumerate().filter(|(_, unit)| **unit != NOBODY) {
            let (window, owner) = ((place / WINDOW) as u32, forward.owners[*unit as usize]);
            for term in &forward.terms[forward.postings(*unit)] {
                tallies[renumbered[*term as usize] as usize].count(window, owner);
            }
        }
        let (mut first_run, mut start) = (0, 0);
        let mut terms = Vec::with_capacity(tallies.len());
        let mut cursors = Vec::with_capacity(tallies.len());
        for tally in tallies {
            let [a, b, c, _] = tally.runs.to_le_bytes();
            terms.push(Term { first_run, runs: [a, b, c], highest: 0, items: tally.items });
            cursors.push(Cursor { next_run: first_run, next_posting: start, window: NOBODY });
            first_run += tally.runs;
            start += tally.postings;
        }
        let mut index = Self {
            layout,
            terms: terms.into_boxed_slice(),
            runs: vec![Run::default(); first_run as usize].into_boxed_slice(),
            starts: Box::default(),
            postings: vec![P::default(); start as usize].into_boxed_slice(),
            unit_impacts: vec![0; if P::EVEN { units.len() } else { 0 }].into_boxed_slice(),
            fields: FieldBits::default(),
        };
        let owner_demotion = |unit: u32| items.demotions[forward.owners[unit as usize] as usize];
        index.fill(forward, renumbered, &units, &mut cursors, |count, unit| {
            impact(count, forward.lengths[unit as usize], owner_demotion(unit))
        });
        index.starts = index.starts_of_runs();
        index.set_highest();
        (index, units)
    }

    fn fill(
        &mut self,
        forward: &Forward,
        renumbered: &[u32],
        units: &[u32],
        cursors: &mut [Cursor],
        impact: impl Fn(u8, u32) -> u8,
    ) {
        let mut fields = vec![0; if forward.fields.is_empty() { 0 } else { self.postings.len() }];
        for (place, unit) in pace::each(units).enumerate().filter(|(_, unit)| **unit != NOBODY) {
            let (window, local) = ((place / WINDOW) as u32, place % WINDOW);
            for at in forward.postings(*unit) {
                let cursor = &mut cursors[renumbered[forward.terms[at] as usize] as usize];
                if cursor.window == window {
                    self.runs[cursor.next_run as usize - 1].more += 1;
                } else {
                    self.runs[cursor.next_run as usize] = Run::new(window);
                    cursor.next_run += 1;
                    cursor.window = window;
                }
                let strength = impact(forward.counts[at], *unit);
                let run = &mut self.runs[cursor.next_run as usize - 1];
                run.highest = run.highest.max(strength);
                run.blocks = (run.blocks() | 1 << (local / BLOCK)).to_le_bytes();
                let posting = cursor.next_posting as usize;
                self.postings[posting] = P::new(local as u8, strength, forward.forms[at]);
                if P::EVEN {
                    self.unit_impacts[place] = strength;
                }
                if let (Some(slot), Some(bits)) = (fields.get_mut(posting), forward.fields.get(at)) {
                    *slot = *bits;
                }
                cursor.next_posting += 1;
            }
        }
        self.fields = FieldBits::of(&fields);
    }

    fn set_highest(&mut self) {
        for term in &mut self.terms {
            let first = term.first_run as usize;
            let runs = &self.runs[first..first + term.runs()];
            term.highest = runs.iter().map(|run| run.highest).max().unwrap_or(0);
        }
    }

    fn starts_of_runs(&self) -> Box<[u32]> {
        let mut start = 0;
        let starts = self.runs.chunks(RUNS_PER_START).map(|some| {
            let first = start;
            start += some.iter().map(|run| run.postings()).sum::<u32>();
            first
        });
        starts.collect()
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.layout.heap_bytes()
            + self.terms.len() * size_of::<Term>()
            + self.runs.len() * size_of::<Run>()
            + self.starts.len() * 4
            + self.postings.len() * size_of::<P>()
            + self.unit_impacts.len()
            + self.fields.heap_bytes()
    }

    /// Adds to the number of items of each term.
    pub(super) fn count_more(&mut self, more: impl Fn(u32) -> u32) {
        for (number, term) in self.terms.iter_mut().enumerate() {
            term.items += more(number as u32);
        }
    }

    /// Items that hold a term.
    pub(super) fn items(&self, term: u32) -> u32 {
        self.terms.get(term as usize).map_or(0, |term| term.items)
    }

    /// The highest impact that a term has anywhere.
    pub(super) fn highest(&self, term: u32) -> u8 {
        self.terms.get(term as usize).map_or(0, |term| term.highest)
    }

    /// A term's runs within a range of windows, as positions for `Inverted::run`.
    pub(super) fn runs(&self, term: u32, windows: &Range<u32>) -> Range<usize> {
        let Some(term) = self.terms.get(term as usize) else { return 0..0 };
        let first = term.first_run as usize;
        let all = &self.runs[first..first + term.runs()];
        let start = if windows.start == 0 { 0 } else { all.partition_point(|run| run.window() < windows.start) };
        let within = all.last().is_some_and(|run| run.window() < windows.end);
        let end = if within { all.len() } else { all.partition_point(|run| run.window() < windows.end) };
        first + start..first + end.max(start)
    }

    /// Window, highest impact and touched blocks of some runs.
    pub(super) fn shapes(&self, runs: Range<usize>) -> impl Iterator<Item = (u32, u8, u16)> {
        self.runs[runs].iter().map(|run| (run.window(), run.highest, run.blocks()))
    }

    /// Highest impact of a run and the blocks it touches.
    pub(super) fn shape(&self, run: usize) -> (u8, u16) {
        (self.runs[run].highest, self.runs[run].blocks())
    }

    /// Impacts of the units of a window, where all terms of a unit have the same; else nothing.
    pub(super) fn unit_impacts(&self, window: u32) -> &[u8] {
        let first = window as usize * WINDOW;
        self.unit_impacts.get(first..first + WINDOW).unwrap_or_default()
    }

    /// The postings of a run.
    pub(super) fn run_postings(&self, at: usize) -> Range<usize> {
        let group = at / RUNS_PER_START;
        let before = &self.runs[group * RUNS_PER_START..at];
        let start = self.starts[group] + before.iter().map(|run| run.postings()).sum::<u32>();
        start as usize..(start + self.runs[at].postings()) as usize
    }

    /// The run of a window among `runs`, when the term occurs there; sought from the run that was found last.
    pub(super) fn seek(&self, runs: &Range<usize>, cursor: &mut usize, window: u32) -> Option<usize> {
        // Common terms have a run in every window: then the position is known.
        let window_at = |at: usize| self.runs[at].window();
        let guess = runs.start + window.checked_sub(self.runs[runs.clone()].first()?.window())? as usize;
        if guess < runs.end && window_at(guess) == window {
            return Some(guess);
        }
        let mut low = if *cursor < runs.end && window_at(*cursor) <= window { *cursor } else { runs.start };
        let mut step = 1;
        while low + step < runs.end && window_at(low + step) <= window {
            low += step;
            step *= 2;
        }
        let high = (low + step).min(runs.end);
        low += self.runs[low..high].partition_point(|run| run.window() <= window) - 1;
        *cursor = low;
        (window_at(low) == window).then_some(low)
    }

    /// The fields in which the unit at a place holds a term, as bits; 0 when it does not.
    pub(super) fn fields_at(&self, term: u32, place: u32) -> u8 {
        let window = place / WINDOW as u32;
        let runs = self.runs(term, &(window..window + 1));
        if runs.is_empty() {
            return 0;
        }
        let local = (place as usize % WINDOW) as u8;
        let range = self.run_postings(runs.start);
        let found = self.postings[range.clone()].binary_search_by_key(&local, |posting| posting.local());
        found.map_or(0, |at| self.fields.get(range.start + at))
    }
}
