//! What a sync finds gone: facts that a quarantined pass did not list, and a source that was removed while it was synced.

use refdesk_core::{Kind, Stamp};

use super::transaction::Writing;
use crate::store::{Result, Run, RunOutcome, StoreError};

/// Keeps which facts a quarantined pass did not list; those that were missing before keep their time, unless it lies ahead of the clock:
/// then nothing would ever be missing for long enough.
pub(super) async fn put_missing(
    tx: &mut Writing,
    source_id: &str,
    missing: &[(Kind, String)],
    now: Stamp,
) -> Result<()> {
    let at = StoreError::at("writing missing facts");
    let since: Vec<(String, String, i64)> =
        sqlx::query_as("SELECT kind, key, since FROM missing_facts WHERE source_id = $1")
            .bind(source_id)
            .fetch_all(&mut **tx)
            .await
            .map_err(&at)?;
    let since: std::collections::HashMap<(&str, &str), i64> =
        since.iter().map(|(kind, key, since)| ((kind.as_str(), key.as_str()), *since)).collect();
    forget_missing(tx, source_id).await?;
    for (kind, key) in missing {
        sqlx::query("INSERT INTO missing_facts (source_id, kind, key, since) VALUES ($1, $2, $3, $4)")
            .bind(source_id)
            .bind(kind.singular())
            .bind(key.as_str())
            .bind(
                since
                    .get(&(kind.singular(), key.as_str()))
                    .copied()
                    .filter(|at| !Stamp(*at).is_ahead_of(now))
                    .unwrap_or(now.0),
            )
            .execute(&mut **tx)
            .await
            .map_err(&at)?;
    }
    Ok(())
}

pub(super) async fn forget_missing(tx: &mut Writing, source_id: &str) -> Result<()> {
    sqlx::query("DELETE FROM missing_facts WHERE source_id = $1")
        .bind(source_id)
        .execute(&mut **tx)
        .await
        .map(drop)
        .map_err(StoreError::at("writing missing facts"))
}

/// Fails when the source was removed since its state was read: what a run brings that began before must not come back. By the order of
/// the runs, because clocks are set back.
pub(super) async fn refuse_removed(tx: &mut Writing, source_id: &str, runs_seen: i64) -> Result<()> {
    let at = StoreError::at("reading runs");
    let later: Vec<String> = sqlx::query_scalar("SELECT run FROM runs WHERE source_id = $1 AND id > $2")
        .bind(source_id)
        .bind(runs_seen)
        .fetch_all(&mut **tx)
        .await
        .map_err(&at)?;
    let is_removal =
        |text: &String| serde_json::from_str::<Run>(text).is_ok_and(|run| run.outcome == RunOutcome::Removed);
    if later.iter().any(is_removal) { Err(StoreError::Removed { source_id: source_id.to_owned() }) } else { Ok(()) }
}
