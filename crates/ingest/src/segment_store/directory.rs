//! Segment files in a directory that nodes share, mostly over a network: each call works on a thread beside those that answer requests,
//! because a file system whose server is gone does not even say whether a file is there.

use std::fs::File;
use std::io::Result as IoResult;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;

use super::{Result, SegmentStoreError, file_error};
use crate::files::{if_there, is_idle, sweep, unfinished_in};

/// What the names of files end with that are being written.
const UNFINISHED_SUFFIX: &str = ".new";
/// An unfinished file that nobody wrote to for so long is what a writer left that was ended. Long, because clocks of machines differ.
const UNFINISHED_KEPT_FOR: Duration = Duration::from_hours(24);

/// Calls that use the directory at once. Nobody can end a thread that hangs there, so that without a bound tries would use them up.
const CALLS_MAX: usize = 8;

/// A directory of segment files.
#[derive(Debug, Clone)]
pub struct Directory {
    path: PathBuf,
    calls: Arc<Semaphore>,
}

impl Directory {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, calls: Arc::new(Semaphore::new(CALLS_MAX)) }
    }

    pub(super) async fn has(&self, name: &str) -> Result<bool> {
        let file = self.path.join(name);
        self.on_a_thread(move || file.try_exists()).await.map_err(file_error(name))
    }

    /// Copies a file here under a random name first, so that nobody reads a half-written one and no two writers write into one file.
    pub(super) async fn put(&self, name: &str, path: &Path) -> Result<()> {
        let (directory, file, from) = (self.path.clone(), name.to_owned(), path.to_owned());
        let put = move || -> IoResult<()> {
            std::fs::create_dir_all(&directory)?;
            copy(&from, &directory, &file)?;
            sweep_unfinished(&directory);
            Ok(())
        };
        self.on_a_thread(put).await.map_err(file_error(name))
    }

    pub(super) async fn fetch(&self, name: &str, to: &tokio::fs::File) -> Result<()> {
        let from = self.path.join(name);
        let mut to = to.try_clone().await.map_err(file_error(name))?.into_std().await;
        let fetch = move || -> IoResult<bool> {
            let Some(mut from) = if_there(File::open(from))? else { return Ok(false) };
            std::io::copy(&mut from, &mut to).map(|_| true)
        };
        let is_there = self.on_a_thread(fetch).await.map_err(file_error(name))?;
        if is_there { Ok(()) } else { Err(SegmentStoreError::Missing(name.to_owned())) }
    }

    pub(super) async fn names(&self) -> Result<Vec<String>> {
        let path = self.path.clone();
        let list = move || -> IoResult<Vec<String>> {
            let Some(files) = if_there(std::fs::read_dir(path))? else { return Ok(Vec::new()) };
            Ok(files.flatten().filter_map(|file| file.file_name().into_string().ok()).collect())
        };
        let mut names = self.on_a_thread(list).await.map_err(file_error("the directory"))?;
        names.retain(|name| !name.ends_with(UNFINISHED_SUFFIX));
        Ok(names)
    }

    pub(super) async fn delete(&self, names: &[String]) -> Result<()> {
        for name in names {
            let file = self.path.join(name);
            self.on_a_thread(move || if_there(std::fs::remove_file(file))).await.map_err(file_error(name))?;
        }
        Ok(())
    }

    /// Does something with the directory, once fewer than [`CALLS_MAX`] others do. Whoever waits no longer leaves it behind on its thread.
    async fn on_a_thread<T: Send + 'static>(&self, work: impl FnOnce() -> IoResult<T> + Send + 'static) -> IoResult<T> {
        let turn = Arc::clone(&self.calls).acquire_owned().await.map_err(std::io::Error::other)?;
        let worked = tokio::task::spawn_blocking(move || {
            let done = work();
            drop(turn);
            done
        });
        worked.await.map_err(std::io::Error::other).flatten()
    }
}

fn copy(from: &Path, directory: &Path, name: &str) -> IoResult<()> {
    let unfinished = unfinished_in(directory, &format!("{name}."), UNFINISHED_SUFFIX)?;
    std::fs::copy(from, unfinished.path())?;
    unfinished.as_file().sync_all()?;
    unfinished.persist(directory.join(name)).map(drop).map_err(|error| error.error)
}

/// Deletes what writers left that were ended.
fn sweep_unfinished(directory: &Path) {
    let is_unfinished = |name: &str| name.ends_with(UNFINISHED_SUFFIX);
    sweep(directory, |file| file.file_name().to_str().is_some_and(is_unfinished) && is_idle(file, UNFINISHED_KEPT_FOR));
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failing unwrap is a failing test")]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::time::Instant;

    use super::*;

    /// How long the test waits before it fails.
    const PATIENCE: Duration = Duration::from_mins(1);

    /// Before, calls hung on the threads that answer requests, and each try took one more.
    #[tokio::test]
    async fn a_directory_that_hangs_takes_a_few_threads_and_is_used_again_when_it_answers() {
        let folder = tempfile::tempdir().unwrap();
        let directory = Directory::new(folder.path().to_owned());
        let (answers, begun) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let since = Instant::now();
        for _ in 0..CALLS_MAX * 3 {
            let (answers, begun) = (Arc::clone(&answers), Arc::clone(&begun));
            let hangs = directory.on_a_thread(move || {
                begun.fetch_add(1, Ordering::SeqCst);
                while !answers.load(Ordering::SeqCst) && since.elapsed() < PATIENCE {
                    std::thread::sleep(Duration::from_millis(1));
                }
                Ok(())
            });
            tokio::time::timeout(Duration::from_millis(5), hangs).await.unwrap_err();
        }
        while begun.load(Ordering::SeqCst) < CALLS_MAX {
            assert!(since.elapsed() < PATIENCE, "its calls were not begun");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        answers.store(true, Ordering::SeqCst);
        assert!(!directory.has("a").await.unwrap());
        assert_eq!(begun.load(Ordering::SeqCst), CALLS_MAX, "the others were given up before they had a thread");
    }
}
