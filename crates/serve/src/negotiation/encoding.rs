//! Content codings: which one a client prefers, and compression into it.

use std::io::{self, Write as _};

use brotli::enc::BrotliEncoderParams;
use bytes::Bytes;
use flate2::write::GzEncoder;
use http::{HeaderMap, header};

use super::weighted_values;

/// A content coding that answers are sent in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ContentEncoding {
    Identity,
    Gzip,
    Brotli,
    Zstd,
}

/// Compression levels that are fast enough for a body compressed on request.
const GZIP_LEVEL: u32 = 5;
const BROTLI_LEVEL: i32 = 4;
const ZSTD_LEVEL: i32 = 3;
const BROTLI_WINDOW: i32 = 20;

impl ContentEncoding {
    /// The token of `Content-Encoding`, `None` for identity.
    pub(crate) const fn token(self) -> Option<&'static str> {
        match self {
            Self::Identity => None,
            Self::Gzip => Some("gzip"),
            Self::Brotli => Some("br"),
            Self::Zstd => Some("zstd"),
        }
    }

    /// Distinguishes the entity tags of one answer in different codings.
    pub(crate) const fn tag_suffix(self) -> &'static str {
        match self {
            Self::Identity => "",
            Self::Gzip => "-gz",
            Self::Brotli => "-br",
            Self::Zstd => "-zs",
        }
    }

    /// The coding of ours that the client prefers: the highest q-value, then zstd, br, gzip, and none of them.
    pub(crate) fn preferred(headers: &HeaderMap) -> Self {
        const OURS: [(&str, u8, ContentEncoding); 5] = [
            ("identity", 0, ContentEncoding::Identity),
            ("gzip", 1, ContentEncoding::Gzip),
            ("x-gzip", 1, ContentEncoding::Gzip),
            ("br", 2, ContentEncoding::Brotli),
            ("zstd", 3, ContentEncoding::Zstd),
        ];
        let acceptable = weighted_values(headers, &header::ACCEPT_ENCODING).filter(|value| value.weight > 0);
        let ranked = acceptable.filter_map(|value| {
            let (_, rank, encoding) = OURS.iter().find(|(name, ..)| name.eq_ignore_ascii_case(value.name))?;
            Some(((value.weight, *rank), *encoding))
        });
        ranked.max_by_key(|(rank, _)| *rank).map_or(Self::Identity, |(_, encoding)| encoding)
    }

    /// The compressed bytes; `None` when there is nothing to compress or it failed, in which case the plain body is sent.
    pub(crate) fn encode(self, pieces: &[Bytes]) -> Option<Bytes> {
        let mut encoder = Encoder::new(self)?;
        pieces.iter().try_for_each(|piece| encoder.write(piece)).ok()?;
        encoder.finish().ok()
    }

    /// A body that is compressed while it is sent.
    pub(crate) fn encode_all(
        self,
        pieces: impl Iterator<Item = Bytes> + Send + 'static,
    ) -> Box<dyn Iterator<Item = io::Result<Bytes>> + Send> {
        let Some(encoder) = Encoder::new(self) else { return Box::new(pieces.map(Ok)) };
        let mut state = Some((encoder, pieces));
        Box::new(std::iter::from_fn(move || {
            let (mut encoder, mut pieces) = state.take()?;
            loop {
                let Some(piece) = pieces.next() else { return Some(encoder.finish()) };
                if let Err(error) = encoder.write(&piece) {
                    return Some(Err(error));
                }
                let ready = encoder.ready();
                // What is compressed waits for its block.
                if !ready.is_empty() {
                    state = Some((encoder, pieces));
                    return Some(Ok(ready));
                }
            }
        }))
    }
}

/// Compresses into memory.
enum Encoder {
    Gzip(GzEncoder<Vec<u8>>),
    Brotli(Box<brotli::CompressorWriter<Vec<u8>>>),
    Zstd(zstd::Encoder<'static, Vec<u8>>),
}

impl Encoder {
    /// `None` when there is nothing to compress, or no memory for it.
    fn new(encoding: ContentEncoding) -> Option<Self> {
        match encoding {
            ContentEncoding::Identity => None,
            ContentEncoding::Gzip => Some(Self::Gzip(GzEncoder::new(Vec::new(), flate2::Compression::new(GZIP_LEVEL)))),
            ContentEncoding::Brotli => {
                let params = BrotliEncoderParams { quality: BROTLI_LEVEL, lgwin: BROTLI_WINDOW, ..Default::default() };
                Some(Self::Brotli(Box::new(brotli::CompressorWriter::with_params(Vec::new(), 16 * 1024, &params))))
            }
            ContentEncoding::Zstd => zstd::Encoder::new(Vec::new(), ZSTD_LEVEL).ok().map(Self::Zstd),
        }
    }

    fn write(&mut self, piece: &[u8]) -> io::Result<()> {
        match self {
            Self::Gzip(encoder) => encoder.write_all(piece),
            Self::Brotli(encoder) => encoder.write_all(piece),
            Self::Zstd(encoder) => encoder.write_all(piece),
        }
    }

    /// What is compressed so far and was not taken yet.
    fn ready(&mut self) -> Bytes {
        let out = match self {
            Self::Gzip(encoder) => encoder.get_mut(),
            Self::Brotli(encoder) => encoder.get_mut(),
            Self::Zstd(encoder) => encoder.get_mut(),
        };
        std::mem::take(out).into()
    }

    /// The rest.
    fn finish(self) -> io::Result<Bytes> {
        let out = match self {
            Self::Gzip(encoder) => encoder.finish()?,
            Self::Brotli(encoder) => encoder.into_inner(),
            Self::Zstd(encoder) => encoder.finish()?,
        };
        Ok(out.into())
    }
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderValue, header};

    use super::ContentEncoding;

    #[test]
    fn the_client_s_q_values_decide_and_then_our_preference() {
        for (accept, wanted) in [
            ("gzip, br, zstd", ContentEncoding::Zstd),
            ("gzip;q=1.0, br;q=0.5", ContentEncoding::Gzip),
            ("br;q=0", ContentEncoding::Identity),
            ("deflate", ContentEncoding::Identity),
            ("identity, gzip", ContentEncoding::Gzip),
            ("gzip;q=0.5, identity", ContentEncoding::Identity),
            ("identity;q=0.5, br;q=0.7", ContentEncoding::Brotli),
            ("identity;q=0, gzip;q=0.1", ContentEncoding::Gzip),
            ("", ContentEncoding::Identity),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(accept));
            assert_eq!(ContentEncoding::preferred(&headers), wanted, "{accept}");
        }
    }
}
