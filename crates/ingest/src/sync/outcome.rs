//! One sync from start to end, and what it leaves behind: a commit, a confirmation, a failure or a quarantine.

use std::sync::atomic::Ordering;
use std::time::Instant;

use refdesk_core::Stamp;

use super::attempt::Attempt;
use super::pass::{self, Counters};
use super::status::ASKED_WAIT_MAX;
use super::verdict::{AttemptError, Failure, PassOutcome, PendingCommit};
use super::{EngineState, SyncReport, SyncResult};
use crate::config::{SourceConfig, Span};
use crate::fetch::FetchCode;
use crate::store::{
    Accept, Effect, Fault, Run, RunOutcome, SourceState, StoreError, SyncCommit, SyncCounts, SyncNote, Validators,
};

/// Wait after the first failure; doubles with each further one, up to the source's interval.
const FAILURE_WAIT: Span = Span::secs(60);
/// Failures after which the wait grows no more.
const FAILURE_DOUBLINGS_MAX: u32 = 12;

/// How much of the message of a failure is kept, in characters. Parts of it are what an upstream wrote.
pub const FAULT_CHARS_MAX: usize = 1_000;

pub(super) async fn sync(
    inner: &EngineState,
    source: &SourceConfig,
    accept: &Accept,
) -> Result<SyncReport, StoreError> {
    let started_at = (inner.options.clock)();
    let begun = Instant::now();
    let counters = Counters::default();
    let before = inner.store.source_state(&source.id).await?;
    let attempt = Attempt { inner, source, before: &before, accept, counters: &counters }.run().await;
    let run = Run {
        duration_ms: milliseconds_since(begun),
        bytes: counters.bytes.load(Ordering::Relaxed),
        requests: counters.requests.load(Ordering::Relaxed),
        not_modified: counters.not_modified.load(Ordering::Relaxed),
        forced: *accept != Accept::No,
        ..Run::new(&source.id, started_at, RunOutcome::Failed)
    };
    let ended = EndedAttempt { inner, source, before, run, now: (inner.options.clock)() };
    match attempt {
        Ok(PassOutcome::Confirmed { validators, synced, status }) => ended.confirm(validators, synced, status).await,
        Ok(PassOutcome::Ready(ready)) => ended.commit(*ready, begun).await,
        Err(AttemptError::Source(failure)) => ended.note_failure(*failure).await,
        Err(AttemptError::Store(error)) => Err(error),
    }
}

/// An attempt at a source that is over, before anything of it is written.
struct EndedAttempt<'a> {
    inner: &'a EngineState,
    source: &'a SourceConfig,
    before: SourceState,
    run: Run,
    now: Stamp,
}

fn milliseconds_since(begun: Instant) -> u64 {
    u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX)
}

/// The state of a source after a run that went well.
fn well(source: &SourceConfig, before: SourceState, run: &Run, now: Stamp, status: Option<u16>) -> SourceState {
    SourceState {
        last_attempt_at: Some(run.started_at),
        last_verified_at: Some(now),
        next_due_at: Some(now.plus_secs(source.interval.as_stamp_secs())),
        consecutive_failures: 0,
        http_status: status,
        error: None,
        held: None,
        ..before
    }
}

impl EndedAttempt<'_> {
    async fn confirm(
        self,
        validators: Validators,
        synced: bool,
        status: Option<u16>,
    ) -> Result<SyncReport, StoreError> {
        let Self { inner, source, before, mut run, now } = self;
        let counts =
            SyncCounts { added: 0, changed: 0, removed: 0, unchanged: before.counts.facts, ..before.counts.clone() };
        run.outcome = RunOutcome::Confirmed;
        run.counts = counts.clone();
        let state = SourceState {
            last_synced_at: if synced { Some(now) } else { before.last_synced_at },
            outcome: Some(RunOutcome::Confirmed),
            counts,
            ..well(source, before, &run, now, status)
        };
        let effect = Effect::Confirm { at: now, synced, validators: Some(validators) };
        let note = SyncNote { source_id: source.id.clone(), state, run: run.clone(), effect };
        inner.store.note_sync(&note).await?;
        Ok(SyncReport::of_run(run, SyncResult::Confirmed))
    }

    async fn commit(self, ready: PendingCommit, begun: Instant) -> Result<SyncReport, StoreError> {
        let Self { inner, source, before, mut run, now } = self;
        run.outcome = RunOutcome::Updated;
        run.counts = ready.counts;
        let state = SourceState {
            last_synced_at: Some(now),
            last_full_at: if ready.partial { before.last_full_at } else { Some(now) },
            content_hash: pass::combined_hash(&ready.validators.requests),
            outcome: Some(RunOutcome::Updated),
            ignored: ready.ignored,
            unshown: ready.unshown,
            ..well(source, before, &run, now, ready.status)
        };
        let commit = SyncCommit {
            source_id: source.id.clone(),
            now,
            facts: ready.facts,
            known: Some(ready.known),
            rejects: ready.rejects,
            validators: ready.validators,
            partial: ready.partial,
            new_bytes: ready.new_bytes,
            state,
            run: run.clone(),
        };
        run.counts = inner.store.commit_sync(&commit).await?;
        run.duration_ms = milliseconds_since(begun);
        let counts = &run.counts;
        tracing::info!(
            source = source.id,
            facts = counts.facts,
            added = counts.added,
            changed = counts.changed,
            removed = counts.removed,
            rejects = counts.rejects,
            "synced"
        );
        Ok(SyncReport::of_run(run, SyncResult::Updated))
    }

    async fn note_failure(self, failure: Failure) -> Result<SyncReport, StoreError> {
        let Self { inner, source, before, mut run, now } = self;
        // What an operator refused is not told again as new.
        let is_known = failure.held.as_ref().is_some_and(|held| held.refused);
        let fault = before.error.clone().filter(|_| is_known).unwrap_or(Fault {
            code: failure.code,
            message: refdesk_core::clean::excerpt(&failure.message, FAULT_CHARS_MAX),
            at: now,
        });
        let failures = before.consecutive_failures.saturating_add(1);
        let wait = match failure.outcome {
            RunOutcome::Failed => failure_wait(source.interval, failures),
            _ => source.interval.as_stamp_secs(),
        };
        let due = now.plus_secs(wait);
        run.outcome = failure.outcome;
        run.counts.rejects = failure.effect.rejects().len();
        run.error = Some(fault.clone());
        let state = SourceState {
            last_attempt_at: Some(run.started_at),
            next_due_at: Some(granted(failure.retry_at, now).map_or(due, |retry_at| retry_at.max(due))),
            consecutive_failures: failures,
            http_status: failure.status,
            error: Some(fault.clone()),
            outcome: Some(failure.outcome),
            held: failure.held.or_else(|| before.held.clone()),
            ..before
        };
        let note = SyncNote { source_id: source.id.clone(), state, run: run.clone(), effect: failure.effect };
        inner.store.note_sync(&note).await?;
        if is_known {
            tracing::debug!(source = source.id, "the source still says what was refused; the last good facts stay");
        } else if FetchCode::is_unreachable(&fault.code) {
            // The schedule tells it, once for all sources that it happens to.
            tracing::debug!(
                source = source.id,
                code = fault.code,
                message = fault.message,
                "the upstream was not reached"
            );
        } else {
            tracing::warn!(
                source = source.id,
                code = fault.code,
                message = fault.message,
                "the sync brought nothing; the last good facts stay"
            );
        }
        let result = match failure.outcome {
            RunOutcome::Quarantined => SyncResult::Quarantined { error: fault },
            _ => SyncResult::Failed { error: fault },
        };
        Ok(SyncReport::of_run(run, result))
    }
}

/// The moment until which an upstream asked to be left alone, as far as that is granted.
fn granted(asked: Option<Stamp>, now: Stamp) -> Option<Stamp> {
    asked.map(|at| at.min(now.plus_secs(ASKED_WAIT_MAX.as_stamp_secs())))
}

/// Seconds until the next attempt after so many failures.
fn failure_wait(interval: Span, failures: u32) -> i64 {
    let doublings = failures.saturating_sub(1).min(FAILURE_DOUBLINGS_MAX);
    FAILURE_WAIT.as_stamp_secs().saturating_mul(1_i64 << doublings).min(interval.as_stamp_secs())
}
