//! How contents lie in the store: a tag byte, then the bytes as they are or zstd with their length before it.
//! Reading gives back the very bytes that were written.

use std::cell::RefCell;

use zstd::bulk::Decompressor;

use super::error::StoreError;

/// Contents shorter than this are kept as they are: compressing them costs more than it saves.
const PACK_FROM_BYTES: usize = 256;
const LEVEL: i32 = 3;
const PLAIN: u8 = 0;
const ZSTD: u8 = 1;
/// Tag and length before a compressed content.
const HEADER_BYTES: usize = 5;
/// No content is larger than this once unpacked; a length beyond it is damage.
pub const CONTENT_BYTES_MAX: usize = 1 << 30;

/// Packs many contents with one compression context.
pub struct Packer(Option<zstd::bulk::Compressor<'static>>);

impl Packer {
    /// A packer; without a compression context (out of memory) contents are kept plain.
    pub fn new() -> Self {
        Self(zstd::bulk::Compressor::new(LEVEL).ok())
    }

    /// The stored form of a content.
    pub fn pack(&mut self, content: &[u8]) -> Vec<u8> {
        if content.len() >= PACK_FROM_BYTES
            && let (Some(compressor), Ok(length)) = (&mut self.0, u32::try_from(content.len()))
            && let Ok(squeezed) = compressor.compress(content)
            && squeezed.len() + HEADER_BYTES < content.len()
        {
            let mut out = Vec::with_capacity(squeezed.len() + HEADER_BYTES);
            out.push(ZSTD);
            out.extend_from_slice(&length.to_le_bytes());
            out.extend_from_slice(&squeezed);
            return out;
        }
        let mut out = Vec::with_capacity(content.len() + 1);
        out.push(PLAIN);
        out.extend_from_slice(content);
        out
    }
}

impl Default for Packer {
    fn default() -> Self {
        Self::new()
    }
}

/// The content of a stored form.
///
/// # Errors
/// When the stored bytes are damaged.
pub fn unpack(stored: &[u8]) -> Result<Vec<u8>, StoreError> {
    let damaged = |reason: String| StoreError::Value { what: "content".into(), reason };
    match stored.split_first() {
        Some((&PLAIN, content)) => Ok(content.to_vec()),
        Some((&ZSTD, rest)) => {
            let (length, squeezed) = rest.split_first_chunk::<4>().ok_or_else(|| damaged("it is cut off".into()))?;
            let length = u32::from_le_bytes(*length) as usize;
            if length > CONTENT_BYTES_MAX {
                return Err(damaged(format!("its length {length} is beyond the limit")));
            }
            let content = decompress(squeezed, length).map_err(|error| damaged(error.to_string()))?;
            if content.len() == length { Ok(content) } else { Err(damaged("its length is wrong".into())) }
        }
        _ => Err(damaged("its form is unknown".into())),
    }
}

/// At most `length` bytes, by the context of this thread: making one takes as long as a small content does.
fn decompress(squeezed: &[u8], length: usize) -> std::io::Result<Vec<u8>> {
    thread_local! {
        static CONTEXT: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
    }
    CONTEXT.with_borrow_mut(|context| {
        let context = match context {
            Some(context) => context,
            None => context.insert(Decompressor::new()?),
        };
        context.decompress(squeezed, length)
    })
}

/// The text of a stored form.
///
/// # Errors
/// When the stored bytes are damaged or no UTF-8.
pub fn unpack_text(stored: &[u8]) -> Result<String, StoreError> {
    String::from_utf8(unpack(stored)?).map_err(|error| StoreError::value("text", &error))
}

#[cfg(test)]
mod tests {
    use super::{Packer, unpack};

    #[test]
    fn contents_come_back_as_they_were() {
        let mut packer = Packer::new();
        for content in [b"".to_vec(), b"short".to_vec(), vec![7; 100_000], (0..=255).cycle().take(999).collect()] {
            assert_eq!(unpack(&packer.pack(&content)).unwrap(), content);
        }
        assert!(packer.pack(&vec![7; 100_000]).len() < 100);
    }

    #[test]
    fn damaged_contents_are_an_error() {
        let mut packed = Packer::new().pack(&vec![7; 1_000]);
        packed.truncate(packed.len() - 3);
        assert!(unpack(&packed).is_err());
        assert!(unpack(&[]).is_err());
        assert!(unpack(&[9, 1]).is_err());
        assert!(unpack(&[1, 255, 255, 255, 255, 0]).is_err());
    }
}
