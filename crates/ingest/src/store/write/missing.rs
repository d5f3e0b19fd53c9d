//! What a sync finds gone: facts that a quarantined pass did not list, and a source that was removed while it was synced.

use std::collections::HashMap;

use refdesk_core::{Kind, Stamp};

use crate::store::sql::{Column, Session};
use crate::store::{Result, Run, RunOutcome, StoreError};

/// Keeps which facts a quarantined pass did not list; those that were missing before keep their time, unless it lies ahead of the clock:
/// then nothing would ever be missing for long enough.
pub(super) async fn put_missing(
    session: &mut Session,
    source_id: &str,
    missing: &[(Kind, String)],
    now: Stamp,
) -> Result<()> {
    let rows =
        session.rows("SELECT kind, key, since FROM missing_facts WHERE source_id = $1", &[source_id.into()]).await?;
    let mut since: HashMap<(String, String), i64> = HashMap::new();
    for row in &rows {
        let key = (row.get(0)?, row.get(1)?);
        since.insert(key, row.get(2)?);
    }
    forget_missing(session, source_id).await?;
    let since = |kind: Kind, key: &String| {
        let known = since.get(&(kind.singular().to_owned(), key.clone())).copied();
        known.filter(|at| !Stamp(*at).is_ahead_of(now)).unwrap_or(now.0)
    };
    session
        .insert(
            "missing_facts",
            &[
                ("source_id", Column::texts(missing.iter().map(|_| source_id))),
                ("kind", Column::texts(missing.iter().map(|(kind, _)| kind.singular()))),
                ("key", Column::texts(missing.iter().map(|(_, key)| key.as_str()))),
                ("since", Column::ints(missing.iter().map(|(kind, key)| since(*kind, key)))),
            ],
            "",
        )
        .await
}

pub(super) async fn forget_missing(session: &mut Session, source_id: &str) -> Result<()> {
    session.run("DELETE FROM missing_facts WHERE source_id = $1", &[source_id.into()]).await.map(drop)
}

/// Fails when the source was removed since its state was read: what a run brings that began before must not come back. By the order of
/// the runs, because clocks are set back.
pub(super) async fn refuse_removed(session: &mut Session, source_id: &str, runs_seen: i64) -> Result<()> {
    let later = session
        .rows("SELECT run FROM runs WHERE source_id = $1 AND id > $2", &[source_id.into(), runs_seen.into()])
        .await?;
    for row in &later {
        let run = serde_json::from_str::<Run>(row.get(0)?);
        if run.is_ok_and(|run| run.outcome == RunOutcome::Removed) {
            return Err(StoreError::Removed { source_id: source_id.to_owned() });
        }
    }
    Ok(())
}
