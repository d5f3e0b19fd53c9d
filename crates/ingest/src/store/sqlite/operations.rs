//! What operators do: look at a record by its number, take a source away, decide on a withheld value, note it in the history.

use refdesk_core::fact::PendingPrice;
use refdesk_core::{Kind, Stamp};
use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use super::SqliteStore;
use super::row::{basis_of, json, kind_of, parse_json, withheld_of};
use super::write::Writing;
use super::write::put_run;
use crate::store::error::StoreError;
use crate::store::pack::unpack;
use crate::store::prepare::{Statement, timeless_text};
use crate::store::{Decision, MissingFact, RecordAt, Result, Run, SourceState, StoredRecord};

const REVIEWING: &str = "writing a verdict";
const REMOVING: &str = "removing a source";

impl SqliteStore {
    pub(in crate::store) async fn record_at(&self, row: i64) -> Result<Option<RecordAt>> {
        let at = StoreError::at("reading a record");
        let found = sqlx::query(
            "SELECT f.source_id, f.kind, f.key, f.provenance, f.hash_basis, f.content_hash, r.content \
             FROM facts f LEFT JOIN records r ON r.fact_id = f.id WHERE f.id = $1",
        )
        .bind(row)
        .fetch_optional(&self.reader)
        .await
        .map_err(&at)?;
        let Some(row) = found else { return Ok(None) };
        let content: Option<&[u8]> = row.try_get(6).map_err(&at)?;
        let withheld = withheld_of(row.try_get::<&str, _>(3).map_err(&at)?)?;
        let record = match content {
            Some(content) => Some(StoredRecord {
                bytes: unpack(content)?,
                hash_basis: basis_of(row.try_get::<&str, _>(4).map_err(&at)?)?,
                content_hash: row.try_get(5).map_err(&at)?,
                withheld,
            }),
            None => None,
        };
        Ok(Some(RecordAt {
            source_id: row.try_get(0).map_err(&at)?,
            kind: kind_of(row.try_get::<&str, _>(1).map_err(&at)?)?,
            key: row.try_get(2).map_err(&at)?,
            withheld,
            record,
        }))
    }

    pub(in crate::store) async fn kinds_of(&self, source_id: &str) -> Result<Vec<Kind>> {
        let words: Vec<String> =
            sqlx::query_scalar("SELECT DISTINCT kind FROM facts WHERE source_id = $1 ORDER BY kind")
                .bind(source_id)
                .fetch_all(&self.reader)
                .await
                .map_err(StoreError::at("reading kinds"))?;
        let known = words.iter().filter_map(|word| {
            self.unreadable.pass_over("kind", source_id, &format!("{source_id}/{word}"), kind_of(word))
        });
        Ok(known.collect())
    }

    pub(in crate::store) async fn missing_facts(&self, source_id: &str) -> Result<Vec<MissingFact>> {
        let at = StoreError::at("reading missing facts");
        let rows = sqlx::query("SELECT kind, key, since FROM missing_facts WHERE source_id = $1 ORDER BY kind, key")
            .bind(source_id)
            .fetch_all(&self.reader)
            .await
            .map_err(&at)?;
        let read = |row: &SqliteRow| {
            Ok(MissingFact {
                kind: kind_of(row.try_get::<&str, _>(0).map_err(&at)?)?,
                key: row.try_get(1).map_err(&at)?,
                since: Stamp(row.try_get(2).map_err(&at)?),
            })
        };
        let known = rows.iter().enumerate().filter_map(|(at, row)| {
            self.unreadable.pass_over("missing fact", source_id, &format!("{source_id}/{at}"), read(row))
        });
        Ok(known.collect())
    }

    pub(in crate::store) async fn note_run(&self, run: &Run) -> Result<()> {
        let doing = "noting a run";
        let mut tx = self.begin(doing).await?;
        put_run(&mut tx, run).await?;
        tx.commit().await
    }

    /// Takes away all that a source has but its runs, and tells how many facts that were. What is deleted is overwritten in the file.
    pub(in crate::store) async fn remove_source(&self, source_id: &str, run: &Run) -> Result<usize> {
        let at = StoreError::at(REMOVING);
        let mut tx = self.begin_durably(REMOVING).await?;
        sqlx::query("PRAGMA secure_delete = ON").execute(&mut *tx).await.map_err(&at)?;
        // Standings and contents go with their fact.
        let facts = sqlx::query("DELETE FROM facts WHERE source_id = $1")
            .bind(source_id)
            .execute(&mut *tx)
            .await
            .map_err(&at)?
            .rows_affected();
        for statement in [
            "DELETE FROM rejects WHERE source_id = $1",
            "DELETE FROM missing_facts WHERE source_id = $1",
            "DELETE FROM source_states WHERE source_id = $1",
        ] {
            sqlx::query(statement).bind(source_id).execute(&mut *tx).await.map_err(&at)?;
        }
        put_run(&mut tx, run).await?;
        tx.commit().await?;
        self.unreadable.forget_source(source_id);
        // The journal still has the old pages; while somebody reads them, it is cut later by itself.
        sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").execute(&self.writer).await.map_err(&at)?;
        Ok(usize::try_from(facts).unwrap_or(usize::MAX))
    }

    /// Writes verdicts beside the facts they are on, and moves the source's state, so that whoever looks at states takes them up.
    pub(in crate::store) async fn decide(
        &self,
        source_id: &str,
        decisions: &[Decision],
        now: Stamp,
        run: &Run,
    ) -> Result<()> {
        let at = StoreError::at(REVIEWING);
        let mut tx = self.begin(REVIEWING).await?;
        for decision in decisions {
            put_verdict(&mut tx, source_id, decision).await?;
        }
        let state: Option<String> = sqlx::query_scalar("SELECT state FROM source_states WHERE source_id = $1")
            .bind(source_id)
            .fetch_optional(&mut *tx)
            .await
            .map_err(&at)?;
        let state = state.map(|text| parse_json("source state", &text));
        let state: SourceState = state
            .and_then(|read| self.unreadable.pass_over("source state", source_id, source_id, read))
            .unwrap_or_default();
        let reviews = state.reviews + 1;
        let state = SourceState { reviewed_at: Some(now), reviews, ..state };
        sqlx::query("UPDATE source_states SET state = $2 WHERE source_id = $1")
            .bind(source_id)
            .bind(json(&state)?)
            .execute(&mut *tx)
            .await
            .map_err(&at)?;
        put_run(&mut tx, run).await?;
        tx.commit().await
    }
}

async fn put_verdict(tx: &mut Writing, source_id: &str, decision: &Decision) -> Result<()> {
    let at = StoreError::at(REVIEWING);
    let row = sqlx::query(
        "SELECT f.id, f.head, f.fields, f.identity, f.pending, f.source_url, f.provenance, f.content_hash, f.body_state, \
         f.body_missing, s.checked_on, s.first_seen_at, b.content \
         FROM facts f JOIN standings s ON s.fact_id = f.id LEFT JOIN bodies b ON b.fact_id = f.id \
         WHERE f.source_id = $1 AND f.kind = $2 AND f.key = $3",
    )
    .bind(source_id)
    .bind(decision.kind.singular())
    .bind(decision.key.as_str())
    .fetch_optional(&mut **tx)
    .await
    .map_err(&at)?
    .ok_or_else(|| StoreError::value("fact", &format!("`{}` of {source_id} is gone", decision.key)))?;
    let text = |column: usize| row.try_get::<&str, _>(column).map_err(&at);
    let mut pending: Vec<PendingPrice> = parse_json("pending", text(4)?)?;
    match pending.iter_mut().find(|known| known.path == decision.path) {
        Some(known) => known.verdict = Some(decision.verdict),
        None => pending.push(PendingPrice {
            path: decision.path.clone(),
            before: serde_json::Value::Null,
            since: Stamp(row.try_get(11).map_err(&at)?),
            verdict: Some(decision.verdict),
        }),
    }
    let pending = json(&pending)?;
    let body: Option<&[u8]> = row.try_get(12).map_err(&at)?;
    let body = body.map(unpack).transpose()?;
    let timeless = timeless_text(decision.kind, text(2)?)?;
    let statement = Statement {
        head: text(1)?,
        fields: timeless.as_deref().unwrap_or(text(2)?),
        identity: text(3)?,
        pending: &pending,
        source_url: text(5)?,
        provenance: text(6)?,
        content_hash: text(7)?,
        body_state: text(8)?,
        body_missing: row.try_get(9).map_err(&at)?,
        body: body.as_deref(),
        checked_on: row.try_get::<Option<i64>, _>(10).map_err(&at)?.map(Stamp),
    };
    sqlx::query("UPDATE facts SET pending = $2, statement_hash = $3 WHERE id = $1")
        .bind(row.try_get::<i64, _>(0).map_err(&at)?)
        .bind(pending.as_str())
        .bind(statement.hash())
        .execute(&mut **tx)
        .await
        .map(drop)
        .map_err(&at)
}
