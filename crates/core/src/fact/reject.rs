//! Records of an upstream that did not become facts.

use serde::{Deserialize, Serialize};

/// An upstream record that could not become a fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reject {
    /// The upstream's key of it, or its position (`line 12`, `page 3 item 7`).
    pub key: String,
    /// Why, in a sentence for people that says what to mend.
    pub reason: String,
    /// The beginning of the record, at most [`REJECT_EXCERPT_CHARS_MAX`] characters.
    pub excerpt: String,
}

/// How much of a bad record is kept beside its reason.
pub const REJECT_EXCERPT_CHARS_MAX: usize = 400;
/// How much of its key is kept. It is what an upstream wrote, as parts of the reason are.
pub const REJECT_KEY_CHARS_MAX: usize = 300;
/// How much of the reason is kept.
pub const REJECT_REASON_CHARS_MAX: usize = 1_000;

impl Reject {
    /// A reject with the beginning of its record.
    pub fn new(key: impl Into<String>, reason: impl Into<String>, record: &str) -> Self {
        Self {
            key: crate::clean::excerpt(&key.into(), REJECT_KEY_CHARS_MAX),
            reason: crate::clean::excerpt(&reason.into(), REJECT_REASON_CHARS_MAX),
            excerpt: crate::clean::excerpt(record, REJECT_EXCERPT_CHARS_MAX),
        }
    }
}
