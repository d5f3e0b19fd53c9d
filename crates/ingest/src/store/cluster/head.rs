//! The one row that readers poll. Each writing transaction moves it last, so that the row is locked for the length of a commit only.

use crate::store::sql::{Operation, Session, Value, Writes};
use crate::store::{Result, Store, StoreError};

/// What tells a reader that something is new.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Head {
    /// Counts the transactions that changed facts, standings or states.
    pub revision: i64,
    /// Counts the keys that were made or revoked.
    pub keys_revision: i64,
    /// Id of the newest generation; 0 when there is none.
    pub generation: i64,
    /// The oldest refdesk that may use the schema; empty when any may.
    pub min_version: String,
    /// The segment format that leaders write; 0 when nobody said.
    pub segment_format: i64,
    /// Version of the bundled cards that were written last; empty when none were.
    pub catalog_version: String,
}

impl Store {
    /// The head, in one read.
    pub async fn head(&self) -> Result<Head> {
        let sql = "SELECT revision, keys_revision, generation, min_version, segment_format, catalog_version FROM head";
        let row = self.row(Operation::ReadHead, sql, &[]).await?;
        let row = row.ok_or_else(|| StoreError::value("head", &"its row is missing"))?;
        Ok(Head {
            revision: row.get(0)?,
            keys_revision: row.get(1)?,
            generation: row.get(2)?,
            min_version: row.get(3)?,
            segment_format: row.get(4)?,
            catalog_version: row.get(5)?,
        })
    }

    /// Says which refdesk is the oldest that may use the schema.
    pub async fn set_min_version(&self, version: &str) -> Result<()> {
        self.set_in_head("UPDATE head SET min_version = $1", version.into()).await
    }

    /// Says which segment format leaders write.
    pub async fn set_segment_format(&self, format: i64) -> Result<()> {
        self.set_in_head("UPDATE head SET segment_format = $1", format.into()).await
    }

    /// Says of which version the bundled cards are that were written last.
    pub async fn set_catalog_version(&self, version: &str) -> Result<()> {
        self.set_in_head("UPDATE head SET catalog_version = $1", version.into()).await
    }

    async fn set_in_head(&self, sql: &'static str, value: Value<'_>) -> Result<()> {
        let write = async |session: &mut Session| session.run(sql, &[value]).await.map(drop);
        self.write(Operation::WriteHead, Writes::Much, write).await
    }
}

/// The last statement of a transaction that changed facts, standings or states.
pub(in crate::store) async fn bump_revision(session: &mut Session) -> Result<()> {
    session.run("UPDATE head SET revision = revision + 1", &[]).await.map(drop)
}

/// The last statement of a transaction that made or revoked a key.
pub(in crate::store) async fn bump_keys(session: &mut Session) -> Result<()> {
    session.run("UPDATE head SET keys_revision = keys_revision + 1", &[]).await.map(drop)
}
