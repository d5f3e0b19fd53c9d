//! Threads for the work of seconds, beside those that answer requests.

use std::panic::resume_unwind;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};

use super::GenerationError;

/// Nice value of a thread that works behind requests.
#[cfg(target_os = "linux")]
const BEHIND: i32 = 10;

/// Runs work of seconds on a thread of its own, with a runtime of its own for what waits in it.
pub(super) async fn on_a_thread<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> Result<T, GenerationError> {
    run_on_a_thread(work, || {}).await
}

/// The same on a thread that gives way to those that answer requests. So do all threads that the work starts: they take over its
/// priority.
pub(super) async fn behind_requests<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> Result<T, GenerationError> {
    run_on_a_thread(work, give_way).await
}

/// Does some work with each task, a few at a time, and gives what came of them in their order. The first is begun first.
pub(super) fn in_parallel<T: Send, R: Send>(threads: usize, tasks: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
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

async fn run_on_a_thread<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
    prepare: impl FnOnce() + Send + 'static,
) -> Result<T, GenerationError> {
    let (sender, receiver) = tokio::sync::oneshot::channel();
    // Boxed as one type: `block_on` polls at three places, and each would compile the work once more.
    let work: Pin<Box<dyn Future<Output = T> + Send>> = Box::pin(work);
    std::thread::Builder::new().name("rebuild".to_owned()).spawn(move || {
        prepare();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        // Nobody waits any more at shutdown.
        let _ = sender.send(runtime.map(|runtime| runtime.block_on(work)));
    })?;
    Ok(receiver.await.map_err(|_| GenerationError::BrokeOff)??)
}

/// Lowers the priority of this thread, where the system has priorities of threads.
fn give_way() {
    #[cfg(target_os = "linux")]
    // A lower priority is always granted; without it the work is done all the same.
    let _ = rustix::process::setpriority_process(Some(rustix::thread::gettid()), BEHIND);
}
