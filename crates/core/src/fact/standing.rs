//! The times of a stored fact, and what follows from them at some moment: whether it is stale and why, and whether what it speaks of has
//! come to its end.

use serde::{Deserialize, Serialize};

use super::StoredFact;
use crate::item::Status;
use crate::time::CLOCK_AHEAD_SECS_MAX;
use crate::{Kind, Stamp};

crate::closed_set! {
    /// Why a fact is stale.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
    #[serde(rename_all = "snake_case")]
    pub enum StaleReason {
        /// Older than the source's `stale_after`.
        Expired => "expired",
        /// The source's bytes changed and could not be parsed; the last good facts are shown.
        ParseFailed => "parse_failed",
        /// The source's new state was put into quarantine; the last good facts are shown.
        Quarantined => "quarantined",
        /// The source removed or moved the item.
        Removed => "removed",
        /// Never confirmed: by no parse, or by nobody where a hand-written card does not say when.
        NeverVerified => "never_verified",
    }
}

/// When a stored fact was last confirmed: all of its standing that a sync changes which finds nothing new.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub struct Confirmed {
    /// See [`Standing::last_synced_at`].
    pub last_synced_at: Stamp,
    /// See [`Standing::last_verified_at`].
    pub last_verified_at: Option<Stamp>,
}

/// The times and the standing of a stored fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Standing {
    /// When the source was first seen to state it.
    pub first_seen_at: Stamp,
    /// When these bytes were last taken from the source.
    pub last_synced_at: Stamp,
    /// When our parser last confirmed that the source still says the same.
    pub last_verified_at: Option<Stamp>,
    /// When the source stopped listing it.
    pub removed_at: Option<Stamp>,
    /// When it was first seen to state what it does, or was listed again.
    pub changed_at: Stamp,
    /// Set when the source changed and its new state could not be taken: `ParseFailed` or `Quarantined`.
    pub held_back: Option<StaleReason>,
    /// The source was seen to list the item in two states of its bytes.
    pub restated: bool,
}

impl Standing {
    /// When it was last confirmed.
    pub const fn confirmed(&self) -> Confirmed {
        Confirmed { last_synced_at: self.last_synced_at, last_verified_at: self.last_verified_at }
    }

    /// The same, confirmed at other times.
    #[must_use]
    pub const fn confirmed_at(self, times: Confirmed) -> Self {
        Self { last_synced_at: times.last_synced_at, last_verified_at: times.last_verified_at, ..self }
    }

    const fn times(&self) -> [Option<Stamp>; 5] {
        let Self { first_seen_at, last_synced_at, last_verified_at, removed_at, changed_at, .. } = *self;
        [Some(first_seen_at), Some(last_synced_at), last_verified_at, removed_at, Some(changed_at)]
    }

    /// Which of its times cannot have been yet at `now`.
    pub fn ahead_at(&self, now: Stamp) -> AheadTimes {
        let bits = self.times().into_iter().zip(0..).filter(|(at, _)| at.is_some_and(|at| at.is_ahead_of(now)));
        AheadTimes(bits.fold(0, |ahead, (_, bit)| ahead | 1 << bit))
    }

    /// Its times; those that lie ahead of the clock are absent.
    pub fn known(&self, ahead: AheadTimes) -> KnownTimes {
        let known = |bit: usize| self.times()[bit].filter(|_| ahead.0 & 1 << bit == 0);
        KnownTimes {
            first_seen_at: known(0),
            last_synced_at: known(1),
            last_verified_at: known(2),
            removed_at: known(3),
            changed_at: known(4),
        }
    }

    /// What of its times can be known at `now`.
    pub fn known_at(&self, now: Stamp) -> KnownTimes {
        self.known(self.ahead_at(now))
    }

    /// The next moment after `now` at which one of the times that lie ahead of the clock can be known.
    pub fn next_known_at(&self, now: Stamp) -> Option<Stamp> {
        let ahead = self.times().into_iter().flatten().filter(|at| at.is_ahead_of(now));
        ahead.map(|at| at.plus_secs(-CLOCK_AHEAD_SECS_MAX)).min()
    }

    /// Why the fact is stale at `now`, or `None` when it is fresh.
    pub fn stale_reason(&self, stale_after_secs: i64, now: Stamp) -> Option<StaleReason> {
        if self.removed_at.is_some() {
            return Some(StaleReason::Removed);
        }
        if self.held_back.is_some() {
            return self.held_back;
        }
        match self.known_at(now).last_verified_at {
            None => Some(StaleReason::NeverVerified),
            Some(at) => (now >= at.plus_secs(stale_after_secs)).then_some(StaleReason::Expired),
        }
    }
}

/// Which times of a [`Standing`] lie ahead of the clock: a bit for each, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AheadTimes(u8);

/// The times of a fact as they can be known at some moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KnownTimes {
    /// When the source was first seen to state it.
    pub first_seen_at: Option<Stamp>,
    /// When these bytes were last taken from the source.
    pub last_synced_at: Option<Stamp>,
    /// When our parser last confirmed that the source still says the same.
    pub last_verified_at: Option<Stamp>,
    /// When the source stopped listing it.
    pub removed_at: Option<Stamp>,
    /// When it was first seen to state what it does, or was listed again.
    pub changed_at: Option<Stamp>,
}

/// The dates at which what a fact speaks of comes to its end, by its own words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct EndOfLife {
    /// From when on it is deprecated.
    pub deprecated_at: Option<Stamp>,
    /// From when on it answers no more.
    pub retires_at: Option<Stamp>,
}

impl EndOfLife {
    /// The dates that the fields of a fact state.
    pub fn from_fact(fact: &StoredFact) -> Self {
        if fact.kind != Kind::Model {
            return Self::default();
        }
        let date = |name: &str| fact.fields.top_level_text(name).and_then(|text| Stamp::date_passed_at(&text));
        Self { deprecated_at: date("deprecated_on"), retires_at: date("retires_on") }
    }

    /// What a stated status is at `now`: a date that has passed outweighs it.
    pub fn status(self, stated: Status, now: Stamp) -> Status {
        let passed = |at: Option<Stamp>| at.is_some_and(|at| at <= now);
        match stated {
            Status::Removed | Status::Retired | Status::Published | Status::Candidate => stated,
            _ if passed(self.retires_at) => Status::Retired,
            _ if passed(self.deprecated_at) => Status::Deprecated,
            _ => stated,
        }
    }

    /// The next of the dates after `now`.
    pub fn next_after(self, now: Stamp) -> Option<Stamp> {
        [self.deprecated_at, self.retires_at].into_iter().flatten().filter(|at| *at > now).min()
    }
}
