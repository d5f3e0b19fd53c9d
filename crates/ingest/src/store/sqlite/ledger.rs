//! Keys, named values and embeddings.

use refdesk_core::Stamp;
use sqlx::Row;

use super::SqliteStore;
use crate::store::error::StoreError;
use crate::store::{KeyRecord, Result};

/// A use that is noted further ahead of a new one than this was noted by a clock that was wrong, and gives way. Uses come out of order by
/// much less.
const USE_AHEAD_SECS_MAX: i64 = 86_400;

impl SqliteStore {
    /// Keeps a key. When this returns, the disk has it.
    pub(in crate::store) async fn insert_key(&self, key: &KeyRecord) -> Result<()> {
        let doing = "keeping a key";
        let mut tx = self.begin_durably(doing).await?;
        sqlx::query(
            "INSERT INTO api_keys (id, fingerprint, prefix, name, created_at, expires_at, revoked_at, last_used_at, limit_per_minute) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        )
        .bind(key.id.as_str())
        .bind(key.fingerprint.as_slice())
        .bind(key.prefix.as_str())
        .bind(key.name.as_str())
        .bind(key.created_at.0)
        .bind(key.expires_at.map(|at| at.0))
        .bind(key.revoked_at.map(|at| at.0))
        .bind(key.last_used_at.map(|at| at.0))
        .bind(key.limit_per_minute.map(i64::from))
        .execute(&mut *tx)
        .await
        .map_err(StoreError::at(doing))?;
        tx.commit().await
    }

    pub(in crate::store) async fn keys(&self) -> Result<Vec<KeyRecord>> {
        let at = StoreError::at("reading keys");
        let rows = sqlx::query(
            "SELECT id, fingerprint, prefix, name, created_at, expires_at, revoked_at, last_used_at, limit_per_minute \
             FROM api_keys ORDER BY created_at, id",
        )
        .fetch_all(&self.reader)
        .await
        .map_err(&at)?;
        let read = |row: &sqlx::sqlite::SqliteRow| -> sqlx::Result<KeyRecord> {
            let limit: Option<i64> = row.try_get(8)?;
            Ok(KeyRecord {
                id: row.try_get(0)?,
                fingerprint: row.try_get::<&[u8], _>(1)?.try_into().unwrap_or_default(),
                prefix: row.try_get(2)?,
                name: row.try_get(3)?,
                created_at: Stamp(row.try_get(4)?),
                expires_at: row.try_get::<Option<i64>, _>(5)?.map(Stamp),
                revoked_at: row.try_get::<Option<i64>, _>(6)?.map(Stamp),
                last_used_at: row.try_get::<Option<i64>, _>(7)?.map(Stamp),
                limit_per_minute: limit.and_then(|limit| u32::try_from(limit).ok()),
            })
        };
        // A key that cannot be read does not work; the others do.
        let known = rows.iter().enumerate().filter_map(|(number, row)| {
            let id = row.try_get::<String, _>(0).unwrap_or_else(|_| format!("number {number}"));
            self.unreadable.pass_over("key", "", &id, read(row).map_err(&at))
        });
        Ok(known.collect())
    }

    /// Revokes a key. When this returns, the disk has it.
    pub(in crate::store) async fn revoke_key(&self, id: &str, at: Stamp) -> Result<bool> {
        let doing = "revoking a key";
        let mut tx = self.begin_durably(doing).await?;
        let done = sqlx::query("UPDATE api_keys SET revoked_at = COALESCE(revoked_at, $2) WHERE id = $1")
            .bind(id)
            .bind(at.0)
            .execute(&mut *tx)
            .await
            .map_err(StoreError::at(doing))?;
        tx.commit().await?;
        Ok(done.rows_affected() > 0)
    }

    pub(in crate::store) async fn touch_keys(&self, uses: &[(String, Stamp)]) -> Result<()> {
        let doing = "noting the use of keys";
        let mut tx = self.begin(doing).await?;
        for (id, used_at) in uses {
            sqlx::query(
                "UPDATE api_keys SET last_used_at = $2 \
                 WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2 OR last_used_at > $3)",
            )
            .bind(id.as_str())
            .bind(used_at.0)
            .bind(used_at.plus_secs(USE_AHEAD_SECS_MAX).0)
            .execute(&mut *tx)
            .await
            .map_err(StoreError::at(doing))?;
        }
        tx.commit().await
    }

    pub(in crate::store) async fn meta(&self, name: &str) -> Result<Option<String>> {
        sqlx::query_scalar("SELECT value FROM meta WHERE name = $1")
            .bind(name)
            .fetch_optional(&self.reader)
            .await
            .map_err(StoreError::at("reading a named value"))
    }

    pub(in crate::store) async fn set_meta(&self, name: &str, value: &str) -> Result<()> {
        let doing = "writing a named value";
        let mut tx = self.begin(doing).await?;
        sqlx::query(
            "INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        )
        .bind(name)
        .bind(value)
        .execute(&mut *tx)
        .await
        .map_err(StoreError::at(doing))?;
        tx.commit().await
    }

    pub(in crate::store) async fn embeddings(&self, model: &str) -> Result<Vec<(String, Vec<u8>)>> {
        let at = StoreError::at("reading embeddings");
        let rows = sqlx::query("SELECT content_hash, vector FROM embeddings WHERE model = $1 ORDER BY content_hash")
            .bind(model)
            .fetch_all(&self.reader)
            .await
            .map_err(&at)?;
        rows.iter().map(|row| Ok((row.try_get(0).map_err(&at)?, row.try_get(1).map_err(&at)?))).collect()
    }

    pub(in crate::store) async fn put_embeddings(&self, model: &str, vectors: &[(String, Vec<u8>)]) -> Result<()> {
        let doing = "keeping embeddings";
        let mut tx = self.begin(doing).await?;
        for (content_hash, vector) in vectors {
            sqlx::query(
                "INSERT INTO embeddings (model, content_hash, vector) VALUES ($1, $2, $3) \
                 ON CONFLICT (model, content_hash) DO UPDATE SET vector = excluded.vector",
            )
            .bind(model)
            .bind(content_hash.as_str())
            .bind(vector.as_slice())
            .execute(&mut *tx)
            .await
            .map_err(StoreError::at(doing))?;
        }
        tx.commit().await
    }
}
