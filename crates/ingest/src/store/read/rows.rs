//! Whole rows with their contents, for archives and verification.

use std::collections::BTreeMap;

use crate::store::sql::row::{FACT_COLUMNS, fact_columns};
use crate::store::sql::{Operation, Row, Session};
use crate::store::{FactContents, FactRow, Result, SourceRow, SourceState, Store};

/// Facts with their contents, under a condition.
macro_rules! whole_facts {
    ($condition:literal) => {
        concat!(
            "SELECT ",
            fact_columns!(),
            ", r.content, b.content, t.content FROM facts f JOIN standings s ON s.fact_id = f.id \
             LEFT JOIN records r ON r.fact_id = f.id LEFT JOIN bodies b ON b.fact_id = f.id LEFT JOIN texts t ON t.fact_id = f.id \
             WHERE ",
            $condition
        )
    };
}

/// One state of the store for whoever reads all of it: what is written meanwhile is not seen. Read by parts in transactions of their own, a
/// fact that a sync replaced between two of them would be there twice, and one that it removed would lack its source's state.
pub struct StoreDump<'a> {
    store: &'a Store,
    session: Session,
}

impl Store {
    /// The state as it is now, for an archive.
    pub async fn dump(&self) -> Result<StoreDump<'_>> {
        Ok(StoreDump { store: self, session: self.engine.snapshot(Operation::ReadArchive).await? })
    }

    /// Up to `limit` facts with their contents as they are now, by internal id from after `after`; the id of the last one goes on.
    pub async fn fact_rows(&self, after: i64, limit: u32) -> Result<Vec<(FactRow, FactContents)>> {
        let mut dump = self.dump().await?;
        let rows = dump.fact_rows(after, limit).await?;
        dump.end().await?;
        Ok(rows)
    }

    /// What a source states of a kind under an upstream key, with its contents; `None` if that is nothing, or cannot be read.
    pub async fn whole_fact(&self, source_id: &str, kind: &str, key: &str) -> Result<Option<(FactRow, FactContents)>> {
        let mut dump = self.dump().await?;
        let sql = whole_facts!("f.source_id = $1 AND f.kind = $2 AND f.key = $3");
        let rows = dump.session.rows(sql, &[source_id.into(), kind.into(), key.into()]).await?;
        let fact = self.whole(&rows)?.pop();
        dump.end().await?;
        Ok(fact)
    }

    /// Those of some rows that can be read.
    fn whole(&self, rows: &[Row]) -> Result<Vec<(FactRow, FactContents)>> {
        let mut read = Vec::with_capacity(rows.len());
        for row in rows {
            let Some(fact) = self.fact_row(row) else { continue };
            let content = |column: usize| row.get::<Option<Vec<u8>>>(column);
            let contents = FactContents {
                record: content(FACT_COLUMNS)?.unwrap_or_default(),
                body: content(FACT_COLUMNS + 1)?,
                text: content(FACT_COLUMNS + 2)?,
            };
            read.push((fact, contents));
        }
        Ok(read)
    }
}

impl StoreDump<'_> {
    /// Up to `limit` facts with their contents, by internal id from after `after`; the id of the last one goes on.
    pub async fn fact_rows(&mut self, after: i64, limit: u32) -> Result<Vec<(FactRow, FactContents)>> {
        let mut after = after;
        loop {
            let (rows, last) = self.fact_rows_read(after, limit).await?;
            match last {
                // None of them could be read; whoever asks takes no rows for the end.
                Some(last) if rows.is_empty() => after = last,
                _ => return Ok(rows),
            }
        }
    }

    /// The rows that can be read, and the number of the last of all.
    async fn fact_rows_read(&mut self, after: i64, limit: u32) -> Result<(Vec<(FactRow, FactContents)>, Option<i64>)> {
        let sql = whole_facts!("f.id > $1 ORDER BY f.id LIMIT $2");
        let rows = self.session.rows(sql, &[after.into(), i64::from(limit).into()]).await?;
        let read = self.store.whole(&rows)?;
        let last = rows.last().map(|row| row.get(0)).transpose()?;
        Ok((read, last))
    }

    /// Everything that sources have beside their facts, less the marks that mean something in this store only.
    pub async fn source_rows(&mut self) -> Result<Vec<SourceRow>> {
        let Self { store, session } = self;
        let rows = session
            .rows("SELECT source_id, state, validators, info FROM source_states ORDER BY source_id", &[])
            .await?;
        let mut sources = Vec::with_capacity(rows.len());
        for row in rows {
            let source_id: String = row.get(0)?;
            let (state, validators) = (store.state(&source_id, &row, 1), store.validators_in(&source_id, &row, 2));
            let state = SourceState { changed: BTreeMap::new(), ..state };
            let info = row.has(3)?.then(|| store.info_in(&source_id, &row, 3));
            let rejects = Store::rejects_over(session, &source_id).await?;
            let mut runs = store.runs_over(session, &source_id, u32::MAX).await?;
            runs.reverse();
            sources.push(SourceRow { source_id, state, validators, info, rejects, runs });
        }
        Ok(sources)
    }

    /// Gives the connection back.
    pub async fn end(self) -> Result<()> {
        self.session.commit().await
    }
}
