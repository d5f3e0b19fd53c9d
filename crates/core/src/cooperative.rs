//! Long work gives way to requests.
//!
//! A thread of low priority is not interrupted the moment that another one wakes: the system lets it run to the end of its slice of some
//! milliseconds, longer than most requests take. So long work steps aside by itself, every [`TURN`], wherever it goes over many things.
//! On a core of its own that costs next to nothing.

use std::cell::Cell;
use std::cmp::Ordering;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// How long work goes on before it steps aside.
const TURN: Duration = Duration::from_micros(500);
/// Small steps between two looks at the clock.
const SMALL_STEPS: u32 = 64;

/// Turns of all threads.
static TURNS: AtomicU64 = AtomicU64::new(0);

thread_local! {
    static TURN_BEGAN: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// Lets other threads run when this one has had its turn. To be called between the steps of long work, which take less than that.
pub fn yield_now() {
    let now = Instant::now();
    let began = TURN_BEGAN.get().unwrap_or(now);
    if now.duration_since(began) < TURN {
        TURN_BEGAN.set(Some(began));
        return;
    }
    TURNS.fetch_add(1, Relaxed);
    std::thread::yield_now();
    TURN_BEGAN.set(Some(Instant::now()));
}

/// How many turns long work has had in this process: while the number grows, work goes on, however long it takes.
pub fn turns() -> u64 {
    TURNS.load(Relaxed)
}

/// Counts steps of a few microseconds at most, for which a look at the clock each would be too much.
#[derive(Debug, Default)]
struct SmallSteps(u32);

impl SmallSteps {
    fn take(&mut self) {
        self.0 = self.0.wrapping_add(1);
        if self.0.is_multiple_of(SMALL_STEPS) {
            yield_now();
        }
    }
}

/// Goes over something with which little is done each, giving way in between.
pub fn yielding<T>(items: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
    let mut steps = SmallSteps::default();
    items.into_iter().inspect(move |_| steps.take())
}

/// Sorts (equal elements in any order) and gives way in between.
pub fn sort<T: Ord>(list: &mut [T]) {
    sort_by(list, Ord::cmp);
}

/// The same in an order of its own.
pub fn sort_by<T>(list: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    let mut steps = SmallSteps::default();
    list.sort_unstable_by(|a, b| {
        steps.take();
        compare(a, b)
    });
}

/// Runs two closures at once, `beside` on a thread of its own, and returns both results. A panic in either is passed on.
pub fn join<A, B: Send>(here: impl FnOnce() -> A, beside: impl FnOnce() -> B + Send) -> (A, B) {
    std::thread::scope(|scope| {
        let beside = scope.spawn(beside);
        let here = here();
        (here, beside.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn work_that_goes_on_has_turns() {
        let before = super::turns();
        let begun = std::time::Instant::now();
        while begun.elapsed() < super::TURN * 4 {
            super::yield_now();
        }
        assert!(super::turns() > before);
    }

    #[test]
    fn both_results_are_returned_and_a_panic_on_the_other_thread_is_passed_on() {
        let thread = || std::thread::current().id();
        let (here, beside) = super::join(thread, thread);
        assert_eq!((here == thread(), beside == thread()), (true, false));
        let broken = std::panic::catch_unwind(|| super::join(|| 1, || assert!(here == thread(), "elsewhere")));
        assert_eq!(broken.unwrap_err().downcast_ref::<&str>(), Some(&"elsewhere"));
    }

    #[test]
    fn sorting_and_going_over_lose_nothing() {
        let mut list: Vec<u32> = (0..10_000).map(|at| at * 7_919 % 10_000).collect();
        super::sort(&mut list);
        assert!(super::yielding(&list).copied().eq(0..10_000));
        super::sort_by(&mut list, |a, b| b.cmp(a));
        assert!(list.into_iter().eq((0..10_000).rev()));
    }
}
