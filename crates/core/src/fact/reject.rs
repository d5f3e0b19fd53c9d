//! Records of an upstream that did not become facts.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// An upstream record that could not become a fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reject {
    /// The upstream's key of it, or its position (`line 12`, `page 3 item 7`). As it is written but for NUL, which no store takes: by it,
    /// or by what it [`covers`](Self::covers), the stored fact is found whose record can no longer be read.
    pub key: String,
    /// Why, in a sentence for people that says what to mend.
    pub reason: String,
    /// The beginning of the record, at most [`REJECT_EXCERPT_CHARS_MAX`] characters.
    pub excerpt: String,
    /// The stored facts that the record states: not kept with the reject, as a sync notes it with the facts.
    #[serde(skip)]
    pub covers: Covers,
}

/// Which facts a record that cannot be read would state. Their source still lists them, so they are held back and not taken for removed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Covers {
    /// The one with the reject's own key.
    #[default]
    SameKey,
    /// The one with this key.
    Fact(String),
    /// The one with this key, and all whose keys go on behind it with `/` or `#`: the record is a file or a group of facts.
    Group(String),
    /// Those whose record was read at this address or below it, and those with these keys: a file or folder that cannot be read does not
    /// tell what it states. Whoever has the stored facts adds their keys.
    RecordsAt {
        /// The address of the file or folder, as [`Provenance::record_url`](super::Provenance::record_url) has it.
        url: String,
        /// The keys that are known.
        keys: Vec<String>,
    },
}

/// How much of a bad record is kept beside its reason.
pub const REJECT_EXCERPT_CHARS_MAX: usize = 400;
/// How much of its key is kept, in bytes: all that the key of a fact may have.
pub const REJECT_KEY_BYTES_MAX: usize = 1 << 10;
/// How much of the reason is kept.
pub const REJECT_REASON_CHARS_MAX: usize = 1_000;

impl Reject {
    /// A reject with the beginning of its record.
    pub fn new(key: impl Into<String>, reason: impl Into<String>, record: &str) -> Self {
        let mut key = key.into();
        key.retain(|c| c != '\0');
        key.truncate(key.floor_char_boundary(REJECT_KEY_BYTES_MAX));
        Self {
            key,
            reason: crate::clean::excerpt(&reason.into(), REJECT_REASON_CHARS_MAX),
            excerpt: crate::clean::excerpt(record, REJECT_EXCERPT_CHARS_MAX),
            covers: Covers::SameKey,
        }
    }

    /// The same, of a record whose fact has another key than the reject, where it is known.
    #[must_use]
    pub fn of(mut self, key: Option<impl Into<String>>) -> Self {
        if let Some(key) = key {
            self.covers = Covers::Fact(key.into());
        }
        self
    }

    /// The same, of a record that states a [group](Covers::Group) of facts.
    #[must_use]
    pub fn of_group(mut self, key: impl Into<String>) -> Self {
        self.covers = Covers::Group(key.into());
        self
    }
}

/// The keys of facts that rejected records cover.
#[derive(Debug, Default)]
pub struct CoveredKeys<'a> {
    keys: BTreeSet<&'a str>,
    groups: Vec<&'a str>,
}

impl<'a> CoveredKeys<'a> {
    /// Of all these records.
    pub fn from_rejects(rejects: &'a [Reject]) -> Self {
        let mut covered = Self::default();
        for reject in rejects {
            match &reject.covers {
                Covers::SameKey => drop(covered.keys.insert(&reject.key)),
                Covers::Fact(key) => drop(covered.keys.insert(key)),
                Covers::Group(key) => covered.groups.push(key),
                Covers::RecordsAt { keys, .. } => covered.keys.extend(keys.iter().map(String::as_str)),
            }
        }
        covered
    }

    /// Whether one of them covers the fact with this key.
    pub fn has(&self, key: &str) -> bool {
        let is_in =
            |group: &&str| key.strip_prefix(*group).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '#']));
        self.keys.contains(key) || self.groups.iter().any(is_in)
    }
}
