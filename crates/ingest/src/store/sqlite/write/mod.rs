//! What a sync writes: a good pass in one transaction, or the note of a run that brought nothing new.

mod missing;
mod new_facts;
mod restore;
mod transaction;

use std::collections::{BTreeMap, BTreeSet};

use refdesk_core::{Kind, Reject, StaleReason, Stamp};
use sqlx::Row;

use self::missing::{forget_missing, put_missing, refuse_removed};
use self::new_facts::NewFacts;
use super::row::{json, kind_of};
use super::unreadable::{FACT, Unreadable};

use super::{SqliteStore, put_contents};

pub use self::restore::SqliteRestore;
pub(in crate::store) use self::transaction::Writing;

use crate::store::error::StoreError;
use crate::store::{
    Effect, FactContents, FactRow, PreparedFact, RUNS_MAX, Result, Run, SourceState, SyncCommit, SyncCounts, SyncNote,
    Validators,
};

const DOING: &str = "writing a sync";

/// What the store holds of a fact before a sync.
struct Held {
    id: i64,
    statement_hash: String,
    removed: bool,
    last_synced_at: i64,
    last_verified_at: Option<i64>,
    /// It came by an archive that left its contents out.
    without_record: bool,
    /// It could not be read, so it is written anew whatever it states.
    is_unreadable: bool,
}

type HeldFacts = BTreeMap<(Kind, String), Held>;

impl SqliteStore {
    pub(in crate::store) async fn commit_sync(&self, commit: &SyncCommit) -> Result<SyncCounts> {
        let mut tx = self.begin(DOING).await?;
        refuse_removed(&mut tx, &commit.source_id, commit.state.runs_seen).await?;
        let held = held_facts(&mut tx, &commit.source_id, &self.unreadable).await?;
        let mut counts = SyncCounts {
            facts: commit.facts.len(),
            rejects: commit.rejects.len(),
            pending: commit.facts.iter().map(|fact| fact.pending.len()).sum(),
            ..commit.run.counts.clone()
        };
        if !commit.partial {
            confirm_all(&mut tx, &commit.source_id, commit.now, true).await?;
            if commit.new_bytes {
                restate_all(&mut tx, &commit.source_id).await?;
            }
        }
        let mut seen = BTreeSet::new();
        let mut new = NewFacts::default();
        for fact in &commit.facts {
            match held.get(&(fact.kind, fact.key.clone())) {
                None => {
                    new.add(&mut tx, new_row(commit, fact)?, contents(fact)).await?;
                    counts.added += 1;
                }
                Some(before) => {
                    seen.insert(before.id);
                    let is_changed = before.is_unreadable || before.statement_hash != fact.statement_hash;
                    if is_changed {
                        replace(&mut tx, before.id, fact).await?;
                    } else if before.without_record {
                        put_contents(&mut tx, before.id, &contents(fact)).await?;
                    }
                    if commit.partial || before.removed || is_changed {
                        stand(&mut tx, before.id, commit, fact.checked_on).await?;
                    }
                    match (before.removed, is_changed) {
                        (true, _) => counts.added += 1,
                        (false, false) => counts.unchanged += 1,
                        (false, true) => counts.changed += 1,
                    }
                }
            }
        }
        new.write(&mut tx).await?;
        let rejected: BTreeSet<&str> = commit.rejects.iter().map(|reject| reject.key.as_str()).collect();
        let unnamed = held.iter().filter(|(_, before)| !before.removed && !seen.contains(&before.id));
        for ((_, key), before) in unnamed {
            if commit.partial && !rejected.contains(key.as_str()) {
                continue;
            }
            let still_listed = rejected.contains(key.as_str());
            counts.removed += usize::from(!still_listed);
            leave_behind(&mut tx, before, still_listed, commit.now).await?;
        }
        if !commit.partial {
            forget_missing(&mut tx, &commit.source_id).await?;
        }
        let rejects = if commit.partial { merged_rejects(&mut tx, commit).await? } else { commit.rejects.clone() };
        replace_rejects(&mut tx, &commit.source_id, &rejects).await?;
        let state = SourceState { counts: counts.clone(), ..commit.state.clone() };
        put_state(&mut tx, &commit.source_id, &state, Some(&commit.validators)).await?;
        put_run(&mut tx, &Run { counts: counts.clone(), ..commit.run.clone() }).await?;
        tx.commit().await?;
        if !commit.partial {
            // Those that could not be read are written anew or left behind.
            self.unreadable.forget_source(&commit.source_id);
        }
        Ok(counts)
    }

    pub(in crate::store) async fn note_sync(&self, note: &SyncNote) -> Result<()> {
        let mut tx = self.begin(DOING).await?;
        refuse_removed(&mut tx, &note.source_id, note.state.runs_seen).await?;
        let mut validators = None;
        match &note.effect {
            Effect::None => {}
            Effect::ForgetMissing => forget_missing(&mut tx, &note.source_id).await?,
            Effect::Confirm { at, synced, validators: new } => {
                confirm_all(&mut tx, &note.source_id, *at, *synced).await?;
                forget_missing(&mut tx, &note.source_id).await?;
                validators = new.as_ref();
            }
            Effect::HoldBack(reason) => hold_back(&mut tx, &note.source_id, *reason).await?,
            Effect::Quarantine { missing, at } => {
                hold_back(&mut tx, &note.source_id, StaleReason::Quarantined).await?;
                put_missing(&mut tx, &note.source_id, missing, *at).await?;
            }
        }
        put_state(&mut tx, &note.source_id, &note.state, validators).await?;
        put_run(&mut tx, &note.run).await?;
        tx.commit().await
    }
}

/// The live facts of a source are held back for a reason.
async fn hold_back(tx: &mut Writing, source_id: &str, reason: StaleReason) -> Result<()> {
    sqlx::query("UPDATE standings SET held_back = $2 WHERE source_id = $1 AND removed_at IS NULL")
        .bind(source_id)
        .bind(reason.as_str())
        .execute(&mut **tx)
        .await
        .map(drop)
        .map_err(StoreError::at(DOING))
}

async fn held_facts(tx: &mut Writing, source_id: &str, unreadable: &Unreadable) -> Result<HeldFacts> {
    let at = StoreError::at(DOING);
    let rows = sqlx::query(
        "SELECT f.id, f.kind, f.key, f.statement_hash, s.removed_at, s.last_synced_at, s.last_verified_at, r.fact_id \
         FROM facts f JOIN standings s ON s.fact_id = f.id LEFT JOIN records r ON r.fact_id = f.id WHERE f.source_id = $1",
    )
    .bind(source_id)
    .fetch_all(&mut **tx)
    .await
    .map_err(&at)?;
    let mut held = HeldFacts::new();
    for row in rows {
        let id: i64 = row.try_get(0).map_err(&at)?;
        let known = || -> Result<((Kind, String), Held)> {
            let before = Held {
                id,
                statement_hash: row.try_get(3).map_err(&at)?,
                removed: row.try_get::<Option<i64>, _>(4).map_err(&at)?.is_some(),
                last_synced_at: row.try_get(5).map_err(&at)?,
                last_verified_at: row.try_get(6).map_err(&at)?,
                without_record: row.try_get::<Option<i64>, _>(7).map_err(&at)?.is_none(),
                is_unreadable: unreadable.has_fact(id),
            };
            Ok(((kind_of(row.try_get::<&str, _>(1).map_err(&at)?)?, row.try_get(2).map_err(&at)?), before))
        };
        match known() {
            Ok((key, before)) => drop(held.insert(key, before)),
            error @ Err(_) => drop(unreadable.pass_over(FACT, source_id, &id.to_string(), error)),
        }
    }
    Ok(held)
}

/// New times for all live facts of a source in one statement; hand-written cards keep the date on which they were checked.
async fn confirm_all(tx: &mut Writing, source_id: &str, now: Stamp, synced: bool) -> Result<()> {
    let query = if synced {
        "UPDATE standings SET last_verified_at = COALESCE(checked_on, $2), last_synced_at = COALESCE(checked_on, $2), held_back = NULL \
         WHERE source_id = $1 AND removed_at IS NULL"
    } else {
        "UPDATE standings SET last_verified_at = COALESCE(checked_on, $2), held_back = NULL \
         WHERE source_id = $1 AND removed_at IS NULL \
         AND (held_back IS NULL OR held_back <> 'parse_failed' OR NOT EXISTS \
             (SELECT 1 FROM rejects r JOIN facts f ON f.source_id = r.source_id AND f.key = r.key WHERE f.id = standings.fact_id))"
    };
    sqlx::query(query).bind(source_id).bind(now.0).execute(&mut **tx).await.map(drop).map_err(StoreError::at(DOING))
}

/// All live facts of a source were listed by two states of its bytes; those that the pass does not list are taken out after this.
async fn restate_all(tx: &mut Writing, source_id: &str) -> Result<()> {
    sqlx::query("UPDATE standings SET restated = 1 WHERE source_id = $1 AND restated = 0 AND removed_at IS NULL")
        .bind(source_id)
        .execute(&mut **tx)
        .await
        .map(drop)
        .map_err(StoreError::at(DOING))
}

/// A fact that the store does not have yet, as a row of it.
fn new_row(commit: &SyncCommit, fact: &PreparedFact) -> Result<FactRow> {
    let taken = fact.checked_on.unwrap_or(commit.now);
    Ok(FactRow {
        id: 0,
        source_id: commit.source_id.clone(),
        kind: fact.kind.singular().to_owned(),
        key: fact.key.clone(),
        head: fact.head.clone(),
        fields: json(&fact.fields)?,
        identity: fact.identity.clone(),
        pending: json(&fact.pending)?,
        source_url: fact.source_url.clone(),
        provenance: fact.provenance.clone(),
        content_hash: fact.content_hash.clone(),
        hash_basis: super::row::basis_word(fact.hash_basis).to_owned(),
        body_state: fact.body_state.as_str().to_owned(),
        body_missing: fact.body_missing.clone(),
        statement_hash: fact.statement_hash.clone(),
        first_seen_at: commit.now.0,
        last_synced_at: taken.0,
        last_verified_at: Some(taken.0),
        removed_at: None,
        held_back: None,
        checked_on: fact.checked_on.map(|at| at.0),
        restated: 0,
    })
}

async fn replace(tx: &mut Writing, id: i64, fact: &PreparedFact) -> Result<()> {
    let at = StoreError::at(DOING);
    sqlx::query(
        "UPDATE facts SET head = $2, fields = $3, identity = $4, pending = $5, source_url = $6, provenance = $7, content_hash = $8, \
         hash_basis = $9, body_state = $10, body_missing = $11, statement_hash = $12 WHERE id = $1",
    )
    .bind(id)
    .bind(fact.head.as_str())
    .bind(json(&fact.fields)?)
    .bind(fact.identity.as_str())
    .bind(json(&fact.pending)?)
    .bind(fact.source_url.as_str())
    .bind(fact.provenance.as_str())
    .bind(fact.content_hash.as_str())
    .bind(super::row::basis_word(fact.hash_basis))
    .bind(fact.body_state.as_str())
    .bind(fact.body_missing.as_deref())
    .bind(fact.statement_hash.as_str())
    .execute(&mut **tx)
    .await
    .map_err(&at)?;
    if fact.body.is_none() {
        sqlx::query("DELETE FROM bodies WHERE fact_id = $1").bind(id).execute(&mut **tx).await.map_err(&at)?;
    }
    if fact.text.is_none() {
        sqlx::query("DELETE FROM texts WHERE fact_id = $1").bind(id).execute(&mut **tx).await.map_err(&at)?;
    }
    put_contents(tx, id, &contents(fact)).await
}

fn contents(fact: &PreparedFact) -> FactContents {
    FactContents { record: fact.record.clone(), body: fact.body.clone(), text: fact.text.clone() }
}

/// The times of a fact that changed or came back.
async fn stand(tx: &mut Writing, id: i64, commit: &SyncCommit, checked_on: Option<Stamp>) -> Result<()> {
    sqlx::query(
        "UPDATE standings SET last_synced_at = $2, last_verified_at = $2, removed_at = NULL, held_back = NULL, checked_on = $3, \
         restated = MAX(restated, $4) WHERE fact_id = $1",
    )
    .bind(id)
    .bind(checked_on.unwrap_or(commit.now).0)
    .bind(checked_on.map(|at| at.0))
    .bind(i64::from(commit.new_bytes))
    .execute(&mut **tx)
    .await
    .map(drop)
    .map_err(StoreError::at(DOING))
}

/// A fact that the pass did not bring: removed, or still listed in a form that could not be read. Its times stay as they were.
async fn leave_behind(tx: &mut Writing, before: &Held, still_listed: bool, now: Stamp) -> Result<()> {
    sqlx::query(
        "UPDATE standings SET last_synced_at = $2, last_verified_at = $3, removed_at = $4, held_back = $5 WHERE fact_id = $1",
    )
    .bind(before.id)
    .bind(before.last_synced_at)
    .bind(before.last_verified_at)
    .bind((!still_listed).then_some(now.0))
    .bind(still_listed.then_some(refdesk_core::StaleReason::ParseFailed.as_str()))
    .execute(&mut **tx)
    .await
    .map(drop)
    .map_err(StoreError::at(DOING))
}

pub(super) async fn replace_rejects(tx: &mut Writing, source_id: &str, rejects: &[Reject]) -> Result<()> {
    let at = StoreError::at(DOING);
    sqlx::query("DELETE FROM rejects WHERE source_id = $1").bind(source_id).execute(&mut **tx).await.map_err(&at)?;
    for (position, reject) in (0_i64..).zip(rejects) {
        sqlx::query("INSERT INTO rejects (source_id, position, key, reason, excerpt) VALUES ($1, $2, $3, $4, $5)")
            .bind(source_id)
            .bind(position)
            .bind(reject.key.as_str())
            .bind(reject.reason.as_str())
            .bind(reject.excerpt.as_str())
            .execute(&mut **tx)
            .await
            .map_err(&at)?;
    }
    Ok(())
}

/// The rejects after a partial pass: those before, without the keys that it names, and its own.
async fn merged_rejects(tx: &mut Writing, commit: &SyncCommit) -> Result<Vec<Reject>> {
    let at = StoreError::at(DOING);
    let named: BTreeSet<&str> = commit
        .facts
        .iter()
        .map(|fact| fact.key.as_str())
        .chain(commit.rejects.iter().map(|reject| reject.key.as_str()))
        .collect();
    let rows = sqlx::query("SELECT key, reason, excerpt FROM rejects WHERE source_id = $1 ORDER BY position")
        .bind(commit.source_id.as_str())
        .fetch_all(&mut **tx)
        .await
        .map_err(&at)?;
    let mut rejects = Vec::with_capacity(rows.len() + commit.rejects.len());
    for row in rows {
        let key: String = row.try_get(0).map_err(&at)?;
        if !named.contains(key.as_str()) {
            let (reason, excerpt) = (row.try_get(1).map_err(&at)?, row.try_get(2).map_err(&at)?);
            rejects.push(Reject { key, reason, excerpt });
        }
    }
    rejects.extend(commit.rejects.iter().cloned());
    Ok(rejects)
}

async fn put_state(
    tx: &mut Writing,
    source_id: &str,
    state: &SourceState,
    validators: Option<&Validators>,
) -> Result<()> {
    let at = StoreError::at(DOING);
    // A run of our own makes an imported source ours, except when it brought nothing.
    sqlx::query(
        "INSERT INTO source_states (source_id, state, validators, imported) VALUES ($1, $2, $3, 0) \
         ON CONFLICT (source_id) DO UPDATE SET state = excluded.state",
    )
    .bind(source_id)
    .bind(json(state)?)
    .bind(json(validators.unwrap_or(&Validators::default()))?)
    .execute(&mut **tx)
    .await
    .map_err(&at)?;
    if let Some(validators) = validators {
        sqlx::query("UPDATE source_states SET validators = $2, imported = 0, info = NULL WHERE source_id = $1")
            .bind(source_id)
            .bind(json(validators)?)
            .execute(&mut **tx)
            .await
            .map_err(&at)?;
    }
    Ok(())
}

pub(super) async fn put_run(tx: &mut Writing, run: &Run) -> Result<()> {
    let at = StoreError::at(DOING);
    sqlx::query("INSERT INTO runs (source_id, started_at, run) VALUES ($1, $2, $3)")
        .bind(run.source_id.as_str())
        .bind(run.started_at.0)
        .bind(json(run)?)
        .execute(&mut **tx)
        .await
        .map_err(&at)?;
    sqlx::query(
        "DELETE FROM runs WHERE source_id = $1 AND id NOT IN \
         (SELECT id FROM runs WHERE source_id = $1 ORDER BY id DESC LIMIT $2)",
    )
    .bind(run.source_id.as_str())
    .bind(RUNS_MAX)
    .execute(&mut **tx)
    .await
    .map(drop)
    .map_err(&at)
}
