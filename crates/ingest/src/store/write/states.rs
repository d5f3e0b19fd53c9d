//! What a source has beside its facts: state, validators, rejects, runs.

use std::collections::{BTreeMap, BTreeSet};

use refdesk_core::{Covers, Kind, Reject, Stamp};
use serde::Deserialize;

use crate::store::error::StoreError;
use crate::store::sql::row::{json, kind_of};
use crate::store::sql::{Column, Session};
use crate::store::{ChangeMark, HELD_REJECTS_FROM, RUNS_MAX, Result, Run, SourceState, SyncCommit, Validators};

/// Puts these rejects in the place of those that a source had.
pub(super) async fn replace_rejects(session: &mut Session, source_id: &str, rejects: &[Reject]) -> Result<()> {
    session.run("DELETE FROM rejects WHERE source_id = $1", &[source_id.into()]).await?;
    put_rejects(session, source_id, 0, rejects).await
}

/// Keeps the rejects of a state that is held back beside those of the last good one, which are told again once the source takes that
/// state back.
pub(super) async fn hold_rejects(session: &mut Session, source_id: &str, rejects: &[Reject]) -> Result<()> {
    forget_held_rejects(session, source_id).await?;
    put_rejects(session, source_id, HELD_REJECTS_FROM, rejects).await
}

/// The state that was held back is gone.
pub(super) async fn forget_held_rejects(session: &mut Session, source_id: &str) -> Result<()> {
    let held = [source_id.into(), HELD_REJECTS_FROM.into()];
    session.run("DELETE FROM rejects WHERE source_id = $1 AND position >= $2", &held).await.map(drop)
}

async fn put_rejects(session: &mut Session, source_id: &str, first: i64, rejects: &[Reject]) -> Result<()> {
    session
        .insert(
            "rejects",
            &[
                ("source_id", Column::texts(rejects.iter().map(|_| source_id))),
                ("position", Column::ints((first..).zip(rejects).map(|(position, _)| position))),
                ("key", Column::texts(rejects.iter().map(|reject| reject.key.as_str()))),
                ("reason", Column::texts(rejects.iter().map(|reject| reject.reason.as_str()))),
                ("excerpt", Column::texts(rejects.iter().map(|reject| reject.excerpt.as_str()))),
            ],
            "",
        )
        .await
}

/// The rejects after a partial pass: those before, without the keys that it names, and its own.
pub(super) async fn merged_rejects(session: &mut Session, commit: &SyncCommit) -> Result<Vec<Reject>> {
    let named: BTreeSet<&str> = commit
        .facts
        .iter()
        .map(|fact| fact.row.key.as_str())
        .chain(commit.rejects.iter().map(|reject| reject.key.as_str()))
        .collect();
    let rows = session
        .rows(
            "SELECT key, reason, excerpt FROM rejects WHERE source_id = $1 AND position < $2 ORDER BY position",
            &[(&commit.source_id).into(), HELD_REJECTS_FROM.into()],
        )
        .await?;
    let mut rejects = Vec::with_capacity(rows.len() + commit.rejects.len());
    for row in rows {
        let key: String = row.get(0)?;
        if !named.contains(key.as_str()) {
            let (reason, excerpt) = (row.get(1)?, row.get(2)?);
            rejects.push(Reject { key, reason, excerpt, covers: Covers::SameKey });
        }
    }
    rejects.extend(commit.rejects.iter().cloned());
    Ok(rejects)
}

pub(super) async fn put_state(
    session: &mut Session,
    source_id: &str,
    state: &SourceState,
    validators: Option<&Validators>,
) -> Result<()> {
    let (state, given) = (json(state)?, json(validators.unwrap_or(&Validators::default()))?);
    // A run of our own makes an imported source ours, except when it brought nothing.
    session
        .run(
            "INSERT INTO source_states (source_id, state, validators, imported) VALUES ($1, $2, $3, 0) \
             ON CONFLICT (source_id) DO UPDATE SET state = excluded.state",
            &[source_id.into(), (&state).into(), (&given).into()],
        )
        .await?;
    if validators.is_some() {
        session
            .run(
                "UPDATE source_states SET validators = $2, imported = 0, info = NULL WHERE source_id = $1",
                &[source_id.into(), (&given).into()],
            )
            .await?;
    }
    Ok(())
}

/// Writes a run and drops those that are too many. Its number.
pub(super) async fn put_run(session: &mut Session, run: &Run) -> Result<i64> {
    let text = json(run)?;
    let row = session
        .row(
            "INSERT INTO runs (source_id, started_at, run) VALUES ($1, $2, $3) RETURNING id",
            &[(&run.source_id).into(), run.started_at.0.into(), (&text).into()],
        )
        .await?
        .ok_or_else(|| StoreError::value("run", &"no number came"))?;
    let number = row.get(0)?;
    session
        .run(
            "DELETE FROM runs WHERE source_id = $1 AND id NOT IN \
             (SELECT id FROM runs WHERE source_id = $1 ORDER BY id DESC LIMIT $2)",
            &[(&run.source_id).into(), RUNS_MAX.into()],
        )
        .await?;
    Ok(number)
}

/// Which run last changed the facts of each kind, as the state of a source says: [`SourceState::changed`].
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Marks {
    changed: BTreeMap<Kind, ChangeMark>,
}

impl Marks {
    /// Those of a source. A state that cannot be read has none: whoever looks reads the facts then.
    pub(super) async fn read(session: &mut Session, source_id: &str) -> Result<Self> {
        let row = session.row("SELECT state FROM source_states WHERE source_id = $1", &[source_id.into()]).await?;
        let Some(row) = row else { return Ok(Self::default()) };
        Ok(row.get(0).ok().and_then(|state| serde_json::from_str(state).ok()).unwrap_or_default())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.changed.is_empty()
    }

    /// Whether there are some, and they are those that were read before: the facts of the source are what they were.
    pub(super) fn are_still(&self, before: &BTreeMap<Kind, ChangeMark>) -> bool {
        !self.is_empty() && self.changed == *before
    }

    /// The same after a run that changed facts of these kinds.
    pub(super) fn with(
        mut self,
        kinds: impl IntoIterator<Item = Kind>,
        run: i64,
        at: Stamp,
    ) -> BTreeMap<Kind, ChangeMark> {
        self.changed.extend(kinds.into_iter().map(|kind| (kind, ChangeMark { run, at })));
        self.changed
    }
}

/// The kinds of which a source has facts; a word that is no kind is told where facts are read.
pub(super) async fn kinds_over(session: &mut Session, source_id: &str) -> Result<Vec<Kind>> {
    let rows = session.rows("SELECT DISTINCT kind FROM facts WHERE source_id = $1", &[source_id.into()]).await?;
    let kinds = rows.iter().map(|row| Ok(kind_of(row.get(0)?).ok()));
    Ok(kinds.collect::<Result<Vec<Option<Kind>>>>()?.into_iter().flatten().collect())
}
