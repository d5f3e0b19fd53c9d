//! One sync from start to end, and what it leaves behind: a commit, a confirmation, a failure or a quarantine.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::Ordering;
use std::time::Instant;

use refdesk_core::{Reject, StaleReason, Stamp};

use super::judge::Judge;
use super::pass::{self, Look, Meter, PassError};
use super::quarantine;
use super::status::{ASKED_WAIT_MAX, past};
use super::{Inner, SyncEvent, SyncReport, SyncResult};
use crate::config::{SourceConfig, Span};
use crate::connectors::Target;
use crate::fetch::{FetchCode, FetchError, Origin};
use crate::store::{
    Effect, Fault, HeldState, PreparedFact, Run, RunOutcome, SourceState, StoreError, SyncCommit, SyncCounts, SyncNote,
    Validators,
};

/// Wait after the first failure; doubles with each further one, up to the source's interval.
const FAILURE_WAIT: Span = Span::secs(60);
/// Failures after which the wait grows no more.
const FAILURE_DOUBLINGS_MAX: u32 = 12;

/// After so long without bytes a source is asked unconditionally: an upstream that always says "not modified" must show it.
pub const CONDITIONAL_MAX: Span = Span::days(7);
/// How much of the message of a failure is kept, in characters. Parts of it are what an upstream wrote.
pub const FAULT_CHARS_MAX: usize = 1_000;

/// Option of connectors that can list only what changed; the engine sets it between full passes.
const UPDATED_SINCE: &str = "updated_since";
/// An incremental pass looks back this much further than the last pass, for clocks that differ.
const INCREMENTAL_OVERLAP: Span = Span::secs(3_600);
/// After so long an incremental source is listed in full again, because only that shows removals.
const FULL_PASS_INTERVAL: Span = Span::days(1);

/// What went wrong, and what it does to the facts that are stored.
pub(super) struct Trouble {
    pub(super) code: String,
    pub(super) message: String,
    pub(super) status: Option<u16>,
    pub(super) retry_at: Option<Stamp>,
    pub(super) outcome: RunOutcome,
    pub(super) effect: Effect,
    /// Asking without a cursor may do better.
    pub(super) may_be_cursor: bool,
    /// What is held back, for a quarantine.
    pub(super) held: Option<HeldState>,
}

pub(super) enum Ended {
    Confirmed { validators: Validators, synced: bool, status: Option<u16> },
    Ready(Box<Ready>),
}

/// A pass that may be committed.
pub(super) struct Ready {
    pub(super) facts: Vec<PreparedFact>,
    pub(super) rejects: Vec<Reject>,
    pub(super) validators: Validators,
    pub(super) partial: bool,
    pub(super) new_bytes: bool,
    pub(super) counts: SyncCounts,
    pub(super) ignored: BTreeMap<String, usize>,
    pub(super) unshown: BTreeMap<String, usize>,
    pub(super) status: Option<u16>,
}

/// Syncs a source once.
pub(super) async fn sync(inner: &Inner, source: &SourceConfig, force: bool) -> Result<SyncReport, StoreError> {
    let started_at = (inner.options.clock)();
    let begun = Instant::now();
    let meter = Meter::default();
    let before = inner.store.source_state(&source.id).await?;
    let attempt = attempt(inner, source, &before, force, &meter).await?;
    let mut run = Run {
        source_id: source.id.clone(),
        started_at,
        duration_ms: 0,
        outcome: RunOutcome::Failed,
        counts: SyncCounts::default(),
        bytes: meter.bytes.load(Ordering::Relaxed),
        requests: meter.requests.load(Ordering::Relaxed),
        not_modified: meter.not_modified.load(Ordering::Relaxed),
        forced: force,
        error: None,
        note: None,
    };
    let now = (inner.options.clock)();
    let elapsed = || u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    let good = |status: Option<u16>| SourceState {
        last_attempt_at: Some(started_at),
        last_verified_at: Some(now),
        next_due_at: Some(now.plus_secs(source.interval.as_stamp_secs())),
        consecutive_failures: 0,
        http_status: status,
        error: None,
        held: None,
        ..before.clone()
    };
    run.duration_ms = elapsed();
    match attempt {
        Ok(Ended::Confirmed { validators, synced, status }) => {
            run.outcome = RunOutcome::Confirmed;
            let counts = SyncCounts {
                added: 0,
                changed: 0,
                removed: 0,
                unchanged: before.counts.facts,
                ..before.counts.clone()
            };
            run.counts = counts.clone();
            let state = SourceState {
                last_synced_at: if synced { Some(now) } else { before.last_synced_at },
                outcome: Some(RunOutcome::Confirmed),
                counts: counts.clone(),
                ..good(status)
            };
            let effect = Effect::Confirm { at: now, synced, validators: Some(validators) };
            let note = SyncNote { source_id: source.id.clone(), state, run: run.clone(), effect };
            inner.store.note_sync(&note).await?;
            Ok(SyncReport::of_run(&run, SyncResult::Confirmed, counts))
        }
        Ok(Ended::Ready(ready)) => {
            run.outcome = RunOutcome::Updated;
            run.counts = ready.counts;
            let state = SourceState {
                last_synced_at: Some(now),
                last_full_at: if ready.partial { before.last_full_at } else { Some(now) },
                content_hash: pass::combined_hash(&ready.validators.requests),
                outcome: Some(RunOutcome::Updated),
                ignored: ready.ignored,
                unshown: ready.unshown,
                ..good(ready.status)
            };
            let commit = SyncCommit {
                source_id: source.id.clone(),
                now,
                facts: ready.facts,
                rejects: ready.rejects,
                validators: ready.validators,
                partial: ready.partial,
                new_bytes: ready.new_bytes,
                state,
                run: run.clone(),
            };
            let counts = inner.store.commit_sync(&commit).await?;
            run.duration_ms = elapsed();
            tracing::info!(
                source = source.id,
                facts = counts.facts,
                added = counts.added,
                changed = counts.changed,
                removed = counts.removed,
                rejects = counts.rejects,
                "synced"
            );
            Ok(SyncReport::of_run(&run, SyncResult::Updated, counts))
        }
        Err(trouble) => leave_trouble(inner, source, before, run, now, *trouble).await,
    }
}

async fn leave_trouble(
    inner: &Inner,
    source: &SourceConfig,
    before: SourceState,
    mut run: Run,
    now: Stamp,
    trouble: Trouble,
) -> Result<SyncReport, StoreError> {
    // What an operator refused is not told again as new.
    let is_known = trouble.held.as_ref().is_some_and(|held| held.refused);
    let fault = before.error.clone().filter(|_| is_known).unwrap_or(Fault {
        code: trouble.code,
        message: refdesk_core::clean::excerpt(&trouble.message, FAULT_CHARS_MAX),
        at: now,
    });
    let failures = before.consecutive_failures.saturating_add(1);
    let wait = match trouble.outcome {
        RunOutcome::Failed => failure_wait(source.interval, failures),
        _ => source.interval.as_stamp_secs(),
    };
    let due = now.plus_secs(wait);
    run.outcome = trouble.outcome;
    run.error = Some(fault.clone());
    let state = SourceState {
        last_attempt_at: Some(run.started_at),
        next_due_at: Some(granted(trouble.retry_at, now).map_or(due, |retry_at| retry_at.max(due))),
        consecutive_failures: failures,
        http_status: trouble.status,
        error: Some(fault.clone()),
        outcome: Some(trouble.outcome),
        held: trouble.held.or_else(|| before.held.clone()),
        ..before
    };
    let note = SyncNote { source_id: source.id.clone(), state, run: run.clone(), effect: trouble.effect };
    inner.store.note_sync(&note).await?;
    if is_known {
        tracing::debug!(source = source.id, "the source still says what was refused; the last good facts stay");
    } else {
        tracing::warn!(
            source = source.id,
            code = fault.code,
            message = fault.message,
            "the sync brought nothing; the last good facts stay"
        );
    }
    let result = match trouble.outcome {
        RunOutcome::Quarantined => SyncResult::Quarantined { error: fault },
        _ => SyncResult::Failed { error: fault },
    };
    Ok(SyncReport::of_run(&run, result, SyncCounts::default()))
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

pub(super) type Attempt<T> = Result<T, Box<Trouble>>;

async fn attempt(
    inner: &Inner,
    source: &SourceConfig,
    before: &SourceState,
    force: bool,
    meter: &Meter,
) -> Result<Attempt<Ended>, StoreError> {
    let since = incremental_since(source, before, (inner.options.clock)()).filter(|_| !force);
    let ended = attempt_from(inner, source, before, force, since, meter).await?;
    match ended {
        // A moment that the upstream does not answer well would fail every sync: all of it is listed instead.
        Err(trouble) if since.is_some() && trouble.may_be_cursor => {
            attempt_from(inner, source, before, force, None, meter).await
        }
        ended => Ok(ended),
    }
}

async fn attempt_from(
    inner: &Inner,
    source: &SourceConfig,
    before: &SourceState,
    force: bool,
    since: Option<Stamp>,
    meter: &Meter,
) -> Result<Attempt<Ended>, StoreError> {
    let (target, pass, body_bytes_max) = match open(inner, source, since) {
        Ok(opened) => opened,
        Err(trouble) => return Ok(Err(trouble)),
    };
    let mut origin = Origin::new(target.url.clone(), source.allow_private);
    origin.room = inner.budget.room();
    origin.body_bytes_max = body_bytes_max;
    let fingerprint = fingerprint(source, &target);
    let last = inner.store.validators(&source.id).await?;
    let same_parser = last.fingerprint == fingerprint;
    let tick = |pending: usize| {
        inner.options.progress.event(SyncEvent::Fetched {
            source_id: &source.id,
            requests: meter.requests.load(Ordering::Relaxed),
            bytes: meter.bytes.load(Ordering::Relaxed),
            pending,
        });
    };
    let mut bodies = HashMap::new();
    let now = (inner.options.clock)();
    let synced = past(before.last_synced_at, now);
    // Bytes that were taken at a time that cannot be are taken again, so that the time is right.
    let is_dated = synced == before.last_synced_at;
    let can_confirm = is_dated && (!last.requests.is_empty() || target.url.scheme() == "bundled");
    // What the store holds came so recently that "not modified" is believed.
    let is_recent = synced.is_some_and(|at| now.secs_since(at) < CONDITIONAL_MAX.as_stamp_secs());
    let may_confirm = is_recent || !target.url.scheme().starts_with("http");
    if same_parser && !force && can_confirm && may_confirm && !target.options.contains_key(UPDATED_SINCE) {
        let deadline = pass::Deadline::of(inner.fetcher.settings(), &origin);
        let looked = deadline.within(pass::look(&inner.fetcher, &origin, &last.requests, meter, &tick)).await;
        match looked.and_then(|looked| looked.map_err(PassError::Fetch)) {
            Ok(Look::Same { validators, synced }) => {
                let status =
                    (!validators.is_empty() && target.url.scheme() != "file").then_some(if synced { 200 } else { 304 });
                let validators = Validators { fingerprint, requests: validators };
                return Ok(Ok(Ended::Confirmed { validators, synced, status }));
            }
            Ok(Look::Differs(found)) => bodies = found,
            Err(error) => return Ok(Err(pass_trouble(source, error))),
        }
    }
    let reading = pass::Reading { pass, census: crate::census::of(&source.connector, &target) };
    let passed = match pass::run(&inner.fetcher, &origin, reading, bodies, meter, &tick).await {
        Ok(passed) => passed,
        Err(error) => return Ok(Err(pass_trouble(source, error))),
    };
    let stored = inner.store.source_facts(&source.id).await?;
    let missing = inner.store.missing_facts(&source.id).await?;
    let now = (inner.options.clock)();
    let good_at = past(before.last_verified_at, now);
    let context = Judge {
        source_id: source.id.clone(),
        stored,
        now,
        missing,
        held: before.held.clone(),
        last_code: before.error.as_ref().map(|fault| fault.code.clone()),
        added_percent: quarantine::added_percent(
            inner.options.added_percent_max,
            good_at.map_or(0, |at| now.secs_since(at)),
            inner.options.removals_normal_span,
        )
        .filter(|_| target.url.scheme().starts_with("http")),
        is_bundled: target.url.scheme() == "bundled",
        last_bytes: before.content_hash.clone(),
        same_parser,
        force,
        fingerprint,
        allowed_percent: quarantine::allowed_percent(
            inner.options.removed_percent_max,
            good_at.map_or(0, |at| now.secs_since(at)),
            inner.options.removals_normal_span,
        ),
    };
    let room = origin.room.clone();
    let judged = tokio::task::spawn_blocking(move || room.enter(|| context.judge(passed))).await;
    let judged = judged.unwrap_or_else(|_| {
        Ok(Err(parse_trouble("connector_panic", "preparing the facts broke off; please report it".into())))
    })?;
    if let Ok(Ended::Ready(ready)) = &judged {
        let (facts, rejects) = (ready.facts.len(), ready.rejects.len());
        inner.options.progress.event(SyncEvent::Parsed { source_id: &source.id, facts, rejects });
    }
    Ok(judged)
}

/// From when on an incremental pass should list; `None` for a full one.
fn incremental_since(source: &SourceConfig, before: &SourceState, now: Stamp) -> Option<Stamp> {
    let asked = source.options.get("mode").is_some_and(|mode| mode == "incremental");
    let last_full_at =
        past(before.last_full_at, now).filter(|at| now.secs_since(*at) < FULL_PASS_INTERVAL.as_stamp_secs());
    (asked && last_full_at.is_some())
        .then(|| past(before.last_synced_at, now).map(|at| at.plus_secs(-INCREMENTAL_OVERLAP.as_stamp_secs())))
        .flatten()
}

fn open(
    inner: &Inner,
    source: &SourceConfig,
    since: Option<Stamp>,
) -> Attempt<(Target, Box<dyn crate::connectors::Pass>, u64)> {
    let wrong = |message: String| Box::new(Trouble { code: "configuration".into(), message, ..failed() });
    let connector = (inner.options.find)(&source.connector)
        .ok_or_else(|| wrong(format!("there is no connector `{}`", source.connector)))?;
    let url = source.target_url(&inner.options.base).map_err(|error| wrong(error.to_string()))?;
    let mut options = source.options.clone();
    if let Some(since) = since {
        options.insert(UPDATED_SINCE.into(), since.to_string());
    }
    let serve_restricted = source.serve_restricted;
    let target = Target { source_id: source.id.clone(), url, options, serve_restricted };
    let pass = connector.open(&target).map_err(|error| wrong(error.to_string()))?;
    Ok((target, pass, connector.body_bytes_max()))
}

/// Revision of all connectors: one more whenever one of them reads equal bytes another way, so that they are read once more.
const READERS: &str = "4";

/// Changes when equal bytes would be read another way: another connector, url, option, permission, build, or other bundled cards.
fn fingerprint(source: &SourceConfig, target: &Target) -> String {
    // The moment of an incremental pass is no part of how bytes are read.
    let options = source.options.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join("\n");
    let bundled = if target.url.scheme() == "bundled" { crate::bundled::digest() } else { String::new() };
    let restricted = if target.serve_restricted { "restricted bodies" } else { "" };
    let parts = [source.connector.as_str(), target.url.as_str(), &options, READERS, &bundled, restricted];
    refdesk_core::hash::short_key("fp_", &parts)
}

fn fetch_trouble(error: &FetchError) -> Box<Trouble> {
    Box::new(Trouble {
        code: error.code.as_str().into(),
        message: error.to_string(),
        status: error.status,
        retry_at: error.retry_at,
        may_be_cursor: pass::is_answered(error),
        ..failed()
    })
}

fn pass_trouble(source: &SourceConfig, error: PassError) -> Box<Trouble> {
    match error {
        PassError::Fetch(error) => fetch_trouble(&error),
        PassError::Parse(error) if error.is_too_large => too_large(error.message),
        PassError::Parse(error) => parse_trouble("parse_failed", error.message),
        PassError::Overdue(timeout) => {
            let message = format!(
                "the sync was not complete after pass_timeout = {timeout}; raise it if the upstream is that slow"
            );
            Box::new(Trouble { code: FetchCode::Timeout.as_str().into(), message, ..failed() })
        }
        PassError::Panic => {
            let message = format!("the connector `{}` broke off; please report it", source.connector);
            parse_trouble("connector_panic", message)
        }
    }
}

/// More came than a bound allows; the message names it.
pub(super) fn too_large(message: String) -> Box<Trouble> {
    Box::new(Trouble { code: FetchCode::TooLarge.as_str().into(), message, ..failed() })
}

/// A failure that leaves the stored facts as they are.
fn failed() -> Trouble {
    Trouble {
        code: String::new(),
        message: String::new(),
        status: None,
        retry_at: None,
        outcome: RunOutcome::Failed,
        effect: Effect::None,
        may_be_cursor: false,
        held: None,
    }
}

/// The source's bytes came, but they cannot be read: the stored facts are shown as stale.
pub(super) fn parse_trouble(code: &str, message: String) -> Box<Trouble> {
    Box::new(Trouble {
        code: code.into(),
        message,
        status: Some(200),
        effect: Effect::HoldBack(StaleReason::ParseFailed),
        may_be_cursor: true,
        ..failed()
    })
}
