//! Finds the best units for weighted terms without looking at most of them.
//!
//! Every window has a ceiling, the sum of its runs' highest impacts. The windows with the highest ceilings are scored
//! first; they set the bar. When no frequent term can reach it alone, only windows with rarer terms are looked at. They are passed in order (so memory is read in order) and scored only where the
//! ceiling, and then the ceiling of one of their blocks of 16 places, reaches the bar. Work is bounded: after
//! [`POSTINGS_PER_TERM_MAX`] postings a term the least promising windows are left out. All arithmetic is on integers, so every platform ranks alike.

use super::inverted::Inverted;
use super::layered::Gone;
use super::layout::{BLOCK, WINDOW};
use std::cell::RefCell;
use std::ops::Range;

/// Postings scored at most, for each term of a query; beyond, the windows with the lowest ceilings are left out.
const POSTINGS_PER_TERM_MAX: usize = 15_000;
/// Up to this many postings everything is scored, so that the number of matches is exact.
const EXACT_POSTINGS: usize = 1_000;
/// Up to this many windows everything is scored likewise.
const EXACT_WINDOWS: usize = 48;
/// Windows that are scored first.
const FIRST_WINDOWS: usize = 16;
/// Up to this many terms are tested in pairs before a window is scored.
const PAIR_TEST_TERMS: usize = 8;
/// Up to this many blocks are picked out of a window's postings one by one.
const NARROW_BLOCKS: u32 = 4;
/// A term with runs in more than one of so many windows is frequent.
const FREQUENT_SHARE: usize = 4;

/// A term with what one unit of its impact is worth.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clause {
    pub term: u32,
    pub weight: u32,
    /// Added to the weight where the unit has the term in the wanted form.
    pub exact: u32,
    /// The wanted form; 0 for none.
    pub form: u8,
}

impl Clause {
    /// A term in any form.
    pub(super) const fn plain(term: u32, weight: u32) -> Self {
        Self { term, weight, exact: 0, form: 0 }
    }
}

/// The best units, best first: ties by place.
#[derive(Debug, Default)]
pub(super) struct Collected {
    /// (score, place), one per item.
    pub best: Vec<(u32, u32)>,
    /// Items that hold a term: exact when few, estimated from the terms' frequencies when many.
    pub total: usize,
}

#[derive(Debug)]
struct Scratch {
    /// Highest reachable score by window; zero between queries.
    ceilings: Vec<u32>,
    touched: Vec<u32>,
    /// Windows with their ceilings, see [`rank`].
    ranked: Vec<u64>,
    scores: [u32; WINDOW],
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = const {
        RefCell::new(Scratch { ceilings: Vec::new(), touched: Vec::new(), ranked: Vec::new(), scores: [0; WINDOW] })
    };
}

/// A key that sorts windows by falling ceiling, then by place.
fn rank(ceiling: u32, window: u32) -> u64 {
    u64::from(u32::MAX - ceiling) << 32 | u64::from(window)
}

/// Ceiling and window of a key.
fn unrank(key: u64) -> (u32, u32) {
    (u32::MAX - (key >> 32) as u32, key as u32)
}

/// The best `limit` items within some ranges of windows.
pub(super) fn collect(
    index: &Inverted,
    clauses: &[Clause],
    ranges: &[Range<u32>],
    limit: usize,
    gone: &Gone,
) -> Collected {
    SCRATCH.with_borrow_mut(|scratch| {
        let mut sections = sections(index, clauses, ranges);
        let windows: usize = ranges.iter().map(ExactSizeIterator::len).sum();
        let postings: usize = sections.iter().map(|section| section.postings(index)).sum();
        let exact = postings <= EXACT_POSTINGS || windows <= EXACT_WINDOWS;
        let estimate = if exact { 0 } else { estimate(index, &sections, ranges) };
        sections.sort_by_key(|section| section.runs.len());
        let rare = sections.partition_point(|section| section.runs.len() * FREQUENT_SHARE <= windows);
        let per_window = postings / windows.max(1) + 1;
        let budget = POSTINGS_PER_TERM_MAX * clauses.len();
        let best = Vec::with_capacity(limit + 1);
        let mut search = Search {
            index,
            gone,
            sections,
            best,
            limit,
            matches: 0,
            budget,
            per_window,
            scored: Vec::new(),
            present: Vec::new(),
        };
        if exact {
            search.score_all(scratch);
        } else if rare == 0 || !search.score_rare(rare, scratch) {
            let count = search.sections.len();
            scratch.touch(&search, 0..count);
            search.score_ranked(scratch);
        }
        let total = if search.best.len() < limit {
            search.best.len()
        } else if exact {
            search.matches
        } else {
            estimate.max(search.best.len())
        };
        Collected { best: search.best, total }
    })
}

/// The runs of every clause in every range.
fn sections(index: &Inverted, clauses: &[Clause], ranges: &[Range<u32>]) -> Vec<Section> {
    let mut sections = Vec::with_capacity(clauses.len() * ranges.len());
    for (at, clause) in clauses.iter().enumerate() {
        let weights = [clause.weight, clause.weight + clause.exact];
        for windows in ranges {
            let runs = index.runs(clause.term, windows);
            if !runs.is_empty() {
                sections.push(Section {
                    clause: at,
                    cursor: runs.start,
                    runs,
                    windows: windows.clone(),
                    weights,
                    form: clause.form,
                });
            }
        }
    }
    sections
}

/// How many units hold one of the terms, if the terms were independent.
fn estimate(index: &Inverted, sections: &[Section], ranges: &[Range<u32>]) -> usize {
    let units = (ranges.iter().map(|range| range.len() * WINDOW).sum::<usize>() as f64).max(1.0);
    let mut without = 1.0;
    for same in sections.chunk_by(|a, b| a.clause == b.clause) {
        let held: usize = same.iter().map(|section| section.postings(index)).sum();
        without *= 1.0 - (held as f64 / units).min(1.0);
    }
    (units * (1.0 - without)) as usize
}

/// A clause's runs in one range of windows.
#[derive(Debug, Clone)]
struct Section {
    clause: usize,
    runs: Range<usize>,
    /// The run that was found last; windows are mostly asked for in rising order.
    cursor: usize,
    windows: Range<u32>,
    /// Worth of one unit of impact in another and in the wanted form.
    weights: [u32; 2],
    form: u8,
}

impl Section {
    fn postings(&self, index: &Inverted) -> usize {
        index.run_postings(self.runs.end - 1).end - index.run_postings(self.runs.start).start
    }
}

impl Scratch {
    /// Ranks the windows in which one of some sections has a run by what all sections can reach there.
    fn touch(&mut self, search: &Search<'_>, some: Range<usize>) {
        let Self { ceilings, touched, ranked, .. } = self;
        let index = search.index;
        touched.clear();
        ranked.clear();
        if let [section] = &search.sections[..]
            && some.len() == 1
        {
            let reach = |(window, highest): (u32, u8)| rank(section.weights[1] * u32::from(highest), window);
            ranked.extend(index.ceilings(section.runs.clone()).map(reach));
            return;
        }
        ceilings.resize(ceilings.len().max(index.layout.windows()), 0);
        for section in &search.sections[some.clone()] {
            for (window, highest) in index.ceilings(section.runs.clone()) {
                let ceiling = &mut ceilings[window as usize];
                if *ceiling == 0 {
                    touched.push(window);
                }
                *ceiling += section.weights[1] * u32::from(highest);
            }
        }
        for window in touched.iter() {
            let mut ceiling = std::mem::take(&mut ceilings[*window as usize]);
            for section in &search.sections[some.end..] {
                if section.windows.contains(window)
                    && let Some(run) = index.run_of(&section.runs, *window)
                {
                    ceiling += section.weights[1] * u32::from(index.shape(run).0);
                }
            }
            ranked.push(rank(ceiling, *window));
        }
    }
}

struct Search<'a> {
    index: &'a Inverted,
    /// Items that are passed over.
    gone: &'a Gone,
    /// Rare ones first.
    sections: Vec<Section>,
    best: Vec<(u32, u32)>,
    limit: usize,
    matches: usize,
    /// Postings that may still be scored.
    budget: usize,
    /// Postings in a window, on average.
    per_window: usize,
    /// Windows that were scored out of turn.
    scored: Vec<u32>,
    /// The runs of the window that is being scored.
    present: Vec<Present>,
}

impl Search<'_> {
    fn score_all(&mut self, scratch: &mut Scratch) {
        let count = self.sections.len();
        scratch.touch(self, 0..count);
        for key in &scratch.ranked {
            self.score_window(unrank(*key).1, true, &mut scratch.scores);
        }
    }

    /// Looks only at windows that hold one of the first `rare` sections' terms; false when that may not be enough.
    fn score_rare(&mut self, rare: usize, scratch: &mut Scratch) -> bool {
        scratch.touch(self, 0..rare);
        self.score_first(scratch);
        let mut reach = vec![0_u32; self.sections.iter().map(|section| section.clause + 1).max().unwrap_or(0)];
        for section in &self.sections[rare..] {
            reach[section.clause] = section.weights[1] * u32::from(u8::MAX);
        }
        if self.bar() <= reach.iter().sum() {
            return false;
        }
        self.score_rest(scratch);
        true
    }

    fn score_ranked(&mut self, scratch: &mut Scratch) {
        self.score_first(scratch);
        self.score_rest(scratch);
    }

    /// Scores the most promising of the ranked windows.
    fn score_first(&mut self, scratch: &mut Scratch) {
        let Scratch { ranked, scores, .. } = scratch;
        let mut first = [u64::MAX; FIRST_WINDOWS];
        for key in ranked.iter() {
            if *key < first[FIRST_WINDOWS - 1] {
                let at = first.partition_point(|other| other < key);
                first[at..].rotate_right(1);
                first[at] = *key;
            }
        }
        for (ceiling, window) in first.iter().filter(|key| **key != u64::MAX).map(|key| unrank(*key)) {
            if !self.scored.contains(&window) && self.can_improve(ceiling, window * WINDOW as u32) {
                self.score_window(window, false, scores);
                self.scored.push(window);
            }
        }
    }

    /// Scores the other ranked windows that reach the bar, in order of their places.
    fn score_rest(&mut self, scratch: &mut Scratch) {
        let Scratch { ranked, scores, .. } = scratch;
        if let Some((score, place)) = self.best.last().filter(|_| self.best.len() == self.limit) {
            let least = rank(*score, place / WINDOW as u32);
            ranked.retain(|key| *key <= least);
        }
        let affordable = self.budget / self.per_window;
        if ranked.len() > affordable && self.sections.len() > PAIR_TEST_TERMS {
            ranked.select_nth_unstable(affordable);
            ranked.truncate(affordable);
        }
        ranked.sort_unstable_by_key(|key| *key as u32);
        for (ceiling, window) in ranked.iter().map(|key| unrank(*key)) {
            if self.budget > 0 && self.can_improve(ceiling, window * WINDOW as u32) && !self.scored.contains(&window) {
                self.score_window(window, false, scores);
            }
        }
    }

    /// What a unit must reach to matter.
    fn bar(&self) -> u32 {
        if self.best.len() < self.limit { 0 } else { self.best.last().map_or(0, |last| last.0) }
    }

    fn can_improve(&self, score: u32, place: u32) -> bool {
        if self.best.len() < self.limit {
            return true;
        }
        self.best.last().is_some_and(|(least, last)| score > *least || (score == *least && place < *last))
    }

    /// Scores a window, or (when `all` need not be counted) the blocks of it that can reach the bar.
    fn score_window(&mut self, window: u32, all: bool, scores: &mut [u32; WINDOW]) {
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
        let bar = if all || self.best.len() < self.limit { 0 } else { self.bar() };
        let mut wanted = occupied & reaching(&present, bar);
        // Rare terms come first and count most: most blocks are out before the postings of frequent ones are read.
        let mut to_come: u32 = present.iter().map(|here| here.reach).sum();
        let mut written = 0;
        for here in &present {
            if wanted == 0 {
                break;
            }
            written |= self.add(here, wanted, scores);
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
    fn add(&mut self, here: &Present, wanted: u16, scores: &mut [u32; WINDOW]) -> u16 {
        let section = &self.sections[here.section];
        let postings = &self.index.postings[self.index.run_postings(here.run)];
        let mut add = |[local, impact, forms]: &[u8; 3]| {
            let weight = section.weights[usize::from(forms & section.form != 0)];
            scores[*local as usize] += weight * u32::from(*impact);
        };
        let wanted = wanted & here.blocks;
        if wanted.count_ones() > NARROW_BLOCKS {
            postings.iter().for_each(add);
            self.budget = self.budget.saturating_sub(postings.len());
            return here.blocks;
        }
        for block in Bits(wanted) {
            let start = postings.partition_point(|posting| usize::from(posting[0]) < block * BLOCK);
            postings[start..].iter().take_while(|posting| usize::from(posting[0]) / BLOCK == block).for_each(&mut add);
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
struct Present {
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
