//! Records of an upstream that did not become facts.

use serde::{Deserialize, Serialize};

/// An upstream record that could not become a fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reject {
    /// The upstream's key of it, or its position (`line 12`, `page 3 item 7`). As it is written but for NUL, which no store takes: by it
    /// the stored fact is found whose record can no longer be read.
    pub key: String,
    /// Why, in a sentence for people that says what to mend.
    pub reason: String,
    /// The beginning of the record, at most [`REJECT_EXCERPT_CHARS_MAX`] characters.
    pub excerpt: String,
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
        }
    }
}
