//! Content codings: which one a client prefers, and compression into it.

use std::io::Write;

use bytes::Bytes;
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

    /// The coding of ours that the client prefers: the highest q-value, then zstd, br, gzip.
    pub(crate) fn preferred(headers: &HeaderMap) -> Self {
        const OURS: [(&str, u8, ContentEncoding); 4] = [
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
            ("", ContentEncoding::Identity),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(accept));
            assert_eq!(ContentEncoding::preferred(&headers), wanted, "{accept}");
        }
    }
}
