//! How one pass over a source ended: confirmed, ready to be committed, or failed, and what a failure does to the facts that are stored.

use std::collections::BTreeMap;

use refdesk_core::{Reject, StaleReason, Stamp};

use super::pass::{self, PassError};
use crate::config::{SourceConfig, Span};
use crate::fetch::{FetchCode, FetchError};
use crate::store::{Effect, HeldState, KnownFacts, PreparedFact, RunOutcome, StoreError, SyncCounts, Validators};

/// What went wrong, and what it does to the facts that are stored.
pub(super) struct Failure {
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

/// How a pass ended that did not fail.
pub(super) enum PassOutcome {
    Confirmed { validators: Validators, synced: bool, status: Option<u16> },
    Ready(Box<PendingCommit>),
}

/// A pass that may be committed.
pub(super) struct PendingCommit {
    pub(super) facts: Vec<PreparedFact>,
    pub(super) known: KnownFacts,
    pub(super) rejects: Vec<Reject>,
    pub(super) validators: Validators,
    pub(super) partial: bool,
    pub(super) new_bytes: bool,
    pub(super) counts: SyncCounts,
    pub(super) ignored: BTreeMap<String, usize>,
    pub(super) unshown: BTreeMap<String, usize>,
    pub(super) status: Option<u16>,
}

/// Why an attempt brings nothing.
pub(super) enum AttemptError {
    /// The source's own failure, which its state tells.
    Source(Box<Failure>),
    /// The store failed, and so nothing can be noted.
    Store(StoreError),
}

impl From<Box<Failure>> for AttemptError {
    fn from(failure: Box<Failure>) -> Self {
        Self::Source(failure)
    }
}

impl From<StoreError> for AttemptError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl Failure {
    /// A failure that leaves the stored facts as they are.
    pub(super) fn new(code: &str, message: String) -> Self {
        Self {
            code: code.into(),
            message,
            status: None,
            retry_at: None,
            outcome: RunOutcome::Failed,
            effect: Effect::None,
            may_be_cursor: false,
            held: None,
        }
    }

    /// The source cannot be asked as it is configured.
    pub(super) fn configuration(message: String) -> Box<Self> {
        Box::new(Self::new("configuration", message))
    }

    /// More came than a bound allows; the message names it.
    pub(super) fn too_large(message: String) -> Box<Self> {
        Box::new(Self::new(FetchCode::TooLarge.as_str(), message))
    }

    /// The source's bytes came, but they cannot be parsed: the stored facts are shown as stale.
    pub(super) fn unparsed(code: &str, message: String) -> Box<Self> {
        Box::new(Self {
            status: Some(200),
            effect: Effect::HoldBack(StaleReason::ParseFailed),
            may_be_cursor: true,
            ..Self::new(code, message)
        })
    }

    fn fetch(error: &FetchError) -> Box<Self> {
        Box::new(Self {
            status: error.status,
            retry_at: error.retry_at,
            may_be_cursor: pass::is_answered(error),
            ..Self::new(error.code.as_str(), error.to_string())
        })
    }

    /// A pass that broke off.
    pub(super) fn pass(source: &SourceConfig, error: PassError) -> Box<Self> {
        match error {
            PassError::Fetch(error) => Self::fetch(&error),
            PassError::Parse(error) if error.is_too_large => Self::too_large(error.message),
            PassError::Parse(error) => Self::unparsed("parse_failed", error.message),
            PassError::Overdue(timeout) => Box::new(Self::new(
                FetchCode::Timeout.as_str(),
                format!(
                    "the sync was not complete after pass_timeout = {}; raise it if the upstream is that slow",
                    Span(timeout)
                ),
            )),
            PassError::Panic => Self::unparsed(
                "connector_panic",
                format!("the connector `{}` ended unexpectedly; please report it", source.connector),
            ),
        }
    }
}
