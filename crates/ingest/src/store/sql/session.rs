//! A connection of either engine for one read or one transaction, with a deadline for each thing that is asked of it.
//!
//! After a begin, a commit or a rollback that failed (a full disk is enough), or after a deadline, a connection may be inside a transaction
//! that can neither go on nor end, or in the middle of an answer. So only a connection whose last word was a good one goes back to its
//! pool; any other one is closed, which rolls back whatever it has.

use std::sync::Arc;
use std::time::Duration;

use futures::stream::BoxStream;
use futures::{StreamExt as _, TryStreamExt as _};
use sqlx::pool::PoolConnection;
use sqlx::{AssertSqlSafe, Execute, Executor as _, Postgres, Sqlite};

use super::disk_fault::DiskFault;
use super::operation::{Operation, counted};
use super::value::{Column, EngineRow, Row, Value, bind_array, bind_postgres, bind_sqlite};
use crate::store::Result;
use crate::store::error::StoreError;

/// Rows that one statement writes to `PostgreSQL`: a round trip each would cost more than writing them.
const POSTGRES_BATCH_ROWS: usize = 1_000;
/// Rows that one statement writes to `SQLite`; with 15 values each, far below the 32,766 that it takes.
const SQLITE_BATCH_ROWS: usize = 128;

/// What a transaction is for: how long its statements may take, how durable it must be, and whether whoever holds the lease alone may
/// write it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum Writes {
    /// A few rows.
    Little,
    /// A few rows that must outlive a power cut and a failover.
    Durably,
    /// Whole sources, and whatever else is written by whoever leads alone.
    Much,
    /// Whole sources, which come from outside while the transaction is open.
    Import,
    /// Whole sources, durably, and what is deleted is overwritten.
    Removal,
}

impl Writes {
    /// Whether it stands under the fence of a lease, where there is one.
    pub(in crate::store) const fn is_fenced(self) -> bool {
        matches!(self, Self::Much | Self::Import | Self::Removal)
    }
}

enum Connection {
    Sqlite(PoolConnection<Sqlite>),
    /// `None` only while it is dropped.
    Postgres(Option<PoolConnection<Postgres>>),
}

/// What becomes of the connection when it is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum Keep {
    /// Back to the pool when its last word was a good one and no transaction is open, else closed.
    WhenDone,
    /// Closed, because it was set up for this transaction alone.
    Never,
    /// Always back: the database is in its memory. Its pool rolls back what was not committed.
    Always,
}

/// A connection with what is being done over it.
pub(in crate::store) struct Session {
    connection: Connection,
    doing: Operation,
    disk: Arc<DiskFault>,
    deadline: Option<Duration>,
    keep: Keep,
    in_transaction: bool,
    is_done: bool,
}

impl Session {
    pub(in crate::store) fn sqlite(
        connection: PoolConnection<Sqlite>,
        doing: Operation,
        disk: &Arc<DiskFault>,
        keep: Keep,
    ) -> Self {
        let (connection, disk) = (Connection::Sqlite(connection), Arc::clone(disk));
        Self { connection, doing, disk, deadline: None, keep, in_transaction: false, is_done: true }
    }

    pub(in crate::store) fn postgres(
        connection: PoolConnection<Postgres>,
        doing: Operation,
        disk: &Arc<DiskFault>,
        deadline: Duration,
    ) -> Self {
        let (connection, disk) = (Connection::Postgres(Some(connection)), Arc::clone(disk));
        let deadline = Some(deadline);
        Self { connection, doing, disk, deadline, keep: Keep::WhenDone, in_transaction: false, is_done: true }
    }

    /// Whether it is a connection to `PostgreSQL`.
    pub(in crate::store) const fn is_postgres(&self) -> bool {
        matches!(self.connection, Connection::Postgres(_))
    }

    /// The spelling of a statement for this engine.
    pub(in crate::store) const fn spelled(&self, sqlite: &'static str, postgres: &'static str) -> &'static str {
        if self.is_postgres() { postgres } else { sqlite }
    }

    /// Opens a transaction with these statements, without values. It is rolled back unless [`Session::commit`] ends it.
    pub(in crate::store) async fn begin(&mut self, statements: String) -> Result<()> {
        self.in_transaction = true;
        self.script(statements).await
    }

    /// Makes everything that was written since the begin stand, or nothing of it.
    pub(in crate::store) async fn commit(mut self) -> Result<()> {
        self.script("COMMIT".to_owned()).await?;
        self.in_transaction = false;
        Ok(())
    }

    /// Runs statements without values.
    pub(in crate::store) async fn script(&mut self, statements: String) -> Result<()> {
        let script = sqlx::raw_sql(AssertSqlSafe(statements));
        self.execute(script, |script| script, |script| script).await.map(drop)
    }

    /// Runs a statement; how many rows it touched.
    pub(in crate::store) async fn run(&mut self, sql: &'static str, values: &[Value<'_>]) -> Result<u64> {
        let values = values.iter().copied();
        self.execute(
            values,
            |values| values.fold(sqlx::query(sql), bind_sqlite),
            |values| values.fold(sqlx::query(sql), bind_postgres),
        )
        .await
    }

    /// Runs the only statement of a transaction and commits it; how many rows it touched.
    pub(in crate::store) async fn run_alone(mut self, sql: &'static str, values: &[Value<'_>]) -> Result<u64> {
        let touched = self.run(sql, values).await?;
        self.commit().await?;
        Ok(touched)
    }

    /// Runs what is made of a statement for the engine; how many rows it touched. `SQLite` has no deadline. Only after a good answer may the
    /// connection go back to its pool.
    async fn execute<'q, T, S, P>(
        &mut self,
        statement: T,
        sqlite: impl FnOnce(T) -> S,
        postgres: impl FnOnce(T) -> P,
    ) -> Result<u64>
    where
        S: Execute<'q, Sqlite> + 'q,
        P: Execute<'q, Postgres> + 'q,
    {
        self.is_done = false;
        let doing = self.doing.as_str();
        let touched = match &mut self.connection {
            Connection::Sqlite(connection) => {
                let done = connection.execute(sqlite(statement)).await;
                done.map(|done| done.rows_affected()).map_err(StoreError::at(doing))
            }
            Connection::Postgres(connection) => {
                let asking = present(connection, doing)?.execute(postgres(statement));
                let done = within(self.deadline, doing, asking).await;
                done.and_then(|done| done.map(|done| done.rows_affected()).map_err(StoreError::at(doing)))
            }
        };
        self.disk.note(&touched);
        let touched = counted(self.doing, touched)?;
        self.is_done = true;
        Ok(touched)
    }

    pub(in crate::store) async fn rows(&mut self, sql: &'static str, values: &[Value<'_>]) -> Result<Vec<Row>> {
        let mut stream = self.stream(sql, values)?;
        let mut rows = Vec::new();
        while let Some(row) = stream.next().await? {
            rows.push(row);
        }
        Ok(rows)
    }

    /// The first row of a statement, if there is any.
    pub(in crate::store) async fn row(&mut self, sql: &'static str, values: &[Value<'_>]) -> Result<Option<Row>> {
        Ok(self.rows(sql, values).await?.into_iter().next())
    }

    /// The rows of a statement, one by one; the deadline is for each.
    pub(in crate::store) fn stream<'a>(&'a mut self, sql: &'static str, values: &[Value<'_>]) -> Result<Rows<'a>> {
        self.is_done = false;
        let (doing, deadline) = (self.doing, self.deadline);
        let stream = match &mut self.connection {
            Connection::Sqlite(connection) => {
                let query = values.iter().copied().fold(sqlx::query(sql), bind_sqlite);
                query.fetch(&mut **connection).map_ok(EngineRow::Sqlite).boxed()
            }
            Connection::Postgres(connection) => {
                let query = values.iter().copied().fold(sqlx::query(sql), bind_postgres);
                query.fetch(&mut **present(connection, doing.as_str())?).map_ok(EngineRow::Postgres).boxed()
            }
        };
        Ok(Rows { stream, doing, disk: &self.disk, deadline, is_done: &mut self.is_done })
    }

    /// Writes rows into a table, many to a statement. `rest` follows the values: what to do where a row is there already.
    pub(in crate::store) async fn insert(
        &mut self,
        table: &'static str,
        columns: &[(&'static str, Column<'_>)],
        rest: &'static str,
    ) -> Result<()> {
        self.run_many(columns, |names, values| format!("INSERT INTO {table} ({names}) {values} {rest}")).await
    }

    /// Runs a statement for many rows at once, which it finds in the table `n`.
    pub(in crate::store) async fn run_with(
        &mut self,
        columns: &[(&'static str, Column<'_>)],
        statement: &str,
    ) -> Result<()> {
        self.run_many(columns, |names, values| format!("WITH n ({names}) AS ({values}) {statement}")).await
    }

    /// Runs what `statement` makes of the names of columns and the values of rows, many rows at a time.
    async fn run_many(
        &mut self,
        columns: &[(&'static str, Column<'_>)],
        statement: impl Fn(&str, &str) -> String,
    ) -> Result<()> {
        let names = columns.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        let rows = columns.first().map_or(0, |(_, column)| column.len());
        let columns: Vec<&Column<'_>> = columns.iter().map(|(_, column)| column).collect();
        let step = if self.is_postgres() { POSTGRES_BATCH_ROWS } else { SQLITE_BATCH_ROWS };
        for from in (0..rows).step_by(step) {
            let part = from..rows.min(from + step);
            let values = if self.is_postgres() {
                format!("SELECT * FROM unnest({})", arrays(&columns))
            } else {
                // Without numbers: `SQLite` goes over all the numbers before it to find each.
                let row = format!("({})", vec!["?"; columns.len()].join(", "));
                format!("VALUES {}", vec![row; part.len()].join(", "))
            };
            self.execute(
                AssertSqlSafe(statement(&names, &values)),
                |statement| {
                    let values = part.clone().flat_map(|row| columns.iter().map(move |column| column.value(row)));
                    values.fold(sqlx::query(statement), bind_sqlite)
                },
                |statement| {
                    let bind = |query, column: &&Column<'_>| bind_array(query, column, part.clone());
                    columns.iter().fold(sqlx::query(statement), bind)
                },
            )
            .await?;
        }
        Ok(())
    }
}

/// `$1::bigint[], $2::text[], …`
fn arrays(columns: &[&Column<'_>]) -> String {
    let places = (1..).zip(columns).map(|(number, column)| format!("${number}::{}", column.array()));
    places.collect::<Vec<_>>().join(", ")
}

impl Drop for Session {
    fn drop(&mut self) {
        let keeps = match self.keep {
            Keep::Always => true,
            Keep::Never => false,
            Keep::WhenDone => self.is_done && !self.in_transaction,
        };
        if keeps {
            return;
        }
        match &mut self.connection {
            Connection::Sqlite(connection) => connection.close_on_drop(),
            // At once and without a word: a server that does not answer must not hold a place in the pool.
            Connection::Postgres(connection) => drop(connection.take().map(PoolConnection::detach)),
        }
    }
}

/// The rows of a statement that is under way.
pub(in crate::store) struct Rows<'a> {
    stream: BoxStream<'a, sqlx::Result<EngineRow>>,
    doing: Operation,
    disk: &'a DiskFault,
    deadline: Option<Duration>,
    is_done: &'a mut bool,
}

impl Rows<'_> {
    /// The next row; `None` after the last.
    pub(in crate::store) async fn next(&mut self) -> Result<Option<Row>> {
        let doing = self.doing.as_str();
        let row = within(self.deadline, doing, self.stream.try_next()).await;
        let row = row.and_then(|row| row.map_err(StoreError::at(doing)));
        self.disk.note(&row);
        let row = counted(self.doing, row)?;
        *self.is_done = row.is_none();
        Ok(row.map(|of| Row { of, doing }))
    }
}

fn present<'a>(
    connection: &'a mut Option<PoolConnection<Postgres>>,
    doing: &'static str,
) -> Result<&'a mut PoolConnection<Postgres>> {
    connection.as_mut().ok_or(StoreError::Database { doing, source: sqlx::Error::PoolClosed })
}

/// What comes of asking the database within a time. sqlx has no timeouts of its own: a query to a server that is gone waits for ever.
pub(in crate::store) async fn within<T>(
    deadline: Option<Duration>,
    doing: &'static str,
    asking: impl Future<Output = T>,
) -> Result<T> {
    match deadline {
        None => Ok(asking.await),
        Some(deadline) => tokio::time::timeout(deadline, asking)
            .await
            .map_err(|_| StoreError::Slow { doing, secs: deadline.as_secs_f64() }),
    }
}
