//! Work of the processor that is shared among threads.

use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};

/// Does some work with each task, a few at a time, and gives what came of them in their order. The first is begun first, and a
/// panic of one is one of whoever waits.
pub fn in_parallel<T: Send, R: Send>(threads: usize, tasks: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let threads = threads.min(tasks.len());
    let waiting = Mutex::new(tasks.into_iter().enumerate());
    let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work_on = || {
        let mut done = Vec::new();
        while let Some((at, task)) = next() {
            done.push((at, work(task)));
        }
        done
    };
    let mut done: Vec<(usize, R)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work_on)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    });
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, made)| made).collect()
}
