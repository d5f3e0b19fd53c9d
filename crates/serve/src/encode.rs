//! Content encodings of answers: which one a client takes, and the encoded bodies of one generation, kept while it lasts.

use std::collections::HashMap;
use std::io::Write;
use std::sync::Mutex;

use bytes::Bytes;
use http::{HeaderMap, header};

/// A content encoding that answers are sent in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Encoding {
    Identity,
    Gzip,
    Brotli,
    Zstd,
}

/// Quality settings: fast enough for a body that is encoded on request.
const GZIP_LEVEL: u32 = 5;
const BROTLI_LEVEL: i32 = 4;
const ZSTD_LEVEL: i32 = 3;
const BROTLI_WINDOW: i32 = 20;

impl Encoding {
    /// The token of `Content-Encoding`, `None` for identity.
    pub(crate) const fn token(self) -> Option<&'static str> {
        match self {
            Self::Identity => None,
            Self::Gzip => Some("gzip"),
            Self::Brotli => Some("br"),
            Self::Zstd => Some("zstd"),
        }
    }

    /// What tells the entity tag of this encoding from the others'.
    pub(crate) const fn tag_suffix(self) -> &'static str {
        match self {
            Self::Identity => "",
            Self::Gzip => "-gz",
            Self::Brotli => "-br",
            Self::Zstd => "-zs",
        }
    }

    /// The best encoding that a client accepts: by its q-values, then zstd, br, gzip.
    pub(crate) fn accepted(headers: &HeaderMap) -> Self {
        let mut best = (0, Self::Identity);
        for value in headers.get_all(header::ACCEPT_ENCODING) {
            for part in value.to_str().unwrap_or_default().split(',') {
                let (name, q) = part.split_once(';').unwrap_or((part, ""));
                let found = match name.trim().to_ascii_lowercase().as_str() {
                    "gzip" | "x-gzip" => (1, Self::Gzip),
                    "br" => (2, Self::Brotli),
                    "zstd" => (3, Self::Zstd),
                    _ => continue,
                };
                let quality =
                    q.trim().strip_prefix("q=").map_or(1000, |q| (q.parse().unwrap_or(0.0_f64) * 1000.0) as u32);
                let weight = quality * 4 + u32::from(quality > 0) * found.0;
                if quality > 0 && weight > best.0 {
                    best = (weight, found.1);
                }
            }
        }
        best.1
    }

    /// The encoded bytes; `None` when encoding failed, so that the plain body is sent.
    pub(crate) fn encode(self, pieces: &[Bytes]) -> Option<Bytes> {
        let out = match self {
            Self::Identity => return None,
            Self::Gzip => {
                let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(GZIP_LEVEL));
                write_all(&mut writer, pieces)?;
                writer.finish().ok()?
            }
            Self::Brotli => {
                let params = brotli::enc::BrotliEncoderParams {
                    quality: BROTLI_LEVEL,
                    lgwin: BROTLI_WINDOW,
                    ..Default::default()
                };
                let mut out = Vec::new();
                {
                    let mut writer = brotli::CompressorWriter::with_params(&mut out, 16 * 1024, &params);
                    write_all(&mut writer, pieces)?;
                }
                out
            }
            Self::Zstd => {
                let mut writer = zstd::Encoder::new(Vec::new(), ZSTD_LEVEL).ok()?;
                write_all(&mut writer, pieces)?;
                writer.finish().ok()?
            }
        };
        Some(out.into())
    }
}

fn write_all(writer: &mut impl Write, pieces: &[Bytes]) -> Option<()> {
    pieces.iter().try_for_each(|piece| writer.write_all(piece)).ok()
}

/// Encoded answers of one generation by target and entity tag, up to a number of bytes; a new generation empties it.
#[derive(Debug)]
pub(crate) struct EncodedCache {
    bytes_max: usize,
    kept: Mutex<(usize, HashMap<String, Bytes>)>,
}

impl EncodedCache {
    pub(crate) fn new(bytes_max: usize) -> Self {
        Self { bytes_max, kept: Mutex::default() }
    }

    pub(crate) fn get(&self, key: &str) -> Option<Bytes> {
        self.kept.lock().ok()?.1.get(key).cloned()
    }

    /// Keeps a body while there is room; the first to come are the hot ones.
    pub(crate) fn put(&self, key: &str, body: &Bytes) {
        let Ok(mut kept) = self.kept.lock() else { return };
        if kept.0 + body.len() <= self.bytes_max && !kept.1.contains_key(key) {
            kept.0 += body.len();
            kept.1.insert(key.to_owned(), body.clone());
        }
    }

    pub(crate) fn clear(&self) {
        if let Ok(mut kept) = self.kept.lock() {
            *kept = (0, HashMap::new());
        }
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use http::{HeaderMap, HeaderValue, header};

    use super::{EncodedCache, Encoding};

    #[test]
    fn encoded_answers_are_kept_up_to_their_bytes() {
        let kept = EncodedCache::new(10);
        for (key, body, is_kept) in
            [("a", "123456", true), ("b", "12345", false), ("c", "1234", true), ("d", "1", false)]
        {
            kept.put(key, &Bytes::from_static(body.as_bytes()));
            assert_eq!(kept.get(key).is_some(), is_kept, "{key}");
        }
        kept.clear();
        kept.put("b", &Bytes::from_static(b"12345"));
        assert!(kept.get("b").is_some() && kept.get("a").is_none(), "a new generation has room again");
    }

    #[test]
    fn the_client_s_q_values_decide_and_then_our_preference() {
        for (accept, wanted) in [
            ("gzip, br, zstd", Encoding::Zstd),
            ("gzip;q=1.0, br;q=0.5", Encoding::Gzip),
            ("br;q=0", Encoding::Identity),
            ("deflate", Encoding::Identity),
            ("", Encoding::Identity),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(accept));
            assert_eq!(Encoding::accepted(&headers), wanted, "{accept}");
        }
    }
}
