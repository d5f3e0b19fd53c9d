//! Files of the segment store whose bytes are not what their names state: whoever fetches one says so in the database, and the node that
//! leads puts its own copy in its place.

use super::{SharedGenerations, stated_hash};
use crate::generation::GenerationError;
use crate::segment_store::SegmentStoreError;

/// Name of the stored value that names such a file; empty when there is none. One at a time, because each try to fetch says it again.
const DAMAGED_FILE: &str = "damaged_segment_file";

impl SharedGenerations {
    /// Says that a file is damaged.
    pub(super) async fn report_damaged(&self, file: &str) {
        if let Err(error) = self.store.set_meta(DAMAGED_FILE, file).await {
            tracing::warn!(%error, file, "cannot tell the leading node that this file of the segment store is damaged");
        }
    }

    /// Puts the file anew that a node found damaged, if the newest generation names it and the copy here is whole. For whoever leads.
    ///
    /// # Errors
    /// When the database or the segment store cannot be written, or the copy here is damaged, too: it is deleted, so that the next
    /// generation writes it anew.
    pub async fn repair(&self) -> Result<(), GenerationError> {
        let Some(file) = self.store.meta(DAMAGED_FILE).await?.filter(|file| !file.is_empty()) else { return Ok(()) };
        // First, so that what is said meanwhile stays.
        self.store.set_meta(DAMAGED_FILE, "").await?;
        let _changing = self.changing.lock().await;
        let newest = self.newest().await?.filter(|told| told.manifest.names(&file));
        let (Some(told), Some(hash)) = (newest, stated_hash(&file)) else { return Ok(()) };
        let replaced = self.files.replace(&file, hash, &self.folder.path_of(&file)).await;
        if let Err(SegmentStoreError::Damaged(_)) = &replaced {
            self.delete_damaged(&told.manifest).await?;
        }
        replaced?;
        tracing::warn!(file, "a node found this file damaged in the segment store; it was put there again");
        Ok(())
    }
}
