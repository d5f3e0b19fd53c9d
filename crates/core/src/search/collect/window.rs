//! Scores one window: what its runs give to the units of those blocks that can still reach the bar.

use super::super::layout::{BLOCK, WINDOW};
use super::super::posting::Posting;
use super::{PAIR_TEST_TERMS, Search};

/// Up to this many blocks are picked out of a window's postings one by one.
const NARROW_BLOCKS: u32 = 4;

impl<P: Posting> Search<'_, P> {
    /// Scores a window, or (when `all` need not be counted) the blocks of it that can reach the bar.
    pub(super) fn score_window(&mut self, window: u32, all: bool, scores: &mut [u32; WINDOW]) {
        let mut present = std::mem::take(&mut self.present);
        present.clear();
        for (at, section) in self.sections.iter_mut().enumerate() {
            if !section.windows.contains(&window) {
                continue;
            }
            let Some(run) = self.index.seek(&section.runs, &mut section.cursor, window) else { continue };
            let (highest, blocks) = self.index.shape(run);
            present.push(Present { section: at, run, reach: section.weights[1] * u32::from(highest), blocks });
        }
        let occupied = present.iter().fold(0, |blocks, here| blocks | here.blocks);
        let bar = if all { 0 } else { self.bar() };
        let mut wanted = occupied & reaching(&present, bar);
        // Rare terms come first and count most: most blocks are out before the postings of frequent ones are read.
        let mut to_come: u32 = present.iter().map(|here| here.reach).sum();
        let mut written = 0;
        let impacts = self.index.unit_impacts(window);
        for here in &present {
            if wanted == 0 {
                break;
            }
            written |= self.add(here, wanted, impacts, scores);
            to_come -= here.reach;
            if bar > to_come {
                wanted = still_reaching(wanted, scores, bar - to_come);
            }
        }
        self.offer_blocks(window * WINDOW as u32, wanted, scores);
        for block in Bits(written) {
            scores[block * BLOCK..(block + 1) * BLOCK].fill(0);
        }
        self.present = present;
    }

    /// Adds what a run gives to the units of some blocks; returns the blocks that it wrote to.
    fn add(&mut self, here: &Present, wanted: u16, impacts: &[u8], scores: &mut [u32; WINDOW]) -> u16 {
        let section = &self.sections[here.section];
        let postings = &self.index.postings[self.index.run_postings(here.run)];
        let mut add = |posting: &P| {
            let local = usize::from(posting.local());
            let impact = posting.impact(if P::EVEN { impacts[local] } else { 0 });
            scores[local] += section.weights[usize::from(posting.forms() & section.form != 0)] * u32::from(impact);
        };
        let wanted = wanted & here.blocks;
        if wanted.count_ones() > NARROW_BLOCKS {
            postings.iter().for_each(add);
            self.budget = self.budget.saturating_sub(postings.len());
            return here.blocks;
        }
        for block in Bits(wanted) {
            let start = postings.partition_point(|posting| usize::from(posting.local()) < block * BLOCK);
            postings[start..]
                .iter()
                .take_while(|posting| usize::from(posting.local()) / BLOCK == block)
                .for_each(&mut add);
            self.budget = self.budget.saturating_sub(BLOCK / 2);
        }
        wanted
    }

    /// Offers the units of some blocks that have a score.
    fn offer_blocks(&mut self, first: u32, blocks: u16, scores: &[u32; WINDOW]) {
        let shared = self.index.layout.shared;
        let mut last_owner = None;
        for block in Bits(blocks) {
            let start = block * BLOCK;
            let lanes = &scores[start..start + BLOCK];
            if !shared {
                self.matches += lanes.iter().filter(|score| **score > 0).count();
                let highest = lanes.iter().fold(0, |a, b| a.max(*b));
                if self.gone.is_empty() && !self.can_improve(highest, first + start as u32) {
                    continue;
                }
            }
            for (lane, score) in lanes.iter().enumerate().filter(|(_, score)| **score > 0) {
                let place = first + (start + lane) as u32;
                if self.gone.has(self.index.layout.owners[place as usize]) {
                    self.matches = self.matches.saturating_sub(usize::from(!shared));
                    continue;
                }
                if shared {
                    self.offer_shared(*score, place, &mut last_owner);
                } else if self.can_improve(*score, place) {
                    self.insert(*score, place);
                }
            }
        }
    }

    /// Takes a unit of an item with several into account: counts the item once and keeps its best unit.
    fn offer_shared(&mut self, score: u32, place: u32, last_owner: &mut Option<u32>) {
        let owners = &self.index.layout.owners;
        let owner = owners[place as usize];
        self.matches += usize::from(*last_owner != Some(owner));
        *last_owner = Some(owner);
        if !self.can_improve(score, place) {
            return;
        }
        if let Some(at) = self.best.iter().position(|(_, other)| owners[*other as usize] == owner) {
            if self.best[at].0 >= score {
                return;
            }
            self.best.remove(at);
        }
        self.insert(score, place);
    }

    fn insert(&mut self, score: u32, place: u32) {
        if self.limit == 0 {
            return;
        }
        let before = |(other, other_place): &(u32, u32)| *other > score || (*other == score && *other_place < place);
        let at = self.best.partition_point(before);
        self.best.insert(at, (score, place));
        self.best.truncate(self.limit);
    }
}

/// A section's run in a window.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Present {
    section: usize,
    run: usize,
    reach: u32,
    blocks: u16,
}

/// Blocks that may reach the bar: those that hold every term (and one of every two terms) without which none can.
fn reaching(present: &[Present], bar: u32) -> u16 {
    let total: u32 = present.iter().map(|here| here.reach).sum();
    if total < bar {
        return 0;
    }
    let spare = total - bar;
    let mut blocks = u16::MAX;
    for (at, here) in present.iter().enumerate() {
        if here.reach > spare {
            blocks &= here.blocks;
        } else if present.len() <= PAIR_TEST_TERMS {
            for other in
                present[at + 1..].iter().filter(|other| other.reach <= spare && here.reach + other.reach > spare)
            {
                blocks &= here.blocks | other.blocks;
            }
        }
    }
    blocks
}

/// Those of some blocks that have a unit with a score of at least `least`.
fn still_reaching(blocks: u16, scores: &[u32; WINDOW], least: u32) -> u16 {
    Bits(blocks).fold(0, |still, block| {
        let lanes = &scores[block * BLOCK..(block + 1) * BLOCK];
        let highest = lanes.iter().fold(0, |a, b| a.max(*b));
        still | u16::from(highest >= least) << block
    })
}

/// The positions of the set bits of a word, rising.
struct Bits(u16);

impl Iterator for Bits {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let at = self.0.trailing_zeros();
        self.0 &= self.0 - 1;
        Some(at as usize)
    }
}
