//! Segment files in a directory that nodes share.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::fs::File;
use tokio::io::BufReader;

use super::{Result, SegmentStoreError, file_error};

/// What the names of files end with that are being written.
const UNFINISHED_SUFFIX: &str = ".new";
/// An unfinished file that nobody wrote to for so long is what a writer left that was ended. Long, because clocks of machines differ.
const UNFINISHED_KEPT_FOR: Duration = Duration::from_hours(24);

/// Bytes that are copied at once: each time another thread is asked.
const COPIED_BYTES: usize = 1 << 20;

/// A directory of segment files.
#[derive(Debug, Clone)]
pub struct Directory {
    path: PathBuf,
}

impl Directory {
    pub(super) const fn new(path: PathBuf) -> Self {
        Self { path }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.path.join(name).exists()
    }

    /// Copies a file here under a random name first, so that nobody reads a half-written one and no two writers write into one file.
    pub(super) async fn put(&self, name: &str, path: &Path) -> Result<()> {
        let (directory, file, from) = (self.clone(), name.to_owned(), path.to_owned());
        let put = tokio::task::spawn_blocking(move || {
            std::fs::create_dir_all(&directory.path)?;
            directory.copy(&file, &from)?;
            directory.sweep_unfinished();
            Ok(())
        });
        put.await.map_err(std::io::Error::other).flatten().map_err(file_error(name))
    }

    fn copy(&self, name: &str, from: &Path) -> std::io::Result<()> {
        // Not the id of the process: in containers every writer may have the same.
        let unfinished =
            tempfile::Builder::new().prefix(&format!("{name}.")).suffix(UNFINISHED_SUFFIX).tempfile_in(&self.path)?;
        std::fs::copy(from, unfinished.path())?;
        unfinished.as_file().sync_all()?;
        unfinished.persist(self.path.join(name)).map(drop).map_err(|error| error.error)
    }

    /// Deletes what writers left that were ended. One that cannot be deleted only takes up space, and the next writer tries again.
    fn sweep_unfinished(&self) {
        let Ok(files) = std::fs::read_dir(&self.path) else { return };
        for file in files.flatten() {
            let is_unfinished = file.file_name().to_str().is_some_and(|name| name.ends_with(UNFINISHED_SUFFIX));
            let age = || file.metadata().ok()?.modified().ok()?.elapsed().ok();
            if is_unfinished
                && age().is_some_and(|age| age > UNFINISHED_KEPT_FOR)
                && let Err(error) = std::fs::remove_file(file.path())
            {
                tracing::debug!(%error, "an unfinished segment file of an earlier writer could not be deleted");
            }
        }
    }

    pub(super) async fn fetch(&self, name: &str, to: &mut File) -> Result<()> {
        let from = File::open(self.path.join(name)).await;
        let from = from.map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => SegmentStoreError::Missing(name.to_owned()),
            _ => file_error(name)(error),
        })?;
        let mut from = BufReader::with_capacity(COPIED_BYTES, from);
        tokio::io::copy_buf(&mut from, to).await.map(drop).map_err(file_error(name))
    }

    pub(super) fn names(&self) -> Result<Vec<String>> {
        let files = match std::fs::read_dir(&self.path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            files => files.map_err(file_error("the directory"))?,
        };
        let names = files.flatten().filter_map(|file| file.file_name().into_string().ok());
        Ok(names.filter(|name| !name.ends_with(UNFINISHED_SUFFIX)).collect())
    }

    pub(super) fn delete(&self, names: &[String]) -> Result<()> {
        for name in names {
            match std::fs::remove_file(self.path.join(name)) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(file_error(name)(error)),
                _ => {}
            }
        }
        Ok(())
    }
}
