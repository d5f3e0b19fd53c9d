//! What a sync writes: a good pass in one transaction, or the note of a run that brought nothing new.
//!
//! Facts go out many to a statement: new ones in [`new_facts`], changed, returned and vanished ones in [`changes`]. What a source has beside
//! them is in [`states`], what operators and imports write in [`operators`] and [`restore`].

mod changes;
mod missing;
mod new_facts;
mod operators;
mod restore;
mod states;

use std::collections::{BTreeMap, BTreeSet};

use refdesk_core::{Kind, StaleReason, Stamp};

pub use restore::Restore;

use self::changes::Changes;
use self::missing::{forget_missing, put_missing, refuse_removed};
use self::new_facts::NewFacts;
use self::states::{merged_rejects, put_run, put_state, replace_rejects};
use super::cluster::bump_revision;
use super::error::StoreError;
use super::sql::row::{basis_word, json, kind_of};
use super::sql::{FACT, Session, Unreadable};
use super::{
    Effect, FactContents, FactRow, PreparedFact, Result, Run, SourceState, Store, SyncCommit, SyncCounts, SyncNote,
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

impl Store {
    /// Writes a good pass, all or nothing. New facts come in, changed ones keep `first_seen_at`, equal ones get new times, facts that
    /// are not in the pass get `removed_at`, or are held back as `parse_failed` when their key is among the rejects.
    pub async fn commit_sync(&self, commit: &SyncCommit) -> Result<SyncCounts> {
        self.noted(self.commit_pass(commit)).await
    }

    async fn commit_pass(&self, commit: &SyncCommit) -> Result<SyncCounts> {
        let mut session = self.writing_fenced(DOING).await?;
        refuse_removed(&mut session, &commit.source_id, commit.state.runs_seen).await?;
        let held = held_facts(&mut session, &commit.source_id, &self.unreadable).await?;
        if !commit.partial {
            confirm_all(&mut session, &commit.source_id, commit.now, true).await?;
            if commit.new_bytes {
                restate_all(&mut session, &commit.source_id).await?;
            }
        }
        let counts = put_facts(&mut session, commit, &held).await?;
        if !commit.partial {
            forget_missing(&mut session, &commit.source_id).await?;
        }
        let rejects = if commit.partial { merged_rejects(&mut session, commit).await? } else { commit.rejects.clone() };
        replace_rejects(&mut session, &commit.source_id, &rejects).await?;
        let state = SourceState { counts: counts.clone(), ..commit.state.clone() };
        put_state(&mut session, &commit.source_id, &state, Some(&commit.validators)).await?;
        put_run(&mut session, &Run { counts: counts.clone(), ..commit.run.clone() }).await?;
        bump_revision(&mut session).await?;
        session.commit().await?;
        if !commit.partial {
            // Those that could not be read are written anew or left behind.
            self.unreadable.forget_source(&commit.source_id);
        }
        Ok(counts)
    }

    /// Records a confirmation, a failure or a quarantine. No statement changes.
    pub async fn note_sync(&self, note: &SyncNote) -> Result<()> {
        self.noted(async {
            let mut session = self.writing_fenced(DOING).await?;
            refuse_removed(&mut session, &note.source_id, note.state.runs_seen).await?;
            let mut validators = None;
            match &note.effect {
                Effect::None => {}
                Effect::ForgetMissing => forget_missing(&mut session, &note.source_id).await?,
                Effect::Confirm { at, synced, validators: new } => {
                    confirm_all(&mut session, &note.source_id, *at, *synced).await?;
                    forget_missing(&mut session, &note.source_id).await?;
                    validators = new.as_ref();
                }
                Effect::HoldBack(reason) => hold_back(&mut session, &note.source_id, *reason).await?,
                Effect::Quarantine { missing, at } => {
                    hold_back(&mut session, &note.source_id, StaleReason::Quarantined).await?;
                    put_missing(&mut session, &note.source_id, missing, *at).await?;
                }
            }
            put_state(&mut session, &note.source_id, &note.state, validators).await?;
            put_run(&mut session, &note.run).await?;
            bump_revision(&mut session).await?;
            session.commit().await
        })
        .await
    }
}

/// Writes the facts of a pass and what became of those before it.
async fn put_facts(session: &mut Session, commit: &SyncCommit, held: &HeldFacts) -> Result<SyncCounts> {
    let mut counts = SyncCounts {
        facts: commit.facts.len(),
        rejects: commit.rejects.len(),
        pending: commit.facts.iter().map(|fact| fact.pending.len()).sum(),
        ..commit.run.counts.clone()
    };
    let mut seen = BTreeSet::new();
    let mut new = NewFacts::default();
    let mut changes = Changes::default();
    for fact in &commit.facts {
        let Some(before) = held.get(&(fact.kind, fact.key.clone())) else {
            new.add(session, new_row(commit, fact)?, contents(fact)).await?;
            counts.added += 1;
            continue;
        };
        seen.insert(before.id);
        let is_changed = before.is_unreadable || before.statement_hash != fact.statement_hash;
        if is_changed {
            changes.replace(before.id, fact)?;
        } else if before.without_record {
            changes.give_contents(before.id, fact);
        }
        if commit.partial || before.removed || is_changed {
            let at = fact.checked_on.unwrap_or(commit.now);
            let changed_at = (before.removed || before.statement_hash != fact.statement_hash).then_some(commit.now);
            changes.stand(before.id, at, fact.checked_on, commit.new_bytes, changed_at);
        }
        changes.write_if_many(session).await?;
        match (before.removed, is_changed) {
            (true, _) => counts.added += 1,
            (false, false) => counts.unchanged += 1,
            (false, true) => counts.changed += 1,
        }
    }
    new.write(session).await?;
    let rejected: BTreeSet<&str> = commit.rejects.iter().map(|reject| reject.key.as_str()).collect();
    let unnamed = held.iter().filter(|(_, before)| !before.removed && !seen.contains(&before.id));
    for ((_, key), before) in unnamed {
        let still_listed = rejected.contains(key.as_str());
        if commit.partial && !still_listed {
            continue;
        }
        counts.removed += usize::from(!still_listed);
        changes.leave_behind(before, still_listed, commit.now);
    }
    changes.write(session).await?;
    Ok(counts)
}

/// The live facts of a source are held back for a reason.
async fn hold_back(session: &mut Session, source_id: &str, reason: StaleReason) -> Result<()> {
    session
        .run(
            "UPDATE standings SET held_back = $2 WHERE source_id = $1 AND removed_at IS NULL",
            &[source_id.into(), reason.as_str().into()],
        )
        .await
        .map(drop)
}

async fn held_facts(session: &mut Session, source_id: &str, unreadable: &Unreadable) -> Result<HeldFacts> {
    let at = StoreError::at(DOING);
    let rows = session
        .rows(
            "SELECT f.id, f.kind, f.key, f.statement_hash, s.removed_at, s.last_synced_at, s.last_verified_at, r.fact_id \
             FROM facts f JOIN standings s ON s.fact_id = f.id LEFT JOIN records r ON r.fact_id = f.id WHERE f.source_id = $1",
            &[source_id.into()],
        )
        .await?;
    let mut held = HeldFacts::new();
    for row in rows {
        let id = row.int(0).map_err(&at)?;
        let known = || -> Result<((Kind, String), Held)> {
            let before = Held {
                id,
                statement_hash: row.string(3).map_err(&at)?,
                removed: row.int_if_any(4).map_err(&at)?.is_some(),
                last_synced_at: row.int(5).map_err(&at)?,
                last_verified_at: row.int_if_any(6).map_err(&at)?,
                without_record: row.int_if_any(7).map_err(&at)?.is_none(),
                is_unreadable: unreadable.has_fact(id),
            };
            Ok(((kind_of(row.text(1).map_err(&at)?)?, row.string(2).map_err(&at)?), before))
        };
        match known() {
            Ok((key, before)) => drop(held.insert(key, before)),
            error @ Err(_) => drop(unreadable.pass_over(FACT, source_id, &id.to_string(), error)),
        }
    }
    Ok(held)
}

/// New times for all live facts of a source in one statement; hand-written cards keep the date on which they were checked.
async fn confirm_all(session: &mut Session, source_id: &str, now: Stamp, synced: bool) -> Result<()> {
    let sql = if synced {
        "UPDATE standings SET last_verified_at = COALESCE(checked_on, $2), last_synced_at = COALESCE(checked_on, $2), held_back = NULL \
         WHERE source_id = $1 AND removed_at IS NULL"
    } else {
        "UPDATE standings SET last_verified_at = COALESCE(checked_on, $2), held_back = NULL \
         WHERE source_id = $1 AND removed_at IS NULL \
         AND (held_back IS NULL OR held_back <> 'parse_failed' OR NOT EXISTS \
             (SELECT 1 FROM rejects r JOIN facts f ON f.source_id = r.source_id AND f.key = r.key WHERE f.id = standings.fact_id))"
    };
    session.run(sql, &[source_id.into(), now.0.into()]).await.map(drop)
}

/// All live facts of a source were listed by two states of its bytes; those that the pass does not list are taken out after this.
async fn restate_all(session: &mut Session, source_id: &str) -> Result<()> {
    session
        .run(
            "UPDATE standings SET restated = 1 WHERE source_id = $1 AND restated = 0 AND removed_at IS NULL",
            &[source_id.into()],
        )
        .await
        .map(drop)
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
        hash_basis: basis_word(fact.hash_basis).to_owned(),
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
        changed_at: Some(commit.now.0),
    })
}

fn contents(fact: &PreparedFact) -> FactContents {
    FactContents { record: fact.record.clone(), body: fact.body.clone(), text: fact.text.clone() }
}
