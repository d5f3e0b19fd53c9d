//! What an import writes: whole sources in one transaction. Dropped without a commit, the store is as it was.

use std::sync::Arc;

use super::missing::forget_missing;
use super::row::json;
use super::unreadable::Unreadable;
use super::write::{put_run, replace_rejects};
use super::writing::Writing;
use super::{SqliteStore, put_contents};
use crate::store::error::StoreError;
use crate::store::{FactContents, FactRow, Result, SourceRow};

const DOING: &str = "importing";

/// An open import.
pub struct SqliteRestore {
    tx: Writing,
    unreadable: Arc<Unreadable>,
    sources: Vec<String>,
}

impl SqliteStore {
    pub(in crate::store) async fn restore(&self) -> Result<SqliteRestore> {
        Ok(SqliteRestore {
            tx: self.begin(DOING).await?,
            unreadable: Arc::clone(&self.unreadable),
            sources: Vec::new(),
        })
    }
}

impl SqliteRestore {
    pub(in crate::store) async fn source(&mut self, row: &SourceRow, imported: bool) -> Result<()> {
        let at = StoreError::at(DOING);
        let info = row.info.as_ref().map(json).transpose()?;
        // Standings and contents go with their fact.
        sqlx::query("DELETE FROM facts WHERE source_id = $1")
            .bind(row.source_id.as_str())
            .execute(&mut *self.tx)
            .await
            .map_err(&at)?;
        sqlx::query("DELETE FROM runs WHERE source_id = $1")
            .bind(row.source_id.as_str())
            .execute(&mut *self.tx)
            .await
            .map_err(&at)?;
        sqlx::query(
            "INSERT INTO source_states (source_id, state, validators, info, imported) VALUES ($1, $2, $3, $4, $5) \
             ON CONFLICT (source_id) DO UPDATE SET state = excluded.state, validators = excluded.validators, \
             info = excluded.info, imported = excluded.imported",
        )
        .bind(row.source_id.as_str())
        .bind(json(&row.state)?)
        .bind(json(&row.validators)?)
        .bind(info)
        .bind(i64::from(imported))
        .execute(&mut *self.tx)
        .await
        .map_err(&at)?;
        self.sources.push(row.source_id.clone());
        forget_missing(&mut self.tx, &row.source_id).await?;
        replace_rejects(&mut self.tx, &row.source_id, &row.rejects).await?;
        for run in &row.runs {
            put_run(&mut self.tx, run).await?;
        }
        Ok(())
    }

    pub(in crate::store) async fn fact(&mut self, row: &FactRow, contents: &FactContents) -> Result<()> {
        let at = StoreError::at(DOING);
        let id: i64 = sqlx::query_scalar(
            "INSERT INTO facts (source_id, kind, key, head, fields, identity, pending, source_url, provenance, content_hash, \
             hash_basis, body_state, body_missing, statement_hash) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) RETURNING id",
        )
        .bind(row.source_id.as_str())
        .bind(row.kind.as_str())
        .bind(row.key.as_str())
        .bind(row.head.as_str())
        .bind(row.fields.as_str())
        .bind(row.identity.as_str())
        .bind(row.pending.as_str())
        .bind(row.source_url.as_str())
        .bind(row.provenance.as_str())
        .bind(row.content_hash.as_str())
        .bind(row.hash_basis.as_str())
        .bind(row.body_state.as_str())
        .bind(row.body_missing.as_deref())
        .bind(row.statement_hash.as_str())
        .fetch_one(&mut *self.tx)
        .await
        .map_err(&at)?;
        sqlx::query(
            "INSERT INTO standings (fact_id, source_id, first_seen_at, last_synced_at, last_verified_at, removed_at, held_back, \
             checked_on, restated) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        )
        .bind(id)
        .bind(row.source_id.as_str())
        .bind(row.first_seen_at)
        .bind(row.last_synced_at)
        .bind(row.last_verified_at)
        .bind(row.removed_at)
        .bind(row.held_back.as_deref())
        .bind(row.checked_on)
        .bind(row.restated)
        .execute(&mut *self.tx)
        .await
        .map_err(&at)?;
        put_contents(&mut self.tx, id, contents).await
    }

    pub(in crate::store) async fn commit(self) -> Result<()> {
        self.tx.commit().await?;
        self.sources.iter().for_each(|source_id| self.unreadable.forget_source(source_id));
        Ok(())
    }
}
