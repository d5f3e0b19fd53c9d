//! What is read: facts for a snapshot, bodies and records by key, states, runs and rejects.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use futures::TryStreamExt as _;
use refdesk_core::fact::{StoredFact, Text};
use refdesk_core::{Kind, Reject, SourceInfo, pace};
use sqlx::query::Query;
use sqlx::sqlite::{Sqlite, SqliteArguments, SqliteRow};
use sqlx::{Row, ValueRef as _};
use tokio::task::JoinHandle;

use super::SqliteStore;
use super::row::{FACT_COLUMNS, basis_of, body_state_of, fact_columns, fact_row, parse_json, stored_fact, withheld_of};
use super::unreadable::{FACT, Unreadable};
use crate::store::error::StoreError;
use crate::store::pack::{unpack, unpack_text};
use crate::store::{
    BodyState, FactContents, FactFigures, FactRow, Result, Run, SourceRow, SourceState, StoredRecord, Validators,
};

const DOING: &str = "reading the catalog";
/// Rows that are turned into facts by one task while the next are read.
const PARSE_CHUNK_ROWS: usize = 4_096;
/// Chunks being parsed at once.
const PARSE_TASKS_MAX: usize = 4;

type ParseTask = JoinHandle<Vec<StoredFact>>;

/// Holds for facts of the kinds that [`with_kinds`] binds.
macro_rules! of_kinds {
    () => {
        "f.kind IN ($1, $2, $3, $4, $5, $6, $7)"
    };
}

/// Binds kinds to a query of [`of_kinds`]; places that are left are null, which no kind is.
fn with_kinds<'a>(query: Query<'a, Sqlite, SqliteArguments>, kinds: &[Kind]) -> Query<'a, Sqlite, SqliteArguments> {
    let is_wanted = |kind: Kind| kinds.contains(&kind).then(|| kind.singular());
    Kind::ALL.into_iter().fold(query, |query, kind| query.bind(is_wanted(kind)))
}

impl SqliteStore {
    /// The facts of some kinds with their texts, by source, kind and key.
    pub(in crate::store) async fn facts(&self, kinds: &[Kind]) -> Result<Vec<StoredFact>> {
        let at = StoreError::at(DOING);
        let mut tx = self.reader.begin().await.map_err(&at)?;
        let mut texts: HashMap<i64, Vec<u8>> = HashMap::new();
        {
            let query = sqlx::query(concat!(
                "SELECT t.fact_id, t.content FROM texts t JOIN facts f ON f.id = t.fact_id WHERE ",
                of_kinds!()
            ));
            let mut rows = with_kinds(query, kinds).fetch(&mut *tx);
            while let Some(row) = rows.try_next().await.map_err(&at)? {
                pace::give_way();
                texts.insert(row.try_get(0).map_err(&at)?, row.try_get(1).map_err(&at)?);
            }
        }
        let query = sqlx::query(concat!(
            "SELECT ",
            fact_columns!(),
            " FROM facts f JOIN standings s ON s.fact_id = f.id WHERE ",
            of_kinds!(),
            " ORDER BY f.source_id, f.kind, f.key"
        ));
        self.facts_of(&mut tx, with_kinds(query, kinds), texts).await
    }

    /// The facts of a source, by kind and key, without their texts.
    pub(in crate::store) async fn source_facts(&self, source_id: &str) -> Result<Vec<StoredFact>> {
        let mut tx = self.reader.begin().await.map_err(StoreError::at(DOING))?;
        let query = sqlx::query(concat!(
            "SELECT ",
            fact_columns!(),
            " FROM facts f JOIN standings s ON s.fact_id = f.id WHERE f.source_id = $1 ORDER BY f.source_id, f.kind, f.key"
        ));
        self.facts_of(&mut tx, query.bind(source_id.to_owned()), HashMap::new()).await
    }

    /// Facts as a query gives them, with the texts that are given by their numbers.
    async fn facts_of(
        &self,
        tx: &mut sqlx::SqliteConnection,
        query: Query<'_, Sqlite, SqliteArguments>,
        mut texts: HashMap<i64, Vec<u8>>,
    ) -> Result<Vec<StoredFact>> {
        let at = StoreError::at(DOING);
        let mut facts = Vec::new();
        let mut tasks: std::collections::VecDeque<ParseTask> = std::collections::VecDeque::new();
        let mut chunk: Vec<(FactRow, Option<Vec<u8>>)> = Vec::new();
        {
            let mut rows = query.fetch(tx);
            while let Some(row) = rows.try_next().await.map_err(&at)? {
                pace::give_way();
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
        tasks.push_back(self.parse(chunk));
        for task in tasks {
            facts.extend(joined(task).await?);
        }
        Ok(facts)
    }

    pub(in crate::store) async fn body(&self, source_id: &str, kind: Kind, key: &str) -> Result<Option<String>> {
        let at = StoreError::at("reading a body");
        let row = sqlx::query(
            "SELECT f.body_state, b.content, r.content, f.provenance FROM facts f LEFT JOIN bodies b ON b.fact_id = f.id \
             LEFT JOIN records r ON r.fact_id = f.id AND f.body_state = 'record' \
             WHERE f.source_id = $1 AND f.kind = $2 AND f.key = $3",
        )
        .bind(source_id)
        .bind(kind.singular())
        .bind(key)
        .fetch_optional(&self.reader)
        .await
        .map_err(&at)?;
        let Some(row) = row else { return Ok(None) };
        if withheld_of(row.try_get::<&str, _>(3).map_err(&at)?)?.is_some() {
            return Ok(None);
        }
        let content: Option<&[u8]> = match body_state_of(row.try_get::<&str, _>(0).map_err(&at)?)? {
            BodyState::None | BodyState::Missing => return Ok(None),
            BodyState::Markdown => row.try_get(1).map_err(&at)?,
            BodyState::Record => row.try_get(2).map_err(&at)?,
        };
        let content = content.ok_or_else(|| StoreError::value("body", &"its content is missing"))?;
        Ok(Some(String::from_utf8_lossy(&unpack(content)?).into_owned()))
    }

    pub(in crate::store) async fn record(
        &self,
        source_id: &str,
        kind: Kind,
        key: &str,
    ) -> Result<Option<StoredRecord>> {
        let at = StoreError::at("reading a record");
        let row = sqlx::query(
            "SELECT r.content, f.hash_basis, f.content_hash, f.provenance FROM facts f JOIN records r ON r.fact_id = f.id \
             WHERE f.source_id = $1 AND f.kind = $2 AND f.key = $3",
        )
        .bind(source_id)
        .bind(kind.singular())
        .bind(key)
        .fetch_optional(&self.reader)
        .await
        .map_err(&at)?;
        let Some(row) = row else { return Ok(None) };
        Ok(Some(StoredRecord {
            bytes: unpack(row.try_get(0).map_err(&at)?)?,
            hash_basis: basis_of(row.try_get::<&str, _>(1).map_err(&at)?)?,
            content_hash: row.try_get(2).map_err(&at)?,
            withheld: withheld_of(row.try_get::<&str, _>(3).map_err(&at)?)?,
        }))
    }

    pub(in crate::store) async fn source_states(&self) -> Result<Vec<(String, SourceState)>> {
        let at = StoreError::at("reading source states");
        let rows = sqlx::query("SELECT source_id, state FROM source_states ORDER BY source_id")
            .fetch_all(&self.reader)
            .await
            .map_err(&at)?;
        rows.iter()
            .map(|row| {
                let source_id: String = row.try_get(0).map_err(&at)?;
                let state = self.state(&source_id, row, 1);
                Ok((source_id, state))
            })
            .collect()
    }

    /// The state in a column; the one of a source that was never synced when it cannot be read.
    fn state(&self, source_id: &str, row: &SqliteRow, column: usize) -> SourceState {
        let read = text_of(row, column).and_then(|text| parse_json("source state", text));
        self.unreadable.pass_over("source state", source_id, source_id, read).unwrap_or_default()
    }

    pub(in crate::store) async fn source_state(&self, source_id: &str) -> Result<SourceState> {
        let at = StoreError::at("reading a source state");
        let row = sqlx::query(
            "SELECT (SELECT max(id) FROM runs WHERE source_id = $1), \
             (SELECT state FROM source_states WHERE source_id = $1)",
        )
        .bind(source_id)
        .fetch_one(&self.reader)
        .await
        .map_err(&at)?;
        let runs_seen = row.try_get::<Option<i64>, _>(0).map_err(&at)?.unwrap_or(0);
        let is_there = !row.try_get_raw(1).map_err(&at)?.is_null();
        let state = if is_there { self.state(source_id, &row, 1) } else { SourceState::default() };
        Ok(SourceState { runs_seen, ..state })
    }

    pub(in crate::store) async fn validators(&self, source_id: &str) -> Result<Validators> {
        // Facts that cannot be read are written anew only when the source is read in full.
        if self.unreadable.has_facts_of(source_id) {
            return Ok(Validators::default());
        }
        let row = sqlx::query("SELECT validators FROM source_states WHERE source_id = $1")
            .bind(source_id)
            .fetch_optional(&self.reader)
            .await
            .map_err(StoreError::at("reading validators"))?;
        Ok(row.map(|row| self.validators_in(source_id, &row, 0)).unwrap_or_default())
    }

    /// The validators in a column; none when they cannot be read, so that the source is read in full.
    fn validators_in(&self, source_id: &str, row: &SqliteRow, column: usize) -> Validators {
        let read = text_of(row, column).and_then(|text| parse_json("validators", text));
        self.unreadable.pass_over("validators", source_id, source_id, read).unwrap_or_default()
    }

    /// What came with an imported source; only its id when that cannot be read, so that its facts stay.
    fn info_in(&self, source_id: &str, row: &SqliteRow, column: usize) -> SourceInfo {
        let read = text_of(row, column).and_then(|text| parse_json("source info", text));
        self.unreadable
            .pass_over("source info", source_id, source_id, read)
            .unwrap_or_else(|| SourceInfo::unknown(source_id))
    }

    /// A fact's row, unless it cannot be read.
    fn fact_row(&self, row: &SqliteRow) -> Option<FactRow> {
        let id = row.try_get::<i64, _>(0).unwrap_or_default().to_string();
        let source_id = row.try_get::<&str, _>(1).unwrap_or_default();
        match fact_row(row) {
            // That its columns can be read says nothing yet of what stands in them.
            Ok(row) => Some(row),
            Err(error) => self.unreadable.pass_over(FACT, source_id, &id, Err(StoreError::value("fact", &error))),
        }
    }

    /// Turns rows into facts on another thread; those that cannot be read are left out.
    fn parse(&self, chunk: Vec<(FactRow, Option<Vec<u8>>)>) -> ParseTask {
        let unreadable = Arc::clone(&self.unreadable);
        tokio::task::spawn_blocking(move || parse(chunk, &unreadable))
    }

    pub(in crate::store) async fn imported_sources(&self) -> Result<Vec<SourceInfo>> {
        let at = StoreError::at("reading imported sources");
        let rows = sqlx::query(
            "SELECT source_id, info FROM source_states WHERE imported = 1 AND info IS NOT NULL ORDER BY source_id",
        )
        .fetch_all(&self.reader)
        .await
        .map_err(&at)?;
        rows.iter().map(|row| Ok(self.info_in(row.try_get::<&str, _>(0).map_err(&at)?, row, 1))).collect()
    }

    pub(in crate::store) async fn figures(&self) -> Result<Vec<(String, FactFigures)>> {
        let at = StoreError::at("counting facts");
        let rows = sqlx::query(
            "SELECT source_id, count(*), count(CASE WHEN removed_at IS NULL THEN 1 END), \
             count(CASE WHEN held_back IS NOT NULL THEN 1 END) \
             FROM standings GROUP BY source_id",
        )
        .fetch_all(&self.reader)
        .await
        .map_err(&at)?;
        let mut figures: BTreeMap<String, FactFigures> = BTreeMap::new();
        for row in rows {
            let entry = figures.entry(row.try_get(0).map_err(&at)?).or_default();
            entry.total = count(row.try_get(1).map_err(&at)?);
            entry.live = count(row.try_get(2).map_err(&at)?);
            entry.quarantined = count(row.try_get(3).map_err(&at)?);
        }
        let rows = sqlx::query("SELECT source_id, count(*) FROM rejects GROUP BY source_id")
            .fetch_all(&self.reader)
            .await
            .map_err(&at)?;
        for row in rows {
            figures.entry(row.try_get(0).map_err(&at)?).or_default().rejects = count(row.try_get(1).map_err(&at)?);
        }
        Ok(figures.into_iter().collect())
    }

    pub(in crate::store) async fn rejects(&self, source_id: &str) -> Result<Vec<Reject>> {
        let at = StoreError::at("reading rejects");
        let rows = sqlx::query("SELECT key, reason, excerpt FROM rejects WHERE source_id = $1 ORDER BY position")
            .bind(source_id)
            .fetch_all(&self.reader)
            .await
            .map_err(&at)?;
        rows.iter()
            .map(|row| {
                Ok(Reject {
                    key: row.try_get(0).map_err(&at)?,
                    reason: row.try_get(1).map_err(&at)?,
                    excerpt: row.try_get(2).map_err(&at)?,
                })
            })
            .collect()
    }

    pub(in crate::store) async fn runs(&self, source_id: &str, limit: u32) -> Result<Vec<Run>> {
        let at = StoreError::at("reading runs");
        let rows = sqlx::query("SELECT run, id FROM runs WHERE source_id = $1 ORDER BY id DESC LIMIT $2")
            .bind(source_id)
            .bind(i64::from(limit))
            .fetch_all(&self.reader)
            .await
            .map_err(&at)?;
        let mut runs = Vec::with_capacity(rows.len());
        for row in &rows {
            let id: i64 = row.try_get(1).map_err(&at)?;
            let read = text_of(row, 0).and_then(|text| parse_json("run", text));
            runs.extend(self.unreadable.pass_over("run", source_id, &id.to_string(), read));
        }
        Ok(runs)
    }

    pub(in crate::store) async fn fact_rows(&self, after: i64, limit: u32) -> Result<Vec<(FactRow, FactContents)>> {
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
    async fn fact_rows_read(&self, after: i64, limit: u32) -> Result<(Vec<(FactRow, FactContents)>, Option<i64>)> {
        let at = StoreError::at("reading facts with their contents");
        let rows = sqlx::query(concat!(
            "SELECT ",
            fact_columns!(),
            ", r.content, b.content, t.content FROM facts f JOIN standings s ON s.fact_id = f.id \
             LEFT JOIN records r ON r.fact_id = f.id LEFT JOIN bodies b ON b.fact_id = f.id LEFT JOIN texts t ON t.fact_id = f.id \
             WHERE f.id > $1 ORDER BY f.id LIMIT $2"
        ))
        .bind(after)
        .bind(i64::from(limit))
        .fetch_all(&self.reader)
        .await
        .map_err(&at)?;
        let mut read = Vec::with_capacity(rows.len());
        for row in &rows {
            let Some(fact) = self.fact_row(row) else { continue };
            let contents = FactContents {
                record: row.try_get::<Option<Vec<u8>>, _>(FACT_COLUMNS).map_err(&at)?.unwrap_or_default(),
                body: row.try_get(FACT_COLUMNS + 1).map_err(&at)?,
                text: row.try_get(FACT_COLUMNS + 2).map_err(&at)?,
            };
            read.push((fact, contents));
        }
        let last = rows.last().map(|row| row.try_get(0)).transpose().map_err(&at)?;
        Ok((read, last))
    }

    pub(in crate::store) async fn source_rows(&self) -> Result<Vec<SourceRow>> {
        let at = StoreError::at("reading sources");
        let rows = sqlx::query("SELECT source_id, state, validators, info FROM source_states ORDER BY source_id")
            .fetch_all(&self.reader)
            .await
            .map_err(&at)?;
        let mut sources = Vec::with_capacity(rows.len());
        for row in rows {
            let source_id: String = row.try_get(0).map_err(&at)?;
            let (state, validators) = (self.state(&source_id, &row, 1), self.validators_in(&source_id, &row, 2));
            let has_info = !row.try_get_raw(3).map_err(&at)?.is_null();
            let info = has_info.then(|| self.info_in(&source_id, &row, 3));
            let rejects = self.rejects(&source_id).await?;
            let mut runs = self.runs(&source_id, u32::MAX).await?;
            runs.reverse();
            sources.push(SourceRow { source_id, state, validators, info, rejects, runs });
        }
        Ok(sources)
    }
}

fn count(number: i64) -> usize {
    usize::try_from(number).unwrap_or(0)
}

fn parse(chunk: Vec<(FactRow, Option<Vec<u8>>)>, unreadable: &Unreadable) -> Vec<StoredFact> {
    let mut last: Option<Arc<str>> = None;
    let mut facts = Vec::with_capacity(chunk.len());
    for (row, text) in chunk {
        pace::give_way();
        let source_id = match &last {
            Some(last) if **last == *row.source_id => Arc::clone(last),
            _ => Arc::from(row.source_id.as_str()),
        };
        last = Some(Arc::clone(&source_id));
        let id = row.id.to_string();
        let read = stored_fact(row, Arc::clone(&source_id));
        let Some(mut fact) = unreadable.pass_over(FACT, &source_id, &id, read) else { continue };
        if let Some(text) = text.filter(|_| fact.provenance.record_withheld.is_none()) {
            fact.body_text = Text::Packed(text.into_boxed_slice(), |packed| unpack_text(packed).ok());
        }
        facts.push(fact);
    }
    facts
}

async fn joined(task: ParseTask) -> Result<Vec<StoredFact>> {
    task.await.map_err(|error| StoreError::value("fact", &error))
}

/// The text in a column.
fn text_of(row: &SqliteRow, column: usize) -> Result<&str> {
    row.try_get(column).map_err(|error| StoreError::value("text", &error))
}
