//! Files that the segment store lost: they are missing there, or their bytes are not what their names state. Whoever cannot fetch one says so
//! in the database, and the node that leads puts its own copy there again.

use super::{SharedGenerations, stated_hash};
use crate::files::if_there;
use crate::generation::manifest::SegmentEntry;
use crate::generation::{GenerationError, content};
use crate::segment_store::SegmentStoreError;

/// Name of the stored value that names such a file; empty when there is none. One at a time, because each try to fetch says it again. Nodes
/// of earlier versions know it by this name.
const LOST_FILE: &str = "damaged_segment_file";

impl SharedGenerations {
    /// Says that a file is lost.
    pub(super) async fn report_lost(&self, file: &str) {
        if let Err(error) = self.store.set_meta(LOST_FILE, file).await {
            tracing::warn!(%error, file, "cannot tell the leading node that the segment store lost this file");
        }
    }

    /// Puts the file there again that a node could not fetch, if the newest generation names it, and all others of that generation that are
    /// gone: who lost one may have lost more. For whoever leads.
    ///
    /// # Errors
    /// When the database or the segment store cannot be written, or there is no whole copy here either: a damaged one is deleted, so that the
    /// next generation writes it anew.
    pub async fn repair(&self) -> Result<(), GenerationError> {
        let Some(missed) = self.store.meta(LOST_FILE).await?.filter(|file| !file.is_empty()) else { return Ok(()) };
        // First, so that what is said meanwhile stays.
        self.store.set_meta(LOST_FILE, "").await?;
        let _changing = self.changing.lock().await;
        let Some(told) = self.newest().await?.filter(|told| told.manifest.names(&missed)) else { return Ok(()) };
        for SegmentEntry { file, .. } in &told.manifest.segments {
            if *file != missed && self.files.has(file).await? {
                continue;
            }
            let hash = stated_hash(file).ok_or_else(|| content(format!("{file}: its name states no hash")))?;
            let replaced = self.files.replace(file, hash, &self.folder.path_of(file)).await;
            if let Err(SegmentStoreError::NoCopy(_)) = &replaced {
                for file in self.damaged(&told.manifest).await? {
                    if_there(std::fs::remove_file(self.folder.path_of(&file)))?;
                }
            }
            replaced?;
            tracing::warn!(file, "the segment store had lost this file, or had it damaged; it was put there again");
        }
        Ok(())
    }
}
