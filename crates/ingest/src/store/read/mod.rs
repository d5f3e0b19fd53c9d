//! What is read: the facts of a snapshot here, texts and records one by one in [`contents`], what sources leave behind in [`sources`],
//! whole rows for archives in [`rows`].

mod contents;
mod rows;
mod sources;

pub use rows::StoreDump;

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use refdesk_core::fact::{StoredFact, Text};
use refdesk_core::{Kind, cooperative};
use tokio::task::JoinHandle;

use super::error::StoreError;
use super::pack::unpack_text;
use super::sql::row::{fact_columns, fact_row, stored_fact};
use super::sql::{FACT, Operation, Row, Session, Unreadable, Value};
use super::{FactRow, Result, Store};

/// Rows that are turned into facts by one task while the next are read.
const PARSE_CHUNK_ROWS: usize = 4_096;
/// Chunks being parsed at once.
const PARSE_TASKS_MAX: usize = 4;

type ParseTask = JoinHandle<Vec<StoredFact>>;

/// Holds for facts of the kinds that [`kind_values`] gives.
macro_rules! of_kinds {
    () => {
        "f.kind IN ($1, $2, $3, $4, $5, $6, $7)"
    };
}

/// Kinds as values of [`of_kinds`]; places that are left are null, which no kind is.
fn kind_values(kinds: &[Kind]) -> [Value<'static>; 7] {
    Kind::ALL.map(|kind| Value::Text(kinds.contains(&kind).then(|| kind.singular())))
}

impl Store {
    /// The facts of some kinds with their texts, by source, kind and key.
    pub async fn facts(&self, kinds: &[Kind]) -> Result<Vec<StoredFact>> {
        let mut session = self.engine.snapshot(Operation::ReadCatalog).await?;
        let mut texts: HashMap<i64, Vec<u8>> = HashMap::new();
        {
            let sql = concat!(
                "SELECT t.fact_id, t.content FROM texts t JOIN facts f ON f.id = t.fact_id WHERE ",
                of_kinds!()
            );
            let mut rows = session.stream(sql, &kind_values(kinds))?;
            while let Some(row) = rows.next().await? {
                cooperative::yield_now();
                texts.insert(row.get(0)?, row.get(1)?);
            }
        }
        let sql = concat!(
            "SELECT ",
            fact_columns!(),
            " FROM facts f JOIN standings s ON s.fact_id = f.id WHERE ",
            of_kinds!(),
            " ORDER BY f.source_id, f.kind, f.key"
        );
        self.facts_of(session, sql, &kind_values(kinds), texts).await
    }

    /// The facts of a source, by kind and key, without their texts.
    pub async fn source_facts(&self, source_id: &str) -> Result<Vec<StoredFact>> {
        let session = self.engine.snapshot(Operation::ReadCatalog).await?;
        let sql = concat!(
            "SELECT ",
            fact_columns!(),
            " FROM facts f JOIN standings s ON s.fact_id = f.id WHERE f.source_id = $1 ORDER BY f.source_id, f.kind, f.key"
        );
        self.facts_of(session, sql, &[source_id.into()], HashMap::new()).await
    }

    /// Reads some facts by their numbers for nothing but whether they can be read ([`Store::unreadable`]).
    pub async fn reread_facts(&self, rows: &[i64]) -> Result<()> {
        for row in rows {
            let session = self.engine.snapshot(Operation::ReadCatalog).await?;
            let sql = concat!(
                "SELECT ",
                fact_columns!(),
                " FROM facts f JOIN standings s ON s.fact_id = f.id WHERE f.id = $1"
            );
            self.facts_of(session, sql, &[(*row).into()], HashMap::new()).await?;
        }
        Ok(())
    }

    /// Facts as a query gives them, with the texts that are given by their numbers.
    async fn facts_of(
        &self,
        mut session: Session,
        sql: &'static str,
        values: &[Value<'_>],
        mut texts: HashMap<i64, Vec<u8>>,
    ) -> Result<Vec<StoredFact>> {
        let mut facts = Vec::new();
        let mut tasks: VecDeque<ParseTask> = VecDeque::new();
        let mut chunk: Vec<(FactRow, Option<Vec<u8>>)> = Vec::new();
        {
            let mut rows = session.stream(sql, values)?;
            while let Some(row) = rows.next().await? {
                cooperative::yield_now();
                let Some(row) = self.fact_row(&row) else { continue };
                let text = texts.remove(&row.id);
                chunk.push((row, text));
                if chunk.len() == PARSE_CHUNK_ROWS {
                    tasks.push_back(self.parse(std::mem::take(&mut chunk)));
                }
                if tasks.len() > PARSE_TASKS_MAX
                    && let Some(task) = tasks.pop_front()
                {
                    facts.extend(joined(task).await?);
                }
            }
        }
        session.commit().await?;
        tasks.push_back(self.parse(chunk));
        for task in tasks {
            facts.extend(joined(task).await?);
        }
        Ok(facts)
    }

    /// A fact's row, unless it cannot be read.
    fn fact_row(&self, row: &Row) -> Option<FactRow> {
        let id = row.get::<i64>(0).unwrap_or_default().to_string();
        let source_id = row.get(1).unwrap_or_default();
        match fact_row(row) {
            // That its columns can be read says nothing yet of what stands in them.
            Ok(row) => Some(row),
            Err(error) => self.unreadable.pass_over(FACT, source_id, &id, Err(error.of_value("fact"))),
        }
    }

    /// Turns rows into facts on another thread; those that cannot be read are left out.
    fn parse(&self, chunk: Vec<(FactRow, Option<Vec<u8>>)>) -> ParseTask {
        let unreadable = Arc::clone(&self.unreadable);
        tokio::task::spawn_blocking(move || parse(chunk, &unreadable))
    }
}

fn parse(chunk: Vec<(FactRow, Option<Vec<u8>>)>, unreadable: &Unreadable) -> Vec<StoredFact> {
    let mut last: Option<Arc<str>> = None;
    let mut facts = Vec::with_capacity(chunk.len());
    for (row, text) in chunk {
        cooperative::yield_now();
        let source_id = match &last {
            Some(last) if **last == *row.source_id => Arc::clone(last),
            _ => Arc::from(row.source_id.as_str()),
        };
        last = Some(Arc::clone(&source_id));
        let id = row.id.to_string();
        let read = stored_fact(row, Arc::clone(&source_id));
        let Some(mut fact) = unreadable.pass_over(FACT, &source_id, &id, read) else { continue };
        if let Some(text) = text.filter(|_| fact.provenance.record_withheld.is_none()) {
            fact.body_text = Text::Packed(text.into_boxed_slice(), told_text);
        }
        facts.push(fact);
    }
    facts
}

/// A text of the store; one that is damaged is told, and its item is found by all but its text.
fn told_text(packed: &[u8]) -> Option<String> {
    let told = |error: &StoreError| tracing::error!(%error, "a text of the store is damaged and not searched; `refdesk verify` says whose, and the next sync of its source in full rewrites it");
    unpack_text(packed).inspect_err(told).ok()
}

async fn joined(task: ParseTask) -> Result<Vec<StoredFact>> {
    task.await.map_err(|error| StoreError::value("fact", &error))
}
