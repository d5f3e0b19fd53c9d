//! The status of a fact at a time.

use refdesk_core::fact::{EndOfLife, StoredFact};
use refdesk_core::item::Status;

use super::Context;

/// What the status of a fact is at the time that it is.
pub fn status_of(fact: &StoredFact, context: Context<'_>) -> Status {
    if fact.standing.removed_at.is_some() {
        return Status::Removed;
    }
    EndOfLife::of(fact).status(fact.head.status, context.now)
}
