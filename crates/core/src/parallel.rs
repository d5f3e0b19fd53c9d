//! Work of the processor that is shared among threads, and what they share under a lock.

use std::panic::resume_unwind;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::available_parallelism;

use crate::cooperative;

/// Things that one thread goes over without asking for more: fewer are not worth a thread.
const PART: usize = 1_024;

/// The processors that this process may use at once; one where the system does not tell.
pub fn cores() -> usize {
    available_parallelism().map_or(1, usize::from)
}

/// What a mutex guards, also after a thread panicked while it had it: what is guarded in this program is whole wherever something
/// can panic.
pub fn locked<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What comes of each of many things, in their order: a part of them at a time, on as many threads as there are cores. Gives way to
/// requests in between; on Linux, threads that a thread of low priority starts have its priority.
pub fn map<T: Sync, R: Send>(things: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let of_part = |part: &[T]| cooperative::yielding(part).map(&work).collect::<Vec<R>>();
    if things.len() <= PART {
        return of_part(things);
    }
    in_parallel(cores(), things.chunks(PART).collect(), of_part).into_iter().flatten().collect()
}

/// Does some work with each task, a few at a time, and gives what came of them in their order. The first is begun first, and a
/// panic of one is one of whoever waits.
pub fn in_parallel<T: Send, R: Send>(threads: usize, tasks: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let threads = threads.max(1).min(tasks.len());
    let waiting = Mutex::new(tasks.into_iter().enumerate());
    let next = || locked(&waiting).next();
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

#[cfg(test)]
mod tests {
    use super::{PART, in_parallel, map};

    #[test]
    fn what_comes_of_things_stands_in_their_order_whether_they_are_few_or_many() {
        for count in [0, 1, PART, PART + 1, 5 * PART] {
            let things: Vec<usize> = (0..count).collect();
            let doubled = map(&things, |thing| 2 * thing);
            assert!(doubled.into_iter().eq((0..count).map(|thing| 2 * thing)), "{count} things");
        }
    }

    #[test]
    fn what_comes_of_tasks_stands_in_their_order_with_any_number_of_threads() {
        for threads in [0, 1, 3, 99] {
            let doubled = in_parallel(threads, vec![4, 1, 3, 2], |number| 2 * number);
            assert_eq!(doubled, [8, 2, 6, 4], "{threads} threads");
        }
        assert!(in_parallel(2, Vec::<u8>::new(), |number| number).is_empty());
    }
}
