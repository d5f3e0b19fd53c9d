//! Worker pool for expensive requests, which may compute for milliseconds: long searches, compressed lists, full texts, MCP, pages.
//!
//! It is a runtime of its own with few threads of a lower priority than those that accept connections and answer look-ups and probes, so
//! an expensive request delays only others of its kind. Pages are the most expensive; they are rendered one at a time on a blocking thread.

use std::future::Future;
use std::sync::{Arc, OnceLock};

use futures::FutureExt as _;
use refdesk_core::parallel::cores;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::Semaphore;
use tokio::task::JoinError;
use tokio_util::task::AbortOnDropHandle;

/// Nice value of the pool's threads.
#[cfg(target_os = "linux")]
const NICE_VALUE: i32 = 5;
/// Most threads for each processor: the system may refuse more, and they would only wait for each other.
const THREADS_PER_PROCESSOR: usize = 16;
/// Pages rendered at once.
const PAGES_AT_ONCE: usize = 1;

/// A runtime for expensive requests, started by the first one.
#[derive(Debug)]
pub(crate) struct WorkerPool {
    threads: usize,
    runtime: OnceLock<Option<Runtime>>,
    pages: Arc<Semaphore>,
}

impl WorkerPool {
    /// A pool of this many threads, at most [`THREADS_PER_PROCESSOR`] for each processor; 0 means one for each.
    pub(crate) fn new(threads: usize) -> Self {
        let processors = cores();
        let threads = if threads == 0 { processors } else { threads.min(THREADS_PER_PROCESSOR * processors) };
        Self { threads, runtime: OnceLock::new(), pages: Arc::new(Semaphore::new(PAGES_AT_ONCE)) }
    }

    /// Runs a request in the pool. Dropping the returned future cancels the request at its next await point.
    ///
    /// # Errors
    /// When the runtime ended.
    pub(crate) fn run<T: Send + 'static, F: Future<Output = T> + Send + 'static>(
        &self,
        request: F,
    ) -> impl Future<Output = Result<T, JoinError>> + Send + use<T, F> {
        AbortOnDropHandle::new(self.handle().spawn(request)).map(joined)
    }

    /// Renders a page when it is its turn.
    ///
    /// # Errors
    /// When rendering panicked or the runtime ended: [`joined`] tells them apart.
    pub(crate) async fn render_page<T: Send + 'static>(
        &self,
        render: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, JoinError> {
        // The semaphore is never closed.
        let turn = Arc::clone(&self.pages).acquire_owned().await;
        // The turn ends with the rendering, even when the request was cancelled in the meantime.
        let render = move || {
            let _turn = turn;
            render()
        };
        self.handle().spawn_blocking(render).await
    }

    /// The pool, or the caller's runtime when the pool has no threads.
    fn handle(&self) -> Handle {
        let runtime = self.runtime.get_or_init(|| {
            let built = Builder::new_multi_thread()
                .worker_threads(self.threads)
                .max_blocking_threads(self.threads.max(2))
                .thread_name("work")
                .on_thread_start(lower_priority)
                .enable_all()
                .build();
            if let Err(error) = &built {
                tracing::warn!(%error, "no threads for expensive requests; they run with all others");
            }
            built.ok()
        });
        runtime.as_ref().map_or_else(Handle::current, |runtime| runtime.handle().clone())
    }
}

impl Drop for WorkerPool {
    fn drop(&mut self) {
        // Waiting for a runtime to end is not allowed in async code, where the state may be dropped.
        if let Some(runtime) = self.runtime.take().flatten() {
            runtime.shutdown_background();
        }
    }
}

/// What a task gave on another thread. Its panic goes on in whoever waits for it: at the top of the request, panics are counted and answered
/// with a 500.
///
/// # Errors
/// When the task was cancelled, which only the end of its runtime does.
pub(crate) fn joined<T>(ended: Result<T, JoinError>) -> Result<T, JoinError> {
    ended.map_err(|error| match error.try_into_panic() {
        Ok(panic) => std::panic::resume_unwind(panic),
        Err(cancelled) => cancelled,
    })
}

/// Lowers the priority of this thread, where the system has priorities for threads.
fn lower_priority() {
    #[cfg(target_os = "linux")]
    // Lowering is always permitted, and without it the work is done all the same.
    let _ = rustix::process::setpriority_process(Some(rustix::thread::gettid()), NICE_VALUE);
}

#[cfg(test)]
mod tests {
    use std::panic::AssertUnwindSafe;

    use futures::FutureExt as _;

    use super::{WorkerPool, joined};

    #[tokio::test]
    async fn a_panic_in_the_pool_goes_on_in_the_request_and_the_next_page_gets_its_turn() {
        let pool = WorkerPool::new(1);
        let page = async { joined(pool.render_page(|| panic!("on purpose")).await) };
        assert!(AssertUnwindSafe(page).catch_unwind().await.is_err());
        assert!(AssertUnwindSafe(pool.run(async { panic!("on purpose") })).catch_unwind().await.is_err());
        assert_eq!(pool.render_page(|| 1).await.ok(), Some(1));
        assert_eq!(pool.run(async { 2 }).await.ok(), Some(2));
    }
}
