//! Worker pool for expensive requests, which may compute for milliseconds: long searches, compressed lists, full texts, MCP, pages.
//!
//! It is a runtime of its own with few threads of a lower priority than those that accept connections and answer look-ups and probes, so
//! an expensive request delays only others of its kind. Pages are the most expensive; they are rendered one at a time on a blocking thread.

use std::future::Future;
use std::sync::{Arc, OnceLock};
use std::task::Poll;

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

/// Nice value of the pool's threads.
#[cfg(target_os = "linux")]
const NICE_VALUE: i32 = 5;
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
    /// A pool of this many threads; 0 means one for each processor.
    pub(crate) fn new(threads: usize) -> Self {
        let processors = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let threads = if threads == 0 { processors() } else { threads };
        Self { threads, runtime: OnceLock::new(), pages: Arc::new(Semaphore::new(PAGES_AT_ONCE)) }
    }

    /// Runs a request in the pool, or on the caller's runtime when the pool has no threads. Dropping the returned task cancels the request at
    /// its next await point.
    pub(crate) fn run<T: Send + 'static>(&self, request: impl Future<Output = T> + Send + 'static) -> PoolTask<T> {
        PoolTask(match self.handle() {
            Some(handle) => handle.spawn(request),
            None => tokio::spawn(request),
        })
    }

    /// Renders a page when it is its turn. `None` when rendering panicked.
    pub(crate) async fn render_page<T: Send + 'static>(
        &self,
        render: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let turn = Arc::clone(&self.pages).acquire_owned().await.ok()?;
        // The turn ends with the rendering, even when the request was cancelled in the meantime.
        let render = move || {
            let _turn = turn;
            render()
        };
        let rendered = match self.handle() {
            Some(handle) => handle.spawn_blocking(render),
            None => tokio::task::spawn_blocking(render),
        };
        rendered.await.ok()
    }

    fn handle(&self) -> Option<&Handle> {
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
        runtime.as_ref().map(Runtime::handle)
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

/// A request in the pool. Dropping it cancels the request.
pub(crate) struct PoolTask<T>(JoinHandle<T>);

impl<T> Future for PoolTask<T> {
    /// `None` when the request panicked or the runtime ended.
    type Output = Option<T>;

    fn poll(mut self: std::pin::Pin<&mut Self>, context: &mut std::task::Context<'_>) -> Poll<Option<T>> {
        std::pin::Pin::new(&mut self.0).poll(context).map(Result::ok)
    }
}

impl<T> Drop for PoolTask<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Lowers the priority of this thread, where the system has priorities for threads.
fn lower_priority() {
    #[cfg(target_os = "linux")]
    // Lowering is always permitted, and without it the work is done all the same.
    let _ = rustix::process::setpriority_process(Some(rustix::thread::gettid()), NICE_VALUE);
}
