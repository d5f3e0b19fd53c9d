//! The form of API keys: `rdk_`, 30 random base62 characters, and 6 base62 characters of their CRC-32 (`docs/api.md#keys-and-limits`).
//!
//! The checksum lets a mistyped key be refused without a look-up. Only [`fingerprint`] and [`display_prefix`] are ever stored.
//! Where keys are kept is `refdesk-ingest`'s matter, who may use one is `refdesk-serve`'s.

use serde::Serialize;

use crate::Stamp;

/// What every key begins with.
pub const PREFIX: &str = "rdk_";
/// Random characters of a key: 30 base62 digits are 178 bits.
pub const RANDOM_CHARS: usize = 30;
/// Characters of the checksum.
pub const CHECK_CHARS: usize = 6;
/// Characters of a key that may be shown in lists: the prefix and eight of the random ones.
pub const DISPLAY_CHARS: usize = 12;

/// An API key as it is kept: everything but the key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KeyRecord {
    /// Id for people and commands.
    pub id: String,
    /// SHA-256 of the key.
    #[serde(skip_serializing)]
    pub fingerprint: [u8; 32],
    /// The first characters, to tell keys apart.
    pub prefix: String,
    /// Name given by the operator.
    pub name: String,
    /// When it was made.
    pub created_at: Stamp,
    /// From when on it is refused.
    pub expires_at: Option<Stamp>,
    /// When it was revoked.
    pub revoked_at: Option<Stamp>,
    /// When it was last used.
    pub last_used_at: Option<Stamp>,
    /// Requests a minute, when not the default.
    pub limit_per_minute: Option<u32>,
}

const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// A new key out of random bytes. Bytes beyond the largest multiple of 62 are skipped, so that every digit is equally likely;
/// `random` is asked until there are enough.
pub fn generate(mut random: impl FnMut() -> u8) -> String {
    let mut key = String::with_capacity(PREFIX.len() + RANDOM_CHARS + CHECK_CHARS);
    key.push_str(PREFIX);
    while key.len() < PREFIX.len() + RANDOM_CHARS {
        let byte = usize::from(random());
        if byte < 4 * BASE62.len() {
            key.push(char::from(BASE62[byte % BASE62.len()]));
        }
    }
    let check = checksum(&key[PREFIX.len()..]);
    key.push_str(&check);
    key
}

/// The CRC-32 of the random characters as six base62 digits, most significant first.
fn checksum(random: &str) -> String {
    let mut rest = crc32fast::hash(random.as_bytes()) as usize;
    let mut digits = [b'0'; CHECK_CHARS];
    for digit in digits.iter_mut().rev() {
        *digit = BASE62[rest % BASE62.len()];
        rest /= BASE62.len();
    }
    digits.iter().map(|digit| char::from(*digit)).collect()
}

/// True when a text has the form of a key and its checksum is right.
pub fn is_well_formed(text: &str) -> bool {
    let Some(rest) = text.strip_prefix(PREFIX) else { return false };
    rest.len() == RANDOM_CHARS + CHECK_CHARS
        && rest.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && checksum(&rest[..RANDOM_CHARS]) == rest[RANDOM_CHARS..]
}

/// SHA-256 of the whole key: all that is stored of its secret.
pub fn fingerprint(key: &str) -> [u8; 32] {
    crate::hash::sha256(key.as_bytes())
}

/// The beginning of a key, by which people tell keys apart.
pub fn display_prefix(key: &str) -> &str {
    key.get(..DISPLAY_CHARS).unwrap_or(key)
}

#[cfg(test)]
mod tests {
    use super::{display_prefix, generate, is_well_formed};

    #[test]
    fn a_key_has_the_published_form_and_a_typo_is_noticed() {
        let mut next = 0_u8;
        let key = generate(|| {
            next = next.wrapping_mul(31).wrapping_add(17);
            next
        });
        assert_eq!(key.len(), 40);
        assert!(key.starts_with("rdk_") && is_well_formed(&key), "{key}");
        assert_eq!(display_prefix(&key), &key[..12]);
        assert_eq!(super::checksum("0123456789ABCDEFGHIJKLMNOPQRST"), "4PMbyp", "the checksum by the published rule");
        for at in 4..40 {
            let mut typo: Vec<u8> = key.clone().into_bytes();
            typo[at] = if typo[at] == b'x' { b'y' } else { b'x' };
            assert!(!is_well_formed(&String::from_utf8_lossy(&typo)), "a changed character {at} is noticed");
        }
        for text in ["", "rdk_", "sk-123", "rdk_000000000000000000000000000000000000é"] {
            assert!(!is_well_formed(text), "{text}");
        }
    }
}
