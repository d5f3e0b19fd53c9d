//! Scores one window: what its runs give to the units of those blocks that can still reach the bar.

use super::super::layout::{BLOCK, WINDOW};
use super::super::posting::Posting;
use super::{PAIR_TEST_TERMS, Search};

/// Runs of more postings are looked through only for the blocks that can still reach the bar.
const SHORT_RUN: usize = 32;
/// With more blocks than this, all of a run is read at once.
const NARROW_BLOCKS: u32 = 4;
const BLOCKS: usize = WINDOW / BLOCK;

/// What the units of the window that is being scored have so far; zero between windows.
#[derive(Debug)]
pub(super) struct Scores {
    units: [u32; WINDOW],
    /// The highest of each block.
    highest: [u32; BLOCKS],
}

impl Scores {
    pub(super) const ZERO: Self = Self { units: [0; WINDOW], highest: [0; BLOCKS] };

    fn add(&mut self, local: usize, more: u32) {
        self.units[local] += more;
        let highest = &mut self.highest[local / BLOCK];
        *highest = self.units[local].max(*highest);
    }

    /// Those of some blocks that have a unit with a score of at least `least`.
    fn reaching(&self, blocks: u16, least: u32) -> u16 {
        Bits(blocks).fold(0, |still, block| still | u16::from(self.highest[block] >= least) << block)
    }

    /// Scores above zero of a block, by place in the window.
    fn of_block(&self, block: usize) -> impl Iterator<Item = (usize, u32)> {
        let start = block * BLOCK;
        let units = self.units[start..start + BLOCK].iter().copied().enumerate();
        units.filter(|(_, score)| *score > 0).map(move |(lane, score)| (start + lane, score))
    }

    fn clear(&mut self, blocks: u16) {
        for block in Bits(blocks) {
            self.units[block * BLOCK..(block + 1) * BLOCK].fill(0);
            self.highest[block] = 0;
        }
    }
}

impl<P: Posting> Search<'_, P> {
    /// Scores a window, or (when not `all` of its matches need to be counted) the blocks of it that can reach the bar.
    pub(super) fn score_window(&mut self, window: u32, all: bool, scores: &mut Scores) {
        let mut present = std::mem::take(&mut self.present);
        present.clear();
        for (at, section) in self.sections.iter_mut().enumerate() {
            if !section.windows.contains(&window) {
                continue;
            }
            let Some(run) = self.index.seek(&section.runs, &mut section.cursor, window) else { continue };
            let (highest, blocks) = self.index.shape(run);
            present.push(Present { section: at, run, reach: section.reach(highest), blocks });
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
            to_come -= here.reach;
            if wanted & here.blocks > 0 {
                written |= self.add(here, wanted & here.blocks, impacts, scores);
            }
            if bar > to_come {
                wanted = scores.reaching(wanted, bar - to_come);
            }
        }
        let mut last_owner = None;
        for block in Bits(wanted) {
            self.offer_block(window * WINDOW as u32, block, all, scores, &mut last_owner);
        }
        scores.clear(written);
        self.present = present;
    }

    /// Adds what a run gives to the units of some of its blocks; returns the blocks that it wrote to.
    fn add(&mut self, here: &Present, wanted: u16, impacts: &[u8], scores: &mut Scores) -> u16 {
        let section = &self.sections[here.section];
        let postings = &self.index.postings[self.index.run_postings(here.run)];
        let mut add = |posting: &P| {
            let local = usize::from(posting.local());
            let impact = posting.impact(if P::EVEN { impacts[local] } else { 0 });
            let weight = section.weights[usize::from(posting.forms() & section.form != 0)];
            scores.add(local, weight * u32::from(impact));
        };
        if postings.len() <= SHORT_RUN || wanted.count_ones() > NARROW_BLOCKS {
            postings.iter().for_each(add);
            self.budget = self.budget.saturating_sub(postings.len());
            return here.blocks;
        }
        for block in Bits(wanted) {
            postings[first_of(postings, block)..]
                .iter()
                .take_while(|posting| usize::from(posting.local()) / BLOCK == block)
                .for_each(&mut add);
            self.budget = self.budget.saturating_sub(BLOCK / 2);
        }
        wanted
    }

    /// Offers the units of a block that have a score; without counting them, unless `all` are to be.
    fn offer_block(&mut self, first: u32, block: usize, all: bool, scores: &Scores, last_owner: &mut Option<u32>) {
        let hopeless = !self.can_improve(scores.highest[block], first + (block * BLOCK) as u32);
        if hopeless && !all {
            return;
        }
        for (local, score) in scores.of_block(block) {
            let place = first + local as u32;
            let owner = self.index.layout.owners[place as usize];
            if self.gone.has(owner) {
                continue;
            }
            // Units of one item stand side by side: it counts once.
            self.matches += usize::from(*last_owner != Some(owner));
            *last_owner = Some(owner);
            if self.can_improve(score, place) {
                self.offer(score, place, owner);
            }
        }
    }

    /// Takes a unit in; of an item with several, which stand side by side, the best one only.
    fn offer(&mut self, score: u32, place: u32, owner: u32) {
        let owners = &self.index.layout.owners;
        let beside = [place.wrapping_sub(1), place + 1].map(|place| owners.get(place as usize) == Some(&owner));
        if beside.contains(&true)
            && let Some(at) = self.best.iter().position(|(_, other)| owners[*other as usize] == owner)
        {
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

/// Position of the first posting of a block, or of a later one. Units stand evenly in a window, so it is sought from where it would be.
fn first_of<P: Posting>(postings: &[P], block: usize) -> usize {
    let is_before = |at: usize| usize::from(postings[at].local()) < block * BLOCK;
    let mut at = postings.len() * block / BLOCKS;
    while at < postings.len() && is_before(at) {
        at += 1;
    }
    while at > 0 && !is_before(at - 1) {
        at -= 1;
    }
    at
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
