//! Generations as manifests: which segment files, by their hashes, make one state of the catalog. The files are elsewhere.

use refdesk_core::Stamp;

use crate::store::sql::{Operation, Row, Writes};
use crate::store::{Result, Store, StoreError};

/// A query of generations, with the columns that [`stored`] takes.
macro_rules! generations {
    ($rest:literal) => {
        concat!("SELECT id, revision, epoch, manifest, created_at FROM generations ", $rest)
    };
}

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
        let epoch = self.fence().map_or(0, |lease| lease.epoch);
        self.write(Operation::WriteGeneration, Writes::Much, async |session| {
            let row = session
                .row(
                    "INSERT INTO generations (revision, epoch, manifest, created_at) VALUES ($1, $2, $3, $4) RETURNING id",
                    &[revision.into(), epoch.into(), manifest.into(), created_at.0.into()],
                )
                .await?
                .ok_or_else(|| StoreError::value("generation", &"it got no id"))?;
            let id: i64 = row.get(0)?;
            session.run("UPDATE head SET generation = $1", &[id.into()]).await?;
            Ok(id)
        })
        .await
    }

    /// The newest generation.
    pub async fn latest_generation(&self) -> Result<Option<StoredGeneration>> {
        let row = self.row(Operation::ReadGeneration, generations!("ORDER BY id DESC LIMIT 1"), &[]).await?;
        row.as_ref().map(stored).transpose()
    }

    /// The manifests of all generations, oldest first: whose files are still needed.
    pub async fn generations(&self) -> Result<Vec<StoredGeneration>> {
        let rows = self.rows(Operation::ReadGeneration, generations!("ORDER BY id"), &[]).await?;
        rows.iter().map(stored).collect()
    }

    /// The latest time of the generations before this one: clocks of those who made them differ, so it need not be that of the last.
    pub async fn generations_latest_time(&self, before: i64) -> Result<Option<Stamp>> {
        let latest = "SELECT created_at FROM generations WHERE id < $1 ORDER BY created_at DESC LIMIT 1";
        let row = self.row(Operation::ReadGeneration, latest, &[before.into()]).await?;
        row.map(|row| row.get(0).map(Stamp)).transpose()
    }

    /// The generations up to the last that was made before `older_than`, but never the last `keep_last`; oldest first. By their order: one of a
    /// clock that was far ahead for a moment is as old as what came after it. Under the fence, so that nobody who was deposed deletes what they
    /// name.
    pub async fn generations_before(&self, keep_last: u32, older_than: Stamp) -> Result<Vec<StoredGeneration>> {
        self.write(Operation::FindOldGenerations, Writes::Much, async |session| {
            let rows = session
                .rows(
                    generations!("WHERE id NOT IN (SELECT id FROM generations ORDER BY id DESC LIMIT $1) ORDER BY id"),
                    &[i64::from(keep_last.max(1)).into()],
                )
                .await?;
            let mut old = rows.iter().map(stored).collect::<Result<Vec<_>>>()?;
            old.truncate(old.iter().rposition(|stored| stored.created_at < older_than).map_or(0, |last| last + 1));
            Ok(old)
        })
        .await
    }

    /// Deletes the generations up to this one, itself included.
    pub async fn delete_generations_until(&self, id: i64) -> Result<()> {
        self.write(Operation::DeleteGenerations, Writes::Much, async |session| {
            session.run("DELETE FROM generations WHERE id <= $1", &[id.into()]).await.map(drop)
        })
        .await
    }
}

fn stored(row: &Row) -> Result<StoredGeneration> {
    Ok(StoredGeneration {
        id: row.get(0)?,
        revision: row.get(1)?,
        epoch: row.get(2)?,
        manifest: row.get(3)?,
        created_at: Stamp(row.get(4)?),
    })
}
