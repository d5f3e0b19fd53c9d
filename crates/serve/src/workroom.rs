//! Where requests run that may cost milliseconds of computing: searches of long questions, lists and full texts with their compression,
//! MCP, pages. It is a runtime of its own with few threads, which give way to those that accept connections and answer look-ups and
//! probes: one costly request delays others of its kind and nobody else. Pages, which cost most, take turns on a thread below it.

use std::future::Future;
use std::sync::{Arc, OnceLock};
use std::task::Poll;

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

/// Nice value of the threads.
#[cfg(target_os = "linux")]
const NICE: i32 = 5;
/// Pages that are made at once.
const PAGES_AT_ONCE: usize = 1;

/// A runtime for costly requests, started when the first one comes.
#[derive(Debug)]
pub(crate) struct Workroom {
    threads: usize,
    runtime: OnceLock<Option<Runtime>>,
    pages: Arc<Semaphore>,
}

impl Workroom {
    /// With this number of threads; 0 takes one for each processor.
    pub(crate) fn new(threads: usize) -> Self {
        let processors = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let threads = if threads == 0 { processors() } else { threads };
        Self { threads, runtime: OnceLock::new(), pages: Arc::new(Semaphore::new(PAGES_AT_ONCE)) }
    }

    /// Runs a request here; without threads of its own, where it is. Who no longer waits for it ends it at the next point where it waits.
    pub(crate) fn run<T: Send + 'static>(&self, request: impl Future<Output = T> + Send + 'static) -> Running<T> {
        Running(match self.handle() {
            Some(handle) => handle.spawn(request),
            None => tokio::spawn(request),
        })
    }

    /// Makes a page when it is its turn. `None` when that ended in a panic.
    pub(crate) async fn page<T: Send + 'static>(&self, make: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        let turn = Arc::clone(&self.pages).acquire_owned().await.ok()?;
        // The turn ends with the page, also when nobody waits for it any more.
        let make = move || {
            let _turn = turn;
            make()
        };
        let made = match self.handle() {
            Some(handle) => handle.spawn_blocking(make),
            None => tokio::task::spawn_blocking(make),
        };
        made.await.ok()
    }

    fn handle(&self) -> Option<&Handle> {
        let runtime = self.runtime.get_or_init(|| {
            let built = Builder::new_multi_thread()
                .worker_threads(self.threads)
                .max_blocking_threads(self.threads.max(2))
                .thread_name("work")
                .on_thread_start(give_way)
                .enable_all()
                .build();
            if let Err(error) = &built {
                tracing::warn!(%error, "no threads for costly requests; they run with all others");
            }
            built.ok()
        });
        runtime.as_ref().map(Runtime::handle)
    }
}

impl Drop for Workroom {
    fn drop(&mut self) {
        // A runtime may not be waited for where a desk may be dropped.
        if let Some(runtime) = self.runtime.take().flatten() {
            runtime.shutdown_background();
        }
    }
}

/// A request that runs; it ends with who waits for it.
pub(crate) struct Running<T>(JoinHandle<T>);

impl<T> Future for Running<T> {
    /// `None` when it panicked.
    type Output = Option<T>;

    fn poll(mut self: std::pin::Pin<&mut Self>, context: &mut std::task::Context<'_>) -> Poll<Option<T>> {
        std::pin::Pin::new(&mut self.0).poll(context).map(Result::ok)
    }
}

impl<T> Drop for Running<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Lowers the priority of this thread, where the system has priorities of threads.
fn give_way() {
    #[cfg(target_os = "linux")]
    // A lower priority is always granted; without it the work is done all the same.
    let _ = rustix::process::setpriority_process(Some(rustix::thread::gettid()), NICE);
}
