//! Generations as manifests: which segment files, by their hashes, make one state of the catalog. The files are elsewhere.

use refdesk_core::Stamp;

use crate::store::sql::Row;
use crate::store::{Result, Store, StoreError};

const READING: &str = "reading a generation";
const WRITING: &str = "writing a generation";

/// A generation as it is told to readers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredGeneration {
    /// Counts up.
    pub id: i64,
    /// Revision of the catalog.
    pub revision: String,
    /// Epoch of the lease under which it was made; 0 without one.
    pub epoch: i64,
    /// JSON, as it was given.
    pub manifest: String,
    /// When it was made.
    pub created_at: Stamp,
}

impl Store {
    /// Tells a new generation to all readers; its id. The head names it from then on.
    pub async fn put_generation(&self, revision: &str, manifest: &str, created_at: Stamp) -> Result<i64> {
        self.noted(async {
            let epoch = self.fence().map_or(0, |lease| lease.epoch);
            let mut session = self.writing_fenced(WRITING).await?;
            let row = session
                .row(
                    "INSERT INTO generations (revision, epoch, manifest, created_at) VALUES ($1, $2, $3, $4) RETURNING id",
                    &[revision.into(), epoch.into(), manifest.into(), created_at.0.into()],
                )
                .await?
                .ok_or_else(|| StoreError::value("generation", &"it got no id"))?;
            let id = row.int(0).map_err(StoreError::at(WRITING))?;
            session.run("UPDATE head SET generation = $1", &[id.into()]).await?;
            session.commit().await?;
            Ok(id)
        })
        .await
    }

    /// The generation that has this id.
    pub async fn generation(&self, id: i64) -> Result<Option<StoredGeneration>> {
        let mut session = self.reading(READING).await?;
        let row = session
            .row("SELECT id, revision, epoch, manifest, created_at FROM generations WHERE id = $1", &[id.into()])
            .await?;
        row.as_ref().map(stored).transpose()
    }

    /// The newest generation.
    pub async fn latest_generation(&self) -> Result<Option<StoredGeneration>> {
        let mut session = self.reading(READING).await?;
        let row = session
            .row("SELECT id, revision, epoch, manifest, created_at FROM generations ORDER BY id DESC LIMIT 1", &[])
            .await?;
        row.as_ref().map(stored).transpose()
    }

    /// The manifests of all generations, oldest first: whose files are still needed.
    pub async fn generations(&self) -> Result<Vec<StoredGeneration>> {
        let mut session = self.reading(READING).await?;
        let rows =
            session.rows("SELECT id, revision, epoch, manifest, created_at FROM generations ORDER BY id", &[]).await?;
        rows.iter().map(stored).collect()
    }

    /// Deletes generations that were made before `older_than`, but never the last `keep_last`; the manifests of those that went, oldest
    /// first.
    pub async fn delete_generations_before(&self, keep_last: u32, older_than: Stamp) -> Result<Vec<String>> {
        self.noted(async {
            let mut session = self.writing_fenced("deleting old generations").await?;
            let rows = session
                .rows(
                    "DELETE FROM generations WHERE created_at < $2 AND id NOT IN \
                     (SELECT id FROM generations ORDER BY id DESC LIMIT $1) RETURNING id, manifest",
                    &[i64::from(keep_last.max(1)).into(), older_than.0.into()],
                )
                .await?;
            session.commit().await?;
            let at = StoreError::at(READING);
            let mut gone = rows
                .iter()
                .map(|row| Ok((row.int(0).map_err(&at)?, row.string(1).map_err(&at)?)))
                .collect::<Result<Vec<_>>>()?;
            gone.sort_unstable_by_key(|(id, _)| *id);
            Ok(gone.into_iter().map(|(_, manifest)| manifest).collect())
        })
        .await
    }
}

fn stored(row: &Row) -> Result<StoredGeneration> {
    let at = StoreError::at(READING);
    Ok(StoredGeneration {
        id: row.int(0).map_err(&at)?,
        revision: row.string(1).map_err(&at)?,
        epoch: row.int(2).map_err(&at)?,
        manifest: row.string(3).map_err(&at)?,
        created_at: Stamp(row.int(4).map_err(&at)?),
    })
}
