//! Content hashes: what makes an evidence record checkable by anyone.

use sha2::{Digest, Sha256};

/// Bytes of the digest that stand in a short key.
const SHORT_BYTES: usize = 10;

/// `sha256:<64 lower-case hex>` of raw bytes.
pub fn content_hash(bytes: &[u8]) -> String {
    sha256_text(&Sha256::digest(bytes))
}

/// What stands before the digits of a content hash.
const SHA256: &str = "sha256:";

/// A digest as `sha256:<64 lower-case hex>`.
pub fn sha256_text(digest: &[u8]) -> String {
    [SHA256, &hex(digest)].concat()
}

/// The digest that a text of exactly that form names.
pub fn sha256_of(text: &str) -> Option<[u8; 32]> {
    let digits = text.strip_prefix(SHA256)?.as_bytes();
    let value = |digit: u8| match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    };
    let mut digest = [0; 32];
    let (pairs, []) = digits.as_chunks::<2>() else { return None };
    if pairs.len() != digest.len() {
        return None;
    }
    for (byte, [high, low]) in digest.iter_mut().zip(pairs) {
        *byte = value(*high)? << 4 | value(*low)?;
    }
    Some(digest)
}

/// The RFC 8785 (JCS) canonical form of a JSON value.
///
/// # Errors
/// When the value holds a number that JSON cannot express.
pub fn canonical_json(value: &serde_json::Value) -> Result<String, serde_json::Error> {
    serde_json_canonicalizer::to_string(value)
}

/// A short stable key: `prefix` and the first 20 hex digits of the SHA-256 over the parts, separated by NUL.
pub fn short_key(prefix: &str, parts: &[&str]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part.as_bytes());
        hasher.update([0]);
    }
    let digest = hex(&hasher.finalize()[..SHORT_BYTES]);
    if prefix.is_empty() { digest } else { format!("{prefix}{digest}") }
}

/// The first eight bytes of the SHA-256, as a number: tells texts apart in a table in memory, where no one else reads it.
pub fn short_hash(bytes: &[u8]) -> u64 {
    let digest = Sha256::digest(bytes);
    digest.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// Lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    // Every request gets an id, so this does not go through the formatter.
    let mut out = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        out.push(char::from(DIGITS[usize::from(byte >> 4)]));
        out.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{canonical_json, content_hash, sha256_of, sha256_text};

    #[test]
    fn hashes_and_canonical_forms_are_the_published_ones() {
        assert_eq!(content_hash(b"abc"), "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        let hash = content_hash(b"abc");
        assert_eq!(sha256_of(&hash).map(|digest| sha256_text(&digest)), Some(hash.clone()));
        for other in ["", "sha256:", &hash[..70], &hash.to_uppercase(), &format!("{hash}00")] {
            assert_eq!(sha256_of(other), None, "{other}");
        }
        let value = serde_json::json!({"b": 1e21, "a": [0.1, 3.0, "\u{20ac}"]});
        assert_eq!(canonical_json(&value).ok().as_deref(), Some(r#"{"a":[0.1,3,"€"],"b":1e+21}"#));
    }
}
