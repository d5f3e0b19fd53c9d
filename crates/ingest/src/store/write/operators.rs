//! What operators do: take a source away, decide on a withheld value, note it in the history.

use refdesk_core::Stamp;
use refdesk_core::fact::PendingPrice;

use super::states::put_run;
use crate::store::cluster::bump_revision;
use crate::store::engine::StoreEngine;
use crate::store::error::StoreError;
use crate::store::pack::unpack;
use crate::store::sql::row::{FACT_COLUMNS, fact_columns, fact_row, json, parse_json};
use crate::store::sql::{Operation, Session, Writes};
use crate::store::{ChangeMark, Decision, Result, Run, SourceState, Store, statement_hash};

impl Store {
    /// Records a run that changed nothing else in the store.
    pub async fn note_run(&self, run: &Run) -> Result<()> {
        self.write(Operation::NoteRun, Writes::Much, async |session| put_run(session, run).await.map(drop)).await
    }

    /// Takes away facts, records, bodies, rejects, validators and the state of a source; its runs stay as their trace, and `run` with
    /// them. Returns how many facts that were. A sync that is under way brings nothing back. A file keeps no copy of what is deleted.
    pub async fn remove_source(&self, source_id: &str, run: &Run) -> Result<usize> {
        self.noted(async {
            let mut session = self.writing(Operation::RemoveSource, Writes::Removal).await?;
            // Standings and contents go with their fact.
            let facts = session.run("DELETE FROM facts WHERE source_id = $1", &[source_id.into()]).await?;
            for statement in [
                "DELETE FROM rejects WHERE source_id = $1",
                "DELETE FROM missing_facts WHERE source_id = $1",
                "DELETE FROM source_states WHERE source_id = $1",
            ] {
                session.run(statement, &[source_id.into()]).await?;
            }
            put_run(&mut session, run).await?;
            bump_revision(&mut session).await?;
            session.commit().await?;
            self.unreadable.forget_source(source_id);
            if let StoreEngine::Sqlite(file) = &self.engine
                && let Err(error) = file.forget_deleted(Operation::RemoveSource).await
            {
                // The source is gone all the same, and its removal must not look as if it had failed.
                tracing::warn!(
                    %error, source = source_id,
                    "the store cannot be written anew, so its file may still hold what was deleted; remove the source again"
                );
            }
            Ok(usize::try_from(facts).unwrap_or(usize::MAX))
        })
        .await
    }

    /// Writes verdicts beside facts of a source, all or none, and marks its state as reviewed at `now`, so that whoever looks at states
    /// takes them up.
    ///
    /// # Errors
    /// Also when a fact is gone, or that state cannot be read.
    pub async fn decide(&self, source_id: &str, decisions: &[Decision], now: Stamp, run: &Run) -> Result<()> {
        self.write(Operation::WriteVerdict, Writes::Much, async |session| {
            for decision in decisions {
                put_verdict(session, source_id, decision).await?;
            }
            let row = session.row("SELECT state FROM source_states WHERE source_id = $1", &[source_id.into()]).await?;
            let number = put_run(session, run).await?;
            if let Some(row) = row {
                // A state that cannot be read is not written over: its next sync does that, and the verdict can wait for it.
                let mut state: SourceState = parse_json("source state", row.get(0)?)?;
                if !state.changed.is_empty() {
                    let mark = ChangeMark { run: number, at: run.started_at };
                    state.changed.extend(decisions.iter().map(|decision| (decision.kind, mark)));
                }
                let reviews = state.reviews + 1;
                let state = json(&SourceState { reviewed_at: Some(now), reviews, ..state })?;
                let values = [source_id.into(), (&state).into()];
                session.run("UPDATE source_states SET state = $2 WHERE source_id = $1", &values).await?;
            }
            bump_revision(session).await
        })
        .await
    }
}

async fn put_verdict(session: &mut Session, source_id: &str, decision: &Decision) -> Result<()> {
    let sql = concat!(
        "SELECT ",
        fact_columns!(),
        ", b.content FROM facts f JOIN standings s ON s.fact_id = f.id LEFT JOIN bodies b ON b.fact_id = f.id \
         WHERE f.source_id = $1 AND f.kind = $2 AND f.key = $3"
    );
    let values = [source_id.into(), decision.kind.singular().into(), (&decision.key).into()];
    let found = session
        .row(sql, &values)
        .await?
        .ok_or_else(|| StoreError::value("fact", &format!("`{}` of {source_id} is gone", decision.key)))?;
    let mut row = fact_row(&found)?;
    let mut pending: Vec<PendingPrice> = parse_json("pending", &row.pending)?;
    match pending.iter_mut().find(|known| known.path == decision.path) {
        Some(known) => known.verdict = Some(decision.verdict),
        None => pending.push(PendingPrice {
            path: decision.path.clone(),
            before: None,
            since: Stamp(row.first_seen_at),
            verdict: Some(decision.verdict),
        }),
    }
    row.pending = json(&pending)?;
    let body = found.get::<Option<&[u8]>>(FACT_COLUMNS)?.map(unpack).transpose()?;
    let hash = statement_hash(&row, body.as_deref())?;
    let values = [row.id.into(), (&row.pending).into(), (&hash).into()];
    session.run("UPDATE facts SET pending = $2, statement_hash = $3 WHERE id = $1", &values).await.map(drop)
}
