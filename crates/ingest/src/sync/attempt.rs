//! One attempt at a source: revalidated where that can confirm what is stored, else read whole and put before the commit gate.

use std::collections::HashMap;
use std::sync::atomic::Ordering;

use refdesk_core::Stamp;

use super::commit_gate::CommitGate;
use super::pass::{Counters, PassError, PassProgress, Reading, Revalidation, Upstream};
use super::quarantine;
use super::status::past;
use super::verdict::{AttemptError, Failure, PassOutcome};
use super::{EngineState, SyncEvent};
use crate::census::Census;
use crate::config::{SourceConfig, Span};
use crate::connectors::Target;
use crate::fetch::{Deadline, Fetched, Origin};
use crate::store::{Accept, SourceState, StoreError, Validators};

/// After so long without bytes a source is asked unconditionally: an upstream that always says "not modified" must show it.
pub const CONDITIONAL_MAX: Span = Span::days(7);
/// Option of connectors that can list only what changed; the engine sets it between full passes.
const UPDATED_SINCE: &str = "updated_since";
/// An incremental pass looks back this much further than the last pass, for clocks that differ.
const INCREMENTAL_OVERLAP: Span = Span::secs(3_600);
/// After so long an incremental source is listed in full again, because only that shows removals.
const FULL_PASS_INTERVAL: Span = Span::days(1);

/// A source that is asked, what is known of it, and what the attempt counts.
#[derive(Clone, Copy)]
pub(super) struct Attempt<'a> {
    pub inner: &'a EngineState,
    pub source: &'a SourceConfig,
    pub before: &'a SourceState,
    pub accept: &'a Accept,
    pub counters: &'a Counters,
}

/// What an attempt knows before it asks the upstream.
struct Opened<'a> {
    attempt: Attempt<'a>,
    target: Target,
    origin: Origin,
    fingerprint: String,
    /// What the last good pass left to ask with.
    last: Validators,
}

/// From when on a pass lists what changed.
#[derive(Debug, Clone, Copy)]
enum Since {
    /// All is listed.
    Beginning,
    /// What the source's own options say; without a moment all is listed, too.
    Configured,
    /// The last pass, with some overlap.
    LastPass(Stamp),
}

impl<'a> Attempt<'a> {
    /// Asks the source, from a cursor first where it lists only what changed.
    pub(super) async fn run(self) -> Result<PassOutcome, AttemptError> {
        let Self { inner, source, before, accept, .. } = self;
        let last_pass = incremental_since(source, before, (inner.options.clock)()).filter(|_| *accept != Accept::Any);
        let since = last_pass.map_or(Since::Configured, Since::LastPass);
        let configured = source.options.get(UPDATED_SINCE).is_some_and(|moment| !moment.trim().is_empty());
        let has_moment = last_pass.is_some() || is_incremental(source) && configured;
        match self.since(since).await {
            // A moment that the upstream does not answer well would fail every sync: all of it is listed instead.
            Err(AttemptError::Source(failure)) if has_moment && failure.may_be_cursor => {
                self.since(Since::Beginning).await
            }
            ended => ended,
        }
    }

    async fn since(self, since: Since) -> Result<PassOutcome, AttemptError> {
        let (opened, reading) = self.opened(since).await?;
        match opened.revalidated().await? {
            Revalidation::Unchanged { validators, synced, status } => {
                let validators = Validators { fingerprint: opened.fingerprint, requests: validators };
                Ok(PassOutcome::Confirmed { validators, synced, status })
            }
            Revalidation::Changed(bodies) => opened.read(reading, bodies).await,
        }
    }

    async fn opened(self, since: Since) -> Result<(Opened<'a>, Reading), AttemptError> {
        let Self { inner, source, .. } = self;
        let wrong = Failure::configuration;
        let connector = (inner.options.find)(&source.connector)
            .ok_or_else(|| wrong(format!("there is no connector `{}`", source.connector)))?;
        let mut target = source.target(&inner.options.base).map_err(|error| wrong(error.to_string()))?;
        match since {
            Since::Beginning => {
                target.options.remove(UPDATED_SINCE);
            }
            Since::Configured => {}
            Since::LastPass(since) => {
                target.options.insert(UPDATED_SINCE.into(), since.to_string());
            }
        }
        let pass = (connector.open)(&target).map_err(|error| wrong(error.to_string()))?;
        let reading = Reading { pass, census: Census::new(connector, &target) };
        let mut origin = Origin::new(target.url.clone(), source.allow_private);
        origin.room = inner.budget.room();
        origin.token = source.token();
        origin.body_bytes_max = connector.body_bytes_max;
        let fingerprint = fingerprint(source, &target, READERS);
        let last = inner.store.validators(&source.id).await?;
        Ok((Opened { attempt: self, target, origin, fingerprint, last }, reading))
    }
}

impl Opened<'_> {
    fn progress(&self, pending: usize) {
        self.attempt.inner.options.progress.event(SyncEvent::Fetched {
            source_id: &self.attempt.source.id,
            requests: self.attempt.counters.requests.load(Ordering::Relaxed),
            bytes: self.attempt.counters.bytes.load(Ordering::Relaxed),
            pending,
        });
    }

    fn upstream<'a>(&'a self, progress: PassProgress<'a>) -> Upstream<'a> {
        let Attempt { inner, counters, .. } = self.attempt;
        Upstream { fetcher: &inner.fetcher, origin: &self.origin, counters, progress }
    }

    /// Whether what is stored may be confirmed without reading everything again.
    fn may_be_confirmed(&self) -> bool {
        let now = (self.attempt.inner.options.clock)();
        let synced = past(self.attempt.before.last_synced_at, now);
        // Bytes that were taken at a time that cannot be are taken again, so that the time is right.
        let is_dated = synced == self.attempt.before.last_synced_at;
        let has_something = !self.last.requests.is_empty() || self.target.url.scheme() == "bundled";
        // What the store holds came so recently that "not modified" is believed.
        let is_recent = synced.is_some_and(|at| now.secs_since(at) < CONDITIONAL_MAX.as_stamp_secs());
        let is_believed = is_recent || !self.attempt.source.is_remote();
        let same_parser = self.last.fingerprint == self.fingerprint;
        let is_full = !self.target.options.contains_key(UPDATED_SINCE);
        // An upstream that refuses the tags that it gave itself is asked without them.
        let was_refused = self.attempt.before.http_status == Some(412);
        !was_refused
            && same_parser
            && *self.attempt.accept != Accept::Any
            && is_dated
            && has_something
            && is_believed
            && is_full
    }

    /// What the requests of the last good pass show; nothing is asked where that could not confirm what is stored.
    async fn revalidated(&self) -> Result<Revalidation, Box<Failure>> {
        if !self.may_be_confirmed() {
            return Ok(Revalidation::Changed(HashMap::new()));
        }
        let progress = |pending| self.progress(pending);
        let upstream = self.upstream(&progress);
        let asked = upstream.revalidate(&self.last.requests);
        let timeout = upstream.fetcher.settings().pass_timeout;
        let answered = Deadline::new(&self.origin.room, timeout).within(asked).await;
        let answered =
            answered.ok_or(PassError::Overdue(timeout)).and_then(|answered| answered.map_err(PassError::Fetch));
        answered.map_err(|error| Failure::pass(self.attempt.source, error))
    }

    /// Reads the source whole and asks the gate.
    async fn read(self, reading: Reading, bodies: HashMap<String, Fetched>) -> Result<PassOutcome, AttemptError> {
        let Attempt { inner, source, .. } = self.attempt;
        let progress = |pending| self.progress(pending);
        let passed = self.upstream(&progress).run(reading, bodies).await;
        let passed = passed.map_err(|error| Failure::pass(source, error))?;
        let room = self.origin.room.clone();
        let gate = self.gate().await?;
        let judged = tokio::task::spawn_blocking(move || room.enter(|| gate.judge(passed))).await;
        let judged = judged.unwrap_or_else(|_| {
            let message = "preparing the facts ended unexpectedly; please report it".to_owned();
            Err(Failure::unparsed("connector_panic", message).into())
        })?;
        if let PassOutcome::Ready(ready) = &judged {
            let (facts, rejects) = (ready.facts.len(), ready.rejects.len());
            inner.options.progress.event(SyncEvent::Parsed { source_id: &source.id, facts, rejects });
        }
        Ok(judged)
    }

    async fn gate(self) -> Result<CommitGate, StoreError> {
        let Self { attempt: Attempt { inner, source, before, accept, .. }, target, fingerprint, last, .. } = self;
        let stored = inner.store.source_facts(&source.id).await?;
        let without_record = inner.store.facts_without_record(&source.id).await?;
        let missing = inner.store.missing_facts(&source.id).await?;
        let now = (inner.options.clock)();
        let well_for = past(before.last_verified_at, now).map_or(0, |at| now.secs_since(at));
        let normal_span = inner.options.removals_normal_span;
        let added_percent = quarantine::added_percent(inner.options.added_percent_max, well_for, normal_span);
        Ok(CommitGate {
            source_id: source.id.clone(),
            stored,
            without_record,
            now,
            missing,
            held: before.held.clone(),
            last_code: before.error.as_ref().map(|fault| fault.code.clone()),
            added_percent: added_percent.filter(|_| source.is_remote()),
            is_bundled: target.url.scheme() == "bundled",
            last_bytes: before.content_hash.clone(),
            same_parser: last.fingerprint == fingerprint,
            accept: accept.clone(),
            fingerprint,
            allowed_percent: quarantine::allowed_percent(inner.options.removed_percent_max, well_for, normal_span),
        })
    }
}

/// Whether a source may be asked for what changed alone.
fn is_incremental(source: &SourceConfig) -> bool {
    source.options.get("mode").is_some_and(|mode| mode == "incremental")
}

/// The last pass from which on an incremental one should list; `None` where all should be listed, or what the options say.
fn incremental_since(source: &SourceConfig, before: &SourceState, now: Stamp) -> Option<Stamp> {
    let last_full_at =
        past(before.last_full_at, now).filter(|at| now.secs_since(*at) < FULL_PASS_INTERVAL.as_stamp_secs());
    (is_incremental(source) && last_full_at.is_some())
        .then(|| past(before.last_synced_at, now).map(|at| at.plus_secs(-INCREMENTAL_OVERLAP.as_stamp_secs())))
        .flatten()
}

/// Revision of all connectors: each release reads equal bytes once more, for one of them may read them another way. Between releases, one more
/// whenever one does.
const READERS: [&str; 2] = [env!("CARGO_PKG_VERSION"), "19"];

/// What the fingerprints of syncs begin with. Behind their dot is the key of the [`READERS`].
const FINGERPRINT_PREFIX: &str = "fp_";

/// Changes when equal bytes would be read another way: another connector, url, option, permission, build, or other bundled cards.
fn fingerprint(source: &SourceConfig, target: &Target, readers: [&str; 2]) -> String {
    // The moment of an incremental pass is no part of how bytes are read.
    let options = source.options.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join("\n");
    let bundled = if target.url.scheme() == "bundled" { crate::bundled::DIGEST } else { "" };
    let restricted = if target.serve_restricted { "restricted bodies" } else { "" };
    let parts = [source.connector.as_str(), target.url.as_str(), &options, bundled, restricted];
    format!("{}.{}", refdesk_core::hash::short_key(FINGERPRINT_PREFIX, &parts), readers_key(readers))
}

fn readers_key(readers: [&str; 2]) -> String {
    refdesk_core::hash::short_key("", &readers)
}

/// Whether the connectors of another build read the pass of a fingerprint, and maybe otherwise than these would. One that no sync wrote does
/// not tell.
pub fn is_of_other_readers(fingerprint: &str) -> bool {
    let readers = fingerprint.split_once('.').map(|(_, readers)| readers);
    fingerprint.starts_with(FINGERPRINT_PREFIX) && readers != Some(readers_key(READERS).as_str())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failing unwrap is a failing test")]
mod tests {
    use super::*;

    /// Equal bytes of a source are believed only of who reads them the same way.
    #[test]
    fn each_release_and_each_change_of_a_reader_reads_a_source_again() {
        let source = SourceConfig::new("mine", "cards", "https://lamp.example/cards");
        let target = source.target(std::path::Path::new("/")).unwrap();
        let of = |readers| fingerprint(&source, &target, readers);
        let [release, readers] = READERS;
        assert_eq!(release, env!("CARGO_PKG_VERSION"));
        assert_ne!(of(READERS), of(["0.0.1", readers]));
        assert_ne!(of(READERS), of([release, "0"]));
        let told = [of(READERS), of([release, "0"]), "fp_of-an-earlier-release".into(), String::new()];
        assert_eq!(told.map(|fingerprint| is_of_other_readers(&fingerprint)), [false, true, true, false]);
    }
}
