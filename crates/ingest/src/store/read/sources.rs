//! What sources leave behind: states, validators, rejects, runs, missing facts, figures.

use std::collections::BTreeMap;

use refdesk_core::{Covers, Kind, Reject, SourceInfo, Stamp};
use serde::de::DeserializeOwned;

use crate::store::error::StoreError;
use crate::store::sql::row::{kind_of, parse_json};
use crate::store::sql::{Operation, Row, Session};
use crate::store::{FactFigures, HELD_REJECTS_FROM, MissingFact, Result, Run, SourceState, Store, Validators};

impl Store {
    /// The states of all sources that were ever synced or imported.
    pub async fn source_states(&self) -> Result<Vec<(String, SourceState)>> {
        let sql = "SELECT source_id, state FROM source_states ORDER BY source_id";
        let rows = self.rows(Operation::ReadSourceStates, sql, &[]).await?;
        rows.iter()
            .map(|row| {
                let source_id: String = row.get(0)?;
                let state = self.state(&source_id, row, 1);
                Ok((source_id, state))
            })
            .collect()
    }

    /// The state in a column; the one of a source that was never synced when it cannot be read.
    pub(super) fn state(&self, source_id: &str, row: &Row, column: usize) -> SourceState {
        let read = json_of("source state", row, column);
        self.unreadable.pass_over("source state", source_id, source_id, read).unwrap_or_default()
    }

    /// The state of a source; the empty state when it was never synced.
    pub async fn source_state(&self, source_id: &str) -> Result<SourceState> {
        let sql = "SELECT (SELECT max(id) FROM runs WHERE source_id = $1), \
                   (SELECT state FROM source_states WHERE source_id = $1)";
        let row = self.row(Operation::ReadSourceState, sql, &[source_id.into()]).await?;
        let row = row.ok_or_else(|| StoreError::value("source state", &"no row came"))?;
        let runs_seen = row.get::<Option<i64>>(0)?.unwrap_or(0);
        let is_there = row.has(1)?;
        let state = if is_there { self.state(source_id, &row, 1) } else { SourceState::default() };
        Ok(SourceState { runs_seen, ..state })
    }

    /// The requests of the last good pass of a source.
    pub async fn validators(&self, source_id: &str) -> Result<Validators> {
        // Facts that cannot be read are written anew only when the source is read in full.
        if self.unreadable.has_facts_of(source_id) {
            return Ok(Validators::default());
        }
        let sql = "SELECT validators FROM source_states WHERE source_id = $1";
        let row = self.row(Operation::ReadValidators, sql, &[source_id.into()]).await?;
        Ok(row.map(|row| self.validators_in(source_id, &row, 0)).unwrap_or_default())
    }

    /// The validators in a column; none when they cannot be read, so that the source is read in full.
    pub(super) fn validators_in(&self, source_id: &str, row: &Row, column: usize) -> Validators {
        let read = json_of("validators", row, column);
        self.unreadable.pass_over("validators", source_id, source_id, read).unwrap_or_default()
    }

    /// What came with an imported source; only its id when that cannot be read, so that its facts stay.
    pub(super) fn info_in(&self, source_id: &str, row: &Row, column: usize) -> SourceInfo {
        let read = json_of("source info", row, column);
        self.unreadable
            .pass_over("source info", source_id, source_id, read)
            .unwrap_or_else(|| SourceInfo::unknown(source_id))
    }

    /// Sources that came by import and were not synced here since, with what evidence records say of them.
    pub async fn imported_sources(&self) -> Result<Vec<SourceInfo>> {
        let sql =
            "SELECT source_id, info FROM source_states WHERE imported = 1 AND info IS NOT NULL ORDER BY source_id";
        let rows = self.rows(Operation::ReadImportedSources, sql, &[]).await?;
        rows.iter().map(|row| Ok(self.info_in(row.get(0)?, row, 1))).collect()
    }

    /// Figures of the facts of each source.
    pub async fn figures(&self) -> Result<Vec<(String, FactFigures)>> {
        let mut session = self.engine.snapshot(Operation::CountFacts).await?;
        let rows = session
            .rows(
                "SELECT source_id, count(*), count(CASE WHEN removed_at IS NULL THEN 1 END), \
                 count(CASE WHEN held_back IS NOT NULL THEN 1 END) \
                 FROM standings GROUP BY source_id",
                &[],
            )
            .await?;
        let mut figures: BTreeMap<String, FactFigures> = BTreeMap::new();
        for row in rows {
            let entry = figures.entry(row.get(0)?).or_default();
            entry.total = count(row.get(1)?);
            entry.live = count(row.get(2)?);
            entry.quarantined = count(row.get(3)?);
        }
        let rows = session
            .rows(
                "SELECT source_id, count(*), count(CASE WHEN position >= $1 THEN 1 END) FROM rejects GROUP BY source_id",
                &[HELD_REJECTS_FROM.into()],
            )
            .await?;
        for row in rows {
            let (all, held) = (count(row.get(1)?), count(row.get(2)?));
            figures.entry(row.get(0)?).or_default().rejects = if held > 0 { held } else { all };
        }
        session.commit().await?;
        Ok(figures.into_iter().collect())
    }

    /// The rejects of the last committed sync of a source; while a later state is held back that had some, those of it.
    pub async fn rejects(&self, source_id: &str) -> Result<Vec<Reject>> {
        let mut session = self.engine.reading(Operation::ReadRejects).await?;
        Self::rejects_over(&mut session, source_id).await
    }

    pub(super) async fn rejects_over(session: &mut Session, source_id: &str) -> Result<Vec<Reject>> {
        let rows = session
            .rows(
                "SELECT key, reason, excerpt, position FROM rejects WHERE source_id = $1 ORDER BY position",
                &[source_id.into()],
            )
            .await?;
        let read = |row: &Row| {
            let (key, reason, excerpt) = (row.get(0)?, row.get(1)?, row.get(2)?);
            Ok(Reject { key, reason, excerpt, covers: Covers::SameKey })
        };
        let is_held = |row: &Row| row.get::<i64>(3).is_ok_and(|position| position >= HELD_REJECTS_FROM);
        let has_held = rows.last().is_some_and(is_held);
        rows.iter().filter(|row| !has_held || is_held(row)).map(read).collect()
    }

    /// The last runs of a source, newest first.
    pub async fn runs(&self, source_id: &str, limit: u32) -> Result<Vec<Run>> {
        let doing = Operation::ReadRuns;
        if let Some(mut replica) = self.engine.replica(doing).await
            && let Ok(runs) = self.runs_over(&mut replica, source_id, limit).await
        {
            return Ok(runs);
        }
        let mut session = self.engine.reading(doing).await?;
        self.runs_over(&mut session, source_id, limit).await
    }

    pub(super) async fn runs_over(&self, session: &mut Session, source_id: &str, limit: u32) -> Result<Vec<Run>> {
        let rows = session
            .rows(
                "SELECT run, id FROM runs WHERE source_id = $1 ORDER BY id DESC LIMIT $2",
                &[source_id.into(), i64::from(limit).into()],
            )
            .await?;
        let mut runs = Vec::with_capacity(rows.len());
        for row in &rows {
            let id: i64 = row.get(1)?;
            let read = json_of("run", row, 0);
            runs.extend(self.unreadable.pass_over("run", source_id, &id.to_string(), read));
        }
        Ok(runs)
    }

    /// The kinds of which a source has facts.
    pub async fn kinds_of(&self, source_id: &str) -> Result<Vec<Kind>> {
        let sql = "SELECT DISTINCT kind FROM facts WHERE source_id = $1 ORDER BY kind";
        let rows = self.rows(Operation::ReadKinds, sql, &[source_id.into()]).await?;
        let mut kinds = Vec::with_capacity(rows.len());
        for row in &rows {
            let word: &str = row.get(0)?;
            let id = format!("{source_id}/{word}");
            kinds.extend(self.unreadable.pass_over("kind", source_id, &id, kind_of(word)));
        }
        Ok(kinds)
    }

    /// The facts that quarantined passes of a source did not list since the last good one.
    pub async fn missing_facts(&self, source_id: &str) -> Result<Vec<MissingFact>> {
        let sql = "SELECT kind, key, since FROM missing_facts WHERE source_id = $1 ORDER BY kind, key";
        let rows = self.rows(Operation::ReadMissingFacts, sql, &[source_id.into()]).await?;
        let read =
            |row: &Row| Ok(MissingFact { kind: kind_of(row.get(0)?)?, key: row.get(1)?, since: Stamp(row.get(2)?) });
        let known = rows.iter().enumerate().filter_map(|(at, row)| {
            self.unreadable.pass_over("missing fact", source_id, &format!("{source_id}/{at}"), read(row))
        });
        Ok(known.collect())
    }
}

fn count(number: i64) -> usize {
    usize::try_from(number).unwrap_or(0)
}

fn json_of<T: DeserializeOwned>(what: &str, row: &Row, column: usize) -> Result<T> {
    parse_json(what, row.get(column).map_err(|error| error.of_value("text"))?)
}
