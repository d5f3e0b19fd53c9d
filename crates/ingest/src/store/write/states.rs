//! What a source has beside its facts: state, validators, rejects, runs.

use std::collections::BTreeSet;

use refdesk_core::Reject;

use crate::store::error::StoreError;
use crate::store::sql::row::json;
use crate::store::sql::{Column, Session};
use crate::store::{RUNS_MAX, Result, Run, SourceState, SyncCommit, Validators};

/// Puts these rejects in the place of those that a source had.
pub(super) async fn replace_rejects(session: &mut Session, source_id: &str, rejects: &[Reject]) -> Result<()> {
    session.run("DELETE FROM rejects WHERE source_id = $1", &[source_id.into()]).await?;
    session
        .insert(
            "rejects",
            &[
                ("source_id", Column::texts(rejects.iter().map(|_| source_id))),
                ("position", Column::ints((0..).zip(rejects).map(|(position, _)| position))),
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
    let at = StoreError::at(session.doing());
    let named: BTreeSet<&str> = commit
        .facts
        .iter()
        .map(|fact| fact.key.as_str())
        .chain(commit.rejects.iter().map(|reject| reject.key.as_str()))
        .collect();
    let rows = session
        .rows(
            "SELECT key, reason, excerpt FROM rejects WHERE source_id = $1 ORDER BY position",
            &[(&commit.source_id).into()],
        )
        .await?;
    let mut rejects = Vec::with_capacity(rows.len() + commit.rejects.len());
    for row in rows {
        let key = row.string(0).map_err(&at)?;
        if !named.contains(key.as_str()) {
            let (reason, excerpt) = (row.string(1).map_err(&at)?, row.string(2).map_err(&at)?);
            rejects.push(Reject { key, reason, excerpt });
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

pub(super) async fn put_run(session: &mut Session, run: &Run) -> Result<()> {
    let text = json(run)?;
    session
        .run(
            "INSERT INTO runs (source_id, started_at, run) VALUES ($1, $2, $3)",
            &[(&run.source_id).into(), run.started_at.0.into(), (&text).into()],
        )
        .await?;
    session
        .run(
            "DELETE FROM runs WHERE source_id = $1 AND id NOT IN \
             (SELECT id FROM runs WHERE source_id = $1 ORDER BY id DESC LIMIT $2)",
            &[(&run.source_id).into(), RUNS_MAX.into()],
        )
        .await
        .map(drop)
}
