//! Threads for the work of seconds, beside those that answer requests.

use std::pin::Pin;

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
