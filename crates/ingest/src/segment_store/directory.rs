//! Segment files in a directory that nodes share.

use std::path::{Path, PathBuf};

use tokio::fs::File;
use tokio::io::BufReader;

use super::{Result, SegmentStoreError, file_error};

/// What the names of files end with that are being written.
const UNFINISHED_SUFFIX: &str = ".new";

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

    /// Copies a file here under a name of its own first, so that nobody reads a half-written one.
    pub(super) async fn put(&self, name: &str, path: &Path) -> Result<()> {
        let at = file_error(name);
        tokio::fs::create_dir_all(&self.path).await.map_err(&at)?;
        let unfinished = self.path.join(format!("{name}.{}{UNFINISHED_SUFFIX}", std::process::id()));
        tokio::fs::copy(path, &unfinished).await.map_err(&at)?;
        let written = File::open(&unfinished).await.map_err(&at)?;
        written.sync_all().await.map_err(&at)?;
        tokio::fs::rename(&unfinished, self.path.join(name)).await.map_err(&at)
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
