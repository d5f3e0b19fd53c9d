//! Bodies in gzip (RFC 1952): one member or several, which count as one text (section 2.2). The HTTP client's own decoder ends with the
//! first and tells nobody, so a body of several would be taken for whole when most of it is missing. What follows the last is padding.

use std::io::{Result as IoResult, Write as _};

use flate2::write::GzDecoder;
use reqwest::header::{CONTENT_ENCODING, HeaderMap};

/// The codings that are gzip (RFC 9110, section 8.4.1.3).
const CODINGS: [&[u8]; 2] = [b"gzip", b"x-gzip"];
/// The first byte of every member.
const MEMBER_BEGINS: u8 = 0x1f;

/// Whether a body comes in gzip.
pub(super) fn is_coded(headers: &HeaderMap) -> bool {
    let coding = headers.get(CONTENT_ENCODING).map(|coding| coding.as_bytes().trim_ascii());
    coding.is_some_and(|coding| CODINGS.iter().any(|gzip| coding.eq_ignore_ascii_case(gzip)))
}

/// Where the decoding of a body stands.
#[derive(Default)]
pub(super) enum Gunzip {
    /// Before the first byte.
    #[default]
    Start,
    /// In a member.
    Member(Box<GzDecoder<Vec<u8>>>),
    /// Behind the last member.
    Padding,
}

impl Gunzip {
    fn member() -> Self {
        Self::Member(Box::new(GzDecoder::new(Vec::new())))
    }

    /// Takes some of the bytes that came, and gives what they decode to: a few tens of kilobytes at most, whatever they stand for.
    ///
    /// # Errors
    /// Where the bytes are no gzip, or the checksum of a member is wrong.
    pub(super) fn decode(&mut self, coded: &mut &[u8]) -> IoResult<Vec<u8>> {
        let Some(&first) = coded.first() else { return Ok(Vec::new()) };
        match self {
            Self::Start => {
                *self = Self::member();
                Ok(Vec::new())
            }
            Self::Member(member) => {
                let taken = member.write(coded)?;
                if taken > 0 {
                    *coded = &coded[taken..];
                    return Ok(std::mem::take(member.get_mut()));
                }
                // The decoder takes nothing behind the end of its member.
                let next = if first == MEMBER_BEGINS { Self::member() } else { Self::Padding };
                std::mem::replace(self, next).finish()
            }
            Self::Padding => {
                *coded = &[];
                Ok(Vec::new())
            }
        }
    }

    /// What is left to give when no more bytes come.
    ///
    /// # Errors
    /// Where a member is incomplete, or its checksum is wrong.
    pub(super) fn finish(self) -> IoResult<Vec<u8>> {
        match self {
            Self::Member(member) => member.finish(),
            Self::Start | Self::Padding => Ok(Vec::new()),
        }
    }
}
