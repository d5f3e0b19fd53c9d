//! The key by which the evidence of a fact is asked for.

use std::fmt;

use crate::{Kind, hash};

/// The key of the evidence for an upstream key of a source; stable across syncs. Written `ev_` and 20 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EvidenceKey(pub [u8; EVIDENCE_KEY_BYTES]);

/// Bytes of the hash in an evidence key.
pub const EVIDENCE_KEY_BYTES: usize = hash::SHORT_BYTES;
const EVIDENCE_KEY_PREFIX: &str = "ev_";

impl EvidenceKey {
    /// The key of what a source states under an upstream key.
    pub fn new(source_id: &str, kind: Kind, key: &str) -> Self {
        Self(hash::short_bytes(&[source_id, kind.singular(), key]))
    }

    /// Reads the written form.
    pub fn parse(text: &str) -> Option<Self> {
        hash::unhex(text.strip_prefix(EVIDENCE_KEY_PREFIX)?).map(Self)
    }

    /// The written form, which is ASCII.
    pub fn written(self) -> [u8; EVIDENCE_KEY_PREFIX.len() + 2 * EVIDENCE_KEY_BYTES] {
        let mut text = [0; EVIDENCE_KEY_PREFIX.len() + 2 * EVIDENCE_KEY_BYTES];
        let (prefix, digits) = text.split_at_mut(EVIDENCE_KEY_PREFIX.len());
        prefix.copy_from_slice(EVIDENCE_KEY_PREFIX.as_bytes());
        hash::fill_hex(&self.0, digits);
        text
    }
}

impl fmt::Display for EvidenceKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{EVIDENCE_KEY_PREFIX}{}", hash::hex(&self.0))
    }
}
