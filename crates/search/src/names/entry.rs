//! Fixed-width records of the entity-name index (a document store in columns): a stored name, where its text and terms begin, and an entry of
//! the sorted key list.

use super::spelling::{NormalisedName, Separators};
use crate::NameKind;
use refdesk_core::codec::packed::Packed;
use std::ops::Deref;

/// The kinds of names, each at its number.
const KINDS: [NameKind; 5] = [NameKind::Id, NameKind::Name, NameKind::Brand, NameKind::Alias, NameKind::Path];

/// What is stored of a name, in 16 bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct StoredName {
    pub separators: Separators,
    /// Bytes of the key.
    pub key_bytes: u8,
    /// Bytes in front of the base name (the vendor prefix), and bytes of the base name.
    pub base_start: u8,
    pub base_bytes: u8,
    pub tokens: u8,
    /// Tokens in front of the base name.
    pub vendor_tokens: u8,
    pub base_tokens: u8,
    pub versions: u8,
    pub kind: NameKind,
}

impl StoredName {
    pub(super) fn new(name: &NormalisedName, versions: usize, kind: NameKind) -> Self {
        let base = name.base_key();
        let base_start = base.as_ptr() as usize - name.key.as_ptr() as usize;
        Self {
            separators: name.separators(),
            key_bytes: name.key.len() as u8,
            base_start: base_start as u8,
            base_bytes: base.len() as u8,
            tokens: name.tokens.len() as u8,
            vendor_tokens: name.base.start as u8,
            base_tokens: name.base.len() as u8,
            versions: versions as u8,
            kind,
        }
    }

    /// The part of the name's key that is the base name.
    pub(super) fn base_of<'a>(&self, key: &'a str) -> &'a str {
        let start = usize::from(self.base_start);
        &key[start..start + usize::from(self.base_bytes)]
    }

    /// Positions of the base name's tokens.
    pub(super) fn base_range(&self) -> std::ops::Range<usize> {
        let start = usize::from(self.vendor_tokens);
        start..start + usize::from(self.base_tokens)
    }

    /// Number of its terms: tokens, then versions.
    pub(super) fn terms(&self) -> usize {
        usize::from(self.tokens) + usize::from(self.versions)
    }
}

impl Packed for StoredName {
    const BYTES: usize = 16;

    fn pack(&self, out: &mut Vec<u8>) {
        let Self { separators, key_bytes, base_start, base_bytes, tokens, vendor_tokens, base_tokens, versions, kind } =
            *self;
        let bytes = [key_bytes, base_start, base_bytes, tokens, vendor_tokens, base_tokens, versions, kind as u8];
        (separators.0, bytes).pack(out);
    }

    fn unpack(bytes: &[u8]) -> Self {
        let (separators, bytes) = Packed::unpack(bytes);
        let [key_bytes, base_start, base_bytes, tokens, vendor_tokens, base_tokens, versions, kind] = bytes;
        let separators = Separators(separators);
        let kind = KINDS[usize::from(kind).min(KINDS.len() - 1)];
        Self { separators, key_bytes, base_start, base_bytes, tokens, vendor_tokens, base_tokens, versions, kind }
    }
}

/// A stored name with what follows from its position.
#[derive(Debug, Clone, Copy)]
pub(super) struct NameEntry {
    pub stored: StoredName,
    /// Ordinal of its item.
    pub ordinal: u32,
    /// Position of its first term.
    pub first_term: u32,
}

impl Deref for NameEntry {
    type Target = StoredName;

    fn deref(&self) -> &StoredName {
        &self.stored
    }
}

/// Where the data of a name begins.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct NameOffsets {
    /// Byte in the key arena.
    pub key: u32,
    /// Position in the list of terms.
    pub term: u32,
}

impl NameOffsets {
    /// The offsets of the name that follows one with these offsets.
    pub(super) fn after(self, name: &StoredName) -> Self {
        Self { key: self.key + u32::from(name.key_bytes), term: self.term + name.terms() as u32 }
    }
}

impl Packed for NameOffsets {
    const BYTES: usize = 8;

    fn pack(&self, out: &mut Vec<u8>) {
        [self.key, self.term].pack(out);
    }

    fn unpack(bytes: &[u8]) -> Self {
        let [key, term] = Packed::unpack(bytes);
        Self { key, term }
    }
}

/// An entry of the sorted list for whole and prefix look-up: the number of a name, and in the lowest bit whether its whole key is meant
/// or its base name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SortedKey(u32);

impl SortedKey {
    pub(super) const fn whole(name: u32) -> Self {
        Self(name << 1)
    }

    pub(super) const fn base(name: u32) -> Self {
        Self(name << 1 | 1)
    }

    pub(super) const fn name(self) -> u32 {
        self.0 >> 1
    }

    pub(super) const fn is_base(self) -> bool {
        self.0 & 1 == 1
    }
}

impl Packed for SortedKey {
    const BYTES: usize = 4;

    fn pack(&self, out: &mut Vec<u8>) {
        self.0.pack(out);
    }

    fn unpack(bytes: &[u8]) -> Self {
        Self(Packed::unpack(bytes))
    }
}
