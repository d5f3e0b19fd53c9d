//! Which facts the catalog on disk lacks because their rows in the store could not be read: who begins with it reads no facts, and would not
//! know of them. They stand in a file of their own, which is there only while there are some, and which every command can afford to look for.

use std::io::{Read as _, Write as _};
use std::path::Path;

use super::{CatalogFolder, FOLDER, MANIFEST_BYTES_MAX};
use crate::files;
use crate::generation::{GenerationError, content};

const SKIPPED_FILE: &str = "skipped.json";

impl CatalogFolder {
    /// Keeps the numbers of the facts that the catalog lacks.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub(in crate::generation) fn keep_skipped(&self, facts: &[i64]) -> Result<(), GenerationError> {
        if facts.is_empty() {
            files::if_there(std::fs::remove_file(self.path.join(SKIPPED_FILE)))?;
            return Ok(());
        }
        self.make()?;
        let text = serde_json::to_string(facts).map_err(|error| content(error.to_string()))?;
        files::write_whole(&self.path, SKIPPED_FILE, |mut file| {
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            Ok::<_, GenerationError>(SKIPPED_FILE.to_owned())
        })
        .map(drop)
    }

    /// The numbers of the facts that the catalog in a data directory lacks. A list that cannot be read is told of and passed over.
    pub fn skipped(data_dir: &Path) -> Vec<i64> {
        let file = files::if_there(files::open_regular(&data_dir.join(FOLDER).join(SKIPPED_FILE)));
        let read = file.and_then(|file| {
            let Some(file) = file else { return Ok(Vec::new()) };
            let mut text = String::new();
            file.take(MANIFEST_BYTES_MAX).read_to_string(&mut text)?;
            Ok(serde_json::from_str(&text)?)
        });
        read.unwrap_or_else(|error| {
            tracing::warn!(%error, "the list of facts that the catalog on disk lacks cannot be read");
            Vec::new()
        })
    }
}
