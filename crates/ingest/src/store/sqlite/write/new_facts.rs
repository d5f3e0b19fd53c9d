//! New facts, many to a statement: going to the connection's thread and back costs more than writing a row.

use sqlx::{QueryBuilder, Sqlite};

use super::transaction::Writing;
use crate::store::error::StoreError;
use crate::store::{FactContents, FactRow, Result};

/// Facts that one statement writes; with 15 values each, far below the 32,766 that `SQLite` takes.
pub(super) const FACTS_PER_STATEMENT: usize = 128;

/// Facts that wait to be written.
#[derive(Debug, Default)]
pub(super) struct NewFacts(Vec<(FactRow, FactContents)>);

impl NewFacts {
    /// Adds a fact that the store does not have, and writes those that wait once they fill a statement.
    pub(super) async fn add(&mut self, tx: &mut Writing, row: FactRow, contents: FactContents) -> Result<()> {
        self.0.push((row, contents));
        if self.0.len() == FACTS_PER_STATEMENT { self.write(tx).await } else { Ok(()) }
    }

    /// Writes those that wait.
    pub(super) async fn write(&mut self, tx: &mut Writing) -> Result<()> {
        if self.0.is_empty() {
            return Ok(());
        }
        let last: i64 = sqlx::query_scalar("SELECT COALESCE(MAX(id), 0) FROM facts")
            .fetch_one(&mut **tx)
            .await
            .map_err(StoreError::at("writing facts"))?;
        for ((row, _), id) in self.0.iter_mut().zip(last + 1..) {
            row.id = id;
        }
        self.facts(tx).await?;
        self.standings(tx).await?;
        // Archives may come without the record of a fact.
        self.contents(tx, "records", |contents| Some(&contents.record).filter(|record| !record.is_empty())).await?;
        self.contents(tx, "bodies", |contents| contents.body.as_ref()).await?;
        self.contents(tx, "texts", |contents| contents.text.as_ref()).await?;
        self.0.clear();
        Ok(())
    }

    async fn facts(&self, tx: &mut Writing) -> Result<()> {
        let mut insert = QueryBuilder::new(
            "INSERT INTO facts (id, source_id, kind, key, head, fields, identity, pending, source_url, provenance, content_hash, hash_basis, \
             body_state, body_missing, statement_hash) ",
        );
        insert.push_values(&self.0, |mut values, (row, _)| {
            values.push_bind(row.id).push_bind(&row.source_id).push_bind(&row.kind).push_bind(&row.key);
            values.push_bind(&row.head).push_bind(&row.fields).push_bind(&row.identity).push_bind(&row.pending);
            values.push_bind(&row.source_url).push_bind(&row.provenance).push_bind(&row.content_hash);
            values.push_bind(&row.hash_basis).push_bind(&row.body_state).push_bind(&row.body_missing);
            values.push_bind(&row.statement_hash);
        });
        run(tx, insert).await
    }

    async fn standings(&self, tx: &mut Writing) -> Result<()> {
        let mut insert = QueryBuilder::new(
            "INSERT INTO standings (fact_id, source_id, first_seen_at, last_synced_at, last_verified_at, removed_at, held_back, checked_on, \
             restated) ",
        );
        insert.push_values(&self.0, |mut values, (row, _)| {
            values
                .push_bind(row.id)
                .push_bind(&row.source_id)
                .push_bind(row.first_seen_at)
                .push_bind(row.last_synced_at);
            values.push_bind(row.last_verified_at).push_bind(row.removed_at).push_bind(&row.held_back);
            values.push_bind(row.checked_on).push_bind(row.restated);
        });
        run(tx, insert).await
    }

    async fn contents(
        &self,
        tx: &mut Writing,
        table: &str,
        of: impl Fn(&FactContents) -> Option<&Vec<u8>>,
    ) -> Result<()> {
        let rows: Vec<(i64, &Vec<u8>)> =
            self.0.iter().filter_map(|(row, contents)| Some((row.id, of(contents)?))).collect();
        if rows.is_empty() {
            return Ok(());
        }
        let mut insert = QueryBuilder::new(format!("INSERT INTO {table} (fact_id, content) "));
        insert.push_values(rows, |mut values, (id, content)| {
            values.push_bind(id).push_bind(content);
        });
        run(tx, insert).await
    }
}

async fn run(tx: &mut Writing, mut insert: QueryBuilder<Sqlite>) -> Result<()> {
    insert.build().execute(&mut **tx).await.map(drop).map_err(StoreError::at("writing facts"))
}
