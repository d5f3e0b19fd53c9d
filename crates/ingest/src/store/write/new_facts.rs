//! New facts, many to a statement: going to the connection and back costs more than writing a row.

use super::changes::{put_contents, statement};
use crate::store::sql::{Column, Session};
use crate::store::{FactContents, FactRow, Result};

/// New facts that wait to be written at once, at most.
const WAITING_MAX: usize = 1_000;

/// Facts that wait to be written.
#[derive(Debug, Default)]
pub(super) struct NewFacts(Vec<(FactRow, FactContents)>);

impl NewFacts {
    /// Adds a fact that the store does not have, and writes those that wait once they are many.
    pub(super) async fn add(&mut self, session: &mut Session, row: FactRow, contents: FactContents) -> Result<()> {
        self.0.push((row, contents));
        if self.0.len() == WAITING_MAX { self.write(session).await } else { Ok(()) }
    }

    pub(super) async fn write(&mut self, session: &mut Session) -> Result<()> {
        if self.0.is_empty() {
            return Ok(());
        }
        self.number(session).await?;
        self.facts(session).await?;
        self.standings(session).await?;
        let contents: Vec<(i64, &FactContents)> = self.0.iter().map(|(row, contents)| (row.id, contents)).collect();
        put_contents(session, &contents).await?;
        self.0.clear();
        Ok(())
    }

    /// Gives each fact its number. In `SQLite` nobody else writes meanwhile; `PostgreSQL` has a sequence.
    async fn number(&mut self, session: &mut Session) -> Result<()> {
        let count = i64::try_from(self.0.len()).unwrap_or(i64::MAX);
        let sql = session.spelled(
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1) \
             SELECT (SELECT COALESCE(MAX(id), 0) FROM facts) + i FROM n",
            "SELECT nextval(pg_get_serial_sequence('facts', 'id')::regclass) FROM generate_series(1, $1)",
        );
        let numbers = session.rows(sql, &[count.into()]).await?;
        for ((row, _), number) in self.0.iter_mut().zip(&numbers) {
            row.id = number.get(0)?;
        }
        Ok(())
    }

    async fn facts(&self, session: &mut Session) -> Result<()> {
        let rows = || self.0.iter().map(|(row, _)| row);
        let mut columns = vec![
            ("id", Column::ints(rows().map(|row| row.id))),
            ("source_id", Column::texts(rows().map(|row| row.source_id.as_str()))),
            ("kind", Column::texts(rows().map(|row| row.kind.as_str()))),
            ("key", Column::texts(rows().map(|row| row.key.as_str()))),
        ];
        columns.extend(statement(rows()));
        session.insert("facts", &columns, "").await
    }

    async fn standings(&self, session: &mut Session) -> Result<()> {
        let rows = || self.0.iter().map(|(row, _)| row);
        session
            .insert(
                "standings",
                &[
                    ("fact_id", Column::ints(rows().map(|row| row.id))),
                    ("source_id", Column::texts(rows().map(|row| row.source_id.as_str()))),
                    ("first_seen_at", Column::ints(rows().map(|row| row.first_seen_at))),
                    ("last_synced_at", Column::ints(rows().map(|row| row.last_synced_at))),
                    ("last_verified_at", Column::Ints(rows().map(|row| row.last_verified_at).collect())),
                    ("removed_at", Column::Ints(rows().map(|row| row.removed_at).collect())),
                    ("held_back", Column::Texts(rows().map(|row| row.held_back.as_deref()).collect())),
                    ("rejected", Column::ints(rows().map(FactRow::rejected_or_unknown))),
                    ("checked_on", Column::Ints(rows().map(|row| row.checked_on).collect())),
                    ("restated", Column::ints(rows().map(|row| row.restated))),
                    ("changed_at", Column::ints(rows().map(FactRow::changed))),
                ],
                "",
            )
            .await
    }
}
