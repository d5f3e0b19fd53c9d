//! Finds the best units for weighted terms without looking at most of them.
//!
//! Every window has a ceiling, the sum of its runs' highest impacts. The windows with the highest ceilings are scored first; they set the
//! bar. When no frequent term can reach it alone, only windows with rarer terms are looked at. They are passed in order (so memory is read
//! in order) and scored only where the ceiling, and then the ceiling of one of their blocks of 16 places, reaches the bar (`window`). Work
//! is bounded: after [`POSTINGS_PER_TERM_MAX`] postings a term the least promising windows are left out. All arithmetic is on integers, so
//! every platform ranks alike.

mod window;

use super::inverted::Inverted;
use super::layered::Gone;
use super::layout::WINDOW;
use super::posting::Posting;
use std::cell::RefCell;
use std::ops::Range;
use window::{Present, Scores};

/// Postings scored at most, for each term of a query; beyond, the windows with the lowest ceilings are left out.
const POSTINGS_PER_TERM_MAX: usize = 15_000;
/// Up to this many postings everything is scored, so that the number of matches is exact.
const EXACT_POSTINGS: usize = 1_000;
/// Up to this many windows everything is scored likewise.
const EXACT_WINDOWS: usize = 48;
/// Windows that are scored first.
const FIRST_WINDOWS: usize = 16;
/// With at most so many terms, blocks must hold one of every two terms without which the bar is out of reach.
const PAIR_TEST_TERMS: usize = 8;
/// Up to so many runs for each touched window, going over them all takes less time than seeking one for each.
const RUNS_PER_SEEK: usize = 4;
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
    /// What units can reach, by window; nothing between queries.
    ceilings: Vec<Ceiling>,
    touched: Vec<u32>,
    /// Windows with their ceilings, see [`rank`].
    ranked: Vec<u64>,
    scores: Scores,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = const {
        RefCell::new(Scratch { ceilings: Vec::new(), touched: Vec::new(), ranked: Vec::new(), scores: Scores::ZERO })
    };
}

/// The highest score that a unit of a window can reach by the terms that were looked at, and the blocks that hold one of them.
#[derive(Debug, Clone, Copy, Default)]
struct Ceiling {
    score: u32,
    blocks: u16,
}

impl Ceiling {
    /// With one more term. No unit has this one and the others when no block does.
    fn raise(&mut self, reach: u32, blocks: u16) {
        self.score = if self.blocks & blocks == 0 { self.score.max(reach) } else { self.score + reach };
        self.blocks |= blocks;
    }
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
pub(super) fn collect<P: Posting>(
    index: &Inverted<P>,
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
fn sections<P: Posting>(index: &Inverted<P>, clauses: &[Clause], ranges: &[Range<u32>]) -> Vec<Section> {
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
                    highest: index.highest(clause.term),
                });
            }
        }
    }
    sections
}

/// How many units hold one of the terms, if the terms were independent.
fn estimate<P: Posting>(index: &Inverted<P>, sections: &[Section], ranges: &[Range<u32>]) -> usize {
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
    /// The highest impact of the term.
    highest: u8,
}

impl Section {
    /// What a unit with this impact gets at most.
    fn reach(&self, impact: u8) -> u32 {
        self.weights[1] * u32::from(impact)
    }

    fn postings<P: Posting>(&self, index: &Inverted<P>) -> usize {
        index.run_postings(self.runs.end - 1).end - index.run_postings(self.runs.start).start
    }
}

impl Scratch {
    /// Ranks the windows in which one of some sections has a run by what all sections can reach there.
    fn touch<P: Posting>(&mut self, search: &Search<'_, P>, some: Range<usize>) {
        let Self { ceilings, touched, ranked, .. } = self;
        let index = search.index;
        touched.clear();
        ranked.clear();
        if let [section] = &search.sections[..]
            && some.len() == 1
        {
            let reach = |(window, highest, _)| rank(section.reach(highest), window);
            ranked.extend(index.shapes(section.runs.clone()).map(reach));
            return;
        }
        ceilings.resize(ceilings.len().max(index.layout.windows()), Ceiling::default());
        for section in &search.sections[some.clone()] {
            for (window, highest, blocks) in index.shapes(section.runs.clone()) {
                let ceiling = &mut ceilings[window as usize];
                if ceiling.blocks == 0 {
                    touched.push(window);
                }
                ceiling.raise(section.reach(highest), blocks);
            }
        }
        for section in &search.sections[some.end..] {
            raise_touched(index, section, touched, ceilings);
        }
        for window in touched.iter() {
            ranked.push(rank(std::mem::take(&mut ceilings[*window as usize]).score, *window));
        }
    }
}

/// Raises the ceilings of touched windows by another term.
fn raise_touched<P: Posting>(index: &Inverted<P>, section: &Section, touched: &[u32], ceilings: &mut [Ceiling]) {
    if section.runs.len() <= touched.len() * RUNS_PER_SEEK {
        for (window, highest, blocks) in index.shapes(section.runs.clone()) {
            let ceiling = &mut ceilings[window as usize];
            if ceiling.blocks > 0 {
                ceiling.raise(section.reach(highest), blocks);
            }
        }
        return;
    }
    let mut cursor = section.runs.start;
    for window in touched.iter().filter(|window| section.windows.contains(window)) {
        if let Some(run) = index.seek(&section.runs, &mut cursor, *window) {
            let (highest, blocks) = index.shape(run);
            ceilings[*window as usize].raise(section.reach(highest), blocks);
        }
    }
}

struct Search<'a, P: Posting> {
    index: &'a Inverted<P>,
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

impl<P: Posting> Search<'_, P> {
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
            reach[section.clause] = section.reach(section.highest);
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
}
