//! Whether a finished pass may be committed: its sums must add up, and what it brings must be believable beside what is stored.
//!
//! The rules of belief are in [`super::quarantine`]; what becomes of the verdict is the job of `outcome`.

use std::collections::BTreeSet;

use refdesk_core::fact::StoredFact;
use refdesk_core::{Fact, Kind, Reject, Stamp};

use super::bounds;
use super::pass::{self, Passed};
use super::quarantine::{self, Compared, Suspicion};
use super::verdict::{AttemptError, Failure, PassOutcome, PendingCommit};
use crate::census::CensusCount;
use crate::connectors::Batch;
use crate::connectors::repository::shown_secrets;
use crate::store::{
    Accept, Effect, HeldState, KnownFacts, LastState, MissingFact, PreparedFact, RunOutcome, SyncCounts, Validators,
    prepare,
};

/// Decides whether a pass may be committed.
pub(super) struct CommitGate {
    pub(super) source_id: String,
    pub(super) stored: Vec<StoredFact>,
    /// Numbers of those that an archive brought without their record.
    pub(super) without_record: BTreeSet<i64>,
    pub(super) now: Stamp,
    /// Hash over the bytes of the last good pass.
    pub(super) last_bytes: Option<String>,
    pub(super) same_parser: bool,
    pub(super) accept: Accept,
    pub(super) fingerprint: String,
    pub(super) allowed_percent: usize,
    /// What quarantined passes did not list, and what the last of them left.
    pub(super) missing: Vec<MissingFact>,
    pub(super) held: Option<HeldState>,
    /// The code of what the last run told.
    pub(super) last_code: Option<String>,
    /// The share of the live facts that may come, in percent.
    pub(super) added_percent: Option<usize>,
    /// What it brings is a part of this binary: dates are not looked at, because the machine's clock may be the one that is wrong.
    pub(super) is_bundled: bool,
}

impl CommitGate {
    pub(super) fn judge(self, passed: Passed) -> Result<PassOutcome, AttemptError> {
        let Batch { facts, mut rejects, full, items_upstream, versions, ignored, unshown, partial, files } =
            passed.batch;
        if let Some(full) = full {
            return Err(Failure::too_large(full).into());
        }
        let found = facts.len() + versions + rejects.len();
        if items_upstream != found {
            let message = format!(
                "the connector's counts do not add up: {items_upstream} items upstream, but {} facts, {versions} versions and {} rejects; please report it",
                facts.len(),
                rejects.len()
            );
            return Err(Failure::unparsed("count_mismatch", message).into());
        }
        let left_out = ignored.values().sum();
        let uncounted = self.uncounted(passed.counted.as_ref(), found + left_out);
        let facts = bounds::within(facts, &files, &mut rejects, (!self.is_bundled).then_some(self.now));
        let facts = without_duplicates(facts, &mut rejects);
        let facts: Vec<Fact> = facts.into_iter().map(shown_secrets::without_secrets).collect();
        quarantine::name_covered(&mut rejects, &self.stored);
        let bytes = pass::combined_hash(&passed.validators);
        let new_bytes = bytes.is_some() && bytes != self.last_bytes;
        let last = LastState::new(&self.stored, self.now, new_bytes);
        let is_accepted = self.accept.takes(bytes.as_deref());
        let facts = prepare(facts, (!is_accepted).then_some(&last))?;
        if !is_accepted && let Some(suspicion) = self.suspect(&facts, &rejects, bytes.as_ref(), partial) {
            return Err(Box::new(self.quarantined(suspicion, rejects, bytes, passed.status)).into());
        }
        let counts = SyncCounts {
            items_upstream,
            facts: facts.len(),
            versions,
            rejects: rejects.len(),
            ignored: left_out,
            uncounted,
            ..SyncCounts::default()
        };
        // The requests of a partial pass say nothing of the whole source, so they must not confirm it later.
        let requests = if partial { Vec::new() } else { passed.validators };
        let validators = Validators { fingerprint: self.fingerprint, requests };
        let status = passed.status;
        Ok(PassOutcome::Ready(Box::new(PendingCommit {
            facts,
            known: KnownFacts::new(self.stored, &self.without_record),
            rejects,
            validators,
            partial,
            new_bytes,
            counts,
            ignored,
            unshown,
            status,
        })))
    }
}

impl CommitGate {
    /// Items that the accountant found and the connector did not account for. The good facts are committed all the same: refusing them
    /// would freeze the source.
    fn uncounted(&self, counted: Option<&CensusCount>, accounted: usize) -> i64 {
        let Some(counted) = counted else { return 0 };
        let uncounted = counted.missing_from(accounted);
        if uncounted != 0 {
            tracing::warn!(
                source = self.source_id,
                upstream = counted.items,
                accounted,
                uncounted,
                counted = counted.shown(),
                "the upstream holds another number of items than facts, versions, rejects and what was left out by name; please report it"
            );
        }
        uncounted
    }

    fn suspect(
        &self,
        facts: &[PreparedFact],
        rejects: &[Reject],
        bytes: Option<&String>,
        partial: bool,
    ) -> Option<Suspicion> {
        let is_other = self.held.as_ref().is_some_and(|held| held.first_hash.as_ref() != bytes);
        let is_refused = self
            .held
            .as_ref()
            .is_some_and(|held| held.refused && held.last_hash.is_some() && held.last_hash.as_ref() == bytes);
        let is_repeated = |gone: &MissingFact| {
            is_other && self.now.secs_since(gone.since) >= quarantine::REPEATED_AFTER.as_stamp_secs()
        };
        let believed_gone: BTreeSet<(Kind, String)> =
            self.missing.iter().filter(|gone| is_repeated(gone)).map(|gone| (gone.kind, gone.key.clone())).collect();
        let suspicion = quarantine::suspect(&Compared {
            source_id: &self.source_id,
            stored: &self.stored,
            new: facts,
            rejects,
            same_parser: self.same_parser,
            allowed_percent: self.allowed_percent,
            believed_gone: &believed_gone,
            added_percent: self.added_percent.filter(|_| !self.repeats_growth(is_other)),
            partial,
        });
        if partial {
            return suspicion;
        }
        // Time alone does not accept what an operator refused.
        let refused =
            || Suspicion { code: "refused", message: "an operator refused this state".into(), missing: Vec::new() };
        suspicion.or_else(|| is_refused.then(refused))
    }

    /// Whether the source has listed so many for a day, and says other bytes than at its beginning.
    fn repeats_growth(&self, is_other: bool) -> bool {
        let since = self.held.as_ref().filter(|held| !held.refused).map(|held| held.since);
        let is_growth = self.last_code.as_deref() == Some(quarantine::MASS_ADDITION);
        is_other
            && is_growth
            && since.is_some_and(|since| self.now.secs_since(since) >= quarantine::REPEATED_AFTER.as_stamp_secs())
    }

    fn quarantined(
        &self,
        suspicion: Suspicion,
        rejects: Vec<Reject>,
        bytes: Option<String>,
        status: Option<u16>,
    ) -> Failure {
        let Suspicion { code, message, missing } = suspicion;
        let before = self.held.as_ref();
        let refused = before.is_some_and(|held| held.refused && held.last_hash == bytes);
        // Other bytes than the refused ones are a new case.
        let goes_on = before.filter(|held| refused || !held.refused);
        // The day of a growth begins with it, whatever was held back before.
        let is_new_growth = code == quarantine::MASS_ADDITION && self.last_code.as_deref() != Some(code);
        let goes_on = goes_on.filter(|_| !is_new_growth);
        let held = HeldState {
            since: goes_on.map_or(self.now, |held| held.since),
            first_hash: goes_on.map_or_else(|| bytes.clone(), |held| held.first_hash.clone()),
            last_hash: bytes,
            refused,
        };
        Failure {
            status,
            outcome: RunOutcome::Quarantined,
            effect: Effect::Quarantine { missing, rejects, at: self.now },
            held: Some(held),
            ..Failure::new(code, message)
        }
    }
}

/// Of facts with the same kind and key the first stays; the others become rejects.
fn without_duplicates(facts: Vec<Fact>, rejects: &mut Vec<Reject>) -> Vec<Fact> {
    let mut keys: BTreeSet<(Kind, String)> = BTreeSet::new();
    facts
        .into_iter()
        .filter(|fact| {
            let is_first = keys.insert((fact.kind(), fact.key.clone()));
            if !is_first {
                let record = String::from_utf8_lossy(fact.record.as_bytes());
                let reason = "the source lists this key more than once; the first entry is taken";
                rejects.push(Reject::new(fact.key.as_str(), reason, &record));
            }
            is_first
        })
        .collect()
}
