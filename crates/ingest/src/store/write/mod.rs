//! What a sync writes: a good pass in one transaction, or the note of a run that brought nothing new.
//!
//! Facts go out many to a statement: new ones in [`new_facts`], changed, returned and vanished ones in [`changes`]. What a source has beside
//! them is in [`states`], what operators and imports write in [`operators`] and [`restore`].

mod changes;
mod known;
mod missing;
mod new_facts;
mod operators;
mod restore;
mod states;

use std::borrow::Cow;
use std::collections::BTreeSet;

use refdesk_core::fact::CoveredKeys;
use refdesk_core::{Kind, StaleReason, Stamp};

pub use restore::Restore;

use self::changes::FactChanges;
use self::known::known_facts;
use self::missing::{forget_missing, put_missing, refuse_removed};
use self::new_facts::NewFacts;
use self::states::{
    Marks, forget_held_rejects, hold_rejects, kinds_over, merged_rejects, put_run, put_state, replace_rejects,
};
use super::cluster::bump_revision;
use super::sql::row::statement_number;
use super::sql::{Operation, Session, Writes};
use super::{
    Effect, FactRow, KnownFacts, PreparedFact, Result, Run, SourceState, Store, SyncCommit, SyncCounts, SyncNote,
};

impl Store {
    /// Writes a good pass, all or nothing. New facts come in, changed ones keep `first_seen_at`, equal ones get new times, facts that
    /// are not in the pass get `removed_at`, or are held back as `parse_failed` when their key is among the rejects.
    pub async fn commit_sync(&self, commit: &SyncCommit) -> Result<SyncCounts> {
        let counts = self
            .write(Operation::WriteSync, Writes::Much, async |session| self.put_pass(session, commit).await)
            .await?;
        if !commit.partial {
            // Those that could not be read are written anew or left behind.
            self.unreadable.forget_source(&commit.source_id);
        }
        Ok(counts)
    }

    async fn put_pass(&self, session: &mut Session, commit: &SyncCommit) -> Result<SyncCounts> {
        let source_id = commit.source_id.as_str();
        refuse_removed(session, source_id, commit.state.runs_seen).await?;
        let marks = Marks::read(session, source_id).await?;
        let is_known = marks.are_still(&commit.state.changed) && !self.unreadable.has_facts_of(source_id);
        let known = match commit.known.as_ref().filter(|_| is_known) {
            Some(known) => Cow::Borrowed(known),
            None => Cow::Owned(known_facts(session, source_id, commit.now, &self.unreadable).await?),
        };
        let mut changed = BTreeSet::new();
        if !commit.partial {
            let mut touched = accept_all(session, source_id).await?;
            touched += confirm_all(session, source_id, commit.now, true).await?;
            if commit.new_bytes {
                touched += restate_all(session, source_id).await?;
            }
            let live = known.0.iter().filter(|(_, known)| !known.removed).map(|((kind, _), _)| *kind);
            changed.extend(live.filter(|_| touched > 0));
        }
        let counts = put_facts(session, commit, &known, &mut changed).await?;
        if !commit.partial {
            forget_missing(session, source_id).await?;
        }
        let rejects = if commit.partial { merged_rejects(session, commit).await? } else { commit.rejects.clone() };
        replace_rejects(session, source_id, &rejects).await?;
        let run = Run { counts: counts.clone(), ..commit.run.clone() };
        let number = put_run(session, &run).await?;
        if marks.is_empty() {
            // The first marks name all kinds, so that one without a mark has no facts.
            changed.extend(known.0.keys().map(|(kind, _)| *kind));
        }
        let state = SourceState {
            counts: counts.clone(),
            changed: marks.with(changed, number, run.started_at),
            ..commit.state.clone()
        };
        put_state(session, source_id, &state, Some(&commit.validators)).await?;
        bump_revision(session).await?;
        Ok(counts)
    }

    /// Records a confirmation, a failure or a quarantine. No statement changes.
    pub async fn note_sync(&self, note: &SyncNote) -> Result<()> {
        self.write(Operation::WriteSync, Writes::Much, async |session| {
            let source_id = note.source_id.as_str();
            refuse_removed(session, source_id, note.state.runs_seen).await?;
            let marks = Marks::read(session, source_id).await?;
            let mut validators = None;
            let touched = match &note.effect {
                Effect::None => 0,
                Effect::ForgetMissing => {
                    forget_missing(session, source_id).await?;
                    0
                }
                Effect::Confirm { at, synced, validators: new } => {
                    forget_missing(session, source_id).await?;
                    forget_held_rejects(session, source_id).await?;
                    validators = new.as_ref();
                    confirm_all(session, source_id, *at, *synced).await?
                }
                Effect::HoldBack(reason) => hold_back(session, source_id, *reason).await?,
                Effect::Quarantine { missing, rejects, at } => {
                    put_missing(session, source_id, missing, *at).await?;
                    hold_rejects(session, source_id, rejects).await?;
                    hold_back(session, source_id, StaleReason::Quarantined).await?
                }
            };
            let changed = if touched > 0 { kinds_over(session, source_id).await? } else { Vec::new() };
            let number = put_run(session, &note.run).await?;
            let state = SourceState { changed: marks.with(changed, number, note.run.started_at), ..note.state.clone() };
            put_state(session, source_id, &state, validators).await?;
            bump_revision(session).await
        })
        .await
    }
}

/// Writes the facts of a pass and what became of those before it; the kinds of all that is written come to `changed`.
async fn put_facts(
    session: &mut Session,
    commit: &SyncCommit,
    known: &KnownFacts,
    changed: &mut BTreeSet<Kind>,
) -> Result<SyncCounts> {
    let mut counts = SyncCounts {
        facts: commit.facts.len(),
        rejects: commit.rejects.len(),
        pending: commit.facts.iter().map(|fact| fact.pending).sum(),
        ..commit.run.counts.clone()
    };
    let mut seen = BTreeSet::new();
    let mut new = NewFacts::default();
    let mut changes = FactChanges::default();
    for fact in &commit.facts {
        let Some(before) = known.0.get(&(fact.kind, fact.row.key.clone())) else {
            changed.insert(fact.kind);
            new.add(session, new_row(commit, fact), fact.contents.clone()).await?;
            counts.added += 1;
            continue;
        };
        seen.insert(before.row);
        let is_changed = before.statement.is_none_or(|known| statement_number(&fact.row.statement_hash) != Some(known));
        if is_changed {
            changes.replace(before.row, fact);
        } else if before.without_record {
            changes.give_contents(before.row, fact);
        }
        // A row from when the time of a sync stood for a card's missing date, or one that an archive brought without a time.
        let verified = fact.verified_at(commit.now);
        let is_misdated = verified.is_none() != before.last_verified_at.is_none();
        if commit.partial || before.removed || is_changed || is_misdated {
            let changed_at = (before.removed || is_changed).then_some(commit.now);
            changes.stand(before.row, fact, commit, changed_at);
            changed.insert(fact.kind);
        }
        changes.write_if_many(session).await?;
        match (before.removed, is_changed) {
            (true, _) => counts.added += 1,
            (false, false) => counts.unchanged += 1,
            (false, true) => counts.changed += 1,
        }
    }
    new.write(session).await?;
    let rejected = CoveredKeys::from_rejects(&commit.rejects);
    let unnamed = known.0.iter().filter(|(_, before)| !before.removed && !seen.contains(&before.row));
    for ((kind, key), before) in unnamed {
        let still_listed = rejected.has(key);
        if commit.partial && !still_listed {
            continue;
        }
        counts.removed += usize::from(!still_listed);
        changes.leave_behind(before, (!still_listed).then_some(commit.now));
        changed.insert(*kind);
    }
    changes.write(session).await?;
    Ok(counts)
}

/// The live facts of a source are held back for a reason; how many that are which were not.
async fn hold_back(session: &mut Session, source_id: &str, reason: StaleReason) -> Result<u64> {
    session
        .run(
            "UPDATE standings SET held_back = $2 \
             WHERE source_id = $1 AND removed_at IS NULL AND held_back IS DISTINCT FROM $2",
            &[source_id.into(), reason.as_str().into()],
        )
        .await
}

/// Takes back that entries of a source could not be read, before a pass tells which cannot be read now. How many facts that concerns.
async fn accept_all(session: &mut Session, source_id: &str) -> Result<u64> {
    session.run("UPDATE standings SET rejected = 0 WHERE source_id = $1 AND rejected <> 0", &[source_id.into()]).await
}

/// New times for all live facts of a source, and how many stand otherwise by it. Hand-written cards keep the date on which they were checked;
/// what was never verified is not by reading the same bytes again.
/// The same bytes confirm as well which entries could not be read: their facts are held back for that again, and keep their times.
async fn confirm_all(session: &mut Session, source_id: &str, now: Stamp, synced: bool) -> Result<u64> {
    let sql = if synced {
        "UPDATE standings SET last_verified_at = CASE WHEN last_verified_at IS NULL THEN checked_on ELSE COALESCE(checked_on, $2) END, \
         last_synced_at = COALESCE(checked_on, $2), held_back = NULL \
         WHERE source_id = $1 AND removed_at IS NULL AND rejected = 0 AND (held_back IS NOT NULL \
         OR last_verified_at <> COALESCE(checked_on, $2) OR last_synced_at <> COALESCE(checked_on, $2))"
    } else {
        "UPDATE standings SET last_verified_at = CASE WHEN last_verified_at IS NULL THEN checked_on ELSE COALESCE(checked_on, $2) END, \
         held_back = NULL \
         WHERE source_id = $1 AND removed_at IS NULL AND rejected = 0 \
         AND (held_back IS NOT NULL OR last_verified_at <> COALESCE(checked_on, $2))"
    };
    let confirmed = session.run(sql, &[source_id.into(), now.0.into()]).await?;
    let held_back = session
        .run(
            "UPDATE standings SET held_back = $2 \
             WHERE source_id = $1 AND removed_at IS NULL AND rejected <> 0 AND held_back IS DISTINCT FROM $2",
            &[source_id.into(), StaleReason::ParseFailed.as_str().into()],
        )
        .await?;
    Ok(confirmed + held_back)
}

/// All live facts of a source were listed by two states of its bytes; those that the pass does not list are taken out after this. How many
/// had been listed by one.
async fn restate_all(session: &mut Session, source_id: &str) -> Result<u64> {
    session
        .run(
            "UPDATE standings SET restated = 1 WHERE source_id = $1 AND restated = 0 AND removed_at IS NULL",
            &[source_id.into()],
        )
        .await
}

/// A fact that the store does not have yet, as a row of it.
fn new_row(commit: &SyncCommit, fact: &PreparedFact) -> FactRow {
    FactRow {
        source_id: commit.source_id.clone(),
        first_seen_at: commit.now.0,
        last_synced_at: fact.row.checked_on.unwrap_or(commit.now.0),
        last_verified_at: fact.verified_at(commit.now).map(|at| at.0),
        changed_at: Some(commit.now.0),
        rejected: Some(0),
        ..fact.row.clone()
    }
}
