//! Content hashes: what makes an evidence record checkable by anyone.

use sha2::{Digest as _, Sha256};

/// Bytes of the digest that stand in a short key.
pub const SHORT_BYTES: usize = 10;
/// Bytes of half a SHA-256.
pub const DIGEST_BYTES: usize = 16;

/// The first half of a SHA-256.
pub type Digest = [u8; DIGEST_BYTES];

/// `sha256:<64 lower-case hex>` of raw bytes.
pub fn content_hash(bytes: &[u8]) -> String {
    sha256_text(&Sha256::digest(bytes))
}

/// What stands before the digits of a content hash.
pub const SHA256: &str = "sha256:";

/// A digest as `sha256:<64 lower-case hex>`.
pub fn sha256_text(digest: &[u8]) -> String {
    [SHA256, &hex(digest)].concat()
}

/// The SHA-256 of bytes.
pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// The SHA-256 of all that a reader has left, which is never in memory as a whole.
///
/// # Errors
/// When it cannot be read.
pub fn sha256_of_reader(mut reader: impl std::io::Read) -> std::io::Result<[u8; 32]> {
    let mut hasher = Sha256::new();
    std::io::copy(&mut reader, &mut hasher)?;
    Ok(hasher.finalize().into())
}

/// Hands on what is written, and hashes it.
pub struct HashingWriter<W> {
    out: W,
    hasher: Sha256,
}

impl<W: std::io::Write> HashingWriter<W> {
    /// One that hands on to `out`.
    pub fn new(out: W) -> Self {
        Self { out, hasher: Sha256::new() }
    }

    /// The SHA-256 of all that was written, and where it went.
    pub fn finish(self) -> ([u8; 32], W) {
        (self.hasher.finalize().into(), self.out)
    }
}

impl<W: std::io::Write> std::io::Write for HashingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}

/// The digest that a text of exactly that form names.
pub fn sha256_of(text: &str) -> Option<[u8; 32]> {
    unhex(text.strip_prefix(SHA256)?)
}

/// The bytes of as many lower-case hexadecimal digits. The crate `hex` would take upper-case ones for the same hash, and encodes by a table.
pub fn unhex<const N: usize>(digits: &str) -> Option<[u8; N]> {
    let value = |digit: u8| match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    };
    let mut bytes = [0; N];
    let (pairs, []) = digits.as_bytes().as_chunks::<2>() else { return None };
    if pairs.len() != bytes.len() {
        return None;
    }
    for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
        *byte = value(*high)? << 4 | value(*low)?;
    }
    Some(bytes)
}

/// The RFC 8785 (JCS) canonical form of a JSON value.
///
/// # Errors
/// When the value holds a number that JSON cannot express.
pub fn canonical_json(value: &serde_json::Value) -> Result<String, serde_json::Error> {
    serde_json_canonicalizer::to_string(value)
}

/// The first half of the SHA-256 over some parts, each ended by NUL.
pub fn digest<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Digest {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part);
        hasher.update([0]);
    }
    let mut half = Digest::default();
    half.copy_from_slice(&hasher.finalize()[..DIGEST_BYTES]);
    half
}

/// A short stable key: `prefix` and the first 20 hex digits of the SHA-256 over the parts, each ended by NUL.
pub fn short_key(prefix: &str, parts: &[&str]) -> String {
    [prefix, &hex(&short_bytes(parts))].concat()
}

/// The bytes of a short key.
pub fn short_bytes(parts: &[&str]) -> [u8; SHORT_BYTES] {
    let digest = digest(parts.iter().map(|part| part.as_bytes()));
    std::array::from_fn(|at| digest[at])
}

/// The first eight bytes of the SHA-256, as a number: tells texts apart in a table in memory, where no one else reads it.
pub fn short_hash(bytes: &[u8]) -> u64 {
    let digest = Sha256::digest(bytes);
    digest.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// Lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    let mut out = Vec::with_capacity(bytes.len() * 2);
    write_hex(bytes, &mut out);
    // Only digits were written.
    String::from_utf8(out).unwrap_or_default()
}

/// Appends lower-case hexadecimal. Every request writes some, so this does not go through the formatter.
pub fn write_hex(bytes: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start + 2 * bytes.len(), 0);
    fill_hex(bytes, &mut out[start..]);
}

/// Writes lower-case hexadecimal into a place of twice as many bytes. No table, so that the loop is compiled to vector instructions.
pub(crate) fn fill_hex(bytes: &[u8], out: &mut [u8]) {
    let digit = |half: u8| half + if half < 10 { b'0' } else { b'a' - 10 };
    for (pair, byte) in out.chunks_exact_mut(2).zip(bytes) {
        pair.copy_from_slice(&[digit(byte >> 4), digit(byte & 15)]);
    }
}

#[cfg(test)]
mod tests {
    use super::{canonical_json, content_hash, sha256_of, sha256_of_reader, sha256_text};

    #[test]
    fn hashes_and_canonical_forms_are_the_published_ones() {
        assert_eq!(content_hash(b"abc"), "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        let hash = content_hash(b"abc");
        assert_eq!(sha256_of(&hash).map(|digest| sha256_text(&digest)), Some(hash.clone()));
        assert_eq!(sha256_of_reader(&b"abc"[..]).ok(), sha256_of(&hash));
        for other in ["", "sha256:", &hash[..70], &hash.to_uppercase(), &format!("{hash}00")] {
            assert_eq!(sha256_of(other), None, "{other}");
        }
        let value = serde_json::json!({"b": 1e21, "a": [0.1, 3.0, "\u{20ac}"]});
        assert_eq!(canonical_json(&value).ok().as_deref(), Some(r#"{"a":[0.1,3,"€"],"b":1e+21}"#));
    }
}
