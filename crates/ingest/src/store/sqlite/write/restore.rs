//! What an import writes: whole sources in one transaction. Dropped without a commit, the store is as it was.

use std::sync::Arc;

use super::super::SqliteStore;
use super::super::row::json;
use super::super::unreadable::Unreadable;
use super::missing::forget_missing;
use super::new_facts::NewFacts;
use super::transaction::Writing;
use super::{put_run, replace_rejects};
use crate::store::error::StoreError;
use crate::store::{FactContents, FactRow, Result, SourceRow};

const DOING: &str = "importing";

/// An open import.
pub struct SqliteRestore {
    tx: Writing,
    unreadable: Arc<Unreadable>,
    sources: Vec<String>,
    new: NewFacts,
}

impl SqliteStore {
    pub(in crate::store) async fn restore(&self) -> Result<SqliteRestore> {
        Ok(SqliteRestore {
            tx: self.begin(DOING).await?,
            unreadable: Arc::clone(&self.unreadable),
            sources: Vec::new(),
            new: NewFacts::default(),
        })
    }
}

impl SqliteRestore {
    pub(in crate::store) async fn source(&mut self, row: &SourceRow, imported: bool) -> Result<()> {
        self.write_waiting().await?;
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

    pub(in crate::store) async fn fact(&mut self, row: FactRow, contents: FactContents) -> Result<()> {
        self.new.add(&mut self.tx, row, contents).await
    }

    pub(in crate::store) async fn write_waiting(&mut self) -> Result<()> {
        self.new.write(&mut self.tx).await
    }

    pub(in crate::store) async fn commit(mut self) -> Result<()> {
        self.write_waiting().await?;
        self.tx.commit().await?;
        self.sources.iter().for_each(|source_id| self.unreadable.forget_source(source_id));
        Ok(())
    }
}
